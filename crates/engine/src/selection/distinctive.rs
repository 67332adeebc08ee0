//! Reads a text against the list on the screen as it would be read against an asked question: names with the phrases of an
//! answer around them, and words that only one option has.
//!
//! The reader is the one of asked questions. One thing differs: nobody asked, so a word that names an option by a part of its
//! label has three letters or more, and a text that an older question for words would take is not read like this. A list shown
//! as a question is read exactly like one, until an option of it was chosen (`docs/design/0069-options-that-carry-fields.md`).

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::option_names::MatchedBy;
use crate::selection::control::chooses_not;
use crate::selection::exact_match::{CandidatePool, Reading};
use crate::selection::target_list::{ResolveInput, TargetList};
use throughline_language::{self as language, Context, Expected, Match, Value, Words, normal};

/// The fewest letters of a word that names an option where nobody asked.
const TELLING: usize = 3;

/// Returns the option that the text names by words that no other option has.
pub(super) fn by_words(
    scene: &ResolveInput<'_>,
    target: &TargetList<'_>,
    pool: &CandidatePool<'_>,
) -> Reading {
    let chosen_from = scene.is_soft(target.set) && !target.cued;
    if chosen_from || scene.contested && !target.set.asked {
        return Reading::Nothing;
    }
    let labels: Vec<String> = pool.options.iter().map(|option| option.label.clone()).collect();
    let expected = Expected::Selection(labels);
    let Ok(found) = language::read(&expected, &target.message, &Context::default()) else {
        return Reading::Nothing;
    };
    let Expected::Selection(labels) = expected else { return Reading::Nothing };
    let Value::Selection(label) = &found.value else { return Reading::Nothing };
    let mut named = labels.iter().enumerate().filter(|(_, known)| *known == label).map(|(at, _)| at);
    let (Some(option), None) = (named.next(), named.next()) else { return Reading::Nothing };
    let telling = target.set.asked || tells(&target.message, &found, &labels, option);
    if found.remainder.is_some() || !telling || chooses_not(&target.message, &found) {
        return Reading::Nothing;
    }
    Reading::One(option, MatchedBy::Words)
}

/// True if the text has the whole label, or a word of it that is long enough and in no other label.
fn tells(message: &Words, found: &Match, labels: &[String], option: usize) -> bool {
    let said = message.text().get(found.span.clone()).unwrap_or_default();
    if normal::compact(said, false) == normal::compact(&labels[option], false) {
        return true;
    }
    let has = |label: &String, word: &str| normal::folded_text(label).split(' ').any(|known| known == word);
    let others = |word: &str| labels.iter().enumerate().any(|(at, label)| at != option && has(label, word));
    let said = normal::folded_text(said);
    said.split(' ').any(|word| word.chars().count() >= TELLING && has(&labels[option], word) && !others(word))
}
