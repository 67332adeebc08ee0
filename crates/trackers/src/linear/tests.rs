//! The adapter against the fake of Linear: the conformance suite, and below it the rules that are Linear's own.

mod issues;
mod requests;

use std::sync::Arc;

use async_trait::async_trait;
use throughline_engine::Language;
use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::ticket::{Item, ItemType, Part};
use throughline_fakes::linear::{self as fake, FakeLinear};
use throughline_fakes::system_clock;
use throughline_net::Key;

use super::*;
use crate::Tracker;
use crate::conformance::{Subject, TENANT, applied, sound};

/// The team of the project of the suite.
const TEAM: &str = "DEMO";

/// Two workspaces, of two tenants, with the adapter in front of both.
struct Sites {
    site: FakeLinear,
    other: FakeLinear,
    tracker: Arc<Linear>,
}

fn settings(site: &FakeLinear) -> LinearConfig {
    let only = |who: &str| vec![who.to_owned()];
    let project = || LinearProject {
        type_labels: [(ItemType::Bug, "bug".to_owned())].into(),
        ..LinearProject::default()
    };
    let projects = [
        ("DEMO", project()),
        ("GUARD", LinearProject { create: only("user:ana"), ..project() }),
        // Its team has another key.
        ("PRIV", LinearProject { team: Some("SEC".into()), browse: only("user:ana"), ..project() }),
        ("OLD", project()),
        ("BARE", LinearProject { type_labels: [(ItemType::Story, "story".to_owned())].into(), ..project() }),
        ("GONE", project()),
        ("UNSEEN", project()),
        ("HID", LinearProject { hidden: true, ..project() }),
    ];
    LinearConfig {
        base_url: site.url(),
        allow_loopback: true,
        token: Key::parse(FakeLinear::TOKEN).unwrap(),
        at_once: 4,
        projects: projects.map(|(key, project)| (key.to_owned(), project)).into(),
    }
}

async fn site() -> FakeLinear {
    let site = FakeLinear::start(system_clock()).await.unwrap();
    for key in [TEAM, "GUARD", "SEC", "BARE", "HID", "OTHER"] {
        site.team(fake::Team::new(key));
    }
    site.team(fake::Team { retired: true, ..fake::Team::new("OLD") });
    site.team(fake::Team { visible: false, ..fake::Team::new("UNSEEN") });
    for (display_name, name) in [("ana", "Ana Sousa"), ("bob", "Bob Stone"), ("eve", "Eve Adams")] {
        site.person(fake::Person::new(display_name, name));
    }
    site.person(fake::Person { assignable: false, ..fake::Person::new("robot", "Robot") });
    site.person(fake::Person { active: false, ..fake::Person::new("gus", "Gus Gone") });
    site.label(fake::Label { group: true, ..fake::Label::new("Kind") });
    for name in ["Epic", "Bug"] {
        site.label(fake::Label { parent: Some("Kind".into()), ..fake::Label::new(name) });
    }
    site.label(fake::Label::new("sso"));
    site.label(fake::Label { team: Some("OTHER".into()), ..fake::Label::new("theirs") });
    site
}

impl Sites {
    async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// Sites whose settings are changed.
    async fn with(change: impl Fn(&mut LinearConfig)) -> Self {
        let (site, other) = (self::site().await, self::site().await);
        let config = |site: &FakeLinear| {
            let mut config = settings(site);
            change(&mut config);
            config
        };
        let sites = [(TENANT.to_owned(), config(&site)), ("globex".to_owned(), config(&other))];
        let tracker = Arc::new(Linear::new(sites).unwrap());
        Self { site, other, tracker }
    }

    fn of(&self, tenant: &str) -> &FakeLinear {
        if tenant == TENANT { &self.site } else { &self.other }
    }

    fn issue(&self, key: &str) -> fake::Issue {
        self.site.issue(&key.replace("PRIV-", "SEC-")).unwrap()
    }

    async fn check(&self, items: &[Item]) -> Attempt<()> {
        self.tracker.check(TENANT, "DEMO", Some("user:ana"), items).await
    }

    async fn create(&self, effect: &str, item: &Item) -> Attempt<Issue> {
        self.tracker.create(TENANT, "DEMO", &effect.into(), item, None).await
    }

    async fn update(&self, effect: &str, key: &str, change: IssueChange) -> Attempt<()> {
        self.tracker.update(TENANT, "DEMO", None, &effect.into(), key, &change).await
    }

    async fn find(&self, key: &str) -> Attempt<Issue> {
        self.tracker.find(TENANT, "DEMO", None, key).await
    }

    async fn seek(&self, effect: &str) -> Vec<Issue> {
        applied(self.tracker.seek(TENANT, "DEMO", &effect.into()).await)
    }

    /// The requests that asked for a field at the top.
    fn calls(&self, field: &str) -> Vec<fake::Call> {
        let fits = |call: &fake::Call| call.fields == [field];
        self.site.calls().into_iter().filter(fits).collect()
    }

    /// The requests that write.
    fn writes(&self) -> usize {
        self.site.calls().iter().filter(|call| call.query.starts_with("mutation")).count()
    }
}

#[async_trait]
impl Subject for Sites {
    fn tracker(&self) -> Arc<dyn Tracker> {
        self.tracker.clone()
    }

    fn project(&self) -> &str {
        "DEMO"
    }

    fn guarded(&self) -> (&str, &str) {
        ("GUARD", "user:ana")
    }

    fn private(&self) -> (&str, &str) {
        ("PRIV", "user:ana")
    }

    async fn count(&self, tenant: &str) -> usize {
        self.of(tenant).issues(TEAM).len()
    }

    async fn comments(&self, tenant: &str, key: &str) -> Vec<String> {
        let issue = self.of(tenant).issue(&key.replace("PRIV-", "SEC-"));
        issue.map(|issue| issue.comments).unwrap_or_default()
    }

    async fn links(&self, tenant: &str, key: &str) -> Vec<String> {
        let issue = self.of(tenant).issue(&key.replace("PRIV-", "SEC-"));
        let relations = issue.map(|issue| issue.relations).unwrap_or_default();
        relations.into_iter().map(|(_, key)| key.replace("SEC-", "PRIV-")).collect()
    }

    fn lose_next_answer(&self) -> bool {
        self.site.fault("issueCreate", fake::Fault::AppliedThenLost);
        true
    }
}

crate::tracker_conformance!(Sites::new().await);

/// Every request of the suite is one that Linear's schema has, and so is every answer of the fake.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs graphql, from npm, and Linear's schema: cargo xtask peers"]
#[expect(clippy::disallowed_methods, reason = "the program is the machine's")]
#[expect(clippy::print_stderr, reason = "nobody should take a skipped test for a passed one")]
async fn every_request_is_as_published() {
    let schema = throughline_fakes::telegram::specs().join("linear/schema.graphql");
    if !schema.exists() {
        eprintln!("skipped: there is no {}", schema.display());
        return;
    }
    let description = std::env::var("THROUGHLINE_LINEAR_SDK").expect("THROUGHLINE_LINEAR_SDK is named");
    let made = std::cell::RefCell::new(Vec::new());
    crate::tracker_conformance!(in_turn {
        let sites = Sites::new().await;
        made.borrow_mut().push(sites.site.clone());
        sites
    })
    .await;
    let looked_over = Sites::new().await;
    looked_over.tracker.examine().await;
    made.borrow_mut().push(looked_over.site.clone());
    let calls = made.take().into_iter().flat_map(|site| site.calls());
    let told = |call: fake::Call| {
        let fake::Call { query, operation, variables, answer, .. } = call;
        serde_json::json!({"query": query, "operation": operation, "variables": variables, "answer": answer})
    };
    let requests: Vec<_> = calls.map(told).collect();
    let names = |field: &str| requests.iter().any(|request| request["operation"] == field);
    let all = ["Viewer", "Team", "States", "Labels", "Users", "Issue", "Relations"];
    assert!(all.iter().all(|name| names(name)), "each request was made");
    let file = std::env::temp_dir().join(format!("linear-{}.json", std::process::id()));
    std::fs::write(&file, serde_json::Value::from(requests).to_string()).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../fakes/tests/peers/linear_schema.mjs");
    let mut node = tokio::process::Command::new("node");
    let ended = node.arg(script).arg(description).arg(schema).arg(&file).output().await.unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(ended.status.success() && ended.stdout.starts_with(b"well"), "{ended:?}");
}

/// The text of a refusal.
fn refusal<T: std::fmt::Debug>(attempt: Attempt<T>) -> String {
    match attempt {
        Attempt::Rejected { text, .. } => text.text(Language::En),
        other => panic!("expected rejected, got {other:?}"),
    }
}

fn with(part: Part, text: &str) -> Item {
    let mut item = sound("With");
    item.fields.insert(part, text.into());
    item
}
