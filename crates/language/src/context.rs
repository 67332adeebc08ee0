//! The situation in which a message is read: the time, the person's clock, and the question.

use alloc::string::String;
use core::cell::OnceCell;

use jiff::SignedDuration;
use jiff::civil::DateTime;

use super::Words;
use super::gazetteer::Configured;

/// The situation in which a message is read.
///
/// ```
/// use throughline_language::{Context, Expected, Words, read};
///
/// let noon = Context::at(1_768_392_000_000, 0).to("When do you leave?");
/// let answer = read(&Expected::Time, &Words::of("in two hours"), &noon)?;
/// assert_eq!(answer.value.text(), "14:00");
/// # Ok::<(), throughline_language::NoMatch>(())
/// ```
#[derive(Clone, Debug)]
pub struct Context<'c> {
    /// The time of the message, in milliseconds since 1970-01-01T00:00:00Z. "Tomorrow" counts from here.
    pub now_ms: i64,
    /// The offset of the person's clock from UTC, in seconds; positive to the east.
    pub offset_s: i32,
    /// The question as it was asked; empty when nobody knows.
    pub asked: &'c str,
    /// True if the message is about the question, as far as that is known. A mere "ok" answers no other question.
    pub focused: bool,
    /// The question's words, cut when somebody needs them.
    question: OnceCell<Words>,
    /// Configured names of places.
    configured: &'c [String],
    /// Their words, cut when somebody needs them.
    places: OnceCell<Configured>,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self {
            now_ms: 0,
            offset_s: 0,
            asked: "",
            focused: true,
            question: OnceCell::new(),
            configured: &[],
            places: OnceCell::new(),
        }
    }
}

impl<'c> Context<'c> {
    /// A context of a moment, on a clock so far ahead of UTC.
    #[must_use]
    pub fn at(now_ms: i64, offset_s: i32) -> Self {
        Self { now_ms, offset_s, ..Self::default() }
    }

    /// This context, for an answer to a question.
    #[must_use]
    pub fn to(self, asked: &'c str) -> Self {
        Self { asked, question: OnceCell::new(), ..self }
    }

    /// The moment on the person's clock.
    pub(crate) fn local(&self) -> DateTime {
        let ms = self.now_ms.saturating_add(i64::from(self.offset_s) * 1_000);
        // Outside the calendar there is no day to count from; the end that is near does.
        let end = if ms < 0 { DateTime::MIN } else { DateTime::MAX };
        DateTime::constant(1970, 1, 1, 0, 0, 0, 0).checked_add(SignedDuration::from_millis(ms)).unwrap_or(end)
    }

    /// The offset of the person's clock from UTC, in minutes.
    pub(crate) fn ahead(&self) -> i64 {
        i64::from(self.offset_s) / 60
    }

    /// This context, with names of places that are known besides those of the gazetteer.
    #[must_use]
    pub fn knowing(self, configured: &'c [String]) -> Self {
        Self { configured, places: OnceCell::new(), ..self }
    }

    /// The names of places that are configured.
    pub(crate) fn places(&self) -> &Configured {
        self.places.get_or_init(|| Configured::of(self.configured))
    }

    /// The question's words.
    pub(crate) fn question(&self) -> &Words {
        self.question.get_or_init(|| Words::of(self.asked))
    }
}
