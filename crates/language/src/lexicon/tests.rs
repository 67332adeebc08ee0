//! The compiled lexicon against a plain reading of the same file, and what is wrong with a file.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use proptest::prelude::*;

use super::compile::{self, Language, Tables};
use super::{DEPTH, Lexicon, Section, SectionId, Vocabulary};
use crate::Words;

/// Some languages, compiled as the build does it.
struct Compiled {
    names: Vec<String>,
    vocabulary: Vocabulary<'static>,
    lexicons: Vec<&'static Lexicon>,
}

impl Compiled {
    fn of(texts: &[&str]) -> Result<Self, String> {
        let files =
            texts.iter().map(|text| Language::read([("tiny", *text)])).collect::<Result<Vec<_>, _>>()?;
        let names = compile::names(&files);
        let words = compile::vocabulary(files.iter());
        let leaked: Vec<&'static str> = words.iter().map(|word| &*word.to_string().leak()).collect();
        let vocabulary = Vocabulary { words: leaked.leak(), slots: compile::slots(&words).leak() };
        let lexicons = files.iter().map(|file| {
            let tables = compile::compile(file, &names, &vocabulary)?;
            let Tables { heads, sets, lists, starts, elements, spellings, valued, sections, classes } =
                tables;
            let lexicon: &'static Lexicon = Box::leak(Box::new(Lexicon {
                heads: heads.leak(),
                sets: sets.leak(),
                lists: lists.leak(),
                starts: starts.leak(),
                elements: elements.leak(),
                spellings: spellings.leak(),
                valued: valued.leak(),
                sections: sections.leak(),
                classes: classes.leak(),
            }));
            Ok(lexicon)
        });
        let lexicons = lexicons.collect::<Result<_, String>>()?;
        let names = names.iter().map(ToString::to_string).collect();
        Ok(Self { names, vocabulary, lexicons })
    }

    fn section(&self, language: usize, name: &str) -> Section {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let at = names.iter().position(|known| *known == name).unwrap();
        self.lexicons[language].section(SectionId(at as u16))
    }

    fn words(&self, text: &str) -> Words {
        Words::known(text, &self.vocabulary)
    }
}

const TINY: &str = "# a comment\n[good]\ngood, very good\n[say]\nthat? sounds|looks <good>\nla la*\n[number]\none=1, two=2\n";

#[test]
fn phrases_cover_as_far_as_they_can() {
    let tiny = Compiled::of(&[TINY]).unwrap();
    let say = tiny.section(0, "say");
    for (text, longest) in [
        ("sounds good", 2),
        ("that looks very good to me", 4),
        ("that good", 0),
        ("la la la", 3),
        ("sounds", 0),
        ("", 0),
    ] {
        assert_eq!(say.longest(tiny.words(text).all(), 0), longest, "{text}");
    }
    assert!(say.is(tiny.words("sounds very good").all()));
    assert!(!say.is(tiny.words("sounds very good indeed").all()));
    assert!(!tiny.section(0, "number").within(tiny.words("good one").all()));
    assert_eq!(say.longest(tiny.words(&"la ".repeat(200)).all(), 0), 17, "nobody repeats a word more often");
    let long = Compiled::of(&["[say]\nla la* la* la* la*\n"]).unwrap();
    let covered = long.section(0, "say").longest(long.words(&"la ".repeat(200)).all(), 0);
    assert_eq!(covered, 63, "no phrase covers more");
}

#[test]
fn words_have_values() {
    let tiny = Compiled::of(&[TINY]).unwrap();
    let values = |text: &str| -> Vec<Option<u64>> {
        tiny.words(text).all().iter().map(|word| tiny.section(0, "number").value(word)).collect()
    };
    assert_eq!(values("two or one"), [Some(2), None, Some(1)]);
}

#[test]
fn a_section_is_found_by_its_name_in_every_language() {
    let both = Compiled::of(&[TINY, "[say]\ndas klingt <good>\n[good]\ngut\n[other]\nla\n"]).unwrap();
    let words = both.words("das klingt gut");
    assert_eq!(both.section(0, "say").longest(words.all(), 0), 0);
    assert_eq!(both.section(1, "say").longest(words.all(), 0), 3);
    assert!(
        !both.section(0, "other").within(both.words("la").all()),
        "the first language has none of that name"
    );
}

#[test]
fn a_wrong_file_is_refused_with_its_line() {
    for (text, wrong) in [
        ("good\n[good]\nfine\n", "tiny:1: phrases before"),
        ("[good]\ngood\n\n[good]\nfine\n", "tiny:4: there is a section [good] already"),
        ("[good]\n[say]\nla\n", "tiny:1: [good] has no phrases"),
        ("[say]\nla\nsounds <good>\n", "tiny:3: there is no section [good]"),
        ("[say]\nla? la*\n", "tiny:2: a phrase that may have no word"),
        ("[say]\nla|<good>\n", "tiny:2: \"la|<good>\" is no element"),
        ("[say]\nla||lo\n", "tiny:2: \"la||lo\" is no element"),
        ("[number]\none=first\n", "tiny:2: \"one=first\" has no number"),
    ] {
        let found = Compiled::of(&[text]).err().unwrap_or_default();
        assert!(found.starts_with(wrong), "{text:?}: {found}");
    }
}

/// The phrases of a file as they are written.
struct Plain<'a> {
    sections: BTreeMap<&'a str, Vec<Vec<&'a str>>>,
}

/// The numbers of words that something may cover.
type Lengths = BTreeSet<usize>;

impl<'a> Plain<'a> {
    fn of(text: &'a str) -> Self {
        let mut sections: BTreeMap<&str, Vec<Vec<&str>>> = BTreeMap::new();
        let mut name = "";
        for line in text.lines() {
            match line.strip_prefix('[') {
                Some(rest) => name = rest.trim_end_matches(']'),
                None => {
                    sections.entry(name).or_default().push(line.trim_start_matches(',').split(' ').collect())
                }
            }
        }
        Self { sections }
    }

    fn section(&self, name: &str, words: &[&str], depth: u8) -> Lengths {
        self.sections[name].iter().flat_map(|phrase| self.phrase(phrase, words, depth)).collect()
    }

    fn phrase(&self, phrase: &[&str], words: &[&str], depth: u8) -> Lengths {
        let Some((element, rest)) = phrase.split_first() else { return Lengths::from([0]) };
        let base = element.trim_end_matches(['?', '*']);
        let mut lengths = Lengths::new();
        for n in self.element(base, words, depth) {
            let then = if element.ends_with('*') { phrase } else { rest };
            lengths.extend(self.phrase(then, &words[n..], depth).into_iter().map(|more| n + more));
        }
        if base != *element {
            lengths.append(&mut self.phrase(rest, words, depth));
        }
        lengths
    }

    fn element(&self, base: &str, words: &[&str], depth: u8) -> Lengths {
        let Some(first) = words.first() else { return Lengths::new() };
        match base {
            "_" => Lengths::from([1]),
            "#" => first.starts_with(|c: char| c.is_ascii_digit()).then_some(1).into_iter().collect(),
            _ => match base.strip_prefix('<') {
                Some(_) if depth == 0 => Lengths::new(),
                Some(name) => self.section(name.trim_end_matches('>'), words, depth - 1),
                None => {
                    let rows = base.split('|').map(|row| row.split('+').collect::<Vec<_>>());
                    rows.filter(|row| words.starts_with(row)).map(|row| row.len()).collect()
                }
            },
        }
    }
}

const SECTIONS: [&str; 4] = ["a", "b", "c", "d"];

/// An element; sections may name each other and themselves.
fn element() -> impl Strategy<Value = String> {
    let word = prop::sample::select(&["x", "y", "z", "7up"][..]);
    let base = prop_oneof![
        4 => word.clone().prop_map(String::from),
        2 => (word.clone(), word.clone(), word).prop_map(|(a, b, c)| format!("{a}|{b}+{c}")),
        3 => prop::sample::select(&SECTIONS[..]).prop_map(|name| format!("<{name}>")),
        1 => Just("_".into()),
        1 => Just("#".into()),
    ];
    (base, prop::sample::select(&["", "", "?", "*"][..])).prop_map(|(base, suffix)| base + suffix)
}

/// A file. Every phrase has a word that has to be there; a comma before it keeps a line from being a comment.
fn file() -> impl Strategy<Value = String> {
    let phrase = (prop::collection::vec(element(), 0..3), "[xyz]", prop::collection::vec(element(), 0..2));
    let phrase =
        phrase.prop_map(|(before, word, after)| [before, Vec::from([word]), after].concat().join(" "));
    let phrase = phrase.prop_map(|phrase| format!(",{phrase}"));
    let section = prop::collection::vec(phrase, 1..4).prop_map(|phrases| phrases.join("\n"));
    prop::collection::vec(section, SECTIONS.len()).prop_map(|sections| {
        SECTIONS.iter().zip(sections).map(|(name, phrases)| format!("[{name}]\n{phrases}\n")).collect()
    })
}

proptest! {
    #[test]
    fn the_compiled_lexicon_finds_what_a_plain_reading_finds(
        file in file(),
        words in prop::collection::vec(prop::sample::select(&["x", "y", "z", "7up", "3", "unheard"][..]), 0..9),
    ) {
        let compiled = Compiled::of(&[&file]).unwrap();
        let plain = Plain::of(&file);
        let message = compiled.words(&words.join(" "));
        prop_assert_eq!(message.all().len(), words.len());
        for name in SECTIONS {
            for at in 0..words.len() {
                let found = compiled.section(0, name).ends(message.all(), at);
                let found: Lengths = (0..64).filter(|k| found >> k & 1 == 1).collect();
                prop_assert_eq!(found, plain.section(name, &words[at..], DEPTH), "[{}] at {}", name, at);
            }
        }
    }
}
