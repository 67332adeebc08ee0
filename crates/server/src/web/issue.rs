//! `/tracker/{key}`: page of an issue of the local tracker, where the link of a receipt leads.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use throughline_engine::data::effect::IssueState;
use throughline_engine::data::ticket::Part;
use throughline_trackers::local::StoredIssue;

use super::page::{ForPage, Refusal, page};
use super::visitor::{Visitor, VisitorView};
use crate::app::App;
use crate::auth::{Caller, Scope};
use crate::language;
use crate::problem::Problem;
use crate::request::PathParam;
use crate::routes::tracker::{self, project_of};

/// Maximum stories, and issues that link here, on a page.
const AROUND: u32 = 100;

/// Issue with its relations.
#[derive(Serialize)]
pub(crate) struct IssueView {
    key: String,
    kind: &'static str,
    title: String,
    fields: Vec<FieldView>,
    /// Epic it belongs to.
    epic: Option<RelatedIssue>,
    stories: Vec<RelatedIssue>,
    /// Issues it links to, with the kind of link.
    links: Vec<(String, RelatedIssue)>,
    /// Issues that link to it.
    named_by: Vec<RelatedIssue>,
    comments: Vec<CommentView>,
    closed: bool,
    assignee: Option<String>,
}

/// Part of an issue, line by line.
#[derive(Serialize)]
struct FieldView {
    label: String,
    lines: Vec<Line>,
}

/// Line of a part: an address of this site is a link, of a file with its name.
#[derive(Debug, PartialEq, Serialize)]
struct Line {
    text: String,
    href: Option<String>,
}

impl Line {
    /// Reads a line of evidence: an address, and perhaps the name of what is there.
    fn of_evidence(line: &str, base: &str) -> Self {
        let (address, name) = line.split_once(' ').unwrap_or((line, line));
        let path = address.strip_prefix(base).filter(|path| path.starts_with('/'));
        match path {
            Some(path) => Self { text: name.into(), href: Some(path.into()) },
            None => Self { text: line.into(), href: None },
        }
    }
}

/// Related issue.
#[derive(Serialize)]
struct RelatedIssue {
    key: String,
    kind: &'static str,
    title: String,
}

#[derive(Serialize)]
struct CommentView {
    text: String,
    effect: String,
}

#[derive(Serialize)]
struct IssuePage {
    seen: VisitorView,
    issue: IssueView,
}

/// `GET /tracker/{key}`: open to everybody with access to conversations, as far as the project shows its issues to
/// them.
pub(crate) async fn get_issue(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    ForPage(PathParam(key)): ForPage<PathParam>,
) -> Result<Response, Refusal> {
    visitor.caller.need(Scope::LanesRead)?;
    let found = tracker::seen(&app, &visitor.caller, &key).await?;
    let issue = issue_view(&app, &visitor.caller, &found).await?;
    Ok(page("issue.html", &IssuePage { seen: visitor.view(&app), issue })?)
}

/// Reads the relations of an issue that the caller may see: at most 100 stories, and as many issues that link to it.
pub(crate) async fn issue_view(
    app: &App,
    caller: &Caller,
    issue: &StoredIssue,
) -> Result<IssueView, Problem> {
    let (local, tenant) = (&app.instance.tracker, &caller.tenant);
    let shown = |issue: &StoredIssue| tracker::shows(app, caller, project_of(&issue.key));
    let written = issue.item.fields.iter().filter(|(part, _)| **part != Part::Title);
    let mut links = Vec::new();
    for link in &issue.links {
        let other = local.issue(tenant, &link.key).await?;
        links.extend(other.filter(shown).map(|other| (link.kind.clone(), related(&other))));
    }
    let epic = match &issue.parent {
        Some(epic) => local.issue(tenant, epic).await?,
        None => None,
    };
    let stories = local.stories(tenant, &issue.key, AROUND).await?;
    let named_by = local.referencing(tenant, &issue.key, AROUND).await?;
    let said = issue.comments.iter();
    let RelatedIssue { key, kind, title } = related(issue);
    Ok(IssueView {
        key,
        kind,
        title,
        fields: written.map(|(part, text)| field(*part, text, &app.base())).collect(),
        epic: epic.as_ref().map(related),
        stories: stories.iter().map(related).collect(),
        links,
        named_by: named_by.iter().filter(|other| shown(other)).map(related).collect(),
        closed: issue.state == IssueState::Closed,
        assignee: issue.assignee.clone(),
        comments: said
            .map(|said| CommentView { text: said.text.clone(), effect: said.effect.0.clone() })
            .collect(),
    })
}

fn field(part: Part, text: &str, base: &str) -> FieldView {
    let lines = match part {
        Part::Evidence => text.lines().map(|line| Line::of_evidence(line, base)).collect(),
        _ => vec![Line { text: text.into(), href: None }],
    };
    FieldView { label: part.label(language::here()), lines }
}

fn related(issue: &StoredIssue) -> RelatedIssue {
    let (key, title) = (issue.key.clone(), issue.item.title().to_owned());
    RelatedIssue { key, kind: issue.item.item_type.as_str(), title }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_this_site_are_links() {
        let table = [
            ("http://a.example/files/file_1_2 one.png", Some("/files/file_1_2"), "one.png"),
            ("http://a.example/?c=1#end", Some("/?c=1#end"), "http://a.example/?c=1#end"),
            ("https://b.example/1 log.txt", None, "https://b.example/1 log.txt"),
            ("http://a.example.evil/1", None, "http://a.example.evil/1"),
            ("said in the office", None, "said in the office"),
        ];
        for (line, href, text) in table {
            let expected = Line { text: text.into(), href: href.map(Into::into) };
            assert_eq!(Line::of_evidence(line, "http://a.example"), expected, "{line}");
        }
    }
}
