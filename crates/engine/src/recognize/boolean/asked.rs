//! What a question asks for, besides its own words: it says what a yes to it is worth.

use crate::recognize::echo;
use crate::recognize::lexicon::{Lexicon, SectionId};
use crate::recognize::named;
use crate::recognize::words::{Gap, Word, Words};

const CHOICE: SectionId = named("asks.choice");
const ASKS_MORE: SectionId = named("asks.more");
const ASKS_CONFIRM: SectionId = named("asks.confirm");
const ASKS_PROPOSAL: SectionId = named("asks.proposal");
const ASKS_MIND: SectionId = named("asks.mind");
const CONFIRM_BEGINS: SectionId = named("asks.confirm.begins");
const FEW: SectionId = named("few");

/// What the question asks for, besides its own words.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    /// "Anything else?": a yes is only that there is more.
    pub(super) more: bool,
    /// "Is that right?": what was said is settled by an agreement, whatever is asked behind it.
    pub(super) confirm: bool,
    /// The same, or it asks nothing: "I have booked it for two."
    pub(super) settled: bool,
    /// "Do you mind?": not to mind is a yes.
    pub(super) mind: bool,
    /// "A car or a train?": repeating a part of it chooses.
    pub(super) choice: bool,
    /// It is a question at all.
    pub(super) offer: bool,
    /// It proposes a thing: "How about the Ritz?"
    pub(super) proposes: bool,
    /// It names a number.
    pub(super) numbers: bool,
    /// Nobody knows what was asked.
    pub(super) unknown: bool,
}

impl Asked {
    pub(super) fn of(lexicon: &'static Lexicon, question: &Words) -> Self {
        let sentence = echo::sentence(question.all());
        let says = |id, words: &[Word]| lexicon.section(id).within(words);
        let offer = sentence.last().is_some_and(|w| w.after == Gap::Question);
        let proposes = says(ASKS_PROPOSAL, sentence);
        let begins = |at: usize| at == 0 || question.all()[at - 1].after >= Gap::Hard;
        let mut starts = (0..question.all().len()).filter(|&at| begins(at));
        let confirm = says(ASKS_CONFIRM, question.all())
            || starts.any(|at| lexicon.section(CONFIRM_BEGINS).at(question.all(), at));
        Self {
            more: says(ASKS_MORE, sentence),
            confirm,
            settled: confirm || !offer && !proposes && !sentence.is_empty(),
            mind: says(ASKS_MIND, sentence),
            choice: says(CHOICE, sentence),
            offer,
            proposes,
            numbers: question.all().iter().any(|w| w.digit) || says(FEW, question.all()),
            unknown: sentence.is_empty(),
        }
    }
}
