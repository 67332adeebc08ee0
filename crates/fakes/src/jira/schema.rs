//! Checks of calls and answers against the OpenAPI document that Atlassian publishes; `telegram::specs` says where it is
//! looked for.

use std::sync::LazyLock;

use super::answer::Answer;
use super::wire::Asked;
use crate::openapi::{Exchange, Published};
use crate::telegram::specs;

/// The path of the document in the folder of specifications.
const DOCUMENT: &str = "jira/jira-cloud-v3.subset.openapi.json";

static PUBLISHED: LazyLock<Option<Published>> =
    LazyLock::new(|| Published::read(&specs().join(DOCUMENT), |_| true));

/// Returns the violations by a call that was not refused, and by its answer. Returns none without the document.
pub(super) fn violations(asked: &Asked, answer: &Answer) -> Vec<String> {
    let Some(published) = PUBLISHED.as_ref().filter(|_| !asked.parts.is_empty()) else { return Vec::new() };
    published.violations(&Exchange {
        method: &asked.method,
        path: &asked.path,
        query: &asked.query,
        body: &asked.body,
        status: answer.status,
        answer: answer.body.as_ref(),
    })
}
