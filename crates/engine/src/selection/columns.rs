//! Fields of a list's options side by side: which options a comparison, a bound or a word is true of. What an option does
//! not say is unknown, and never counts as no (`docs/design/0069-options-that-carry-fields.md`).

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::field::{FieldValue, Measure, Size, Unit};
use crate::data::indexed_options::IndexedOptions;
use crate::data::option_fields::FieldName;
use crate::data::set_option::{OptionMask, SetOption};
use throughline_language::normal;

/// Families by the numbers that the lexicons give them.
const PRICE: i64 = 1;
const DATED: [i64; 2] = [2, 7];
/// Families in which less is better, and those in which more is.
const LESS_IS_BETTER: [i64; 4] = [PRICE, 4, 6, 8];
const MORE_IS_BETTER: [i64; 3] = [5, 9, 12];

/// The options that something is true of, and those it is false of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Truth {
    pub(super) yes: OptionMask,
    pub(super) no: OptionMask,
}

impl Truth {
    /// Nothing is known of any option.
    pub(super) const UNKNOWN: Self = Self { yes: 0, no: 0 };

    pub(super) fn not(self) -> Self {
        Self { yes: self.no, no: self.yes }
    }
}

/// An end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) value: Size,
    pub(super) inclusive: bool,
}

/// A range of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) low: Option<Limit>,
    pub(super) high: Option<Limit>,
}

impl Limits {
    fn holds(&self, size: Size) -> bool {
        let above = |low: Limit| size > low.value || low.inclusive && size == low.value;
        let below = |high: Limit| size < high.value || high.inclusive && size == high.value;
        self.low.is_none_or(above) && self.high.is_none_or(below)
    }
}

/// The fields of a list.
pub(super) struct Columns<'o> {
    options: &'o IndexedOptions,
}

impl<'o> Columns<'o> {
    pub(super) fn of(options: &'o IndexedOptions) -> Self {
        Self { options }
    }

    /// True if no option has a field.
    pub(super) fn is_empty(&self) -> bool {
        self.all().is_empty()
    }

    fn all(&self) -> &'o [FieldName] {
        self.options.fields().names()
    }

    fn those(&self, fits: impl Fn(&SetOption) -> bool) -> OptionMask {
        self.among(OptionMask::MAX, |_, option| fits(option))
    }

    /// Returns those of these options that something is true of.
    fn among(&self, options: OptionMask, fits: impl Fn(usize, &SetOption) -> bool) -> OptionMask {
        let normal = self.options.iter().enumerate().filter(|(_, option)| option.is_normal());
        let asked = normal.filter(|(at, _)| options & 1 << at != 0);
        asked.filter(|(at, option)| fits(*at, option)).fold(0, |all, (at, _)| all | 1 << at)
    }

    /// Returns the options that may be meant: all but the ways out.
    pub(super) fn normal(&self) -> OptionMask {
        self.those(|_| true)
    }

    fn value<'v>(&self, option: &'v SetOption, field: usize) -> Option<&'v FieldValue> {
        option.fields.get(&self.all().get(field)?.name)
    }

    fn values(&self, field: usize) -> impl Iterator<Item = &FieldValue> {
        self.options
            .iter()
            .filter(|option| option.is_normal())
            .filter_map(move |option| self.value(option, field))
    }

    // ---- which field is meant ----

    /// Returns the fields of this name, which is folded.
    pub(super) fn named(&self, said: &str) -> impl Iterator<Item = usize> {
        let known = self.all().iter().enumerate();
        known.filter(move |(_, column)| column.folded == said).map(|(at, _)| at)
    }

    /// Returns the fields with values that have an order.
    pub(super) fn measured(&self, fields: Vec<usize>) -> Vec<usize> {
        fields
            .into_iter()
            .filter(|field| self.values(*field).any(|value| value.measure().is_some()))
            .collect()
    }

    pub(super) fn of_family(&self, family: i64) -> Vec<usize> {
        (0..self.all().len()).filter(|at| self.all()[*at].families.contains(&family)).collect()
    }

    /// Returns the fields that adjectives speak of, each with the direction of its adjective. Where no field is called so, a
    /// date of any name is the newest or the earliest.
    pub(super) fn of_families(&self, families: &[(i64, bool)]) -> Vec<(usize, bool)> {
        let mut found: Vec<(usize, bool)> = Vec::new();
        for (family, most) in families {
            let dated = DATED.contains(family);
            let fits = |value: &FieldValue| match value.measure() {
                Some(Measure { unit: Unit::Day | Unit::Moment, .. }) => dated,
                Some(Measure { unit: Unit::None, .. }) => true,
                Some(Measure { unit: Unit::Of(_), .. }) => !dated,
                None => false,
            };
            for field in self.of_family(*family) {
                if self.values(field).any(fits) && !found.contains(&(field, *most)) {
                    found.push((field, *most));
                }
            }
        }
        let dated = families.iter().find(|(family, _)| DATED.contains(family));
        if let (true, Some((_, most))) = (found.is_empty(), dated) {
            let timed = |value: &FieldValue| matches!(value, FieldValue::At(_));
            found = (0..self.all().len())
                .filter(|at| self.values(*at).any(timed))
                .map(|at| (at, *most))
                .collect();
        }
        found
    }

    /// Returns true if a greater value of a field is the better one, false if a lesser is; `None` if nobody knows.
    pub(super) fn more_is_better(&self, field: usize) -> Option<bool> {
        let families = &self.all().get(field)?.families;
        let any = |known: &[i64]| families.iter().any(|family| known.contains(family));
        match (any(&MORE_IS_BETTER), any(&LESS_IS_BETTER)) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Returns the units of all quantities, as written and folded.
    pub(super) fn units(&self) -> &'o [(String, String)] {
        self.options.fields().units()
    }

    /// Returns the fields with quantities of this unit.
    pub(super) fn with_unit(&self, unit: &str) -> Vec<usize> {
        let has = |value: &FieldValue| matches!(value, FieldValue::Quantity { unit: own, .. } if same_unit(own, unit));
        let named: Vec<usize> = (0..self.all().len()).filter(|at| self.values(*at).any(has)).collect();
        // "Under 150 euros", where prices are plain numbers: the fields that it may bound, of which nothing is known.
        if named.is_empty() { self.bounded_by_default() } else { named }
    }

    /// Returns the fields that a bare amount may bound: prices, else everything that has numbers.
    pub(super) fn bounded_by_default(&self) -> Vec<usize> {
        let number =
            |value: &FieldValue| matches!(value, FieldValue::Number(_) | FieldValue::Quantity { .. });
        let numbers = |fields: Vec<usize>| -> Vec<usize> {
            fields.into_iter().filter(|field| self.values(*field).any(number)).collect()
        };
        let prices = numbers(self.of_family(PRICE));
        if prices.is_empty() { numbers((0..self.all().len()).collect()) } else { prices }
    }

    // ---- what is true of an option ----

    /// Returns the unit that all values of a field have.
    fn unit(&self, field: usize) -> Option<Unit<'_>> {
        let mut units = self.values(field).map(|value| value.measure().map(|measure| measure.unit));
        let first = units.next()??;
        units.all(|unit| unit.is_some_and(|unit| alike(unit, first))).then_some(first)
    }

    /// Returns the options whose value is in a range.
    pub(super) fn within(&self, field: usize, unit: Option<&str>, limits: &Limits) -> Truth {
        let fits = |own: Unit<'_>| match (own, unit) {
            (Unit::Of(own), Some(unit)) => same_unit(own, unit),
            (_, None) => self.unit(field).is_some_and(|all| alike(all, own)),
            _ => false,
        };
        let size = |option: &SetOption| {
            let measure = self.value(option, field)?.measure().filter(|measure| fits(measure.unit))?;
            matches!(measure.size, Size::Number(_)).then(|| limits.holds(measure.size))
        };
        Truth {
            yes: self.those(|option| size(option) == Some(true)),
            no: self.those(|option| size(option) == Some(false)),
        }
    }

    /// Returns the options with the least or the greatest value among these; `None` if they cannot all be compared.
    pub(super) fn extreme(&self, field: usize, most: bool, among: OptionMask) -> Option<OptionMask> {
        let measured = |(at, option): (usize, &'o SetOption)| {
            let measure = self.value(option, field).and_then(FieldValue::measure);
            (among & 1 << at != 0).then_some(measure.map(|measure| (at, measure)))
        };
        let all: Option<Vec<(usize, Measure<'_>)>> =
            self.options.iter().enumerate().filter_map(measured).collect();
        let all = all?;
        let (_, first) = all.first()?;
        if !all.iter().all(|(_, measure)| alike(measure.unit, first.unit)) {
            return None;
        }
        let sizes = all.iter().map(|(_, measure)| measure.size);
        let best = if most { sizes.max() } else { sizes.min() }?;
        Some(all.iter().filter(|(_, measure)| measure.size == best).fold(0, |mask, (at, _)| mask | 1 << at))
    }

    /// Returns the options that have a thing: a flag of its name, or a text of a field that says it; `None` if no option
    /// speaks of it.
    pub(super) fn have(&self, thing: &str) -> Option<Truth> {
        let mut speaks: Vec<usize> = Vec::new();
        let said = self.options.fields().may_have(thing) != 0;
        for (at, column) in self.all().iter().enumerate() {
            let flag = (column.bare == thing || column.folded == thing)
                && self.values(at).any(|value| matches!(value, FieldValue::Flag(_)));
            let says = said
                && self
                    .values(at)
                    .any(|value| value.texts().any(|text| holds(&normal::folded_text(text), thing)));
            if flag || says {
                speaks.push(at);
            }
        }
        if speaks.is_empty() {
            return self.labelled(thing);
        }
        let of = |option: &SetOption| {
            let one = |field: &usize| match self.value(option, *field)? {
                FieldValue::Flag(flag) => Some(*flag),
                value => Some(value.texts().any(|text| holds(&normal::folded_text(text), thing))),
            };
            let said: Vec<Option<bool>> = speaks.iter().map(one).collect();
            if said.contains(&Some(true)) {
                Some(true)
            } else {
                said.into_iter().collect::<Option<Vec<_>>>().map(|_| false)
            }
        };
        Some(Truth {
            yes: self.those(|option| of(option) == Some(true)),
            no: self.those(|option| of(option) == Some(false)),
        })
    }

    /// Returns the options of which a field, or a name, has these words.
    pub(super) fn named_in(&self, said: &str) -> Option<Truth> {
        let candidates = self.options.fields().may_have(said);
        if candidates == 0 {
            return None;
        }
        let field = |_: usize, option: &SetOption| {
            option
                .fields
                .values()
                .flat_map(FieldValue::texts)
                .any(|text| holds(&normal::folded_text(text), said))
        };
        let yes = self.among(candidates, field);
        let name = self.labelled(said);
        match (yes, name) {
            (0, name) => name,
            (yes, Some(name)) => Some(Truth { yes: yes | name.yes, no: name.no & !yes }),
            (yes, None) => Some(Truth { yes, no: self.normal() & !yes }),
        }
    }

    /// Returns the options with these words in their label, their second line or another name.
    fn labelled(&self, said: &str) -> Option<Truth> {
        if said.chars().count() < SHORTEST {
            return None;
        }
        let fields = self.options.fields();
        let named = |at: usize, _: &SetOption| fields.labels(at).iter().any(|name| holds(name, said));
        let yes = self.among(fields.may_have(said), named);
        (yes != 0).then(|| Truth { yes, no: self.normal() & !yes })
    }

    /// Returns the options of which a text of a field is exactly this, but for the ending of an adjective.
    pub(super) fn say(&self, said: &str) -> Option<Truth> {
        if said.chars().count() < SHORTEST {
            return None;
        }
        let saying = |said: &str| self.options.fields().saying(said);
        let stem = |ending: &str| {
            let stem = said.strip_suffix(ending)?;
            (stem.chars().count() >= SHORTEST && !stem.contains(' ')).then_some(stem)
        };
        let stems = ENDINGS.into_iter().filter_map(stem);
        let yes = stems.fold(saying(said), |all, stem| all | saying(stem));
        (yes != 0).then(|| Truth { yes, no: self.normal() & !yes })
    }
}

/// The fewest letters of words that name an option by a part of what it says.
const SHORTEST: usize = 3;
/// Endings of adjectives before a noun: "das blaue".
const ENDINGS: [&str; 5] = ["e", "er", "es", "en", "em"];

/// True if words are a run of whole words of a text; both are in their normal form.
fn holds(text: &str, words: &str) -> bool {
    let mut starts = core::iter::once(0).chain(text.match_indices(' ').map(|(space, _)| space + 1));
    let begins =
        |rest: &str| rest.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    !words.is_empty() && starts.any(|at| begins(&text[at..]))
}

fn same_unit(one: &str, other: &str) -> bool {
    normal::folded_whole(one) == normal::folded_whole(other)
}

fn alike(one: Unit<'_>, other: Unit<'_>) -> bool {
    match (one, other) {
        (Unit::Of(one), Unit::Of(other)) => same_unit(one, other),
        _ => one == other,
    }
}
