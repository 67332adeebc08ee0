//! What a text resembles among options (`spec 04 §7`, *Advisory*). It orders a question and hints a model, and never
//! executes anything: a misspelling is asked about.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use super::SetOption;
use super::parse::Parses;
use super::read::{Options, Pool};
use crate::recognize::lexicon::{Section, SectionId};
use crate::recognize::named;
use crate::recognize::selection::normal;
use crate::recognize::words::Words;

const STOP: SectionId = named("list.stop");
const ORDINAL: SectionId = named("ordinal");
const AFTER: SectionId = named("list.place.after");

/// How alike they are, the most alike first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// Equal but for accents or a final "s".
    A1,
    /// A slip of the hand away, from a name or from a place's word.
    A2,
    /// Every word is one of the label's.
    A3,
    /// The label begins with it, or is in it.
    A4,
    /// A telling word in common.
    A5,
}

/// How much an option is like the text: the least is the most alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Score {
    pub(crate) class: Class,
    shared: Reverse<usize>,
    distance: usize,
}

/// What a text resembles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    /// The options with a score, the most alike first; equals in base order.
    pub(crate) ranked: Vec<(usize, Score)>,
}

impl Hints {
    /// The options that share the best score.
    pub(crate) fn best(&self) -> Options {
        let Some((_, best)) = self.ranked.first() else { return 0 };
        let alike = self.ranked.iter().take_while(|(_, score)| score == best);
        alike.fold(0, |all, (option, _)| all | 1 << option)
    }

    /// The only option with the best score.
    pub(crate) fn unique(&self) -> Option<usize> {
        let best = self.best();
        (best.count_ones() == 1).then(|| best.trailing_zeros() as usize)
    }

    /// Whether an option is alike in one of the classes up to this one.
    pub(crate) fn reaches(&self, class: Class) -> bool {
        self.ranked.first().is_some_and(|(_, score)| score.class <= class)
    }
}

/// What the text resembles, by the best of its parses.
pub(crate) fn hints(parses: &Parses<'_>, pool: &Pool<'_>) -> Hints {
    let stop = parses.lexicon.section(STOP);
    let cores: Vec<Range<usize>> = parses.cores().collect();
    let said: Vec<Said<'_>> = cores.iter().map(|core| Said::of(parses, core, stop)).collect();
    let score = |at: usize, option: &SetOption| {
        let place = pool.order.iter().take(pool.displayed).position(|place| usize::from(*place) == at);
        let scored = said.iter().filter_map(|said| {
            let slip = place.and_then(|place| said.slip_of_place(parses, place + 1));
            names(option).filter_map(|name| said.like(name)).chain(slip).min()
        });
        scored.min()
    };
    let mut ranked: Vec<(usize, Score)> =
        (0..).zip(&pool.set.options).filter_map(|(at, option)| Some((at, score(at, option)?))).collect();
    ranked.sort_by_key(|(_, score)| *score);
    Hints { ranked }
}

fn names(option: &SetOption) -> impl Iterator<Item = &str> {
    [option.label.as_str()].into_iter().chain(option.aliases.iter().map(String::as_str))
}

/// A core, prepared.
struct Said<'m> {
    compact: String,
    plain: String,
    tokens: Vec<&'m str>,
    telling: Vec<bool>,
}

impl<'m> Said<'m> {
    fn of(parses: &Parses<'m>, core: &Range<usize>, stop: Section) -> Self {
        let words = &parses.message.all()[core.clone()];
        let compact = normal::compact(parses.written(core), false);
        let telling = words.iter().map(|word| !stop.is(core::slice::from_ref(word))).collect();
        Self { plain: plain(&compact), compact, tokens: parses.tokens(core), telling }
    }

    fn like(&self, name: &str) -> Option<Score> {
        let compact = normal::compact(name, false);
        if self.compact.is_empty() || compact.is_empty() {
            return None;
        }
        let text = normal::folded_text(name);
        let theirs: Vec<&str> = text.split(' ').collect();
        let shared = |token: &&str| theirs.contains(token);
        let count = self.tokens.iter().filter(|token| shared(token)).count();
        let score = |class, distance| Some(Score { class, shared: Reverse(count), distance });
        if self.plain == plain(&compact) {
            return score(Class::A1, 0);
        }
        let most = allowed(compact.chars().count());
        if let Some(distance) = distance(&self.compact, &compact, most).filter(|distance| *distance > 0) {
            return score(Class::A2, distance);
        }
        if count == self.tokens.len() {
            return score(Class::A3, 0);
        }
        let long = |text: &str, least: usize| text.chars().nth(least - 1).is_some();
        if long(&self.compact, 2) && compact.starts_with(&self.compact)
            || long(&compact, 3) && self.compact.contains(&compact)
        {
            return score(Class::A4, 0);
        }
        let telling = |(token, telling): (&&str, &bool)| *telling && long(token, 3) && theirs.contains(token);
        let tells = self.tokens.iter().zip(&self.telling).any(telling);
        if tells { score(Class::A5, 0) } else { None }
    }

    /// "sedond", "secondoption": a slip away from the word of that place.
    fn slip_of_place(&self, parses: &Parses<'_>, place: usize) -> Option<Score> {
        let ordinals = parses.lexicon.section(ORDINAL);
        let own = |word: &str| ordinals.spelled(word) == u64::try_from(place).ok();
        let after = parses.lexicon.section(AFTER);
        let joined = |token: &&str| {
            (1..token.len()).any(|cut| {
                let (Some(one), Some(rest)) = (token.get(..cut), token.get(cut..)) else { return false };
                own(one) && after.is(Words::of(rest).all())
            })
        };
        let slipped = |token: &&str| {
            let letters = token.chars().filter(|c| c.is_alphabetic()).count();
            letters >= 5
                && ordinals
                    .words()
                    .any(|(_, word)| own(word) && distance(token, word, 1).is_some_and(|d| d > 0))
        };
        let distance = if self.tokens.iter().any(joined) {
            0
        } else if self.tokens.iter().any(slipped) {
            1
        } else {
            return None;
        };
        Some(Score { class: Class::A2, shared: Reverse(0), distance })
    }
}

/// The slips a name of so many characters may have.
fn allowed(characters: usize) -> usize {
    match characters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Without accents and a final "s".
fn plain(compact: &str) -> String {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let normal = DecomposingNormalizerBorrowed::new_nfd();
    let mut out: String = normal
        .normalize_iter(compact.chars())
        .filter(|c| categories.get(*c) != GeneralCategory::NonspacingMark)
        .collect();
    if out.ends_with('s') && out.len() > 1 {
        out.pop();
    }
    out
}

/// How many characters have to be put in, left out, changed or swapped with the next, when that is not more than `most`
/// (optimal string alignment).
pub(super) fn distance(one: &str, other: &str, most: usize) -> Option<usize> {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if most == 0 || one.len().abs_diff(other.len()) > most {
        return (one == other).then_some(0);
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = alloc::vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let change = last[j] + usize::from(a != b);
            let mut least = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = core::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        for (one, other, most, expected) in [
            ("sedond", "second", 1, Some(1)),
            ("thrid", "third", 1, Some(1)),
            ("summary14", "summary144", 2, Some(1)),
            ("summary14", "summary155", 2, Some(2)),
            ("abc", "abd", 0, None),
            ("", "ab", 2, Some(2)),
            ("same", "same", 1, Some(0)),
            ("kitten", "sitting", 2, None),
        ] {
            assert_eq!(distance(one, other, most), expected, "{one} {other}");
        }
    }

    #[test]
    fn accents_and_plurals_are_alike() {
        assert_eq!(plain("résumés"), plain("resume"));
        assert_ne!(plain("panel"), plain("pane"));
    }
}
