//! Hard interrupts: the *whole* message stops, cancels or starts over.

use super::lexicon::{ANSWERS, Cover, Lexicon, SectionId};
use super::section;
use super::words::{Word, Words};

/// A wish to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// End what is running: "stop", "quit", "be quiet".
    Stop,
    /// Drop what was asked for: "cancel", "never mind", "forget it".
    Cancel,
    /// Begin again: "start over", "restart".
    StartOver,
}

impl Interrupt {
    const ALL: [Self; 3] = [Self::Stop, Self::Cancel, Self::StartOver];

    /// Its stable name in a trace: `interrupt.cancel`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Stop => "interrupt.stop",
            Self::Cancel => "interrupt.cancel",
            Self::StartOver => "interrupt.start_over",
        }
    }

    /// The interrupt of that name.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// The public name: `cancel`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Cancel => "cancel",
            Self::StartOver => "start_over",
        }
    }
}

/// The interrupt this message is, when it is nothing else.
///
/// Of two interrupts ("stop, start over") the last one counts.
#[must_use]
pub fn interrupt(message: &Words) -> Option<Interrupt> {
    message.languages().lexicons(&ANSWERS).find_map(|lexicon| read(lexicon, message.all()))
}

const KINDS: [(SectionId, Option<Interrupt>); 4] = [
    (section("start_over"), Some(Interrupt::StartOver)),
    (section("cancel"), Some(Interrupt::Cancel)),
    (section("stop"), Some(Interrupt::Stop)),
    (section("around"), None),
];

fn read(lexicon: &'static Lexicon, words: &[Word]) -> Option<Interrupt> {
    let cover = Cover::of(&KINDS.map(|(id, _)| lexicon.section(id)), None, words);
    cover.pieces(words.len()).find_map(|piece| KINDS[piece.section].1)
}

#[cfg(test)]
mod tests {
    use super::{Interrupt::*, Words, interrupt};

    #[test]
    fn the_whole_message_counts() {
        for (text, expected) in [
            ("stop", Some(Stop)),
            ("STOP!!", Some(Stop)),
            ("please stop", Some(Stop)),
            ("quit", Some(Stop)),
            ("no, stop", Some(Stop)),
            ("cancel", Some(Cancel)),
            ("Cancel that, please.", Some(Cancel)),
            ("never mind", Some(Cancel)),
            ("nevermind", Some(Cancel)),
            ("oh, forget it", Some(Cancel)),
            ("abort", Some(Cancel)),
            ("please abort the current task", Some(Cancel)),
            ("start over", Some(StartOver)),
            ("stop, let's start over", Some(StartOver)),
            ("stop the bus at the corner", None),
            ("cancel my reservation at the Ritz", None),
            ("where is the bus stop?", None),
            ("don't stop", None),
            ("how do I cancel?", None),
            ("forget me not", None),
            ("stoppage", None),
            ("no", None),
            ("", None),
        ] {
            assert_eq!(interrupt(&Words::of(text)), expected, "{text}");
        }
    }

    #[test]
    fn german() {
        for (text, expected) in [
            ("Stopp!", Some(Stop)),
            ("halt", Some(Stop)),
            ("hör auf damit", Some(Stop)),
            ("Abbrechen bitte", Some(Cancel)),
            ("vergiss es", Some(Cancel)),
            ("Lass gut sein", Some(Cancel)),
            ("ach, lass es", Some(Cancel)),
            ("von vorne", Some(StartOver)),
            ("Nochmal von vorn, bitte", Some(StartOver)),
            ("fang neu an", Some(StartOver)),
            ("Halt mal den Termin frei", None),
            ("Vergiss nicht die Milch", None),
            ("Wo ist die Haltestelle?", None),
            ("Storniere mein Zimmer im Ritz", None),
            ("nein", None),
        ] {
            assert_eq!(interrupt(&Words::of(text)), expected, "{text}");
        }
    }

    #[test]
    fn an_assistant_may_be_named() {
        for text in ["Alexa, stop", "computer, cancel that", "Hey Siri, please stop"] {
            assert!(interrupt(&Words::of(text)).is_some(), "{text}");
        }
        for text in ["how can you cancel?", "when will you stop", "bus stop", "don't do that"] {
            assert!(interrupt(&Words::of(text)).is_none(), "{text}");
        }
    }
}
