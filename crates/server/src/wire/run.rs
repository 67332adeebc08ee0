//! Input of a run of AG-UI. It is read leniently (`throughline_channels::agui`); this describes it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::vocabulary::{HostId, ResumeStatus};

/// Input of a run, as AG-UI 1.0 defines it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunAgentInput {
    /// Thread: the conversation of a lane of the channel `api`.
    #[schema(value_type = HostId, inline, example = "t1")]
    pub thread_id: String,
    /// Run.
    #[schema(value_type = HostId, inline, example = "r1")]
    pub run_id: String,
    /// Run that it continues; it is given back.
    #[serde(default)]
    #[schema(value_type = Option<HostId>, inline)]
    pub parent_run_id: Option<String>,
    /// Messages of the thread. The newest with the role `user` is the event; of the others, only the ids are read.
    #[schema(value_type = Vec<Object>)]
    pub messages: Vec<serde_json::Value>,
    /// Answers to interrupts.
    #[serde(default)]
    pub resume: Option<Vec<ResumeEntry>>,
    /// Not read.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub state: Option<serde_json::Value>,
    /// Not read.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Object>>)]
    pub tools: Option<Vec<serde_json::Value>>,
    /// Not read.
    #[serde(default)]
    #[schema(value_type = Option<Vec<Object>>)]
    pub context: Option<Vec<serde_json::Value>>,
    /// `throughline.parallel`: true lets a text through although interrupts are open. `throughline.actor`: the person who
    /// acts, as an id or an object with `id` and `name`; naming another person than the token's needs `act_as`.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub forwarded_props: Option<serde_json::Value>,
}

/// Answer to an interrupt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResumeEntry {
    /// Interrupt.
    #[schema(example = "ap_atpfhd2dnan4hnne_8_1.v3")]
    pub interrupt_id: String,
    /// `resolved` or `cancelled`.
    #[schema(value_type = ResumeStatus, inline)]
    pub status: String,
    /// Answer, by the interrupt's `responseSchema`.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub payload: Option<serde_json::Value>,
}
