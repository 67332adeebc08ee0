//! A reply while it is read, and how the call ended.

use serde_json::Value;

use crate::strict_json::MAX_ANSWER;

/// The reason a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// The answer is complete.
    Done,
    /// The token limit was reached.
    Length,
    /// The vendor's filter stopped it.
    Filtered,
    /// The model refused.
    Refused,
    /// It wants a tool to be called.
    Tool,
}

/// Tokens as the vendor add_usage them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// A reply as far as it has been read.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// The text.
    pub(super) text: String,
    /// The input of the offered tool's call.
    pub(super) tool_input: Option<String>,
    /// The indexes of blocks that call the offered tool.
    pub(super) tool_blocks: Vec<u64>,
    pub(super) stop: Option<StopReason>,
    /// True if a tool was called that was not offered.
    pub(super) unknown_tool: bool,
    /// True if there is more than one answer.
    pub(super) several: bool,
    /// An error inside the reply, by the vendor's word.
    pub(super) error: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) done: bool,
}

/// The end of a call to a vendor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallOutcome {
    /// The model answered with this text.
    Answered { text: String, usage: Option<Usage> },
    /// No answer, and a second attempt would not mend it; the stable word for the reason.
    NoAnswer(String),
    /// Rate limited; a later attempt may mend it.
    Limited { hint_ms: Option<i64> },
    /// Nothing was processed; a second attempt may mend it.
    NotApplied(String),
    /// It is not known what happened; a second attempt may mend it.
    Unknown(String),
}

impl CallOutcome {
    pub(crate) fn no_answer(why: &str) -> Self {
        Self::NoAnswer(why.into())
    }
}

impl Reply {
    pub(super) fn push_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds to the input of the offered tool's call.
    pub(super) fn push_tool_input(&mut self, json: &str) {
        self.tool_input.get_or_insert_default().push_str(json);
    }

    pub(super) fn add_usage(&mut self, usage: &Value, input: &str, output: &str) {
        let count = |name: &str| usage[name].as_u64();
        let so_far = self.usage.unwrap_or_default();
        let (input, output) = (count(input), count(output));
        if input.or(output).is_some() {
            let (input, output) = (input.unwrap_or(so_far.input), output.unwrap_or(so_far.output));
            self.usage = Some(Usage { input, output });
        }
    }

    /// The raw answer so far, and true if it is the input of a tool's call.
    pub(crate) fn raw(&self) -> (&str, bool) {
        match &self.tool_input {
            Some(input) => (input, true),
            None => (&self.text, false),
        }
    }

    /// True if the answer is longer than the limit.
    pub(crate) fn too_long(&self) -> bool {
        self.text.len().max(self.tool_input.as_ref().map_or(0, String::len)) > MAX_ANSWER
    }

    /// Judges the finished reply, before its text is parsed.
    pub(crate) fn outcome(self) -> CallOutcome {
        if self.too_long() {
            return CallOutcome::no_answer("too_long");
        }
        if let Some(error) = self.error {
            return CallOutcome::Unknown(format!("the model did not answer: {error}"));
        }
        match self.stop {
            _ if self.several => return CallOutcome::no_answer("two_choices"),
            Some(StopReason::Refused) => return CallOutcome::no_answer("refusal"),
            Some(StopReason::Filtered) => return CallOutcome::no_answer("content_filter"),
            Some(StopReason::Length) => return CallOutcome::no_answer("cut"),
            Some(StopReason::Tool) => return CallOutcome::no_answer("tool_call"),
            _ if self.unknown_tool => return CallOutcome::no_answer("tool_call"),
            Some(StopReason::Done) => {}
            None if self.done => {}
            None => return CallOutcome::Unknown("the model did not answer: the stream was cut".into()),
        }
        CallOutcome::Answered { text: self.tool_input.unwrap_or(self.text), usage: self.usage }
    }
}

/// A vendor's own word for an error, if it is one word: their sentences may repeat the prompt.
pub(crate) fn error_word(error: &Value) -> String {
    let word = ["code", "type", "status"].iter().find_map(|name| error[*name].as_str());
    let plain = |word: &&str| {
        word.len() <= 60 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
    };
    word.filter(plain).unwrap_or("an error").to_owned()
}
