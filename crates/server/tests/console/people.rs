//! People at the console: they come, change and go without a restart, and are signed out.

use std::path::Path;

use serde_json::{Value, json};
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::page::{Operator, Page};
use crate::support::*;

/// Installation with an administrator, and the administrator's token.
struct World {
    server: Server,
    root: String,
    _folder: tempfile::TempDir,
}

fn sources(folder: &Path) -> (Sources, String) {
    let (root, sha256) = Token::mint("root", [1; 24]);
    let text = format!(
        "tenant = \"acme\"\napp = \"bot\"\n[[users]]\nid = \"ana\"\nroles = [\"admin\"]\n[[users]]\nid = \"bob\"\nroles = [\"member\"]\n\
         [[approvers]]\neffects = [\"tracker.*\"]\ntargets = [\"local:*\"]\nallow = [\"role:approver\"]\n\
         [[tokens]]\nid = \"root\"\nsha256 = \"{sha256}\"\nscopes = [\"admin\", \"events:write\", \"lanes:read\", \"act_as\", \"approvals:read\"]\nprincipal = \"ana\"\n"
    );
    let file = folder.join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), data: Some(folder.into()), ..Sources::default() }.flag(
        "server.listen",
        "127.0.0.1:0",
        "--listen",
    );
    (sources, root)
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (sources, root) = sources(folder.path());
        Self { server: Server::start(sources).await, root, _folder: folder }
    }

    async fn again(self) -> Self {
        let Self { server, _folder: folder, .. } = self;
        server.stopped().await;
        let (sources, root) = sources(folder.path());
        Self { server: Server::start(sources).await, root, _folder: folder }
    }

    fn put(&self, id: &str, body: &Value) -> Call {
        self.server.put(&format!("/v1/users/{id}")).token(&self.root).json(body)
    }

    async fn user(&self, id: &str) -> Value {
        let all = self.server.get("/v1/users").token(&self.root).send().await.json();
        all["items"].as_array().unwrap().iter().find(|user| user["id"] == id).cloned().unwrap_or_default()
    }

    async fn sessions(&self) -> Vec<Value> {
        let all = self.server.get("/v1/sessions").token(&self.root).send().await.json();
        all["items"].as_array().unwrap().clone()
    }

    /// Signs somebody in by a link; returns the `Cookie` header.
    async fn cookie_of(&self, id: &str) -> String {
        let made = self.server.post("/v1/sign-in-links").token(&self.root).json(&json!({ "user": id }));
        let url = made.send().await.json()["url"].as_str().unwrap().to_owned();
        self.used(url.split_once("?link=").unwrap().1).await
    }

    async fn used(&self, link: &str) -> String {
        let call = self.server.post("/sign-in").header("Content-Type", "application/x-www-form-urlencoded");
        let reply =
            call.header("User-Agent", "Lynx/2.9").bytes(format!("link={link}").into_bytes()).send().await;
        assert_eq!(reply.status, 303, "{}", reply.text());
        reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }

    async fn status_as(&self, cookie: &str, path: &str) -> u16 {
        self.server.get(path).header("Cookie", cookie).send().await.status
    }

    async fn page_as(&self, cookie: &str, path: &str) -> Page {
        Page::of(&self.server.get(path).header("Cookie", cookie).send().await)
    }

    /// Sends a form of a page as the person of a cookie.
    async fn act(&self, cookie: &str, path: &str, fields: &[(&str, &str)]) -> Reply {
        let page = self.page_as(cookie, "/console/people").await;
        let csrf = page.html.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let mut body = form_urlencoded::Serializer::new(String::new());
        body.append_pair("csrf", csrf).extend_pairs(fields);
        let call = self.server.post(path).header("Content-Type", "application/x-www-form-urlencoded");
        call.header("Cookie", cookie).bytes(body.finish().into_bytes()).send().await
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_is_added_signs_in_decides_and_is_suspended() {
    let world = World::new().await;
    let ana = world.cookie_of("ana").await;
    let added =
        world.act(&ana, "/console/people", &[("id", "eve"), ("name", "Eve"), ("roles", "member, approver")]);
    let added = added.await;
    assert_eq!((added.status, added.header("location")), (303, Some("/console/people/eve")));
    let again = world.act(&ana, "/console/people", &[("id", "eve"), ("name", ""), ("roles", "admin")]).await;
    assert_eq!(again.status, 400, "there is one");
    let linked = Page::of(&world.act(&ana, "/console/people/eve", &[("act", "link")]).await);
    let link = linked.html.split("?link=").nth(1).unwrap().split('<').next().unwrap();
    let eve = world.used(link).await;
    let asked =
        world.server.event("k1", &said("c1", "bob", TASK)).token(&world.root).header("Prefer", "wait=10");
    assert_eq!(asked.send().await.status, 200);
    let approvals = world.page_as(&eve, "/console/approvals").await;
    assert!(approvals.html.contains("Write the manual"), "{}", approvals.html);
    let page = world.page_as(&ana, "/console/people/eve").await;
    page.says("Lynx/2.9").says("link").says("active").says("approver, member");
    let suspended = Page::of(&world.act(&ana, "/console/people/eve", &[("act", "suspend")]).await);
    suspended.says("signed out everywhere").says("suspended").says("They are signed in nowhere.");
    assert_eq!(world.status_as(&eve, "/console/approvals").await, 303);
    let made = world.server.post("/v1/sign-in-links").token(&world.root).json(&json!({"user": "eve"}));
    assert_eq!(made.send().await.problem(), "TL-2006", "no link for somebody suspended");
    let world = world.again().await;
    assert_eq!(world.user("eve").await["suspended"], true, "after a restart");
    let ana = world.cookie_of("ana").await;
    world.act(&ana, "/console/people/eve", &[("act", "resume")]).await;
    assert_eq!(world.status_as(&eve, "/console/approvals").await, 303, "the old session stays over");
    world.act(&ana, "/console/people/eve", &[("act", "remove")]).await;
    assert_eq!(world.user("eve").await, Value::Null);
    assert_eq!(world.status_as(&ana, "/console/people/eve").await, 404);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn roles_count_at_once_and_a_session_is_ended_from_the_list() {
    let world = World::new().await;
    world.put("eve", &json!({"roles": ["member"]})).send().await;
    let eve = world.cookie_of("eve").await;
    assert_eq!(world.status_as(&eve, "/console/people").await, 403);
    let ana = world.cookie_of("ana").await;
    let saved = world
        .act(&ana, "/console/people/eve", &[("act", "change"), ("name", "Eve"), ("roles", "admin")])
        .await;
    Page::of(&saved).says("counts from now on");
    assert_eq!(world.status_as(&eve, "/console/people").await, 200);
    let sessions = world.sessions().await;
    assert_eq!(sessions.len(), 2);
    let of = |who: &str| {
        sessions.iter().find(|one| one["user"] == who).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let ended = world.act(&ana, "/console/people/eve", &[("act", "end"), ("session", &of("eve"))]).await;
    Page::of(&ended).says("The session is over.");
    assert_eq!(world.status_as(&eve, "/console/people").await, 303);
    let ended = world.server.delete(&format!("/v1/sessions/{}", of("ana"))).token(&world.root).send().await;
    assert_eq!(ended.json()["user"], "ana");
    assert_eq!(world.status_as(&ana, "/console/people").await, 303);
    assert!(world.sessions().await.is_empty());
    let gone = world.server.delete(&format!("/v1/sessions/{}", of("ana"))).token(&world.root).send().await;
    assert_eq!(gone.problem(), "TL-2404");
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_added_has_an_address_that_can_be_changed_and_taken_away() {
    let world = World::new().await;
    let ana = world.cookie_of("ana").await;
    let fields = [("id", "eve"), ("name", "Eve"), ("roles", "approver"), ("email", " eve@example.org ")];
    world.act(&ana, "/console/people", &fields).await;
    assert_eq!(world.user("eve").await["email"], "eve@example.org");
    world.page_as(&ana, "/console/people/eve").await.says("E-mail eve@example.org");
    world.put("eve", &json!({"roles": ["member"]})).send().await;
    assert_eq!(world.user("eve").await["email"], "eve@example.org", "what is left out stays");
    let world = world.again().await;
    assert_eq!(world.user("eve").await["email"], "eve@example.org", "after a restart");
    let fields = [("act", "change"), ("name", "Eve"), ("roles", "member"), ("email", "eve2@example.org")];
    let ana = world.cookie_of("ana").await;
    Page::of(&world.act(&ana, "/console/people/eve", &fields).await).says("eve2@example.org");
    let none = world.put("eve", &json!({"email": ""})).send().await;
    assert_eq!((none.status, &none.json()["email"]), (200, &Value::Null));
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_see_where_they_are_signed_in_and_end_it_without_a_scope() {
    let world = World::new().await;
    world.put("eve", &json!({"roles": ["member"]})).send().await;
    let [here, there, third] =
        [world.cookie_of("eve").await, world.cookie_of("eve").await, world.cookie_of("eve").await];
    let ana = world.cookie_of("ana").await;
    let mine = async |cookie: &str| {
        let all = world.server.get("/v1/me/sessions").header("Cookie", cookie).send().await.json();
        all["items"].as_array().unwrap().clone()
    };
    let all = mine(&here).await;
    assert!(all.len() == 3 && all.iter().all(|one| one["user"] == "eve"), "{all:?}");
    assert_eq!(all.iter().filter(|one| one["here"] == true).count(), 1);
    assert!(all.iter().all(|one| one["seen_at"].as_str() >= one["began_at"].as_str()), "{all:?}");
    let page = world.page_as(&here, "/sessions").await;
    page.says("Where I am signed in")
        .says("Lynx/2.9 this browser")
        .says("by a one-time link")
        .says("End all others");
    let csrf = page.field("csrf");
    let id = |sessions: &[Value], here: bool| {
        sessions.iter().find(|one| one["here"] == here).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let delete = async |path: &str| {
        let call = world.server.delete(path).header("Cookie", &here).header("X-CSRF-Token", &csrf);
        call.send().await
    };
    let of_ana = id(&mine(&ana).await, true);
    assert_eq!(delete(&format!("/v1/me/sessions/{of_ana}")).await.problem(), "TL-2404", "somebody else's");
    let bare = world.server.delete("/v1/me/sessions").header("Cookie", &here).send().await;
    assert_eq!(bare.status, 403, "a page of another site sends no token");
    let of_token = world.server.get("/v1/me/sessions").token(&world.root).send().await;
    assert_eq!(of_token.problem(), "TL-2103");
    let ended = delete(&format!("/v1/me/sessions/{}", id(&all, false))).await.json();
    assert_eq!((&ended["user"], &ended["here"]), (&json!("eve"), &json!(false)));
    let others = delete("/v1/me/sessions").await.json();
    assert_eq!(others["items"].as_array().unwrap().len(), 1);
    for over in [&there, &third] {
        assert_eq!(world.status_as(over, "/sessions").await, 303);
    }
    assert_eq!((mine(&here).await.len(), mine(&ana).await.len()), (1, 1));
    let form = [("session", id(&all, true))];
    let form: Vec<_> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut body = form_urlencoded::Serializer::new(String::new());
    body.append_pair("csrf", &csrf).extend_pairs(&form);
    let call = world.server.post("/sessions").header("Content-Type", "application/x-www-form-urlencoded");
    let left = call.header("Cookie", &here).bytes(body.finish().into_bytes()).send().await;
    assert_eq!((left.status, left.header("location")), (303, Some("/sessions")));
    assert_eq!(world.status_as(&here, "/sessions").await, 303, "signed out");
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_changed_is_refused_with_the_reason() {
    let world = World::new().await;
    let long = "x".repeat(129);
    for (id, body) in [
        ("bob", json!({"roles": ["admin"]})),
        ("bob", json!({"name": "Robert"})),
        ("ana", json!({"suspended": true})),
        ("eve", json!({"roles": ["a b"]})),
        ("eve", json!({"roles": [""]})),
        ("eve", json!({"roles": vec!["x"; 51]})),
        ("eve", json!({"name": "a\nb"})),
        ("bob", json!({"email": "bob@example.org"})),
        ("eve", json!({"email": "eve"})),
        ("eve", json!({"email": "eve@example.org\r\nBcc: all@example.org"})),
        ("eve", json!({"email": format!("{}@example.org", "x".repeat(250))})),
        ("eve", json!({"nick": "e"})),
        ("e%20ve", json!({})),
        (long.as_str(), json!({})),
    ] {
        let reply = world.put(id, &body).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (422, "TL-2006"), "{id} {body}");
    }
    assert_eq!(world.user("eve").await, Value::Null);
    assert_eq!(world.put("bob", &json!({"suspended": true})).send().await.json()["barred"], "suspended");
    assert_eq!(
        world.put("bob", &json!({"suspended": false})).send().await.json()["roles"],
        json!(["member"])
    );
    let itself = world.server.delete("/v1/users/ana").token(&world.root).send().await;
    assert_eq!(itself.problem(), "TL-2103");
    for id in ["bob", "nobody"] {
        let reply = world.server.delete(&format!("/v1/users/{id}")).token(&world.root).send().await;
        assert_eq!(reply.problem(), "TL-2404", "nothing is kept of {id}");
    }
    world.server.stopped().await;
}

/// Providers name people like `OFFICE\\eve` and `auth0|7`, which stand in the addresses of pages.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_of_any_characters_has_a_page_whose_forms_work() {
    let world = World::new().await;
    let ana = world.cookie_of("ana").await;
    for (id, path) in [
        ("OFFICE\\eve", "OFFICE%5Ceve"),
        ("auth0|7", "auth0%7C7"),
        ("a/b?c#d", "a%2Fb%3Fc%23d"),
        ("e+f%20", "e%2Bf%2520"),
    ] {
        let added =
            world.act(&ana, "/console/people", &[("id", id), ("name", ""), ("roles", "member")]).await;
        let path = format!("/console/people/{path}");
        assert_eq!(added.header("location"), Some(path.as_str()), "{id}");
        let suspended = Page::of(&world.act(&ana, &path, &[("act", "suspend")]).await);
        suspended.says("signed out everywhere");
        assert_eq!(world.user(id).await["suspended"], true, "{id}");
        let list = world.page_as(&ana, "/console/people").await;
        assert!(
            list.html.replace("&#x2f;", "/").contains(&format!("href=\"{path}\"")),
            "{id}: {}",
            list.html
        );
    }
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn erasing_a_person_erases_what_is_kept_of_them() {
    let world = World::new().await;
    world.put("eve", &json!({"name": "Eve", "roles": ["member"]})).send().await;
    world.cookie_of("eve").await;
    let erased = world
        .server
        .delete("/v1/subjects/eve")
        .token(&world.root)
        .header("Idempotency-Key", "e1")
        .send()
        .await;
    assert_eq!(erased.status, 200, "{}", erased.text());
    let world = world.again().await;
    assert_eq!((world.user("eve").await, world.sessions().await.len()), (Value::Null, 0));
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_demo_has_no_links_and_lists_its_people() {
    let server = Server::demo().await;
    let operator = Operator::at(&server).await;
    let page = server.page("/console/people").await;
    page.says("ana").says("configuration");
    let person = server.page("/console/people/ana").await;
    assert!(!person.html.contains("Make a sign-in link"));
    assert_eq!(Page::of(&operator.form("/console/people/ana", &[("act", "explode")]).await).status, 400);
    server.stopped().await;
}
