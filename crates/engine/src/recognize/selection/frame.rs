//! What may stand around an option and asks for nothing else: who wants it, that it is fine, what it is one of
//! (`spec 02 §6`, answer frames; `spec 04 §7`, *Parses*).

use alloc::vec;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::ops::Range;

use super::compare::{Compared, Mention};
use crate::recognize::echo::Echo;
use crate::recognize::lexicon::{Lexicon, Section, SectionId};
use crate::recognize::words::{Gap, MOST, Words};
use crate::recognize::{Context, named};

const TAIL: SectionId = named("selection.tail");
const NOUN: SectionId = named("selection.noun");
const SOLD: SectionId = named("selection.sold");
const FILLER: SectionId = named("filler");
const LITTLE: SectionId = named("little");
const DEFINITE: SectionId = named("selection.definite");
const UNLIKE: SectionId = named("selection.unlike");
const UNECHOED: SectionId = named("selection.unechoed");

/// An option in the message, as a part of an answer.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) mention: Mention,
    /// Whether nothing but the end, or what surely ends an answer, may follow: "2 rooms" is no choice.
    pub(super) strict: bool,
}

/// The phrases that begin at a word: bit `k` when one is `k` words long.
#[derive(Clone, Copy, Debug)]
struct Row {
    lead: u64,
    tail: u64,
    /// What options are, whatever they are, or a word the question had.
    noun: u64,
    /// What they are in a shop or an agency, and what else may stand behind one.
    loose: u64,
}

/// The phrases of a message, looked up where they are needed and once.
pub(super) struct Frame<'m> {
    message: &'m Words,
    found: &'m Compared,
    lists: [Section; 5],
    little: Section,
    echo: Echo<'m>,
    unechoed: Section,
    unlike: Section,
    definite: Section,
    rows: Vec<OnceCell<Row>>,
}

/// Nothing of the option was said yet.
const BEFORE: u8 = 1;
/// The option was named, and all after it is explained.
const NAMED: u8 = 2;
/// The same, right behind a bare number or letter.
const STRICT: u8 = 4;
/// The option was named, and something began that has to name it again.
const AGAIN: u8 = 8;

impl<'m> Frame<'m> {
    pub(super) fn of(
        lexicon: &'static Lexicon,
        message: &'m Words,
        context: &'m Context<'_>,
        found: &'m Compared,
    ) -> Self {
        Self {
            message,
            found,
            little: lexicon.section(LITTLE),
            lists: [super::LEAD, TAIL, NOUN, SOLD, FILLER].map(|id| lexicon.section(id)),
            echo: Echo::of(lexicon, message, context.question()),
            unechoed: lexicon.section(UNECHOED),
            unlike: lexicon.section(UNLIKE),
            definite: lexicon.section(DEFINITE),
            rows: vec![OnceCell::new(); message.all().len()],
        }
    }

    fn row(&self, at: usize) -> Row {
        *self.rows[at].get_or_init(|| {
            let [lead, tail, noun, sold, filler] = self.lists.map(|list| list.ends(self.message.all(), at));
            let noun = noun | if self.echoes(at) { 2 } else { 0 };
            Row { lead, tail, noun, loose: sold | filler }
        })
    }

    /// Whether a single word may stand around an answer.
    pub(super) fn explains(&self, at: usize) -> bool {
        let row = self.row(at);
        (row.lead | row.tail | row.noun | row.loose) & 2 != 0
    }

    /// Whether the word is one the question had, and none that changes what is chosen: "the *account* is checking".
    fn echoes(&self, at: usize) -> bool {
        self.found.holders(at) == 0
            && !self.unechoed.at(self.message.all(), at)
            && self.echo.has(&self.message.all()[at])
    }

    /// Whether a piece, and phrases around it, are all of these words. `scattered` pieces may be apart.
    pub(super) fn holds<'p>(
        &self,
        words: &Range<usize>,
        pieces: impl Iterator<Item = &'p Piece> + Clone,
        scattered: bool,
    ) -> bool {
        let length = words.len();
        let mut states = [0u8; MOST + 1];
        if length >= states.len() {
            return false;
        }
        states[0] = BEFORE;
        for at in 0..length {
            let state = states[at];
            if state == 0 {
                continue;
            }
            let word = words.start + at;
            let row = self.row(word);
            let divided = at > 0 && self.message.all()[word - 1].after >= Gap::Soft;
            let mut reach = |ends: u64, to: u8| {
                let mut ends = ends & !1;
                while ends != 0 {
                    let end = at + ends.trailing_zeros() as usize;
                    ends &= ends - 1;
                    if end <= length {
                        states[end] |= to;
                    }
                }
            };
            for waiting in [BEFORE, AGAIN] {
                if state & waiting != 0 {
                    reach(row.lead | row.noun, waiting);
                }
            }
            let named = state & NAMED != 0 || divided && state & STRICT != 0;
            if named {
                reach(row.tail | row.noun | row.loose, NAMED);
                if divided || scattered {
                    reach(row.lead, AGAIN);
                }
            } else if state & STRICT != 0 {
                reach(row.tail, NAMED);
            }
            if state & (BEFORE | AGAIN) != 0 || named && (divided || scattered) {
                for piece in pieces.clone().filter(|piece| piece.mention.words.start == word) {
                    let end = piece.mention.words.end - words.start;
                    if end <= length {
                        states[end] |= if piece.strict { STRICT } else { NAMED };
                    }
                }
            }
        }
        states[length] & (NAMED | STRICT) != 0
    }

    /// Whether all but one of these words may stand around an answer, whatever that one is.
    pub(super) fn all_but_one(&self, words: &Range<usize>) -> bool {
        words.clone().filter(|word| !self.explains(*word)).count() <= 1
    }

    /// Whether what stands right before a label says that it is not meant: "less expensive".
    pub(super) fn unlike(&self, at: usize) -> bool {
        at > 0 && self.unlike.at(self.message.all(), at - 1)
    }

    /// The same, or that it is part of a longer name: "Latin American".
    pub(super) fn qualified(&self, at: usize) -> bool {
        let name = |before: usize| {
            let word = &self.message.all()[before];
            word.capital
                && word.after == Gap::Space
                && !self.explains(before)
                && self.found.holders(before) == 0
        };
        self.unlike(at) || at.checked_sub(1).is_some_and(name)
    }

    /// Whether an article or the like says that this word names something.
    pub(super) fn definite(&self, at: usize) -> bool {
        at > 0 && self.definite.at(self.message.all(), at - 1)
    }

    /// A label as a part of an answer; one that is spelled like an article ends it.
    pub(super) fn piece(&self, mention: Mention) -> Piece {
        let strict = self.little(&mention.words);
        Piece { mention, strict }
    }

    /// Whether these words are an article or the like, which are hardly ever an option.
    pub(super) fn little(&self, words: &Range<usize>) -> bool {
        self.little.is(&self.message.all()[words.clone()])
    }
}
