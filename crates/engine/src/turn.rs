//! The working copy of one step: it reads the lane and collects what the turn writes.
//!
//! Cards are written by `cards/show.rs`, tasks by `turn/tasks.rs`, facts by `turn/facts.rs`. At the end
//! `turn/prune.rs` decides which records stay loaded; `docs/design/0006-what-a-turn-writes.md` says what a
//! turn may write.

pub(crate) mod capability;
pub(crate) mod facts;
mod language;
mod prune;
mod questions;
pub(crate) mod routed_message;
pub(crate) mod tasks;
pub(crate) mod tracked_issues;
mod work;

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::actor::Presser;
use crate::data::approval::ApprovalChange;
use crate::data::authors::Authors;
use crate::data::call::Job;
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::decision::{Applied, Decision, Reason, Verdict};
use crate::data::effect::outcome::Outcome;
use crate::data::effect::{ApprovalRef, Effect, EffectBody};
use crate::data::event::{Event, EventKind, MessagePosted};
use crate::data::fact::FactsTouched;
use crate::data::focus::FocusContext;
use crate::data::id::{BatchId, CardId, DraftId, EffectId, MessageId, PendingId, TaskId, TimerId};
use crate::data::id_generator::IdGenerator;
use crate::data::lane::Lane;
use crate::data::lane_state::LaneState;
use crate::data::message::{Message, MessageKind, Role};
use crate::data::policy::hosting::{BuiltIn, Hosting};
use crate::data::policy::{Policy, limits};
use crate::data::record::{Change, Record, RecordKey, RecordKind, Stored};
use crate::data::record_lookup::RecordLookup;
use crate::data::selection_trace::SelectionTrace;
use crate::data::step::{Step, Timer};
use crate::data::step_input::StepInput;
use crate::data::time::Timestamp;
use crate::data::trace::{Predicate, Trace};
use crate::text::redact::snippet;
use crate::turn::capability::Capabilities;
use crate::turn::facts::TurnFacts;
pub(crate) use crate::turn::routed_message::RoutedMessage;
use throughline_language::reference::Reference;

/// Capacity for the changes of a common turn, a message that opens the gate of a full lane: one allocation
/// is enough.
const USUAL_CHANGES: usize = 8;

/// The working copy. Handlers read its fields and the records, and write through the methods.
pub(crate) struct Turn<'a> {
    pub(crate) lane: &'a Lane,
    pub(crate) event: &'a Event,
    pub(crate) given: &'a StepInput,
    pub(crate) policy: &'a Policy,
    /// Division of the work between the engine and a host in this lane.
    pub(crate) hosting: Hosting<'a>,
    pub(crate) capabilities: Capabilities,
    pub(crate) head: LaneState,
    pub(crate) trace: Trace,
    pub(crate) said: Option<Rc<RoutedMessage>>,
    /// The message being routed as it was posted, if an earlier event brought it.
    pub(crate) heard: Option<MessagePosted>,
    pub(crate) focus: Option<FocusContext>,
    /// The message's need for an anchor, and the words that show it.
    pub(crate) reference: Reference,
    pub(crate) applied: Option<Applied>,
    /// The question for words that the message left open, because it means something else.
    pub(crate) kept: Option<PendingId>,
    /// The user id of a person who confirmed that all data about them is to be erased; becomes
    /// [`Step::forget`].
    pub(crate) forget: Option<String>,
    /// The task of this turn's messages, once [`Turn::task_here`] has determined it.
    pub(crate) task: Option<TaskId>,
    mint: IdGenerator<'a>,
    minted: u32,
    /// Sorted by record key, one change for each record.
    changed: Vec<Change>,
    effects: Vec<Effect>,
    pub(crate) approvals: Vec<ApprovalChange>,
    pub(crate) timers: Vec<Timer>,
    pub(crate) clear_timers: Vec<TimerId>,
    cancel: Vec<EffectId>,
    adopt: Vec<(EffectId, Outcome)>,
    messages: Vec<MessageId>,
    /// The facts this turn reads and changes.
    pub(crate) books: TurnFacts,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(
        lane: &'a Lane,
        event: &'a Event,
        given: &'a StepInput,
        policy: &'a Policy,
        capabilities: Capabilities,
    ) -> Self {
        Self {
            lane,
            event,
            given,
            policy,
            hosting: policy.hosting(&lane.key),
            capabilities,
            head: lane.head.clone(),
            trace: Trace::default(),
            said: None,
            heard: None,
            focus: None,
            reference: Reference::default(),
            applied: None,
            kept: None,
            forget: None,
            task: None,
            mint: IdGenerator::new(&lane.key, lane.revision + 1),
            minted: 0,
            changed: Vec::with_capacity(USUAL_CHANGES),
            effects: Vec::new(),
            approvals: Vec::new(),
            timers: Vec::new(),
            clear_timers: Vec::new(),
            cancel: Vec::new(),
            adopt: Vec::new(),
            messages: Vec::new(),
            books: TurnFacts::default(),
        }
    }

    /// The lane's revision after this turn.
    pub(crate) fn revision(&self) -> u64 {
        self.lane.revision + 1
    }

    /// True if texts are read against lists here.
    pub(crate) fn selects(&self) -> bool {
        self.hosting.named(BuiltIn::Selection).unwrap_or(self.policy.selection.enabled)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.given.now
    }

    /// The acting person for cards, sentences and posts; the name, which people choose, is cut to one line.
    pub(crate) fn presser(&self) -> Presser {
        let name = self.given.actor.as_ref().map_or(&self.event.actor, |actor| &actor.name);
        Presser { id: self.event.actor.clone(), name: snippet(name, limits::NAME) }
    }

    pub(crate) fn new_id(&mut self, prefix: &str) -> String {
        self.minted += 1;
        self.mint.other(prefix, self.minted - 1)
    }

    // ---- records ----

    /// Finds a record as this turn sees it: its own change, else the lane's loaded record, else one read
    /// for this turn.
    pub(crate) fn find(&self, kind: RecordKind, key: &str) -> Option<&Record> {
        match self.change(kind, key) {
            Some(Change::Put(record)) => Some(record),
            Some(Change::Retire(_) | Change::Drop(_)) => None,
            None => {
                let revived = || self.given.revived.iter().find(|r| r.kind() == kind && r.id() == key);
                self.lane.records.find(kind, key).or_else(revived)
            }
        }
    }

    /// This turn's changes to records of one kind.
    pub(crate) fn changes_of(&self, kind: RecordKind) -> impl Iterator<Item = &Change> {
        self.changed.iter().filter(move |change| change.about().0 == kind)
    }

    /// Returns the records of type `R` that this turn wrote.
    pub(crate) fn written<R: Stored>(&self) -> impl Iterator<Item = &R> {
        self.changes_of(R::KIND).filter_map(Change::written).filter_map(R::of)
    }

    /// True if this turn wrote a record of this kind.
    pub(crate) fn wrote(&self, kind: RecordKind) -> bool {
        self.changes_of(kind).any(|change| change.written().is_some())
    }

    /// The trace of choosing an option; created at its first use.
    pub(crate) fn selection_trace(&mut self) -> &mut SelectionTrace {
        self.trace.selection.get_or_insert_default()
    }

    fn change(&self, kind: RecordKind, id: &str) -> Option<&Change> {
        let found = self.changed.binary_search_by(|change| change.about().cmp(&(kind, id)));
        found.ok().map(|at| &self.changed[at])
    }

    /// A later change of a record replaces the earlier one.
    fn write(&mut self, change: Change) {
        match self.changed.binary_search_by(|earlier| earlier.about().cmp(&change.about())) {
            Ok(at) => self.changed[at] = change,
            Err(at) => self.changed.insert(at, change),
        }
    }

    /// Returns the record of type `R` with this id, as this turn sees it.
    pub(crate) fn get<R: Stored>(&self, id: &R::Id) -> Option<&R> {
        self.named(id.as_ref())
    }

    /// Returns the record of type `R` with this id as it was before this turn.
    pub(crate) fn before<R: Stored>(&self, id: &R::Id) -> Option<&R> {
        let revived = || self.given.revived.iter().find(|r| r.kind() == R::KIND && r.id() == id.as_ref());
        R::of(self.lane.records.find(R::KIND, id.as_ref()).or_else(revived)?)
    }

    /// Returns the record of type `R` under this name: an id as a list of ids keeps it.
    pub(crate) fn named<R: Stored>(&self, id: &str) -> Option<&R> {
        R::of(self.find(R::KIND, id)?)
    }

    /// Returns the loaded records of type `R`, as this turn sees them.
    pub(crate) fn loaded<R: Stored>(&self) -> impl Iterator<Item = &R> {
        self.lane.records.of(R::KIND).filter_map(|record| self.named(record.id()))
    }

    /// Returns every record of type `R` that the lane has loaded or this turn wrote, in the order of their ids.
    pub(crate) fn all<R: Stored>(&self) -> impl Iterator<Item = &R> {
        let known = &self.lane.records;
        let loaded = known.of(R::KIND).filter_map(move |record| self.find(R::KIND, record.id()));
        let written = self.changes_of(R::KIND).filter_map(Change::written);
        let new = written.filter(move |record| known.find(R::KIND, record.id()).is_none());
        let (mut loaded, mut new) = (loaded.peekable(), new.peekable());
        let merged = core::iter::from_fn(move || match (loaded.peek(), new.peek()) {
            (Some(one), Some(other)) if other.id() < one.id() => new.next(),
            (Some(_), _) => loaded.next(),
            (None, _) => new.next(),
        });
        merged.filter_map(R::of)
    }

    /// The card that a message shows; the message may be the one replied to.
    pub(crate) fn card_shown_by(&self, message: &MessageId) -> Option<&Card> {
        let replied_to = || self.given.anchor.as_ref().filter(|anchor| anchor.id == *message);
        let found = self.get::<Message>(message).or_else(replied_to)?;
        self.get::<Card>(found.card.as_ref()?).filter(|card| card.message == *message)
    }

    /// The cards that wait for a press, oldest first.
    pub(crate) fn open_cards(&self) -> impl DoubleEndedIterator<Item = &Card> {
        let written = self.changed.iter().filter_map(Change::written);
        let known = self.lane.records.of(RecordKind::Card).chain(written).chain(&self.given.revived);
        let maybe: Vec<&str> = known
            .filter_map(Card::of)
            .filter(|card| card.awaits_press())
            .map(|card| card.id.as_str())
            .collect();
        let cards = self.head.cards.texts().filter(move |id| maybe.contains(id));
        cards.filter_map(|id| self.named::<Card>(id)).filter(|card| card.awaits_press())
    }

    /// The loaded receipts with an item that is being tried again on `card`.
    pub(crate) fn receipts_waiting_for(&self, card: &CardId) -> Vec<Card> {
        let cards = self.head.cards.texts().filter_map(|id| self.named::<Card>(id));
        let waits = |receipt: &&Card| receipt.released().any(|(_, progress)| progress.is_tried_on(card));
        cards.filter(waits).cloned().collect()
    }

    pub(crate) fn put(&mut self, record: impl Into<Record>) {
        self.write(Change::Put(record.into()));
    }

    /// Deletes the record of type `R` with this id.
    pub(crate) fn delete<R: Stored>(&mut self, id: &R::Id) {
        self.write(Change::Drop(RecordKey::of::<R>(id)));
    }

    pub(crate) fn delete_record(&mut self, key: RecordKey) {
        self.write(Change::Drop(key));
    }

    /// True unless this turn wrote the record; one that was written has to stay loaded for one more turn.
    fn untouched(&self, kind: RecordKind, key: &str) -> bool {
        !matches!(self.change(kind, key), Some(Change::Put(_)))
    }

    fn retire(&mut self, kind: RecordKind, key: &str) {
        self.write(Change::Retire(RecordKey { kind, key: key.into() }));
    }

    // ---- messages ----

    /// The message being routed, as it was posted.
    pub(crate) fn posted(&self) -> Option<&MessagePosted> {
        match &self.event.kind {
            EventKind::MessagePosted(posted) => Some(posted),
            _ => self.heard.as_ref(),
        }
    }

    /// Keeps a person's message and makes it the one being routed.
    pub(crate) fn receive_message(&mut self, posted: &MessagePosted) -> Rc<RoutedMessage> {
        self.forget_if_idle();
        let id = MessageId(self.new_id(MessageId::PREFIX));
        let text = self.truncated(&posted.text);
        self.keep(Message {
            id: id.clone(),
            role: Role::User,
            by: self.event.actor.clone(),
            kind: None,
            to: None,
            task: posted.task.clone(),
            card: None,
            text: text.into(),
            at: self.event.received_at,
            channel_id: posted.message_id.clone(),
            link: self.given.link.clone(),
            untrusted: !routed_message::actor_is_trusted(self),
            files: posted.files.clone(),
        });
        self.head.last_message_at = Some(self.now());
        let words = self.words_of(text);
        let words = self.heard_in(words);
        let by = self.event.actor.clone();
        self.route(RoutedMessage::new(id, by, words, routed_message::written_at(self, posted.seen)))
    }

    /// Returns the message this turn is about. A command or a press has none, which is stored as an empty id.
    pub(crate) fn source(&self) -> MessageId {
        self.said.as_ref().map_or_else(|| MessageId::from(""), |said| said.message.clone())
    }

    /// Returns the person this turn acts for: the author of the message being routed, else whoever caused the event.
    pub(crate) fn author(&self) -> String {
        self.said.as_ref().map_or(&self.event.actor, |said| &said.by).clone()
    }

    /// Returns that person as the author of what the event writes.
    pub(crate) fn writer(&self) -> Authors {
        Authors::of(&self.author())
    }

    /// Returns the person who wrote a message: empty if the assistant did, or if nothing is known of it.
    pub(crate) fn author_of(&self, message: &MessageId) -> &str {
        let replied_to = || self.given.anchor.as_ref().filter(|anchor| anchor.id == *message);
        let found = self.get::<Message>(message).or_else(replied_to);
        found.filter(|message| message.role == Role::User).map_or("", |message| &message.by)
    }

    /// Makes this the message being routed.
    pub(crate) fn route(&mut self, said: RoutedMessage) -> Rc<RoutedMessage> {
        let said = Rc::new(said);
        self.said = Some(Rc::clone(&said));
        said
    }

    /// Cuts a text to the length that a lane stores.
    pub(crate) fn truncated<'t>(&self, text: &'t str) -> &'t str {
        text.char_indices().nth(self.policy.window.text_chars).map_or(text, |(end, _)| &text[..end])
    }

    /// A thread forgets its mode when no message came for the time that policy names.
    fn forget_if_idle(&mut self) {
        let (last, now) = (self.head.last_message_at, self.now());
        if self.head.remembered.as_ref().is_some_and(|r| !r.is_alive(last, now, self.policy)) {
            self.forget_mode();
        }
    }

    /// Ends the remembered mode and withdraws the open cards that offer to clear it.
    pub(crate) fn forget_mode(&mut self) {
        self.head.remembered = None;
        let cards = self.head.cards.texts().filter_map(|id| self.named::<Card>(id));
        let buttons: Vec<Card> =
            cards.filter(|card| card.is_open() && card.about == CardSubject::Remembered).cloned().collect();
        for mut card in buttons {
            card.status = CardStatus::Withdrawn;
            self.update(card);
        }
    }

    /// Stores a message with its new text, also in the copy held for an open question to a model. A message
    /// that had left the window is loaded again and is the first to leave next time.
    pub(crate) fn rewrite(&mut self, message: Message) {
        if !self.head.window.contains(&message.id) {
            self.head.window.push_first(&message.id);
        }
        if let Some(Event { kind: EventKind::MessagePosted(posted), id, received_at, actor }) =
            self.named::<Event>(&message.id.0).cloned()
        {
            let posted = MessagePosted { text: message.text.clone(), ..posted };
            self.put(Event { id, received_at, actor, kind: EventKind::MessagePosted(posted) });
        }
        self.put(message);
    }

    pub(crate) fn keep(&mut self, message: Message) {
        self.head.last_seen_ts = self.head.last_seen_ts.max(Some(message.at));
        self.head.window.push(&message.id);
        self.messages.push(message.id.clone());
        self.put(message);
    }

    pub(crate) fn our_message(
        &mut self,
        by: &str,
        kind: MessageKind,
        task: Option<&TaskId>,
        card: Option<&CardId>,
        text: &str,
    ) -> MessageId {
        let task = task.cloned().unwrap_or_else(|| self.task_here());
        let id = MessageId(self.new_id(MessageId::PREFIX));
        self.keep(Message {
            id: id.clone(),
            role: Role::Assistant,
            by: by.into(),
            kind: Some(kind),
            to: None,
            task: Some(task),
            card: card.cloned(),
            text: text.into(),
            at: self.now(),
            channel_id: None,
            link: None,
            untrusted: false,
            files: Vec::new(),
        });
        id
    }

    /// Posts a message of the engine in the lane and returns its id.
    pub(crate) fn say(&mut self, kind: MessageKind, task: Option<&TaskId>, text: &str) -> MessageId {
        self.say_offering(kind, task, text, &[])
    }

    /// Posts the words of a tool or a sub-agent, as a message in its name.
    pub(crate) fn pass_on(
        &mut self,
        from: &Job,
        kind: MessageKind,
        task: Option<&TaskId>,
        text: &str,
    ) -> MessageId {
        let message = self.our_message(&from.target(), kind, task, None, text);
        self.reply(&message, text, &[]);
        message
    }

    /// Posts a message of the engine that offers short answers, such as `Skip`.
    pub(crate) fn say_offering(
        &mut self,
        kind: MessageKind,
        task: Option<&TaskId>,
        text: &str,
        offers: &[String],
    ) -> MessageId {
        let message = self.our_message("", kind, task, None, text);
        self.reply(&message, text, offers);
        message
    }

    /// Posts a message that is kept.
    pub(crate) fn reply(&mut self, message: &MessageId, text: &str, offers: &[String]) {
        let (message, text, offers) = (message.clone(), text.into(), offers.into());
        self.effect(EffectBody::Reply { message, text, offers }, &[], None);
    }

    /// Sends a private notice to the acting person; posts it in the lane if nobody acts.
    pub(crate) fn tell(&mut self, text: &str) {
        if self.event.actor.is_empty() {
            self.say(MessageKind::Notification, None, text);
        } else {
            let to = self.event.actor.clone();
            self.effect(EffectBody::Notice { to, text: text.into() }, &[], None);
        }
    }

    // ---- effects ----

    pub(crate) fn effect(
        &mut self,
        body: EffectBody,
        depends_on: &[EffectId],
        approval: Option<ApprovalRef>,
    ) -> EffectId {
        let id = self.mint.effect(u32::try_from(self.effects.len()).unwrap_or(u32::MAX));
        self.effects.push(Effect { id: id.clone(), body, depends_on: depends_on.into(), approval });
        id
    }

    /// The effects that the turn plans so far.
    pub(crate) fn planned(&self) -> &[Effect] {
        &self.effects
    }

    /// Leaves out planned effects, with the messages that they would post.
    pub(crate) fn unsay(&mut self, left_out: impl Fn(&EffectBody) -> bool) {
        for effect in core::mem::take(&mut self.effects) {
            if !left_out(&effect.body) {
                self.effects.push(effect);
            } else if let EffectBody::Reply { message, .. } = &effect.body {
                self.head.window.remove(message);
                self.messages.retain(|id| id != message);
                self.changed.retain(|change| change.about() != (RecordKind::Message, message.as_str()));
            }
        }
    }

    pub(crate) fn cancel(&mut self, effect: &EffectId) {
        self.cancel.push(effect.clone());
    }

    pub(crate) fn adopt(&mut self, effect: &EffectId, outcome: Outcome) {
        self.adopt.push((effect.clone(), outcome));
    }

    // ---- pendings ----

    pub(crate) fn clear_pending_of(&mut self, card: &CardId) {
        self.head.pendings.retain(|p| p.kind.card() != Some(card));
    }

    pub(crate) fn new_batch_id(&mut self) -> BatchId {
        BatchId(self.new_id(BatchId::PREFIX))
    }

    pub(crate) fn new_draft_id(&mut self) -> DraftId {
        DraftId(self.new_id(DraftId::PREFIX))
    }

    // ---- the end ----

    pub(crate) fn note(&mut self, reason: Reason) {
        self.trace.also.push(reason);
    }

    pub(crate) fn pass(&mut self, predicate: Predicate) {
        self.trace.passed.push(predicate);
    }

    pub(crate) fn finish(mut self, mut decision: Decision, facts: Vec<FactsTouched>) -> Step {
        if decision.outcome != Verdict::Ignored {
            self.prune();
        }
        decision.applied = decision.applied.or(self.applied.take());
        self.trace.focus = self.focus.as_ref().map(|focus| focus.trace(&self.reference));
        Step {
            decision,
            next: self.head,
            changes: self.changed,
            effects: self.effects,
            approvals: self.approvals,
            timers: self.timers,
            clear_timers: self.clear_timers,
            cancel: self.cancel,
            adopt: self.adopt,
            messages: self.messages,
            facts,
            forget: self.forget,
            trace: self.trace,
        }
    }
}

impl RecordLookup for Turn<'_> {
    fn record(&self, kind: RecordKind, id: &str) -> Option<&Record> {
        self.find(kind, id)
    }
}
