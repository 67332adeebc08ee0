//! Reads the texts beside a list that are no choice: words to the list as a whole, questions, commands,
//! corrections. Each is found with closed lists of words.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::selection::exact_match::CandidatePool;
use crate::selection::in_any_language;
use crate::selection::parse::Parses;
use throughline_language::lexicon::{Lexicon, Section, SectionId};
use throughline_language::words::{Gap, Word, Words};
use throughline_language::{Match, Value, begins_condition, normal, section};

const REJECT: SectionId = section("list.reject");
const RETURN: SectionId = section("list.return");
const RESHOW: SectionId = section("list.reshow");
const MORE: SectionId = section("list.more");
const HESITATE: SectionId = section("list.hesitate");
const VERIFY: SectionId = section("list.verify");
const GREETING: SectionId = section("list.greeting");
const QUESTION: SectionId = section("list.question");
const SUGGEST: SectionId = section("list.suggest");
const REQUEST: SectionId = section("list.request");
const TELL: SectionId = section("list.tell");
const VERB: SectionId = section("list.verb");
const COMMAND: SectionId = section("list.command");
const COMMAND_END: SectionId = section("list.command.end");
const NOT: SectionId = section("list.not");
const ARTICLE: SectionId = section("list.article");
const WRONG: SectionId = section("list.wrong");
const BUT: SectionId = section("list.but");
const RATHER: SectionId = section("list.rather");
const INSTEAD: SectionId = section("list.instead");
const AND: SectionId = section("list.and");

/// Words to a list as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// Rejects all options.
    Reject,
    /// Asks to see the list again.
    Reshow,
    /// Asks to see the rest of it.
    More,
    /// Hesitates.
    Hesitate,
}

/// A correction, and the part of the text it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Repair {
    /// Takes back the option that was done or suggested last.
    Last,
    /// Rejects the options these parts of the text denote.
    These(Vec<Range<usize>>),
    /// Replaces the earlier choice by the option this part of the text denotes.
    Instead(Range<usize>),
}

impl Control {
    /// Returns what follows a call for a list that was left: an empty text, or words for an option. `None` if
    /// the text calls for no list.
    pub(crate) fn parse_return(lexicon: &'static Lexicon, message: &Words) -> Option<String> {
        let (words, list) = (message.all(), lexicon.section(RETURN));
        let parses = Parses::of(lexicon, message, false);
        if parses.says(RETURN) {
            return Some(String::new());
        }
        let leads = parses.starting().find_map(|start| {
            let end = start + list.longest(words, start);
            (end > start && words.get(end - 1).is_some_and(|word| word.after >= Gap::Soft)).then_some(end)
        })?;
        Some(message.slice(&words[leads..]).into()).filter(|rest: &String| !rest.is_empty())
    }
}

/// True if a choice changes something, and a text that names it by other words of its label leaves that out: "berlin" for
/// "Delete Berlin".
pub(crate) fn leaves_out_command(message: &Words, label: &str) -> bool {
    let choice = Words::of(label);
    let changes =
        |all: &Words| in_any_language(message, |lexicon| lexicon.section(COMMAND).within(all.all()));
    let shares = |word: &Word| choice.all().iter().any(|known| choice.folded(known) == message.folded(word));
    changes(&choice) && !changes(message) && message.all().iter().any(shares)
}

/// True if a text that names one of several choices does not choose it: it asks about it, wants it changed or removed ("delete
/// Cairo"), or only if or when something happens. A choice that changes something is not chosen by other words of its name.
pub(crate) fn chooses_not(message: &Words, found: &Match) -> bool {
    let Value::Selection(label) = &found.value else { return false };
    if normal::compact(message.text(), false) == normal::compact(label, false) {
        return false;
    }
    let words = message.all();
    let named = |at: &usize| found.span.contains(&words[*at].at);
    let first = (0..words.len()).find(named).unwrap_or(words.len());
    let choice = Words::of(label);
    // A name with a denial in it hides one that stands before it: "do not open Not now".
    let hides_denial = |not: Section| {
        let denials = |all: &[Word]| (0..all.len()).filter(|at| not.at(all, *at)).count();
        denials(choice.all()) > 0 && denials(words) > denials(choice.all())
    };
    leaves_out_command(message, label)
        || in_any_language(message, |lexicon| {
            let list = |id| lexicon.section(id);
            let before = (0..first).rev().find(|at| !list(ARTICLE).is(&words[*at..=*at]));
            let behind = (first..words.len()).find(|at| !named(at));
            hides_denial(list(NOT))
                || list(QUESTION).at(words, 0) && !list(REQUEST).at(words, 0) && !list(SUGGEST).at(words, 0)
                || before.is_some_and(|at| list(COMMAND).at(words, at))
                || behind.is_some_and(|at| list(COMMAND_END).at(words, at))
                || (0..words.len()).filter(|at| !named(at)).any(|at| begins_condition(lexicon, message, at))
        })
}

impl Parses<'_> {
    /// True if the text, without politeness, is a phrase of this section.
    fn says(&self, section: SectionId) -> bool {
        let list = self.lexicon.section(section);
        self.cores().any(|core| list.is(&self.message.all()[core]))
    }

    /// Returns what the text says to the list as a whole.
    pub(crate) fn control(&self) -> Option<Control> {
        let all = [
            (REJECT, Control::Reject),
            (RESHOW, Control::Reshow),
            (MORE, Control::More),
            (HESITATE, Control::Hesitate),
        ];
        all.into_iter().find(|(section, _)| self.says(*section)).map(|(_, control)| control)
    }

    /// True if the text asks what was done: "did I open sample2?"
    pub(crate) fn asks_what_was_done(&self) -> bool {
        let words = self.message.all();
        let greeted = self.lexicon.section(GREETING).longest(words, 0);
        let verify = self.lexicon.section(VERIFY);
        // A greeting may be followed by a name.
        let starts = [0, greeted, greeted + usize::from(greeted > 0)];
        starts.into_iter().any(|at| verify.at(words, at))
    }

    /// True if the text is a question. `exact`: a question about options is open and the text denotes one of
    /// them, so it is taken as a choice.
    pub(crate) fn is_question(&self, exact: bool) -> bool {
        let words = self.message.all();
        let list = |id| self.lexicon.section(id);
        let Some(last) = words.last() else { return false };
        let greeted = list(GREETING).longest(words, 0);
        let asks =
            [0, greeted].into_iter().any(|at| list(QUESTION).at(words, at)) || last.after == Gap::Question;
        let request = list(REQUEST).longest(words, 0);
        let requests = request > 0 && !list(TELL).at(words, request);
        asks && !(requests || exact || list(VERB).at(words, 0) || list(COMMAND).at(words, 0))
    }

    /// Returns the words behind a leading verb that changes things: "delete sample2", "please rename it".
    pub(crate) fn command_object(&self) -> Option<Range<usize>> {
        let words = self.message.all();
        super::lexicons(self.message).find_map(|lexicon| {
            let (leads, ends) = (lexicon.section(COMMAND), lexicon.section(COMMAND_END));
            let own = Parses::of(lexicon, self.message, false);
            let changed = |core: Range<usize>| {
                if leads.at(words, core.start) {
                    return Some(core.start + 1..core.end);
                }
                let last = core.end - 1;
                (last > core.start && ends.is(&words[last..core.end])).then_some(core.start..last)
            };
            own.cores().find_map(changed)
        })
    }

    /// True if the text contains a negation. Such a word inside the name of an option is a part of the name.
    pub(crate) fn is_negated(&self, pool: &CandidatePool<'_>) -> bool {
        self.says_beside(pool, |lexicon, at| lexicon.section(NOT).at(self.message.all(), at))
    }

    /// True if the text wants something only if or when something else happens: "if it rains, open berlin". Such a
    /// word inside the name of an option is a part of the name.
    pub(crate) fn is_conditional(&self, pool: &CandidatePool<'_>) -> bool {
        self.says_beside(pool, |lexicon, at| begins_condition(lexicon, self.message, at))
    }

    /// True if such words begin somewhere in the text, in any of its languages, outside of an option's name.
    fn says_beside(&self, pool: &CandidatePool<'_>, begin: impl Fn(&'static Lexicon, usize) -> bool) -> bool {
        let names = pool.options.names();
        let named = |at: usize| {
            let mut cores = self.cores().filter(|core| core.contains(&at));
            cores.any(|core| names.same(self.written(&core)).0 != 0)
        };
        let words = self.message.all();
        let bounds = core::cell::OnceCell::new();
        let explained = |at: usize| at < 64 && bounds.get_or_init(|| pool.bounds(self)) & 1 << at != 0;
        let says = |lexicon, at| begin(lexicon, at) && !named(at) && !explained(at);
        in_any_language(self.message, |lexicon| (0..words.len()).any(|at| says(lexicon, at)))
    }

    /// Returns the correction the text makes, if it makes one.
    pub(crate) fn repair(&self) -> Option<Repair> {
        let words = self.message.all();
        let list = |id| self.lexicon.section(id);
        if self.says(WRONG) {
            return Some(Repair::Last);
        }
        // "Not that, the other": the words behind the comma name the right option.
        let wrong = list(WRONG).longest(words, 0);
        if wrong > 0 && wrong < words.len() && words[wrong - 1].after >= Gap::Soft {
            return Some(Repair::Instead(wrong..words.len()));
        }
        if let Some(core) = self.cores().find(|core| list(BUT).longest(words, core.start) > 0) {
            let from = core.start + list(BUT).longest(words, core.start);
            let parts = self.parts(from..core.end);
            return (!parts.is_empty()).then_some(Repair::These(parts));
        }
        let rather = list(RATHER).longest(words, 0);
        // "No sample2" without a comma may mean "not sample2", so it is no correction and the person is
        // asked.
        let divided = rather > 1
            || rather == 1 && words[0].after >= Gap::Soft
            || rather == 1 && !list(NOT).at(words, 0);
        if rather > 0 && divided && rather < words.len() {
            return Some(Repair::Instead(rather..words.len()));
        }
        let end = words.len().checked_sub(1)?;
        (end > 0 && list(INSTEAD).is(&words[end..])).then_some(Repair::Instead(0..end))
    }

    /// Splits words at "and", "or" and commas.
    fn parts(&self, words: Range<usize>) -> Vec<Range<usize>> {
        let all = self.message.all();
        let and = self.lexicon.section(AND);
        let (mut parts, mut from) = (Vec::new(), words.start);
        for at in words.clone() {
            let joins = and.is(&all[at..=at]);
            if joins || at + 1 == words.end || all[at].after == Gap::Soft {
                let to = if joins { at } else { at + 1 };
                if to > from {
                    parts.push(from..to);
                }
                from = at + 1;
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(text: &str, read: impl Fn(&Parses<'_>) -> T) -> T {
        let words = Words::of(text);
        read(&Parses::of(super::super::lexicon(&words), &words, true))
    }

    #[test]
    fn what_is_said_to_the_whole_list() {
        for (text, control) in [
            ("none of these", Some(Control::Reject)),
            ("none of them, thanks", Some(Control::Reject)),
            ("neither", Some(Control::Reject)),
            ("options?", Some(Control::Reshow)),
            ("what were those", Some(Control::Reshow)),
            ("hmm", Some(Control::Hesitate)),
            ("not sure", Some(Control::Hesitate)),
            ("none of those, open dashboard", None),
            ("back up the database", None),
        ] {
            assert_eq!(with(text, |parses| parses.control()), control, "{text}");
        }
    }

    #[test]
    fn a_list_is_called_back_alone_or_with_an_option() {
        let returns =
            |text: &str| Control::parse_return(super::super::lexicon(&Words::of(text)), &Words::of(text));
        assert_eq!(returns("back to options").as_deref(), Some(""));
        assert_eq!(returns("ok go back please").as_deref(), Some(""));
        assert_eq!(returns("back to the list, second").as_deref(), Some("second"));
        assert_eq!(returns("back up the database"), None);
    }

    #[test]
    fn questions_and_what_only_looks_like_one() {
        for text in [
            "what is sample2",
            "is it the right choice",
            "is links panel d open?",
            "can you tell me more",
            "do you know",
            "sample2, or what?",
        ] {
            assert!(with(text, |parses| parses.is_question(false)), "{text}");
        }
        for text in [
            "open links panel d?",
            "can you open links panel d?",
            "could you please show sample2",
            "delete this?",
            "open sample2",
            "do it",
        ] {
            assert!(!with(text, |parses| parses.is_question(false)), "{text}");
        }
        assert!(!with("links panel d?", |parses| parses.is_question(true)));
    }

    #[test]
    fn asking_what_was_done_never_does_it() {
        for text in [
            "did i open the links panel d?",
            "have i opened sample2 this session?",
            "hey assistant did i open the sample2?",
        ] {
            assert!(with(text, |parses| parses.asks_what_was_done()), "{text}");
        }
        assert!(!with("open sample2", |parses| parses.asks_what_was_done()));
    }

    #[test]
    fn what_is_taken_back() {
        let one = |range| Some(Repair::These(alloc::vec![range]));
        for (text, repair) in [
            ("not that", Some(Repair::Last)),
            ("wrong one", Some(Repair::Last)),
            ("not the first", one(1..3)),
            ("not 1 or 2", Some(Repair::These(alloc::vec![1..2, 3..4]))),
            ("don't open sample2", one(2..3)),
            ("anything but sample2", one(2..3)),
            ("no, sample2", Some(Repair::Instead(1..2))),
            ("i meant sample2", Some(Repair::Instead(2..3))),
            ("actually the second", Some(Repair::Instead(1..3))),
            ("sample2 instead", Some(Repair::Instead(0..1))),
            ("not that, the other", Some(Repair::Instead(2..4))),
            ("no sample2", None),
            ("open sample2", None),
        ] {
            assert_eq!(with(text, |parses| parses.repair()), repair, "{text}");
        }
    }

    #[test]
    fn what_changes_things_is_a_command() {
        assert!(
            with("delete sample2", |parses| parses.command_object().is_some())
                && with("please rename it", |parses| parses.command_object().is_some())
        );
        assert!(!with("open sample2", |parses| parses.command_object().is_some()));
    }
}
