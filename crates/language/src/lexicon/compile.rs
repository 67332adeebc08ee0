//! From a language's files to its tables. Runs when the crate is built: a file that is wrong fails the build, naming
//! the line.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use super::table::{Block, Element, Head, List, SectionId, Span, Start, Times, What, WordId};
use super::vocabulary::{Vocabulary, hash};

/// The first places of a vocabulary: what [`WordId`] names, so no words.
const RESERVED: [&str; 4] = [""; 4];

/// The beginning of the name of a section that is a class of single words.
const CLASS: &str = "class.";
/// The number of classes there may be: a bit each, with some left for other marks.
const CLASSES: u32 = 58;

/// The files of one language as they are written, as if they were one.
pub(crate) struct Language<'a> {
    sections: Vec<Written<'a>>,
}

/// A line of a file: every message about it begins with where it is.
#[derive(Clone, Copy)]
struct Place<'a> {
    file: &'a str,
    line: usize,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A section as it is written.
struct Written<'a> {
    name: &'a str,
    line: Place<'a>,
    phrases: Vec<Phrase<'a>>,
    /// `word=value` pairs.
    values: BTreeMap<&'a str, i64>,
}

struct Phrase<'a> {
    line: Place<'a>,
    parts: Vec<Part<'a>>,
    /// The value of a `phrase=value`.
    value: Option<i64>,
}

struct Part<'a> {
    what: Meant<'a>,
    times: Times,
}

enum Meant<'a> {
    /// One or more rows of words.
    Rows(Vec<Vec<&'a str>>),
    Section(&'a str),
    Any,
    Number,
    Echo,
}

impl<'a> Language<'a> {
    /// Reads its files, each with its name.
    pub(crate) fn read(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, String> {
        let mut language = Self { sections: Vec::new() };
        for (file, text) in files {
            language.add(file, text)?;
        }
        let empty = |section: &&Written<'_>| section.phrases.is_empty() && section.values.is_empty();
        match language.sections.iter().find(empty) {
            Some(section) => Err(format!("{}: [{}] has no phrases", section.line, section.name)),
            None => Ok(language),
        }
    }

    fn add(&mut self, file: &'a str, text: &'a str) -> Result<(), String> {
        let sections = &mut self.sections;
        let before = sections.len();
        for (line, written) in (1..).zip(text.lines().map(str::trim)) {
            let line = Place { file, line };
            if written.is_empty() || written.starts_with('#') {
                continue;
            }
            if let Some(name) = written.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                if sections.iter().any(|section| section.name == name) {
                    return Err(format!("{line}: there is a section [{name}] already"));
                }
                sections.push(Written { name, line, phrases: Vec::new(), values: BTreeMap::new() });
                continue;
            }
            let Some(section) = sections[before..].last_mut() else {
                return Err(format!("{line}: phrases before the first [section]"));
            };
            for phrase in written.split(',').map(str::trim).filter(|phrase| !phrase.is_empty()) {
                section.add(phrase, line)?;
            }
        }
        Ok(())
    }

    /// The names of its sections, in their order.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.sections.iter().map(|section| section.name)
    }

    /// Every word that occurs in it.
    fn words(&self) -> impl Iterator<Item = &'a str> {
        let parts =
            self.sections.iter().flat_map(|section| &section.phrases).flat_map(|phrase| &phrase.parts);
        let rows =
            parts.flat_map(|part| if let Meant::Rows(rows) = &part.what { rows.as_slice() } else { &[] });
        let valued = self.sections.iter().flat_map(|section| section.values.keys());
        rows.flatten().chain(valued).copied()
    }
}

impl<'a> Written<'a> {
    /// Its words, when each of its phrases is one.
    fn words(&self) -> Result<Vec<&'a str>, String> {
        let word = |phrase: &Phrase<'a>| match phrase.parts.as_slice() {
            [Part { what: Meant::Rows(rows), times: Times::One }]
                if rows.len() == 1 && rows[0].len() == 1 =>
            {
                Ok(rows[0][0])
            }
            _ => Err(format!("{}: [{}] lists single words", phrase.line, self.name)),
        };
        self.phrases.iter().map(word).collect()
    }

    fn add(&mut self, phrase: &'a str, line: Place<'a>) -> Result<(), String> {
        let (phrase, value) = match phrase.split_once('=') {
            None => (phrase, None),
            Some((worth, value)) => {
                let value = value.trim().parse();
                let value = value.map_err(|_| format!("{line}: \"{phrase}\" has no number after its ="))?;
                (worth.trim(), Some(value))
            }
        };
        if let Some(value) = value
            && !phrase.contains([' ', '<', '|', '?', '*', '#'])
        {
            self.values.insert(phrase, value);
            return Ok(());
        }
        let parts = phrase.split_whitespace().map(|part| Part::read(part, line)).collect::<Result<_, _>>()?;
        self.phrases.push(Phrase { line, parts, value });
        Ok(())
    }
}

impl<'a> Part<'a> {
    fn read(part: &'a str, line: Place<'a>) -> Result<Self, String> {
        let (base, times) = match (part.strip_suffix('?'), part.strip_suffix('*')) {
            (Some(base), _) => (base, Times::Optional),
            (_, Some(base)) => (base, Times::Repeated),
            _ => (part, Times::One),
        };
        let what = match base {
            "_" => Meant::Any,
            "#" => Meant::Number,
            "@" => Meant::Echo,
            _ => match base.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
                Some(name) => Meant::Section(name),
                None => Meant::Rows(base.split('|').map(|row| row.split('+').collect()).collect()),
            },
        };
        let fits = |word: &str| !word.is_empty() && !word.contains(['<', '>', '?', '*', '_', '[', ']']);
        if let Meant::Rows(rows) = &what
            && !rows.iter().flatten().copied().all(fits)
        {
            return Err(format!("{line}: \"{part}\" is no element: see the header of lexicon/mod.rs"));
        }
        Ok(Self { what, times })
    }
}

/// The names of the sections of all languages: a section's number is its place.
pub(crate) fn names<'a>(languages: &[Language<'a>]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for name in languages.iter().flat_map(Language::names) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Every word of these files once, behind the reserved places: a word's number is its place.
pub(crate) fn vocabulary<'f, 'a: 'f>(files: impl Iterator<Item = &'f Language<'a>>) -> Vec<&'a str> {
    let words: BTreeSet<&str> = files.flat_map(Language::words).collect();
    RESERVED.into_iter().chain(words).collect()
}

/// The places of a [`Vocabulary`], at most half of them taken.
pub(crate) fn slots(words: &[&str]) -> Vec<WordId> {
    let mut slots = vec![WordId::UNKNOWN; (words.len() * 2 + 1).next_power_of_two()];
    let mask = slots.len() - 1;
    for (id, word) in (0..=u16::MAX).zip(words).skip(RESERVED.len()) {
        let mut at = hash(word) & mask;
        while slots[at] != WordId::UNKNOWN {
            at = (at + 1) & mask;
        }
        slots[at] = WordId(id);
    }
    slots
}

/// The tables of one lexicon.
pub(crate) struct Tables {
    /// By word, what can begin with it.
    pub(crate) heads: Vec<Head>,
    /// The sets of sections that words begin, so many blocks each as there are sections.
    pub(crate) sets: Vec<Block>,
    /// Sorted by word, then by section.
    pub(crate) lists: Vec<List>,
    /// The phrases of each list, one after the other.
    pub(crate) starts: Vec<Start>,
    /// The phrases, one after the other.
    pub(crate) elements: Vec<Element>,
    /// The words of each [`What::OneOf`] and [`What::Rows`], one after the other.
    pub(crate) spellings: Vec<WordId>,
    /// The words that count for something, sorted by section.
    pub(crate) valued: Vec<(SectionId, WordId)>,
    /// The sections the language has, sorted.
    pub(crate) sections: Vec<SectionId>,
    /// By word, a bit for each section of [`CLASS`] that lists it; empty when the language has none.
    pub(crate) classes: Vec<u64>,
}

/// By section, what begins with one word: the phrases, and the value of the word.
type Under = BTreeMap<SectionId, (Vec<Start>, Option<i64>)>;

/// Compiles a language, given every section's name and every word there is.
pub(crate) fn compile(
    language: &Language<'_>,
    names: &[&str],
    vocabulary: &Vocabulary<'_>,
) -> Result<Tables, String> {
    number(vocabulary.words.len())?;
    let mut compiler = Compiler { language, names, vocabulary, elements: Vec::new(), spellings: Vec::new() };
    let firsts = compiler.firsts()?;
    let mut under = vec![Under::new(); vocabulary.words.len()];
    let (mut valued, mut sections, mut classes) = (Vec::new(), Vec::new(), Vec::new());
    for section in &language.sections {
        let id = compiler.section(section.name, section.line)?;
        sections.push(id);
        if section.name.starts_with(CLASS) {
            classes.resize(vocabulary.words.len(), 0u64);
            let bit = class(names, section.name)?;
            for word in section.words()? {
                classes[usize::from(vocabulary.id(word).0)] |= bit;
            }
            continue;
        }
        for phrase in &section.phrases {
            let start = Start { phrase: compiler.phrase(phrase)?, value: phrase.value };
            for word in compiler.first(phrase, &firsts)? {
                under[usize::from(word.0)].entry(id).or_default().0.push(start);
            }
        }
        for (word, value) in &section.values {
            under[usize::from(vocabulary.id(word).0)].entry(id).or_default().1 = Some(*value);
            valued.push((id, vocabulary.id(word)));
        }
    }
    valued.sort_unstable();
    sections.sort_unstable();
    let Compiler { elements, spellings, .. } = compiler;
    let (heads, sets) = heads(&under, names.len())?;
    let (mut lists, mut starts) = (Vec::new(), Vec::new());
    for (mut phrases, value) in under.into_iter().flat_map(BTreeMap::into_values) {
        let span = span(starts.len(), starts.len() + phrases.len())?;
        lists.push(List { starts: span, value });
        starts.append(&mut phrases);
    }
    Ok(Tables { heads, sets, lists, starts, elements, spellings, valued, sections, classes })
}

/// The sections that each word begins, and the place of its lists. Many words begin the same sections, so that each set
/// is written once.
fn heads(under: &[Under], sections: usize) -> Result<(Vec<Head>, Vec<Block>), String> {
    let size = usize::from(Block::SIZE);
    let (mut heads, mut sets, mut known, mut lists) = (Vec::new(), Vec::new(), BTreeMap::new(), 0);
    for under in under {
        let mut set = vec![Block::default(); sections.div_ceil(size)];
        for (before, section) in under.keys().enumerate() {
            set[usize::from(section.0) / size].sections |= 1 << (section.0 % Block::SIZE);
            for later in &mut set[usize::from(section.0) / size + 1..] {
                later.before = number(before + 1)?;
            }
        }
        let at = *known.entry(set.clone()).or_insert_with(|| {
            sets.append(&mut set);
            sets.len() - sections.div_ceil(size)
        });
        heads.push(Head { set: number(at)?, lists: number(lists)? });
        lists += under.len();
    }
    Ok((heads, sets))
}

/// The bit of a class: its place among the classes of all languages.
fn class(names: &[&str], name: &str) -> Result<u64, String> {
    let before =
        names.iter().take_while(|known| **known != name).filter(|known| known.starts_with(CLASS)).count();
    let bit = u32::try_from(before).ok().filter(|bit| *bit < CLASSES).map(|bit| 1 << bit);
    bit.ok_or_else(|| format!("[{name}] is one class more than the {CLASSES} there is room for"))
}

/// The words something can begin with.
type Firsts = BTreeSet<WordId>;

struct Compiler<'c, 'a> {
    language: &'c Language<'a>,
    names: &'c [&'c str],
    vocabulary: &'c Vocabulary<'c>,
    elements: Vec<Element>,
    spellings: Vec<WordId>,
}

impl Compiler<'_, '_> {
    /// The words each section can begin with. Sections name each other, also themselves, so this is repeated until
    /// nothing changes.
    fn firsts(&self) -> Result<Vec<Firsts>, String> {
        let mut firsts = vec![Firsts::new(); self.names.len()];
        loop {
            let mut next = vec![Firsts::new(); self.names.len()];
            for section in &self.language.sections {
                let first = &mut next[usize::from(self.section(section.name, section.line)?.0)];
                first.extend(section.values.keys().map(|word| self.vocabulary.id(word)));
                for phrase in &section.phrases {
                    first.append(&mut self.first(phrase, &firsts)?);
                }
            }
            if next == firsts {
                return Ok(firsts);
            }
            firsts = next;
        }
    }

    /// The words a phrase can begin with: those behind optional parts count too.
    fn first(&self, phrase: &Phrase<'_>, firsts: &[Firsts]) -> Result<Firsts, String> {
        let mut first = Firsts::new();
        for part in &phrase.parts {
            match &part.what {
                Meant::Rows(rows) => first.extend(rows.iter().map(|row| self.vocabulary.id(row[0]))),
                Meant::Section(name) => {
                    first.extend(&firsts[usize::from(self.section(name, phrase.line)?.0)]);
                }
                Meant::Any => _ = first.insert(WordId::ANY),
                Meant::Number => _ = first.insert(WordId::NUMBER),
                Meant::Echo => _ = first.insert(WordId::ECHO),
            }
            if part.times == Times::One {
                // Under "any word" it is found whatever the word is.
                let any = first.contains(&WordId::ANY);
                return Ok(if any { Firsts::from([WordId::ANY]) } else { first });
            }
        }
        Err(format!("{}: a phrase that may have no word at all", phrase.line))
    }

    /// Writes a phrase into the table of elements.
    fn phrase(&mut self, phrase: &Phrase<'_>) -> Result<Span, String> {
        let from = self.elements.len();
        for part in &phrase.parts {
            let what = self.what(&part.what, phrase.line)?;
            self.elements.push(Element { what, times: part.times });
        }
        span(from, self.elements.len())
    }

    fn what(&mut self, meant: &Meant<'_>, line: Place<'_>) -> Result<What, String> {
        Ok(match meant {
            Meant::Any => What::Any,
            Meant::Number => What::Number,
            Meant::Echo => What::Word(WordId::ECHO),
            Meant::Section(name) => What::Section(self.section(name, line)?),
            Meant::Rows(rows) => match rows.as_slice() {
                [row] if row.len() == 1 => What::Word(self.vocabulary.id(row[0])),
                rows => {
                    let from = self.spellings.len();
                    let single = rows.iter().all(|row| row.len() == 1);
                    for (i, row) in rows.iter().enumerate() {
                        self.spellings.extend((i > 0 && !single).then_some(WordId::UNKNOWN));
                        let words: Vec<WordId> = row.iter().map(|word| self.vocabulary.id(word)).collect();
                        self.spellings.extend(words);
                    }
                    let span = span(from, self.spellings.len())?;
                    if single { What::OneOf(span) } else { What::Rows(span) }
                }
            },
        })
    }

    fn section(&self, name: &str, line: Place<'_>) -> Result<SectionId, String> {
        let ours = self.language.names().any(|known| known == name);
        let found = self.names.iter().position(|known| *known == name).filter(|_| ours);
        found.ok_or_else(|| format!("{line}: there is no section [{name}]")).and_then(number).map(SectionId)
    }
}

fn span(from: usize, to: usize) -> Result<Span, String> {
    Ok(Span(number(from)?, number(to)?))
}

fn number(n: usize) -> Result<u16, String> {
    u16::try_from(n).map_err(|_| "the lexicon is larger than its tables can number".into())
}
