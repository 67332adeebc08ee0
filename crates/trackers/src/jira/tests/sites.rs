//! The sites of the tests: a fake of either edition, with the adapter in front of it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::ticket::Item;
use throughline_fakes::jira::{self as fake, FakeJira};
use throughline_fakes::system_clock;
use throughline_net::Key;

#[path = "../../../../fakes/tests/peers/prism.rs"]
mod prism;

use super::super::{Credentials, Edition, Jira, JiraConfig, JiraProject};
use crate::conformance::{Subject, TENANT};
use crate::{Issue, Limits, Tracker};

/// Two sites, of two tenants, with the adapter in front of both.
pub(super) struct Sites {
    pub(super) site: FakeJira,
    other: FakeJira,
    pub(super) tracker: Arc<Jira>,
    /// The process before the first site.
    proxy: Option<tokio::process::Child>,
}

fn settings(edition: Edition, site: &FakeJira) -> JiraConfig {
    let only = |who: &str| vec![who.to_owned()];
    let project = JiraProject::default;
    let projects = [
        ("DEMO", project()),
        ("GUARD", JiraProject { create: only("user:ana"), ..project() }),
        ("PRIV", JiraProject { browse: only("user:ana"), ..project() }),
        ("OLD", project()),
        ("GONE", project()),
        ("HID", JiraProject { hidden: true, ..project() }),
    ];
    let token = Key::parse(FakeJira::TOKEN).unwrap();
    JiraConfig {
        base_url: site.url(),
        allow_loopback: true,
        edition,
        credentials: match edition {
            Edition::Cloud => Credentials::ApiToken { email: FakeJira::EMAIL.into(), token },
            Edition::DataCenter => Credentials::Bearer(token),
        },
        marker: true,
        bulk: false,
        limits: Limits { between_writes: Duration::ZERO, ..Limits::default() },
        projects: projects.map(|(key, project)| (key.to_owned(), project)).into(),
    }
}

/// The edition of the fake.
pub(in super::super) fn of_fake(edition: Edition) -> fake::Edition {
    match edition {
        Edition::Cloud => fake::Edition::Cloud,
        Edition::DataCenter => fake::Edition::DataCenter,
    }
}

async fn site(edition: Edition) -> FakeJira {
    let edition = of_fake(edition);
    let site = FakeJira::start_as(edition, system_clock()).await.unwrap();
    for key in ["DEMO", "GUARD", "PRIV", "HID"] {
        site.project(edition.project(key));
    }
    site.project(fake::Project { archived: true, ..edition.project("OLD") });
    for (id, name) in [("a-ana", "ana"), ("a-bob", "bob"), ("a-eve", "eve")] {
        site.person(id, name, true);
    }
    site.person("a-otto", "otto", false);
    site
}

impl Sites {
    pub(super) async fn new(edition: Edition) -> Self {
        Self::with(edition, |_| {}).await
    }

    /// Sites of which the first is behind a proxy that refuses what is not as published.
    #[expect(clippy::disallowed_methods, reason = "the program is the machine's")]
    pub(super) async fn behind_prism() -> Option<Self> {
        let mut sites = Self::new(Edition::Cloud).await;
        let program = std::env::var("THROUGHLINE_PRISM").expect("THROUGHLINE_PRISM names its program");
        let (proxy, url) = prism::prism(&program, &sites.site.url()).await?;
        let config =
            |site: &FakeJira, base_url: String| JiraConfig { base_url, ..settings(Edition::Cloud, site) };
        let opened = [
            (TENANT.to_owned(), config(&sites.site, url)),
            ("globex".to_owned(), config(&sites.other, sites.other.url())),
        ];
        sites.tracker = Arc::new(Jira::new(opened).unwrap());
        sites.proxy = Some(proxy);
        Some(sites)
    }

    /// Sites whose settings are changed.
    pub(super) async fn with(edition: Edition, change: impl Fn(&mut JiraConfig)) -> Self {
        let (site, other) = (self::site(edition).await, self::site(edition).await);
        let config = |site: &FakeJira| {
            let mut config = settings(edition, site);
            change(&mut config);
            config
        };
        let sites = [(TENANT.to_owned(), config(&site)), ("globex".to_owned(), config(&other))];
        let tracker = Arc::new(Jira::new(sites).unwrap());
        Self { site, other, tracker, proxy: None }
    }

    fn of(&self, tenant: &str) -> &FakeJira {
        if tenant == TENANT { &self.site } else { &self.other }
    }

    pub(super) async fn check(&self, items: &[Item]) -> Attempt<()> {
        self.tracker.check(TENANT, "DEMO", Some("user:ana"), items).await
    }

    pub(super) async fn create(&self, effect: &str, item: &Item) -> Attempt<Issue> {
        self.tracker.create(TENANT, "DEMO", &effect.into(), item, None).await
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
        self.of(tenant).issues("DEMO").len()
    }

    async fn comments(&self, tenant: &str, key: &str) -> Vec<String> {
        let issue = self.of(tenant).issue(key);
        issue
            .map(|issue| issue.comments.into_iter().map(|comment| comment.text).collect())
            .unwrap_or_default()
    }

    async fn links(&self, tenant: &str, key: &str) -> Vec<String> {
        let issue = self.of(tenant).issue(key);
        issue.map(|issue| issue.links.into_iter().map(|(_, other)| other).collect()).unwrap_or_default()
    }

    fn lose_next_answer(&self) -> bool {
        self.site.fault("POST", "/issue", fake::Fault::AppliedThenLost);
        true
    }
}
