//! Words that descriptions are compared with: names, texts and fields of a list's options, folded
//! (`docs/design/0069-options-that-carry-fields.md`).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use throughline_language::lexicon::{ANSWERS, SectionId};
use throughline_language::words::Word;
use throughline_language::{Words, normal, section};

use crate::data::field::FieldValue;
use crate::data::set_option::{OptionMask, SetOption};

const FIELD: SectionId = section("compare.field");
const IDLE: SectionId = section("compare.included");
const WITH: SectionId = section("compare.with");

/// The folded names and fields of a list's options. What a description may mean leaves out the ways out of the list; what a
/// message may speak of does not.
#[derive(Default)]
pub(crate) struct OptionFields {
    names: Vec<FieldName>,
    /// Folded texts of fields, each with the options of which a field says just this.
    texts: BTreeMap<String, OptionMask>,
    /// Words of folded names and texts, each with the options that have it; none of a way out.
    words: BTreeMap<String, OptionMask>,
    /// Words of all names, texts and names of fields, also of the ways out.
    spoken: BTreeSet<String>,
    /// Folded names of each option: aliases, second line, label.
    labels: Vec<Vec<String>>,
    /// Units as written, each with its folded form.
    units: Vec<(String, String)>,
}

/// The name of a field that at least one option has.
pub(crate) struct FieldName {
    /// As the host writes it.
    pub(crate) name: String,
    /// Its words in their normal form.
    pub(crate) folded: String,
    /// Those without the ones that only say that an option has it.
    pub(crate) bare: String,
    /// Families by the numbers that the lexicons give them.
    pub(crate) families: Vec<i64>,
}

impl OptionFields {
    pub(super) fn of(options: &[SetOption]) -> Self {
        let mut all = Self::default();
        for option in options {
            for (name, value) in &option.fields {
                all.add_unit(value);
                for text in value.texts().chain(Some(name.as_str())) {
                    all.add_spoken(&normal::folded_text(text));
                }
            }
        }
        for (at, option) in options.iter().enumerate().filter(|(_, option)| option.is_normal()) {
            for (name, value) in &option.fields {
                if !all.names.iter().any(|known| known.name == *name) {
                    all.names.push(FieldName::of(name));
                }
                for text in value.texts() {
                    let folded = normal::folded_text(text);
                    all.add_words(&folded, 1 << at);
                    *all.texts.entry(folded).or_default() |= 1 << at;
                }
            }
        }
        for (at, option) in options.iter().enumerate() {
            let names = option.aliases.iter().chain(&option.sublabel).chain(Some(&option.label));
            let folded: Vec<String> = names.map(|name| normal::folded_text(name)).collect();
            for name in &folded {
                all.add_spoken(name);
                if option.is_normal() {
                    all.add_words(name, 1 << at);
                }
            }
            all.labels.push(folded);
        }
        all
    }

    fn add_spoken(&mut self, folded: &str) {
        for word in folded.split(' ') {
            if !self.spoken.contains(word) {
                self.spoken.insert(word.into());
            }
        }
    }

    fn add_words(&mut self, folded: &str, option: OptionMask) {
        for word in folded.split(' ') {
            match self.words.get_mut(word) {
                Some(options) => *options |= option,
                None => drop(self.words.insert(word.into(), option)),
            }
        }
    }

    fn add_unit(&mut self, value: &FieldValue) {
        if let FieldValue::Quantity { unit, .. } = value
            && !self.units.iter().any(|(known, _)| known == unit)
        {
            self.units.push((unit.clone(), normal::folded_text(unit)));
        }
    }

    /// Returns the names of the fields, in the order in which options have them.
    pub(crate) fn names(&self) -> &[FieldName] {
        &self.names
    }

    /// Returns the units as written and folded.
    pub(crate) fn units(&self) -> &[(String, String)] {
        &self.units
    }

    /// True if a name, a field or the name of a field has this word, which is folded.
    pub(crate) fn speak_of(&self, word: &str) -> bool {
        self.spoken.contains(word)
    }

    /// Returns the options of which a name or a field may have these words, which are folded: those that have the first of
    /// them.
    pub(crate) fn may_have(&self, words: &str) -> OptionMask {
        let first = words.split(' ').next().unwrap_or_default();
        self.words.get(first).copied().unwrap_or_default()
    }

    /// Returns the folded names of an option.
    pub(crate) fn labels(&self, option: usize) -> &[String] {
        self.labels.get(option).map_or(&[], Vec::as_slice)
    }

    /// Returns the options of which a field says just this, which is folded.
    pub(crate) fn saying(&self, said: &str) -> OptionMask {
        self.texts.get(said).copied().unwrap_or_default()
    }
}

impl FieldName {
    fn of(name: &str) -> Self {
        let folded = folded_name(name);
        let words = Words::of(&folded);
        let mut families = Vec::new();
        let pairs = words.all().iter().flat_map(|word| ANSWERS.iter().map(move |lexicon| (lexicon, word)));
        let known = pairs.filter_map(|(lexicon, word)| lexicon.section(FIELD).value(word));
        for family in known.filter_map(|family| i64::try_from(family).ok()) {
            if !families.contains(&family) {
                families.push(family);
            }
        }
        let idle = |word: &&Word| {
            ANSWERS.iter().any(|lexicon| {
                [IDLE, WITH].into_iter().any(|id| lexicon.section(id).is(core::slice::from_ref(*word)))
            })
        };
        let kept: Vec<&str> =
            words.all().iter().filter(|word| !idle(word)).map(|word| words.folded(word)).collect();
        Self { name: name.into(), bare: kept.join(" "), folded, families }
    }
}

/// Returns the words of a field's name: `pricePerNight` and `price_per_night` are "price per night".
pub(crate) fn folded_name(name: &str) -> String {
    let mut spaced = String::new();
    let mut small = false;
    for c in name.chars() {
        if c.is_uppercase() && small {
            spaced.push(' ');
        }
        small = c.is_lowercase();
        spaced.push(if c == '_' { ' ' } else { c });
    }
    normal::folded_text(&spaced)
}
