//! Known names of places: countries, states of the US, cities of 15,000 people and more.
//!
//! The names are those of `data/gazetteer.txt`, from GeoNames (CC BY 4.0); the build script packs them, see `front.rs`,
//! docs/gazetteer.md and `docs/design/0010-the-gazetteer-is-packed-names.md`. Only the names are kept: no country, no
//! coordinates.

mod front;
#[cfg(test)]
mod write;

use alloc::string::String;
use alloc::vec::Vec;

use super::budget::count;
use super::words::{Gap, Words};
use front::{Front, LONGEST};

/// The names that are compiled in.
static NAMES: Front<'_> = Front {
    names: include_bytes!(concat!(env!("OUT_DIR"), "/gazetteer.bin")),
    blocks: &include!(concat!(env!("OUT_DIR"), "/gazetteer.rs")),
};

/// Counts the words of the longest known name that begins at `at`; 0 when none does.
pub(crate) fn longest(message: &Words, at: usize) -> u8 {
    let (mut text, mut length, mut longest) = ([0; LONGEST], 0, 0);
    for (n, word) in message.all().get(at..).unwrap_or(&[]).iter().enumerate() {
        let folded = message.folded(word).as_bytes();
        let from = length + usize::from(n > 0);
        let Some(place) = text.get_mut(from..from + folded.len()) else { break };
        place.copy_from_slice(folded);
        if n > 0 {
            text[length] = b' ';
        }
        length = from + folded.len();
        count(1);
        let found = NAMES.find(&text[..length]);
        if found.name {
            longest = n as u8 + 1;
        }
        if !found.more || word.after > Gap::Space {
            break;
        }
    }
    longest
}

/// Names that an installation adds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Configured(Vec<Words>);

impl Configured {
    /// Cuts the names into words.
    pub(crate) fn of(names: &[String]) -> Self {
        Self(names.iter().map(|name| Words::of(name)).collect())
    }

    /// Counts the words of the longest of these names that begins at `at`; 0 when none does.
    pub(crate) fn longest(&self, message: &Words, at: usize) -> usize {
        let said = message.all().get(at..).unwrap_or(&[]);
        let here = |name: &&Words| {
            let mut pairs = name.all().iter().zip(said);
            name.all().len() <= said.len()
                && pairs.all(|(own, word)| name.folded(own) == message.folded(word))
        };
        self.0.iter().filter(here).map(|name| name.all().len()).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_as_people_write_them() {
        for (text, words) in [
            ("Swansea", 1),
            ("swansea wales", 1),
            ("San Francisco please", 2),
            ("san fernando", 2),
            ("NEW YORK CITY", 3),
            ("Winston-Salem", 2),
            ("Coeur d’Alene", 2),
            ("Zürich", 1),
            ("zurich", 1),
            ("St. Louis", 2),
            ("Bosnia & Herzegovina", 3),
            ("California", 1),
            ("the lamp flickers", 0),
            ("", 0),
        ] {
            let message = Words::of(text);
            assert_eq!(longest(&message, 0), words, "{text}");
        }
    }
}
