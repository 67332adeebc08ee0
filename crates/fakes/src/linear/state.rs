//! The state of a workspace: teams, people, labels and issues.

use std::collections::VecDeque;

use super::wire::Asked;

/// A team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team {
    /// The key: `ENG`.
    pub key: String,
    /// True if the account may see it.
    pub visible: bool,
    /// True if it is archived.
    pub archived: bool,
    /// True if it is retired.
    pub retired: bool,
}

impl Team {
    /// Returns a team that the account may see.
    #[must_use]
    pub fn new(key: &str) -> Self {
        Self { key: key.into(), visible: true, archived: false, retired: false }
    }
}

/// A person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The name that is shown, of which there is one in a workspace.
    pub display_name: String,
    /// The full name.
    pub name: String,
    /// False if the account is suspended.
    pub active: bool,
    /// False if nothing can be assigned to it.
    pub assignable: bool,
}

impl Person {
    /// Returns a person whom issues can be assigned to.
    #[must_use]
    pub fn new(display_name: &str, name: &str) -> Self {
        Self { display_name: display_name.into(), name: name.into(), active: true, assignable: true }
    }

    pub(super) fn email(&self) -> String {
        format!("{}@acme.example", self.display_name)
    }
}

/// A label, or a group of labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The name.
    pub name: String,
    /// The key of its team; `None` for one of the workspace.
    pub team: Option<String>,
    /// True if it is a group.
    pub group: bool,
    /// The name of its group.
    pub parent: Option<String>,
}

impl Label {
    /// Returns a label of the workspace.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), team: None, group: false, parent: None }
    }
}

/// An issue, as tests see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issue {
    /// The id: a UUID.
    pub id: String,
    /// The key: `ENG-12`.
    pub identifier: String,
    /// The title.
    pub title: String,
    /// The text, in Markdown.
    pub description: String,
    /// The number of its priority, 0 for none.
    pub priority: u64,
    /// The names of its labels.
    pub labels: Vec<String>,
    /// The display name of the person it is assigned to.
    pub assignee: Option<String>,
    /// The type of its state.
    pub state: String,
    /// The key of the issue it is under.
    pub parent: Option<String>,
    /// The texts of its comments, oldest first.
    pub comments: Vec<String>,
    /// The types and keys of the issues it is linked to, oldest first.
    pub relations: Vec<(String, String)>,
}

/// An issue, with indices of what it refers to.
#[derive(Clone, Debug, Default)]
pub(super) struct Stored {
    pub(super) id: String,
    pub(super) team: usize,
    pub(super) number: u64,
    pub(super) former: Vec<String>,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) priority: u64,
    pub(super) labels: Vec<usize>,
    pub(super) assignee: Option<usize>,
    /// Its state among [`STATES`].
    pub(super) state: usize,
    pub(super) parent: Option<usize>,
    pub(super) archived: bool,
    pub(super) trashed: bool,
    pub(super) created: i64,
    pub(super) updated: i64,
}

/// A comment.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    pub(super) id: String,
    pub(super) issue: usize,
    pub(super) body: String,
    pub(super) created: i64,
}

/// A link between two issues.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) issue: usize,
    pub(super) related: usize,
    pub(super) created: i64,
}

/// The states of every team: name and type, in their order.
pub(super) const STATES: [(&str, &str); 7] = [
    ("Triage", "triage"),
    ("Backlog", "backlog"),
    ("Todo", "unstarted"),
    ("In Progress", "started"),
    ("Done", "completed"),
    ("Canceled", "canceled"),
    ("Duplicate", "duplicate"),
];
/// The state that issues are opened in.
pub(super) const OPENED: usize = 1;

#[derive(Default)]
pub(super) struct World {
    pub(super) teams: Vec<Team>,
    /// The people; the first one is the account.
    pub(super) people: Vec<Person>,
    pub(super) labels: Vec<Label>,
    pub(super) issues: Vec<Stored>,
    pub(super) comments: Vec<Comment>,
    pub(super) relations: Vec<Relation>,
    /// The requests whose effects are to come.
    pub(super) late: VecDeque<Asked>,
    pub(super) last_id: u64,
}

/// Returns the id of the thing number `n` of a kind.
fn uuid(kind: u64, n: u64) -> String {
    format!("{kind:08x}-0000-4000-8000-{n:012x}")
}

impl World {
    /// Returns an id that no other thing has.
    pub(super) fn next_id(&mut self) -> String {
        self.last_id += 1;
        uuid(9, self.last_id)
    }

    pub(super) fn team_id(team: usize) -> String {
        uuid(1, team as u64)
    }

    pub(super) fn person_id(person: usize) -> String {
        uuid(2, person as u64)
    }

    pub(super) fn label_id(label: usize) -> String {
        uuid(3, label as u64)
    }

    pub(super) fn state_id(team: usize, state: usize) -> String {
        uuid(4, (team * STATES.len() + state) as u64)
    }

    pub(super) fn team_at(&self, id: &str) -> Option<usize> {
        (0..self.teams.len()).find(|at| Self::team_id(*at) == id || self.teams[*at].key == id)
    }

    pub(super) fn person_at(&self, id: &str) -> Option<usize> {
        (0..self.people.len()).find(|at| Self::person_id(*at) == id)
    }

    pub(super) fn label_at(&self, id: &str) -> Option<usize> {
        (0..self.labels.len()).find(|at| Self::label_id(*at) == id)
    }

    /// Returns the issue with an id, or with a key that it has or had.
    pub(super) fn issue_at(&self, id: &str) -> Option<usize> {
        let own = |at: &usize| self.issues[*at].id == id || self.identifier(*at) == id;
        let former = |at: &usize| self.issues[*at].former.iter().any(|one| one == id);
        let all = 0..self.issues.len();
        all.clone().find(own).or_else(|| all.clone().find(former))
    }

    pub(super) fn identifier(&self, issue: usize) -> String {
        let stored = &self.issues[issue];
        format!("{}-{}", self.teams[stored.team].key, stored.number)
    }

    pub(super) fn next_number(&self, team: usize) -> u64 {
        let key = format!("{}-", self.teams[team].key);
        let now = self.issues.iter().filter(|one| one.team == team).map(|one| one.number);
        let former = self.issues.iter().flat_map(|one| &one.former);
        let former = former.filter_map(|one| one.strip_prefix(&key)?.parse().ok());
        now.chain(former).max().unwrap_or_default() + 1
    }

    /// Returns an issue as tests see it.
    pub(super) fn seen(&self, at: usize) -> Issue {
        let stored = &self.issues[at];
        let relations = self.relations.iter().filter(|one| one.issue == at);
        let comments = self.comments.iter().filter(|one| one.issue == at);
        Issue {
            id: stored.id.clone(),
            identifier: self.identifier(at),
            title: stored.title.clone(),
            description: stored.description.clone(),
            priority: stored.priority,
            labels: stored.labels.iter().map(|label| self.labels[*label].name.clone()).collect(),
            assignee: stored.assignee.map(|person| self.people[person].display_name.clone()),
            state: STATES[stored.state].1.into(),
            parent: stored.parent.map(|above| self.identifier(above)),
            comments: comments.map(|comment| comment.body.clone()).collect(),
            relations: relations.map(|one| (one.kind.clone(), self.identifier(one.related))).collect(),
        }
    }
}
