//! A learned judge for what the rules leave open: does a message say yes, no or neither, and does it end a conversation?
//!
//! It adds up integers ([`Model`]) for hashed n-grams ([`features`]) of the message and of the kind of the question, so that its
//! verdict is the same on every machine. It is asked after the readers by rules found nothing, and never for anything that a
//! wrong yes would set off; [vetoes](Veto) hold against whatever it learned. Whether a margin suffices is its caller's policy.

mod features;
mod kind;
mod model;
mod veto;

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

pub use features::{Feature, features, hash_of};
pub use kind::Kind;
pub use model::{COMMON, HEADS, Head, Model, PLACES, SIZE, bytes_of};
pub use veto::Veto;

use crate::lexicon::WordId;
use crate::remainder::remainder;
use crate::words::{Gap, MOST, Word};
use crate::{Context, Words};

/// The number of n-grams that a verdict names.
const NAMED: usize = 3;

/// A verdict on an answer to a question of yes or no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// True for yes.
    pub yes: bool,
    /// True if the question was to confirm something, so that a yes settles it.
    pub confirms: bool,
    /// The weight of the verdict; above 0 it is likelier than not.
    pub margin: i32,
    /// The reason why it may not count, however large its weight.
    pub veto: Option<Veto>,
    /// The part of the message that asks for more than it answers, if any does.
    pub rest: Option<String>,
    /// The n-grams that weighed most, heaviest first.
    pub words: Vec<String>,
}

/// A verdict on whether a message ends a conversation, and leaves nothing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// The weight of the verdict; above 0 it is likelier than not.
    pub margin: i32,
    /// The reason why it may not count, however large its weight.
    pub veto: Option<Veto>,
    /// The n-grams that weighed most, heaviest first.
    pub words: Vec<String>,
}

impl Model<'_> {
    /// Judges a message as the answer to the context's question. `None` of a message without words, of one that is longer than
    /// anything that was learned from, and where nobody knows what was asked.
    #[must_use]
    pub fn answer(self, message: &Words, context: &Context<'_>) -> Option<Answer> {
        let question = context.question();
        let kind = Some(Kind::of(question)).filter(|kind| *kind != Kind::Unknown)?;
        let read = |part: &[Word]| features(message, part, question, kind, |hash| self.is_common(hash));
        let all = whole(message)?;
        let found = read(all);
        let scores = self.scores(&found);
        let [yes, no, _, more] = scores;
        let asks_more = |part: &[Word]| self.scores(&read(part))[Head::More as usize] > 0;
        let rest = if more > 0 { rest(all, asks_more) } else { 0..0 };
        // What cannot be divided is what weighs more, unless it plainly has more than an answer.
        let plain = || !all.iter().any(|word| word.digit) && !veto::requests(message, question);
        let rest = if rest.len() == all.len() && more < yes.max(no) && plain() { 0..0 } else { rest };
        let answer: Vec<Word> = (0..all.len()).filter(|at| !rest.contains(at)).map(|at| all[at]).collect();
        let (head, margin) =
            if yes >= no { (Head::Yes, yes.min(yes - no)) } else { (Head::No, no.min(no - yes)) };
        let yes = head == Head::Yes;
        Some(Answer {
            yes,
            confirms: kind.is_settled_by_yes(),
            margin,
            veto: match head {
                _ if margin <= 0 => None,
                Head::Yes => {
                    veto::of_yes(&veto::Said { message, question, kind, answer: &answer, rest: &rest })
                }
                _ => veto::of_no(message, &answer),
            },
            rest: if rest.is_empty() { None } else { remainder(message, rest.start, rest.end) },
            words: if margin > 0 { self.heaviest(message, &found, head) } else { Vec::new() },
        })
    }

    /// Judges whether a message, which follows what the context was told last, ends the conversation. `None` as for
    /// [`Model::answer`].
    #[must_use]
    pub fn end(self, message: &Words, context: &Context<'_>) -> Option<End> {
        let question = context.question();
        let all = whole(message)?;
        let found = features(message, all, question, Kind::of(question), |hash| self.is_common(hash));
        let [_, _, done, more] = self.scores(&found);
        let margin = done.min(done - more);
        Some(End {
            margin,
            veto: veto::of_end(message),
            words: if margin > 0 { self.heaviest(message, &found, Head::Done) } else { Vec::new() },
        })
    }

    /// The n-grams that weighed most for a head, heaviest first. Words that no lexicon has are shown as `~`: they may be names.
    fn heaviest(self, message: &Words, found: &[Feature], head: Head) -> Vec<String> {
        let mut spans: Vec<(i32, Range<usize>)> = Vec::with_capacity(found.len());
        for feature in found {
            let (span, weight) =
                (usize::from(feature.from)..usize::from(feature.to), self.weight(feature, head));
            if span.is_empty() {
                continue;
            }
            spans.push((weight, span));
        }
        spans.sort_by_key(|(_, span)| (span.start, span.end));
        let mut sums: Vec<(i32, Range<usize>)> = Vec::new();
        for (weight, span) in spans {
            match sums.last_mut().filter(|(_, last)| *last == span) {
                Some((sum, _)) => *sum += weight,
                None => sums.push((weight, span)),
            }
        }
        sums.retain(|(sum, _)| *sum > 0);
        sums.sort_by_key(|(sum, span)| (-sum, span.start, span.end));
        sums.truncate(NAMED);
        sums.into_iter().map(|(_, span)| shown(message, &message.all()[span])).collect()
    }
}

/// The words of a message that is short enough to be judged.
fn whole(message: &Words) -> Option<&[Word]> {
    let all = message.all();
    (!all.is_empty() && all.len() <= MOST && !message.is_too_much()).then_some(all)
}

/// The clauses that ask for more, from the first to the last; all of the words if no clause does so by itself.
fn rest(words: &[Word], asks_more: impl Fn(&[Word]) -> bool) -> Range<usize> {
    let (mut from, mut rest) = (0, words.len()..0);
    for clause in words.chunk_by(|word, _| word.after == Gap::Space) {
        let to = from + clause.len();
        if asks_more(clause) {
            rest = rest.start.min(from)..to;
        }
        from = to;
    }
    if rest.is_empty() { 0..words.len() } else { rest }
}

/// Words of a message as they may be kept: those that some lexicon knows, and signs for the others.
fn shown(message: &Words, words: &[Word]) -> String {
    let shown = words.iter().map(|word| match word.id {
        _ if word.digit => "#",
        WordId::UNKNOWN => "~",
        _ => message.folded(word),
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
