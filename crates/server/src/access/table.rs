//! The access rules as the tables of `docs/configuration.md`.

use std::fmt::Write as _;

use super::{Access, Act, Relation};
use crate::auth::{Caller, Scope, Token, rights};

/// Roles that say what a person may do.
pub const ROLES: [&str; 6] = ["viewer", "member", "approver", "operator", "auditor", "admin"];

impl Act {
    /// Returns the act in words: `read a lane`.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::ReadLane => "read a lane: messages, turns and why",
            Self::ReadContext => "read what a model would be told",
            Self::StateFact => "state a fact, take one back",
            Self::Write => "say, press and fill in",
            Self::Describe => "show lists and the focus",
            Self::SpeakAsAssistant => "speak as the assistant",
            Self::ReportTask => "say how a task stands",
            Self::ReadApproval => "read approvals",
            Self::DecideApproval => "decide an approval by its id",
            Self::ReadEffect => "read effects",
            Self::ReportEffect => "report what a host performed",
            Self::ResolveEffect => "resolve an uncertain effect",
        }
    }
}

impl Relation {
    /// Returns the word of the tables: `shared`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owned",
            Self::TookPart => "took part",
            Self::New => "new",
            Self::Shared => "shared",
            Self::Private => "private",
            Self::Ruled => "by rule",
            Self::OtherApp => "other app",
            Self::OtherTenant => "other tenant",
        }
    }

    fn says(self) -> &'static str {
        match self {
            Self::Owner => "a web conversation of their own",
            Self::TookPart => "a lane in which they did something that was neither refused nor ignored",
            Self::New => "a name under which there is no lane yet",
            Self::Shared => "a lane of others that nobody owns: a room of a host",
            Self::Private => "a web conversation of somebody else",
            Self::Ruled => "a lane of others, asked for by an approval that a rule lets the caller decide",
            Self::OtherApp => "a lane of another app of the tenant, for a token",
            Self::OtherTenant => "a lane of another tenant",
        }
    }
}

/// Returns one caller for each column: the roles of people, a token that has every scope but the two that reach
/// further, and a token that has one of these.
#[must_use]
pub fn columns() -> Vec<(String, Caller)> {
    let person = |role: &str| Caller::person("acme", "bot", "ana", rights(&[role.to_owned()]));
    let further = [Scope::LanesReadAll, Scope::ActAs];
    let plain = || Scope::ALL.into_iter().filter(|scope| !further.contains(scope));
    let token = |scopes: Vec<Scope>| {
        let [id, tenant, app, principal] = ["ci", "acme", "bot", "ana"].map(str::to_owned);
        Token { id, sha256: String::new(), tenant, app, scopes, principal }.caller()
    };
    let mut columns: Vec<(String, Caller)> =
        ROLES.iter().map(|role| (format!("`{role}`"), person(role))).collect();
    columns.push(("token".into(), token(plain().collect())));
    columns.push(("… reading all".into(), token(plain().chain([Scope::LanesReadAll]).collect())));
    columns
}

/// Returns the tables in Markdown.
#[must_use]
pub fn tables() -> String {
    let mut out = String::from("| A lane is | if it is |\n| --- | --- |\n");
    for relation in Relation::ALL {
        let _ = writeln!(out, "| {} | {} |", relation.as_str(), relation.says());
    }
    let columns = columns();
    let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let _ = write!(out, "\n| Act | Scope | {} |\n", names.join(" | "));
    let _ = writeln!(out, "|{}", " --- |".repeat(columns.len() + 2));
    for act in Act::ALL {
        let cells: Vec<String> = columns.iter().map(|(_, caller)| cell(caller, act)).collect();
        let _ = writeln!(out, "| {} | `{}` | {} |", act.says(), act.scope().as_str(), cells.join(" | "));
    }
    out
}

/// Returns the lanes to which a caller may do something.
fn cell(caller: &Caller, act: Act) -> String {
    let may = |relation: &Relation| caller.access(act, *relation) == Access::Allowed;
    let lanes: Vec<Relation> = Relation::ALL.into_iter().filter(may).collect();
    match lanes[..] {
        [] => "–".into(),
        [.., Relation::Private, Relation::Ruled, Relation::OtherApp] => "all".into(),
        [.., Relation::Private, Relation::Ruled] => "all of its app".into(),
        _ => lanes.iter().map(|relation| relation.as_str()).collect::<Vec<_>>().join(", "),
    }
}
