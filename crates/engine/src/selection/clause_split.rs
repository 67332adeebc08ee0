//! Divides a text in which one clause is an option and the rest a clause of its own: "open sample2 and
//! explain why".

use alloc::string::String;

use throughline_language::intent::rules;
use throughline_language::lexicon::{Lexicon, SectionId};
use throughline_language::section;
use throughline_language::words::{Gap, Words};

const AND: SectionId = section("list.and");
const QUESTION: SectionId = section("list.question");
const TELL: SectionId = section("list.tell");
const VERB: SectionId = section("list.verb");
const COMMAND: SectionId = section("list.command");
const NOT: SectionId = section("list.not");
const REFERENCE: SectionId = section("list.that");

/// The number of words within which a text is divided.
const MOST: usize = 24;
/// The most words of a part that may be an option: more are no name.
const NAME: usize = 64;

/// The way a clause names an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NamedBy {
    /// By its label or another name.
    Name,
    /// By its position or badge. This is weaker: "1." also numbers a line of prose.
    Place,
}

/// Returns the clause that is an option, and the rest. An option in front wins over one at the end.
pub(super) fn split_clause(
    lexicon: &'static Lexicon,
    message: &Words,
    is_option: impl Fn(&str) -> Option<NamedBy>,
) -> Option<(String, String)> {
    let words = message.all();
    let and = lexicon.section(AND);
    let text = |from: usize, to: usize| {
        let end = words.get(to.checked_sub(1)?)?.end;
        message.text().get(words.get(from)?.at..end).map(|part| part.trim())
    };
    let cuts = (1..words.len().min(MOST)).filter_map(|at| {
        let joined = and.is(&words[at..=at]) && at + 1 < words.len();
        let from = if joined { at + 1 } else { at };
        let divided = words[at - 1].after >= Gap::Soft || joined;
        let sentence = words[at - 1].after >= Gap::Hard;
        divided.then_some((at, from, sentence))
    });
    let mut last = None;
    for (to, from, sentence) in cuts {
        let (Some(before), Some(behind)) = (text(0, to), text(from, words.len())) else { continue };
        let stands = |named: Option<NamedBy>, rest: &str| {
            named.is_some_and(|named| sentence && named == NamedBy::Name || clause(lexicon, rest))
        };
        let behind_may = words.len() - from <= NAME;
        if stands(is_option(before), behind) {
            return Some((before.into(), behind.into()));
        }
        if behind_may && stands(is_option(behind), before) {
            last = Some((String::from(behind), String::from(before)));
        }
    }
    last
}

/// True if these words are a clause of their own: they ask, tell or want something.
fn clause(lexicon: &'static Lexicon, text: &str) -> bool {
    let words = Words::of(text);
    let begins = |section| lexicon.section(section).at(words.all(), 0);
    [QUESTION, TELL, VERB, COMMAND].into_iter().any(begins) || rules::rule(&words).is_some()
}

/// True if the rest is about the option too, so that executing it would be half of what was asked: the rest
/// names another option, denies something, or changes what it points at.
pub(super) fn rest_concerns_option(
    lexicon: &'static Lexicon,
    rest: &str,
    names: impl Fn(&str) -> bool,
) -> bool {
    let words = Words::of(rest);
    lexicon.section(NOT).within(words.all()) || rest_changes_option(lexicon, rest) || names(rest)
}

/// True if the rest denies or changes what it points at: "but don't open it".
pub(super) fn rest_changes_option(lexicon: &'static Lexicon, rest: &str) -> bool {
    let words = Words::of(rest);
    let within = |section| lexicon.section(section).within(words.all());
    (within(NOT) || lexicon.section(COMMAND).at(words.all(), 0)) && within(REFERENCE)
}
