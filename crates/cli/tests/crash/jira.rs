//! Tickets in Jira while the process is killed. An approval makes at most one issue; where one was made, it is found, and where
//! none was, that is said and nothing is sent again.
//!
//! As with a batch, a first run without kills records the fail points that are passed.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use throughline_fakes::jira::{Call, FakeJira, Project};
use throughline_fakes::system_clock;
use throughline_store::conformance::PostgresTestServer;
use tokio::runtime::Runtime;

use crate::batch::{LAST, kill_at_each, read};
use crate::client::Client;
use crate::script::{self, Transcript};
use crate::server::{FAILPOINT, STORE_URL, Server, Variable};
use crate::{passes_per_point, run_some_at_once};

/// The longest time until an issue whose answer was lost is found: it is looked for after 10 and after 30 seconds.
const FOUND: Duration = Duration::from_secs(50);

const CONFIG: &str = r#"
[jira.main]
base_url = "BASE"
email = "EMAIL"
token_file = "FOLDER/token"
allow_loopback = true
[projects.OPS]
tracker = "jira.main"
[policy.project]
project = "OPS"
[[users]]
id = "ana"
roles = ["approver"]
[[users]]
id = "bob"
roles = ["approver"]
[[approvers]]
effects = ["tracker.*"]
targets = ["jira.main:OPS"]
allow = ["role:approver"]
"#;

/// The fail points of a create, each of which must be passed.
const PASSED: [&str; 5] = [
    "s9.attempt_marked/tracker.create",
    "s10.bytes_on_wire/tracker.create",
    "s11.vendor_applied/tracker.create",
    "s12.reply_read/tracker.create",
    "s13.result_committed/tracker.create",
];

/// A site, and the settings of the server whose tracker it is.
struct Site {
    jira: FakeJira,
    /// Drives the fake.
    _executor: Runtime,
    folder: TempDir,
}

impl Site {
    fn new() -> Self {
        let executor =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let jira = executor.block_on(FakeJira::start(system_clock())).unwrap();
        jira.project(Project::company("OPS"));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("token"), FakeJira::TOKEN).unwrap();
        let text = CONFIG.replace("FOLDER", &folder.path().display().to_string());
        let text = text.replace("BASE", &jira.url()).replace("EMAIL", FakeJira::EMAIL);
        std::fs::write(folder.path().join("jira.toml"), text).unwrap();
        Self { jira, _executor: executor, folder }
    }

    fn settings(&self) -> Variable {
        ("THROUGHLINE_CONFIG", self.folder.path().join("jira.toml").display().to_string())
    }

    /// The number of issues with that title.
    fn issues(&self, title: &str) -> usize {
        self.jira.issues("OPS").iter().filter(|issue| issue.fields["summary"] == title).count()
    }

    /// Checks one approval: one issue and done, or none and uncertain.
    fn wrong(&self, client: &Client, sent: &Transcript) -> Option<String> {
        let [title] = sent.approved.as_slice() else {
            return Some(format!("not one approval: {:?}", sent.approved));
        };
        let started = Instant::now();
        loop {
            let mut creates = client.list(&format!("/v1/effects?lane={}&limit=200", sent.lane));
            creates.retain(|effect| effect["class"] == "tracker.create");
            let states: Vec<&str> = creates.iter().filter_map(|create| create["state"].as_str()).collect();
            match (states.as_slice(), self.issues(title)) {
                (["done"], 1) | (["uncertain"], 0) => return None,
                (["uncertain"], 1) if started.elapsed() < FOUND => {}
                (states, issues) => return Some(format!("{title}: {issues} issues, and it is {states:?}")),
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The creates that were sent, by title.
    fn sent(&self) -> Vec<Value> {
        let create = |call: &Call| call.method == "POST" && call.path.ends_with("/issue");
        self.jira
            .calls()
            .into_iter()
            .filter(create)
            .map(|call| call.body["fields"]["summary"].clone())
            .collect()
    }
}

#[test]
fn tickets_in_jira_killed_at_every_step_are_one_issue_or_uncertain() {
    let passed = trail();
    let gone: Vec<&str> = PASSED.into_iter().filter(|point| !passed.contains_key(*point)).collect();
    assert!(gone.is_empty(), "a ticket in Jira does not pass {gone:?}; it passes {passed:#?}");
    let of_tracker = passed.into_iter().filter(|(point, _)| point.contains("/tracker.")).collect();
    let alive = kill_at_each(&of_tracker, passes_per_point(1), |at| run(&[(FAILPOINT, at.to_owned())]));
    let never: Vec<&String> = alive.iter().filter(|at| at.ends_with(":1")).collect();
    assert!(never.is_empty(), "never died at {never:?}, which the first run passed");
}

/// Runs without kills. Returns the fail points that are passed, with their counts.
fn trail() -> std::collections::BTreeMap<String, u32> {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("trail");
    let (wrong, _) = run(&[("THROUGHLINE_FAILPOINT_TRAIL", file.display().to_string())]);
    assert_eq!(wrong, [""; 0]);
    let mut passed = read(&file);
    passed.remove(LAST);
    passed
}

/// Runs with these variables of the first process. Returns the violations, and true if that process died.
fn run(first: &[Variable]) -> (Vec<String>, bool) {
    let site = Site::new();
    let server = Server::start(first, &[site.settings()]);
    let client = Client::new(server.url());
    client.wait_until_ready();
    let sent = script::play_tickets(&client);
    client.wait_until_settled();
    let mut wrong: Vec<String> = sent.iter().filter_map(|lane| site.wrong(&client, lane)).collect();
    let mut titles = site.sent();
    titles.sort_by_key(ToString::to_string);
    let all = titles.len();
    titles.dedup();
    if titles.len() != all {
        wrong.push(format!("a create was sent twice: {:?}", site.sent()));
    }
    wrong.extend(site.jira.violations());
    (wrong, server.died())
}

/// The number of times that an approval is delivered.
const APPROVALS: usize = 500;

/// Half of them are one press that is delivered again and again, the others are presses of two people, and two processes on one
/// store take them.
#[test]
fn five_hundred_approvals_at_two_processes_create_one_issue() {
    let site = Site::new();
    let database = PostgresTestServer::start();
    let key = site.folder.path().join("instance.key").display().to_string();
    let shared = [site.settings(), (STORE_URL, database.address()), ("THROUGHLINE_INSTANCE_KEY_FILE", key)];
    let servers = [(); 2].map(|()| {
        let server = Server::start(&[], &shared);
        // The first one makes the instance key.
        Client::new(server.url()).wait_until_ready();
        server
    });
    let client = Client::over(servers.iter().map(|server| server.url().to_owned()).collect());
    let (sent, press) = script::ask_for_ticket(&client, "The page is empty");
    let delivered: Mutex<Vec<(String, Value)>> = Mutex::default();
    let deliveries: Vec<(String, Value)> = (0..APPROVALS)
        .map(|n| match n % 4 {
            0 => (format!("ana-{n}"), press("ana")),
            1 => (format!("bob-{n}"), press("bob")),
            _ => ("again".into(), press("ana")),
        })
        .collect();
    run_some_at_once(16, &deliveries, |(key, body)| {
        let answer = client.event(key, body);
        delivered.lock().unwrap().push((key.clone(), answer["reason"].clone()));
    });
    let mut delivered = delivered.into_inner().unwrap();
    assert_eq!(delivered.len(), APPROVALS);
    delivered.sort_by_key(|(key, reason)| (key.clone(), reason.to_string()));
    delivered.dedup();
    let presses = APPROVALS / 2 + 1;
    assert_eq!(delivered.len(), presses, "a press that is delivered again has the same answer");
    let of = |wanted: &str| delivered.iter().filter(|(_, reason)| reason == wanted).count();
    assert_eq!((of("press.applied"), of("press.consumed")), (1, presses - 1));
    client.wait_until_settled();
    assert_eq!(site.wrong(&client, &sent), None);
    assert_eq!(site.sent().len(), 1, "creates that were sent");
    assert_eq!(site.jira.violations(), [""; 0]);
}
