//! A message compared with options: whole labels in it, and words that labels have.
//!
//! The message is prepared once and the labels run past it, each read once: linear in both, and nothing is kept of an
//! option that has nothing in common with the message. Callers use the findings differently: a question takes
//! distinctive words, a list of options only whole labels and positions.

use alloc::vec::Vec;
use core::ops::Range;

use crate::echo::{self, akin};
use crate::lexicon::{Lexicon, Section, SectionId};
use crate::normal::{self, Compact};
use crate::section;
use crate::words::{self, Words};

const SAME: SectionId = section("selection.same");

/// The number of options that are compared word by word; a list has at most 50.
pub(super) const MOST: usize = 64;
/// Only as many words at the beginning of a message as an answer has, and so many at its end, are compared one by one.
const FIRST: usize = words::MOST;
const FINAL: usize = 16;
/// The most words of an everyday name for an option: "by public transport".
const LONGEST_NAME: usize = 3;

/// Options as a set: bit `i` is option `i`.
pub(super) type Set = u64;

/// A part of an option in the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    /// The words of the message.
    pub(super) words: Range<usize>,
    /// The option.
    pub(super) option: usize,
}

/// The options that have a word of the message.
#[derive(Clone, Copy, Debug, Default)]
struct Holders {
    /// These labels have the word as it is.
    exact: Set,
    /// These have it with another ending.
    inflected: Set,
}

/// An everyday name in the message, by the class of names that mean the same.
#[derive(Clone, Debug)]
struct Name {
    words: Range<usize>,
    class: u64,
    /// Options with a name of that class.
    options: Set,
    /// Those of them whose whole label is one.
    whole: Set,
}

/// The findings.
#[derive(Debug)]
pub(crate) struct Compared {
    /// Options whose label is the whole message, by the first form of comparison that finds one.
    pub(super) whole: Vec<usize>,
    /// The whole labels in the message.
    pub(super) labels: Vec<Mention>,
    /// Options whose label is a single word.
    single: Set,
    holders: Vec<Holders>,
    names: Vec<Name>,
}

impl Compared {
    pub(super) fn of(lexicon: &'static Lexicon, message: &Words, options: &[impl AsRef<str>]) -> Self {
        let mut heard = Heard::of(lexicon, message);
        let mut found = Self {
            whole: Vec::new(),
            labels: Vec::new(),
            single: 0,
            holders: heard.holders(),
            names: heard.names(),
        };
        let (mut label, mut ends, mut begun) = (Compact::default(), Vec::new(), Vec::new());
        for (option, text) in options.iter().map(AsRef::as_ref).enumerate() {
            label.text.clear();
            label.begin();
            ends.clear();
            begun.clear();
            let bit = if option < MOST { 1 << option } else { 0 };
            label.add(text, false, |from, word| {
                ends.push(from + word.len());
                heard.word(word, bit, &mut found, |at| begun.push((at, from)));
            });
            found.single |= if ends.len() == 1 { bit } else { 0 };
            for (at, from) in begun.drain(..) {
                // "Madmax" is two words of "Mad Max: Fury Road".
                let joined = heard.text(at..at + 1);
                if label.text[from..].starts_with(joined) && ends.contains(&(from + joined.len())) {
                    found.holders[at].exact |= bit;
                }
            }
            heard.name(&label.text, |name| name.whole |= bit, &mut found.names);
            heard.label(&label.text, option, &mut found.labels);
            if heard.is(text, &label.text) {
                found.whole.push(option);
            }
        }
        if found.whole.len() > 1 {
            let verbatim = |option: &usize| normal::verbatim(options[*option].as_ref(), message.text());
            if found.whole.iter().any(verbatim) {
                found.whole.retain(verbatim);
            }
        }
        found
    }

    /// The options that have this word of the message: as it is, or else with another ending.
    pub(super) fn holders(&self, word: usize) -> Set {
        self.holders.get(word).map_or(
            0,
            |holders| {
                if holders.exact != 0 { holders.exact } else { holders.inflected }
            },
        )
    }

    /// The options that have the word exactly as it is.
    pub(super) fn exactly(&self, word: usize) -> Set {
        self.holders.get(word).map_or(0, |holders| holders.exact)
    }

    /// Everyday names for options, with the options they may be for; never where labels have the words themselves.
    pub(super) fn names(&self) -> impl Iterator<Item = (&Range<usize>, Set)> {
        let free = |name: &&Name| name.words.clone().any(|word| self.holders(word) == 0);
        let named = self.names.iter().filter(free).map(|name| (&name.words, name.options | name.whole));
        named.filter(|(_, options)| *options != 0)
    }

    /// The options of which these words are all of the label: with another ending, or by an everyday name.
    pub(super) fn nearly(&self, words: &Range<usize>) -> Set {
        let inflected = if words.len() == 1 { self.holders(words.start) & self.single } else { 0 };
        let names = self.names.iter().filter(|name| name.words == *words);
        names.fold(inflected, |all, name| all | name.whole)
    }
}

/// The message, prepared.
struct Heard<'m> {
    message: &'m Words,
    endings: Section,
    same: Section,
    /// The words one after the other, in their normal form.
    said: Compact,
    /// The place of each word in it.
    spans: Vec<Range<usize>>,
    /// The message as it is shown, pictures included; `None` when it has none.
    shown: Option<Compact>,
    /// By the hash of how it begins, a word that is compared, and behind each the next one: counted from 1.
    beginnings: [u8; 256],
    next: [(u8, usize); FIRST + FINAL],
    /// The classes of the everyday names, as bits.
    classes: u64,
}

impl<'m> Heard<'m> {
    fn of(lexicon: &'static Lexicon, message: &'m Words) -> Self {
        let (mut said, mut spans) = (Compact::default(), Vec::with_capacity(message.all().len()));
        said.begin();
        let mut end = 0;
        for word in message.all() {
            message.text()[end..word.at].chars().for_each(|c| said.separate(c));
            end = word.end;
            let before = said.text.len();
            said.add(message.raw(word), false, |_, _| {});
            // What stands between two digits belongs to neither.
            let kept = &said.text[before..];
            let from = before
                + if before > 0
                    && !kept.starts_with(|c: char| normal::kind(c) == normal::Kind::Letter || c == '-')
                {
                    kept.chars().next().map_or(0, char::len_utf8)
                } else {
                    0
                };
            spans.push(from..said.text.len());
        }
        let shown = (!message.text().is_ascii()).then(|| {
            let mut shown = Compact::default();
            shown.begin();
            shown.add(message.text(), true, |_, _| {});
            shown
        });
        let endings = lexicon.section(echo::ENDING);
        let mut heard = Self {
            message,
            endings,
            same: lexicon.section(SAME),
            said,
            spans,
            shown,
            beginnings: [0; 256],
            next: [(0, 0); FIRST + FINAL],
            classes: 0,
        };
        for (slot, word) in (0..u8::MAX).zip(heard.compared()) {
            let head = beginning(&heard.said.text[heard.spans[word].clone()]);
            heard.next[usize::from(slot)] = (heard.beginnings[head], word);
            heard.beginnings[head] = slot + 1;
        }
        heard
    }

    /// The words that are compared one by one.
    fn compared(&self) -> impl Iterator<Item = usize> + use<> {
        let all = self.spans.len();
        (0..all.min(FIRST)).chain(all.saturating_sub(FINAL).max(FIRST)..all)
    }

    fn text(&self, words: Range<usize>) -> &str {
        let (from, to) = (&self.spans[words.start], &self.spans[words.end - 1]);
        self.said.text.get(from.start..to.end).unwrap_or("")
    }

    fn holders(&self) -> Vec<Holders> {
        alloc::vec![Holders::default(); self.spans.len()]
    }

    /// The everyday names in the message.
    fn names(&mut self) -> Vec<Name> {
        let mut names = Vec::new();
        for from in self.compared() {
            for to in from + 1..=(from + LONGEST_NAME).min(self.spans.len()) {
                if let Some(class) = self.same.spelled(self.text(from..to)) {
                    self.classes |= 1 << (class % 64);
                    names.push(Name { words: from..to, class, options: 0, whole: 0 });
                }
            }
        }
        names
    }

    /// Notes that an option has this word, and calls `begun` for words of the message that only begin with it.
    fn word(&self, word: &str, option: Set, found: &mut Compared, mut begun: impl FnMut(usize)) {
        let mut slot = self.beginnings[beginning(word)];
        while let Some((next, at)) = usize::from(slot).checked_sub(1).map(|slot| self.next[slot]) {
            let heard = &self.said.text[self.spans[at].clone()];
            if heard == word {
                found.holders[at].exact |= option;
            } else if akin(self.endings, heard, word) {
                found.holders[at].inflected |= option;
            } else if heard.starts_with(word) {
                begun(at);
            }
            slot = next;
        }
        self.name(word, |name| name.options |= option, &mut found.names);
    }

    /// Notes that an option has an everyday name.
    fn name(&self, text: &str, note: impl FnMut(&mut Name), names: &mut [Name]) {
        if self.classes == 0 {
            return;
        }
        if let Some(class) = self.same.spelled(text).filter(|class| self.classes & 1 << (class % 64) != 0) {
            names.iter_mut().filter(|name| name.class == class).for_each(note);
        }
    }

    /// Notes the places of a whole label.
    fn label(&self, label: &str, option: usize, labels: &mut Vec<Mention>) {
        if label.is_empty() {
            return;
        }
        for (from, span) in self.spans.iter().enumerate() {
            if self.said.text.get(span.start..).is_some_and(|rest| rest.starts_with(label)) {
                let end = span.start + label.len();
                let last = self.spans.partition_point(|span| span.end < end);
                if self.spans.get(last).is_some_and(|span| span.end == end) && !span.is_empty() {
                    labels.push(Mention { words: from..last + 1, option });
                }
            }
        }
    }

    /// True if the message is this label, given the label's compact form without pictures.
    fn is(&self, label: &str, said: &str) -> bool {
        if label.is_ascii() && self.shown.is_none() {
            return if said.is_empty() {
                normal::verbatim(label, self.message.text())
            } else {
                said == self.said.text
            };
        }
        let mut shown = Compact::default();
        shown.begin();
        shown.add(label, true, |_, _| {});
        let heard = self.shown.as_ref().unwrap_or(&self.said);
        if shown.text.is_empty() {
            normal::verbatim(label, self.message.text())
        } else {
            shown.text == heard.text
        }
    }
}

/// The key under which words that begin like this are noted.
fn beginning(word: &str) -> usize {
    word.bytes().take(3).fold(0, |hash: u8, byte| hash.wrapping_mul(31).wrapping_add(byte)).into()
}
