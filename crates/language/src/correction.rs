//! Corrections of an answer that was given before: "Actually make it 5", "no wait, Cardiff", "I meant the second". Only
//! the frame is read here; the value in it is for the reader of the question's type.

use super::lexicon::{ANSWERS, Lexicon, SectionId, skip};
use super::words::{Gap, Word, Words};
use super::{Context, Expected, Match, Strength, section};

const LEAD: SectionId = section("correct.lead");
const AROUND: SectionId = section("correct.around");
const SAY: SectionId = section("correct.say");
const MAKE: SectionId = section("correct.make");
const TAIL: SectionId = section("correct.tail");
const HOLD: SectionId = section("correct.hold");
const NO: SectionId = section("no.word");

/// A message in the frame of a correction.
pub struct Correction {
    /// The words inside the frame.
    pub value: Words,
    /// It says that something was said wrongly ("I meant …"), which no first answer does. Free text is corrected by
    /// such words alone: "actually" begins too many other sentences.
    pub said_wrong: bool,
    /// Its frame may as well ask to wait: "wait for Cardiff" corrects nothing, "wait, for Cardiff" and "wait Cardiff" do.
    may_wait: bool,
}

impl Correction {
    /// Reads the value of a question's type inside the frame. A mere acknowledgement is none: "wait please" asks for
    /// patience.
    #[must_use]
    pub fn read(&self, expected: &Expected, context: &Context<'_>) -> Option<Match> {
        let found = crate::read(expected, &self.value, context).ok()?;
        let at_once = found.span.start == 0 && found.remainder.is_none();
        (found.strength == Strength::Firm && (at_once || !self.may_wait)).then_some(found)
    }
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
        may_wait: from == led && holds(lexicon, &words[..led]),
    })
}

/// True if a frame ends in words that ask to wait, without a mark behind them.
fn holds(lexicon: &'static Lexicon, frame: &[Word]) -> bool {
    let hold = lexicon.section(HOLD);
    frame.last().is_some_and(|word| word.after == Gap::Space)
        && (0..frame.len()).any(|at| hold.is(&frame[at..]))
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
    fn a_wish_to_wait_corrects_nothing() {
        let choice: Expected = "selection:Cardiff|Wells".parse().unwrap();
        let agrees = Expected::Boolean;
        for (text, expected, value) in [
            ("wait, Cardiff", &choice, Some("Cardiff")),
            ("no wait Cardiff", &choice, Some("Cardiff")),
            ("nein warte, Wells", &choice, Some("Wells")),
            ("no wait, make it Wells", &choice, Some("Wells")),
            ("wait for Cardiff", &choice, None),
            ("wait with Cardiff until noon", &choice, None),
            ("hold on to Cardiff", &choice, None),
            ("warte noch mit Cardiff", &choice, None),
            ("moment noch mit Wells", &choice, None),
            ("halt Cardiff noch zurück", &choice, None),
            ("wait, yes", &agrees, Some("yes")),
            ("no wait, nope", &agrees, Some("no")),
            ("nein warte, ja", &agrees, Some("yes")),
            ("wait bitte", &agrees, None),
            ("wait, bitte", &agrees, None),
            ("warte please", &agrees, None),
            ("moment, please", &agrees, None),
            ("hold on, ok", &agrees, None),
        ] {
            let frame = correction(&Words::of(text));
            let found = frame.and_then(|frame| frame.read(expected, &Context::default()));
            assert_eq!(
                found.map(|found| alloc::string::String::from(found.value.text())).as_deref(),
                value,
                "{text}"
            );
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
