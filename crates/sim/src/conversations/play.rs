//! Plays a conversation over the engine's own step, and compares what is done with what the oracle allows.
//!
//! A turn takes the path of the runtime's lanes: it is admitted or waits, is given its input, stepped, and its changes are
//! applied. The model always names an option that was offered, and is always sure.

use std::collections::{BTreeMap, VecDeque};

use throughline_engine::data::actor::Actor;
use throughline_engine::data::ask::{Answer, Candidate, Question, SELECT_CONTRACT, SelectVerdict};
use throughline_engine::data::call::{Agent, Job, Risk};
use throughline_engine::data::effect::{EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{MessagePosted, Press};
use throughline_engine::data::id::SetId;
use throughline_engine::data::message::Message;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{
    Admission, Change, EffectId, Event, EventKind, Lane, LaneKey, Policy, Record, Step, StepInput, TaskId,
    Timestamp, admit, needs, step,
};

use super::events;
use super::generate::{Act, Conversation, Expects, Reply, Say, Slot, Who};
use super::observe;
use super::oracle::{Deed, ListId, Oracle, Target, ThingKind};
use super::report::{Family, Finding, Outcomes};
use super::scenario::Trail;
use super::texts::{LABELS, Meaning};

/// A text, with what it may do.
#[derive(Clone)]
pub(super) struct Written {
    pub(super) act: usize,
    pub(super) who: Who,
    pub(super) meaning: Meaning,
    pub(super) target: Target,
    pub(super) allowed: Vec<Deed>,
    /// Number of things that had been shown.
    pub(super) seen: usize,
    held: usize,
    pick: Option<usize>,
    /// True if it waited for a model.
    pub(super) waited: bool,
    /// True if it replaces another text.
    pub(super) edit: bool,
    /// True if it was taken back, or its author did or saw something newer, before a model answered.
    pub(super) void: bool,
}

/// A question to the model that is not answered.
struct Asked {
    effect: EffectId,
    candidates: Vec<Candidate>,
    about: Written,
    due: usize,
}

/// One conversation while it is played.
pub(super) struct Play<'p> {
    policy: &'p Policy,
    pub(super) lane: Lane,
    pub(super) now: Timestamp,
    pub(super) oracle: Oracle,
    pub(super) sets: BTreeMap<SetId, ListId>,
    pub(super) versions: BTreeMap<ListId, u32>,
    /// Records that left the lane.
    archive: Vec<Record>,
    asked: Option<Asked>,
    /// Messages that wait for the model.
    queue: VecDeque<(Event, Written)>,
    newest: BTreeMap<Who, (String, Written)>,
    running: Vec<(EffectId, TaskId)>,
    prompt_host: bool,
    act: usize,
    /// Kept only for a scenario.
    trail: Option<Trail>,
    pub(super) outcomes: Outcomes,
}

/// Returns the settings under which a model's pick may run by itself.
#[must_use]
pub fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.selection.enabled = true;
    policy.selection.model.enabled = true;
    policy.selection.auto_execute.enabled = true;
    policy.agents.insert("writer".into(), Agent { risk: Risk::Read, stops: false });
    policy
}

/// Plays a conversation to its end.
#[must_use]
pub fn play(conversation: &Conversation, policy: &Policy) -> Outcomes {
    played(conversation, policy, None).outcomes
}

/// Plays a conversation, and keeps what its scenario needs.
pub(super) fn play_traced(conversation: &Conversation, policy: &Policy) -> (Outcomes, Trail) {
    let play = played(conversation, policy, Some(Trail::default()));
    (play.outcomes, play.trail.unwrap_or_default())
}

fn played<'p>(conversation: &Conversation, policy: &'p Policy, trail: Option<Trail>) -> Play<'p> {
    let mut play = Play {
        policy,
        lane: Lane::new(LaneKey::new("sim", "sim", "web", "main", "")),
        now: Timestamp(1_768_471_200_000),
        oracle: Oracle::default(),
        sets: BTreeMap::new(),
        versions: BTreeMap::new(),
        archive: Vec::new(),
        asked: None,
        queue: VecDeque::new(),
        newest: BTreeMap::new(),
        running: Vec::new(),
        prompt_host: conversation.prompt_host,
        act: 0,
        trail,
        outcomes: Outcomes::default(),
    };
    for (n, act) in conversation.acts.iter().enumerate() {
        play.settle();
        play.now = play.now.plus(5_000);
        play.act = n;
        play.act(n, act);
        if play.prompt_host {
            play.settle();
        }
        // A model takes its time.
        play.now = play.now.plus(1_000);
        play.answer(Some(n));
    }
    play.answer(None);
    play
}

impl Play<'_> {
    fn act(&mut self, n: usize, act: &Act) {
        match act {
            Act::Show(show) => {
                let message = show.posted.then(|| self.post(events::shows(show), None, None)).flatten();
                if let (Some(trail), Some(message)) = (&mut self.trail, &message) {
                    trail.posted.insert(n, message.clone());
                }
                drop(self.host(EventKind::OptionsShown(events::shown(show, message.clone()))));
                self.oracle.shown(show, message);
                self.something_shown(if let Slot::Own(who) = show.slot { Some(who) } else { None });
            }
            Act::Close(slot) => self.close(*slot),
            Act::Ask(expects, of) => self.ask(expects, *of),
            Act::Post => {
                let message = self.post("The meeting is over.".into(), None, None);
                self.oracle.saw(message, None, ThingKind::Said);
            }
            Act::Say(say) => self.say(n, say),
            Act::Edit(who, meaning, text) => self.edit(n, *who, *meaning, text),
            Act::Delete(who) => self.delete(*who),
            Act::Press(who, slot, option) => self.press(n, *who, *slot, *option),
        }
    }

    fn host(&mut self, kind: EventKind) -> Step {
        let event = self.event("", kind);
        self.turn(&event, None, &[])
    }

    fn close(&mut self, slot: Slot) {
        let closed: Vec<(SetId, ListId)> = self
            .sets
            .iter()
            .filter(|(_, list)| list.0 == slot)
            .map(|(set, list)| (set.clone(), *list))
            .collect();
        for (set, list) in closed {
            drop(self.host(EventKind::OptionsClosed { set: Some(set), scope_instance: None }));
            self.oracle.closed(list);
        }
    }

    /// Posts a message of the host's agent. Returns its id.
    fn post(&mut self, text: String, expected: Option<&Expects>, of: Option<Who>) -> Option<String> {
        let step = self.host(events::posted(text, expected, of));
        step.messages.first().map(|id| id.0.clone())
    }

    fn ask(&mut self, expects: &Expects, of: Option<Who>) {
        let message = self.post(events::question(expects), Some(expects), of);
        let Some(id) = self.lane.head.pendings.last().map(|pending| pending.id.0.clone()) else { return };
        let kind = ThingKind::Question { id, expects: expects.clone(), of, open: true, hosts: true };
        self.oracle.saw(message, None, kind);
        self.something_shown(of);
    }

    // ---- people ----

    fn say(&mut self, n: usize, say: &Say) {
        let target = self.target(say.who, say.reply);
        let reply_to = match target {
            Target::Nothing => None,
            Target::Thing(at) => self.oracle.things()[at].message.clone(),
            Target::Unknown => Some("nowhere-1".into()),
        };
        let written = Written {
            act: n,
            who: say.who,
            meaning: say.meaning,
            target,
            allowed: self.oracle.allowed(say.who, say.meaning, &say.text, target),
            seen: self.oracle.things().len(),
            held: say.held,
            pick: say.pick,
            waited: false,
            edit: false,
            void: false,
        };
        if let (Some(trail), Some(message)) = (&mut self.trail, &reply_to) {
            trail.replies.insert(n, message.clone());
        }
        let id = format!("said-{}", n + 1);
        self.newest.insert(say.who, (id.clone(), written.clone()));
        self.oracle.noted(say.who, say.meaning, target);
        let quote = (target == Target::Unknown).then(|| "What was that?".into());
        let posted = MessagePosted {
            text: say.text.clone(),
            message_id: Some(id),
            reply_to,
            quote,
            ..Default::default()
        };
        let event = self.event(say.who.name(), EventKind::MessagePosted(posted));
        if !self.queue.is_empty() || admit(&self.lane, &event, self.policy) != Admission::Now {
            self.queue.push_back((event, Written { waited: true, ..written }));
            return;
        }
        self.speak(&event, written);
    }

    /// Steps the text of a person.
    fn speak(&mut self, event: &Event, mut written: Written) {
        if written.waited {
            // What it meant is what was shown when it was written, as far as it still is that.
            written.allowed.retain(|deed| match deed {
                Deed::Run { option, exec_ref } => self.oracle.is_live(option, exec_ref),
                _ => true,
            });
        }
        let plain = observe::is_plain(self, &written);
        let before = self.outcomes.deeds;
        let allowed = written.allowed.clone();
        let step = self.turn(event, Some(&written), &allowed);
        let done = self.outcomes.deeds > before;
        let late = self.asked.as_ref().is_some_and(|asked| asked.about.act == written.act);
        self.outcomes.text(written.meaning, !allowed.is_empty(), done, plain && !late);
        // The message itself can be replied to.
        let id = records(&step).find_map(|record| match record {
            Record::Message(message) if message.by == written.who.name() => Some(message.id.0.clone()),
            _ => None,
        });
        self.oracle.saw(id, None, ThingKind::Message(written.who));
    }

    fn edit(&mut self, n: usize, who: Who, meaning: Meaning, text: &str) {
        let Some((message, earlier)) = self.newest.get(&who).cloned() else { return };
        let open = self.asked.as_ref().is_some_and(|asked| asked.about.act == earlier.act);
        // Only a text that still waits for its answer can be replaced by another; what was done stays done.
        let allowed = if open { self.oracle.allowed(who, meaning, text, earlier.target) } else { Vec::new() };
        if let Some(asked) = self.asked.as_mut().filter(|_| open) {
            asked.about.void = true;
        }
        let written = Written { act: n, meaning, allowed: allowed.clone(), edit: true, ..earlier };
        self.newest.insert(who, (message.clone(), written.clone()));
        let kind = EventKind::MessageEdited { message, text: text.into(), metadata_only: false };
        let event = self.event(who.name(), kind);
        drop(self.turn(&event, Some(&written), &allowed));
    }

    fn delete(&mut self, who: Who) {
        let Some((message, earlier)) = self.newest.get(&who).cloned() else { return };
        if let Some(asked) = self.asked.as_mut().filter(|asked| asked.about.act == earlier.act) {
            asked.about.void = true;
        }
        let event = self.event(who.name(), EventKind::MessageDeleted { message });
        drop(self.turn(&event, Some(&earlier), &[]));
    }

    fn press(&mut self, n: usize, who: Who, slot: Slot, at: usize) {
        let newest = self.oracle.things().iter().rev().find_map(|thing| match &thing.kind {
            ThingKind::List { list, choices, asked: false, .. } if list.0 == slot => {
                Some((*list, choices.clone()))
            }
            _ => None,
        });
        let Some((list, choices)) = newest else { return };
        let (Some(choice), Some(set)) = (
            choices.get(at),
            self.sets.iter().find(|(_, known)| **known == list).map(|(set, _)| set.clone()),
        ) else {
            return;
        };
        let version = self.versions.get(&list).copied().unwrap_or(1);
        if let Some(asked) = self.asked.as_mut().filter(|asked| asked.about.who == who) {
            asked.about.void = true;
        }
        let run = Deed::Run { option: choice.option.clone(), exec_ref: choice.exec_ref.clone() };
        let others = matches!(slot, Slot::Own(owner) if owner != who);
        let allowed = if others { Vec::new() } else { vec![run] };
        let press = Press::Option { set, version, option: choice.option.clone() };
        let event = self.event(who.name(), EventKind::CardPressed { press, remember: false });
        let written = Written {
            act: n,
            who,
            meaning: Meaning::Label(choice.label),
            target: Target::Nothing,
            allowed: allowed.clone(),
            seen: self.oracle.things().len(),
            held: 0,
            pick: None,
            waited: false,
            edit: false,
            void: false,
        };
        drop(self.turn(&event, Some(&written), &allowed));
    }

    /// Finds the message that a person replies to.
    fn target(&self, who: Who, reply: Reply) -> Target {
        let things = self.oracle.things();
        let find = |fits: &dyn Fn(&ThingKind) -> bool, nth: usize| {
            let found = things.iter().enumerate().rev().filter(|(_, thing)| {
                thing.message.is_some() && thing.to.is_none_or(|to| to == who) && fits(&thing.kind)
            });
            found.map(|(at, _)| Target::Thing(at)).nth(nth).unwrap_or(Target::Unknown)
        };
        match reply {
            Reply::Nothing => Target::Nothing,
            Reply::Showing(nth) => find(&|kind| matches!(kind, ThingKind::List { asked: false, .. }), nth),
            Reply::Clarifier => find(&|kind| matches!(kind, ThingKind::List { asked: true, .. }), 0),
            Reply::Gate => find(&|kind| matches!(kind, ThingKind::Gate { .. }), 0),
            Reply::Question => find(&|kind| matches!(kind, ThingKind::Question { .. }), 0),
            Reply::Answer => find(&|kind| matches!(kind, ThingKind::Said), 0),
            Reply::Person => find(&|kind| matches!(kind, ThingKind::Message(by) if *by != who), 0),
            Reply::Unknown => Target::Unknown,
        }
    }

    // ---- what comes back ----

    /// Reports the options that run as done.
    fn settle(&mut self) {
        for (effect, task) in std::mem::take(&mut self.running) {
            let outcome = Outcome::Done { result: EffectResult::Said { text: String::new() } };
            drop(self.host(EventKind::EffectSettled {
                effect,
                outcome,
                card: None,
                task: Some(task),
                unshown: None,
            }));
        }
    }

    /// Lets the model answer, if it is due after act `n` or the conversation is over; then the messages that wait.
    fn answer(&mut self, n: Option<usize>) {
        while let Some(asked) = self.asked.take_if(|asked| n.is_none_or(|n| n >= asked.due)) {
            self.pick(n, asked);
            while self.asked.is_none() {
                let Some((event, written)) = self.queue.pop_front() else { break };
                if admit(&self.lane, &event, self.policy) != Admission::Now {
                    self.queue.push_front((event, written));
                    break;
                }
                self.speak(&event, written);
            }
        }
        if self.asked.is_none() {
            while let Some((event, written)) = self.queue.pop_front() {
                self.speak(&event, written);
            }
        }
    }

    fn pick(&mut self, after: Option<usize>, asked: Asked) {
        let Asked { effect, candidates, about, .. } = asked;
        let named = |candidate: &Candidate| match about.meaning {
            Meaning::Misspelt(label) => candidate.label == LABELS[label],
            _ => false,
        };
        let honest = || candidates.iter().find(|candidate| named(candidate));
        let wild = |pick: usize| candidates.get(pick % candidates.len().max(1));
        let picked = match about.pick {
            Some(pick) => wild(pick),
            None => honest().or_else(|| wild(0)),
        };
        let Some(picked) = picked else { return };
        let place =
            candidates.iter().position(|candidate| candidate.alias == picked.alias).unwrap_or_default();
        if let Some(trail) = &mut self.trail {
            trail.picks.push((after, place));
        }
        let answer = Answer::Select {
            contract: SELECT_CONTRACT.into(),
            says: SelectVerdict::Select,
            choice: Some(picked.alias.clone()),
            confidence: 99,
            needs: Vec::new(),
        };
        let live = |deed: &Deed| match deed {
            Deed::Run { option, exec_ref } => self.oracle.is_live(option, exec_ref),
            _ => true,
        };
        let allowed: Vec<Deed> = if about.void {
            Vec::new()
        } else {
            about.allowed.iter().filter(|deed| live(deed)).cloned().collect()
        };
        let outcome = Outcome::Done { result: EffectResult::Answered(answer) };
        let event = self
            .event("", EventKind::EffectSettled { effect, outcome, card: None, task: None, unshown: None });
        let before = self.outcomes.deeds;
        drop(self.turn(&event, Some(&about), &allowed));
        self.outcomes.picked(self.outcomes.deeds > before);
    }

    /// A person saw something newer: what a model makes of their earlier text comes too late.
    fn something_shown(&mut self, to: Option<Who>) {
        if let Some(asked) = self.asked.as_mut().filter(|asked| to.is_none_or(|to| to == asked.about.who)) {
            asked.about.void = true;
        }
    }

    // ---- the engine ----

    fn event(&self, actor: &str, kind: EventKind) -> Event {
        let id = format!("sim:{}:{}", self.lane.revision + 1, self.queue.len());
        Event { id, received_at: self.now, actor: actor.into(), kind }
    }

    /// Takes one turn, and judges what it does.
    fn turn(&mut self, event: &Event, written: Option<&Written>, allowed: &[Deed]) -> Step {
        let given = self.given(event);
        let step = step(&self.lane, event, &given, self.policy);
        let retired = step.changes.iter().filter_map(|change| match change {
            Change::Retire(key) => self.lane.records.record(key).cloned(),
            _ => None,
        });
        self.archive.extend(retired);
        self.lane.apply(step.next.clone(), &step.changes);
        self.outcomes.turns += 1;
        if let Some(trail) = &mut self.trail {
            trail.said.extend(step.messages.iter().map(|id| (id.0.clone(), self.act)));
        }
        for effect in &step.effects {
            match &effect.body {
                EffectBody::OptionExecute(call) => self.running.push((effect.id.clone(), call.task.clone())),
                EffectBody::ModelAsk(ask) => {
                    if let (Question::Select(input), Some(about)) = (&ask.question, written) {
                        let due = about.act + about.held;
                        let candidates = input.candidates.clone();
                        let about = about.clone();
                        self.asked = Some(Asked { effect: effect.id.clone(), candidates, about, due });
                    }
                }
                _ => {}
            }
        }
        observe::watch(self, event, &step, written, allowed);
        step
    }

    fn given(&self, event: &Event) -> StepInput {
        let person = (!event.actor.is_empty()).then(|| Actor {
            id: event.actor.clone(),
            name: event.actor.clone(),
            principals: vec![format!("user:{}", event.actor)],
            ..Actor::default()
        });
        let anchor = match &event.kind {
            EventKind::MessagePosted(posted) => posted.reply_to.clone(),
            EventKind::MessageEdited { message, .. } | EventKind::MessageDeleted { message } => {
                Some(message.clone())
            }
            EventKind::EffectSettled { effect, .. } => {
                self.waiting(effect).and_then(|posted| posted.reply_to.clone())
            }
            _ => None,
        };
        let mut given = StepInput {
            now: self.now,
            actor: person,
            addressing: Addressing { direct: true, ..Addressing::default() },
            anchor: anchor.and_then(|id| self.message(&id)),
            model: std::iter::once(Purpose::Select).collect(),
            ..StepInput::default()
        };
        for key in needs(&self.lane, event, &given, self.policy) {
            // A conversation is so short that only finished tasks leave the lane.
            let there = |record: &&Record| record.key() == key;
            given.revived.extend(self.archive.iter().rev().find(there).cloned());
        }
        given
    }

    /// The message that waits for this answer of the model.
    fn waiting(&self, effect: &EffectId) -> Option<&MessagePosted> {
        let ask = self.lane.head.ask.as_ref().filter(|ask| ask.effect == *effect)?;
        let held = self.lane.records.get::<Event>(&ask.message.0)?;
        if let EventKind::MessagePosted(posted) = &held.kind { Some(posted) } else { None }
    }

    fn message(&self, id: &str) -> Option<Message> {
        let here = self.lane.records.all::<Message>();
        here.into_iter()
            .find(|message| message.id.0 == id || message.channel_id.as_deref() == Some(id))
            .cloned()
    }

    /// Notes a deed, and a finding if it is not allowed.
    pub(super) fn judge(
        &mut self,
        deed: &Deed,
        user: Option<Who>,
        written: Option<&Written>,
        allowed: &[Deed],
        family: impl FnOnce(&Self) -> Family,
    ) {
        self.outcomes.deeds += 1;
        let fits = |known: &Deed| match (known, deed) {
            (Deed::Answer { question, value }, Deed::Answer { question: answered, value: with }) => {
                question == answered && (value == "*" || value.eq_ignore_ascii_case(with))
            }
            _ => known == deed,
        };
        let own = user.is_none() || written.is_some_and(|written| user == Some(written.who));
        if !own || !allowed.iter().any(fits) {
            let act = written.map_or(0, |written| written.act);
            let family = family(self);
            self.outcomes.findings.push(Finding { act, family, deed: format!("{deed:?}") });
        }
    }

    /// Marks the option that a person had run.
    pub(super) fn ran(&mut self, who: Who, job: &Job) {
        if let Job::Option(chosen) = job {
            self.oracle.ran(who, &chosen.identity().option, chosen.exec_ref());
        }
    }

    /// True while nothing is asked of anybody, and no model is out.
    pub(super) fn is_quiet(&self) -> bool {
        self.asked.is_none() && self.running.is_empty()
    }
}

/// Returns the records that a step wrote.
pub(super) fn records(step: &Step) -> impl Iterator<Item = &Record> {
    step.changes
        .iter()
        .filter_map(|change| if let Change::Put(record) = change { Some(record) } else { None })
}
