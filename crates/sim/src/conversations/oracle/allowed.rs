//! Everything that each text may do.

use super::super::generate::{Expects, Slot, Who};
use super::super::texts::{GATE_BUTTONS, LABELS, Meaning};
use super::{Choice, Deed, ListId, Oracle, Target, Thing, ThingKind, choices, suggested};

impl Oracle {
    /// Returns everything that a text may do. A text does at most one of these things.
    pub(in super::super) fn allowed(
        &self,
        who: Who,
        meaning: Meaning,
        text: &str,
        reply: Target,
    ) -> Vec<Deed> {
        let mut deeds = match reply {
            Target::Nothing => self.unreplied(who, meaning),
            Target::Thing(at) => self.replied(who, meaning, at),
            // What is replied to is not known, so neither is what the text is about.
            Target::Unknown => return Vec::new(),
        };
        if APPROVAL.contains(&text) {
            // Lenient: praise is a yes to what is proposed.
            deeds.extend(match reply {
                Target::Thing(at) => self.replied(who, Meaning::Yes, at),
                _ => [self.yes(who), self.closes_gate(who)].concat(),
            });
        }
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
            Meaning::Instead(label) => self.instead(who, label),
            Meaning::Again | Meaning::That => self.references(who, None),
            Meaning::Yes => self.yes(who),
            // Lenient: whoever refuses an option may answer no to a question of yes or no.
            // Lenient: whoever wants nothing done says no to what is offered.
            Meaning::No => [self.yes_or_no(who, false), self.closes_gate(who)].concat(),
            // Lenient: "I don't want not now" refuses twice, and is heard as one refusal.
            Meaning::Negated(label) if REFUSALS.contains(&LABELS[label]) => {
                [self.yes_or_no(who, false), self.closes_gate(who)].concat()
            }
            Meaning::Negated(_) => self.yes_or_no(who, false),
            Meaning::DoNothing => {
                [self.yes_or_no(who, false), self.nothing(who), self.closes_gate(who)].concat()
            }
            Meaning::Gate(button) => self.button(who, button),
            _ => Vec::new(),
        };
        deeds.extend(self.free_answer(who, meaning));
        deeds
    }

    /// A position counts in the newest thing that has positions: never in a gate, nor in a question when a list was shown
    /// since, to whomever.
    fn positions(&self, who: Who, meaning: Meaning) -> Vec<Deed> {
        let mut deeds = Vec::new();
        for (at, thing) in self.waiting(who) {
            match &thing.kind {
                ThingKind::List { choices, .. } => {
                    let numbered = self.numbered(who, at).unwrap_or_default();
                    let there = |choice: &&Choice| self.live(choice) && self.asks_for(who, choices, choice);
                    deeds.extend(place(numbered, meaning).filter(there).map(Deed::run));
                    deeds.extend(self.acted_in(who, at, meaning));
                    return deeds;
                }
                // Its buttons have words and no numbers, and stand between the text and an older list.
                ThingKind::Gate { .. } if !self.list_after(at) => return deeds,
                ThingKind::Question { id, expects: Expects::OneOf(labels), .. } if !self.list_after(at) => {
                    let value = place(labels, meaning).map(|label| LABELS[*label].to_owned());
                    deeds.extend(value.map(|value| Deed::Answer { question: id.clone(), value }));
                    // Lenient: the question may be over.
                    if !self.dropped.contains(id) {
                        return deeds;
                    }
                }
                _ => {}
            }
        }
        deeds
    }

    /// Returns the options that are numbered where a list was shown or asked about. A question about a single option has no
    /// numbers: they are those of the list as it was shown before, unless something else with positions came between.
    fn numbered(&self, who: Who, at: usize) -> Option<&[Choice]> {
        let ThingKind::List { list, choices, .. } = &self.things[at].kind else { return None };
        if choices.len() > 1 {
            return Some(choices);
        }
        let counted = |thing: &&Thing| match &thing.kind {
            ThingKind::List { list: id, choices, .. } if id == list => choices.len() > 1,
            // Lenient: whoever acts in a list goes on counting there.
            ThingKind::List { .. } => self.acted.get(&who).is_none_or(|(_, acted)| acted != list),
            ThingKind::Gate { of, open } => *open && *of == who,
            ThingKind::Question { expects: Expects::OneOf(_), of, open, .. } => {
                *open && of.is_none_or(|of| of == who)
            }
            _ => false,
        };
        let mine = |thing: &&Thing| thing.to.is_none_or(|to| to == who);
        let before = self.things[..at].iter().rev().filter(mine).find(counted)?;
        choices_of(before, *list)
    }

    /// True if a number beside a question may mean this option: it is one of those shown, or the very one that is asked
    /// about, or at least not refused.
    fn asks_for(&self, who: Who, shown: &[Choice], choice: &Choice) -> bool {
        shown.contains(choice) || !self.rejected.contains(&(who, choice.exec_ref.clone()))
    }

    /// True if another list of the same place was shown to a person since, which may have taken the place of this one.
    fn replaced(&self, who: Who, at: usize) -> bool {
        let ThingKind::List { list: (slot, _), .. } = &self.things[at].kind else { return false };
        let since = self.things[at + 1..].iter().filter(|thing| thing.to.is_none_or(|to| to == who));
        let mut since = since.filter_map(|thing| match &thing.kind {
            ThingKind::List { list, asked: false, .. } => Some(list.0),
            _ => None,
        });
        since.any(|newer| (newer == Slot::Panel) == (*slot == Slot::Panel))
    }

    /// True if a person's last choice was one of this list, since it was shown.
    fn done_with(&self, who: Who, thing: &Thing) -> bool {
        let ThingKind::List { list: id, .. } = &thing.kind else { return false };
        self.acted.get(&who).is_some_and(|(_, list)| list == id)
    }

    /// Lenient: a person who acts in an older list may go on counting in it.
    fn acted_in(&self, who: Who, newest: usize, meaning: Meaning) -> Option<Deed> {
        let (since, list) = self.acted.get(&who).filter(|(since, _)| *since > newest)?;
        let of = |thing: &&Thing| matches!(&thing.kind, ThingKind::List { list: id, .. } if id == list);
        let mine = |thing: &&Thing| thing.to.is_none_or(|to| to == who);
        let showing = self.things[..*since].iter().rev().filter(mine).find(of)?;
        place(choices(showing)?, meaning).filter(|choice| self.live(choice)).map(Deed::run)
    }

    /// Lenient: a person who acts in an older list may go on naming its options.
    fn acted_names(&self, who: Who, label: usize) -> Option<Deed> {
        let acted = self.acted.get(&who).and_then(|(_, list)| self.current(*list))?;
        let mut here = acted.iter().filter(|choice| choice.label == label);
        here.next().filter(|_| here.next().is_none()).map(Deed::run)
    }

    /// A name counts in the newest thing that has it. Lenient: this may be a list that another one replaced.
    fn names(&self, who: Who, label: usize) -> Vec<Deed> {
        let mut deeds: Vec<Deed> = self.acted_names(who, label).into_iter().collect();
        // Lenient: somebody else's words may have put a question aside, and a list before it is named.
        // Lenient: a list that another one of its place followed may be gone, and so may one in which the person chose.
        for (at, thing) in self.waiting(who) {
            if REFUSALS.contains(&LABELS[label])
                && let ThingKind::Question { expects: Expects::YesOrNo, id, .. } = &thing.kind
            {
                // The name of an older option is also a no to what was asked since.
                deeds.push(Deed::Answer { question: id.clone(), value: "no".into() });
            }
            let found = self.named_in(thing, label);
            let question = matches!(thing.kind, ThingKind::Question { .. });
            let ends = found.is_some() && !question && !self.replaced(who, at) && !self.done_with(who, thing);
            deeds.extend(found.unwrap_or_default());
            if ends {
                break;
            }
        }
        deeds
    }

    /// A name, for what was chosen or answered before. Lenient: whoever corrects something says no to what is asked.
    fn instead(&self, who: Who, label: usize) -> Vec<Deed> {
        let mut deeds = [self.names(who, label), self.yes_or_no(who, false)].concat();
        deeds.extend(self.corrected(who, label));
        deeds
    }

    /// The question that a person answered last, answered again.
    fn corrected(&self, who: Who, label: usize) -> Option<Deed> {
        let (question, expects) = self.answers.get(&who)?;
        let value = match expects {
            Expects::OneOf(labels) if labels.contains(&label) => LABELS[label].to_owned(),
            Expects::YesOrNo if REFUSALS.contains(&LABELS[label]) => "no".to_owned(),
            Expects::Words => "*".to_owned(),
            _ => return None,
        };
        Some(Deed::Answer { question: question.clone(), value })
    }

    /// Returns what a text that is a name may do, whatever it replied to.
    pub(in super::super) fn named_anywhere(&self, who: Who, text: &str) -> Vec<Deed> {
        verbatim(text).map(|label| self.names(who, label)).unwrap_or_default()
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

    /// A misspelt name is looked for in the newest list alone, and in questions that nothing newer has it.
    fn misspelt(&self, who: Who, label: usize) -> Vec<Deed> {
        let mut deeds: Vec<Deed> = self.acted_names(who, label).into_iter().collect();
        let mut listed = false;
        for (_, thing) in self.waiting(who) {
            let list = matches!(thing.kind, ThingKind::List { .. });
            let found = self.named_in(thing, label).filter(|_| !(list && listed));
            let ends = found.is_some() && list;
            deeds.extend(found.unwrap_or_default());
            if ends {
                break;
            }
            listed |= list;
        }
        deeds
    }

    /// "That" and "again" mean what was done last or is suggested to this person. Lenient: "that" is also the only option
    /// of the newest list which they did not refuse.
    fn references(&self, who: Who, of: Option<ListId>) -> Vec<Deed> {
        let mut lists = self.waiting(who).filter_map(|(_, thing)| match &thing.kind {
            ThingKind::List { list, choices, .. } => Some((*list, choices.as_slice())),
            _ => None,
        });
        let (list, newest) = lists.next().unzip();
        let newest = newest.unwrap_or_default();
        let kept = |choice: &&Choice| !self.rejected.contains(&(who, choice.exec_ref.clone()));
        let mut left = newest.iter().filter(kept);
        let only = left.next().filter(|_| left.next().is_none());
        // Lenient: a list that its host shows again leaves open what was asked about it.
        let asked = of.or(list).and_then(|of| self.asked_of(who, of));
        let meant = self.done.get(&who).into_iter().chain(self.suggestion(who)).chain(asked).chain(only);
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
        let mut deeds = Vec::new();
        for (_, thing) in self.waiting(who) {
            // Lenient: a list that its host shows again leaves open what was asked about it.
            let before = || match &thing.kind {
                ThingKind::List { list, .. } => self.asked_of(who, *list),
                _ => None,
            };
            if let Some(choice) = suggested(thing).or_else(before) {
                // Lenient: a list that puts its likeliest option first does not ask for a yes, so an older question may.
                deeds.extend(self.yes_or_no(who, true));
                deeds.extend(Some(choice).filter(|choice| self.live(choice)).map(Deed::run));
                return deeds;
            }
            if let ThingKind::Question { expects: Expects::YesOrNo, id, .. } = &thing.kind {
                deeds.push(Deed::Answer { question: id.clone(), value: "yes".into() });
                // Lenient: the question may be over.
                if !self.dropped.contains(id) {
                    return deeds;
                }
            }
            if let ThingKind::Where { deeds } = &thing.kind {
                // Lenient: the question may be over, and then an older one is answered.
                return [self.still(deeds), self.yes_or_no(who, true)].concat();
            }
        }
        deeds
    }

    /// Deeds that are still what they were.
    fn still(&self, deeds: &[Deed]) -> Vec<Deed> {
        let live = |deed: &&Deed| match deed {
            Deed::Run { option, exec_ref } => self.is_live(option, exec_ref),
            _ => false,
        };
        deeds.iter().filter(live).cloned().collect()
    }

    /// Whoever wants nothing done answers so where that is one of the answers.
    fn nothing(&self, who: Who) -> Vec<Deed> {
        let asks = self.waiting(who).find_map(|(_, thing)| match &thing.kind {
            ThingKind::Question { id, expects: expects @ Expects::OneOf(_), .. } => Some((id, expects)),
            _ => None,
        });
        asks.map(|(id, expects)| answers(id, expects, Meaning::DoNothing)).unwrap_or_default()
    }

    fn yes_or_no(&self, who: Who, yes: bool) -> Vec<Deed> {
        let value = if yes { "yes" } else { "no" };
        let asks = self.waiting(who).find_map(|(_, thing)| match &thing.kind {
            ThingKind::Question { expects: Expects::YesOrNo, id, .. } => Some(id.clone()),
            _ => None,
        });
        asks.map(|question| Deed::Answer { question, value: value.into() }).into_iter().collect()
    }

    /// A refusal or praise closes a gate that is the newest thing there.
    fn closes_gate(&self, who: Who) -> Vec<Deed> {
        let newest = self.waiting(who).next();
        let gate = newest.filter(|(_, thing)| matches!(thing.kind, ThingKind::Gate { .. }));
        gate.map(|_| Deed::Gate(NOT_NOW)).into_iter().collect()
    }

    /// The gate's own words choose from it. Lenient: also when a list is newer that has no such label.
    fn button(&self, who: Who, button: usize) -> Vec<Deed> {
        let label = LABELS.iter().position(|label| *label == GATE_BUTTONS[button]);
        let mut deeds = Vec::new();
        for (at, thing) in self.waiting(who) {
            if let Some(found) = label.and_then(|label| self.named_in(thing, label)) {
                deeds.extend(found);
                // Lenient: a list that another one of its place followed may be gone.
                if !self.replaced(who, at) {
                    return deeds;
                }
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
                | Meaning::Instead(_)
                | Meaning::Again
                | Meaning::That
                | Meaning::Yes
                | Meaning::Gate(_)
        );
        let mut offered = false;
        for (newer, (at, thing)) in self.waiting(who).enumerate() {
            if let ThingKind::Question { expects: Expects::Words, id, .. } = &thing.kind {
                let takes = newer == 0 || !picks || !offered;
                return takes.then(|| Deed::Answer { question: id.clone(), value: "*".into() });
            }
            // Lenient: a list that another one of its place followed may be gone.
            if self.replaced(who, at) {
                continue;
            }
            offered |= match (meaning, &thing.kind) {
                (Meaning::Label(label) | Meaning::Instead(label), _) => self.named_in(thing, label).is_some(),
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
            ThingKind::List { list, choices, suggests, asked } => match meaning {
                Meaning::Nth(_) | Meaning::Last => place(self.numbered(who, at).unwrap_or_default(), meaning)
                    .filter(|choice| self.live(choice) && self.asks_for(who, choices, choice))
                    .map(Deed::run)
                    .into_iter()
                    .collect(),
                Meaning::Label(label) | Meaning::Misspelt(label) | Meaning::Instead(label) => {
                    // A question may leave out what was refused; a name brings it back.
                    let all = if *asked { self.current(*list).unwrap_or_default() } else { choices };
                    self.names_replied(*list, all, label)
                }
                Meaning::Yes => suggests.iter().filter(|choice| self.live(choice)).map(Deed::run).collect(),
                Meaning::Again | Meaning::That => {
                    let mut deeds = self.references(who, Some(*list));
                    deeds.extend(suggests.iter().filter(|choice| self.live(choice)).map(Deed::run));
                    deeds
                }
                _ => Vec::new(),
            },
            ThingKind::Gate { of, open } if *open && *of == who => match meaning {
                Meaning::Gate(button) => vec![Deed::Gate(button)],
                // Lenient: praise, which stands among the idioms, closes it as a refusal does.
                Meaning::No | Meaning::DoNothing | Meaning::Idiom => vec![Deed::Gate(NOT_NOW)],
                Meaning::Negated(label) if REFUSALS.contains(&LABELS[label]) => vec![Deed::Gate(NOT_NOW)],
                Meaning::Label(label) | Meaning::Instead(label) => {
                    self.named_in(thing, label).unwrap_or_default()
                }
                _ => Vec::new(),
            },
            ThingKind::Where { deeds } if meaning == Meaning::Yes => self.still(deeds),
            ThingKind::Question { id, open: false, .. }
                if self.answers.get(&who).is_some_and(|(question, _)| question == id) =>
            {
                let Meaning::Instead(label) = meaning else { return Vec::new() };
                self.corrected(who, label).into_iter().collect()
            }
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
        (Expects::YesOrNo, Meaning::Label(label)) if REFUSALS.contains(&LABELS[label]) => {
            Some("no".to_owned())
        }
        (
            Expects::YesOrNo,
            Meaning::No | Meaning::Negated(_) | Meaning::DoNothing | Meaning::Gate(2) | Meaning::Instead(_),
        ) => Some("no".to_owned()),
        (Expects::OneOf(labels), Meaning::DoNothing) => {
            labels.iter().map(|label| LABELS[*label]).find(|label| *label == "Do nothing").map(str::to_owned)
        }
        (Expects::OneOf(labels), Meaning::Nth(_) | Meaning::Last) => {
            place(labels, meaning).map(|label| LABELS[*label].to_owned())
        }
        (
            Expects::OneOf(labels),
            Meaning::Label(label) | Meaning::Misspelt(label) | Meaning::Instead(label),
        ) => labels.contains(&label).then(|| LABELS[label].to_owned()),
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

fn choices_of(thing: &Thing, of: ListId) -> Option<&[Choice]> {
    match &thing.kind {
        ThingKind::List { list, choices, .. } if *list == of => Some(choices),
        _ => None,
    }
}

/// Names of options that refuse where they answer a question.
const REFUSALS: [&str; 3] = ["Not now", "Do nothing", "Wait"];

/// The place of *Not now* among a gate's buttons.
const NOT_NOW: usize = 2;

/// Texts that agree.
const APPROVAL: [&str; 2] = ["Top!", "I second that"];

/// Returns the label that a whole text is, without politeness and marks.
fn verbatim(text: &str) -> Option<usize> {
    let text = text.to_lowercase();
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    let polite = ["please go ahead and ", "please ", "could you ", "bitte "];
    let bare = polite.iter().find_map(|polite| bare.strip_prefix(polite)).unwrap_or(bare);
    let bare = bare.strip_suffix(" please").unwrap_or(bare);
    LABELS.iter().position(|label| label.to_lowercase() == bare)
}
