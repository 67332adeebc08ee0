//! Words that would approve something if words could: "yes, approve it", "lgtm, ship it". Only a button approves; a
//! message in such words is answered with the button's place (`docs/design/0032-approvals.md`).

use super::lexicon::{ANSWERS, Cover, Lexicon, SectionId};
use super::section;
use super::words::{Gap, Words};

/// The number of [`SECTIONS`] that affirm; the others may be beside them.
const AFFIRM: usize = 5;
const SECTIONS: [SectionId; 10] = [
    section("approve"),
    section("yes.word"),
    section("yes.phrase"),
    section("yes.proposal"),
    section("yes.weak"),
    section("approve.around"),
    section("thanks"),
    section("filler"),
    section("bye"),
    section("now"),
];
const APPROVE: SectionId = section("approve");

/// True if the whole message affirms, in the words of an approval or any others. A question does not.
pub fn affirms(message: &Words) -> bool {
    let asks = message.all().last().is_none_or(|word| word.after == Gap::Question);
    !asks
        && message
            .languages()
            .lexicons(&ANSWERS)
            .filter(|lexicon| lexicon.has(APPROVE))
            .any(|lexicon| read(lexicon, message))
}

/// True if the whole message is an approval in words, and not only a yes.
pub fn approves(message: &Words) -> bool {
    message
        .languages()
        .lexicons(&ANSWERS)
        .filter(|lexicon| lexicon.has(APPROVE))
        .any(|lexicon| covered(lexicon, message) & 1 != 0)
}

fn read(lexicon: &'static Lexicon, message: &Words) -> bool {
    covered(lexicon, message) & ((1 << AFFIRM) - 1) != 0
}

/// Finds which of [`SECTIONS`] the whole message is made of, one bit each; 0 if it holds anything else.
fn covered(lexicon: &'static Lexicon, message: &Words) -> u32 {
    let words = message.all();
    let cover = Cover::of(&SECTIONS.map(|id| lexicon.section(id)), None, words);
    if cover.reaches(words.len()) { cover.sections(words.len()) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_affirms() {
        for text in [
            "approve",
            "yes, approve it please",
            "Approved, ship it!",
            "LGTM",
            "I approve this",
            "ok, go ahead and create it",
            "please press approve for me",
            "Ja, bitte freigeben",
            "genehmigt",
            "👍",
        ] {
            assert!(affirms(&Words::of(text)), "{text}");
        }
        for text in [
            "approve?",
            "who may approve this?",
            "do not approve it",
            "don't approve",
            "yes, but change the title",
            "the approval is missing",
            "thanks",
            "no",
            "nicht freigeben",
            "",
        ] {
            assert!(!affirms(&Words::of(text)), "{text}");
        }
    }
}
