//! Phrases that may be around an option and ask for nothing else: who wants it, that it is fine, what it is one of.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::ops::Range;

use super::compare::{Compared, Mention};
use crate::echo::Echo;
use crate::lexicon::{Lexicon, Section, SectionId, anywhere};
use crate::words::{Gap, MOST, Words};
use crate::{Context, section};

const TAIL: SectionId = section("selection.tail");
const NOUN: SectionId = section("selection.noun");
const SOLD: SectionId = section("selection.sold");
const FILLER: SectionId = section("filler");
const LITTLE: SectionId = section("little");
const DEFINITE: SectionId = section("selection.definite");
const UNLIKE: SectionId = section("selection.unlike");
const WANTS: SectionId = section("selection.wants");
const PRAISE: SectionId = section("selection.praise");
const OVER: SectionId = section("selection.over");
const SUBJECT: SectionId = section("selection.subject");
const PLACE: SectionId = section("selection.place");
const JOINER: SectionId = section("joiner");
const UNECHOED: SectionId = section("selection.unechoed");

/// An option in the message, as a part of an answer.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) mention: Mention,
    /// True if only the end, or words that surely end an answer, may follow: "2 rooms" is no choice.
    pub(super) strict: bool,
}

/// The phrases that begin at a word: bit `k` when one is `k` words long.
#[derive(Clone, Copy, Debug)]
struct Row {
    lead: u64,
    tail: u64,
    /// Nouns for any option, and words of the question.
    noun: u64,
    /// Nouns for options of a shop or an agency, and other words behind an option.
    loose: u64,
    /// Words for what all the options are, which say nothing beside a place: "the second hotel".
    kind: u64,
}

/// The phrases of a message, looked up where they are needed and once.
pub(super) struct Frame<'m> {
    message: &'m Words,
    found: &'m Compared,
    /// The number of options.
    options: u32,
    lists: [Section; 5],
    little: Section,
    echo: Echo<'m>,
    unechoed: Section,
    unlike: Section,
    definite: Section,
    wants: Section,
    praise: Section,
    over: Section,
    /// Begin what else is said of an option that is chosen: where, with whom, and why.
    onward: [Section; 2],
    rows: Vec<OnceCell<Row>>,
}

/// Nothing of the option was said yet.
const BEFORE: u8 = 1;
/// The option was named, and all after it is explained.
const NAMED: u8 = 2;
/// The option was named by a bare number or letter right before.
const STRICT: u8 = 4;
/// The option was named, and something began that has to name it again.
const AGAIN: u8 = 8;

impl<'m> Frame<'m> {
    pub(super) fn of(
        lexicon: &'static Lexicon,
        message: &'m Words,
        context: &'m Context<'_>,
        (found, options): (&'m Compared, usize),
    ) -> Self {
        Self {
            message,
            found,
            options: u32::try_from(options).unwrap_or(u32::MAX),
            little: lexicon.section(LITTLE),
            lists: [super::LEAD, TAIL, NOUN, SOLD, FILLER].map(|id| lexicon.section(id)),
            echo: Echo::of(lexicon, message, context.question()),
            unechoed: lexicon.section(UNECHOED),
            unlike: lexicon.section(UNLIKE),
            definite: lexicon.section(DEFINITE),
            wants: lexicon.section(WANTS),
            praise: lexicon.section(PRAISE),
            over: lexicon.section(OVER),
            onward: [PLACE, JOINER].map(|id| lexicon.section(id)),
            rows: vec![OnceCell::new(); message.all().len()],
        }
    }

    fn row(&self, at: usize) -> Row {
        *self.rows[at].get_or_init(|| {
            let [lead, tail, noun, sold, filler] = self.lists.map(|list| list.ends(self.message.all(), at));
            let noun = noun | if self.echoes(at) { 2 } else { 0 };
            let kind = if self.is_kind(at) { 2 } else { 0 };
            Row { lead, tail, noun, loose: sold | filler, kind }
        })
    }

    /// True if a single word may be around an answer.
    pub(super) fn explains(&self, at: usize) -> bool {
        let row = self.row(at);
        (row.lead | row.tail | row.noun | row.loose) & 2 != 0
    }

    /// True if every option has the word, or the question has a word of theirs.
    fn is_kind(&self, at: usize) -> bool {
        let all = u64::MAX.checked_shr(u64::BITS.saturating_sub(self.options)).unwrap_or(0);
        let asked = !self.unechoed.at(self.message.all(), at) && self.echo.has(&self.message.all()[at]);
        let holders = self.found.holders(at);
        holders != 0 && (asked || self.options > 1 && holders == all)
    }

    /// True if the question has the word, and the word does not change what is chosen: "the *account* is checking".
    fn echoes(&self, at: usize) -> bool {
        self.found.holders(at) == 0
            && !self.unechoed.at(self.message.all(), at)
            && self.echo.has(&self.message.all()[at])
    }

    /// True if a piece, and phrases around it, are all of these words. `scattered` pieces may be apart.
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
            let mut row = self.row(word);
            // What the options are is no name of one of them, if a place tells which.
            row.loose |= if scattered { 0 } else { row.kind };
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

    /// True if a longer text chooses the option at these words: its clause wants something, its sentence praises what it
    /// names, or it is no sentence. "Seaview burned down" and "we were at Seaview" say something about it.
    pub(super) fn chooses(&self, option: &Range<usize>) -> bool {
        let words = self.message.all();
        let begins = |gap: Gap| (1..=option.start).rev().find(|at| words[at - 1].after >= gap).unwrap_or(0);
        let end =
            (option.end..=words.len()).find(|at| words[at - 1].after >= Gap::Hard).unwrap_or(words.len());
        let says = |lists: &[Section], mut within: Range<usize>| {
            within.any(|at| lists.iter().any(|list| list.at(words, at)))
        };
        let before = begins(Gap::Soft)..option.start;
        let after = option.end..end;
        let over = says(&[self.over], after.clone());
        if says(&[self.wants], before.clone()) || !over && says(&[self.wants, self.praise], after) {
            return true;
        }
        // A name may be in another language than the sentence.
        let tells = |mut within: Range<usize>| {
            within.any(|at| anywhere(self.message.languages(), SUBJECT, words, at) > 0)
        };
        if self.leads(before.clone()) { !over && self.goes_on(option.end) } else { !tells(before) }
    }

    /// True if all of these words lead to an option.
    fn leads(&self, words: Range<usize>) -> bool {
        let mut led = 1_u64;
        for (back, at) in words.clone().enumerate() {
            if back >= MOST {
                return false;
            }
            if led & 1 << back != 0 {
                let row = self.row(at);
                led |= ((row.lead | row.noun | row.loose) & !1) << back;
            }
        }
        words.len() < MOST && led & 1 << words.len() != 0
    }

    /// True if an option that is chosen may go on like this: "Seaview for two", not "Seaview burned down".
    fn goes_on(&self, at: usize) -> bool {
        let words = self.message.all();
        if words[at - 1].after != Gap::Space || at == words.len() {
            return true;
        }
        let row = self.row(at);
        (row.tail | row.noun | row.loose) & !1 != 0 || self.onward.iter().any(|list| list.at(words, at))
    }

    /// True if all but one of these words may be around an answer.
    pub(super) fn all_but_one(&self, words: &Range<usize>) -> bool {
        words.clone().filter(|word| !self.explains(*word)).count() <= 1
    }

    /// True if the words right before a label say that it is not meant: "less expensive".
    pub(super) fn unlike(&self, at: usize) -> bool {
        at > 0 && self.unlike.at(self.message.all(), at - 1)
    }

    /// True if the words right before a label say that it is not meant, or make it part of a longer name: "Latin
    /// American".
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

    /// True if a word before, such as an article, makes this word name something.
    pub(super) fn definite(&self, at: usize) -> bool {
        at > 0 && self.definite.at(self.message.all(), at - 1)
    }

    /// A label as a part of an answer; one that is spelled like an article ends it.
    pub(super) fn piece(&self, mention: Mention) -> Piece {
        let strict = self.little(&mention.words);
        Piece { mention, strict }
    }

    /// True if these words are an article or the like, which are hardly ever an option.
    pub(super) fn little(&self, words: &Range<usize>) -> bool {
        self.little.is(&self.message.all()[words.clone()])
    }
}
