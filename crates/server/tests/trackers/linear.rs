//! Tickets in Linear.

use serde_json::json;
use tempfile::TempDir;
use throughline_fakes::linear::{FakeLinear, Fault, Label, Team};
use throughline_fakes::system_clock;
use throughline_server::finding::State;
use throughline_server::{Config, Sources, trackers};

use crate::support::{Server, demo, eventually, token};
use crate::{asked, card, epic, has};

const CONFIG: &str = r#"
[linear.main]
base_url = "BASE"
token_file = "FOLDER/token"
allow_loopback = true
[projects.WEB]
tracker = "linear.main"
team = "ENG"
type_labels = { bug = "Bug" }
[policy.project]
project = "WEB"
[[users]]
id = "ana"
[[users]]
id = "bob"
[[approvers]]
effects = ["tracker.*"]
targets = ["linear.main:WEB"]
allow = ["user:ana", "user:bob"]
self_approve = true
"#;

struct Site {
    linear: FakeLinear,
    folder: TempDir,
}

impl Site {
    async fn new() -> Self {
        let linear = FakeLinear::start(system_clock()).await.unwrap();
        linear.team(Team::new("ENG"));
        for name in ["Bug", "Epic"] {
            linear.label(Label::new(name));
        }
        Self { linear, folder: tempfile::tempdir().unwrap() }
    }

    fn sources(&self) -> Sources {
        let path = |name: &str| self.folder.path().join(name);
        std::fs::write(path("token"), FakeLinear::TOKEN).unwrap();
        let text = CONFIG.replace("FOLDER", &self.folder.path().display().to_string());
        std::fs::write(path("throughline.toml"), text.replace("BASE", &self.linear.url())).unwrap();
        Sources { file: Some(path("throughline.toml")), ..demo() }
    }

    /// The number of creates that were sent.
    fn creates(&self) -> usize {
        self.linear.calls().iter().filter(|call| call.fields == ["issueCreate"]).count()
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
    assert!(receipt.to_string().contains("/acme/issue/ENG-1/"), "{receipt:#}");
    let story = site.linear.issue("ENG-2").unwrap();
    assert_eq!(story.parent.as_deref(), Some("ENG-1"), "by the create itself");
    assert_eq!(site.linear.issue("ENG-1").unwrap().labels, ["Epic"]);
    assert_eq!((site.linear.issues("ENG").len(), site.creates()), (2, 2));
    server.stopped().await;
}

/// A lost answer asks a person, and no second create is sent by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_answer_asks_before_anything_is_sent_again() {
    let site = Site::new().await;
    let server = Server::start(site.sources()).await;
    let text = "Create a bug: Page is empty\nSteps: open it\nExpected: a list\nActual: nothing";
    let (lane, approve) = asked(&server, "c1", text).await;
    site.linear.fault("issueCreate", Fault::AppliedThenLost);
    server.press("yes", "c1", "bob", &approve).await;
    card(&server, &lane, |card| has(card, "create_again")).await;
    assert_eq!((site.linear.issues("ENG").len(), site.creates()), (1, 1));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_ticket_says_why_and_is_made_once_it_is_mended() {
    let site = Site::new().await;
    let server = Server::start(site.sources()).await;
    let text = "Create a bug: Page is empty\nSteps: open it\nExpected: a list\nActual: nothing";
    let (lane, approve) = asked(&server, "c1", text).await;
    let refusal = json!({"data": null, "errors": [{"message": "title is not for today", "extensions": {
        "code": "INPUT_ERROR", "userPresentableMessage": "The title must not be empty today.",
    }}]});
    site.linear.fault("issueCreate", Fault::Status(200, refusal));
    server.press("yes", "c1", "bob", &approve).await;
    let refused = card(&server, &lane, |card| card.to_string().contains("must not be empty today")).await;
    assert_eq!((site.linear.issues("ENG").len(), site.creates()), (0, 1));
    let edit = json!({
        "lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "form.submitted",
        "form": {"token": token(&refused, "edit"), "values": {"title": "The page is empty"}},
    });
    server.turn("edit", &edit).await;
    let shown = card(&server, &lane, |card| has(card, "approve")).await;
    server.press("yes-again", "c1", "bob", &token(&shown, "approve")).await;
    eventually("it is made", || async { site.linear.issues("ENG").len() == 1 }).await;
    let made = site.linear.issue("ENG-1").unwrap();
    assert_eq!((made.labels.as_slice(), site.creates()), (&["Bug".to_owned()][..], 2));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_names_what_is_wrong_with_a_team() {
    let site = Site::new().await;
    let config = Config::load(&site.sources()).unwrap();
    let told = async |state: State| -> String {
        let findings = trackers::examine(&config, None, None).await;
        let of = findings.into_iter().filter(|finding| finding.state == state);
        of.map(|finding| format!("{} -> {}\n", finding.found, finding.fix.unwrap_or_default())).collect()
    };
    assert_eq!(told(State::Broken).await, "");
    assert!(told(State::Ok).await.contains("WEB takes tickets"));
    site.linear.change_team("ENG", |team| team.retired = true);
    assert!(told(State::Broken).await.contains("takes no issues any more"));
    site.linear.change_team("ENG", |team| team.visible = false);
    assert!(told(State::Broken).await.contains("there is no team ENG for WEB"));
    site.linear.rotate_token("lin_api_another");
    assert!(told(State::Broken).await.contains("refuses the key"));
    assert_eq!(site.creates(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn doctor_names_a_label_that_is_missing() {
    let site = Site::new().await;
    let sources = site.sources();
    let file = site.folder.path().join("throughline.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"Bug\"", "\"Defect\"")).unwrap();
    let findings = trackers::examine(&Config::load(&sources).unwrap(), None, None).await;
    let broken: Vec<_> = findings.iter().filter(|finding| finding.state == State::Broken).collect();
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert!(broken[0].found.contains("no label “Defect”"), "{broken:?}");
    assert!(broken[0].fix.as_ref().unwrap().contains("projects.WEB.type_labels.bug"), "{broken:?}");
}

#[tokio::test]
async fn a_key_that_cannot_be_read_starts_nothing() {
    let site = Site::new().await;
    let sources = site.sources();
    std::fs::write(site.folder.path().join("token"), "two words").unwrap();
    let error = throughline_server::open(Config::load(&sources).unwrap()).await.err().expect("no key");
    assert_eq!(error.code().id(), "TL-5201");
    assert!(error.to_string().contains("linear.main") && !error.to_string().contains("two words"), "{error}");
}
