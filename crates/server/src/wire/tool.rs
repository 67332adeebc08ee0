//! Tools and sub-agents: what there is, and what is pinned.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A tool or a sub-agent, as it stands now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tool {
    /// `tool:weather`, `agent:writer`; of a tool that is not configured, its server and its name there.
    #[schema(example = "tool:weather")]
    pub name: String,
    /// Its server and its name there, or its address.
    pub at: String,
    /// `pinned`: it may be used. `new`, `changed`, `missing`, `unreachable`: it is off. `unused`: nothing is configured
    /// for it.
    pub state: String,
    /// Why it cannot be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What it says it does: its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What it has to know and nobody is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unasked: Vec<String>,
}

/// What to pin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PinTools {
    /// This one alone.
    #[serde(default)]
    pub name: Option<String>,
}

/// What was pinned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PinnedTools {
    /// What was new, or had changed.
    pub pinned: Vec<String>,
    /// What could not be asked what it is, and so was not pinned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreachable: Vec<UnreachableTool>,
}

/// A tool or a sub-agent that could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnreachableTool {
    /// Its name.
    #[schema(example = "tool:weather")]
    pub name: String,
    /// Why not.
    pub why: String,
}
