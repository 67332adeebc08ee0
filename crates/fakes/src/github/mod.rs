//! A fake of GitHub's REST API for issues: repositories, labels, comments, sub-issues, search and refusals.
//!
//! ```no_run
//! # async fn example() {
//! use throughline_fakes::{github::{FakeGithub, Repository}, system_clock};
//! let github = FakeGithub::start(system_clock()).await.unwrap();
//! github.repository(Repository::new("acme/web"));
//! // … a client with the address github.url() and FakeGithub::TOKEN creates an issue …
//! assert_eq!(github.issues("acme/web").len(), 1);
//! # }
//! ```

mod activity;
mod answer;
mod body;
mod issues;
mod labels;
mod routes;
mod schema;
mod search;
mod shown;
mod state;
mod sub_issues;
mod wire;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::net::TcpListener;

use crate::Clock;
use state::{Former, World};

pub use state::{Comment, Issue, Repository, Role};

/// A fault of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Refuses the call with status 429.
    TooMany {
        /// The text of the header `Retry-After`, which is left out if `None`.
        retry_after: Option<String>,
    },
    /// Refuses the call with status 403, because the calls of the hour are used up.
    UsedUp {
        /// The time at which there are more, in seconds since 1970.
        reset: i64,
    },
    /// Refuses the call with status 403, because of too many writes in a short time. No header tells the time to wait.
    Secondary,
    /// Answers with this status and body. The call has no effect.
    Status(u16, Value),
    /// Answers with a page of a proxy. The call has no effect.
    Html(u16),
    /// Closes the connection without an answer. The call has its effect.
    AppliedThenLost,
    /// Answers with a page of a proxy. The call has its effect.
    AppliedThenHtml(u16),
    /// Answers 201 with an empty object. The call has its effect.
    AppliedThenEmpty,
    /// Closes the connection without an answer. The call has no effect.
    LostBefore,
    /// Closes the connection without an answer. The effect of the call comes with [`FakeGithub::land_late`].
    LateApply,
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
    clock: Clock,
    world: Mutex<World>,
    token: Mutex<String>,
    journal: Mutex<Vec<Call>>,
    faults: Mutex<VecDeque<PendingFault>>,
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

    fn take_fault(&self, method: &str, path: &str) -> Option<Fault> {
        let mut faults = lock(&self.faults);
        let fits =
            |armed: &PendingFault| armed.method.eq_ignore_ascii_case(method) && path.contains(&armed.path);
        let at = faults.iter().position(fits)?;
        faults.remove(at).map(|armed| armed.fault)
    }
}

/// A running fake. It ends with the runtime it was started in.
#[derive(Clone)]
pub struct FakeGithub {
    shared: Arc<Shared>,
}

impl FakeGithub {
    /// The token of the account.
    pub const TOKEN: &str = "github_pat_11AAAAAAA0ExampleTokenOfTheAccount_1A2B3C4D5E6F";
    /// The login of the account.
    pub const LOGIN: &str = "maro-bot";

    /// Starts a site without repositories on a free loopback port.
    ///
    /// # Errors
    /// Fails if no port can be listened on.
    pub async fn start(clock: Clock) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let site = format!("http://{}", listener.local_addr()?);
        let world = World { site, people: vec![Self::LOGIN.into()], ..World::default() };
        let shared = Arc::new(Shared {
            clock,
            world: Mutex::new(world),
            token: Mutex::new(Self::TOKEN.into()),
            journal: Mutex::default(),
            faults: Mutex::default(),
        });
        wire::serve(listener, shared.clone());
        Ok(Self { shared })
    }

    /// Returns the address of the API, and of the site, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> String {
        self.shared.world().site.clone()
    }

    // ---- configuration ----

    /// Adds a repository, or replaces the one with its name.
    pub fn repository(&self, repository: Repository) {
        let mut world = self.shared.world();
        match world.repository_mut(&repository.name) {
            Some(known) => *known = repository,
            None => world.repositories.push(repository),
        }
    }

    /// Changes a repository. Panics if there is none with the name.
    pub fn change_repository(&self, name: &str, change: impl FnOnce(&mut Repository)) {
        let mut world = self.shared.world();
        change(world.repository_mut(name).unwrap_or_else(|| panic!("there is no repository {name}")));
    }

    /// Renames a repository. Calls of its old name are referred to the new one.
    pub fn rename_repository(&self, name: &str, new: &str) {
        self.change_repository(name, |repository| repository.name = new.into());
        let mut world = self.shared.world();
        for issue in world.issues.iter_mut().filter(|issue| issue.repository == name) {
            issue.repository = new.into();
        }
        world.renamed.push((name.into(), new.into()));
    }

    /// Adds a person.
    pub fn person(&self, login: &str) {
        self.shared.world().people.push(login.into());
    }

    /// Changes the token. The old one is refused from then on.
    pub fn rotate_token(&self, token: &str) {
        *lock(&self.shared.token) = token.into();
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
    }

    // ---- what people do on GitHub ----

    /// Changes an issue as a person does. Panics if there is none with the number.
    pub fn edit(&self, repository: &str, number: u64, change: impl FnOnce(&mut Issue)) {
        let mut world = self.shared.world();
        let at = world.at(repository, number);
        let at = at.unwrap_or_else(|| panic!("there is no issue {repository}#{number}"));
        let (issue, now) = (&mut world.issues[at], self.shared.now());
        issue.updated = now;
        change(issue);
        issue.closed_at = issue.closed.then(|| issue.closed_at.unwrap_or(now));
    }

    /// Opens a pull request. Returns its number.
    pub fn pull_request(&self, repository: &str, title: &str, body: &str) -> u64 {
        let (mut world, now) = (self.shared.world(), self.shared.now());
        let (id, number) = (world.next_id(), world.next_number(repository));
        world.issues.push(Issue {
            id,
            number,
            repository: repository.into(),
            title: title.into(),
            body: body.into(),
            pull_request: true,
            author: "someone".into(),
            created: now,
            updated: now,
            ..Issue::default()
        });
        number
    }

    /// Moves an issue to another repository. Returns its number there.
    pub fn transfer(&self, repository: &str, number: u64, to: &str) -> u64 {
        let mut world = self.shared.world();
        let at = world.at(repository, number);
        let at = at.unwrap_or_else(|| panic!("there is no issue {repository}#{number}"));
        let (id, new) = (world.next_id(), world.next_number(to));
        let issue = &mut world.issues[at];
        (issue.id, issue.repository, issue.number) = (id, to.into(), new);
        world.former.push(Former { repository: repository.into(), number, now: Some(id) });
        new
    }

    /// Deletes an issue.
    pub fn delete(&self, repository: &str, number: u64) {
        let mut world = self.shared.world();
        world.issues.retain(|issue| issue.repository != repository || issue.number != number);
        world.former.push(Former { repository: repository.into(), number, now: None });
    }

    // ---- observations ----

    /// Returns the issues of a repository, oldest first, without its pull requests.
    #[must_use]
    pub fn issues(&self, repository: &str) -> Vec<Issue> {
        let of = |issue: &&Issue| issue.repository == repository && !issue.pull_request;
        self.shared.world().issues.iter().filter(of).cloned().collect()
    }

    /// Returns an issue or a pull request.
    #[must_use]
    pub fn issue(&self, repository: &str, number: u64) -> Option<Issue> {
        let world = self.shared.world();
        world.at(repository, number).map(|at| world.issues[at].clone())
    }

    /// Returns all calls, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        lock(&self.shared.journal).clone()
    }

    /// Returns the violations of the published document so far. Returns none if `THROUGHLINE_GITHUB_OPENAPI` does not name it.
    #[must_use]
    pub fn violations(&self) -> Vec<String> {
        self.calls().into_iter().flat_map(|call| call.violations).collect()
    }
}

#[cfg(test)]
mod tests;
