//! Tickets in a Redmine that runs. They are left out where there is none; `cargo xtask peers` starts one.

use serde_json::{Value, json};
use tempfile::TempDir;
use throughline_fakes::cutter::{Cutter, Fate};
use throughline_fakes::redmine::{Project, RealRedmine};
use throughline_server::finding::State;
use throughline_server::{Config, Sources, trackers};

use crate::support::{Server, demo, eventually, token};
use crate::{asked, card, epic, has};

const CONFIG: &str = r#"
[redmine.main]
base_url = "BASE"
token_file = "FOLDER/token"
allow_loopback = true
[projects.WEB]
tracker = "redmine.main"
identifier = "IDENTIFIER"
SETTINGS
[policy.project]
project = "WEB"
[[users]]
id = "ana"
[[users]]
id = "bob"
[[approvers]]
effects = ["tracker.*"]
targets = ["redmine.main:WEB"]
allow = ["user:ana", "user:bob"]
self_approve = true
"#;

const BUG: &str =
    "Create a bug: Page is empty\nSteps: open it\nExpected: a list\nActual: nothing\nRisks: none";

struct Site {
    redmine: RealRedmine,
    cutter: Cutter,
    identifier: String,
    folder: TempDir,
}

impl Site {
    async fn new(project: Project<'_>) -> Self {
        let redmine = RealRedmine::named();
        let identifier = redmine.project(project).await;
        let cutter = Cutter::start(&redmine.url).await.unwrap();
        Self { redmine, cutter, identifier, folder: tempfile::tempdir().unwrap() }
    }

    /// The configuration, with these settings of the project.
    fn sources(&self, settings: &str) -> Sources {
        let path = |name: &str| self.folder.path().join(name);
        std::fs::write(path("token"), &self.redmine.key).unwrap();
        let text = CONFIG.replace("FOLDER", &self.folder.path().display().to_string());
        let text = text.replace("BASE", &self.cutter.url()).replace("SETTINGS", settings);
        std::fs::write(path("throughline.toml"), text.replace("IDENTIFIER", &self.identifier)).unwrap();
        Sources { file: Some(path("throughline.toml")), ..demo() }
    }

    async fn issues(&self) -> Vec<Value> {
        self.redmine.issues(&self.identifier).await
    }

    /// The number of creates that were sent.
    fn creates(&self) -> usize {
        self.cutter.count("POST", "/issues.json")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn an_epic_and_its_stories_are_issues_and_subtasks() {
    let site = Site::new(Project::USUAL).await;
    let server = Server::start(site.sources("")).await;
    let (lane, approve) = asked(&server, "c1", &epic(1)).await;
    server.press("yes", "c1", "bob", &approve).await;
    eventually("both are made", || async { site.issues().await.len() == 2 }).await;
    let issues = site.issues().await;
    let story = format!("WEB-{}", issues[1]["id"]);
    let receipt =
        card(&server, &lane, |card| card["step"] == "receipt" && card.to_string().contains(&story)).await;
    assert!(receipt.to_string().contains(&format!("/issues/{}", issues[0]["id"])), "{receipt:#}");
    assert_eq!(
        (&issues[0]["tracker"]["name"], &issues[1]["tracker"]["name"]),
        (&json!("Epic"), &json!("Feature"))
    );
    assert_eq!(issues[1]["parent"]["id"], issues[0]["id"], "by the create itself");
    assert_eq!(site.creates(), 2);
    server.stopped().await;
}

/// A lost answer asks a person, and no second create is sent by itself.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_lost_answer_asks_before_anything_is_sent_again() {
    let site = Site::new(Project::USUAL).await;
    let server = Server::start(site.sources("")).await;
    let (lane, approve) = asked(&server, "c1", BUG).await;
    site.cutter.fate("POST", "/issues.json", Fate::Never);
    server.press("yes", "c1", "bob", &approve).await;
    card(&server, &lane, |card| has(card, "create_again")).await;
    assert_eq!((site.issues().await.len(), site.creates()), (0, 1));
    server.stopped().await;
}

/// A custom field that Redmine requires is told with its name, and the ticket is made once it is filled.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn a_refused_ticket_says_why_and_is_made_once_it_is_mended() {
    let site = Site::new(Project { fields: &["Component"], ..Project::USUAL }).await;
    let server = Server::start(site.sources("part_fields = { risks = \"Component\" }")).await;
    let (lane, approve) = asked(&server, "c1", BUG).await;
    server.press("yes", "c1", "bob", &approve).await;
    let refused = card(&server, &lane, |card| card.to_string().contains("is not included in the list")).await;
    assert_eq!((site.issues().await.len(), site.creates()), (0, 1));
    let edit = json!({
        "lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "form.submitted",
        "form": {"token": token(&refused, "edit"), "values": {"risks": "Ops"}},
    });
    server.turn("edit", &edit).await;
    let shown = card(&server, &lane, |card| has(card, "approve")).await;
    server.press("yes-again", "c1", "bob", &token(&shown, "approve")).await;
    eventually("it is made", || async { site.issues().await.len() == 1 }).await;
    assert_eq!(site.issues().await[0]["custom_fields"][0]["value"], "Ops");
    assert_eq!(site.creates(), 2);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a Redmine that runs: cargo xtask peers"]
async fn doctor_names_what_is_wrong_with_a_project() {
    let site = Site::new(Project { trackers: &["Bug", "Feature", "Task"], ..Project::USUAL }).await;
    let told = async |settings: &str, state: State| -> String {
        let findings = trackers::examine(&Config::load(&site.sources(settings)).unwrap(), None, None).await;
        let of = findings.into_iter().filter(|finding| finding.state == state);
        of.map(|finding| format!("{} -> {}\n", finding.found, finding.fix.unwrap_or_default())).collect()
    };
    assert_eq!(told("", State::Broken).await, "");
    let fine = told("", State::Ok).await;
    assert!(fine.contains("WEB takes tickets") && fine.contains("knows us as throughline"), "{fine}");
    assert!(told("", State::Warning).await.contains("projects.WEB.type_names.epic"));
    let broken = told("values = { \"Team\" = \"x\" }", State::Broken).await;
    assert!(broken.contains("no custom field “Team”"), "{broken}");
    site.redmine.close(&site.identifier).await;
    assert!(told("", State::Broken).await.contains("is closed"));
    assert_eq!(site.creates(), 0);
}
