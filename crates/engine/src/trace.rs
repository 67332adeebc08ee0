//! Why a turn decided what it did: every rung tried, and the predicate each losing one failed on.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::context::prompt::{Built, Section};
use crate::decision::{Decision, Reason};
use crate::focus::{FocusSource, Need, Reference, Thread};
use crate::id::{MessageId, TaskId, TurnId};
use crate::recognize::Interrupt;
use crate::selection::Account;
use crate::time::Timestamp;

/// One stage of the routing order (`spec 02 §2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// 0: the delivery key was seen. Intake answers; no step runs.
    Duplicate,
    /// 1: not ours to answer.
    Addressing,
    /// 2: a press, a command, a form.
    Workflow,
    /// 3: a settled effect, a due timer, a host's event.
    Settled,
    /// 4: always computed, never decides alone.
    Focus,
    /// 5: the whole message is a stop.
    Interrupt,
    /// 6: an answer to what was asked.
    Pending,
    /// 7: one of the options shown.
    Selection,
    /// 8: feedback on the active review.
    Review,
    /// 9: what the user wants.
    Intent,
    /// 10: what the thread remembers.
    Remembered,
    /// 11: ask.
    Gate,
}

impl Rung {
    /// The routing order, top to bottom.
    pub const ALL: [Self; 12] = [
        Self::Duplicate,
        Self::Addressing,
        Self::Workflow,
        Self::Settled,
        Self::Focus,
        Self::Interrupt,
        Self::Pending,
        Self::Selection,
        Self::Review,
        Self::Intent,
        Self::Remembered,
        Self::Gate,
    ];

    /// Its number in the routing order.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Its name for a person.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Duplicate => "Duplicate delivery",
            Self::Addressing => "Not ours to answer",
            Self::Workflow => "Workflow event",
            Self::Settled => "Settled effect, timer or host event",
            Self::Focus => "Focus",
            Self::Interrupt => "Hard interrupt",
            Self::Pending => "Conversational pending",
            Self::Selection => "Selection",
            Self::Review => "Active review",
            Self::Intent => "Intent",
            Self::Remembered => "Remembered intent",
            Self::Gate => "Scope gate",
        }
    }
}

macro_rules! predicates {
    ($($name:ident = $rung:ident, $code:literal, $says:literal;)*) => {
        /// Why a rung did not decide. A turn's row keeps the code, which is stable; what it means is said when somebody
        /// asks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Predicate {
            $(#[doc = $says] $name,)*
            /// The question that waits was left alone, or cleared: for this reason.
            Left(Reason),
        }

        impl Predicate {
            /// Every predicate that carries nothing, in the routing order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The rung that asks it.
            #[must_use]
            pub fn rung(self) -> Rung {
                match self { $(Self::$name => Rung::$rung,)* Self::Left(_) => Rung::Pending }
            }

            /// The stable code of one that carries nothing, and its words.
            fn plain(self) -> Option<(&'static str, &'static str)> {
                match self { $(Self::$name => Some(($code, $says)),)* Self::Left(_) => None }
            }

            fn from_code(code: &str) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)*
                    _ => code.strip_prefix(LEFT).and_then(Reason::from_code).map(Self::Left),
                }
            }
        }
    };
}

predicates! {
    NotAMessage = Addressing, "1m", "not a message";
    ToUs = Addressing, "1a", "addressed to us";
    NoWorkflow = Workflow, "2w", "not a press, form or command";
    AMessage = Settled, "3m", "a message";
    NoFocus = Focus, "4m", "not a message";
    FocusAlone = Focus, "4f", "never decides alone";
    NotAStop = Interrupt, "5s", "the whole message is not a stop";
    NothingWaits = Pending, "6w", "nothing is waiting for words";
    NoOptions = Selection, "7o", "nobody was shown a list the message could be about";
    SelectionOff = Selection, "7d", "texts are not read against lists here";
    NotAnOption = Selection, "7n", "the message is none of the options shown";
    SelectionQuestion = Selection, "7q", "the message asks something about the options shown";
    SelectionVerify = Selection, "7v", "the message asks what was done with the options shown";
    OptionTaken = Selection, "7t", "the message began or ended with an option, which was taken; the rest goes on";
    SelectionCommand = Selection, "7c", "the message is a command of the host";
    SelectionReleased = Selection, "7r", "a model took the message to be about something else than the options shown";
    NoReview = Review, "8r", "no review is active";
    ReviewNotFocus = Review, "8f", "the focus is not the active review";
    ReviewOver = Review, "8o", "the review was left alone for too long, so it froze";
    OtherIntent = Review, "8i", "the message says explicitly that it wants something else";
    NoRule = Intent, "9r", "no rule speaks, and no model may be asked";
    AskedAlready = Intent, "9a", "no rule speaks, and a model is being asked already";
    NoAnswer = Intent, "9n", "the model gave no usable answer";
    NothingRemembered = Remembered, "10r", "the thread remembers nothing";
}

/// What the code of [`Predicate::Left`] begins with; the reason's own follows.
const LEFT: &str = "6:";

/// Several predicates as one text, `1a 2w 3m`: for `#[serde(with = "codes")]`.
pub mod codes {
    use super::{LEFT, Predicate, String, Vec};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes the codes.
    ///
    /// # Errors
    /// The serializer's own.
    pub fn serialize<S: Serializer>(passed: &[Predicate], serializer: S) -> Result<S::Ok, S::Error> {
        let mut codes = String::new();
        for predicate in passed {
            if !codes.is_empty() {
                codes.push(' ');
            }
            match (predicate.plain(), predicate) {
                (_, Predicate::Left(reason)) => {
                    codes.push_str(LEFT);
                    codes.push_str(reason.code());
                }
                (plain, _) => codes.push_str(plain.map_or("", |(code, _)| code)),
            }
        }
        serializer.serialize_str(&codes)
    }

    /// Reads them back.
    ///
    /// # Errors
    /// One is none of this version.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Predicate>, D::Error> {
        let codes = alloc::borrow::Cow::<str>::deserialize(from)?;
        let read = |code| {
            Predicate::from_code(code)
                .ok_or_else(|| D::Error::custom(alloc::format!("`{code}` is not the code of a predicate")))
        };
        codes.split_terminator(' ').map(read).collect()
    }
}

/// What a step looked at.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Why each rung that did not decide did not, in order.
    #[serde(with = "codes")]
    pub passed: Vec<Predicate>,
    /// What happened on the way: a pending cleared, one left alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Reason>,
    /// The focus, for messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<FocusTrace>,
    /// The rule that spoke, or the model's label and confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Cow<'static, str>>,
    /// Ids a model was offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// What was looked at among the options somebody was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Box<Account>>,
    /// The prompt of the model that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Box<PromptTrace>>,
}

/// What a prompt is known by; its text is in the effect alone (`spec 05 §4.3`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptTrace {
    /// Of sections 1 to 7.
    pub context_fingerprint: String,
    /// Of sections 1 to 4.
    pub prefix_fingerprint: String,
    /// What had to be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<Omitted>,
}

/// Units of a section that had to be left out of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Omitted {
    /// Which section.
    pub section: Section,
    /// How many messages, facts, lines or tasks.
    pub units: u32,
}

impl PromptTrace {
    pub(crate) fn of(prompt: &Built) -> Box<Self> {
        let omitted =
            prompt.omitted.iter().map(|(section, units)| Omitted { section: *section, units: *units });
        Box::new(Self {
            context_fingerprint: prompt.context_fingerprint.clone(),
            prefix_fingerprint: prompt.prefix_fingerprint.clone(),
            omitted: omitted.collect(),
        })
    }
}

impl Trace {
    /// What the message interrupted with, where it did.
    #[must_use]
    pub fn interrupt(&self) -> Option<Interrupt> {
        self.rule.as_deref().and_then(Interrupt::from_code)
    }

    /// What a predicate of this trace means, in words.
    #[must_use]
    pub fn says(&self, predicate: Predicate) -> Cow<'static, str> {
        match (predicate, &self.focus) {
            (Predicate::Left(reason), _) => reason.says().into(),
            (Predicate::FocusAlone, Some(focus)) => {
                alloc::format!("never decides alone ({})", focus.source.word()).into()
            }
            (plain, _) => plain.plain().map_or("", |(_, says)| says).into(),
        }
    }
}

/// The focus without any text. Its members stand in the order of JCS, as the turn's row has to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FocusTrace {
    /// The anchor, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<MessageId>,
    /// Whether the text needs it, and the words that say so.
    #[serde(default, skip_serializing_if = "no_reference", with = "referring")]
    pub reference: Reference,
    /// How it was found.
    pub source: FocusSource,
    /// Its task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// In a lane of several people, which message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<Thread>,
}

fn no_reference(reference: &Reference) -> bool {
    reference.need == Need::None
}

/// A [`Reference`] as one text, `needs_anchor that again`.
mod referring {
    use super::{Cow, Need, Reference, String};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(reference: &Reference, serializer: S) -> Result<S::Ok, S::Error> {
        let (need, words) = (reference.need.word(), reference.words.as_str());
        serializer.collect_str(&format_args!("{need}{}{words}", if words.is_empty() { "" } else { " " }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Reference, D::Error> {
        let text = Cow::<str>::deserialize(from)?;
        let (need, words) = text.split_once(' ').unwrap_or((&text, ""));
        let known =
            [Need::None, Need::Bound, Need::NeedsAnchor].into_iter().find(|known| known.word() == need);
        let need =
            known.ok_or_else(|| D::Error::custom(alloc::format!("`{need}` is no kind of reference")))?;
        Ok(Reference { need, words: String::from(words) })
    }
}

/// One turn, as much of it as an explanation needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnSummary {
    /// Its id.
    pub turn: TurnId,
    /// When it was decided.
    pub at: Timestamp,
    /// What it was about: an event kind.
    pub event: String,
    /// What was decided.
    pub decision: Decision,
    /// What was looked at.
    pub trace: Trace,
    /// The classes of the effects it planned, with their ids.
    pub effects: Vec<(String, String)>,
}

impl TurnSummary {
    /// The turn in plain words, one thought a line: what `why` prints everywhere.
    #[must_use]
    pub fn explain(&self) -> String {
        crate::say::why(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes are kept for ever: none is there twice, all read back, and each names its rung.
    #[test]
    fn every_predicate_reads_back() {
        let mut passed = Predicate::ALL.to_vec();
        passed
            .extend([Predicate::Left(Reason::PendingMismatch), Predicate::Left(Reason::PendingOtherPerson)]);
        let trace = Trace { passed, ..Trace::default() };
        let stored = serde_json::to_string(&trace).unwrap();
        assert_eq!(
            stored,
            r#"{"passed":"1m 1a 2w 3m 4m 4f 5s 6w 7o 7d 7n 7q 7v 7t 7c 7r 8r 8f 8o 8i 9r 9a 9n 10r 6:pending.mismatch 6:pending.other_person"}"#
        );
        assert_eq!(serde_json::from_str::<Trace>(&stored).unwrap(), trace);
        for predicate in Predicate::ALL {
            let (code, _) = predicate.plain().unwrap();
            let digits = code.trim_end_matches(|c: char| c.is_ascii_lowercase());
            assert_eq!(digits, alloc::format!("{}", predicate.rung().number()), "{code}");
        }
        assert!(serde_json::from_str::<Trace>(r#"{"passed":"1a 99x"}"#).is_err());
        assert_eq!(serde_json::from_str::<Trace>(r#"{"passed":""}"#).unwrap(), Trace::default());
    }
}
