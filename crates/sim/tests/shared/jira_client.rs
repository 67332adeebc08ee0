//! A Jira over the network: what a scenario asks of its project, the tracker that works in it, and what is in it afterwards.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use throughline_engine::data::effect::{Attempt, IssueChange};
use throughline_engine::data::ticket::Item;
use throughline_engine::retry::Guarantee;
use throughline_engine::{EffectId, Timestamp};
use throughline_fakes::jira::{self, Call, FakeJira, Project};
use throughline_net::Key;
use throughline_testkit::driver::TrackerWorld;
use throughline_trackers::jira::{Credentials, Edition, Jira, JiraConfig, JiraProject};
use throughline_trackers::{Issue, Limits, Tracker};

/// The word for a create that no connection is made for.
const DOWN: &str = "refused";
/// The word for a create that is answered as usual.
const USUAL: &str = "ok";

/// The fault of Jira that a scenario's word for the outcome of a create means.
fn fault(word: &str) -> jira::Fault {
    match word {
        "429" => jira::Fault::TooMany { retry_after: None },
        "5xx" => jira::Fault::Html(503),
        "lost_request" => jira::Fault::LostBefore,
        "5xx_after_apply" => jira::Fault::AppliedThenHtml(502),
        "lost_reply" => jira::Fault::AppliedThenLost,
        "rejected" => {
            let errors = serde_json::json!({"labels": "The tracker does not take this value"});
            jira::Fault::Status(400, serde_json::json!({"errorMessages": [], "errors": errors}))
        }
        other => panic!("Jira has no {other:?}"),
    }
}

/// The project that a scenario asks for. What no row of a workflow asks for is not read.
fn project(given: &TrackerWorld) -> Project {
    let read = TrackerWorld {
        project: given.project.clone(),
        required: given.required.clone(),
        fail: given.fail.clone(),
        idempotent: given.idempotent,
        ..TrackerWorld::default()
    };
    assert_eq!(*given, read, "a tracker with more settings than are read here");
    let mut project = Project::company(&given.project);
    let kinds: Vec<String> = project.types.iter().map(|kind| kind.name.clone()).collect();
    for (kind, field) in kinds.iter().flat_map(|kind| given.required.iter().map(move |field| (kind, field))) {
        project.field(kind, field).required = true;
    }
    project
}

/// A site, and the clock that it is told the time of.
pub(crate) struct JiraClient {
    pub(crate) fake: FakeJira,
    project: String,
    fates: Arc<Mutex<VecDeque<String>>>,
    now: Arc<AtomicI64>,
    /// Its side of the network, which ends with it.
    _vendor: tokio::runtime::Runtime,
}

/// An issue as people see it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeenIssue {
    pub(crate) key: String,
    pub(crate) title: String,
    pub(crate) parent: Option<String>,
    pub(crate) comments: Vec<String>,
    pub(crate) closed: bool,
}

impl JiraClient {
    /// Starts a site with the project of a scenario.
    pub(crate) fn start(given: &TrackerWorld) -> Self {
        let vendor = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let vendor = vendor.unwrap();
        let now = Arc::new(AtomicI64::new(0));
        let told = now.clone();
        let clock: throughline_fakes::Clock = Arc::new(move || told.load(Ordering::Relaxed));
        let fake = vendor.block_on(FakeJira::start(clock)).unwrap();
        fake.project(project(given));
        assert!(given.fail.iter().all(|fault| fault.on == "create" && fault.item.is_none()), "{given:?}");
        let fates = given.fail.iter().map(|fault| fault.how.clone()).collect();
        let (project, fates) = (given.project.clone(), Arc::new(Mutex::new(fates)));
        Self { fake, project, fates, now, _vendor: vendor }
    }

    pub(crate) fn set_time(&self, now: Timestamp) {
        self.now.store(now.0, Ordering::Relaxed);
    }

    /// Forgets the outcomes of creates that are still to come.
    pub(crate) fn forget_fates(&self) {
        self.fates.lock().unwrap().clear();
    }

    /// The tracker that works there. A create whose outcome is a refused connection goes to an address that nobody listens at.
    pub(crate) fn tracker(&self) -> Arc<dyn Tracker> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let nobody = format!("http://{}", listener.local_addr().unwrap());
        Arc::new(Fated {
            up: self.at(self.fake.url()),
            down: self.at(nobody),
            fake: self.fake.clone(),
            fates: self.fates.clone(),
        })
    }

    fn at(&self, base_url: String) -> Jira {
        let token = Key::parse(FakeJira::TOKEN).unwrap();
        let config = JiraConfig {
            base_url,
            allow_loopback: true,
            edition: Edition::Cloud,
            credentials: Credentials::ApiToken { email: FakeJira::EMAIL.into(), token },
            marker: true,
            bulk: false,
            limits: Limits { between_writes: Duration::ZERO, ..Limits::default() },
            projects: [(self.project.clone(), JiraProject::default())].into(),
        };
        Jira::new([("sim".to_owned(), config)]).unwrap()
    }

    // ---- what is in it ----

    /// The issues of the project, oldest first.
    pub(crate) fn issues(&self) -> Vec<SeenIssue> {
        let seen = |issue: &jira::Issue| SeenIssue {
            key: issue.key.clone(),
            title: issue.fields["summary"].as_str().unwrap_or_default().to_owned(),
            parent: issue.parent().map(str::to_owned),
            comments: issue.comments.iter().map(|comment| comment.text.clone()).collect(),
            closed: issue.closed,
        };
        self.fake.issues(&self.project).iter().map(seen).collect()
    }

    /// The changes that people see: comments, links and states.
    pub(crate) fn changes(&self) -> usize {
        let of = |issue: jira::Issue| issue.comments.len() + issue.links.len() + usize::from(issue.closed);
        self.fake.issues(&self.project).into_iter().map(of).sum()
    }

    /// Checks that no effect made two issues, that nothing was created without one, and that each create was sent once but
    /// for those that were refused.
    pub(crate) fn check_creates(&self) {
        let mut marks = BTreeSet::new();
        for issue in self.fake.issues(&self.project) {
            let labels = issue.fields["labels"].as_array().cloned().unwrap_or_default();
            let marked: Vec<String> = labels
                .iter()
                .filter_map(|label| label.as_str()?.strip_prefix("throughline-").map(str::to_owned))
                .collect();
            let [mark] = &marked[..] else { panic!("{} has {marked:?}", issue.key) };
            assert!(marks.insert(mark.clone()), "{} is the second of {mark}", issue.key);
            assert_eq!(issue.properties["throughline.effect"]["id"], mark.as_str(), "{}", issue.key);
        }
        let mut sent: BTreeMap<String, usize> = BTreeMap::new();
        for call in self.fake.calls().iter().filter(|call| is_create(call) && call.status != 400) {
            *sent.entry(call.body["properties"].to_string()).or_default() += 1;
        }
        assert!(sent.values().all(|times| *times == 1), "{sent:?}");
        assert_eq!(self.fake.violations(), [""; 0]);
    }
}

/// True for a call that creates an issue.
fn is_create(call: &Call) -> bool {
    call.method == "POST" && call.path.ends_with("/issue")
}

/// The tracker, with the outcomes that a scenario has for its creates.
struct Fated {
    up: Jira,
    down: Jira,
    fake: FakeJira,
    fates: Arc<Mutex<VecDeque<String>>>,
}

#[async_trait]
impl Tracker for Fated {
    fn guarantee(&self) -> Guarantee {
        self.up.guarantee()
    }

    async fn check(&self, tenant: &str, project: &str, by: Option<&str>, items: &[Item]) -> Attempt<()> {
        self.up.check(tenant, project, by, items).await
    }

    async fn create(
        &self,
        tenant: &str,
        project: &str,
        effect: &EffectId,
        item: &Item,
        parent: Option<&str>,
    ) -> Attempt<Issue> {
        let fate = self.fates.lock().unwrap().pop_front();
        let to = match fate.as_deref() {
            None | Some(USUAL) => &self.up,
            Some(DOWN) => &self.down,
            Some(word) => {
                self.fake.fault("POST", "/issue", fault(word));
                &self.up
            }
        };
        to.create(tenant, project, effect, item, parent).await
    }

    async fn update(
        &self,
        tenant: &str,
        project: &str,
        by: Option<&str>,
        effect: &EffectId,
        key: &str,
        change: &IssueChange,
    ) -> Attempt<()> {
        self.up.update(tenant, project, by, effect, key, change).await
    }

    async fn seek(&self, tenant: &str, project: &str, marker: &EffectId) -> Attempt<Vec<Issue>> {
        self.up.seek(tenant, project, marker).await
    }

    async fn find(&self, tenant: &str, project: &str, by: Option<&str>, key: &str) -> Attempt<Issue> {
        self.up.find(tenant, project, by, key).await
    }
}
