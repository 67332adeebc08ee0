//! Messages that say something about a question in place of answering it: that somebody will not or cannot answer, or
//! something about the conversation itself.

use super::lexicon::{ANSWERS, Cover, Lexicon, SectionId};
use super::section;
use super::words::{Word, Words};

/// A remark on a question that leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Will not answer, or not now: "not now", "skip it", "no".
    Refusal,
    /// Does not know the answer: "no idea".
    Unknown,
    /// Speaks of the conversation: "that's not what I meant", "why do you ask?".
    Remark,
}

impl Beside {
    /// Its stable name in a trace: `beside.refusal`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Refusal => "beside.refusal",
            Self::Unknown => "beside.unknown",
            Self::Remark => "beside.remark",
        }
    }
}

/// The kinds in the order in which they win; the last sections may be beside any of them.
const KINDS: [(SectionId, Option<Beside>); 8] = [
    (section("beside.remark"), Some(Beside::Remark)),
    (section("beside.unknown"), Some(Beside::Unknown)),
    (section("beside.refuse"), Some(Beside::Refusal)),
    (section("no.word"), Some(Beside::Refusal)),
    (section("beside.around"), None),
    (section("please"), None),
    (section("thanks"), None),
    (section("filler"), None),
];

/// The remark that the whole message is, when it is nothing else.
///
/// ```
/// use throughline_language::{Beside, Words, beside};
/// assert_eq!(beside(&Words::of("sorry, no idea")), Some(Beside::Unknown));
/// assert_eq!(beside(&Words::of("no error is shown")), None);
/// ```
#[must_use]
pub fn beside(message: &Words) -> Option<Beside> {
    message.languages().lexicons(&ANSWERS).find_map(|lexicon| read(lexicon, message.all()))
}

/// The words of a message that only shows its files; the last sections say nothing of a file.
const OF_FILES: [SectionId; 6] = [
    section("beside.file"),
    section("beside.file_around"),
    section("beside.around"),
    section("please"),
    section("thanks"),
    section("filler"),
];

/// Returns true if a message that came with files says nothing but that they are there.
///
/// ```
/// use throughline_language::{Words, only_shows_files};
/// assert!(only_shows_files(&Words::of("here is another screenshot of it")));
/// assert!(!only_shows_files(&Words::of("the screenshot is empty")));
/// ```
#[must_use]
pub fn only_shows_files(message: &Words) -> bool {
    message.languages().lexicons(&ANSWERS).any(|lexicon| {
        let words = message.all();
        let cover = Cover::of(&OF_FILES.map(|id| lexicon.section(id)), None, words);
        !words.is_empty() && cover.reaches(words.len()) && cover.sections(words.len()) & 1 != 0
    })
}

fn read(lexicon: &'static Lexicon, words: &[Word]) -> Option<Beside> {
    if words.iter().any(|word| word.quoted) {
        return None;
    }
    let cover = Cover::of(&KINDS.map(|(id, _)| lexicon.section(id)), None, words);
    if words.is_empty() || !cover.reaches(words.len()) {
        return None;
    }
    let found = cover.sections(words.len());
    let kinds = KINDS.iter().enumerate().filter(|(at, _)| found & 1 << at != 0);
    kinds.filter_map(|(_, (_, kind))| *kind).next()
}

#[cfg(test)]
mod tests {
    use super::{Beside::*, *};

    #[test]
    fn the_whole_message_counts() {
        for (text, expected) in [
            ("no", Some(Refusal)),
            ("nope, not now", Some(Refusal)),
            ("Not today, thanks", Some(Refusal)),
            ("skip it", Some(Refusal)),
            ("I'd rather not say", Some(Refusal)),
            ("no idea", Some(Unknown)),
            ("Sorry, I don't know yet", Some(Unknown)),
            ("idk", Some(Unknown)),
            ("that's not what I meant", Some(Remark)),
            ("Why do you ask?", Some(Remark)),
            ("I already told you", Some(Remark)),
            ("what?", Some(Remark)),
            ("no error is shown", None),
            ("skip the login page, then save", None),
            ("I don't know the password, so I press reset", None),
            ("wait for the spinner", None),
            ("nothing happens", None),
            ("it does not", None),
            ("The page says \"not now\"", None),
            ("", None),
        ] {
            assert_eq!(beside(&Words::of(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_message_that_only_shows_its_files() {
        for text in [
            "here is a picture",
            "Here's another screenshot of it.",
            "screenshot attached",
            "attached",
            "and the log file",
            "this one too",
            "Sorry, here are the pictures",
            "this is how it looks",
            "please add this picture to the ticket",
            "adding a screen recording",
            "hier noch ein Bild dazu",
            "Anbei ein Screenshot",
            "und noch das Log",
            "so sieht es aus",
            "Häng das bitte an das Ticket an",
            "Ich habe ein Bild angehängt",
        ] {
            assert!(only_shows_files(&Words::of(text)), "{text}");
        }
        for text in [
            "",
            "please",
            "and",
            "the picture is empty",
            "press the picture",
            "here the button does nothing",
            "open the file, then save it",
            "see the log for the error",
            "the log ends",
            "attach the file and press send",
            "Öffne das Bild",
            "Das Bild fehlt",
            "Hier passiert nichts",
        ] {
            assert!(!only_shows_files(&Words::of(text)), "{text}");
        }
    }

    #[test]
    fn german() {
        for (text, expected) in [
            ("nein", Some(Refusal)),
            ("Jetzt nicht, danke", Some(Refusal)),
            ("Keine Ahnung", Some(Unknown)),
            ("Das weiß ich leider nicht", Some(Unknown)),
            ("Das habe ich schon gesagt", Some(Remark)),
            ("Warum fragst du?", Some(Remark)),
            ("Nein, es erscheint kein Fehler", None),
            ("Warte auf den Spinner", None),
        ] {
            assert_eq!(beside(&Words::of(text)), expected, "{text}");
        }
    }
}
