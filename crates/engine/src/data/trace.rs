//! The trace of a turn: every rung tried, and the predicate on which each one that did not decide failed.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::data::decision::{Decision, Reason};
use crate::data::focus::FocusTrace;
use crate::data::id::TurnId;
use crate::data::prompt::{BuiltPrompt, PromptSection};
use crate::data::rung::Rung;
use crate::data::selection_trace::SelectionTrace;
use crate::data::time::Timestamp;
use throughline_language::Interrupt;
use throughline_messages::{self as say, Language};

macro_rules! predicates {
    ($($name:ident = $rung:ident, $code:literal, $says:path;)*) => {
        /// The reason that a rung did not decide. A turn's row keeps its code, which is stable; its words are
        /// added when somebody asks.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Predicate {
            $(#[doc = concat!("`", $code, "`")] $name,)*
            /// The pending question was left alone, or cleared, for this reason.
            Left(Reason),
        }

        impl Predicate {
            /// Every predicate without a value, in the routing order.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the rung that tests it.
            #[must_use]
            pub fn rung(self) -> Rung {
                match self { $(Self::$name => Rung::$rung,)* Self::Left(_) => Rung::Pending }
            }

            /// Returns the stable code of a predicate without a value.
            fn plain(self) -> Option<&'static str> {
                match self { $(Self::$name => Some($code),)* Self::Left(_) => None }
            }

            /// Returns what it means, in words.
            #[must_use]
            pub fn says(self, language: Language) -> String {
                match self {
                    $(Self::$name => $says(language),)*
                    Self::Left(reason) => reason.says(language),
                }
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
    NotAMessage = Addressing, "1m", say::passed_not_a_message;
    ToUs = Addressing, "1a", say::passed_to_us;
    NoWorkflow = Workflow, "2w", say::passed_no_workflow;
    AMessage = Settled, "3m", say::passed_a_message;
    NoFocus = Focus, "4m", say::passed_no_focus;
    FocusAlone = Focus, "4f", say::passed_focus_alone;
    NotAStop = Interrupt, "5s", say::passed_not_a_stop;
    NothingWaits = Pending, "6w", say::passed_nothing_waits;
    NoOptions = Selection, "7o", say::passed_no_options;
    SelectionOff = Selection, "7d", say::passed_selection_off;
    NotAnOption = Selection, "7n", say::passed_not_an_option;
    SelectionQuestion = Selection, "7q", say::passed_selection_question;
    SelectionVerify = Selection, "7v", say::passed_selection_verify;
    OptionTaken = Selection, "7t", say::passed_option_taken;
    SelectionCommand = Selection, "7c", say::passed_selection_command;
    SelectionReleased = Selection, "7r", say::passed_selection_released;
    NoReview = Review, "8r", say::passed_no_review;
    ReviewNotFocus = Review, "8f", say::passed_review_not_focus;
    ReviewOver = Review, "8o", say::passed_review_over;
    OtherIntent = Review, "8i", say::passed_other_intent;
    NoRule = Intent, "9r", say::passed_no_rule;
    AskedAlready = Intent, "9a", say::passed_asked_already;
    NoAnswer = Intent, "9n", say::passed_no_answer;
    NothingRemembered = Remembered, "10r", say::passed_nothing_remembered;
}

/// Prefix of the code of [`Predicate::Left`]; the reason's own code follows.
const LEFT: &str = "6:";

/// Stores several predicates as one text, `1a 2w 3m`: for `#[serde(with = "codes")]`.
pub mod codes {
    use super::{LEFT, Predicate, String, Vec};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    /// Writes the codes.
    ///
    /// # Errors
    /// Fails if the serializer does.
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
                (plain, _) => codes.push_str(plain.unwrap_or_default()),
            }
        }
        serializer.serialize_str(&codes)
    }

    /// Reads the codes back.
    ///
    /// # Errors
    /// Fails if a code is unknown to this version.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Predicate>, D::Error> {
        let codes = alloc::borrow::Cow::<str>::deserialize(from)?;
        let read = |code| {
            Predicate::from_code(code)
                .ok_or_else(|| D::Error::custom(alloc::format!("`{code}` is not the code of a predicate")))
        };
        codes.split_terminator(' ').map(read).collect()
    }
}

/// The account of how a turn decided.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The predicates on which rungs failed to decide, in order.
    #[serde(with = "codes")]
    pub passed: Vec<Predicate>,
    /// Events on the way: a pending question cleared, or left alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Reason>,
    /// The focus, for messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<FocusTrace>,
    /// The rule that matched, or the model's label and confidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Cow<'static, str>>,
    /// Ids that a model was offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// The account of reading the text against options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Box<SelectionTrace>>,
    /// The prompt of the model that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Box<PromptTrace>>,
}

/// The fingerprints of a prompt; its text is kept in the effect alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptTrace {
    /// Fingerprint of sections 1 to 7.
    pub context_fingerprint: String,
    /// Fingerprint of sections 1 to 4.
    pub prefix_fingerprint: String,
    /// Units that had to be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<Omitted>,
}

/// Units of a section that had to be left out of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Omitted {
    /// The section.
    pub section: PromptSection,
    /// Number of messages, facts, lines or tasks.
    pub units: u32,
}

impl PromptTrace {
    pub(crate) fn of(prompt: &BuiltPrompt) -> Box<Self> {
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
    /// Returns the interruption in the message, if there was one.
    #[must_use]
    pub fn interrupt(&self) -> Option<Interrupt> {
        self.rule.as_deref().and_then(Interrupt::from_code)
    }

    /// Returns the meaning of a predicate of this trace, in words.
    #[must_use]
    pub fn says(&self, predicate: Predicate, language: Language) -> String {
        match (predicate, &self.focus) {
            (Predicate::FocusAlone, Some(focus)) => say::passed_focus_source(language, focus.source.as_str()),
            (predicate, _) => predicate.says(language),
        }
    }
}

/// The part of a turn that an explanation needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnSummary {
    /// Its id.
    pub turn: TurnId,
    /// Moment of the decision.
    pub at: Timestamp,
    /// Kind of the event that it stepped.
    pub event: String,
    /// The decision.
    pub decision: Decision,
    /// Its trace.
    pub trace: Trace,
    /// Classes of the effects it planned, with their ids.
    pub effects: Vec<(String, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Codes are stable for ever: none repeats, all read back, and each names its rung.
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
            let code = predicate.plain().unwrap();
            let digits = code.trim_end_matches(|c: char| c.is_ascii_lowercase());
            assert_eq!(digits, alloc::format!("{}", predicate.rung().number()), "{code}");
        }
        assert!(serde_json::from_str::<Trace>(r#"{"passed":"1a 99x"}"#).is_err());
        assert_eq!(serde_json::from_str::<Trace>(r#"{"passed":""}"#).unwrap(), Trace::default());
    }
}
