//! Ranks the options a text resembles. The ranking orders a question and gives hints to a model; it never
//! executes anything, so a misspelling is asked about (docs/design/0022-choosing-an-option.md).

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;
use core::ops::Range;

use crate::data::option_names::SimilarityForms;
use crate::data::option_names::plain;
use crate::data::set_option::OptionMask;
use crate::selection::exact_match::{CandidatePool, Places};
use crate::selection::parse::{MOST, Parses};
pub(super) use throughline_language::edits::osa_distance as distance;
use throughline_language::lexicon::SectionId;
use throughline_language::normal;
use throughline_language::section;
use throughline_language::words::{Word, Words};

const STOP: SectionId = section("list.stop");
const VERB: SectionId = section("list.verb.word");
const ORDINAL: SectionId = section("ordinal");
/// The fewest letters of a word that may be a misspelled position: shorter words are too easily another word.
const SLIP: usize = 5;
/// The fewest letters of a word that was not written to its end.
const BEGUN: usize = 4;
const AFTER: SectionId = section("list.place.after");

/// Classes of resemblance, the closest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SimilarityClass {
    /// Equal except for accents or a final "s".
    NearlyEqual,
    /// One or two edits away from a name, or a misspelled position.
    Misspelled,
    /// Every word is a word of the label.
    WordsOfLabel,
    /// The label begins with the text, or the text contains the label.
    PartOfLabel,
    /// A significant word in common.
    SharedWord,
}

/// The resemblance of one option; the smallest score is the closest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Score {
    pub(crate) class: SimilarityClass,
    shared: Reverse<usize>,
    distance: usize,
}

/// The options a text resembles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SimilarOptions {
    /// The options and their scores, the closest first; equal scores in base order.
    pub(crate) ranked: Vec<(usize, Score)>,
}

impl SimilarOptions {
    /// Returns the options that share the best score.
    pub(crate) fn best(&self) -> OptionMask {
        let Some((_, best)) = self.ranked.first() else { return 0 };
        let alike = self.ranked.iter().take_while(|(_, score)| score == best);
        alike.fold(0, |all, (option, _)| all | 1 << option)
    }

    /// Returns the option with the best score, if there is only one.
    pub(crate) fn unique(&self) -> Option<usize> {
        let best = self.best();
        (best.count_ones() == 1).then(|| best.trailing_zeros() as usize)
    }

    /// True if an option resembles the text in this class or a closer one.
    pub(crate) fn reaches(&self, class: SimilarityClass) -> bool {
        self.ranked.first().is_some_and(|(_, score)| score.class <= class)
    }
}

/// Scores every option by the closest of the text's parses.
pub(crate) fn rank_similar(parses: &Parses<'_>, pool: &CandidatePool<'_>) -> SimilarOptions {
    let words = parses.message.all();
    let cores: Vec<(Range<usize>, String)> =
        parses.cores().map(|core| (core.clone(), normal::compact(parses.written(&core), false))).collect();
    let said: Vec<SpokenCore<'_>> =
        cores.iter().map(|(core, compact)| SpokenCore::of(core, compact)).collect();
    let mut best: Vec<Option<Score>> = alloc::vec![None; pool.options.len()];
    let mut better = |at: usize, score: Score| {
        if let Some(known) = best.get_mut(at) {
            *known = Some(known.map_or(score, |known| known.min(score)));
        }
    };
    let stop = parses.lexicon.section(STOP);
    let telling = |word: &Word| long(parses.message.folded(word), 3) && !stop.is(core::slice::from_ref(word));
    let telling = if said.is_empty() { 0 } else { those(words, telling) };
    for (name, alike) in pool.options.names().alike().filter(|_| !said.is_empty()) {
        let theirs = |word: &Word| alike.words.split(' ').any(|known| known == parses.message.folded(word));
        let shared = those(words, theirs);
        let scores = said.iter().filter_map(|said| said.like(name.said(), alike, shared, telling));
        scores.min().into_iter().for_each(|score| better(name.option, score));
    }
    let read = said.iter().fold(0, |all, said| all | said.words);
    for (_, word) in words.iter().enumerate().filter(|(at, _)| *at < MOST && read & 1 << at != 0) {
        slips(parses, parses.message.folded(word), |place, distance| {
            if pool.places == Places::Counted
                && let Some(at) = pool.order.iter().take(pool.displayed).nth(place - 1)
            {
                let score = Score { class: SimilarityClass::Misspelled, shared: Reverse(0), distance };
                better(usize::from(*at), score);
            }
        });
    }
    let scored = best.into_iter().enumerate();
    let mut ranked: Vec<(usize, Score)> = scored.filter_map(|(at, score)| Some((at, score?))).collect();
    ranked.sort_by_key(|(_, score)| *score);
    SimilarOptions { ranked }
}

/// True if the text spells this option, allowing for slips of the hand: each of its words is, or nearly is, a word of
/// the option's name or a verb that leads to an option.
pub(crate) fn spells(parses: &Parses<'_>, pool: &CandidatePool<'_>, option: usize) -> bool {
    let Some(core) = parses.shortest() else { return false };
    let words = parses.message.all();
    let (stop, verb) = (parses.lexicon.section(STOP), parses.lexicon.section(VERB));
    let begun = |said: &str, known: &str| long(said, BEGUN) && known.starts_with(said);
    // "sample1" is no slip for "sample2".
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let near = |said: &str, known: &str| {
        begun(said, known)
            || said == known
            || digits(said) == digits(known)
                && distance(said, known, allowed(known.chars().count())).is_some()
    };
    let told = normal::compact(parses.written(&core), false);
    let known = |word: &Word, names: &str| {
        let said = parses.message.folded(word);
        let listed = stop.is(core::slice::from_ref(word));
        listed
            || names.split(' ').any(|name| near(said, name))
            || verb.words().any(|(_, verb)| near(said, verb))
    };
    pool.options.names().alike().filter(|(name, _)| name.option == option).any(|(name, alike)| {
        near(&told, name.said()) || words[core.clone()].iter().all(|word| known(word, &alike.words))
    })
}

/// The words that fit: bit `k` is word `k`.
fn those(words: &[Word], fits: impl Fn(&Word) -> bool) -> u64 {
    let those = words.iter().enumerate().take(MOST).filter(|(_, word)| fits(word));
    those.fold(0, |all, (at, _)| all | 1 << at)
}

fn long(text: &str, least: usize) -> bool {
    text.chars().nth(least - 1).is_some()
}

/// A core, prepared for comparison with many names.
struct SpokenCore<'c> {
    compact: &'c str,
    plain: Cow<'c, str>,
    letters: usize,
    /// Its words: bit `k` is word `k` of the message.
    words: u64,
}

impl<'c> SpokenCore<'c> {
    fn of(core: &Range<usize>, compact: &'c str) -> Self {
        let words = (1 << core.end) - (1 << core.start);
        Self { compact, plain: plain(compact), letters: compact.chars().count(), words }
    }

    /// Scores the core against a name. `shared`: the words the name has too; `telling`: the significant
    /// words.
    fn like(&self, name: &str, alike: &SimilarityForms, shared: u64, telling: u64) -> Option<Score> {
        if self.compact.is_empty() || name.is_empty() {
            return None;
        }
        let shared = shared & self.words;
        let count = shared.count_ones() as usize;
        let score = |class, distance| Some(Score { class, shared: Reverse(count), distance });
        if self.plain == alike.plain {
            return score(SimilarityClass::NearlyEqual, 0);
        }
        let most = allowed(alike.letters);
        let near = most > 0 && self.letters.abs_diff(alike.letters) <= most;
        if near && let Some(distance) = distance(self.compact, name, most).filter(|distance| *distance > 0) {
            return score(SimilarityClass::Misspelled, distance);
        }
        if shared == self.words {
            return score(SimilarityClass::WordsOfLabel, 0);
        }
        if long(self.compact, 2) && name.starts_with(self.compact)
            || long(name, 3) && self.compact.contains(name)
        {
            return score(SimilarityClass::PartOfLabel, 0);
        }
        if shared & telling != 0 { score(SimilarityClass::SharedWord, 0) } else { None }
    }
}

/// Calls `found` with each position that this word misspells or runs together with a noun ("sedond",
/// "secondoption"), and the number of edits.
fn slips(parses: &Parses<'_>, token: &str, mut found: impl FnMut(usize, usize)) {
    let (ordinals, after) = (parses.lexicon.section(ORDINAL), parses.lexicon.section(AFTER));
    if token.chars().filter(|c| c.is_alphabetic()).count() < SLIP {
        return;
    }
    let mut add = |place: u64, distance| {
        let place = usize::try_from(place).ok().filter(|place| *place > 0);
        place.into_iter().for_each(|place| found(place, distance));
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
}

/// The number of edits allowed for a name of this length.
fn allowed(characters: usize) -> usize {
    match characters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_plurals_are_alike() {
        assert_eq!(plain("résumés"), plain("resume"));
        assert_ne!(plain("panel"), plain("pane"));
    }
}
