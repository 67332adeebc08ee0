//! Corrections of an answer that was given before: "Actually make it 5", "no wait, Cardiff", "I meant the second". Only
//! the frame is read here; the value in it is for the reader of the question's type.

use super::lexicon::{ANSWERS, Lexicon, SectionId, skip};
use super::section;
use super::words::{Gap, Words};

const LEAD: SectionId = section("correct.lead");
const AROUND: SectionId = section("correct.around");
const SAY: SectionId = section("correct.say");
const MAKE: SectionId = section("correct.make");
const TAIL: SectionId = section("correct.tail");
const NO: SectionId = section("no.word");

/// A message in the frame of a correction.
pub struct Correction {
    /// The words inside the frame.
    pub value: Words,
    /// It says that something was said wrongly ("I meant …"), which no first answer does. Free text is corrected by
    /// such words alone: "actually" begins too many other sentences.
    pub said_wrong: bool,
}

/// The correction this message may be.
pub fn correction(message: &Words) -> Option<Correction> {
    message
        .languages()
        .lexicons(&ANSWERS)
        .filter(|lexicon| lexicon.has(LEAD))
        .find_map(|lexicon| read(lexicon, message))
}

fn read(lexicon: &'static Lexicon, message: &Words) -> Option<Correction> {
    let words = message.all();
    let [lead, around, say, make, tail] = [LEAD, AROUND, SAY, MAKE, TAIL].map(|id| lexicon.section(id));
    if words.last()?.after == Gap::Question || words.iter().any(|word| word.quoted) {
        return None;
    }
    let led = skip(&[lead, around], words, 0);
    let takes_back = (0..led).any(|at| lead.at(words, at));
    let said = say.longest(words, led);
    let from = led + said.max(make.longest(words, led));
    let to = (from..words.len()).find(|&at| tail.is(&words[at..])).unwrap_or(words.len());
    // "No Cairo" without a comma may as well mean "not Cairo".
    let bare = from == 1 && led == 1 && words[0].after == Gap::Space && lexicon.section(NO).is(&words[..1]);
    if bare {
        return None;
    }
    let framed = takes_back || from > led || to < words.len();
    (framed && from < to).then(|| Correction {
        value: Words::new(message.clause(from, to), message.languages()),
        said_wrong: said > 0 && led + said == from,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(alloc::string::String, bool)> {
        correction(&Words::of(text)).map(|found| (found.value.text().into(), found.said_wrong))
    }

    #[test]
    fn the_frame_is_taken_off() {
        for (text, value, said_wrong) in [
            ("Actually make it 5", "5", false),
            ("actually, Cardiff", "Cardiff", false),
            ("No wait, Cardiff!", "Cardiff!", false),
            ("make it 5 instead", "5", false),
            ("sorry, I meant the second one", "the second one", true),
            ("Correction: Login crashes", "Login crashes", true),
            ("change it to tomorrow please", "tomorrow please", false),
            ("Hm, on second thought, let's make that six", "six", false),
            ("5 instead", "5", false),
            ("eigentlich Cardiff", "Cardiff", false),
            ("nein, ich meinte Cardiff", "Cardiff", true),
        ] {
            assert_eq!(read(text), Some((value.into(), said_wrong)), "{text}");
        }
    }

    #[test]
    fn what_has_no_frame_is_none() {
        for text in [
            "5",
            "Swansea",
            "ok, Swansea",
            "oh well, 5",
            "actually",
            "no wait",
            "instead",
            "actually 5?",
            "> actually 5",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
