//! Tools, sub-agents and their pins.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Tool or sub-agent with its state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tool {
    /// Name: `tool:weather`, `agent:writer`; for a tool that is not configured, its server and its name there.
    #[schema(example = "tool:weather")]
    pub name: String,
    /// Server and name of a tool, or address of an agent.
    pub at: String,
    /// State. `pinned`: it may be used. `new`, `changed`, `missing`, `unconnected`, `unreachable`: it is off. `unused`: it
    /// is not configured.
    pub state: String,
    /// Reason why it could not be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Description, in its own words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Required arguments that nobody is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unasked: Vec<String>,
}

/// Selection of what to pin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PinTools {
    /// Name of one tool or sub-agent; all if absent.
    #[serde(default)]
    pub name: Option<String>,
}

/// Result of pinning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PinnedTools {
    /// Names of those that were new or had changed.
    pub pinned: Vec<String>,
    /// Those that could not be asked, and were not pinned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreachable: Vec<UnreachableTool>,
}

/// Tool or sub-agent that could not be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnreachableTool {
    /// Name.
    #[schema(example = "tool:weather")]
    pub name: String,
    /// Reason.
    pub why: String,
}
