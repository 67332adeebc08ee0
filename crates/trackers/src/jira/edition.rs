//! The differences between Jira Cloud (REST v3) and Jira Data Center (REST v2): paths, texts, names of people.

use serde_json::{Value, json};

use super::adf;
use super::config::Edition;

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

    /// A text as the value of a field or a comment.
    pub(super) fn text(self, text: &str) -> Value {
        match self {
            Self::Cloud => adf::document(text),
            Self::DataCenter => json!(escaped(text)),
        }
    }
}

/// A text in which wiki markup has no meaning: no mention, link, macro or image.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '[' | ']' | '{' | '}' | '!' | '\\') {
            safe.push('\\');
        }
        safe.push(c);
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_data_center_has_no_markup() {
        let text = Edition::DataCenter.text("[~ana] {code} !x.png! C:\\tmp *bold*");
        assert_eq!(text, "\\[~ana\\] \\{code\\} \\!x.png\\! C:\\\\tmp *bold*");
    }
}
