//! What a message is read against, besides what the question expects: when, on whose clock, in which language, and
//! the question itself.

use alloc::string::String;
use core::cell::OnceCell;

use jiff::SignedDuration;
use jiff::civil::DateTime;

use super::Words;
use super::gazetteer::Configured;
use super::lexicon::{LANGUAGES, Lexicon, RECOGNIZE};
use crate::time::Timestamp;

/// See the module.
#[derive(Clone, Debug)]
pub struct Context<'c> {
    /// When the message came in: what "tomorrow" is counted from.
    pub now: Timestamp,
    /// How far the person's clock is ahead of UTC, in seconds.
    pub offset_s: i32,
    /// The person's language, as a BCP 47 code: its lexicon is tried first.
    pub language: &'c str,
    /// The question as it was asked; empty when nobody knows.
    pub asked: &'c str,
    /// Whether the question is what the message is about, as far as the lane knows: only then does a mere "ok" answer
    /// it (`spec 02 §6`).
    pub focused: bool,
    /// The question's words, cut when somebody needs them.
    question: OnceCell<Words>,
    /// The names of places that are configured (`spec 02 §6`).
    configured: &'c [String],
    /// Their words, cut when somebody needs them.
    places: OnceCell<Configured>,
}

impl Default for Context<'_> {
    fn default() -> Self {
        let now = Timestamp::default();
        Self {
            now,
            offset_s: 0,
            language: "",
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
    pub fn at(now: Timestamp, offset_s: i32) -> Self {
        Self { now, offset_s, ..Self::default() }
    }

    /// The same, for an answer to this question.
    #[must_use]
    pub fn to(self, asked: &'c str) -> Self {
        Self { asked, question: OnceCell::new(), ..self }
    }

    /// The same, for somebody who speaks this language.
    #[must_use]
    pub fn speaking(self, language: &'c str) -> Self {
        Self { language, ..self }
    }

    /// The moment on the person's clock.
    pub(crate) fn local(&self) -> DateTime {
        let ms = self.now.0.saturating_add(i64::from(self.offset_s) * Timestamp::SECOND);
        // Outside the calendar there is no day to count from; the end that is near does.
        let end = if ms < 0 { DateTime::MIN } else { DateTime::MAX };
        DateTime::constant(1970, 1, 1, 0, 0, 0, 0).checked_add(SignedDuration::from_millis(ms)).unwrap_or(end)
    }

    /// How many minutes the person's clock is ahead of UTC.
    pub(crate) fn ahead(&self) -> i64 {
        i64::from(self.offset_s) / 60
    }

    /// The same, with names of places that this installation knows beside the gazetteer's.
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

    /// Every language's lexicon, the person's own first: `de-AT` is German.
    pub(crate) fn lexicons(&self) -> impl Iterator<Item = &'static Lexicon> {
        let primary = self.language.split('-').next().unwrap_or_default();
        let own = LANGUAGES.iter().position(|known| known.eq_ignore_ascii_case(primary)).unwrap_or(0);
        RECOGNIZE
            .get(own)
            .into_iter()
            .chain(RECOGNIZE.iter().enumerate().filter(move |(i, _)| *i != own).map(|(_, l)| l))
    }
}
