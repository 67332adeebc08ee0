//! The form of a place: a known name, or words of the shape of one.
//!
//! Known are the names of the gazetteer, of the lexicons and of the configuration, and the places everybody has ("the
//! airport"). By shape a place is an address, a crossing, something with the name of its kind ("mint plaza"), or a run
//! of words with capitals. A name is read with the names behind it that say where it is: "Swansea, Wales".

use core::ops::Range;

use super::super::lexicon::{ANSWERS, Lexicon, Section, SectionId};
use super::super::words::{Gap, MOST, Word, Words};
use super::super::{Context, section};

/// The most words of a name by capitals; of the part of an address before its kind; of a name in lower case.
const CAPITALS: usize = 7;
const STREET: usize = 5;
const LOWER: usize = 2;
/// Letters of a code that says where: "CA", "NSW".
const CODE: Range<usize> = 2..4;
/// Digits of a postal code, at least.
const POSTAL: usize = 4;

const COMMON: SectionId = section("common");
const NAME: SectionId = section("location.name");
const GENERIC: SectionId = section("location.generic");
const KIND: SectionId = section("location.kind");
const FIRST: SectionId = section("location.first");
const INNER: SectionId = section("location.inner");
const UNIT: SectionId = section("location.unit");
const CROSSING: SectionId = section("location.crossing");

/// The strength of a place, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Unknown words in lower case, or an everyday word with a capital: only behind a preposition.
    Weak,
    /// Unknown words in lower case that say what they are: "mint plaza".
    Kind,
    /// A name because of its capitals.
    Capital,
    /// A name that is known, an address, or a place everybody has.
    Known,
}

/// A place that begins at a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The word behind the last one.
    pub(super) end: usize,
    /// Its strength.
    pub(super) strength: Strength,
    /// True if it is called by a name, rather than by its kind.
    pub(super) name: bool,
}

/// The places of a text.
pub(super) struct Places<'t> {
    pub(super) text: &'t Words,
    generic: Section,
    crossing: Section,
    unit: Section,
    marks: [Mark; MOST],
}

/// The marks of a word.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// The number of words of the longest known name that begins here.
    known: u8,
    /// An everyday word of some language.
    common: bool,
    /// True if it may be inside a name, begin one, or end one with its kind.
    inner: bool,
    first: bool,
    kind: bool,
    /// Written with a capital, or in letters that have none.
    capital: bool,
    digit: bool,
}

impl<'t> Places<'t> {
    pub(super) fn of(lexicon: &'static Lexicon, text: &'t Words, context: &Context<'_>) -> Self {
        let list = |id| lexicon.section(id);
        let [inner, first, kind] = [INNER, FIRST, KIND].map(list);
        let mut marks = [Mark::default(); MOST];
        let words = text.all();
        for (at, (mark, word)) in marks.iter_mut().zip(words).enumerate() {
            let is = |section: Section| section.is(core::slice::from_ref(word));
            let cased = |c: char| c.is_lowercase() || c.is_numeric();
            *mark = Mark {
                known: 0,
                common: text.languages().lexicons(&ANSWERS).any(|lexicon| is(lexicon.section(COMMON))),
                inner: is(inner),
                first: is(first),
                kind: is(kind),
                capital: word.capital || !text.folded(word).starts_with(cased),
                digit: word.digit,
            };
            if mark.capital || !mark.common || mark.first || mark.inner {
                mark.known = known(text, at, context);
            }
            // "nice" and "Nice." praise.
            if mark.known == 1 && mark.common {
                mark.known = 0;
            }
        }
        Self { text, generic: list(GENERIC), crossing: list(CROSSING), unit: list(UNIT), marks }
    }

    /// The text's words, as many as are looked at.
    pub(super) fn words(&self) -> &'t [Word] {
        let words = self.text.all();
        &words[..words.len().min(MOST)]
    }

    /// True if a known name, a name with a capital, or an address may begin there.
    pub(super) fn begins(&self, at: usize) -> bool {
        let mark = &self.marks[at];
        mark.digit || (mark.capital && mark.known > 0)
    }

    /// The place that begins at a word and ends before another.
    pub(super) fn at(&self, at: usize, to: usize) -> Option<Place> {
        let place = self.crossing(at, to).or_else(|| self.simple(at, to))?;
        (!self.words()[at].quoted).then(|| self.and_where(place, to))
    }

    /// A place without what says where it is.
    fn simple(&self, at: usize, to: usize) -> Option<Place> {
        let found = |(end, strength, name)| Place { end, strength, name };
        let generic = self.generic.longest(&self.words()[..to], at);
        let each = [
            (generic > 0).then_some((at + generic, Strength::Known, false)),
            self.known(at, to).map(|end| (end, Strength::Known, true)),
            self.address(at, to).map(|end| (end, Strength::Known, true)),
            self.capitals(at, to).map(|end| (self.unit(end, to), Strength::Capital, true)),
            self.lower(at, to).map(|(end, strength)| (end, strength, true)),
        ];
        each.into_iter().flatten().max_by_key(|(end, strength, _)| (*end, *strength)).map(found)
    }

    /// A known name, and its kind if that follows: "Heathrow airport".
    fn known(&self, at: usize, to: usize) -> Option<usize> {
        let known = usize::from(self.marks.get(at)?.known);
        let end = at + known;
        (known > 0 && end <= to).then(|| if self.kind(end, to) { end + 1 } else { end })
    }

    /// True if the word at `at` is the kind of the name before it: "Heathrow *airport*".
    fn kind(&self, at: usize, to: usize) -> bool {
        at < to && self.marks[at].kind && self.words()[at - 1].after == Gap::Space
    }

    /// "1450 East Cotati Avenue Suite 2", "16 mint plaza".
    fn address(&self, at: usize, to: usize) -> Option<usize> {
        let words = self.words();
        if at >= to || !self.marks[at].digit || words[at].after != Gap::Space {
            return None;
        }
        let part = |i: &usize| {
            let mark = &self.marks[*i];
            !mark.common || mark.capital || mark.first || mark.inner || mark.kind
        };
        let most = (at + 1..to.min(at + 2 + STREET)).take_while(part);
        let joined = most.take_while(|&i| words[i - 1].after == Gap::Space);
        let street = joined.filter(|&i| i > at + 1 && self.marks[i].kind).last().map(|i| i + 1);
        street.map(|end| self.unit(end, to))
    }

    /// The end of a unit of a building, if one follows: "Suite 220", "#1060".
    fn unit(&self, end: usize, to: usize) -> usize {
        let words = &self.words()[..to];
        let unit = match words.get(end..end + 2) {
            Some([sign, number]) if number.digit && self.text.folded(sign) == "#" => 2,
            _ => self.unit.longest(words, end),
        };
        if unit > 0 { self.unit(end + unit, to) } else { end }
    }

    /// A run of words with capitals that is a name.
    fn capitals(&self, at: usize, to: usize) -> Option<usize> {
        let words = self.words().get(at..to.min(at + CAPITALS)).unwrap_or(&[]);
        let marks = &self.marks[at.min(MOST)..];
        if !marks.first().is_some_and(|mark| mark.capital) {
            return None;
        }
        let mut length = 0;
        for (i, (mark, word)) in marks.iter().zip(words).enumerate() {
            let inside = i > 0 && (mark.inner || mark.kind || mark.first);
            let begins = i == 0 && (mark.first || mark.kind);
            let name = mark.capital && (!mark.common || begins || inside);
            // "Center street", "Terminal 5".
            let of_kind = i > 0 && (mark.kind || (mark.digit && marks[i - 1].kind));
            if name || of_kind {
                length = i + 1;
            } else if i == 0 || !(mark.inner || mark.digit) {
                break;
            }
            if word.after != Gap::Space {
                break;
            }
        }
        let run = &marks[..length];
        let named = run.iter().any(|mark| mark.capital && !mark.common && !mark.inner);
        let of_kind = length > 1 && run.last().is_some_and(|mark| mark.kind);
        let letter = length == 1 && words.first().is_some_and(|word| word.end - word.at == 1);
        ((named || of_kind) && !letter).then_some(at + length)
    }

    /// Words in lower case: with a kind they are a name ("chi-town"), without one they may be.
    fn lower(&self, at: usize, to: usize) -> Option<(usize, Strength)> {
        let words = self.words();
        let free = |i: &usize| {
            let mark = &self.marks[*i];
            (!mark.common && !mark.digit && !mark.inner) || (mark.first && i + 1 < to)
        };
        let begin = self.marks.get(at)?;
        if begin.capital {
            return Some((at + 1, Strength::Weak)).filter(|_| begin.common && at < to);
        }
        if begin.common && (!begin.first || begin.inner) {
            return None;
        }
        let run = (at..to.min(at + LOWER)).take_while(free);
        let end = run.take_while(|&i| i == at || words[i - 1].after == Gap::Space).last()? + 1;
        let of_kind = |end: &usize| self.kind(*end, to);
        if let Some(end) = (at + 1..=end).rev().find(of_kind) {
            return Some((end + 1, Strength::Kind));
        }
        self.marks[at..end].iter().any(|mark| !mark.first).then_some((end, Strength::Weak))
    }

    /// "5th and Main": two streets, which are not both places of their own.
    fn crossing(&self, at: usize, to: usize) -> Option<Place> {
        let street = |at: usize| {
            let mark = self.marks.get(at).filter(|_| at < to)?;
            let ordinal = mark.digit && self.text.folded(&self.words()[at]).ends_with(char::is_alphabetic);
            let ordinal = ordinal.then(|| if self.kind(at + 1, to) { at + 2 } else { at + 1 });
            ordinal.or_else(|| self.capitals(at, to)).or_else(|| self.known(at, to))
        };
        let joint = street(at)?;
        let joined = self.crossing.longest(&self.words()[..to], joint);
        let other = joint + joined;
        let end = street(other).or_else(|| {
            let lower = self.marks[at].digit && other < to;
            lower.then(|| self.lower(other, to)).flatten().map(|(end, _)| end)
        });
        let both = self.known(at, to) == Some(joint) && self.known(other, to).is_some();
        (joined > 0 && !both).then_some(Place { end: end?, strength: Strength::Capital, name: true })
    }

    /// The place with what says where it is: "Swansea Wales", "Seattle, WA", "1 Main St, Napa, CA 94558".
    fn and_where(&self, place: Place, to: usize) -> Place {
        let words = self.words();
        let mut end = place.end;
        while place.name && end < to && words[end - 1].after <= Gap::Soft {
            let divided = words[end - 1].after == Gap::Soft;
            let code = self.code(end).then_some(end + 1);
            let postal = words[end].digit && words[end].end - words[end].at >= POSTAL && end > place.end;
            let capitals = || self.capitals(end, to).filter(|_| divided && place.strength == Strength::Known);
            let next =
                code.or_else(|| self.known(end, to)).or_else(|| postal.then_some(end + 1)).or_else(capitals);
            let Some(next) = next else { break };
            end = next;
        }
        Place { end, ..place }
    }

    /// "OR" behind "Portland" is a state, whatever the word means.
    fn code(&self, at: usize) -> bool {
        let word = &self.words()[at];
        let raw = self.text.raw(word);
        CODE.contains(&raw.len()) && raw.bytes().all(|b| b.is_ascii_uppercase())
    }
}

/// The number of words of the longest known name that begins there: of the gazetteer, of any language, or configured.
fn known(text: &Words, at: usize, context: &Context<'_>) -> u8 {
    let words = text.all();
    let lexicons =
        text.languages().lexicons(&ANSWERS).map(|lexicon| lexicon.section(NAME).longest(words, at));
    let listed = lexicons.max().unwrap_or(0);
    let longest = usize::from(text.places()[at]).max(listed).max(context.places().longest(text, at));
    // A name does not go on behind a comma or a full stop.
    let joined = words[at..].iter().take(longest).take_while(|word| word.after == Gap::Space).count();
    if joined + 1 >= longest { longest.min(MOST) as u8 } else { 0 }
}
