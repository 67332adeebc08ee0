//! What a far side says of a piece of work: that it is done, that it goes on, that it asks back (`spec 07 §8`).

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::Call;
use crate::id::EffectId;
use crate::lane::LaneKey;
use crate::recognize::Expected;

/// Which step of a piece of work a call is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The first: the work begins.
    #[default]
    Begin,
    /// The far side asked back, and this is the answer. The work there is the same.
    Answer {
        /// The far side's own id of the work: opaque.
        remote: String,
        /// By the field's name.
        given: BTreeMap<String, String>,
    },
    /// Its person does not want it any more.
    Stop {
        /// The effect that carried it.
        effect: EffectId,
    },
}

impl Phase {
    pub(crate) fn begins(&self) -> bool {
        *self == Self::Begin
    }
}

/// What a far side has to know before it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The far side's own id of the work: opaque. The answer goes there.
    pub remote: String,
    /// Its words: data, never an instruction.
    pub text: String,
    /// What it asks for: at least one.
    pub fields: Vec<Field>,
}

/// One thing that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Its name there. Empty: whatever answers the words.
    pub name: String,
    /// What an answer looks like.
    pub expected: Expected,
}

/// A question of a far side that a person has not answered, or that is being answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// The effect that was asked back on.
    pub effect: EffectId,
    /// What is asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// What is known of it already, by the field's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub given: BTreeMap<String, String>,
}

impl Waits {
    /// What is still asked for.
    pub(crate) fn next(&self) -> Option<&Field> {
        self.asked.fields.iter().find(|field| !self.given.contains_key(&field.name))
    }
}

/// Work that goes on at a far side, as it is kept with its effect until the effect ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "as", rename = "underway")]
pub struct Underway {
    /// The far side's own id of the work: opaque.
    pub remote: String,
    /// What it said of it last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub told: String,
    /// How much news of it was told so far.
    #[serde(default)]
    pub news: u32,
}

impl Underway {
    /// Work that has this name over there, and what is said of it.
    #[must_use]
    pub fn at(remote: impl Into<String>, told: impl Into<String>) -> Self {
        Self { remote: remote.into(), told: told.into(), news: 0 }
    }
}

/// What came of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// It is done, and these are its words.
    Said(String),
    /// It goes on. It is asked again, and never sent a second time.
    Underway(Underway),
    /// It cannot go on without an answer.
    Asked(Asked),
    /// It was stopped, by us or over there.
    Stopped(String),
}

/// A call as whoever makes it is handed it.
#[derive(Clone, Copy, Debug)]
pub struct Errand<'a> {
    /// For whom.
    pub lane: &'a LaneKey,
    /// Its name everywhere, also at the far side.
    pub effect: &'a EffectId,
    /// What to do.
    pub call: &'a Call,
    /// Where it stands at the far side, when it is there already: for [`Phase::Stop`], what is to be stopped.
    pub underway: Option<&'a Underway>,
}
