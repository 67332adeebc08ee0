//! Messages made to be expensive: as long as a message may be, of what readers begin something with, in lanes that are as
//! hostile. Only their instructions are counted (`cargo xtask bench count`), against one bound for all.

use super::b4_step::Case;
use crate::load::messages::GATE;

/// Characters of the longest message (`window.text_chars`).
const LONGEST: usize = 40_000;
/// Messages before it, each as long: a full window.
const FULL: usize = 15;

/// Each repeated to the longest message: what costs most to read, of a few hundred tried.
const MOTIFS: [(&str, &str); 16] = [
    ("U+FDFA", "\u{fdfa}"),
    ("1,1,1", "1,"),
    ("1.1.1", "1."),
    ("a. a. a", "a. "),
    ("a a a", "a "),
    ("please, please", "please, "),
    ("could you, could you", "could you, "),
    ("not create a ticket", "not create a ticket, "),
    ("yes yes yes", "yes "),
    ("a://a://", "a://"),
    ("letters with marks", "a\u{301}\u{302}\u{303}"),
    ("new york new york", "new york "),
    ("the travel plan", "open the travel plan 1 "),
    ("braces", "{\"a\":"),
    ("ideographs", "\u{65e5}"),
    ("sentences", "We moved the export to the next quarter, because two teams still depend on it. "),
];

/// Asks for a review of what follows.
const ASKS: &str = "What do you think about this plan?\n\n";

/// Returns the hostile messages, each in a lane it has filled, beside a list of fifty options.
pub(super) fn cases() -> Vec<Case> {
    let said = |(name, motif): &(&str, &str)| {
        let text: String = motif.chars().cycle().take(LONGEST).collect();
        Case::new(format!("40,000 characters: {name}; 50 options"), 0, &text).said(FULL, &text).listed(50)
    };
    let asked = |(name, motif): &(&str, &str)| {
        let text: String = motif.chars().cycle().take(LONGEST).collect();
        Case::new(format!("40,000 characters: {name}; asked for a time"), 0, &text).asking("datetime")
    };
    let beside = |(name, motif): &(&str, &str)| {
        let text: String = motif.chars().cycle().take(LONGEST).collect();
        Case::new(format!("a typical message behind 15 of 40,000 characters: {name}"), 0, GATE)
            .said(FULL, &text)
    };
    let reviewed = |(name, motif): &(&str, &str)| {
        let text: String = ASKS.chars().chain(motif.chars().cycle()).take(LONGEST).collect();
        Case::new(format!("40,000 characters: {name}; to be reviewed"), 0, &text)
    };
    let reviews = [&MOTIFS[4], &MOTIFS[12], &MOTIFS[15]].map(reviewed);
    let all = MOTIFS
        .iter()
        .map(said)
        .chain(MOTIFS.iter().map(asked))
        .chain(MOTIFS[..4].iter().map(beside))
        .chain(reviews);
    all.map(Case::once).collect()
}
