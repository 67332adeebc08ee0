//! A fake of Linear's GraphQL API for issues: teams, labels, people, comments, links and refusals.
//!
//! It reads GraphQL as it is written, refuses fields that Linear does not have, and shows all of those that Linear's own
//! client asks of an issue.
//!
//! ```no_run
//! # async fn example() {
//! use throughline_fakes::{linear::{FakeLinear, Team}, system_clock};
//! let linear = FakeLinear::start(system_clock()).await.unwrap();
//! linear.team(Team::new("ENG"));
//! // … a client with the address linear.url() and FakeLinear::TOKEN creates an issue …
//! assert_eq!(linear.issues("ENG").len(), 1);
//! # }
//! ```

mod answer;
mod document;
mod execute;
mod filter;
mod mutations;
mod nodes;
mod root;
mod state;
mod wire;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::net::TcpListener;

use crate::Clock;
use state::{Relation, World};

pub use state::{Issue, Label, Person, Team};

/// A fault of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Refuses the request, because too many were made.
    Limited {
        /// The text of the header `Retry-After`, which is left out if `None`.
        retry_after: Option<String>,
        /// The time at which there are more, in milliseconds since 1970; headers tell it unless `None`.
        reset: Option<i64>,
    },
    /// Answers with this status and body. The request has no effect.
    Status(u16, Value),
    /// Answers with a page of a proxy. The request has no effect.
    Html(u16),
    /// Closes the connection without an answer. The request has its effect.
    AppliedThenLost,
    /// Answers with a page of a proxy. The request has its effect.
    AppliedThenHtml(u16),
    /// Answers with this status and body. The request has its effect.
    AppliedThenStatus(u16, Value),
    /// Closes the connection without an answer. The request has no effect.
    LostBefore,
    /// Closes the connection without an answer. The effect of the request comes with [`FakeLinear::land_late`].
    LateApply,
}

/// A request in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The time, in milliseconds since 1970.
    pub at: i64,
    /// The names of the fields that were asked for at the top: `issueCreate`.
    pub fields: Vec<String>,
    /// The text of the document.
    pub query: String,
    /// The name of the operation.
    pub operation: Option<String>,
    /// The variables.
    pub variables: Value,
    /// The HTTP status of the answer, or 0 if there was none.
    pub status: u16,
    /// The body of the answer, or null if it was no JSON.
    pub answer: Value,
}

/// A fault that waits for a request.
struct PendingFault {
    field: String,
    fault: Fault,
}

struct Shared {
    clock: Clock,
    site: String,
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

    fn take_fault(&self, fields: &[String]) -> Option<Fault> {
        let mut faults = lock(&self.faults);
        let at = faults.iter().position(|armed| fields.contains(&armed.field))?;
        faults.remove(at).map(|armed| armed.fault)
    }
}

/// A running fake. It ends with the runtime it was started in.
#[derive(Clone)]
pub struct FakeLinear {
    shared: Arc<Shared>,
}

impl FakeLinear {
    /// The personal API key of the account.
    pub const TOKEN: &str = "lin_api_ExampleKeyOfTheAccount1A2B3C4D5E6F7G8H";
    /// The display name of the account.
    pub const NAME: &str = "maro-bot";

    /// Starts a workspace without teams on a free loopback port.
    ///
    /// # Errors
    /// Fails if no port can be listened on.
    pub async fn start(clock: Clock) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let site = format!("http://{}", listener.local_addr()?);
        let world = World { people: vec![Person::new(Self::NAME, "Maro")], ..World::default() };
        let shared = Arc::new(Shared {
            clock,
            site,
            world: Mutex::new(world),
            token: Mutex::new(Self::TOKEN.into()),
            journal: Mutex::default(),
            faults: Mutex::default(),
        });
        wire::serve(listener, shared.clone());
        Ok(Self { shared })
    }

    /// Returns the address of the API without `/graphql`.
    #[must_use]
    pub fn url(&self) -> String {
        self.shared.site.clone()
    }

    // ---- configuration ----

    /// Adds a team.
    pub fn team(&self, team: Team) {
        self.shared.world().teams.push(team);
    }

    /// Changes a team. Panics if there is none with the key.
    pub fn change_team(&self, key: &str, change: impl FnOnce(&mut Team)) {
        let mut world = self.shared.world();
        let at = world.team_at(key).unwrap_or_else(|| panic!("there is no team {key}"));
        change(&mut world.teams[at]);
    }

    /// Adds a person.
    pub fn person(&self, person: Person) {
        self.shared.world().people.push(person);
    }

    /// Adds a label.
    pub fn label(&self, label: Label) {
        self.shared.world().labels.push(label);
    }

    /// Changes the token. The old one is refused from then on.
    pub fn rotate_token(&self, token: &str) {
        *lock(&self.shared.token) = token.into();
    }

    /// Lets the next request fail that asks for a field at the top.
    pub fn fault(&self, field: &str, fault: Fault) {
        lock(&self.shared.faults).push_back(PendingFault { field: field.into(), fault });
    }

    /// Performs the requests that [`Fault::LateApply`] held back.
    pub fn land_late(&self) {
        let mut world = self.shared.world();
        while let Some(asked) = world.late.pop_front() {
            drop(execute::run(&mut world, &asked, self.shared.now()));
        }
    }

    // ---- what people do in Linear ----

    /// Moves an issue to another team. Returns the key that it has there. Panics if there is none with the key.
    pub fn move_to(&self, identifier: &str, team: &str) -> String {
        let mut world = self.shared.world();
        let at = Self::place(&world, identifier);
        let to = world.team_at(team).unwrap_or_else(|| panic!("there is no team {team}"));
        let number = world.next_number(to);
        let issue = &mut world.issues[at];
        issue.former.push(identifier.into());
        (issue.team, issue.number) = (to, number);
        world.identifier(at)
    }

    /// Archives an issue. Panics if there is none with the key.
    pub fn archive(&self, identifier: &str) {
        let mut world = self.shared.world();
        let at = Self::place(&world, identifier);
        world.issues[at].archived = true;
    }

    /// Puts an issue into the trash. Panics if there is none with the key.
    pub fn trash(&self, identifier: &str) {
        let mut world = self.shared.world();
        let at = Self::place(&world, identifier);
        world.issues[at].trashed = true;
    }

    /// Links an issue to another, as a person does. Panics if there is none with a key.
    pub fn relate(&self, identifier: &str, kind: &str, other: &str) {
        let mut world = self.shared.world();
        let (issue, related) = (Self::place(&world, identifier), Self::place(&world, other));
        let id = world.next_id();
        let created = self.shared.now();
        world.relations.push(Relation { id, kind: kind.into(), issue, related, created });
    }

    fn place(world: &World, identifier: &str) -> usize {
        world.issue_at(identifier).unwrap_or_else(|| panic!("there is no issue {identifier}"))
    }

    // ---- observations ----

    /// Returns the issues of a team, oldest first.
    #[must_use]
    pub fn issues(&self, team: &str) -> Vec<Issue> {
        let world = self.shared.world();
        let of = |at: &usize| world.teams[world.issues[*at].team].key == team;
        (0..world.issues.len()).filter(of).map(|at| world.seen(at)).collect()
    }

    /// Returns an issue.
    #[must_use]
    pub fn issue(&self, identifier: &str) -> Option<Issue> {
        let world = self.shared.world();
        world.issue_at(identifier).map(|at| world.seen(at))
    }

    /// Returns all requests, in order.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        lock(&self.shared.journal).clone()
    }
}

#[cfg(test)]
mod tests;
