//! Checks of calls and answers against the OpenAPI document that GitHub publishes, as its package for npm has it.

use std::path::Path;
use std::sync::LazyLock;

use super::answer::Answer;
use super::wire::Asked;
use crate::openapi::{Exchange, Published};

/// The variable that names the document, which is not part of the repository.
const VARIABLE: &str = "THROUGHLINE_GITHUB_OPENAPI";

/// The document, as far as it is about repositories, their issues and their people, and the search.
static PUBLISHED: LazyLock<Option<Published>> = LazyLock::new(|| {
    let file = std::env::var_os(VARIABLE)?;
    let fits = |path: &str| {
        let rest = path.strip_prefix("/repos/{owner}/{repo}");
        path == "/user"
            || path == "/search/issues"
            || rest.is_some_and(|rest| {
                matches!(rest.split('/').nth(1), None | Some("issues" | "assignees" | "labels"))
            })
    };
    let published = Published::read(Path::new(&file), fits);
    Some(published.unwrap_or_else(|| panic!("{VARIABLE} names no file")).with_short_answers())
});

/// Returns the violations by a call that was not refused, and by its answer. Returns none without the document.
pub(super) fn violations(asked: &Asked, answer: &Answer) -> Vec<String> {
    let Some(published) = PUBLISHED.as_ref() else { return Vec::new() };
    published.violations(&Exchange {
        method: &asked.method,
        path: &asked.path,
        query: &asked.query,
        body: &asked.body,
        status: answer.status,
        answer: answer.body.as_ref(),
    })
}
