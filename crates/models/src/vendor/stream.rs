//! Reads a reply's bytes as they come in: server-sent events line by line, or one JSON document.

use serde_json::Value;

use super::kind::Kind;
use super::reply::{CallOutcome, Reply};

/// The most bytes of a reply that are read. Events wrap a few letters in hundreds of bytes, so this is more than an
/// answer may have.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// A reply that is being read.
pub(crate) struct ReplyReader {
    kind: Kind,
    streamed: bool,
    /// Bytes that are not a whole line yet, or not the whole document.
    rest: Vec<u8>,
    read: usize,
    reply: Reply,
}

impl ReplyReader {
    /// Starts reading a reply of that content type.
    pub(crate) fn new(kind: Kind, content_type: &str) -> Self {
        let streamed = content_type.trim_start().starts_with("text/event-stream");
        Self { kind, streamed, rest: Vec::new(), read: 0, reply: Reply::default() }
    }

    /// Reads more bytes; returns false once there are more than the limit.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> bool {
        self.read += bytes.len();
        if self.read > MAX_BODY {
            return false;
        }
        self.rest.extend_from_slice(bytes);
        if self.streamed {
            while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                self.line(&line);
            }
        }
        !self.reply.too_long()
    }

    /// Reads one line. Everything that matters of an event is in its data, which all vendors write on one line.
    fn line(&mut self, line: &[u8]) {
        let Some(data) = line.strip_prefix(b"data:") else { return };
        match serde_json::from_slice::<Value>(data) {
            Ok(event) => self.kind.read_event(&event, &mut self.reply),
            Err(_) if data.trim_ascii() == b"[DONE]" => self.reply.done = true,
            Err(_) => self.reply.error = Some("an event that is no JSON".into()),
        }
    }

    /// The reply as far as it has been read.
    pub(crate) fn so_far(&self) -> &Reply {
        &self.reply
    }

    /// Ends the reading and judges the reply.
    pub(crate) fn finish(mut self) -> CallOutcome {
        if self.streamed {
            let rest = std::mem::take(&mut self.rest);
            self.line(&rest);
            return self.reply.outcome();
        }
        match serde_json::from_slice::<Value>(&self.rest) {
            Ok(whole @ Value::Object(_)) => {
                self.kind.read_document(&whole, &mut self.reply);
                self.reply.outcome()
            }
            _ => CallOutcome::Unknown("the model did not answer: what came back is no JSON".into()),
        }
    }

    /// The outcome of a reply that is too long.
    pub(crate) fn too_long() -> CallOutcome {
        CallOutcome::no_answer("too_long")
    }
}
