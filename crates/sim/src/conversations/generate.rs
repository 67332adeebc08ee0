//! Generated conversations: what hosts show, and what two people write and press.

use super::draw::Draw;
use super::texts::{GATE_BUTTONS, LABELS, Meaning, PLAIN_LABELS};

/// One of the two people of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// Ana.
    Ana,
    /// Bob.
    Bob,
}

impl Who {
    /// Returns the user id.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ana => "ana",
            Self::Bob => "bob",
        }
    }

    /// Returns the person with this user id.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::Ana, Self::Bob].into_iter().find(|who| who.name() == name)
    }
}

/// Place of a list: together with the number of its options it is the list's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// The chat, for everybody.
    Chat,
    /// The chat, for everybody, with ids of its own.
    Other,
    /// The chat, for one person.
    Own(Who),
    /// A panel beside the chat, for everybody.
    Panel,
}

/// List that a host shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Show {
    /// Place of the list.
    pub slot: Slot,
    /// Labels of the options, as places in [`LABELS`].
    pub labels: Vec<usize>,
    /// Version of what the options run. Two versions of one list differ in every option.
    pub version: usize,
    /// True if the options are displayed in reverse.
    pub reversed: bool,
    /// True if a message of the host shows the list, so that one can reply to it.
    pub posted: bool,
}

/// Kind of answer that a host's question expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expects {
    /// Yes or no.
    YesOrNo,
    /// One of these labels.
    OneOf(Vec<usize>),
    /// Any text.
    Words,
}

/// Message that a text replies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reply {
    /// None.
    Nothing,
    /// The message of a host that shows a list, counted back from the newest.
    Showing(usize),
    /// The engine's newest question about a list.
    Clarifier,
    /// The newest gate.
    Gate,
    /// The host's newest question.
    Question,
    /// The newest message of the host that asks nothing.
    Answer,
    /// The newest message of the other person.
    Person,
    /// A message that nobody knows.
    Unknown,
}

/// Text of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Say {
    /// The person.
    pub who: Who,
    /// Meaning.
    pub meaning: Meaning,
    /// Text.
    pub text: String,
    /// Message it replies to.
    pub reply: Reply,
    /// Number of acts after which a model answers, if it is asked about the text.
    pub held: usize,
    /// Option that the model picks, if it is asked; `None` picks what a misspelt name denotes.
    pub pick: Option<usize>,
}

/// One act of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// A host shows a list.
    Show(Show),
    /// A host closes all lists of a place.
    Close(Slot),
    /// A host's agent asks something, of one person or of everybody.
    Ask(Expects, Option<Who>),
    /// A host's agent says something that asks nothing.
    Post,
    /// A person writes.
    Say(Say),
    /// A person edits their newest message.
    Edit(Who, Meaning, String),
    /// A person deletes their newest message.
    Delete(Who),
    /// A person presses an option of the newest list of a place.
    Press(Who, Slot, usize),
}

/// A generated conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// Seed it was made from.
    pub seed: u64,
    /// True if the host reports an option as run at once, and not only before the next act.
    pub prompt_host: bool,
    /// The events, in order.
    pub acts: Vec<Act>,
}

/// Makes the conversation of a seed: 3 to 12 acts.
#[must_use]
pub fn generate(seed: u64) -> Conversation {
    let mut draw = Draw::of_seed(seed);
    let prompt_host = draw.chance(80);
    let length = 3 + draw.below(10);
    let mut maker = Maker { draw, lists: Vec::new(), named: Vec::new() };
    let acts = (0..length).map(|n| maker.act(n)).collect();
    Conversation { seed, prompt_host, acts }
}

/// Random choices, with the lists shown so far: texts mostly mean what was shown.
struct Maker {
    draw: Draw,
    lists: Vec<Show>,
    named: Vec<usize>,
}

#[derive(Clone, Copy)]
enum Kind {
    Show,
    Close,
    Ask,
    Post,
    Say,
    Edit,
    Delete,
    Press,
}

impl Maker {
    fn act(&mut self, n: usize) -> Act {
        let show = if n == 0 { 60 } else { 16 };
        let kinds = [
            (show, Kind::Show),
            (2, Kind::Close),
            (7, Kind::Ask),
            (3, Kind::Post),
            (60, Kind::Say),
            (3, Kind::Edit),
            (1, Kind::Delete),
            (5, Kind::Press),
        ];
        match self.draw.weighted(&kinds) {
            Kind::Show => Act::Show(self.show()),
            Kind::Close => Act::Close(self.slot()),
            Kind::Ask => Act::Ask(self.expects(), self.asked_of()),
            Kind::Post => Act::Post,
            Kind::Say => Act::Say(self.say()),
            Kind::Edit => {
                let meaning = self.meaning();
                Act::Edit(self.who(), meaning, meaning.write(&mut self.draw))
            }
            Kind::Delete => Act::Delete(self.who()),
            Kind::Press => Act::Press(self.who(), self.slot(), self.draw.below(3)),
        }
    }

    fn who(&mut self) -> Who {
        if self.draw.chance(75) { Who::Ana } else { Who::Bob }
    }

    fn slot(&mut self) -> Slot {
        let who = self.who();
        self.draw.weighted(&[(5, Slot::Chat), (2, Slot::Other), (2, Slot::Own(who)), (2, Slot::Panel)])
    }

    fn asked_of(&mut self) -> Option<Who> {
        let who = self.who();
        self.draw.chance(60).then_some(who)
    }

    /// A new list, or an earlier one with other labels, with something else to run, or in another order.
    fn show(&mut self) -> Show {
        let again = !self.lists.is_empty() && self.draw.chance(45);
        let earlier = match (again, self.draw.chance(70)) {
            (true, true) => self.lists.last().cloned(),
            (true, false) => Some(self.draw.of(&self.lists).clone()),
            (false, _) => None,
        };
        let show = match earlier {
            Some(mut show) => {
                match self.draw.below(4) {
                    0 => show.version += 1,
                    1 => show.labels = self.labels(show.labels.len()),
                    2 => show.reversed = !show.reversed,
                    _ => {}
                }
                show.posted = self.draw.chance(60);
                show
            }
            None => {
                let length = 2 + self.draw.below(3);
                Show {
                    slot: self.slot(),
                    labels: self.labels(length),
                    version: self.draw.below(2),
                    reversed: self.draw.chance(15),
                    posted: self.draw.chance(60),
                }
            }
        };
        self.named.clone_from(&show.labels);
        self.lists.push(show.clone());
        show
    }

    fn labels(&mut self, length: usize) -> Vec<usize> {
        let mut labels: Vec<usize> = Vec::new();
        while labels.len() < length {
            let among = if self.draw.chance(92) { PLAIN_LABELS } else { LABELS.len() };
            let label = self.draw.below(among);
            // Two options of one name are rare.
            if !labels.contains(&label) || self.draw.chance(3) {
                labels.push(label);
            }
        }
        labels
    }

    fn expects(&mut self) -> Expects {
        match self.draw.below(10) {
            0..4 => return Expects::YesOrNo,
            4 | 5 => return Expects::Words,
            _ => {}
        }
        let length = 2 + self.draw.below(2);
        let mut labels = self.labels(length);
        labels.sort_unstable();
        labels.dedup();
        if labels.len() < 2 { Expects::YesOrNo } else { Expects::OneOf(labels) }
    }

    fn say(&mut self) -> Say {
        let (who, meaning) = (self.who(), self.meaning());
        let text = meaning.write(&mut self.draw);
        let reply = if self.draw.chance(68) { Reply::Nothing } else { self.reply() };
        let held = if self.draw.chance(55) { 0 } else { 1 + self.draw.below(3) };
        let pick = (!self.draw.chance(50)).then(|| self.draw.below(4));
        Say { who, meaning, text, reply, held, pick }
    }

    fn reply(&mut self) -> Reply {
        self.draw.weighted(&[
            (6, Reply::Showing(0)),
            (4, Reply::Showing(1)),
            (2, Reply::Showing(2)),
            (3, Reply::Clarifier),
            (2, Reply::Gate),
            (3, Reply::Question),
            (2, Reply::Answer),
            (2, Reply::Person),
            (3, Reply::Unknown),
        ])
    }

    /// A label, mostly one of the newest list.
    fn label(&mut self) -> usize {
        let shown = !self.named.is_empty() && self.draw.chance(85);
        if shown { *self.draw.of(&self.named) } else { self.draw.below(PLAIN_LABELS) }
    }

    fn meaning(&mut self) -> Meaning {
        let (label, place) = (self.label(), self.draw.below(4));
        let plain = label % PLAIN_LABELS;
        let button = self.draw.below(GATE_BUTTONS.len() - 1);
        self.draw.weighted(&[
            (14, Meaning::Nth(place)),
            (3, Meaning::Last),
            (14, Meaning::Label(label)),
            (5, Meaning::Again),
            (5, Meaning::That),
            (6, Meaning::Yes),
            (3, Meaning::No),
            (6, Meaning::Negated(label)),
            (3, Meaning::Several),
            (5, Meaning::If(label)),
            (5, Meaning::Command(label)),
            (6, Meaning::Idiom),
            (3, Meaning::Quantity),
            (4, Meaning::Question(label)),
            (3, Meaning::Delegate(label)),
            (3, Meaning::DoNothing),
            (3, Meaning::Instead(label)),
            (9, Meaning::Misspelt(plain)),
            (7, Meaning::Smalltalk),
            (4, Meaning::Gate(button)),
        ])
    }
}
