//! A fake of Jira's REST API: one site with its projects, screens, issues and refusals. It is Jira Cloud, version 3 of the
//! API, or Jira Data Center, version 2 (`edition.rs`).
//!
//! ```no_run
//! # async fn example() {
//! use throughline_fakes::{jira::{FakeJira, Project}, system_clock};
//! let jira = FakeJira::start(system_clock()).await.unwrap();
//! jira.project(Project::company("SHOP"));
//! // … a client with the address jira.url(), FakeJira::EMAIL and FakeJira::TOKEN creates an issue …
//! assert_eq!(jira.issues("SHOP").len(), 1);
//! assert_eq!(jira.violations(), [""; 0]);
//! # }
//! ```

mod activity;
mod adf;
mod answer;
mod edition;
mod issues;
mod meta;
mod oauth;
mod project;
mod routes;
mod schema;
mod search;
mod shown;
mod state;
mod time;
mod values;
mod webhooks;
mod wiki;
mod wire;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;

use crate::Clock;
use oauth::Oauth;
use state::{Person, World};
use webhooks::Target;

pub use edition::Edition;
pub use oauth::OauthGrant;
pub use project::{Field, IssueType, Project};
pub use state::{Comment, Issue};
pub use webhooks::sign;
pub use wiki::live_markup;

/// A fault of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Refuses the call with status 429.
    TooMany {
        /// The text of the header `Retry-After`, which is left out if `None`.
        retry_after: Option<String>,
    },
    /// Refuses the call with this status and body.
    Status(u16, Value),
    /// Answers with a page of a proxy or a login page. The call has no effect.
    Html(u16),
    /// Closes the connection without an answer. The call has its effect.
    AppliedThenLost,
    /// Answers with a page of a proxy. The call has its effect.
    AppliedThenHtml(u16),
    /// Answers 201 with an empty object. The call has its effect.
    AppliedThenNoKey,
    /// Closes the connection without an answer. The call has no effect.
    LostBefore,
    /// Closes the connection without an answer. The effect of the call comes with [`FakeJira::land_late`].
    LateApply,
    /// Answers after a delay in real time. The call has its effect before it.
    Slow(Duration),
}

/// A call in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The time, in milliseconds since 1970.
    pub at: i64,
    /// The HTTP method.
    pub method: String,
    /// The path as called.
    pub path: String,
    /// The parameters of the query.
    pub query: Vec<(String, String)>,
    /// The body, or null if there was none.
    pub body: Value,
    /// The HTTP status of the answer, or 0 if there was none.
    pub status: u16,
    /// The violations of the published document by the call or its answer.
    pub violations: Vec<String>,
}

/// A fault that waits for a call.
struct PendingFault {
    method: String,
    path: String,
    fault: Fault,
}

struct Shared {
    edition: Edition,
    clock: Clock,
    site: String,
    world: Mutex<World>,
    token: Mutex<String>,
    oauth: Mutex<Oauth>,
    journal: Mutex<Vec<Call>>,
    faults: Mutex<VecDeque<PendingFault>>,
    target: Mutex<Option<Target>>,
    /// The statuses of deliveries.
    delivered: Mutex<Vec<u16>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn now(&self) -> i64 {
        (self.clock)()
    }

    fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    fn journal(&self, called: Call) {
        lock(&self.journal).push(called);
    }

    fn take_fault(&self, method: &str, path: &str) -> Option<Fault> {
        let mut faults = lock(&self.faults);
        let at = faults
            .iter()
            .position(|armed| armed.method.eq_ignore_ascii_case(method) && path.contains(&armed.path))?;
        faults.remove(at).map(|armed| armed.fault)
    }
}

/// A running fake. It ends with the runtime it was started in.
#[derive(Clone)]
pub struct FakeJira {
    shared: Arc<Shared>,
}

impl FakeJira {
    /// The address of the service account.
    pub const EMAIL: &str = "maro@acme.example";
    /// The API token of the service account, or its personal access token in Data Center.
    pub const TOKEN: &str = "ATATT3xFfGF0T4JVjdmExampleTokenOfTheServiceAccount=1A2B3C4D";
    /// The account id of the service account, or its key in Data Center.
    pub const ACCOUNT: &str = "557058:f58131cb-b67d-43c7-b30d-6b58d40bd077";

    /// Starts a site of Jira Cloud without projects on a free loopback port.
    ///
    /// # Errors
    /// Fails if no port can be listened on.
    pub async fn start(clock: Clock) -> std::io::Result<Self> {
        Self::start_as(Edition::Cloud, clock).await
    }

    /// Starts a site of an edition without projects on a free loopback port.
    ///
    /// # Errors
    /// Fails if no port can be listened on.
    pub async fn start_as(edition: Edition, clock: Clock) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let site = format!("http://{}", listener.local_addr()?);
        let me = Person {
            account_id: Self::ACCOUNT.into(),
            name: "Maro".into(),
            email: Self::EMAIL.into(),
            active: true,
        };
        let world = World { edition, site: site.clone(), people: vec![me], ..World::default() };
        let shared = Arc::new(Shared {
            edition,
            clock,
            site,
            world: Mutex::new(world),
            token: Mutex::new(Self::TOKEN.into()),
            oauth: Mutex::default(),
            journal: Mutex::default(),
            faults: Mutex::default(),
            target: Mutex::default(),
            delivered: Mutex::default(),
        });
        wire::serve(listener, shared.clone());
        Ok(Self { shared })
    }

    /// Returns the edition that it is.
    #[must_use]
    pub fn edition(&self) -> Edition {
        self.shared.edition
    }

    /// Returns the address of the site, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> String {
        self.shared.site.clone()
    }

    // ---- configuration ----

    /// Adds a project, or replaces the one with its key.
    pub fn project(&self, project: Project) {
        let mut world = self.shared.world();
        match world.projects.iter().position(|one| one.key == project.key) {
            Some(at) => world.projects[at] = project,
            None => world.projects.push(project),
        }
    }

    /// Changes a project. Panics if there is none with the key.
    pub fn change_project(&self, key: &str, change: impl FnOnce(&mut Project)) {
        let mut world = self.shared.world();
        let project = world.projects.iter_mut().find(|project| project.key == key);
        change(project.unwrap_or_else(|| panic!("there is no project {key}")));
    }

    /// Adds a user of the site, or replaces the one with the account id. In Data Center that is the user's key, and the name
    /// to sign in with is the one in lower case.
    pub fn person(&self, account_id: &str, name: &str, active: bool) {
        let email = format!("{}@acme.example", name.to_lowercase().replace(' ', "."));
        let person = Person { account_id: account_id.into(), name: name.into(), email, active };
        let mut world = self.shared.world();
        world.people.retain(|one| one.account_id != account_id);
        world.people.push(person);
    }

    /// Changes the token. The old one is refused from then on.
    pub fn rotate_token(&self, token: &str) {
        *lock(&self.shared.token) = token.into();
    }

    /// Ignores the parent of new issues, or no longer.
    pub fn ignore_parent_on_create(&self, ignore: bool) {
        self.shared.world().ignore_parent = ignore;
    }

    /// Sets the time until a new issue is visible to search, by the fake's clock.
    pub fn index_lag(&self, millis: i64) {
        self.shared.world().index_lag = millis;
    }

    /// Lets the next call fail that has an HTTP method and a text in its path.
    pub fn fault(&self, method: &str, path: &str, fault: Fault) {
        lock(&self.shared.faults).push_back(PendingFault { method: method.into(), path: path.into(), fault });
    }

    /// Performs the calls that [`Fault::LateApply`] held back.
    pub fn land_late(&self) {
        let mut world = self.shared.world();
        for asked in std::mem::take(&mut world.late) {
            let _ = routes::call(&mut world, &asked, self.shared.now());
        }
        self.shared.publish(&mut world);
    }

    // ---- what people do in Jira ----

    /// Changes an issue as a person does. Panics if there is none with the key.
    pub fn edit(&self, key: &str, change: impl FnOnce(&mut Issue)) {
        let (mut world, now) = (self.shared.world(), self.shared.now());
        let by = world.people.iter().find(|person| person.account_id != Self::ACCOUNT);
        let by = by.map_or(Self::ACCOUNT, |person| &person.account_id).to_owned();
        let issue = world.find_mut(key).unwrap_or_else(|| panic!("there is no issue {key}"));
        let before = issue.clone();
        issue.updated = now;
        change(issue);
        if issue.status != before.status {
            issue.closed = issue.status == activity::LAST_STATUS;
        } else if issue.closed != before.closed {
            let status = if issue.closed { activity::LAST_STATUS } else { activity::FIRST_STATUS };
            issue.status = status.into();
        }
        let mut items = issues::differences(&before.fields, &issue.fields);
        items.extend(activity::status_item(&before.status, &issue.status));
        let key = issue.key.clone();
        world.changed("jira:issue_updated", &key, items, &by, now);
        self.shared.publish(&mut world);
    }

    /// Deletes an issue as a person does.
    pub fn delete(&self, key: &str) {
        let mut world = self.shared.world();
        world.delete(key, Self::ACCOUNT, self.shared.now());
        self.shared.publish(&mut world);
    }

    // ---- OAuth ----

    /// Adds an app. Returns its first authorization code.
    #[must_use]
    pub fn oauth_app(&self, client_id: &str, client_secret: &str) -> OauthGrant {
        lock(&self.shared.oauth).add_app(client_id, client_secret)
    }

    /// Ends all access tokens.
    pub fn expire_access_tokens(&self) {
        lock(&self.shared.oauth).expire_all();
    }

    /// Returns the number of refreshes that succeeded.
    #[must_use]
    pub fn refreshes(&self) -> usize {
        lock(&self.shared.oauth).refreshes
    }

    // ---- webhooks ----

    /// Delivers changes to an address from now on, signed if there is a secret.
    pub async fn webhook_to(&self, url: &str, secret: Option<&str>) {
        webhooks::start(&self.shared, url, secret);
    }

    /// Delivers the newest change again, with the same identifier.
    pub fn redeliver(&self) {
        self.shared.redeliver();
    }

    /// Returns the HTTP statuses of the deliveries, in order; 0 for those without an answer.
    #[must_use]
    pub fn deliveries(&self) -> Vec<u16> {
        lock(&self.shared.delivered).clone()
    }

    // ---- observations ----

    /// Returns the issues of a project, oldest first.
    #[must_use]
    pub fn issues(&self, project: &str) -> Vec<Issue> {
        self.shared.world().issues.iter().filter(|issue| issue.project == project).cloned().collect()
    }

    /// Returns an issue.
    #[must_use]
    pub fn issue(&self, key: &str) -> Option<Issue> {
        self.shared.world().find(key).cloned()
    }

    /// Returns all calls, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        lock(&self.shared.journal).clone()
    }

    /// Returns the violations of the published document so far. Returns none if it is not installed.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.calls().into_iter().flat_map(|called| called.violations).collect()
    }
}
