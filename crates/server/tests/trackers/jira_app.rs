//! An app of Jira Cloud that an administrator connects in the console, and tickets that are created with its grant.

use std::sync::Arc;

use tempfile::TempDir;
use throughline_fakes::jira::{FakeJira, Project};
use throughline_fakes::system_clock;
use throughline_server::auth::Token;
use throughline_server::{Config, Sources, open_with};
use throughline_store::{Document, MemoryStore, Store, SystemClock};

use crate::support::{Reply, Server, TASK, demo};
use crate::{asked, card};

const CONFIG: &str = r#"
instance_key_file = "FOLDER/key"
[server]
public_url = "PUBLIC"
[jira.main]
base_url = "BASE"
client_id = "app"
client_secret_file = "FOLDER/secret"
auth_url = "BASE"
api_url = "BASE"
allow_loopback = true
[projects.OPS]
tracker = "jira.main"
[policy.project]
project = "OPS"
[[users]]
id = "ana"
roles = ["admin"]
[[users]]
id = "bob"
[[approvers]]
effects = ["tracker.*"]
targets = ["jira.main:*"]
allow = ["user:ana", "user:bob"]
"#;

/// Tokens of an administrator and of a member, for a server that is no demo.
const TOKENS: &str = r#"
[[tokens]]
id = "olga"
sha256 = "HASH"
tenant = "acme"
scopes = ["admin"]
principal = "ana"
[[tokens]]
id = "mia"
sha256 = "OTHER"
tenant = "acme"
scopes = ["lanes:read", "effects:read"]
principal = "bob"
"#;

/// A site whose app nobody connected yet, and the store that outlives servers.
struct Site {
    jira: FakeJira,
    store: Arc<dyn Store>,
    folder: TempDir,
    sources: Sources,
    public_url: &'static str,
    /// Token of an administrator; in a demo everybody is one.
    admin: Option<String>,
    member: String,
}

impl Site {
    async fn new() -> Self {
        Self::of(demo(), "http://localhost:8080", "").await
    }

    /// A site for a server that asks for tokens.
    async fn strict() -> Self {
        let sources = Sources { demo: false, ..demo() };
        Self::of(sources, "https://bot.example.org", TOKENS).await.minted()
    }

    async fn of(sources: Sources, public_url: &'static str, more: &str) -> Self {
        let jira = FakeJira::start(system_clock()).await.unwrap();
        jira.project(Project::company("OPS"));
        let _ = jira.oauth_app("app", "hush");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret"), "hush\n").unwrap();
        let text = format!("{CONFIG}{more}")
            .replace("FOLDER", &folder.path().display().to_string())
            .replace("BASE", &jira.url())
            .replace("PUBLIC", public_url);
        let file = folder.path().join("throughline.toml");
        std::fs::write(&file, text).unwrap();
        let sources = Sources { file: Some(file), data: Some(folder.path().to_owned()), ..sources };
        let store = Arc::new(MemoryStore::new(Arc::new(SystemClock::default())));
        Self { jira, store, folder, sources, public_url, admin: None, member: String::new() }
    }

    fn minted(mut self) -> Self {
        let ((admin, hash), (member, other)) = (Token::mint("olga", [1; 24]), Token::mint("mia", [2; 24]));
        let file = self.folder.path().join("throughline.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        let text = format!("tenant = \"acme\"\n{text}").replace("HASH", &hash).replace("OTHER", &other);
        std::fs::write(&file, text).unwrap();
        (self.admin, self.member) = (Some(admin), member);
        self
    }

    async fn server(&self) -> Server {
        let config = Config::load(&self.sources).unwrap();
        Server::run(open_with(config, self.store.clone()).await.unwrap()).await
    }

    async fn page(&self, server: &Server, path: &str, cookie: &str) -> Reply {
        let call = server.get(path).header("cookie", cookie);
        match &self.admin {
            Some(token) => call.token(token).send().await,
            None => call.send().await,
        }
    }

    /// Begins at the console and lets a person agree at the site; returns the path they come back to, and their cookie.
    async fn agreed(&self, server: &Server) -> (String, String) {
        let left = self.page(server, "/console/trackers/jira.main/connect", "").await;
        assert_eq!(left.status, 303, "{}", left.text());
        let set = left.header("set-cookie").unwrap();
        assert!(set.contains("HttpOnly") && set.contains("SameSite=Lax"), "{set}");
        assert_eq!(set.contains("Secure"), self.public_url.starts_with("https"), "{set}");
        let cookie = set.split(';').next().unwrap().to_owned();
        let to = left.header("location").unwrap().to_owned();
        let back = tokio::task::spawn_blocking(move || {
            let config = ureq::Agent::config_builder().max_redirects(0).build();
            let answer = ureq::Agent::new_with_config(config).get(&to).call().unwrap();
            answer.headers()["location"].to_str().unwrap().to_owned()
        });
        let back = back.await.unwrap();
        let path = back.strip_prefix(self.public_url).unwrap_or_else(|| panic!("{back}"));
        (path.to_owned(), cookie)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_app_that_an_administrator_connected_creates_tickets_also_after_a_restart() {
    let site = Site::new().await;
    let server = site.server().await;
    let before = site.page(&server, "/console/trackers", "").await.text();
    assert!(before.contains("nobody connected the app") && before.contains("Connect jira.main"), "{before}");
    let (back, cookie) = site.agreed(&server).await;
    let done = site.page(&server, &back, &cookie).await;
    assert_eq!((done.status, done.header("location")), (303, Some("/console/trackers")), "{}", done.text());
    assert!(done.header("set-cookie").unwrap().contains("Max-Age=0"), "the state is used up");
    let after = site.page(&server, "/console/trackers", "").await.text();
    assert!(after.contains("OPS takes bug, story, task, epic"), "{after}");
    server.stopped().await;

    let tenant = Config::load(&site.sources).unwrap().tenant;
    let kept = site.store.documents(&tenant, "jira.grants", None, 9).await.unwrap();
    let body = &kept[0].body;
    assert!(kept.len() == 1 && !body.contains("access-") && !body.contains("refresh-"), "sealed: {body}");
    let audited = site.store.audit(&tenant, 0, 100).await.unwrap();
    let connected = audited
        .iter()
        .filter(|(_, row)| row.contains(r#""what":"connected""#) && row.contains(r#""by":"ana""#));
    assert_eq!(connected.count(), 1, "{audited:?}");
    // A token that is new is not renewed because it is refused, so this one becomes old.
    let mut grant: serde_json::Value = serde_json::from_str(body).unwrap();
    grant["since"] = 0.into();
    let older = Document::new("jira.main", kept[0].version, grant.to_string());
    assert!(site.store.write_documents(&tenant, vec![("jira.grants".into(), older)], None).await.unwrap());

    let server = site.server().await;
    site.jira.expire_access_tokens();
    let (lane, approve) = asked(&server, "c1", TASK).await;
    server.press("yes", "c1", "bob", &approve).await;
    let receipt =
        card(&server, &lane, |card| card["step"] == "receipt" && card.to_string().contains("OPS-1")).await;
    assert!(receipt.to_string().contains(&format!("{}/browse/OPS-1", site.jira.url())), "{receipt:#}");
    assert_eq!((site.jira.issues("OPS").len(), site.jira.refreshes()), (1, 1));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_else_connects_an_app_and_a_refusal_is_told() {
    let site = Site::strict().await;
    let server = site.server().await;
    for path in ["", "/jira.main/connect", "/jira.main/connected?code=c&state=s"] {
        let path = format!("/console/trackers{path}");
        let reply = server.get(&path).token(&site.member).send().await;
        assert_eq!((reply.status, reply.text().contains("TL-2103")), (403, true), "{path}");
    }
    let unknown = site.page(&server, "/console/trackers/jira.other/connect", "").await;
    assert_eq!(unknown.status, 404, "{}", unknown.text());
    let (back, cookie) = site.agreed(&server).await;
    for (path, cookie, status, code) in [
        (back.as_str(), "", 403, "TL-2106"),
        (back.as_str(), "throughline_tracker=another", 403, "TL-2106"),
        ("/console/trackers/jira.main/connected?code=c", cookie.as_str(), 403, "TL-2106"),
        (&back.replace("code=", "error=access_denied&was="), cookie.as_str(), 409, "TL-5203"),
        (&back.replace("code=", "code=x"), cookie.as_str(), 409, "TL-5203"),
    ] {
        let reply = site.page(&server, path, cookie).await;
        let text = reply.text();
        assert!(reply.status == status && text.contains(code), "{path} {cookie}: {} {text}", reply.status);
    }
    // A page that comes back from elsewhere is asked for once more, because it lacks our cookie.
    let elsewhere =
        server.get(&back).header("sec-fetch-site", "cross-site").header("sec-fetch-mode", "navigate");
    assert!(elsewhere.send().await.text().contains("http-equiv=\"refresh\""));
    server.stopped().await;
}
