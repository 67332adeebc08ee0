//! Text as a client draws it, for previews. Pure.

use serde::Serialize;

/// A run of text in one style. Its text is plain: no mark is left in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Run {
    /// Text without a style.
    Text {
        /// The text.
        text: String,
    },
    /// Bold text.
    Bold {
        /// The text.
        text: String,
    },
    /// Code.
    Code {
        /// The text.
        text: String,
    },
    /// A mention, whose person the client notifies.
    Person {
        /// The vendor's id of the person.
        id: String,
        /// The name, if the message has it and not the client.
        name: Option<String>,
    },
    /// A link.
    Link {
        /// The text.
        text: String,
        /// The address.
        url: String,
    },
}
