//! Match of a message against a pending question (`docs/design/0014-pending-questions.md`).

use crate::data::focus::FocusContext;
use crate::data::pending::PendingState;
use crate::data::time::Timestamp;
use throughline_language as language;
use throughline_language::Match;
use throughline_language::{Context, Expected, Words};

impl PendingState {
    /// Judges a message of `by` at the time `now` as an answer to this question. `context` is what the
    /// recognisers need to read it.
    #[must_use]
    pub fn match_message(
        &self,
        message: &Words,
        by: &str,
        focus: &FocusContext,
        now: Timestamp,
        context: &Context<'_>,
    ) -> PendingMatch {
        if self.expires_at.is_some_and(|end| now > end) {
            return PendingMatch::Expired;
        }
        if focus.replies() && focus.anchor_id() != Some(&self.anchor) {
            return PendingMatch::OtherAnchor;
        }
        if self.asked_of.as_deref().is_some_and(|asked| asked != by) {
            return PendingMatch::OtherPerson;
        }
        let Some(expected) = &self.expected else { return PendingMatch::Mismatch("takes no text") };
        match language::read(expected, message, context) {
            Ok(found) => PendingMatch::Applies(found),
            Err(no) => match language::read(&Expected::Number, message, context) {
                Ok(number) if *expected == Expected::Integer => PendingMatch::Unfit(number),
                _ => PendingMatch::Mismatch(no.reason),
            },
        }
    }
}

/// Relation of a message to a conversational pending. The checks run in the order expired, other anchor,
/// other person, unfit, mismatch.
#[derive(Clone, Debug, PartialEq)]
pub enum PendingMatch {
    /// It is an answer.
    Applies(Match),
    /// It came too late. The pending is cleared.
    Expired,
    /// It replies to something else. The pending stays.
    OtherAnchor,
    /// Somebody else was asked. The pending stays.
    OtherPerson,
    /// It is a number where a whole one is wanted. The pending stays.
    Unfit(Match),
    /// It is not an answer. The pending is cleared, and the word goes into the trace.
    Mismatch(&'static str),
}
