//! The kind of a yes-or-no question: it decides what a yes to it is worth.

use crate::echo;
use crate::lexicon::{Lexicon, SectionId};
use crate::section;
use crate::words::{Gap, Word, Words};

const CHOICE: SectionId = section("asks.choice");
const ASKS_MORE: SectionId = section("asks.more");
const ASKS_CONFIRM: SectionId = section("asks.confirm");
const ASKS_PROPOSAL: SectionId = section("asks.proposal");
const ASKS_MIND: SectionId = section("asks.mind");
const CONFIRM_BEGINS: SectionId = section("asks.confirm.begins");
const OPENS: SectionId = section("asks.opens");
const INVERTS: SectionId = section("asks.inverts");
const HELP_WITH: SectionId = section("asks.help_with");
const CONFIRMS_NOT: SectionId = section("asks.confirm.not");
const FEW: SectionId = section("few");

/// The kind of a question.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Asked {
    /// "Anything else?": a yes is only that there is more.
    pub(crate) more: bool,
    /// "Is that right?": what was said is settled by an agreement, whatever is asked behind it.
    pub(crate) confirm: bool,
    /// It asks to confirm something, or asks nothing: "I have booked it for two."
    pub(crate) settled: bool,
    /// "Do you mind?": not to mind is a yes.
    pub(crate) mind: bool,
    /// "A car or a train?": repeating a part of it chooses.
    pub(crate) choice: bool,
    /// It is a question at all.
    pub(crate) offer: bool,
    /// It asks by its form: "Would you like …?", where "You want …?" states.
    pub(crate) asks: bool,
    /// It proposes a thing: "How about the Ritz?"
    pub(crate) proposes: bool,
    /// It names a number.
    pub(crate) numbers: bool,
    /// Nobody knows what was asked.
    pub(crate) unknown: bool,
}

impl Asked {
    pub(crate) fn of(lexicon: &'static Lexicon, question: &Words) -> Self {
        let sentence = echo::sentence(question.all());
        let says = |id, words: &[Word]| lexicon.section(id).within(words);
        let marked = sentence.last().is_some_and(|w| w.after == Gap::Question);
        // "Shall I book it" asks without a mark; a single word ("good") begins any sentence.
        let offer = marked || lexicon.section(INVERTS).longest(sentence, 0) > 1;
        let proposes = says(ASKS_PROPOSAL, sentence);
        let begins = |at: usize| at == 0 || question.all()[at - 1].after >= Gap::Hard;
        let mut starts = (0..question.all().len()).filter(|&at| begins(at));
        let confirm = confirms(lexicon, question.all())
            || starts.any(|at| lexicon.section(CONFIRM_BEGINS).at(question.all(), at))
            || states(lexicon, sentence);
        Self {
            more: asks_more(lexicon, sentence),
            confirm,
            settled: confirm || !offer && !proposes && !sentence.is_empty(),
            mind: says(ASKS_MIND, sentence),
            choice: says(CHOICE, sentence),
            offer,
            asks: marked && says(INVERTS, sentence),
            proposes,
            numbers: question.all().iter().any(|w| w.digit) || says(FEW, question.all()),
            unknown: sentence.is_empty(),
        }
    }
}

/// True if a question asks to confirm in so many words: "is that right?", but not "right now".
fn confirms(lexicon: &'static Lexicon, question: &[Word]) -> bool {
    let list = |id| lexicon.section(id);
    (0..question.len()).any(|at| list(ASKS_CONFIRM).at(question, at) && !list(CONFIRMS_NOT).at(question, at))
}

/// True if a question asks whether there is anything more: not "help in booking it", nor "this, or something else?".
fn asks_more(lexicon: &'static Lexicon, sentence: &[Word]) -> bool {
    let list = |id| lexicon.section(id);
    let more = (0..sentence.len()).find(|at| list(ASKS_MORE).at(sentence, *at));
    // "Shall I try again for two at 6?" asks for one thing.
    let valued = sentence.iter().any(|word| word.digit);
    !valued
        && more.is_some_and(|more| !list(CHOICE).within(&sentence[..more]))
        && !list(HELP_WITH).within(sentence)
}

/// True if a question states what it asks, with the values of it: "You want a table for two at 6?"
fn states(lexicon: &'static Lexicon, sentence: &[Word]) -> bool {
    let list = |id| lexicon.section(id);
    let asks = [OPENS, INVERTS, ASKS_PROPOSAL, ASKS_MORE].iter().any(|id| list(*id).at(sentence, 0));
    let valued = sentence.iter().any(|word| word.digit) || list(FEW).within(sentence);
    valued && !asks && !list(CHOICE).within(sentence) && !list(INVERTS).within(sentence)
}
