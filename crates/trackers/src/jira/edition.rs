//! The differences between Jira Cloud (REST v3) and Jira Data Center (REST v2): paths, texts, names of people.

use serde_json::{Value, json};

use super::config::Edition;
use super::{adf, wiki};
use crate::common_checks::MAX_BODY;
use crate::project::ChildLink;

impl Edition {
    /// The root of the API's paths.
    pub(super) fn root(self) -> &'static str {
        match self {
            Self::Cloud => "rest/api/3",
            Self::DataCenter => "rest/api/2",
        }
    }

    /// The path of the search by JQL.
    pub(super) fn search(self) -> &'static str {
        match self {
            Self::Cloud => "search/jql",
            Self::DataCenter => "search",
        }
    }

    /// The parameter that a person is searched by.
    pub(super) fn person_query(self) -> &'static str {
        match self {
            Self::Cloud => "query",
            Self::DataCenter => "username",
        }
    }

    /// The member that identifies a person.
    pub(super) fn person_id(self) -> &'static str {
        match self {
            Self::Cloud => "accountId",
            Self::DataCenter => "name",
        }
    }

    /// The way stories are put under their epic where no setting says another.
    pub(super) fn child_link(self) -> ChildLink {
        match self {
            Self::Cloud => ChildLink::Parent,
            Self::DataCenter => ChildLink::EpicLink,
        }
    }

    /// The length of a text as Jira counts it, where that is too long: what escapes its markup counts, too.
    pub(super) fn too_long(self, text: &str) -> Option<usize> {
        let length = match self {
            Self::Cloud => text.chars().count(),
            Self::DataCenter => wiki::markup(text).encode_utf16().count(),
        };
        (length > MAX_BODY).then_some(length)
    }

    /// A text as the value of a field or a comment.
    pub(super) fn text(self, text: &str) -> Value {
        match self {
            Self::Cloud => adf::document(text),
            Self::DataCenter => json!(wiki::markup(text)),
        }
    }
}
