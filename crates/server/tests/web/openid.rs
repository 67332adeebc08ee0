//! Sign-in by OpenID Connect: who is let in, as whom, with which roles, and what of a provider is not believed.

use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;
use throughline_engine::Timestamp;
use throughline_store::{ManualClock, MemoryStore};

use crate::browser::*;
use crate::provider::{FAULTS, Fault, Provider, SECRET};
use crate::support::*;

const ROLES: &str =
    "roles_claim = \"groups\"\nroles = { leads = \"approver\", root = \"admin\", staff = \"member\" }";

/// Office whose people sign in at a provider.
struct World {
    provider: Provider,
    office: Office,
    _folder: TempDir,
}

impl World {
    async fn with(more: &str) -> Self {
        let provider = Provider::start().await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        std::fs::write(&file, format!("{SECRET}\n")).unwrap();
        let office = Office::with(&provider.settings(&file, more));
        Self { provider, office, _folder: folder }
    }

    async fn new() -> Self {
        Self::with(ROLES).await
    }

    /// Goes to the provider and comes back with these claims.
    async fn comes_back(&self, browser: &Browser<'_>, claims: Value) -> Reply {
        let left = browser.get("/sign-in/openid?to=%2Fworkspace").await;
        assert_eq!(left.status, 303, "{}", left.text());
        let back = self.provider.lets_in(left.header("location").unwrap(), claims);
        browser.get(&back).await
    }

    /// Returns the browser of somebody who signed in with these claims.
    async fn signed_in<'s>(&self, server: &'s Server, claims: Value) -> Browser<'s> {
        let browser = Browser::new(server);
        let reply = self.comes_back(&browser, claims).await;
        assert_eq!((reply.status, reply.header("location")), (303, Some("/workspace")), "{}", reply.text());
        browser
    }

    async fn users(&self, server: &Server) -> Value {
        let users = server.get("/v1/users").token(&self.office.root).send().await;
        assert_eq!(users.status, 200, "{}", users.text());
        users.json()["items"].clone()
    }

    async fn user(&self, server: &Server, id: &str) -> Value {
        let users = self.users(server).await;
        users.as_array().unwrap().iter().find(|user| user["id"] == id).cloned().unwrap_or(Value::Null)
    }
}

fn claims(subject: &str, name: &str, groups: Value) -> Value {
    json!({"sub": subject, "preferred_username": name, "name": format!("{name} of the office"), "groups": groups})
}

/// Asserts that somebody was refused, and that nothing signs them in.
fn assert_refused(browser: &Browser<'_>, reply: &Reply, code: &str, words: &str) {
    let text = unescape(&reply.text());
    assert!(text.contains(code) && text.contains(words), "{code} {words}: {text}");
    assert_eq!(browser.cookie(), None, "{words}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_whom_nobody_configured_signs_in_with_the_roles_of_their_claims() {
    let world = World::new().await;
    let server = world.office.serve().await;
    let page = Browser::new(&server).visit("/console/people").await;
    assert!(page.html().contains("Sign in with Office"));
    let browser = world.signed_in(&server, claims("7", "eve", json!(["root", "else"]))).await;
    let people = browser.visit("/console/people").await;
    assert_eq!((people.address.as_str(), people.reply.status), ("/console/people", 200));
    let eve = world.user(&server, "eve").await;
    assert_eq!((&eve["roles"], &eve["name"]), (&json!(["admin"]), &json!("eve of the office")));
    assert_eq!(
        (&eve["configured"], &eve["issuer"]),
        (&json!(false), &json!(format!("http://{}", world.provider.address)))
    );
    let again = world.signed_in(&server, claims("7", "eve", json!("staff"))).await;
    assert_eq!(
        world.user(&server, "eve").await["roles"],
        json!(["member"]),
        "roles are those of the last sign-in"
    );
    assert_eq!(again.get("/console/people").await.status, 403);
    assert_eq!(browser.get("/console/people").await.status, 403, "in the older session, too");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_of_the_configuration_keeps_their_roles_and_has_those_of_the_claims_besides() {
    let world = World::new().await;
    let server = world.office.serve().await;
    world.signed_in(&server, claims("1", "olga", json!(["leads"]))).await;
    let olga = world.user(&server, "olga").await;
    assert_eq!((&olga["roles"], &olga["configured"]), (&json!(["operator", "approver"]), &json!(true)));
    world.signed_in(&server, claims("2", "vic", Value::Null)).await;
    assert_eq!(world.user(&server, "vic").await["roles"], json!(["viewer"]));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_nobody_here_is_refused_with_the_reason() {
    let world = World::new().await;
    let server = world.office.serve().await;
    world.signed_in(&server, claims("1", "ana", json!(["leads"]))).await;
    for (claims, words) in [
        (claims("5", "eve", json!(["else"])), "eve has no role here"),
        (json!({"sub": "5", "groups": ["staff"]}), "no preferred_username"),
        (claims("5", "e v e", json!(["staff"])), "is no id"),
        (claims("2", "ana", json!(["root"])), "the id ana is another account"),
    ] {
        let browser = Browser::new(&server);
        let reply = world.comes_back(&browser, claims).await;
        assert_eq!(reply.status, 403, "{words}");
        assert_refused(&browser, &reply, "TL-2111", words);
    }
    assert_eq!(
        world.user(&server, "ana").await["roles"],
        json!(["approver"]),
        "the other account changed nothing"
    );
    assert_eq!(world.user(&server, "eve").await, Value::Null);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_wrong_token_and_no_silent_provider_signs_anybody_in() {
    for fault in FAULTS {
        let world = World::new().await;
        let server = world.office.serve().await;
        let browser = Browser::new(&server);
        let at_once = matches!(fault, Fault::NoDescription | Fault::OtherDescription);
        if at_once {
            world.provider.fails(Some(fault));
            let reply = browser.get("/sign-in/openid").await;
            assert_eq!(reply.status, 502, "{fault:?}");
            assert_refused(&browser, &reply, "TL-2110", "does not describe itself");
        } else {
            world.provider.fails(Some(fault));
            let reply = world.comes_back(&browser, claims("7", "eve", json!(["root"]))).await;
            assert_eq!(reply.status, 502, "{fault:?}: {}", reply.text());
            assert_refused(&browser, &reply, "TL-2110", "the provider of sign-ins");
        }
        assert_eq!(world.user(&server, "eve").await, Value::Null, "{fault:?}");
        world.provider.fails(None);
        world.signed_in(&server, claims("7", "eve", json!(["root"]))).await;
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_finishes_what_another_browser_began_or_finishes_twice() {
    let world = World::new().await;
    let server = world.office.serve().await;
    let (one, other) = (Browser::new(&server), Browser::new(&server));
    let left = one.get("/sign-in/openid").await;
    let back = world.provider.lets_in(left.header("location").unwrap(), claims("7", "eve", json!(["root"])));
    for stranger in [&other, &Browser::new(&server)] {
        let reply = stranger.get(&back).await;
        assert_eq!(reply.status, 403);
        assert_refused(stranger, &reply, "TL-2106", "not the browser");
        stranger.get("/sign-in/openid").await;
        assert_eq!(stranger.get(&back).await.status, 403, "with a state of its own");
    }
    let kept = one.cookie().unwrap();
    assert_eq!(one.get(&back).await.status, 303);
    let again = server.get(&back).header("Cookie", &kept).send().await;
    assert_eq!(again.status, 502, "the code is used up");
    let forged = back.replace("state=", "state=x");
    let reply = server.get(&forged).header("Cookie", &kept).send().await;
    assert_eq!(reply.status, 403);
    let denied = Browser::new(&server);
    let left = denied.get("/sign-in/openid").await;
    let state = left.header("location").unwrap().split('&').find(|pair| pair.starts_with("state=")).unwrap();
    let reply = denied.get(&format!("/sign-in/openid/back?error=access_denied&{state}")).await;
    assert_refused(&denied, &reply, "TL-2111", "access_denied");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_state_lasts_ten_minutes_and_a_session_twelve_hours() {
    let world = World::new().await;
    let clock = Arc::new(ManualClock::at(Timestamp::parse("2026-01-15T10:00:00Z").unwrap()));
    let server = Server::over(world.office.sources(), Arc::new(MemoryStore::new(clock.clone()))).await;
    let late = Browser::new(&server);
    let left = late.get("/sign-in/openid").await;
    let back = world.provider.lets_in(left.header("location").unwrap(), claims("7", "eve", json!(["root"])));
    clock.advance(10 * Timestamp::MINUTE + 1);
    assert_refused(&late, &late.get(&back).await, "TL-2110", "took too long");
    let browser = world.signed_in(&server, claims("7", "eve", json!(["root"]))).await;
    clock.advance(12 * Timestamp::HOUR - 1);
    assert_eq!(browser.get("/console/people").await.status, 200);
    clock.advance(1);
    assert_eq!(browser.get("/console/people").await.status, 303, "to the sign-in");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_that_the_token_lacks_are_asked_for_and_new_keys_are_fetched() {
    let world = World::new().await;
    let server = world.office.serve().await;
    world.provider.tells(json!({"sub": "7", "preferred_username": "eve", "groups": ["leads"]}));
    world.signed_in(&server, json!({"sub": "7"})).await;
    assert_eq!(world.user(&server, "eve").await["roles"], json!(["approver"]));
    assert_eq!(world.provider.discoveries(), 1, "the description is kept");
    world.provider.rotates();
    world.signed_in(&server, json!({"sub": "7"})).await;
    assert_eq!(world.provider.discoveries(), 2);
    world.provider.tells(json!({"sub": "8", "preferred_username": "ana", "groups": ["root"]}));
    let browser = Browser::new(&server);
    let reply = world.comes_back(&browser, json!({"sub": "7"})).await;
    assert_refused(&browser, &reply, "TL-2110", "tells nothing");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_suspended_or_removed_is_out_at_once_and_comes_back_only_as_allowed() {
    let world = World::new().await;
    let server = world.office.serve().await;
    let root = &world.office.root;
    let browser = world.signed_in(&server, claims("7", "eve", json!(["root"]))).await;
    let put = |body: Value| server.put("/v1/users/eve").token(root).json(&body);
    assert_eq!(put(json!({"suspended": true})).send().await.json()["suspended"], true);
    assert_eq!(browser.get("/console/people").await.status, 303);
    let trying = Browser::new(&server);
    let reply = world.comes_back(&trying, claims("7", "eve", json!(["root"]))).await;
    assert_refused(&trying, &reply, "TL-2111", "eve is suspended");
    assert_eq!(put(json!({"suspended": false})).send().await.status, 200);
    assert_eq!(browser.get("/console/people").await.status, 303, "the old session stays over");
    let browser = world.signed_in(&server, claims("7", "eve", json!(["root"]))).await;
    assert_eq!(server.delete("/v1/users/eve").token(root).send().await.json()["id"], "eve");
    assert_eq!(browser.get("/console/people").await.status, 303);
    assert_eq!(server.delete("/v1/users/eve").token(root).send().await.problem(), "TL-2404");
    world.signed_in(&server, claims("8", "eve", json!(["staff"]))).await;
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_counts_where_the_provider_verified_it_and_a_role_for_everybody() {
    let world = World::with("user_claim = \"email\"\ndefault_role = \"member\"").await;
    let server = world.office.serve().await;
    let with = |verified: Value| json!({"sub": "7", "email": "eve@example.org", "email_verified": verified});
    let browser = Browser::new(&server);
    let reply = world.comes_back(&browser, with(json!(false))).await;
    assert_refused(&browser, &reply, "TL-2111", "has not verified");
    // Where mail of somebody goes is no name of theirs.
    let put = server.put("/v1/users/eve").token(&world.office.root);
    let eve = json!({"roles": ["admin"], "email": "eve@example.org"});
    assert_eq!(put.json(&eve).send().await.status, 200);
    let browser = world.signed_in(&server, with(json!(true))).await;
    assert_eq!(world.user(&server, "eve@example.org").await["roles"], json!(["member"]));
    assert_eq!(world.user(&server, "eve").await["issuer"], Value::Null);
    assert_eq!(browser.get("/console/people").await.status, 403);
    server.stopped().await;
}
