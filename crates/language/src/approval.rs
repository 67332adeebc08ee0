//! Words that would approve something if words could: "yes, approve it", "lgtm, ship it". Only a button approves; a
//! message in such words is answered with the button's place (`docs/design/0032-approvals.md`).

use super::lexicon::{ANSWERS, Cover, Lexicon, Section, SectionId};
use super::section;
use super::words::{Gap, Word, Words};

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
const PRESS: SectionId = section("urge.press");
const BUTTON: SectionId = section("urge.button");
const NOT: SectionId = section("urge.not");
/// The most words between those of a press and those of the button.
const NEAR: usize = 3;

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
        .any(|lexicon| covered(lexicon, message.all()) & 1 != 0)
}

/// True if somewhere in the text a reader is told to approve: a part of a sentence is nothing else, or a sentence has
/// the words of a press near those of the button, and no negation.
///
/// ```
/// use throughline_language::{Words, urges_approval};
/// assert!(urges_approval(&Words::of("The plan is sound, so please press “Approve” below.")));
/// assert!(!urges_approval(&Words::of("Nobody may approve it alone.")));
/// ```
#[must_use]
pub fn urges_approval(text: &Words) -> bool {
    let lexicons = || text.languages().lexicons(&ANSWERS).filter(|lexicon| lexicon.has(BUTTON));
    let parts = |weakest: Gap| text.all().split_inclusive(move |word| word.after >= weakest);
    parts(Gap::Hard).any(|sentence| lexicons().any(|lexicon| urges(lexicon, sentence)))
        || parts(Gap::Soft)
            .any(|part| lexicons().any(|lexicon| urges(lexicon, part) || is_approval(lexicon, part)))
}

/// True if a sentence has the words of a press near those of the button, and no negation.
fn urges(lexicon: &'static Lexicon, sentence: &[Word]) -> bool {
    let [press, button, not] = [PRESS, BUTTON, NOT].map(|id| lexicon.section(id));
    let found = |section: Section| {
        (0..sentence.len())
            .filter_map(move |at| Some((at, section.longest(sentence, at))).filter(|(_, n)| *n > 0))
    };
    if !found(button).any(|_| true) || found(not).any(|_| true) {
        return false;
    }
    found(press).any(|(press, words)| {
        let near = |(at, length): (usize, usize)| {
            let apart =
                if at < press { press.checked_sub(at + length) } else { at.checked_sub(press + words) };
            apart.is_some_and(|between| between <= NEAR)
        };
        found(button).any(near)
    })
}

/// True if a part of a sentence is an approval in words and names the button. A single word may be one of a list:
/// "Approve, Edit, Reject".
fn is_approval(lexicon: &'static Lexicon, part: &[Word]) -> bool {
    part.len() > 1 && lexicon.section(BUTTON).within(part) && covered(lexicon, part) & 1 != 0
}

fn read(lexicon: &'static Lexicon, message: &Words) -> bool {
    covered(lexicon, message.all()) & ((1 << AFFIRM) - 1) != 0
}

/// Finds which of [`SECTIONS`] the words are made of, one bit each; 0 if they hold anything else.
fn covered(lexicon: &'static Lexicon, words: &[Word]) -> u32 {
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

    /// The words of an approval are also a yes; they stay an approval.
    #[test]
    fn what_approves() {
        for text in [
            "approve",
            "approve it",
            "Approve this, please",
            "please approve the ticket",
            "accept it",
            "confirm that",
            "looks good to me, ship it",
            "Freigeben",
            "gib es frei",
            "bitte genehmigen",
        ] {
            assert!(approves(&Words::of(text)), "{text}");
        }
        for text in ["yes", "ok", "thanks", "do not approve it", "who approves it", "ja", ""] {
            assert!(!approves(&Words::of(text)), "{text}");
        }
    }

    #[test]
    fn what_urges() {
        for text in [
            "Please press Approve.",
            "It is fine; press “Approve” now.",
            "The plan is sound, so please press the Approve button below.",
            "You can approve it now",
            "Ready? Click on Approve.",
            "All checks passed (please approve)",
            "Nothing is left to do – just click **Approve**!",
            "Do not wait, press Approve",
            "Hit the big green Approve",
            "To go on, select Approve on the card.",
            "Could you kindly approve this?",
            "Bitte auf Freigeben klicken.",
            "Der Plan steht, du kannst ihn jetzt genehmigen.",
            "Alles gut, bitte freigeben",
            "Drücke jetzt auf Approve",
        ] {
            assert!(urges_approval(&Words::of(text)), "{text}");
        }
        for text in [
            "nobody may approve it alone",
            "Whether to approve it depends on the load.",
            "They cost more to run.",
            "Two people approve every release.",
            "The card has buttons: Approve, Edit, Reject.",
            "Do not press Approve before the checks passed.",
            "You cannot approve your own request.",
            "Its approval took a week, and the button was red.",
            "Press the bell twice.",
            "Das darf niemand allein genehmigen.",
            "Bitte nicht freigeben.",
            "Die Freigabe hat lange gedauert.",
            "",
        ] {
            assert!(!urges_approval(&Words::of(text)), "{text}");
        }
    }
}
