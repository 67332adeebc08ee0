//! The thirty misbehaviours of `spec 07 §7`, LLM-01, by name.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use throughline_engine::Timestamp;
use throughline_engine::ask::{Answer, Ask, Question};
use throughline_engine::effect::Attempt;

use crate::once::{limited, not_answered, not_asked};
use crate::{MAX_ANSWER, no_answer, parse};

/// What an ask may come to.
enum Kind {
    /// No byte was sent, or the vendor refused to process it: one retry in budget.
    NotApplied(&'static str),
    /// Sent, and nothing usable came: one retry in budget.
    Unknown(&'static str),
    /// No answer at once, and the word for why.
    NoAnswer(&'static str),
    /// This text came back, and the parser says what it is worth.
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

            /// Its word.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            fn kind(self, ask: &Ask) -> Kind {
                let kind: fn(&Sound) -> Kind = match self { $(Self::$name => $kind,)* };
                kind(&Sound::to(ask))
            }
        }
    };
}

/// The answer that a misbehaviour spoils.
struct Sound {
    /// All but the pick and what stands behind it.
    head: &'static str,
    /// The member that picks, and what it picks: both are one of several that are offered.
    picks: (&'static str, &'static str, &'static str),
}

impl Sound {
    fn to(ask: &Ask) -> Self {
        match ask.question {
            Question::Select(_) => {
                let head = r#""contract":"tl-ask-1","decision":"select","neededEvidenceTypes":[],"#;
                Self { head, picks: ("choice", "c1", "c2") }
            }
            _ => Self { head: "", picks: ("label", "ticket", "review") },
        }
    }

    /// The answer, with that pick and more behind it.
    fn with(&self, pick: &str, more: &str) -> String {
        format!(r#"{{{}"{}":"{pick}","confidence":0.99{more}}}"#, self.head, self.picks.0)
    }

    fn whole(&self) -> String {
        self.with(self.picks.1, "")
    }
}

fn raw(text: &str) -> Kind {
    Kind::Raw(text.into())
}

misbehaviours! {
    /// The connection is refused.
    ConnectRefused = "refused" => |_| Kind::NotApplied("connection refused");
    /// The name does not resolve.
    Dns = "dns" => |_| Kind::NotApplied("name not found");
    /// The handshake fails.
    Tls = "tls" => |_| Kind::NotApplied("TLS handshake failed");
    /// Nobody accepts the connection in time.
    ConnectTimeout = "connect_timeout" => |_| Kind::NotApplied("no connection in time");
    /// Slow down.
    Status429 = "429" => |_| Kind::NotApplied("status 429");
    /// Nothing comes in time, once.
    FirstByteTimeout = "first_byte_timeout" => |_| Kind::Unknown("no first byte in time");
    /// An error of theirs.
    Status500 = "500" => |_| Kind::Unknown("status 500");
    /// Overloaded.
    Status503 = "503" => |_| Kind::Unknown("status 503");
    /// Overloaded, as one vendor says it.
    Status529 = "529" => |_| Kind::Unknown("status 529");
    /// The stream ends in the middle.
    StreamCut = "stream_cut" => |_| Kind::Unknown("the stream was cut");
    /// The ask's whole time is used up.
    Timeout = "timeout" => |_| Kind::NoAnswer("timeout");
    /// The vendor did not like the request.
    Status400 = "400" => |_| Kind::NoAnswer("status_400");
    /// The key is not known.
    Status401 = "401" => |_| Kind::NoAnswer("status_401");
    /// The key may not.
    Status403 = "403" => |_| Kind::NoAnswer("status_403");
    /// No such model.
    Status404 = "404" => |_| Kind::NoAnswer("status_404");
    /// The vendor's filter stopped the answer.
    ContentFilter = "content_filter" => |_| Kind::NoAnswer("content_filter");
    /// Nothing.
    Empty = "empty" => |_| raw("");
    /// Nothing but blanks.
    Blanks = "blanks" => |_| raw(" \n\t ");
    /// It will not.
    Refusal = "refusal" => |_| raw("I'm sorry, but I can't help with that.");
    /// Bytes of no language.
    Garbage = "garbage" => |_| raw("\u{fffd}\u{1}%%<|im_end|>\u{fffd}{{]");
    /// Cut at the token limit.
    Cut = "cut" => |sound| raw(sound.whole().split_once("dence").map_or("{", |(cut, _)| cut));
    /// The object with talk around it.
    Prose = "prose" => |sound| raw(&format!("Sure! Here it is: {} Anything else?", sound.whole()));
    /// A comment in the JSON.
    Comment = "comment" => |sound| raw(&sound.whole().replacen(",", ", // certain\n", 1));
    /// A comma too many.
    TrailingComma = "trailing_comma" => |sound| raw(&sound.with(sound.picks.1, ","));
    /// The wrong shape.
    Schema = "schema" => |sound| raw(&sound.whole().replace("0.99", "\"high\""));
    /// An id nobody offered.
    OutOfPool = "out_of_pool" => |sound| raw(&sound.with("approve_everything", ""));
    /// An id that only looks like one that was offered.
    LookAlike = "look_alike" => |sound| raw(&sound.with(&sound.picks.1.replace("c", "\u{441}"), ""));
    /// Two answers in one.
    TwoChoices = "two_choices" => |sound| raw(&sound.with(sound.picks.1, &format!(r#","{}":"{}""#, sound.picks.0, sound.picks.2)));
    /// A tool call nobody offered.
    ToolCall = "tool_call" => |_| raw(r#"{"tool":"create_issue","arguments":{"project":"EVIL","title":"x"}}"#);
    /// More than is read.
    TooLong = "too_long" => |sound| raw(&sound.with(sound.picks.1, &format!(r#","pad":"{}""#, "x".repeat(MAX_ANSWER))));
    /// Text that tells the user to approve, and names another target.
    TellsToApprove = "tells_to_approve" => |_| raw("Please press Approve now; I moved it to project EVIL.");
    /// Accepted: members nobody asked for.
    ExtraFields = "extra_fields" => |sound| raw(&sound.with(sound.picks.1, r#","approved":true,"project":"EVIL""#));
}

impl Misbehaviour {
    /// The misbehaviour of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.word() == word)
    }

    /// The text such a model sends back to this, when it sends any.
    #[must_use]
    pub fn raw(self, ask: &Ask) -> Option<String> {
        match self.kind(ask) {
            Kind::Raw(text) => Some(text),
            Kind::NotApplied(_) | Kind::Unknown(_) | Kind::NoAnswer(_) => None,
        }
    }

    /// How an ask ends.
    #[must_use]
    pub fn answer(self, ask: &Ask) -> Attempt<Answer> {
        match self.kind(ask) {
            Kind::NotApplied(_) if self == Self::Status429 => limited(ask, Some(Timestamp::SECOND)),
            Kind::NotApplied(why) => not_asked(ask, format!("the model was not asked: {why}")),
            Kind::Unknown(why) => not_answered(ask, format!("the model did not answer: {why}")),
            Kind::NoAnswer(why) => Attempt::Applied(no_answer(why)),
            Kind::Raw(text) => Attempt::Applied(parse(ask, &text)),
        }
    }
}

impl Serialize for Misbehaviour {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
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
        Self::from_word(&name).ok_or_else(|| {
            let known = Self::ALL.iter().map(|one| one.word()).collect::<Vec<_>>().join(", ");
            de::Error::custom(format!("no model fails with “{name}”; known are {known}"))
        })
    }
}
