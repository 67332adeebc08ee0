//! A text of which one clause is an option, and the rest goes on.

use alloc::boxed::Box;
use alloc::string::String;

use super::{Resolver, reason_of};
use crate::data::decision::Reason;
use crate::data::option_names::MatchedBy;
use crate::data::permit::TextFacts;
use crate::selection::clause_split::{self, NamedBy};
use crate::selection::distinctive::{NamedByWords, names_another};
use crate::selection::exact_match::Reading;
use crate::selection::parse::Parses;
use crate::selection::resolution::{Execution, Resolution};
use crate::selection::similarity::{self, SimilarityClass};
use throughline_language::words::Words;

impl Resolver<'_> {
    /// One clause denotes an option and the rest goes on: "open sample2 and explain why".
    pub(super) fn and_more(&self) -> Option<Resolution> {
        if self.labelled || self.target.exact {
            return None;
        }
        match &self.named {
            Some(NamedByWords { option, parts: Some((part, rest)), .. }) => {
                self.denoted_by_clause().or_else(|| self.named_by_words(*option, part, rest))
            }
            _ if matches!(self.reading, Reading::One(..)) => None,
            _ => self.denoted_by_clause(),
        }
    }

    /// One clause has the words of an option.
    fn named_by_words(&self, option: usize, part: &str, rest: &str) -> Option<Resolution> {
        let changed = clause_split::rest_changes_option(self.scene.lexicon, rest);
        if changed || names_another(self.target, option, rest) || self.resembles_option(rest) {
            return Some(self.resembles(Reason::OptionSeveral));
        }
        self.act_on_clause(self.reading, part, rest.into())
    }

    /// One clause is the name or the position of an option.
    fn denoted_by_clause(&self) -> Option<Resolution> {
        let named = |text: &str| self.named_in(text);
        let (part, rest) = clause_split::split_clause(self.scene.lexicon, &self.target.message, named)?;
        if clause_split::rest_concerns_option(self.scene.lexicon, &rest, |text| self.resembles_option(text)) {
            return Some(self.resembles(Reason::OptionSeveral));
        }
        self.act_on_clause(self.reading_in(&part), &part, rest)
    }

    fn named_in(&self, text: &str) -> Option<NamedBy> {
        match self.reading_in(text) {
            Reading::One(_, MatchedBy::Ordinal | MatchedBy::Badge | MatchedBy::Other) => Some(NamedBy::Place),
            Reading::One(..) | Reading::Tie(_) => Some(NamedBy::Name),
            _ => None,
        }
    }

    fn resembles_option(&self, text: &str) -> bool {
        let alike = || {
            let words = Words::of(text);
            similarity::rank_similar(&Parses::of(self.scene.lexicon, &words, false), &self.pool)
        };
        self.named_in(text).is_some() || alike().reaches(SimilarityClass::WordsOfLabel)
    }

    fn act_on_clause(&self, reading: Reading, part: &str, rest: String) -> Option<Resolution> {
        let words = Words::of(part);
        let parses = Parses::of(self.scene.lexicon, &words, false);
        if parses.is_question(false) || parses.asks_what_was_done() || parses.is_negated(&self.pool) {
            return None;
        }
        let Reading::One(option, by) = reading else { return None };
        // The rest may ask or deny for itself; a condition or a reply is about the whole.
        let text = TextFacts { negated: false, question: false, several: false, ..self.facts() };
        match self.act(option, reason_of(by), text) {
            Resolution::Act(act) => {
                Some(Resolution::Act(Box::new(Execution { remainder: Some(rest), ..*act })))
            }
            other => Some(other),
        }
    }
}
