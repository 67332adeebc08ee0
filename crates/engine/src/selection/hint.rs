//! What a text resembles among options (`spec 04 §7`, *Advisory*). It orders a question and hints a model, and never
//! executes anything: a misspelling is asked about.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

use super::names::Name;
use super::parse::Parses;
use super::read::{Options, Pool};
use crate::recognize::lexicon::{Section, SectionId};
use crate::recognize::named;
use crate::recognize::selection::normal;
use crate::recognize::words::Words;

const STOP: SectionId = named("list.stop");
const ORDINAL: SectionId = named("ordinal");
/// Shorter words are too easily another place.
const SLIP: usize = 5;
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
    let words = parses.message.all().iter();
    let slipped: Vec<Vec<(usize, usize)>> =
        words.map(|word| slips(parses, parses.message.folded(word))).collect();
    let said: Vec<Said<'_>> = cores.iter().map(|core| Said::of(parses, core, stop, &slipped)).collect();
    let mut best: Vec<Option<Score>> = alloc::vec![None; pool.set.options.len()];
    let mut better = |at: usize, score: Score| {
        if let Some(known) = best.get_mut(at) {
            *known = Some(known.map_or(score, |known| known.min(score)));
        }
    };
    for said in &said {
        for name in pool.names.alike() {
            if let Some(score) = said.like(name) {
                better(name.option, score);
            }
        }
        for (place, distance) in &said.slips {
            if let Some(at) = pool.order.iter().take(pool.displayed).nth(place - 1) {
                let score = Score { class: Class::A2, shared: Reverse(0), distance: *distance };
                better(usize::from(*at), score);
            }
        }
    }
    let scored = best.into_iter().enumerate();
    let mut ranked: Vec<(usize, Score)> = scored.filter_map(|(at, score)| Some((at, score?))).collect();
    ranked.sort_by_key(|(_, score)| *score);
    Hints { ranked }
}

/// A core, prepared.
struct Said<'m> {
    compact: String,
    plain: String,
    tokens: Vec<&'m str>,
    telling: Vec<bool>,
    letters: usize,
    /// Places whose words its own are a slip away from, and how far.
    slips: Vec<(usize, usize)>,
}

impl<'m> Said<'m> {
    fn of(parses: &Parses<'m>, core: &Range<usize>, stop: Section, slipped: &[Vec<(usize, usize)>]) -> Self {
        let words = &parses.message.all()[core.clone()];
        let compact = normal::compact(parses.written(core), false);
        let telling = words.iter().map(|word| !stop.is(core::slice::from_ref(word))).collect();
        let tokens = parses.tokens(core);
        let letters = compact.chars().count();
        let slips = slipped[core.clone()].iter().flatten().copied().collect();
        Self { plain: plain(&compact), compact, tokens, telling, letters, slips }
    }

    fn like(&self, name: &Name) -> Option<Score> {
        let compact = name.said();
        if self.compact.is_empty() || compact.is_empty() {
            return None;
        }
        let alike = name.resemblance();
        let theirs = |token: &&str| alike.words.split(' ').any(|word| word == *token);
        let shared = |token: &&str| theirs(token);
        let count = self.tokens.iter().filter(|token| shared(token)).count();
        let score = |class, distance| Some(Score { class, shared: Reverse(count), distance });
        if self.plain == alike.plain {
            return score(Class::A1, 0);
        }
        let most = allowed(alike.letters);
        let near = most > 0 && self.letters.abs_diff(alike.letters) <= most;
        if near
            && let Some(distance) = distance(&self.compact, compact, most).filter(|distance| *distance > 0)
        {
            return score(Class::A2, distance);
        }
        if count == self.tokens.len() {
            return score(Class::A3, 0);
        }
        let long = |text: &str, least: usize| text.chars().nth(least - 1).is_some();
        if long(&self.compact, 2) && compact.starts_with(&self.compact)
            || long(compact, 3) && self.compact.contains(compact)
        {
            return score(Class::A4, 0);
        }
        let telling = |(token, telling): (&&str, &bool)| *telling && long(token, 3) && theirs(token);
        let tells = self.tokens.iter().zip(&self.telling).any(telling);
        if tells { score(Class::A5, 0) } else { None }
    }
}

/// "sedond", "secondoption": places whose words this one is a slip away from.
fn slips(parses: &Parses<'_>, token: &str) -> Vec<(usize, usize)> {
    let (ordinals, after) = (parses.lexicon.section(ORDINAL), parses.lexicon.section(AFTER));
    let mut found = Vec::new();
    if token.chars().filter(|c| c.is_alphabetic()).count() < SLIP {
        return found;
    }
    let mut add = |place: u64, distance| {
        let place = usize::try_from(place).ok().filter(|place| *place > 0);
        found.extend(place.map(|place| (place, distance)));
    };
    for cut in 1..token.len() {
        let (Some(one), Some(rest)) = (token.get(..cut), token.get(cut..)) else { continue };
        if let Some(place) = ordinals.spelled(one).filter(|_| after.is(Words::of(rest).all())) {
            add(place, 0);
        }
    }
    for (_, word) in ordinals.words() {
        if distance(token, word, 1) == Some(1)
            && let Some(place) = ordinals.spelled(word)
        {
            add(place, 1);
        }
    }
    found
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
pub(super) fn plain(compact: &str) -> String {
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
    if one.chars().count().abs_diff(other.chars().count()) > most {
        return None;
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if most == 0 {
        return (one == other).then_some(0);
    }
    // Three rows of the table, used in turn.
    let mut before = alloc::vec![0; other.len() + 1];
    let mut last: Vec<usize> = (0..=other.len()).collect();
    let mut row = before.clone();
    for (i, a) in one.iter().enumerate() {
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let change = last[j] + usize::from(a != b);
            let mut least = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row[j + 1] = least;
        }
        core::mem::swap(&mut before, &mut last);
        core::mem::swap(&mut last, &mut row);
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
