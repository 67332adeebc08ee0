//! Tickets in GitHub.

use serde_json::json;
use tempfile::TempDir;
use throughline_fakes::github::{Call, FakeGithub, Fault, Repository};
use throughline_fakes::system_clock;
use throughline_server::finding::State;
use throughline_server::{Config, Sources, trackers};

use crate::support::{Server, demo, eventually, token};
use crate::{asked, card, epic, has};

const CONFIG: &str = r#"
[github.main]
base_url = "BASE"
token_file = "FOLDER/token"
allow_loopback = true
[projects.WEB]
tracker = "github.main"
repository = "acme/web"
type_labels = { bug = "bug" }
[policy.project]
project = "WEB"
[[users]]
id = "ana"
[[users]]
id = "bob"
[[approvers]]
effects = ["tracker.*"]
targets = ["github.main:WEB"]
allow = ["user:ana", "user:bob"]
self_approve = true
"#;

pub(crate) struct Site {
    pub(crate) github: FakeGithub,
    folder: TempDir,
}

impl Site {
    pub(crate) async fn new() -> Self {
        let github = FakeGithub::start(system_clock()).await.unwrap();
        github.repository(Repository::new("acme/web"));
        Self { github, folder: tempfile::tempdir().unwrap() }
    }

    /// Sources of a server that takes deliveries which are signed with this secret.
    pub(crate) fn sources_with(&self, secret: &str) -> Sources {
        let sources = self.sources();
        let path = |name: &str| self.folder.path().join(name);
        std::fs::write(path("secret"), secret).unwrap();
        let text = std::fs::read_to_string(path("throughline.toml")).unwrap();
        let line = format!("allow_loopback = true\nwebhook_secret_file = {:?}", path("secret"));
        std::fs::write(path("throughline.toml"), text.replacen("allow_loopback = true", &line, 1)).unwrap();
        sources
    }

    pub(crate) fn sources(&self) -> Sources {
        let path = |name: &str| self.folder.path().join(name);
        std::fs::write(path("token"), FakeGithub::TOKEN).unwrap();
        let text = CONFIG.replace("FOLDER", &self.folder.path().display().to_string());
        std::fs::write(path("throughline.toml"), text.replace("BASE", &self.github.url())).unwrap();
        Sources { file: Some(path("throughline.toml")), ..demo() }
    }

    /// The number of creates that were sent.
    pub(crate) fn creates(&self) -> usize {
        let create = |call: &Call| call.method == "POST" && call.path.ends_with("/issues");
        self.github.calls().iter().filter(|call| create(call)).count()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_epic_and_its_stories_are_issues_and_sub_issues() {
    let site = Site::new().await;
    let server = Server::start(site.sources()).await;
    let (lane, approve) = asked(&server, "c1", &epic(1)).await;
    server.press("yes", "c1", "bob", &approve).await;
    let receipt =
        card(&server, &lane, |card| card["step"] == "receipt" && card.to_string().contains("WEB-2")).await;
    assert!(receipt.to_string().contains("/acme/web/issues/1"), "{receipt:#}");
    eventually("the story is under its epic", || async {
        site.github.issue("acme/web", 2).is_some_and(|story| story.parent.is_some())
    })
    .await;
    assert_eq!((site.github.issues("acme/web").len(), site.creates()), (2, 2));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_ticket_says_why_and_is_made_once_it_is_mended() {
    let site = Site::new().await;
    let server = Server::start(site.sources()).await;
    let text = "Create a bug: Page is empty\nSteps: open it\nExpected: a list\nActual: nothing";
    let (lane, approve) = asked(&server, "c1", text).await;
    let refusal = json!({"message": "Validation Failed", "errors": [
        {"resource": "Issue", "field": "title", "code": "custom", "message": "title must not be empty today"},
    ]});
    site.github.fault("POST", "/issues", Fault::Status(422, refusal));
    server.press("yes", "c1", "bob", &approve).await;
    let refused = card(&server, &lane, |card| card.to_string().contains("must not be empty today")).await;
    assert_eq!((site.github.issues("acme/web").len(), site.creates()), (0, 1));
    let edit = json!({
        "lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "form.submitted",
        "form": {"token": token(&refused, "edit"), "values": {"title": "The page is empty"}},
    });
    server.turn("edit", &edit).await;
    let shown = card(&server, &lane, |card| has(card, "approve")).await;
    server.press("yes-again", "c1", "bob", &token(&shown, "approve")).await;
    eventually("it is made", || async { site.github.issues("acme/web").len() == 1 }).await;
    let made = site.github.issue("acme/web", 1).unwrap();
    assert_eq!((made.labels.as_slice(), site.creates()), (&["bug".to_owned()][..], 2));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_names_what_is_wrong_with_a_repository() {
    let site = Site::new().await;
    let config = Config::load(&site.sources()).unwrap();
    let told = async |state: State| -> String {
        let findings = trackers::examine(&config, None, None).await;
        let of = findings.into_iter().filter(|finding| finding.state == state);
        of.map(|finding| format!("{} -> {}\n", finding.found, finding.fix.unwrap_or_default())).collect()
    };
    assert_eq!(told(State::Broken).await, "");
    assert!(told(State::Ok).await.contains("WEB takes tickets"));
    site.github.rename_repository("acme/web", "acme/site");
    assert!(told(State::Broken).await.contains("has another name now"));
    site.github.rotate_token("another");
    assert!(told(State::Broken).await.contains("refuses the token"));
    assert_eq!(site.creates(), 0);
}

#[tokio::test]
async fn a_token_that_cannot_be_read_starts_nothing() {
    let site = Site::new().await;
    let sources = site.sources();
    std::fs::write(site.folder.path().join("token"), "two words").unwrap();
    let error = throughline_server::open(Config::load(&sources).unwrap()).await.err().expect("no token");
    assert_eq!(error.code().id(), "TL-5201");
    assert!(error.to_string().contains("github.main") && !error.to_string().contains("two words"), "{error}");
}
