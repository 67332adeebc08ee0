//! Texts made from a meaning. The oracle is given the meaning, so it never reads a text.

use super::draw::Draw;

/// Names that options have. Some of them look like positions, commands or buttons on purpose.
pub(super) const LABELS: [&str; 16] = [
    "Berlin",
    "Lisbon",
    "Cairo",
    "Montreal",
    "Helsinki",
    "sample1",
    "sample2",
    "Budget Report",
    "Sales Report",
    "Roadmap",
    "Invoices",
    "Delete Berlin",
    "Review",
    "Not now",
    "Do nothing",
    "Wait",
];

/// Number of the labels that are plain names.
pub(super) const PLAIN_LABELS: usize = 11;

/// Words of the buttons of the gate, in the order shown.
pub(super) const GATE_BUTTONS: [&str; 4] = ["Review", "Create ticket", "Not now", "Remember for this thread"];

/// Meaning of a text, as whoever wrote it would put it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    /// A place in a list, from 0.
    Nth(usize),
    /// The last place in a list.
    Last,
    /// The option, or the answer, with this label of [`LABELS`].
    Label(usize),
    /// The thing that was done last, once more.
    Again,
    /// The thing that was done or suggested last.
    That,
    /// Yes.
    Yes,
    /// No.
    No,
    /// Anything but the option with this label.
    Negated(usize),
    /// More than one option.
    Several,
    /// The option with this label, under a condition or with a hesitation.
    If(usize),
    /// Something that a list cannot do, about the option with this label.
    Command(usize),
    /// An idiom with a word for a number in it.
    Idiom,
    /// A number of things.
    Quantity,
    /// A question, about the option with this label.
    Question(usize),
    /// A task for somebody else.
    Delegate(usize),
    /// The wish that nothing is done.
    DoNothing,
    /// The option with this label, misspelt.
    Misspelt(usize),
    /// Something else.
    Smalltalk,
    /// A button of the gate, by its place in [`GATE_BUTTONS`].
    Gate(usize),
    /// The option or the answer with this label, instead of what was said or done before.
    Instead(usize),
}

impl Meaning {
    /// Returns the name of the kind of meaning.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nth(_) => "nth",
            Self::Last => "last",
            Self::Label(_) => "label",
            Self::Again => "again",
            Self::That => "that",
            Self::Yes => "yes",
            Self::No => "no",
            Self::Negated(_) => "negated",
            Self::Several => "several",
            Self::If(_) => "if",
            Self::Command(_) => "command",
            Self::Idiom => "idiom",
            Self::Quantity => "quantity",
            Self::Question(_) => "question",
            Self::Delegate(_) => "delegate",
            Self::DoNothing => "do nothing",
            Self::Misspelt(_) => "misspelt",
            Self::Smalltalk => "smalltalk",
            Self::Gate(_) => "gate's word",
            Self::Instead(_) => "instead",
        }
    }

    /// Writes a text with this meaning. `{l}` in a template is the label.
    pub(super) fn write(self, draw: &mut Draw) -> String {
        let (templates, label): (&[&str], usize) = match self {
            Self::Nth(place) => return nth(place, draw),
            Self::Last => (&LAST, 0),
            Self::Label(label) => (&NAMES, label),
            Self::Again => (&AGAIN, 0),
            Self::That => (&THAT, 0),
            Self::Yes => (&YES, 0),
            Self::No => (&NO, 0),
            Self::Negated(label) => (&NEGATED, label),
            Self::Several => (&SEVERAL, 0),
            Self::If(label) => (&IF, label),
            Self::Command(label) => (&COMMAND, label),
            Self::Idiom => (&IDIOM, 0),
            Self::Quantity => (&QUANTITY, 0),
            Self::Question(label) => (&QUESTION, label),
            Self::Delegate(label) => (&DELEGATE, label),
            Self::DoNothing => (&DO_NOTHING, 0),
            Self::Instead(label) => (&INSTEAD, label),
            Self::Misspelt(label) => return misspelt(label, draw),
            Self::Smalltalk => (&SMALLTALK, 0),
            Self::Gate(button) => {
                return polite(&GATE_BUTTONS[button % GATE_BUTTONS.len()].to_lowercase(), draw);
            }
        };
        let label = LABELS[label % LABELS.len()];
        // People rarely care for capital letters.
        let label = if draw.chance(60) { label.to_lowercase() } else { label.to_owned() };
        draw.of(templates).replace("{l}", &label)
    }
}

const NAMES: [&str; 11] = [
    "{l}",
    "{l} please",
    "open {l}",
    "open the {l} please",
    "please open {l}",
    "show me {l}",
    "I'd like to see {l}",
    "{l} bitte",
    "öffne {l}",
    "kannst du {l} öffnen",
    "zeig mir {l}",
];
const LAST: [&str; 5] = ["last", "the last one", "open the last one", "das letzte", "öffne das letzte"];
const AGAIN: [&str; 6] =
    ["open it again", "again", "open that again", "do it again", "nochmal", "mach das nochmal"];
const THAT: [&str; 6] = ["open that", "that one", "open it", "that", "öffne das", "das da"];
const YES: [&str; 7] = ["yes", "yes please", "yep", "sure", "ja", "ja bitte", "ja gerne"];
const NO: [&str; 5] = ["no", "nope", "nein", "no thanks", "nein danke"];
const NEGATED: [&str; 13] = [
    "don't open {l}",
    "never open {l}",
    "no {l}",
    "anything but {l}",
    "not {l}",
    "do not open {l}",
    "please don't open {l}",
    "I don't want {l}",
    "öffne {l} nicht",
    "öffne nicht {l}",
    "alles außer {l}",
    "bloß nicht {l}",
    "kein {l}",
];
const SEVERAL: [&str; 10] = [
    "both",
    "all of them",
    "1 and 2",
    "the first two",
    "the first and the last",
    "beide",
    "alle davon",
    "open all of them",
    "die ersten zwei",
    "1 und 2",
];
const IF: [&str; 12] = [
    "if it rains, open {l}",
    "If it rains. Open {l}",
    "open {l} unless Bob objects",
    "open {l}. wait",
    "open {l} when bob is back",
    "should I open {l}, or wait",
    "open {l} tomorrow, not now",
    "only open {l} if Bob agrees",
    "wenn es regnet, öffne {l}",
    "öffne {l}, falls Bob zustimmt",
    "öffne {l} erst morgen",
    "warte noch mit {l}",
];
const COMMAND: [&str; 10] = [
    "delete {l}",
    "please go ahead and delete {l}",
    "rename {l}",
    "close {l}",
    "remove {l} please",
    "could you delete {l}",
    "lösche {l}",
    "{l} löschen bitte",
    "bitte {l} umbenennen",
    "kannst du {l} entfernen",
];
const IDIOM: [&str; 17] = [
    "just a second",
    "I'd like a second one",
    "-1",
    "Top!",
    "in a second",
    "one second",
    "on second thought",
    "first of all, thanks",
    "give me a second",
    "one moment please",
    "at first",
    "I second that",
    "eine Sekunde",
    "second to none",
    "erstens bin ich müde",
    "zum ersten Mal",
    "noch ein zweites",
];
const QUANTITY: [&str; 7] = [
    "I want two",
    "I need three of them",
    "two copies",
    "give me two",
    "ich möchte zwei",
    "ich brauche drei davon",
    "zwei Stück",
];
const QUESTION: [&str; 11] = [
    "is {l} open?",
    "what is {l}?",
    "what is {l}",
    "did you open {l}?",
    "how old is {l}?",
    "why {l}?",
    "who opened {l}?",
    "ist {l} offen?",
    "was ist {l}",
    "hast du {l} geöffnet?",
    "wie alt ist {l}?",
];
const DELEGATE: [&str; 5] = [
    "delegate that to writer",
    "hand {l} to writer",
    "delegate {l} to the writer",
    "delegate this to writer",
    "delegiere {l} an writer",
];
const DO_NOTHING: [&str; 8] = [
    "do nothing",
    "please do nothing",
    "nothing",
    "don't do anything",
    "leave it",
    "nichts tun",
    "mach nichts",
    "lass es",
];
const INSTEAD: [&str; 7] = [
    "no, {l}",
    "actually {l}",
    "I meant {l}",
    "{l} instead",
    "no, I meant {l}",
    "nein, ich meinte {l}",
    "lieber {l}",
];
const SMALLTALK: [&str; 10] = [
    "hello there",
    "what a lovely day",
    "I was thinking about lunch",
    "the weather is nice",
    "What about event sourcing?",
    "let me tell you about my holiday",
    "microservices are fun",
    "guten Morgen zusammen",
    "das Wetter ist schön",
    "ich denke an die Mittagspause",
];
const PLACES: [(&str, &str); 4] =
    [("first", "erste"), ("second", "zweite"), ("third", "dritte"), ("fourth", "vierte")];

fn nth(place: usize, draw: &mut Draw) -> String {
    let (word, german) = PLACES[place % PLACES.len()];
    let number = place % PLACES.len() + 1;
    match draw.below(11) {
        0 => format!("{number}"),
        1 => format!("#{number}"),
        2 => format!("option {number}"),
        3 => format!("the {word} one"),
        4 => format!("open the {word}"),
        5 => format!("the {word} one please"),
        6 => format!("number {number}"),
        7 => format!("die {german}"),
        8 => format!("öffne die {german} bitte"),
        9 => format!("Nummer {number}"),
        _ => format!("open the {word} one"),
    }
}

/// Swaps two letters, or drops one, inside of the first word.
fn misspelt(label: usize, draw: &mut Draw) -> String {
    let label = LABELS[label % LABELS.len()].to_lowercase();
    let mut letters: Vec<char> = label.chars().collect();
    let word = letters.iter().take_while(|letter| letter.is_alphabetic()).count();
    let at = 1 + draw.below(word.saturating_sub(2).max(1));
    if draw.chance(50) && letters[at] != letters[at + 1] && letters[at + 1].is_alphabetic() {
        letters.swap(at, at + 1);
    } else {
        letters.remove(at);
    }
    let label: String = letters.into_iter().collect();
    if draw.chance(50) { format!("open {label}") } else { label }
}

fn polite(text: &str, draw: &mut Draw) -> String {
    if draw.chance(20) { format!("{text} please") } else { text.to_owned() }
}
