//! Reads descriptions of options: "the cheapest with breakfast", "under 150", "the one in Berlin". The words are data
//! of each language; every word of a description must be explained (`docs/design/0069-options-that-carry-fields.md`).

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::data::field::{Decimal, NamedComparison, Size};
use crate::data::option_fields::folded_name;
use crate::data::set_option::OptionMask;
use crate::selection::columns::{Columns, Limit, Limits, Truth};
use crate::selection::exact_match::CandidatePool;
use crate::selection::parse::Parses;
use throughline_language::lexicon::{ANSWERS, Lexicon, Section, SectionId};
use throughline_language::words::Word;
use throughline_language::{amount, begins_condition, normal, section};

const LEAST: [SectionId; 2] = [section("compare.least"), section("compare.least.too")];
const MOST: [SectionId; 2] = [section("compare.most"), section("compare.most.too")];
const LESS: [SectionId; 2] = [section("compare.less"), section("compare.less.too")];
const MORE: [SectionId; 2] = [section("compare.more"), section("compare.more.too")];
const FIELD: SectionId = section("compare.field");
const HIGHEST: SectionId = section("compare.highest");
const LOWEST: SectionId = section("compare.lowest");
const HIGHER: SectionId = section("compare.higher");
const LOWER: SectionId = section("compare.lower");
const BEST: SectionId = section("compare.best");
const BETTER: SectionId = section("compare.better");
const BELOW: SectionId = section("compare.below");
const UP_TO: SectionId = section("compare.up_to");
const ABOVE: SectionId = section("compare.above");
const FROM: SectionId = section("compare.from");
const BETWEEN: SectionId = section("compare.between");
const TO: SectionId = section("compare.to");
const THAN: SectionId = section("compare.than");
const WITH: SectionId = section("compare.with");
const WITHOUT: SectionId = section("compare.without");
const ALSO: SectionId = section("compare.also");
const INCLUDED: SectionId = section("compare.included");
const IN: SectionId = section("compare.in");
const IDLE: SectionId = section("compare.idle");
const POINTED: SectionId = section("compare.pointed");
const VERB: SectionId = section("list.verb");
const STOP: SectionId = section("list.stop");
const BUT: SectionId = section("list.but");
const ARTICLE: SectionId = section("list.place.before");

/// The most words of a description.
const LONGEST: usize = 14;
/// The most words of a thing that an option has or is.
const THING: usize = 5;

/// Facts of a list that descriptions are read against, beside the options.
#[derive(Clone, Copy)]
pub(crate) struct ListFacts<'p> {
    pub(crate) title: Option<&'p str>,
    pub(crate) comparisons: &'p [NamedComparison],
    /// The options that are not rejected: "the cheaper one" is one of two of them.
    pub(crate) left: OptionMask,
}

/// The meaning of a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    /// The one option it denotes beyond doubt.
    pub(crate) option: Option<usize>,
    /// The options to be asked about first, if it denotes none.
    pub(crate) ahead: OptionMask,
    /// The words that bound or exclude something, and so neither deny nor put off: bit `k` is word `k`.
    pub(crate) bounds: u64,
}

/// A part of a description.
#[derive(Clone)]
enum Part {
    /// The option with the least or the greatest value of a field. Several fields are in doubt, and so is none.
    Extreme { fields: Vec<(usize, bool)>, of_two: bool },
    /// The options that something is true of.
    Only(Truth),
    /// Words that say nothing of an option.
    Idle,
}

/// Parts of a description, with their words.
type Parted = Vec<(Part, Range<usize>)>;

/// Reads a description that is all of these words, in any language of the message; `None` if a word of it is unexplained.
pub(crate) fn describe(
    parses: &Parses<'_>,
    core: &Range<usize>,
    pool: &CandidatePool<'_>,
) -> Option<Description> {
    let facts = pool.facts?;
    if core.is_empty() || core.len() > LONGEST {
        return None;
    }
    let columns = Columns::of(pool.options);
    let title = normal::folded_text(facts.title.unwrap_or_default());
    let names: Vec<String> = facts.comparisons.iter().map(|own| normal::folded_text(&own.name)).collect();
    let read = |lexicon| {
        let (columns, title, names) = (&columns, title.as_str(), names.as_slice());
        Reader { lexicon, parses, pool, facts, columns, title, names }.read(core)
    };
    super::lexicons(parses.message).find_map(read)
}

/// Reads a whole text as a description, without what leads to an option or follows one in one of its languages.
pub(crate) fn describe_text(parses: &Parses<'_>, pool: &CandidatePool<'_>) -> Option<Description> {
    pool.facts?;
    let own = parses.shortest();
    let others =
        super::lexicons(parses.message).map(|lexicon| Parses::of(lexicon, parses.message, false).shortest());
    own.as_ref().and_then(|core| describe(parses, core, pool)).or_else(|| {
        let mut others = others.flatten().filter(|core| own.as_ref() != Some(core));
        others.find_map(|core| describe(parses, &core, pool))
    })
}

/// True if words describe an option of a list without saying which: "the cheapest", "the blue one", "not the one in Berlin".
pub(crate) fn is_descriptive(parses: &Parses<'_>) -> bool {
    let words = parses.message.all();
    let Some(core) = parses.shortest() else { return false };
    super::lexicons(parses.message).any(|lexicon| {
        let list = |id| lexicon.section(id);
        let start = core.start + list(BUT).longest(words, core.start);
        let compared = |at: usize| {
            let sections = [LEAST, MOST, LESS, MORE];
            sections.iter().flatten().filter_map(|id| list(*id).valued(words, at)).map(|(_, end)| end).max()
        };
        let article = list(ARTICLE).longest(words, start);
        let named = article > 0 || (core.start > 0 && list(ARTICLE).is(&words[core.start - 1..core.start]));
        // "The cheapest", "the cheapest hotel"; but "fastest way to cook rice" describes nothing that is shown.
        let adjective = compared(start + article).is_some_and(|end| {
            end == core.end
                || begins_condition(lexicon, parses.message, end)
                || end + 1 == core.end && named
                || list(IDLE).at(words, end) && named
        });
        let from = start - usize::from(start > 0 && article == 0 && named);
        adjective || [start, from].into_iter().any(|at| list(POINTED).at(words, at) && core.end - at <= 8)
    })
}

struct Reader<'r> {
    lexicon: &'static Lexicon,
    parses: &'r Parses<'r>,
    pool: &'r CandidatePool<'r>,
    facts: ListFacts<'r>,
    columns: &'r Columns<'r>,
    /// The title of the list, folded.
    title: &'r str,
    /// The folded names of its comparisons, in their order.
    names: &'r [String],
}

impl Reader<'_> {
    fn words(&self) -> &[Word] {
        self.parses.message.all()
    }

    fn list(&self, id: SectionId) -> Section {
        self.lexicon.section(id)
    }

    fn longest(&self, id: SectionId, at: usize) -> usize {
        self.list(id).longest(self.words(), at)
    }

    /// Returns where words of a section that begin here end.
    fn behind(&self, id: SectionId, at: usize) -> Option<usize> {
        match self.longest(id, at) {
            0 => None,
            led => Some(at + led),
        }
    }

    /// Returns these words in their normal form.
    fn said(&self, words: Range<usize>) -> String {
        normal::folded_text(self.parses.written(&words))
    }

    fn read(&self, core: &Range<usize>) -> Option<Description> {
        let (mut parts, mut unexplained) = (Vec::new(), 0);
        if !self.explain(core.clone(), &mut parts, &mut unexplained) {
            return None;
        }
        let bare = parts.iter().all(|(part, _)| !matches!(part, Part::Extreme { .. } | Part::Only(_)));
        if bare { None } else { Some(self.meant(&parts)) }
    }

    /// Adds the parts that explain all these words. Returns false if none do: most messages are no description, which their
    /// first word shows. Bit `k` of `unexplained` is set where the last `k` words were tried and are not explained.
    fn explain(&self, words: Range<usize>, parts: &mut Parted, unexplained: &mut u32) -> bool {
        let (at, end) = (words.start, words.end);
        if at == end {
            return true;
        }
        if *unexplained & 1 << words.len() != 0 {
            return false;
        }
        for (part, next) in self.parts(at, end) {
            parts.push((part, at..next));
            if self.explain(next..end, parts, unexplained) {
                return true;
            }
            parts.pop();
        }
        *unexplained |= 1 << words.len();
        false
    }

    /// Returns the parts that may begin at a word, the longest first, those that say nothing last.
    fn parts(&self, at: usize, end: usize) -> Vec<(Part, usize)> {
        let mut found = Vec::new();
        found.extend(self.own(at));
        found.extend(self.adjective(at));
        found.extend(self.of_field(at));
        found.extend(self.bound(at));
        found.extend(self.has(at, end));
        found.extend(self.is(at, end));
        found.retain(|(_, next)| (at + 1..=end).contains(next));
        found.sort_by_key(|(_, next)| core::cmp::Reverse(*next));
        let idle = self.list(IDLE).ends(self.words(), at) | self.list(ALSO).ends(self.words(), at);
        found.extend((1..=end - at).rev().filter(|n| idle & 1 << n != 0).map(|n| (Part::Idle, at + n)));
        if self.is_noun(at) {
            found.push((Part::Idle, at + 1));
        }
        found
    }

    /// True if the word says what the options are: "hotel", where the list is called "Hotels".
    fn is_noun(&self, at: usize) -> bool {
        let said = self.parses.message.folded(&self.words()[at]);
        let alike = |word: &str| {
            let (short, long) = if word.len() < said.len() { (word, said) } else { (said, word) };
            short.len() > 2
                && long
                    .strip_prefix(short)
                    .is_some_and(|rest| ["", "s", "es", "n", "en", "e"].contains(&rest))
        };
        self.title.split(' ').any(alike)
    }

    // ---- comparisons ----

    /// A comparison that the list names itself.
    fn own(&self, at: usize) -> Option<(Part, usize)> {
        let ends = |name: &String| {
            let next = at + name.split(' ').count();
            (next <= self.words().len() && self.said(at..next) == *name).then_some(next)
        };
        let own = self.facts.comparisons.iter().zip(self.names);
        let (own, next) = own.into_iter().find_map(|(own, name)| Some((own, ends(name)?)))?;
        let fields = self.columns.named(&folded_name(&own.field)).map(|field| (field, !own.least)).collect();
        Some((Part::Extreme { fields, of_two: false }, next))
    }

    /// "cheapest", "cheaper", and "cheaper than 150".
    fn adjective(&self, at: usize) -> Option<(Part, usize)> {
        let read = |sections: [SectionId; 2], most: bool| {
            let valued = sections.map(|id| self.list(id).valued(self.words(), at));
            let next = valued.iter().flatten().map(|(_, next)| *next).max()?;
            let families = valued.into_iter().flatten().filter(|(_, end)| *end == next);
            let families: Vec<(i64, bool)> = families.map(|(family, _)| (family, most)).collect();
            Some((families, next))
        };
        let both = |least: [SectionId; 2], most: [SectionId; 2]| {
            let all = [read(least, false), read(most, true)];
            let next = all.iter().flatten().map(|(_, next)| *next).max()?;
            let families: Vec<(i64, bool)> =
                all.into_iter().flatten().filter(|(_, end)| *end == next).flat_map(|(own, _)| own).collect();
            let fields = self.columns.of_families(&families);
            (!fields.is_empty()).then_some((fields, next))
        };
        if let Some((fields, next)) = both(LEAST, MOST) {
            return Some((Part::Extreme { fields, of_two: false }, next));
        }
        let (fields, next) = both(LESS, MORE)?;
        let than = self.longest(THAN, next);
        if than == 0 {
            return Some((Part::Extreme { fields, of_two: true }, next));
        }
        let (value, unit, end) = self.amount(next + than)?;
        let truth = match fields.as_slice() {
            [(field, most)] => {
                let limit = Some(Limit { value, inclusive: false });
                let limits =
                    if *most { Limits { low: limit, high: None } } else { Limits { low: None, high: limit } };
                self.columns.within(*field, unit.as_deref(), &limits)
            }
            _ => Truth::UNKNOWN,
        };
        Some((Part::Only(truth), end))
    }

    /// "the highest rating", "fewest stops", "the better score".
    fn of_field(&self, at: usize) -> Option<(Part, usize)> {
        let sections = [
            (HIGHEST, Some(true), false),
            (LOWEST, Some(false), false),
            (HIGHER, Some(true), true),
            (LOWER, Some(false), true),
            (BEST, None, false),
            (BETTER, None, true),
        ];
        let read = |(id, most, of_two): (SectionId, Option<bool>, bool)| {
            let (fields, next) = self.field(self.behind(id, at)?)?;
            let mut fields = self.columns.measured(fields);
            let directed = |field: usize| Some((field, most.or_else(|| self.columns.more_is_better(field))?));
            let known: Vec<(usize, bool)> = fields.iter().filter_map(|field| directed(*field)).collect();
            if fields.is_empty() {
                return None;
            }
            fields.clear();
            Some((Part::Extreme { fields: known, of_two }, next))
        };
        sections.into_iter().filter_map(read).max_by_key(|(_, next)| *next)
    }

    /// The fields that the words name: by their own name, or by a word of their family in any language.
    fn field(&self, at: usize) -> Option<(Vec<usize>, usize)> {
        if self.columns.is_empty() {
            return None;
        }
        let longest = (1..=THING).rev().filter(|n| at + n <= self.words().len());
        let own = |n: usize| {
            let fields: Vec<usize> = self.columns.named(&self.said(at..at + n)).collect();
            (!fields.is_empty()).then_some((fields, at + n))
        };
        if let Some(found) = longest.clone().find_map(own) {
            return Some(found);
        }
        let word = self.words().get(at)?;
        let family = ANSWERS.iter().find_map(|lexicon| lexicon.section(FIELD).value(word))?;
        let fields = self.columns.of_family(i64::try_from(family).ok()?);
        (!fields.is_empty()).then_some((fields, at + 1))
    }

    // ---- bounds ----

    /// "under 150", "between 100 and 200 euros", "rating above 4", "4 stars".
    fn bound(&self, at: usize) -> Option<(Part, usize)> {
        let (named, from) = self
            .field(at)
            .map_or((None, at), |(fields, next)| (Some(fields), next + self.longest(IDLE, next)));
        let (limits, unit, next) =
            self.limits(from).or_else(|| self.exactly(from).filter(|_| named.is_none()))?;
        let behind = self.field(next).filter(|_| named.is_none());
        let (behind, next) = behind.map_or((None, next), |(fields, next)| (Some(fields), next));
        let fields = match (named.or(behind), &unit) {
            (Some(fields), _) => self.columns.measured(fields),
            (None, Some(unit)) => self.columns.with_unit(unit),
            (None, None) => self.columns.bounded_by_default(),
        };
        let truth = match fields.as_slice() {
            [] => return None,
            [field] => self.columns.within(*field, unit.as_deref(), &limits),
            _ => Truth::UNKNOWN,
        };
        Some((Part::Only(truth), next))
    }

    fn limits(&self, at: usize) -> Option<(Limits, Option<String>, usize)> {
        if let Some(from) = self.behind(BETWEEN, at)
            && let Some((low, unit, next)) = self.amount(from)
            && let Some(to) = self.behind(TO, next)
            && let Some((high, other, end)) = self.amount(to)
        {
            let limit = |value| Some(Limit { value, inclusive: true });
            return Some((Limits { low: limit(low), high: limit(high) }, other.or(unit), end));
        }
        let sections =
            [(BELOW, false, false), (UP_TO, false, true), (ABOVE, true, false), (FROM, true, true)];
        let read = |(id, lower, inclusive): (SectionId, bool, bool)| {
            let from = self.behind(id, at)?;
            let (value, unit, end) = self.amount(from)?;
            let limit = Some(Limit { value, inclusive });
            let limits =
                if lower { Limits { low: limit, high: None } } else { Limits { low: None, high: limit } };
            Some((from, (limits, unit, end)))
        };
        sections.into_iter().filter_map(read).max_by_key(|(from, _)| *from).map(|(_, limits)| limits)
    }

    /// A number of something: "4 stars", "120 euros". A bare number is a position.
    fn exactly(&self, at: usize) -> Option<(Limits, Option<String>, usize)> {
        let at = at + self.longest(IN, at);
        if !self.words().get(at)?.digit {
            return None;
        }
        let (value, unit, next) = self.amount(at)?;
        let counted = unit.is_some() || self.field(next).is_some();
        let limit = Some(Limit { value, inclusive: true });
        counted.then_some((Limits { low: limit, high: limit }, unit, next))
    }

    /// The amount at a word: its number, its unit, and where it ends.
    fn amount(&self, at: usize) -> Option<(Size, Option<String>, usize)> {
        let (money, next) = amount(self.parses.message, at)?;
        let value = Size::Number(Decimal::parse(&money.amount)?);
        if money.currency.is_some() {
            return Some((value, money.currency, next));
        }
        let said = |folded: &str| {
            let end = next + folded.split(' ').count();
            (!folded.is_empty() && end <= self.words().len() && self.said(next..end) == folded).then_some(end)
        };
        let mut units = self.columns.units().iter();
        let unit = units.find_map(|(unit, folded)| Some((unit.clone(), said(folded)?)));
        let (unit, end) = unit.map_or((None, next), |(unit, end)| (Some(unit), end));
        Some((value, unit, end))
    }

    // ---- what an option has, and what it is ----

    /// "with breakfast", "without wifi", "breakfast included".
    fn has(&self, at: usize, end: usize) -> Vec<(Part, usize)> {
        let led =
            [(WITH, false), (WITHOUT, true), (ALSO, false)].map(|(id, not)| (self.longest(id, at), not));
        let (led, not) = led.into_iter().max_by_key(|(led, _)| *led).unwrap_or((0, false));
        let from = at + led;
        let things = (from + 1..=end.min(from + THING)).filter_map(|to| {
            let behind = self.longest(INCLUDED, to);
            if led == 0 && behind == 0 {
                return None;
            }
            let truth = self.columns.have(&self.said(from..to))?;
            Some((Part::Only(if not { truth.not() } else { truth }), to + behind))
        });
        things.collect()
    }

    /// "in Berlin", "the blue one", and "berlin" where that is all a field says.
    fn is(&self, at: usize, end: usize) -> Vec<(Part, usize)> {
        let led = self.longest(IN, at);
        let from = at + led;
        let stop = self.list(STOP);
        let things = (from + 1..=end.min(from + THING)).filter_map(|to| {
            let words = &self.words()[from..to];
            if words.iter().all(|word| stop.is(core::slice::from_ref(word))) || self.list(VERB).is(words) {
                return None;
            }
            let said = self.said(from..to);
            let framed = led > 0 || to < end && self.list(IDLE).at(self.words(), to) && from > 0;
            let truth = if framed { self.columns.named_in(&said) } else { None };
            truth.or_else(|| self.columns.say(&said)).map(|truth| (Part::Only(truth), to))
        });
        things.collect()
    }

    // ---- the meaning ----

    fn meant(&self, parts: &[(Part, Range<usize>)]) -> Description {
        let all = self.columns.normal();
        let (mut narrowed, mut unknown, mut filtered) = (all, 0, false);
        let (mut extremes, mut bounds) = (Vec::new(), 0);
        for (part, words) in parts {
            match part {
                Part::Extreme { fields, of_two } => extremes.push((fields.as_slice(), *of_two)),
                Part::Only(truth) => {
                    filtered = true;
                    unknown |= all & !truth.yes & !truth.no;
                    narrowed &= truth.yes;
                    bounds |= words.clone().fold(0, |all, at| all | 1 << at);
                }
                Part::Idle => {}
            }
        }
        let open = |ahead| Description { option: None, ahead, bounds };
        let one = |mask: OptionMask| match mask.count_ones() {
            1 => Description { option: Some(mask.trailing_zeros() as usize), ahead: mask, bounds },
            _ => open(mask),
        };
        // What is not known of an option may be so.
        if unknown & (narrowed | unknown) != 0 && filtered {
            return open(narrowed);
        }
        match extremes.as_slice() {
            [] => one(narrowed),
            [([(field, most)], of_two)] if narrowed != 0 => {
                let among = if *of_two { narrowed & self.facts.left } else { narrowed };
                let Some(best) = self.columns.extreme(*field, *most, among) else {
                    return open(narrowed & !all);
                };
                let seen = among & self.displayed();
                let same =
                    seen == among || seen != 0 && self.columns.extreme(*field, *most, seen) == Some(best);
                if *of_two && among.count_ones() != 2 || !same { open(best) } else { one(best) }
            }
            _ => open(if filtered { narrowed } else { 0 }),
        }
    }

    fn displayed(&self) -> OptionMask {
        self.pool.order.iter().take(self.pool.displayed).fold(0, |all, at| all | 1 << *at)
    }
}
