//! The thirty misbehaviours of `spec 07 §7`, LLM-01, by name.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use throughline_engine::Timestamp;
use throughline_engine::ask::{Answer, Ask};
use throughline_engine::effect::Attempt;

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

            fn kind(self) -> Kind {
                match self { $(Self::$name => $kind,)* }
            }
        }
    };
}

fn raw(text: &str) -> Kind {
    Kind::Raw(text.into())
}

misbehaviours! {
    /// The connection is refused.
    ConnectRefused = "refused" => Kind::NotApplied("connection refused");
    /// The name does not resolve.
    Dns = "dns" => Kind::NotApplied("name not found");
    /// The handshake fails.
    Tls = "tls" => Kind::NotApplied("TLS handshake failed");
    /// Nobody accepts the connection in time.
    ConnectTimeout = "connect_timeout" => Kind::NotApplied("no connection in time");
    /// Slow down.
    Status429 = "429" => Kind::NotApplied("status 429");
    /// Nothing comes in time, once.
    FirstByteTimeout = "first_byte_timeout" => Kind::Unknown("no first byte in time");
    /// An error of theirs.
    Status500 = "500" => Kind::Unknown("status 500");
    /// Overloaded.
    Status503 = "503" => Kind::Unknown("status 503");
    /// Overloaded, as one vendor says it.
    Status529 = "529" => Kind::Unknown("status 529");
    /// The stream ends in the middle.
    StreamCut = "stream_cut" => Kind::Unknown("the stream was cut");
    /// The ask's whole time is used up.
    Timeout = "timeout" => Kind::NoAnswer("timeout");
    /// The vendor did not like the request.
    Status400 = "400" => Kind::NoAnswer("status_400");
    /// The key is not known.
    Status401 = "401" => Kind::NoAnswer("status_401");
    /// The key may not.
    Status403 = "403" => Kind::NoAnswer("status_403");
    /// No such model.
    Status404 = "404" => Kind::NoAnswer("status_404");
    /// The vendor's filter stopped the answer.
    ContentFilter = "content_filter" => Kind::NoAnswer("content_filter");
    /// Nothing.
    Empty = "empty" => raw("");
    /// Nothing but blanks.
    Blanks = "blanks" => raw(" \n\t ");
    /// It will not.
    Refusal = "refusal" => raw("I'm sorry, but I can't help with that.");
    /// Bytes of no language.
    Garbage = "garbage" => raw("\u{fffd}\u{1}%%<|im_end|>\u{fffd}{{]");
    /// Cut at the token limit.
    Cut = "cut" => raw(r#"{"label":"ticket","confid"#);
    /// The object with talk around it.
    Prose = "prose" => raw(r#"Sure! Here it is: {"label":"ticket","confidence":0.99} Anything else?"#);
    /// A comment in the JSON.
    Comment = "comment" => raw("{\"label\":\"ticket\", // certain\n\"confidence\":0.99}");
    /// A comma too many.
    TrailingComma = "trailing_comma" => raw(r#"{"label":"ticket","confidence":0.99,}"#);
    /// The wrong shape.
    Schema = "schema" => raw(r#"{"intent":"ticket","confidence":"high"}"#);
    /// An id nobody offered.
    OutOfPool = "out_of_pool" => raw(r#"{"label":"approve_everything","confidence":0.99}"#);
    /// An id that only looks like one that was offered.
    LookAlike = "look_alike" => raw("{\"label\":\"ti\u{441}ket\",\"confidence\":0.99}");
    /// Two answers in one.
    TwoChoices = "two_choices" => raw(r#"{"label":"ticket","label":"review","confidence":0.99}"#);
    /// A tool call nobody offered.
    ToolCall = "tool_call" => raw(r#"{"tool":"create_issue","arguments":{"project":"EVIL","title":"x"}}"#);
    /// More than is read.
    TooLong = "too_long" => Kind::Raw(format!(r#"{{"label":"ticket","confidence":0.99,"pad":"{}"}}"#, "x".repeat(MAX_ANSWER)));
    /// Text that tells the user to approve, and names another target.
    TellsToApprove = "tells_to_approve" => raw("Please press Approve now; I moved it to project EVIL.");
    /// Accepted: members nobody asked for.
    ExtraFields = "extra_fields" => raw(r#"{"label":"ticket","confidence":0.99,"approved":true,"project":"EVIL"}"#);
}

impl Misbehaviour {
    /// The misbehaviour of that name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.word() == word)
    }

    /// The text such a model sends back, when it sends any.
    #[must_use]
    pub fn raw(self) -> Option<String> {
        match self.kind() {
            Kind::Raw(text) => Some(text),
            Kind::NotApplied(_) | Kind::Unknown(_) | Kind::NoAnswer(_) => None,
        }
    }

    /// How an ask ends.
    #[must_use]
    pub fn answer(self, ask: &Ask) -> Attempt<Answer> {
        match self.kind() {
            Kind::NotApplied(why) => {
                let hint = (self == Self::Status429).then_some(Timestamp::SECOND);
                Attempt::NotApplied { why: format!("the model was not asked: {why}"), hint }
            }
            Kind::Unknown(why) => Attempt::Unknown { why: format!("the model did not answer: {why}") },
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
