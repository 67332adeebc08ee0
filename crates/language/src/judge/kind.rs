//! Kinds of questions, as far as an answer reads differently after them.

use crate::boolean::Asked;
use crate::lexicon::ANSWERS;
use crate::words::Words;

/// The kind of the question that a message follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nobody knows what was asked.
    Unknown,
    /// Nothing was asked: "It is booked."
    Statement,
    /// "Anything else?"
    More,
    /// "Is that right?"
    Confirm,
    /// "Do you mind?"
    Mind,
    /// "A car or a train?"
    Choice,
    /// "How about the Ritz?"
    Proposal,
    /// Any other question.
    Question,
}

impl Kind {
    /// True if a yes settles what was said: it was to be confirmed, or it was only stated, and a yes or no is waited for.
    #[must_use]
    pub fn is_settled_by_yes(self) -> bool {
        matches!(self, Self::Confirm | Self::Statement)
    }

    /// Reads the kind of a question.
    #[must_use]
    pub fn of(question: &Words) -> Self {
        let known = |lexicon: &&_| -> usize { crate::lexicon::Lexicon::knows(lexicon, question.all()) };
        // The last of several with as much is taken, so that the first language is tried last.
        let Some(lexicon) = question.languages().lexicons(&ANSWERS).max_by_key(known) else {
            return Self::Unknown;
        };
        let asked = Asked::of(lexicon, question);
        match asked {
            _ if asked.unknown => Self::Unknown,
            _ if asked.more => Self::More,
            _ if asked.confirm => Self::Confirm,
            _ if asked.mind => Self::Mind,
            _ if asked.choice => Self::Choice,
            _ if asked.proposes => Self::Proposal,
            _ if asked.offer => Self::Question,
            _ => Self::Statement,
        }
    }
}
