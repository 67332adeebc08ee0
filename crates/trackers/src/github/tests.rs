//! The adapter against the fake of GitHub: the conformance suite, and below it the rules that are GitHub's own.

mod issues;
mod requests;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use throughline_engine::Language;
use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::ticket::{Item, ItemType, Part};
use throughline_fakes::github::{self as fake, FakeGithub};
use throughline_fakes::system_clock;
use throughline_net::Key;

use super::*;
use crate::conformance::{Subject, TENANT, applied, sound};
use crate::{Limits, Tracker};

/// The repository of the project of the suite.
const REPOSITORY: &str = "acme/demo";

/// Two sites, of two tenants, with the adapter in front of both.
struct Sites {
    site: FakeGithub,
    other: FakeGithub,
    tracker: Arc<Github>,
}

fn settings(site: &FakeGithub) -> GithubConfig {
    let only = |who: &str| vec![who.to_owned()];
    let project = |name: &str| GithubProject {
        repository: format!("acme/{name}"),
        type_labels: [(ItemType::Bug, "bug".to_owned())].into(),
        ..GithubProject::default()
    };
    let projects = [
        ("DEMO", project("demo")),
        ("GUARD", GithubProject { create: only("user:ana"), ..project("guard") }),
        ("PRIV", GithubProject { browse: only("user:ana"), ..project("priv") }),
        ("OLD", project("old")),
        ("MUTE", project("mute")),
        ("GONE", project("gone")),
        ("HID", GithubProject { hidden: true, ..project("hid") }),
    ];
    GithubConfig {
        base_url: site.url(),
        allow_loopback: true,
        token: Key::parse(FakeGithub::TOKEN).unwrap(),
        marker: true,
        limits: Limits { between_writes: Duration::ZERO, ..Limits::default() },
        projects: projects.map(|(key, project)| (key.to_owned(), project)).into(),
    }
}

async fn site() -> FakeGithub {
    let site = FakeGithub::start(system_clock()).await.unwrap();
    for name in ["acme/demo", "acme/guard", "acme/priv", "acme/hid"] {
        site.repository(fake::Repository::new(name));
    }
    site.repository(fake::Repository { archived: true, ..fake::Repository::new("acme/old") });
    site.repository(fake::Repository { has_issues: false, ..fake::Repository::new("acme/mute") });
    for login in ["ana", "bob", "eve"] {
        site.person(login);
    }
    site
}

/// The repository and the number of a key.
fn place(key: &str) -> (String, u64) {
    let (project, number) = key.rsplit_once('-').unwrap();
    (format!("acme/{}", project.to_lowercase()), number.parse().unwrap())
}

impl Sites {
    async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// Sites whose settings are changed.
    async fn with(change: impl Fn(&mut GithubConfig)) -> Self {
        let (site, other) = (self::site().await, self::site().await);
        let config = |site: &FakeGithub| {
            let mut config = settings(site);
            change(&mut config);
            config
        };
        let sites = [(TENANT.to_owned(), config(&site)), ("globex".to_owned(), config(&other))];
        let tracker = Arc::new(Github::new(sites).unwrap());
        Self { site, other, tracker }
    }

    fn of(&self, tenant: &str) -> &FakeGithub {
        if tenant == TENANT { &self.site } else { &self.other }
    }

    fn issue(&self, tenant: &str, key: &str) -> Option<fake::Issue> {
        let (repository, number) = place(key);
        self.of(tenant).issue(&repository, number)
    }

    async fn check(&self, items: &[Item]) -> Attempt<()> {
        self.tracker.check(TENANT, "DEMO", Some("user:ana"), items).await
    }

    async fn create(&self, effect: &str, item: &Item) -> Attempt<Issue> {
        self.tracker.create(TENANT, "DEMO", &effect.into(), item, None).await
    }

    async fn create_under(&self, effect: &str, item: &Item, parent: &str) -> Attempt<Issue> {
        self.tracker.create(TENANT, "DEMO", &effect.into(), item, Some(parent)).await
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

    /// The calls with an HTTP method whose path ends in this.
    fn calls(&self, method: &str, end: &str) -> Vec<fake::Call> {
        let fits = |call: &fake::Call| call.method == method && call.path.ends_with(end);
        self.site.calls().into_iter().filter(fits).collect()
    }
}

impl Drop for Sites {
    /// Whatever a test did, the published document allows it.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!([self.site.violations(), self.other.violations()].concat(), [""; 0]);
        }
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
        self.of(tenant).issues(REPOSITORY).len()
    }

    async fn comments(&self, tenant: &str, key: &str) -> Vec<String> {
        let comments = self.issue(tenant, key).map(|issue| issue.comments).unwrap_or_default();
        let shown = |body: &str| body.split("\n\n<!--").next().unwrap_or_default().to_owned();
        comments.iter().map(|comment| shown(&comment.body)).collect()
    }

    async fn links(&self, tenant: &str, key: &str) -> Vec<String> {
        let body = self.issue(tenant, key).map(|issue| issue.body).unwrap_or_default();
        let named = |line: &str| {
            let (repository, number) = line.strip_prefix("Relates to ")?.split_once('#')?;
            let project = repository.strip_prefix("acme/").unwrap_or("demo").to_uppercase();
            Some(format!("{project}-{number}"))
        };
        body.lines().filter_map(named).collect()
    }

    fn lose_next_answer(&self) -> bool {
        self.site.fault("POST", "/issues", fake::Fault::AppliedThenLost);
        true
    }
}

crate::tracker_conformance!(Sites::new().await);

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
