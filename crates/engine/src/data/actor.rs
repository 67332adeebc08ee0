//! Person who acts, as the runtime resolved them.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Resolved person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Actor {
    /// User id of the channel.
    pub id: String,
    /// Name to address them by, without the at sign.
    pub name: String,
    /// Names that approver rules can use for this person: `user:ana`, `role:approver`, `group:pm`. The
    /// person's own comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub principals: Vec<String>,
    /// Reason why roles and groups do not let this person approve. `guest` and `foreign` may approve if a
    /// rule lists the person by name; with any other reason (`bot`, `deactivated`) nobody may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barred: Option<String>,
    /// Language they write in, as a BCP 47 code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// Person who pressed a button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presser {
    /// User id of the channel.
    pub id: String,
    /// Display name.
    pub name: String,
}
