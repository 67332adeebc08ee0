//! Tickets in Jira through the server: requested and approved over the HTTP API, created at a fake that refuses what Jira
//! refuses.

use std::collections::BTreeSet;

use serde_json::json;
use tempfile::TempDir;
use throughline_fakes::jira::{Call, Edition, FakeJira, Fault, Field};
use throughline_fakes::system_clock;
use throughline_server::finding::State;
use throughline_server::{Config, Sources, trackers};

use crate::support::{self, Server, TASK, demo, eventually, said, token};
use crate::{asked, card, epic, has, in_both_editions};

/// A site with two projects, of which tickets go to one.
const CONFIG: &str = r#"
[jira.main]
base_url = "BASE"
ACCOUNT
token_file = "FOLDER/token"
allow_loopback = true
[projects.OPS]
tracker = "jira.main"
[projects.WEB]
tracker = "jira.main"
[policy.project]
project = "OPS"
[[destinations]]
channel = "api"
conversation = "web-team"
project = "WEB"
[[users]]
id = "ana"
[[users]]
id = "bob"
[[approvers]]
effects = ["tracker.*"]
targets = ["jira.main:*", "local:*"]
allow = ["user:ana", "user:bob"]
self_approve = true
"#;

in_both_editions! {
    a_ticket_goes_to_the_project_of_its_place_or_to_the_one_it_names,
    a_field_that_became_required_creates_nothing_and_opens_a_new_approval,
    of_an_epic_with_five_stories_one_is_refused_and_only_that_one_is_made_again,
    five_hundred_deliveries_of_one_approval_are_one_create,
    doctor_names_what_is_wrong_and_creates_nothing,
    a_site_that_is_away_keeps_the_preview,
}

pub(crate) struct Site {
    edition: Edition,
    pub(crate) jira: FakeJira,
    folder: TempDir,
}

impl Site {
    pub(crate) async fn new(edition: Edition) -> Self {
        let jira = FakeJira::start_as(edition, system_clock()).await.unwrap();
        for key in ["OPS", "WEB"] {
            jira.project(edition.project(key));
        }
        Self { edition, jira, folder: tempfile::tempdir().unwrap() }
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
        std::fs::write(path("token"), FakeJira::TOKEN).unwrap();
        let text = CONFIG.replace("FOLDER", &self.folder.path().display().to_string());
        let account = match self.edition {
            Edition::Cloud => format!("email = {:?}", FakeJira::EMAIL),
            Edition::DataCenter => "edition = \"data_center\"".to_owned(),
        };
        let text = text.replace("BASE", &self.jira.url()).replace("ACCOUNT", &account);
        std::fs::write(path("throughline.toml"), text).unwrap();
        Sources { file: Some(path("throughline.toml")), ..demo() }
    }

    pub(crate) fn titles(&self, project: &str) -> Vec<String> {
        let title =
            |issue: throughline_fakes::jira::Issue| issue.fields["summary"].as_str().unwrap().to_owned();
        self.jira.issues(project).into_iter().map(title).collect()
    }

    /// The number of creates that were sent.
    pub(crate) fn creates(&self) -> usize {
        let create = |call: &Call| call.method == "POST" && call.path.ends_with("/issue");
        self.jira.calls().iter().filter(|call| create(call)).count()
    }
}

async fn a_ticket_goes_to_the_project_of_its_place_or_to_the_one_it_names(edition: Edition) {
    let site = Site::new(edition).await;
    let server = Server::start(site.sources()).await;
    for (conversation, text, key) in [
        ("c1", TASK.to_owned(), "OPS-1"),
        ("web-team", TASK.to_owned(), "WEB-1"),
        ("c2", TASK.replace("a task for", "a task in project WEB for"), "WEB-2"),
    ] {
        let (lane, approve) = asked(&server, conversation, &text).await;
        server.press(&format!("yes-{conversation}"), conversation, "bob", &approve).await;
        let receipt =
            card(&server, &lane, |card| card["step"] == "receipt" && card.to_string().contains(key)).await;
        assert!(receipt.to_string().contains(&format!("{}/browse/{key}", site.jira.url())), "{receipt:#}");
    }
    assert_eq!((site.titles("OPS").len(), site.titles("WEB").len(), site.creates()), (1, 2, 3));
    assert_eq!(site.jira.violations(), [""; 0]);
    server.stopped().await;
}

// row: E27
async fn a_field_that_became_required_creates_nothing_and_opens_a_new_approval(edition: Edition) {
    let site = Site::new(edition).await;
    let server = Server::start(site.sources()).await;
    let (lane, approve) = asked(&server, "c1", TASK).await;
    site.jira.change_project("OPS", |project| {
        for kind in &mut project.types {
            kind.fields.push(Field {
                id: "customfield_19999".into(),
                name: "Team".into(),
                required: true,
                has_default: false,
                schema: json!({
                    "type": "string",
                    "custom": "com.atlassian.jira.plugin.system.customfieldtypes:textfield",
                    "customId": 19_999,
                }),
                allowed: Vec::new(),
            });
        }
    });
    server.press("yes", "c1", "bob", &approve).await;
    let shown = card(&server, &lane, |card| card.to_string().contains("Team is required")).await;
    assert!(shown["step"] != "receipt", "{shown:#}");
    assert_eq!((site.titles("OPS").len(), site.creates()), (0, 0));
    // The old button is answered, and still nothing is created.
    let late = server.press("late", "c1", "ana", &approve).await;
    assert_ne!(late["reason"], "press.applied", "{late:#}");
    assert_eq!(site.creates(), 0);
    server.stopped().await;
}

// row: E28
async fn of_an_epic_with_five_stories_one_is_refused_and_only_that_one_is_made_again(edition: Edition) {
    let site = Site::new(edition).await;
    let server = Server::start(site.sources()).await;
    let (lane, approve) = asked(&server, "c1", &epic(5)).await;
    let refusal =
        json!({"errorMessages": [], "errors": {"summary": "Summaries must not end in a digit today."}});
    site.jira.fault("POST", "/issue", Fault::Slow(std::time::Duration::ZERO));
    site.jira.fault("POST", "/issue", Fault::Status(400, refusal));
    server.press("yes", "c1", "bob", &approve).await;
    let receipt = card(&server, &lane, |card| has(card, "retry_missing")).await;
    assert!(receipt.to_string().contains("must not end in a digit"), "{receipt:#}");
    assert_eq!((site.titles("OPS").len(), site.creates()), (5, 6));

    server.press("again", "c1", "ana", &token(&receipt, "retry_missing")).await;
    // The five of a moment ago count, so it has to be confirmed again.
    let shown = card(&server, &lane, |card| has(card, "confirm_quantity")).await;
    server.press("confirm-again", "c1", "ana", &token(&shown, "confirm_quantity")).await;
    let shown = card(&server, &lane, |card| has(card, "approve")).await;
    server.press("yes-again", "c1", "bob", &token(&shown, "approve")).await;
    eventually("the missing one is made", || async { site.titles("OPS").len() == 6 }).await;
    assert_eq!(site.creates(), 7);
    let distinct: BTreeSet<String> = site.titles("OPS").into_iter().collect();
    assert_eq!(distinct.len(), 6);
    eventually("all stories are under the epic", || async {
        let under =
            |issue: &throughline_fakes::jira::Issue| issue.parent().is_some_and(|parent| parent == "OPS-1");
        site.jira.issues("OPS").iter().filter(|issue| under(issue)).count() == 5
    })
    .await;
    server.stopped().await;
}

// row: E29
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_parent_that_jira_ignored_is_set_once_and_nothing_is_created_again() {
    let site = Site::new(Edition::Cloud).await;
    site.jira.ignore_parent_on_create(true);
    let server = Server::start(site.sources()).await;
    let (lane, approve) = asked(&server, "c1", &epic(2)).await;
    server.press("yes", "c1", "bob", &approve).await;
    card(&server, &lane, |card| card["step"] == "receipt" && card.to_string().contains("OPS-3")).await;
    eventually("both stories are under the epic", || async {
        let under =
            |issue: &throughline_fakes::jira::Issue| issue.parent().is_some_and(|parent| parent == "OPS-1");
        site.jira.issues("OPS").iter().filter(|issue| under(issue)).count() == 2
    })
    .await;
    let edits = site.jira.calls().into_iter().filter(|call| call.method == "PUT").count();
    assert_eq!((site.creates(), edits), (3, 2));
    server.stopped().await;
}

// row: JI6
async fn five_hundred_deliveries_of_one_approval_are_one_create(edition: Edition) {
    let site = Site::new(edition).await;
    let server = Server::start(site.sources()).await;
    let (_, approve) = asked(&server, "c1", TASK).await;
    let mut presses = tokio::task::JoinSet::new();
    for n in 0..500 {
        let who = if n % 2 == 0 { "ana" } else { "bob" };
        let press = server.event(&format!("yes-{}", n % 250), &support::pressed("c1", who, &approve));
        presses.spawn(async move { press.send().await.status });
    }
    while let Some(status) = presses.join_next().await {
        // A key that is used again with another body is refused.
        assert!(matches!(status, Ok(200 | 202 | 409 | 422 | 429)), "{status:?}");
    }
    eventually("the ticket is created", || async { site.creates() == 1 }).await;
    // While the last presses wait, the conversation is full and takes nothing more.
    let then = said("c1", "ana", "/maro status");
    eventually("what follows the presses is answered", || async {
        server.event("then", &then).header("Prefer", "wait=10").send().await.status == 200
    })
    .await;
    assert_eq!((site.creates(), site.titles("OPS").len()), (1, 1));
    server.stopped().await;
}

async fn doctor_names_what_is_wrong_and_creates_nothing(edition: Edition) {
    let site = Site::new(edition).await;
    let config = Config::load(&site.sources()).unwrap();
    let told = async |state: State| -> Vec<String> {
        let findings = trackers::examine(&config, None, None).await;
        let of = findings.into_iter().filter(|finding| finding.state == state);
        of.map(|finding| format!("{} -> {}", finding.found, finding.fix.unwrap_or_default())).collect()
    };
    assert_eq!(told(State::Broken).await, [""; 0]);
    let fine = told(State::Ok).await.join("\n");
    assert!(fine.contains("OPS takes bug, story, task, epic"), "{fine}");
    assert!(fine.contains("its clock agrees with ours"), "{fine}");

    site.jira.change_project("OPS", |project| {
        assert!(project.permissions.remove("LINK_ISSUES"));
        for field in project.types.iter_mut().flat_map(|kind| &mut kind.fields) {
            field.required |= field.name == "Story Points";
        }
    });
    site.jira.change_project("WEB", |project| project.archived = true);
    let broken = told(State::Broken).await.join("\n");
    for part in [
        "the account lacks LINK_ISSUES in OPS",
        "a bug in OPS requires “Story Points”, which nothing fills -> set projects.OPS.values.\"Story Points\"",
        "WEB is archived",
    ] {
        assert!(broken.contains(part), "{part}: {broken}");
    }
    site.jira.rotate_token("another");
    assert!(told(State::Broken).await.join("\n").contains("refuses the token"));
    assert_eq!(site.creates(), 0);
}

/// A Data Center whose settings are those of Cloud has no such path, and says so.
#[tokio::test]
async fn doctor_of_another_edition_says_where_it_is_told() {
    let site = Site { edition: Edition::Cloud, ..Site::new(Edition::DataCenter).await };
    let found = trackers::examine(&Config::load(&site.sources()).unwrap(), None, None).await;
    let broken = found.into_iter().find(|finding| finding.state == State::Broken).unwrap();
    assert!(broken.fix.unwrap_or_default().contains("`deploymentType` is Cloud, or Server for Data Center"));
}

/// A person is answered in words when the site is away, and the preview can be approved once it is back.
async fn a_site_that_is_away_keeps_the_preview(edition: Edition) {
    let site = Site::new(edition).await;
    let server = Server::start(site.sources()).await;
    site.jira.fault("GET", "/project/OPS", Fault::Status(503, json!({})));
    let turn = server.turn("ask", &said("c1", "ana", TASK)).await;
    let lane = turn["lane"].as_str().unwrap().to_owned();
    card(&server, &lane, |card| has(card, "approve")).await;
    assert_eq!(site.creates(), 0);
    server.stopped().await;
}
