//! Everything a careful reader of a conversation would let each text do.
//!
//! The oracle is written without the engine: it knows what was shown to whom, what was done, and the *meaning* of a text,
//! from which the text was made. It is strict about the wrong thing. If a careful reader could reasonably go either way
//! it allows both; these leniencies are marked by "Lenient:".

use std::collections::{BTreeMap, BTreeSet};

use super::generate::{Expects, Show, Slot, Who};
use super::texts::{GATE_BUTTONS, LABELS, Meaning};

/// Identity of a list: its place and the number of its options.
pub(super) type ListId = (Slot, usize);

/// One option, as it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) list: ListId,
    pub(super) option: String,
    /// Place in [`LABELS`].
    pub(super) label: usize,
    pub(super) exec_ref: String,
}

/// Something that words may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// An option is run.
    Run { option: String, exec_ref: String },
    /// A button of the open gate, by its place.
    Gate(usize),
    /// An answer to a question. The value `*` stands for any.
    Answer { question: String, value: String },
}

impl Deed {
    fn run(choice: &Choice) -> Self {
        Self::Run { option: choice.option.clone(), exec_ref: choice.exec_ref.clone() }
    }
}

/// Something that people see in the conversation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Thing {
    /// Message that shows it.
    pub(super) message: Option<String>,
    /// Only person who sees it.
    pub(super) to: Option<Who>,
    pub(super) kind: ThingKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ThingKind {
    /// A list, in the order displayed. `suggests`: the option that a question of the engine suggests.
    List { list: ListId, choices: Vec<Choice>, suggests: Option<Choice>, asked: bool },
    /// The question what to do with somebody's message.
    Gate { of: Who, open: bool },
    /// A question for an answer in words.
    Question { id: String, expects: Expects, of: Option<Who>, open: bool, hosts: bool },
    /// A message of the host that asks nothing.
    Said,
    /// A message of a person.
    Message(Who),
}

/// Message that a text replies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// It replies to none.
    Nothing,
    /// One that was seen here.
    Thing(usize),
    /// Another one.
    Unknown,
}

#[derive(Default)]
pub(super) struct Oracle {
    things: Vec<Thing>,
    /// Lists that were not closed, with what their options are now.
    current: BTreeMap<ListId, Vec<Choice>>,
    /// Last option that was run for each person.
    done: BTreeMap<Who, Choice>,
    /// Number of things seen when a person last ran an option, and its list.
    acted: BTreeMap<Who, (usize, ListId)>,
    rejected: BTreeSet<(Who, String)>,
}

impl Oracle {
    // ---- what happens ----

    pub(super) fn shown(&mut self, show: &Show, message: Option<String>) {
        let list = (show.slot, show.labels.len());
        let mut choices: Vec<Choice> = (0..show.labels.len()).map(|at| choice(show, at)).collect();
        self.current.insert(list, choices.clone());
        if show.reversed {
            choices.reverse();
        }
        let to = if let Slot::Own(who) = show.slot { Some(who) } else { None };
        self.things.push(Thing {
            message,
            to,
            kind: ThingKind::List { list, choices, suggests: None, asked: false },
        });
    }

    pub(super) fn closed(&mut self, list: ListId) {
        self.current.remove(&list);
    }

    pub(super) fn saw(&mut self, message: Option<String>, to: Option<Who>, kind: ThingKind) {
        if let ThingKind::Question { .. } = kind {
            // A lane has one question at a time; the older one is put aside.
            self.close_questions(None);
        }
        self.things.push(Thing { message, to, kind });
    }

    /// The engine asks a person which option of a list they mean.
    pub(super) fn asked(
        &mut self,
        message: String,
        to: Who,
        list: ListId,
        options: &[String],
        suggests: Option<&str>,
    ) {
        let known = self.current.get(&list).cloned().unwrap_or_default();
        let find = |id: &str| known.iter().find(|choice| choice.option == id).cloned();
        let choices = options.iter().filter_map(|id| find(id)).collect();
        let kind = ThingKind::List { list, choices, suggests: suggests.and_then(find), asked: true };
        self.things.push(Thing { message: Some(message), to: Some(to), kind });
    }

    pub(super) fn gate_closed(&mut self, message: &str) {
        for thing in self.things.iter_mut().filter(|thing| thing.message.as_deref() == Some(message)) {
            if let ThingKind::Gate { open, .. } = &mut thing.kind {
                *open = false;
            }
        }
    }

    pub(super) fn answered(&mut self, question: &str) {
        self.close_questions(Some(question));
    }

    fn close_questions(&mut self, only: Option<&str>) {
        for thing in &mut self.things {
            if let ThingKind::Question { id, open, .. } = &mut thing.kind {
                *open &= only.is_some_and(|only| only != id);
            }
        }
    }

    /// An option was run for a person, by words or by a press.
    pub(super) fn ran(&mut self, who: Who, option: &str, exec_ref: &str) {
        let now = self.current.values().flatten();
        let found =
            now.into_iter().find(|choice| choice.option == option && choice.exec_ref == exec_ref).cloned();
        if let Some(choice) = found {
            self.acted.insert(who, (self.things.len(), choice.list));
            self.done.insert(who, choice);
        }
    }

    /// Remembers what a person does not want.
    pub(super) fn noted(&mut self, who: Who, meaning: Meaning) {
        let unwanted = match meaning {
            Meaning::Negated(label) => self.newest_choice(who, label),
            Meaning::No => self.suggestion(who).cloned(),
            _ => None,
        };
        if let Some(choice) = unwanted {
            self.rejected.insert((who, choice.exec_ref));
        }
    }

    // ---- what is there ----

    pub(super) fn things(&self) -> &[Thing] {
        &self.things
    }

    pub(super) fn current(&self, list: ListId) -> Option<&[Choice]> {
        self.current.get(&list).map(Vec::as_slice)
    }

    /// True if the option still is what it was when it was shown.
    pub(super) fn is_live(&self, option: &str, exec_ref: &str) -> bool {
        self.current.values().flatten().any(|choice| choice.option == option && choice.exec_ref == exec_ref)
    }

    /// True if the option is what was last run for a person.
    pub(super) fn has_run(&self, who: Who, exec_ref: &str) -> bool {
        self.done.get(&who).is_some_and(|choice| choice.exec_ref == exec_ref)
    }

    fn live(&self, choice: &Choice) -> bool {
        self.current.get(&choice.list).is_some_and(|now| {
            now.iter().any(|now| now.option == choice.option && now.exec_ref == choice.exec_ref)
        })
    }

    /// Things that wait for a person, newest first. Of several showings of a list only the newest counts.
    pub(super) fn waiting(&self, who: Who) -> impl Iterator<Item = (usize, &Thing)> {
        let mut seen = BTreeSet::new();
        let waits = move |thing: &Thing| match &thing.kind {
            ThingKind::List { list, .. } => {
                thing.to.is_none_or(|to| to == who) && self.current.contains_key(list) && seen.insert(*list)
            }
            // Lenient: what somebody else is asked does not stand between a person and an older list.
            ThingKind::Gate { of, open } => *open && *of == who,
            ThingKind::Question { of, open, .. } => *open && of.is_none_or(|of| of == who),
            ThingKind::Said | ThingKind::Message(_) => false,
        };
        let mut waits = waits;
        self.things.iter().enumerate().rev().filter(move |(_, thing)| waits(thing))
    }

    fn newest_choice(&self, who: Who, label: usize) -> Option<Choice> {
        let lists = self.waiting(who).filter_map(|(_, thing)| choices(thing));
        let mut named = lists.filter_map(|choices| choices.iter().find(|choice| choice.label == label));
        named.next().cloned()
    }

    fn suggestion(&self, who: Who) -> Option<&Choice> {
        self.waiting(who).next().and_then(|(_, thing)| suggested(thing))
    }

    /// True if a list was shown to anybody after this thing.
    fn list_after(&self, at: usize) -> bool {
        self.things[at + 1..].iter().any(|thing| matches!(thing.kind, ThingKind::List { .. }))
    }

    // ---- what is allowed ----

    /// Returns everything that a text may do. A text does at most one of these things.
    pub(super) fn allowed(&self, who: Who, meaning: Meaning, text: &str, reply: Target) -> Vec<Deed> {
        let mut deeds = match reply {
            Target::Nothing => [self.unreplied(who, meaning), self.praise(who, text)].concat(),
            Target::Thing(at) => self.replied(who, meaning, at),
            // What is replied to is not known, so neither is what the text is about.
            Target::Unknown => return Vec::new(),
        };
        if let Some(label) = verbatim(text) {
            // A text that is a label is that label, whatever else it could mean.
            deeds.extend(match reply {
                Target::Thing(at) => self.replied(who, Meaning::Label(label), at),
                _ => self.unreplied(who, Meaning::Label(label)),
            });
        }
        deeds.dedup();
        deeds
    }

    fn unreplied(&self, who: Who, meaning: Meaning) -> Vec<Deed> {
        let mut deeds = match meaning {
            Meaning::Nth(_) | Meaning::Last => self.positions(who, meaning),
            Meaning::Label(label) => self.names(who, label),
            Meaning::Misspelt(label) => self.misspelt(who, label),
            Meaning::Again | Meaning::That => self.references(who, None),
            Meaning::Yes => self.yes(who),
            // Lenient: whoever refuses an option may answer no to a question of yes or no.
            // Lenient: whoever wants nothing done says no to what is offered.
            Meaning::No | Meaning::Negated(_) | Meaning::DoNothing => self.yes_or_no(who, false),
            Meaning::Gate(button) => self.button(who, button),
            _ => Vec::new(),
        };
        deeds.extend(self.free_answer(who, meaning));
        deeds
    }

    /// Lenient: praise is a yes to what is proposed.
    fn praise(&self, who: Who, text: &str) -> Vec<Deed> {
        if text.starts_with("Top") { self.yes(who) } else { Vec::new() }
    }

    /// A position counts in the newest thing that has positions: never in a gate or a question when a list was shown since,
    /// to whomever.
    fn positions(&self, who: Who, meaning: Meaning) -> Vec<Deed> {
        let mut deeds = Vec::new();
        for (at, thing) in self.waiting(who) {
            match &thing.kind {
                ThingKind::List { choices, .. } => {
                    deeds.extend(place(choices, meaning).filter(|choice| self.live(choice)).map(Deed::run));
                    deeds.extend(self.acted_in(who, at, meaning));
                    return deeds;
                }
                ThingKind::Gate { .. } if !self.list_after(at) => {
                    deeds.extend(gate_place(meaning));
                    return deeds;
                }
                ThingKind::Question { id, expects: Expects::OneOf(labels), .. } if !self.list_after(at) => {
                    let value = place(labels, meaning).map(|label| LABELS[*label].to_owned());
                    deeds.extend(value.map(|value| Deed::Answer { question: id.clone(), value }));
                    return deeds;
                }
                _ => {}
            }
        }
        deeds
    }

    /// Lenient: a person who acts in an older list may go on counting in it.
    fn acted_in(&self, who: Who, newest: usize, meaning: Meaning) -> Option<Deed> {
        let (since, list) = self.acted.get(&who).filter(|(since, _)| *since > newest)?;
        let of = |thing: &&Thing| matches!(&thing.kind, ThingKind::List { list: id, .. } if id == list);
        let mine = |thing: &&Thing| thing.to.is_none_or(|to| to == who);
        let showing = self.things[..*since].iter().rev().filter(mine).find(of)?;
        place(choices(showing)?, meaning).filter(|choice| self.live(choice)).map(Deed::run)
    }

    /// A name counts in the newest thing that has it. Lenient: this may be a list that another one replaced.
    fn names(&self, who: Who, label: usize) -> Vec<Deed> {
        // Lenient: a person who acts in an older list may go on naming its options.
        let acted = self.acted.get(&who).and_then(|(_, list)| self.current(*list)).unwrap_or_default();
        let here: Vec<&Choice> = acted.iter().filter(|choice| choice.label == label).collect();
        let mut deeds: Vec<Deed> =
            if let [one] = here.as_slice() { vec![Deed::run(one)] } else { Vec::new() };
        // Lenient: somebody else's words may have put a question aside, and a list before it is named.
        for (_, thing) in self.waiting(who) {
            let found = self.named_in(thing, label);
            let question = matches!(thing.kind, ThingKind::Question { .. });
            let ends = found.is_some() && !question;
            deeds.extend(found.unwrap_or_default());
            if ends {
                break;
            }
        }
        deeds
    }

    /// Returns what a name does in this thing; `None` if it names nothing there.
    fn named_in(&self, thing: &Thing, label: usize) -> Option<Vec<Deed>> {
        match &thing.kind {
            ThingKind::List { list, choices, asked, .. } => {
                // A question may leave out what was refused; a name brings it back.
                let choices =
                    if *asked { self.current(*list).unwrap_or_default() } else { choices.as_slice() };
                let named: Vec<&Choice> = choices.iter().filter(|choice| choice.label == label).collect();
                match named.as_slice() {
                    [] => None,
                    [one] if self.live(one) => Some(vec![Deed::run(one)]),
                    _ => Some(Vec::new()),
                }
            }
            ThingKind::Gate { .. } => {
                let button = GATE_BUTTONS.iter().position(|button| *button == LABELS[label])?;
                Some(vec![Deed::Gate(button)])
            }
            ThingKind::Question { id, expects: Expects::OneOf(labels), .. } => labels
                .contains(&label)
                .then(|| vec![Deed::Answer { question: id.clone(), value: LABELS[label].to_owned() }]),
            _ => None,
        }
    }

    /// A misspelt name is looked for in the newest list alone. Lenient: a newer question may take it too.
    fn misspelt(&self, who: Who, label: usize) -> Vec<Deed> {
        let mut deeds = Vec::new();
        for (_, thing) in self.waiting(who) {
            deeds.extend(self.named_in(thing, label).unwrap_or_default());
            if let ThingKind::List { .. } = thing.kind {
                break;
            }
        }
        deeds
    }

    /// "That" and "again" mean what was done last or is suggested to this person. Lenient: "that" is also the only option
    /// of the newest list which they did not refuse.
    fn references(&self, who: Who, of: Option<ListId>) -> Vec<Deed> {
        let newest = self.waiting(who).find_map(|(_, thing)| choices(thing)).unwrap_or_default();
        let kept = |choice: &&Choice| !self.rejected.contains(&(who, choice.exec_ref.clone()));
        let mut left = newest.iter().filter(kept);
        let only = left.next().filter(|_| left.next().is_none());
        let meant = self.done.get(&who).into_iter().chain(self.suggestion(who)).chain(only);
        let meant = meant.filter(|choice| of.is_none_or(|of| choice.list == of));
        meant.filter(|choice| self.live(choice)).map(Deed::run).collect()
    }

    /// The option that the newest question about a list suggests to a person.
    fn asked_of(&self, who: Who, of: ListId) -> Option<&Choice> {
        let asks = |thing: &&Thing| {
            thing.to.is_none_or(|to| to == who)
                && matches!(&thing.kind, ThingKind::List { list, asked: true, .. } if *list == of)
        };
        self.things.iter().rev().find(asks).and_then(suggested)
    }

    /// A yes goes to the newest question that can be answered by yes.
    fn yes(&self, who: Who) -> Vec<Deed> {
        for (_, thing) in self.waiting(who) {
            // Lenient: a list that its host shows again leaves open what was asked about it.
            let before = || match &thing.kind {
                ThingKind::List { list, .. } => self.asked_of(who, *list),
                _ => None,
            };
            if let Some(choice) = suggested(thing).or_else(before) {
                // Lenient: a list that puts its likeliest option first does not ask for a yes, so an older question may.
                let mut deeds = self.yes_or_no(who, true);
                deeds.extend(Some(choice).filter(|choice| self.live(choice)).map(Deed::run));
                return deeds;
            }
            if let ThingKind::Question { expects: Expects::YesOrNo, id, .. } = &thing.kind {
                return vec![Deed::Answer { question: id.clone(), value: "yes".into() }];
            }
        }
        Vec::new()
    }

    fn yes_or_no(&self, who: Who, yes: bool) -> Vec<Deed> {
        let value = if yes { "yes" } else { "no" };
        let asks = self.waiting(who).find_map(|(_, thing)| match &thing.kind {
            ThingKind::Question { expects: Expects::YesOrNo, id, .. } => Some(id.clone()),
            _ => None,
        });
        asks.map(|question| Deed::Answer { question, value: value.into() }).into_iter().collect()
    }

    /// The gate's own words choose from it. Lenient: also when a list is newer that has no such label.
    fn button(&self, who: Who, button: usize) -> Vec<Deed> {
        let label = LABELS.iter().position(|label| *label == GATE_BUTTONS[button]);
        let mut deeds = Vec::new();
        for (_, thing) in self.waiting(who) {
            if let Some(found) = label.and_then(|label| self.named_in(thing, label)) {
                deeds.extend(found);
                return deeds;
            }
            // Lenient: "not now" also says no to what was asked since.
            if let ThingKind::Question { expects: Expects::YesOrNo, id, .. } = &thing.kind
                && GATE_BUTTONS[button] == "Not now"
            {
                deeds.push(Deed::Answer { question: id.clone(), value: "no".into() });
            }
            if let ThingKind::Gate { .. } = thing.kind {
                deeds.push(Deed::Gate(button));
                return deeds;
            }
        }
        if GATE_BUTTONS[button] == "Not now" {
            // Lenient: it is also a no.
            deeds.extend(self.yes_or_no(who, false));
        }
        deeds
    }

    /// A question for free words takes any text while it is the newest thing that waits. Lenient: after that too, if the
    /// text picks nothing, or names nothing that is newer.
    fn free_answer(&self, who: Who, meaning: Meaning) -> Option<Deed> {
        let picks = matches!(
            meaning,
            Meaning::Nth(_)
                | Meaning::Last
                | Meaning::Label(_)
                | Meaning::Again
                | Meaning::That
                | Meaning::Yes
                | Meaning::Gate(_)
        );
        let mut offered = false;
        for (newer, (_, thing)) in self.waiting(who).enumerate() {
            if let ThingKind::Question { expects: Expects::Words, id, .. } = &thing.kind {
                let takes = newer == 0 || !picks || !offered;
                return takes.then(|| Deed::Answer { question: id.clone(), value: "*".into() });
            }
            offered |= match (meaning, &thing.kind) {
                (Meaning::Label(label), _) => self.named_in(thing, label).is_some(),
                (Meaning::Yes, ThingKind::List { suggests, .. }) => suggests.is_some(),
                (Meaning::Gate(_), ThingKind::List { .. }) => false,
                (Meaning::Again | Meaning::That, ThingKind::Gate { .. }) => false,
                _ => true,
            };
        }
        None
    }

    /// A reply means what it replies to, as it was shown there, and only as far as it still is that.
    fn replied(&self, who: Who, meaning: Meaning, at: usize) -> Vec<Deed> {
        let thing = &self.things[at];
        if thing.to.is_some_and(|to| to != who) && !matches!(thing.kind, ThingKind::Gate { .. }) {
            return Vec::new();
        }
        match &thing.kind {
            ThingKind::List { list, choices, suggests, .. } => match meaning {
                Meaning::Nth(_) | Meaning::Last => place(choices, meaning)
                    .filter(|choice| self.live(choice))
                    .map(Deed::run)
                    .into_iter()
                    .collect(),
                Meaning::Label(label) | Meaning::Misspelt(label) => self.names_replied(*list, choices, label),
                Meaning::Yes => suggests.iter().filter(|choice| self.live(choice)).map(Deed::run).collect(),
                Meaning::Again | Meaning::That => {
                    let mut deeds = self.references(who, Some(*list));
                    deeds.extend(suggests.iter().filter(|choice| self.live(choice)).map(Deed::run));
                    deeds
                }
                _ => Vec::new(),
            },
            // Lenient: whoever asks for a ticket about somebody else's message answers the gate about it.
            ThingKind::Gate { of, open } if *open && *of != who => match meaning {
                Meaning::Gate(button) => vec![Deed::Gate(button)],
                _ => Vec::new(),
            },
            ThingKind::Gate { of, open } if *open && *of == who => match meaning {
                Meaning::Nth(_) | Meaning::Last => gate_place(meaning).into_iter().collect(),
                Meaning::Gate(button) => vec![Deed::Gate(button)],
                Meaning::Label(label) => self.named_in(thing, label).unwrap_or_default(),
                _ => Vec::new(),
            },
            ThingKind::Question { id, expects, of, open, .. } if *open && of.is_none_or(|of| of == who) => {
                answers(id, expects, meaning)
            }
            _ => Vec::new(),
        }
    }

    /// Lenient: an option that was renamed since has both names.
    fn names_replied(&self, list: ListId, shown: &[Choice], label: usize) -> Vec<Deed> {
        let now = self.current.get(&list).map(Vec::as_slice).unwrap_or_default();
        let there = |choice: &&Choice| shown.iter().any(|known| known.exec_ref == choice.exec_ref);
        let one =
            |named: Vec<&Choice>| if let [one] = named.as_slice() { Some(Deed::run(one)) } else { None };
        let before = shown.iter().filter(|choice| choice.label == label && self.live(choice)).collect();
        let after = now.iter().filter(there).filter(|choice| choice.label == label).collect();
        one(before).into_iter().chain(one(after)).collect()
    }
}

/// Returns what a text answers to a question that it replies to.
fn answers(id: &str, expects: &Expects, meaning: Meaning) -> Vec<Deed> {
    let value = match (expects, meaning) {
        (Expects::Words, _) => Some("*".to_owned()),
        (Expects::YesOrNo, Meaning::Yes) => Some("yes".to_owned()),
        (Expects::YesOrNo, Meaning::No | Meaning::Negated(_) | Meaning::DoNothing | Meaning::Gate(2)) => {
            Some("no".to_owned())
        }
        (Expects::OneOf(labels), Meaning::Nth(_) | Meaning::Last) => {
            place(labels, meaning).map(|label| LABELS[*label].to_owned())
        }
        (Expects::OneOf(labels), Meaning::Label(label) | Meaning::Misspelt(label)) => {
            labels.contains(&label).then(|| LABELS[label].to_owned())
        }
        _ => None,
    };
    value.map(|value| Deed::Answer { question: id.to_owned(), value }).into_iter().collect()
}

fn place<T>(several: &[T], meaning: Meaning) -> Option<&T> {
    match meaning {
        Meaning::Nth(place) => several.get(place),
        Meaning::Last => several.last(),
        _ => None,
    }
}

fn gate_place(meaning: Meaning) -> Option<Deed> {
    let places: Vec<usize> = (0..GATE_BUTTONS.len()).collect();
    place(&places, meaning).map(|place| Deed::Gate(*place))
}

fn choices(thing: &Thing) -> Option<&[Choice]> {
    if let ThingKind::List { choices, .. } = &thing.kind { Some(choices) } else { None }
}

fn suggested(thing: &Thing) -> Option<&Choice> {
    if let ThingKind::List { suggests, .. } = &thing.kind { suggests.as_ref() } else { None }
}

/// Returns option `at` of a list, as its host registers it.
pub(super) fn choice(show: &Show, at: usize) -> Choice {
    let (slot, length) = (show.slot, show.labels.len());
    let place = match slot {
        Slot::Chat => "chat".to_owned(),
        Slot::Other => "other".to_owned(),
        Slot::Own(who) => format!("own-{}", who.name()),
        Slot::Panel => "panel".to_owned(),
    };
    let prefix = if slot == Slot::Other { "x" } else { "o" };
    Choice {
        list: (slot, length),
        option: format!("{prefix}{at}"),
        label: show.labels[at],
        exec_ref: format!("{place}-{length}-v{}:{at}", show.version),
    }
}

/// Returns the label that a whole text is, without politeness and marks.
fn verbatim(text: &str) -> Option<usize> {
    let text = text.to_lowercase();
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let bare = bare.strip_prefix("please ").unwrap_or(bare);
    let bare = bare.strip_suffix(" please").unwrap_or(bare);
    LABELS.iter().position(|label| label.to_lowercase() == bare)
}

#[cfg(test)]
mod tests;
