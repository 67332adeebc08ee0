//! Words that would approve, if words could: "yes, approve it", "lgtm, ship it" (`spec 06 §5.4`). They are answered
//! with where the button is.

use super::lexicon::{Cover, Lexicon, RECOGNIZE, SectionId};
use super::named;
use super::words::{Gap, Words};

/// How many of [`SECTIONS`] affirm; the others may stand beside them.
const AFFIRM: usize = 5;
const SECTIONS: [SectionId; 10] = [
    named("approve"),
    named("yes.word"),
    named("yes.phrase"),
    named("yes.proposal"),
    named("yes.weak"),
    named("approve.around"),
    named("thanks"),
    named("filler"),
    named("bye"),
    named("now"),
];
const APPROVE: SectionId = named("approve");

/// Whether the whole message affirms, in the words of an approval or any others. A question does not.
pub(crate) fn affirms(message: &Words) -> bool {
    let asks = message.all().last().is_none_or(|word| word.after == Gap::Question);
    !asks && RECOGNIZE.iter().filter(|lexicon| lexicon.has(APPROVE)).any(|lexicon| read(lexicon, message))
}

/// Whether all of it is the words of an approval, and not only a yes.
pub(crate) fn approves(sentence: &Words) -> bool {
    RECOGNIZE.iter().filter(|lexicon| lexicon.has(APPROVE)).any(|lexicon| covered(lexicon, sentence) & 1 != 0)
}

fn read(lexicon: &'static Lexicon, message: &Words) -> bool {
    covered(lexicon, message) & ((1 << AFFIRM) - 1) != 0
}

/// Which of [`SECTIONS`] the whole message is made of, one bit each; none when it holds anything else.
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
