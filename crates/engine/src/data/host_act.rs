//! Acts that a host asks leave for and performs itself once a person has approved them
//! (`docs/design/0077-acts-of-hosts.md`).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::canonical_json::jcs;
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::erasure::ERASED;
use crate::data::id::{TaskId, digest_id};
use crate::data::progress::{Phase, Progress};
use crate::data::time::Timestamp;

/// An act of a host, as it is asked for, approved and handed back to the host: the same bytes each time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostAct {
    /// The host's id of the request, within the lane. The same id is the same request.
    pub request_id: String,
    /// The act in a few words, for people: `Deploy web 4.2`.
    pub title: String,
    /// The thing it acts on, as approver rules name it behind `act:`.
    pub target: String,
    /// The content of the act as JSON text. Nothing reads it but people and the host, so it is kept as the text that it is.
    pub payload: String,
    /// Lines for people about the content.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// The time until which it may be approved, if the host wants an earlier end than that of every approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

impl HostAct {
    /// Returns the task of the request. It is made from the host's id, so that a repetition finds the request.
    #[must_use]
    pub fn task(&self) -> TaskId {
        TaskId(digest_id(TaskId::PREFIX, &jcs(&["throughline/request/1", &self.request_id])))
    }

    /// Returns the target as approver rules name it.
    #[must_use]
    pub fn rule_target(&self) -> String {
        format!("act:{}", self.target)
    }

    /// Returns it with its words erased.
    pub(crate) fn without_words(self) -> Self {
        let lines = self.lines.iter().map(|_| ERASED.into()).collect();
        Self { title: ERASED.into(), payload: ERASED.into(), lines, ..self }
    }
}

/// A host's request, as a card tells the host how it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostRequest {
    /// The host's id of the request.
    pub id: String,
    /// State.
    pub state: RequestState,
}

/// State of a host's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestState {
    /// Waits for a decision.
    Pending,
    /// Approved; the host is to perform it.
    Approved,
    /// Approved, and the host reported that it is done.
    Done,
    /// Approved, and the host reported that it was not done.
    Failed,
    /// Approved, and nobody knows what came of it; a person is asked.
    Uncertain,
    /// Refused by a person.
    Rejected,
    /// Not decided in time.
    Expired,
    /// Put aside, before it was decided or after.
    Cancelled,
}

impl HostRequest {
    /// Returns the request that a card previews or asks about, with its state; `None` for every other card.
    pub(crate) fn of(card: &Card) -> Option<Self> {
        let (call, _) = card.call()?;
        let id = call.job.act()?.request_id.clone();
        let asks = matches!(card.about, CardSubject::UncertainCall { .. });
        let state = match &card.status {
            CardStatus::Open if asks => RequestState::Uncertain,
            CardStatus::Open => RequestState::Pending,
            CardStatus::Expired => RequestState::Expired,
            CardStatus::Superseded { .. } | CardStatus::Withdrawn => RequestState::Cancelled,
            CardStatus::Decided { action, result, .. } if action.releases() => came_of(result),
            CardStatus::Decided { result: Progress::Done, .. } => RequestState::Done,
            CardStatus::Decided { .. } if asks => RequestState::Cancelled,
            CardStatus::Decided { .. } => RequestState::Rejected,
        };
        Some(Self { id, state })
    }
}

fn came_of(result: &Progress) -> RequestState {
    match result.phase() {
        Phase::Happened(_) | Phase::Posted => RequestState::Done,
        Phase::Refused(_) => RequestState::Failed,
        Phase::Unknown(_) => RequestState::Uncertain,
        Phase::NotTried(_) | Phase::Dropped | Phase::Stopped => RequestState::Cancelled,
        Phase::Nothing | Phase::Running(_) | Phase::Several(_) => RequestState::Approved,
    }
}
