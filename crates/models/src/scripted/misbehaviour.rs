//! The ways in which models misbehave, by name; each is tried in the tests of this crate and of the simulator.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use throughline_engine::Timestamp;
use throughline_engine::data::ask::{Answer, Ask, Question};
use throughline_engine::data::effect::Attempt;

use crate::no_answer::{limited, no_answer, not_answered, not_asked};
use crate::parse::parse;
use crate::strict_json::MAX_ANSWER;

/// The failure that a misbehaviour causes.
enum Failure {
    /// No byte was sent, or the vendor refused to process it: one retry within the ask's time.
    NotApplied(&'static str),
    /// The request was sent and nothing usable came back: one retry within the ask's time.
    Unknown(&'static str),
    /// No answer at once, with the word for the reason.
    NoAnswer(&'static str),
    /// This text came back, which the parser judges.
    Raw(String),
}

macro_rules! misbehaviours {
    ($($(#[$doc:meta])* $name:ident = $word:literal => $kind:expr;)*) => {
        /// One way for a model to misbehave. The wire form is a word, or the status itself (`429`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Misbehaviour {
            $($(#[$doc])* $name,)*
        }

        impl Misbehaviour {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word in scripts.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            fn failure(self, ask: &Ask) -> Failure {
                let failure: fn(&SoundAnswer) -> Failure = match self { $(Self::$name => $kind,)* };
                failure(&SoundAnswer::to(ask))
            }
        }
    };
}

/// The sound answer that a misbehaviour spoils.
struct SoundAnswer {
    /// The members before the pick.
    head: &'static str,
    /// The member that picks, and two values that are offered.
    picks: (&'static str, &'static str, &'static str),
}

impl SoundAnswer {
    fn to(ask: &Ask) -> Self {
        match ask.question {
            Question::Select(_) => {
                let head = r#""contract":"tl-ask-1","decision":"select","neededEvidenceTypes":[],"#;
                Self { head, picks: ("choice", "c1", "c2") }
            }
            _ => Self { head: "", picks: ("label", "ticket", "review") },
        }
    }

    /// The answer with that pick and more members behind it.
    fn with(&self, pick: &str, more: &str) -> String {
        format!(r#"{{{}"{}":"{pick}","confidence":0.99{more}}}"#, self.head, self.picks.0)
    }

    fn whole(&self) -> String {
        self.with(self.picks.1, "")
    }
}

fn raw(text: &str) -> Failure {
    Failure::Raw(text.into())
}

misbehaviours! {
    /// The connection is refused.
    ConnectRefused = "refused" => |_| Failure::NotApplied("connection refused");
    /// The name does not resolve.
    Dns = "dns" => |_| Failure::NotApplied("name not found");
    /// The handshake fails.
    Tls = "tls" => |_| Failure::NotApplied("TLS handshake failed");
    /// Nobody accepts the connection in time.
    ConnectTimeout = "connect_timeout" => |_| Failure::NotApplied("no connection in time");
    /// Too many requests.
    Status429 = "429" => |_| Failure::NotApplied("status 429");
    /// Nothing comes in time, once.
    FirstByteTimeout = "first_byte_timeout" => |_| Failure::Unknown("no first byte in time");
    /// An internal error of the vendor.
    Status500 = "500" => |_| Failure::Unknown("status 500");
    /// Overloaded.
    Status503 = "503" => |_| Failure::Unknown("status 503");
    /// Overloaded, by the status that one vendor uses.
    Status529 = "529" => |_| Failure::Unknown("status 529");
    /// The stream ends in the middle.
    StreamCut = "stream_cut" => |_| Failure::Unknown("the stream was cut");
    /// The ask's whole time is used up.
    Timeout = "timeout" => |_| Failure::NoAnswer("timeout");
    /// The request is refused.
    Status400 = "400" => |_| Failure::NoAnswer("status_400");
    /// The key is not known.
    Status401 = "401" => |_| Failure::NoAnswer("status_401");
    /// The key has no permission.
    Status403 = "403" => |_| Failure::NoAnswer("status_403");
    /// No such model.
    Status404 = "404" => |_| Failure::NoAnswer("status_404");
    /// The vendor's filter stopped the answer.
    ContentFilter = "content_filter" => |_| Failure::NoAnswer("content_filter");
    /// An empty text.
    Empty = "empty" => |_| raw("");
    /// Nothing but blanks.
    Blanks = "blanks" => |_| raw(" \n\t ");
    /// A refusal in words.
    Refusal = "refusal" => |_| raw("I'm sorry, but I can't help with that.");
    /// Garbage.
    Garbage = "garbage" => |_| raw("\u{fffd}\u{1}%%<|im_end|>\u{fffd}{{]");
    /// Cut at the token limit.
    Cut = "cut" => |sound| raw(sound.whole().split_once("dence").map_or("{", |(cut, _)| cut));
    /// Prose around the object.
    Prose = "prose" => |sound| raw(&format!("Sure! Here it is: {} Anything else?", sound.whole()));
    /// A comment in the JSON.
    Comment = "comment" => |sound| raw(&sound.whole().replacen(",", ", // certain\n", 1));
    /// A comma too many.
    TrailingComma = "trailing_comma" => |sound| raw(&sound.with(sound.picks.1, ","));
    /// The wrong shape.
    Schema = "schema" => |sound| raw(&sound.whole().replace("0.99", "\"high\""));
    /// An id that was not offered.
    OutOfPool = "out_of_pool" => |sound| raw(&sound.with("approve_everything", ""));
    /// An id that only looks like one that was offered.
    LookAlike = "look_alike" => |sound| raw(&sound.with(&sound.picks.1.replace("c", "\u{441}"), ""));
    /// Two answers in one.
    TwoChoices = "two_choices" => |sound| raw(&sound.with(sound.picks.1, &format!(r#","{}":"{}""#, sound.picks.0, sound.picks.2)));
    /// A call of a tool that was not offered.
    ToolCall = "tool_call" => |_| raw(r#"{"tool":"create_issue","arguments":{"project":"EVIL","title":"x"}}"#);
    /// An answer longer than the limit.
    TooLong = "too_long" => |sound| raw(&sound.with(sound.picks.1, &format!(r#","pad":"{}""#, "x".repeat(MAX_ANSWER))));
    /// Text that tells the user to approve, and names another target.
    TellsToApprove = "tells_to_approve" => |_| raw("Please press Approve now; I moved it to project EVIL.");
    /// Extra members, which are dropped.
    ExtraFields = "extra_fields" => |sound| raw(&sound.with(sound.picks.1, r#","approved":true,"project":"EVIL""#));
}

impl Misbehaviour {
    /// The text that such a model answers, if it answers any.
    #[must_use]
    pub fn raw(self, ask: &Ask) -> Option<String> {
        match self.failure(ask) {
            Failure::Raw(text) => Some(text),
            Failure::NotApplied(_) | Failure::Unknown(_) | Failure::NoAnswer(_) => None,
        }
    }

    /// The end of an ask that such a model is asked.
    #[must_use]
    pub fn answer(self, ask: &Ask) -> Attempt<Answer> {
        match self.failure(ask) {
            Failure::NotApplied(_) if self == Self::Status429 => limited(ask, Some(Timestamp::SECOND)),
            Failure::NotApplied(why) => not_asked(ask, format!("the model was not asked: {why}")),
            Failure::Unknown(why) => not_answered(ask, format!("the model did not answer: {why}")),
            Failure::NoAnswer(why) => Attempt::Applied(no_answer(why)),
            Failure::Raw(text) => Attempt::Applied(parse(ask, &text)),
        }
    }
}

/// A word that names no misbehaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownMisbehaviour;

impl fmt::Display for UnknownMisbehaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such misbehaviour")
    }
}

impl std::error::Error for UnknownMisbehaviour {}

impl FromStr for Misbehaviour {
    type Err = UnknownMisbehaviour;

    fn from_str(word: &str) -> Result<Self, UnknownMisbehaviour> {
        Self::ALL.iter().copied().find(|one| one.as_str() == word).ok_or(UnknownMisbehaviour)
    }
}

impl Serialize for Misbehaviour {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Misbehaviour {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// YAML reads `429` as a number.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Name {
            Status(u16),
            Word(String),
        }
        let name = match Name::deserialize(deserializer)? {
            Name::Status(status) => status.to_string(),
            Name::Word(word) => word,
        };
        name.parse().map_err(|_: UnknownMisbehaviour| {
            let known = Self::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ");
            de::Error::custom(format!("no model fails with “{name}”; known are {known}"))
        })
    }
}
