//! Everything a careful reader of a conversation would let each text do.
//!
//! The oracle is written without the engine: it knows what was shown to whom, what was done, which questions still wait, and
//! the *meaning* of a text, from which the text was made. It is strict about the wrong thing. If a careful reader could
//! reasonably go either way it allows both; these leniencies are marked by "Lenient:".

use std::collections::{BTreeMap, BTreeSet};

use super::generate::{Expects, Show, Slot, Who};
use super::texts::Meaning;

/// Identity of a list: its place and the number of its options.
pub(super) type ListId = (Slot, usize);

/// One option, as it was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) list: ListId,
    pub(super) option: String,
    /// Place in [`super::texts::LABELS`].
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
    /// The question if a text was meant for a list elsewhere, with what the text may do.
    Where { deeds: Vec<Deed> },
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
    /// Number of things seen when a person last ran an option or replied to a list, and that list.
    acted: BTreeMap<Who, (usize, ListId)>,
    /// Last question that each person answered.
    answers: BTreeMap<Who, (String, Expects)>,
    rejected: BTreeSet<(Who, String)>,
    /// Questions that may be over: somebody wanted nothing of them, or they wait no longer.
    dropped: BTreeSet<String>,
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
        if let ThingKind::Question { of, hosts, .. } = kind {
            self.put_aside(of, hosts);
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

    /// A question was answered by a person.
    pub(super) fn answered(&mut self, question: &str, by: Option<Who>) {
        let expected = self.things.iter().find_map(|thing| match &thing.kind {
            ThingKind::Question { id, expects, .. } if id == question => Some(expects.clone()),
            _ => None,
        });
        if let (Some(by), Some(expects)) = (by, expected) {
            self.answers.insert(by, (question.to_owned(), expects));
        }
        self.close_question(question);
    }

    /// A person has one question at a time; a newer one ends it. A question for words stands behind one of the engine, and
    /// is the next again when that is over (`docs/design/0052-what-a-text-question-leaves.md`).
    fn put_aside(&mut self, newer: Option<Who>, by_host: bool) {
        for thing in &mut self.things {
            if let ThingKind::Question { of, open, expects, .. } = &mut thing.kind {
                let others = of.is_some() && newer.is_some() && *of != newer;
                let stands = !by_host && *expects == Expects::Words;
                *open &= others || stands;
            }
        }
    }

    /// Questions of the engine that wait no longer are over, so that an older one is the next again. A host's may be.
    pub(super) fn waits_for(&mut self, waiting: &[&str]) {
        for thing in &mut self.things {
            let ThingKind::Question { id, open, hosts, .. } = &mut thing.kind else { continue };
            let waits = waiting.contains(&id.as_str());
            *open &= *hosts || waits;
            if *open && !waits {
                self.dropped.insert(id.clone());
            }
        }
    }

    fn close_question(&mut self, question: &str) {
        for thing in &mut self.things {
            if let ThingKind::Question { id, open, .. } = &mut thing.kind {
                *open &= id != question;
            }
        }
    }

    /// An option was run for a person, by words or by a press.
    pub(super) fn ran(&mut self, who: Who, option: &str, exec_ref: &str) {
        let now = self.current.values().flatten();
        let found =
            now.into_iter().find(|choice| choice.option == option && choice.exec_ref == exec_ref).cloned();
        if let Some(choice) = found {
            self.rejected.remove(&(who, choice.exec_ref.clone()));
            self.acted.insert(who, (self.things.len(), choice.list));
            self.done.insert(who, choice);
        }
    }

    /// Remembers what a person does not want.
    pub(super) fn noted(&mut self, who: Who, meaning: Meaning, reply: Target) {
        if meaning == Meaning::DoNothing {
            let open = self.things.iter().filter_map(|thing| match &thing.kind {
                ThingKind::Question { id, open: true, .. } => Some(id.clone()),
                _ => None,
            });
            self.dropped.extend(open);
        }
        if let Target::Thing(at) = reply
            && let ThingKind::List { list, .. } = self.things[at].kind
            && meaning != Meaning::Smalltalk
        {
            // Whoever replies to a list goes on to speak about it; a greeting speaks of nothing.
            self.acted.insert(who, (self.things.len(), list));
        }
        let unwanted = match meaning {
            // It refuses what it replies to, and nobody knows what that is.
            _ if reply == Target::Unknown => None,
            Meaning::Negated(label) => self.newest_choice(who, label),
            // Lenient: in reply to something else it may be about that.
            Meaning::No | Meaning::DoNothing if self.is_elsewhere(reply) => None,
            Meaning::No | Meaning::DoNothing => self.suggestion(who).cloned(),
            _ => None,
        };
        if let Some(choice) = unwanted {
            self.rejected.insert((who, choice.exec_ref));
        }
    }

    fn is_elsewhere(&self, reply: Target) -> bool {
        matches!(reply, Target::Thing(at) if !matches!(self.things[at].kind, ThingKind::List { .. }))
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
            ThingKind::Where { .. } => thing.to == Some(who),
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

    /// True if a list that is still there was shown to anybody after this thing.
    fn list_after(&self, at: usize) -> bool {
        let there = |thing: &Thing| matches!(&thing.kind, ThingKind::List { list, choices, .. } if choices.len() > 1 && self.current.contains_key(list));
        self.things[at + 1..].iter().any(there)
    }
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

mod allowed;
#[cfg(test)]
mod tests;
