//! A reply's bytes as they come in: server-sent events line by line, or one JSON document.

use serde_json::Value;

use super::{Kind, Reply, Verdict};

/// The most bytes of a reply that are read (`spec 06 §4.4`). Events wrap a few letters in hundreds of bytes, so this is
/// more than an answer may have.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// A reply being read.
pub(crate) struct Reading {
    kind: Kind,
    streamed: bool,
    /// What is not yet a whole line, or not yet the whole document.
    rest: Vec<u8>,
    read: usize,
    reply: Reply,
}

impl Reading {
    /// A reply of that content type begins.
    pub(crate) fn new(kind: Kind, content_type: &str) -> Self {
        let streamed = content_type.trim_start().starts_with("text/event-stream");
        Self { kind, streamed, rest: Vec::new(), read: 0, reply: Reply::default() }
    }

    /// Takes in more bytes; `false` when there are more than is read.
    pub(crate) fn more(&mut self, bytes: &[u8]) -> bool {
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

    /// Everything that matters of an event is in its data, which all three vendors write on one line.
    fn line(&mut self, line: &[u8]) {
        let Some(data) = line.strip_prefix(b"data:") else { return };
        match serde_json::from_slice::<Value>(data) {
            Ok(event) => self.kind.event(&event, &mut self.reply),
            Err(_) if data.trim_ascii() == b"[DONE]" => self.reply.done = true,
            Err(_) => self.reply.error = Some("an event that is no JSON".into()),
        }
    }

    /// The bytes came to their end.
    pub(crate) fn end(mut self) -> Verdict {
        if self.streamed {
            let rest = std::mem::take(&mut self.rest);
            self.line(&rest);
            return self.reply.verdict();
        }
        match serde_json::from_slice::<Value>(&self.rest) {
            Ok(whole @ Value::Object(_)) => {
                self.kind.whole(&whole, &mut self.reply);
                self.reply.verdict()
            }
            _ => Verdict::Unknown("the model did not answer: what came back is no JSON".into()),
        }
    }

    /// It was stopped for being too long.
    pub(crate) fn too_long() -> Verdict {
        Verdict::nothing("too_long")
    }
}
