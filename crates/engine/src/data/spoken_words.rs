//! Words of one person, and which of them they said first.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::data::erasure::ERASED;
use crate::data::time::Timestamp;

/// Number of words in a row that make a quotation in a text of ours.
const RUN: usize = 3;
/// Number of words in a row that make one in somebody else's own text. Shorter ones are coincidence, unless something
/// says that they are none.
const LONG_RUN: usize = 6;
/// Characters from which a shorter text counts as a person's own: "yes" is everybody's.
const TELLING: usize = 8;
/// Characters from which a word is seldom said by chance.
const LONG_WORD: usize = 9;
/// Words before a colon, at most, that name a part of a text.
const LABEL: usize = 3;

/// The time and the revision of a turn, by which texts are ordered.
type Moment = (Timestamp, u64);

/// The words of a person, and of others where they share any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpokenWords {
    /// Every run of one to three words, with the moment at which they said it first.
    runs: BTreeMap<String, Moment>,
    /// Texts of theirs that are shorter than a quotation.
    short: BTreeSet<String>,
    /// Texts of others and of us that share words with theirs.
    others: BTreeSet<(Moment, Speaker, String)>,
    /// Runs that somebody, or we, said before them.
    before: BTreeSet<String>,
    /// Runs that others keep: said before them, or not as a quotation.
    free: BTreeSet<String>,
}

/// Whoever else said a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Speaker {
    Person,
    Us,
}

/// A word in a text: its bytes there, and itself in lower case.
struct Word {
    at: Range<usize>,
    folded: String,
}

impl SpokenWords {
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub(crate) fn add_own(&mut self, at: Moment, text: &str) {
        let words = words(text);
        if words.len() < RUN && telling(&words) {
            self.short.insert(joined(&words));
        }
        for run in runs(&words) {
            let first = self.runs.entry(run).or_insert(at);
            *first = at.min(*first);
        }
    }

    pub(crate) fn add_other(&mut self, at: Moment, text: &str) {
        self.add_if_shared(at, Speaker::Person, text);
    }

    pub(crate) fn add_ours(&mut self, at: Moment, text: &str) {
        self.add_if_shared(at, Speaker::Us, text);
    }

    /// Keeps a text if it matters whose its words are: a word or two that are everybody's are never looked for.
    fn add_if_shared(&mut self, at: Moment, by: Speaker, text: &str) {
        let said = words(text);
        let shared =
            |words: &[Word]| (words.len() == RUN || telling(words)) && self.runs.contains_key(&joined(words));
        if (1..=RUN).any(|n| said.windows(n).any(shared)) {
            self.others.insert((at, by, text.into()));
        }
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (run, at) in &other.runs {
            let first = self.runs.entry(run.clone()).or_insert(*at);
            *first = (*at).min(*first);
        }
        self.short.extend(other.short.iter().cloned());
        self.others.extend(other.others.iter().cloned());
    }

    /// Decides whose each run is: first what others, or we, said before, then what others said besides their quotations.
    /// We repeat what people say, so what we said later is nobody's.
    pub(crate) fn settle(&mut self) {
        self.before.clear();
        for (at, _, text) in &self.others {
            let said = words(text);
            self.before.extend(runs(&said).filter(|run| self.runs.get(run).is_some_and(|first| at < first)));
        }
        let mut free = self.before.clone();
        for (_, _, text) in self.others.iter().filter(|(_, by, _)| *by == Speaker::Person) {
            let (words, quotes) = (words(text), self.quotes(text));
            let quoted = |word: &Word| quotes.iter().any(|quote| quote.contains(&word.at.start));
            free.extend(words.split(quoted).flat_map(runs).filter(|run| self.runs.contains_key(run)));
        }
        self.free = free;
    }

    /// Returns true if a text of ours holds their words.
    pub(crate) fn holds(&self, text: &str) -> bool {
        let theirs = |words: &[Word]| {
            let run = joined(words);
            self.runs.contains_key(&run) && !self.free.contains(&run)
        };
        let all = words(text);
        let short = |words: &[Word]| {
            let run = joined(words);
            self.short.contains(&run) && !self.free.contains(&run)
        };
        // A sentence of ours may name a title in quotes: the title alone is as good as a line of its own.
        let parts = text.lines().chain(text.split(MARKS));
        all.windows(RUN).any(theirs)
            || (1..RUN).any(|n| all.windows(n).any(short))
            || parts.map(words).any(|part| part.len() < RUN && telling(&part) && theirs(&part))
    }

    /// Returns somebody else's own text without what it quotes; `None` if it quotes nothing.
    pub(crate) fn unquoted(&self, text: &str) -> Option<String> {
        let quotes = self.quotes(text);
        let mut rest = 0;
        let mut out = String::new();
        for quote in &quotes {
            out.push_str(&text[rest..quote.start]);
            out.push_str(ERASED);
            rest = quote.end;
        }
        out.push_str(&text[rest..]);
        (!quotes.is_empty()).then_some(out)
    }

    /// Returns where somebody else's own text quotes this person, in order: words in a row that this person said first,
    /// and that are no coincidence. Those are six of them, or three with a long word among them, or all of what stands in
    /// quotation marks or behind `>`.
    fn quotes(&self, text: &str) -> Vec<Range<usize>> {
        let first = |words: &[Word]| {
            let run = joined(words);
            self.runs.contains_key(&run) && !self.before.contains(&run)
        };
        let mut found = Vec::new();
        for part in parts(text) {
            let within = &text[part.at.clone()];
            let words = words_at(within, part.at.start);
            if words.len() < RUN {
                if part.marked && telling(&words) && first(&words) {
                    found.push(span(&words));
                }
                continue;
            }
            let starts: Vec<bool> = words.windows(RUN).map(first).collect();
            let mut from = 0;
            while let Some(start) = (from..starts.len()).find(|at| starts[*at]) {
                let end = (start..starts.len()).find(|at| !starts[*at]).unwrap_or(starts.len()) + RUN - 1;
                let row = &words[start..end];
                let rare = row.iter().any(|word| seldom(&word.folded) && first(core::slice::from_ref(word)));
                if row.len() >= LONG_RUN || rare || part.marked && row.len() == words.len() {
                    found.push(span(row));
                }
                from = end + 1 - RUN;
            }
        }
        merged(found)
    }
}

/// Part of a text in which a quotation lies: a line without its label, or what stands in quotation marks.
struct Part {
    at: Range<usize>,
    /// True if it is set off as a quotation.
    marked: bool,
}

const MARKS: [char; 7] = ['"', '“', '”', '„', '«', '»', '`'];

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut at = 0;
    for line in text.split('\n') {
        let inner = line.trim_start();
        let marked = inner.starts_with('>');
        let label = inner
            .find(':')
            .filter(|colon| words(&inner[..*colon]).len() <= LABEL)
            .map_or(0, |colon| colon + 1);
        let start = at + (line.len() - inner.len()) + if marked { 0 } else { label };
        parts.push(Part { at: start..at + line.len(), marked });
        let mut from = at;
        for (n, piece) in line.split(MARKS).enumerate() {
            if n % 2 == 1 {
                parts.push(Part { at: from..from + piece.len(), marked: true });
            }
            let mark = text[from + piece.len()..].chars().next().map_or(0, char::len_utf8);
            from += piece.len() + mark;
        }
        at += line.len() + 1;
    }
    parts
}

/// Joins ranges that touch or overlap, in order.
fn merged(mut found: Vec<Range<usize>>) -> Vec<Range<usize>> {
    found.sort_by_key(|range| (range.start, range.end));
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in found {
        match out.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

fn span(words: &[Word]) -> Range<usize> {
    let start = words.first().map_or(0, |word| word.at.start);
    start..words.last().map_or(start, |word| word.at.end)
}

/// Returns the words of a text in lower case, without punctuation.
fn words(text: &str) -> Vec<Word> {
    words_at(text, 0)
}

fn words_at(text: &str, offset: usize) -> Vec<Word> {
    let mut at = 0;
    let mut words = Vec::new();
    for piece in text.split(|c: char| !c.is_alphanumeric()) {
        if !piece.is_empty() {
            let folded = piece.chars().flat_map(char::to_lowercase).collect();
            words.push(Word { at: offset + at..offset + at + piece.len(), folded });
        }
        at += piece.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
    }
    words
}

fn joined(words: &[Word]) -> String {
    words.iter().map(|word| word.folded.as_str()).collect::<Vec<_>>().join(" ")
}

/// Every run of one to three words.
fn runs(words: &[Word]) -> impl Iterator<Item = String> {
    (1..=RUN).flat_map(move |n| words.windows(n).map(joined))
}

/// True if the words are long enough to be one person's own.
fn telling(words: &[Word]) -> bool {
    words.iter().map(|word| word.folded.chars().count()).sum::<usize>() >= TELLING
}

/// True of a word that two people seldom say by chance: a long one, or a mix of letters and digits.
fn seldom(word: &str) -> bool {
    let mixed = word.chars().any(char::is_numeric) && word.chars().any(char::is_alphabetic);
    let length = word.chars().count();
    length >= LONG_WORD || mixed && length >= LONG_WORD / 2
}
