//! Threads in a lane shared by several people: the message that another one answers. Shown in the trace;
//! decides nothing.

use alloc::vec::Vec;

use throughline_language::reply::{Post, Reply, reply_to};

use crate::data::focus::ThreadPosition;
use crate::data::message::Message;
use crate::data::time::Timestamp;

/// Finds which message of `window`, oldest first, is answered by a text that `by` posts at `at`. `None` if
/// `window` is empty or holds only messages of `by`.
#[must_use]
pub fn replied_to(window: &[&Message], by: &str, text: &str, at: Timestamp) -> Option<ThreadPosition> {
    let posts: Vec<Post<'_>> = window.iter().map(|message| Post::from(*message)).collect();
    let found = reply_to(&posts, &Post { by, to: None, text, at_ms: at.0 })?;
    Some(match found {
        Reply::New => ThreadPosition::StartsAnew,
        Reply::To(at) => ThreadPosition::Answers(window[at].id.clone()),
    })
}

impl<'m> From<&'m Message> for Post<'m> {
    fn from(message: &'m Message) -> Self {
        Self { by: &message.by, to: message.to.as_deref(), text: &message.text, at_ms: message.at.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_it_in_a_word() {
        for (thread, word) in
            [(ThreadPosition::StartsAnew, "\"new\""), (ThreadPosition::Answers("m_8_0".into()), "\"m_8_0\"")]
        {
            assert_eq!(serde_json::to_string(&thread).unwrap(), word);
            assert_eq!(serde_json::from_str::<ThreadPosition>(word).unwrap(), thread);
        }
    }
}
