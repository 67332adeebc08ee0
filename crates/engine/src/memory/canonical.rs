//! What makes two sentences the same fact (`spec 05 §8.1`): the words, without leading articles and final punctuation,
//! and the place they are kept in. Paraphrases are different facts; they meet in [`super::contradict`].

use alloc::string::String;

use super::fact::{FactKey, FactType};
use super::words::{self, ARTICLE};
use crate::canon::{hex, sha256, write_strings};
use crate::id::FactId;
use crate::recognize::selection::normal::folded_whole;

/// Hexadecimal digits of the hash in an id.
const DIGITS: usize = 32;

/// The canonical form of a sentence.
pub(super) fn text(sentence: &str) -> String {
    let folded = folded_whole(sentence);
    let mut rest = folded.as_str();
    while let Some((first, more)) = rest.split_once(' ')
        && words::is(ARTICLE, first)
    {
        rest = more;
    }
    rest.into()
}

/// The id of a fact, from its canonical form.
pub(super) fn id(key: &FactKey, kind: FactType, text: &str) -> FactId {
    let mut name = String::new();
    write_strings(&["f1", &key.tenant, key.scope.word(), &key.scope_id, kind.word(), text], &mut name);
    let mut digest = hex(&sha256(&[name.as_bytes()]));
    digest.truncate(DIGITS);
    FactId(alloc::format!("{}{digest}", FactId::PREFIX))
}

/// A canonical form without its negations, and how many they were: "we wont deploy" gives ("we will deploy", 1).
pub(super) fn affirmed(text: &str) -> (String, usize) {
    let mut rest = String::with_capacity(text.len());
    let mut negations = 0;
    for word in text.split(' ') {
        let left = words::affirmed(word);
        negations += usize::from(left.is_some());
        let left = left.unwrap_or(word);
        if !rest.is_empty() && !left.is_empty() {
            rest.push(' ');
        }
        rest.push_str(left);
    }
    (rest, negations)
}
