//! The state of the site: repositories, people and issues.

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    /// Owner and name: `acme/web`.
    pub name: String,
    /// True if it has issues.
    pub has_issues: bool,
    /// True if it is read-only.
    pub archived: bool,
    /// The role of the account in it; without one, there is no such repository for it.
    pub role: Option<Role>,
    /// The names of its labels. Those that issues get are added.
    pub labels: Vec<String>,
    /// The logins to whom issues can be assigned; everybody if empty.
    pub assignable: Vec<String>,
    /// True if it takes sub-issues.
    pub sub_issues: bool,
}

impl Repository {
    /// Returns a repository with issues in which the account may write.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            has_issues: true,
            archived: false,
            role: Some(Role::Write),
            labels: ["bug", "enhancement", "question"].map(str::to_owned).into(),
            assignable: Vec::new(),
            sub_issues: true,
        }
    }

    /// Returns true if the account has at least this role.
    pub(super) fn allows(&self, role: Role) -> bool {
        self.role.is_some_and(|own| own >= role)
    }
}

/// A role in a repository, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads, opens issues and comments.
    Read,
    /// Sorts and assigns issues, too.
    Triage,
    /// Writes code, too.
    Write,
    /// Does anything.
    Admin,
}

/// An issue or a pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Issue {
    /// The id in the database of the site.
    pub id: u64,
    /// The number in its repository.
    pub number: u64,
    /// The repository: `acme/web`.
    pub repository: String,
    /// The title.
    pub title: String,
    /// The text, in Markdown.
    pub body: String,
    /// The names of its labels.
    pub labels: Vec<String>,
    /// The logins of the people it is assigned to.
    pub assignees: Vec<String>,
    /// True if it is closed.
    pub closed: bool,
    /// The time at which it was closed, in milliseconds since 1970.
    pub closed_at: Option<i64>,
    /// The reason for its state: `completed`, `not_planned`, `reopened`.
    pub state_reason: Option<String>,
    /// True if nobody may comment on it.
    pub locked: bool,
    /// True for a pull request.
    pub pull_request: bool,
    /// The id of the issue it is under.
    pub parent: Option<u64>,
    /// The comments, oldest first.
    pub comments: Vec<Comment>,
    /// The login of the author.
    pub author: String,
    /// The time of creation, in milliseconds since 1970.
    pub created: i64,
    /// The time of the last change, in milliseconds since 1970.
    pub updated: i64,
}

/// A comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    /// The id.
    pub id: u64,
    /// The text, in Markdown.
    pub body: String,
    /// The login of the author.
    pub author: String,
    /// The time, in milliseconds since 1970.
    pub created: i64,
}

/// A place where an issue was before.
#[derive(Clone, Debug)]
pub(super) struct Former {
    pub(super) repository: String,
    pub(super) number: u64,
    /// The id it has now; `None` if it was deleted.
    pub(super) now: Option<u64>,
}

#[derive(Default)]
pub(super) struct World {
    /// The address of the site.
    pub(super) site: String,
    /// The repositories, in the order of their ids.
    pub(super) repositories: Vec<Repository>,
    /// The names that repositories had: before and now.
    pub(super) renamed: Vec<(String, String)>,
    /// The logins of the people.
    pub(super) people: Vec<String>,
    /// The issues and pull requests, oldest first.
    pub(super) issues: Vec<Issue>,
    pub(super) former: Vec<Former>,
    /// The ids of issues that are under others. Those under one are in the order of this list.
    pub(super) order: Vec<u64>,
    /// The requests whose effects are to come.
    pub(super) late: Vec<super::wire::Asked>,
    pub(super) last_id: u64,
}

fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

impl World {
    /// Returns an id that no other thing of the site has. Like the site's own, it needs more than 32 bits.
    pub(super) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        5_000_000_000 + self.last_id
    }

    pub(super) fn repository(&self, name: &str) -> Option<&Repository> {
        self.repositories.iter().find(|one| same(&one.name, name))
    }

    pub(super) fn repository_mut(&mut self, name: &str) -> Option<&mut Repository> {
        self.repositories.iter_mut().find(|one| same(&one.name, name))
    }

    pub(super) fn repository_id(&self, name: &str) -> usize {
        1_000 + self.repositories.iter().position(|one| same(&one.name, name)).unwrap_or_default()
    }

    /// Returns the repository with an id of [`Self::repository_id`].
    pub(super) fn by_id(&self, id: &str) -> Option<&Repository> {
        self.repositories.get(id.parse::<usize>().ok()?.checked_sub(1_000)?)
    }

    pub(super) fn at(&self, repository: &str, number: u64) -> Option<usize> {
        self.issues.iter().position(|one| same(&one.repository, repository) && one.number == number)
    }

    pub(super) fn by_issue_id(&self, id: u64) -> Option<usize> {
        self.issues.iter().position(|one| one.id == id)
    }

    /// Returns the next number of a repository. Issues and pull requests share them, and none is used twice.
    pub(super) fn next_number(&self, repository: &str) -> u64 {
        let numbers =
            self.issues.iter().filter(|one| same(&one.repository, repository)).map(|one| one.number);
        let gone = self.former.iter().filter(|one| same(&one.repository, repository)).map(|one| one.number);
        numbers.chain(gone).max().unwrap_or_default() + 1
    }

    /// Returns the logins to whom issues of a repository can be assigned.
    pub(super) fn assignable(&self, repository: &Repository) -> Vec<&str> {
        let listed =
            |login: &&String| repository.assignable.is_empty() || repository.assignable.contains(login);
        self.people.iter().filter(listed).map(String::as_str).collect()
    }
}
