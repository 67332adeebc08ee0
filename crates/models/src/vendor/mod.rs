//! Vendors' wire formats (`spec 07 §7`): what a request looks like, and what a reply comes to. No I/O.

mod anthropic;
mod openai_chat;
mod openai_responses;
mod stream;

use serde_json::Value;

use crate::MAX_ANSWER;
pub(crate) use stream::Reading;

/// Which wire format a provider speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `POST {base}/chat/completions`: `OpenAI` and everything that is compatible with it.
    OpenAiChat,
    /// `POST {base}/responses`.
    OpenAiResponses,
    /// `POST {base}/v1/messages`.
    Anthropic,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenAiChat, Self::OpenAiResponses, Self::Anthropic];

    /// Its word in the configuration.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::OpenAiChat => "openai-chat",
            Self::OpenAiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
        }
    }

    /// The kind of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The address of the wire's own maker.
    #[must_use]
    pub fn home(self) -> &'static str {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
        }
    }

    /// The path under the base address.
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::OpenAiChat => "chat/completions",
            Self::OpenAiResponses => "responses",
            Self::Anthropic => "v1/messages",
        }
    }

    /// The header that carries the key, and what stands before it.
    pub(crate) fn key_header(self) -> (&'static str, &'static str) {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => ("authorization", "Bearer "),
            Self::Anthropic => ("x-api-key", ""),
        }
    }

    /// Headers that are always sent.
    pub(crate) fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::OpenAiChat | Self::OpenAiResponses => &[],
            Self::Anthropic => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// The request's body.
    pub(crate) fn body(self, request: &Request<'_>, takes: Takes) -> Value {
        match self {
            Self::OpenAiChat => openai_chat::body(request, takes),
            Self::OpenAiResponses => openai_responses::body(request, takes),
            Self::Anthropic => anthropic::body(request, takes),
        }
    }

    /// Takes in a whole reply.
    fn whole(self, value: &Value, reply: &mut Reply) {
        match self {
            Self::OpenAiChat => openai_chat::read(value, "message", reply),
            Self::OpenAiResponses => openai_responses::whole(value, reply),
            Self::Anthropic => anthropic::whole(value, reply),
        }
        reply.done = true;
    }

    /// Takes in one event of a streamed reply.
    fn event(self, value: &Value, reply: &mut Reply) {
        match self {
            Self::OpenAiChat => openai_chat::read(value, "delta", reply),
            Self::OpenAiResponses => openai_responses::event(value, reply),
            Self::Anthropic => anthropic::event(value, reply),
        }
    }
}

/// What is asked, finished.
pub(crate) struct Request<'a> {
    pub(crate) model: &'a str,
    pub(crate) system: &'a str,
    pub(crate) user: &'a str,
    /// The answer's schema, and its name.
    pub(crate) schema: &'a Value,
    pub(crate) name: &'a str,
    pub(crate) max_output: u32,
}

/// How an answer is made to be JSON, strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// By our schema, enforced by the vendor.
    Schema,
    /// Some object.
    Object,
    /// Because the prompt says so.
    Plain,
}

/// What an endpoint takes: everything, until it refuses something by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Takes {
    pub(crate) form: Form,
    /// `temperature`.
    pub(crate) temperature: bool,
    /// The older name of the limit on output, where there are two.
    pub(crate) max_tokens: bool,
    /// `stream_options`.
    pub(crate) usage: bool,
    /// For Anthropic: the structured-output field instead of a forced tool.
    pub(crate) native: bool,
}

impl Takes {
    pub(crate) fn everything(native: bool) -> Self {
        Self { form: Form::Schema, temperature: true, max_tokens: true, usage: true, native }
    }

    /// What to send instead after a refusal in those words; `None` when nothing in them is ours to change. Every change
    /// goes one way, so there is an end to it.
    pub(crate) fn without(self, refusal: &str, kind: Kind) -> Option<Self> {
        let refusal = refusal.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| refusal.contains(word));
        let next = match self.form {
            Form::Schema => Form::Object,
            Form::Object | Form::Plain => Form::Plain,
        };
        let formats = kind == Kind::OpenAiChat && self.form != Form::Plain;
        if formats && says(&["response_format", "json_schema", "json_object", "structured output"]) {
            return Some(Self { form: next, ..self });
        }
        if self.usage && kind == Kind::OpenAiChat && says(&["stream_options"]) {
            return Some(Self { usage: false, ..self });
        }
        if self.temperature && says(&["temperature"]) {
            return Some(Self { temperature: false, ..self });
        }
        if self.max_tokens && kind == Kind::OpenAiChat && says(&["max_completion_tokens"]) {
            return Some(Self { max_tokens: false, ..self });
        }
        None
    }
}

/// Why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It was done.
    Done,
    /// At the limit of tokens.
    Length,
    /// The vendor's filter.
    Filtered,
    /// It will not.
    Refused,
    /// To have a tool called.
    Tool,
}

/// Tokens as the vendor counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// What a reply came to so far.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// What was said.
    text: String,
    /// What our own tool was called with.
    tool_input: Option<String>,
    /// Which blocks are calls of our tool, by index.
    tool_blocks: Vec<u64>,
    stop: Option<Stop>,
    /// A tool that nobody offered was called.
    foreign_tool: bool,
    /// More than one answer.
    several: bool,
    /// An error inside of the reply, by the vendor's word.
    error: Option<String>,
    usage: Option<Usage>,
    done: bool,
}

/// How a call to a vendor ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The model's own words.
    Said { text: String, usage: Option<Usage> },
    /// No answer, and a second try would not mend it.
    Nothing(String),
    /// A second try may mend it, later: the vendor takes no more for now.
    Limited { hint_ms: Option<i64> },
    /// A second try may mend it: nothing was processed.
    NotApplied(String),
    /// A second try may mend it: nobody knows what became of it.
    Unknown(String),
}

impl Verdict {
    pub(crate) fn nothing(why: &str) -> Self {
        Self::Nothing(why.into())
    }
}

impl Reply {
    fn says(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Our tool is called with this, or with this more.
    fn tool_says(&mut self, json: &str) {
        self.tool_input.get_or_insert_default().push_str(json);
    }

    fn counts(&mut self, usage: &Value, input: &str, output: &str) {
        let count = |name: &str| usage[name].as_u64();
        let so_far = self.usage.unwrap_or_default();
        let (input, output) = (count(input), count(output));
        if input.or(output).is_some() {
            let (input, output) = (input.unwrap_or(so_far.input), output.unwrap_or(so_far.output));
            self.usage = Some(Usage { input, output });
        }
    }

    /// More was said than is read.
    pub(crate) fn too_long(&self) -> bool {
        self.text.len().max(self.tool_input.as_ref().map_or(0, String::len)) > MAX_ANSWER
    }

    /// What the finished reply is worth, before anybody looks at the words.
    pub(crate) fn verdict(self) -> Verdict {
        if self.too_long() {
            return Verdict::nothing("too_long");
        }
        if let Some(error) = self.error {
            return Verdict::Unknown(format!("the model did not answer: {error}"));
        }
        match self.stop {
            _ if self.several => return Verdict::nothing("two_choices"),
            Some(Stop::Refused) => return Verdict::nothing("refusal"),
            Some(Stop::Filtered) => return Verdict::nothing("content_filter"),
            Some(Stop::Length) => return Verdict::nothing("cut"),
            Some(Stop::Tool) => return Verdict::nothing("tool_call"),
            _ if self.foreign_tool => return Verdict::nothing("tool_call"),
            Some(Stop::Done) => {}
            None if self.done => {}
            None => return Verdict::Unknown("the model did not answer: the stream was cut".into()),
        }
        Verdict::Said { text: self.tool_input.unwrap_or(self.text), usage: self.usage }
    }
}

/// A vendor's own word for an error, when it is a word: their sentences may repeat the prompt.
pub(crate) fn error_word(error: &Value) -> String {
    let word = ["code", "type", "status"].iter().find_map(|name| error[*name].as_str());
    let plain = |word: &&str| {
        word.len() <= 60 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
    };
    word.filter(plain).unwrap_or("an error").to_owned()
}

#[cfg(test)]
mod tests;
