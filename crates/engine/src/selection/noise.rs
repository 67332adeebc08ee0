//! Noise: a text that no person means as a choice or as anything else.

use alloc::string::ToString;
use alloc::vec::Vec;

use throughline_language::words::Words;

/// Rows of letters on a keyboard: a run along one is noise.
const ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// True if the text looks like noise: less than half letters, one very short word, no vowels, a repeated
/// letter, a run of keys.
pub(super) fn is_noise(message: &Words) -> bool {
    let text = message.text();
    let (mut letters, mut all) = (0, 0);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        all += 1;
        letters += usize::from(c.is_alphabetic());
    }
    let words = message.all();
    let vowels = |word: &str| word.chars().any(|c| "aeiouyäöüáéíóúàèìòùâêîôû".contains(c));
    let hard = |word: &str| word.chars().count() >= 5 && word.is_ascii() && !vowels(word);
    let same = |word: &str| {
        let chars: Vec<char> = word.chars().collect();
        chars.windows(4).any(|four| four.iter().all(|c| *c == four[0]))
    };
    let row = |word: &str| word.len() >= 4 && ROWS.iter().any(|row| row.contains(word));
    let folded = |at: usize| message.folded(&words[at]).to_string();
    2 * letters < all
        || words.len() == 1 && folded(0).chars().count() < 3
        || words.len() == 1 && (hard(&folded(0)) || same(&folded(0)) || row(&folded(0)))
}
