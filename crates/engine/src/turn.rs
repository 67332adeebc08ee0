//! The working copy of one step: reads through to the lane, collects what the turn writes.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::approval::{Approval, ApprovalChange};
use crate::canon::{hex, jcs, sha256};
use crate::decision::{Applied, Decision, Reason, Verdict};
use crate::effect::{ApprovalRef, Effect, EffectBody, Outcome};
use crate::event::{Event, EventKind, Posted};
use crate::focus::FocusContext;
use crate::given::Given;
use crate::id::{CardId, DraftId, EffectId, MessageId, Mint, PendingId, TaskId, TimerId};
use crate::lane::{
    Change, Lane, LaneState, Message, MessageKind, Record, RecordKey, RecordKind, Role, Task, TaskStatus,
};
use crate::pending::{PendingClass, PendingKind, PendingState};
use crate::policy::{Policy, limits};
use crate::recognize::Expected;
use crate::step::{Step, Timer};
use crate::tickets::Draft;
use crate::time::Timestamp;
use crate::trace::{Passed, Rung, Trace};
use crate::workflow::{About, Card, CardStatus, Presser, TimerAbout, project};

/// The message being routed.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) message: MessageId,
    pub(crate) by: String,
    pub(crate) text: String,
    /// When it came in; of a burst, when its first message did.
    pub(crate) since: Timestamp,
}

/// See the module. Handlers read `given`, `policy`, `head` and the records, and write through the methods.
pub(crate) struct Turn<'a> {
    pub(crate) lane: &'a Lane,
    pub(crate) event: &'a Event,
    pub(crate) given: &'a Given,
    pub(crate) policy: &'a Policy,
    pub(crate) head: LaneState,
    pub(crate) trace: Trace,
    pub(crate) said: Option<Said>,
    pub(crate) focus: Option<FocusContext>,
    pub(crate) applied: Option<Applied>,
    mint: Mint<'a>,
    minted: u32,
    changed: BTreeMap<RecordKey, Change>,
    effects: Vec<Effect>,
    approvals: Vec<ApprovalChange>,
    timers: Vec<Timer>,
    clear_timers: Vec<TimerId>,
    cancel: Vec<EffectId>,
    adopt: Vec<(EffectId, Outcome)>,
    messages: Vec<MessageId>,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(lane: &'a Lane, event: &'a Event, given: &'a Given, policy: &'a Policy) -> Self {
        Self {
            lane,
            event,
            given,
            policy,
            head: lane.head.clone(),
            trace: Trace::default(),
            said: None,
            focus: None,
            applied: None,
            mint: Mint::new(&lane.key, lane.revision + 1),
            minted: 0,
            changed: BTreeMap::new(),
            effects: Vec::new(),
            approvals: Vec::new(),
            timers: Vec::new(),
            clear_timers: Vec::new(),
            cancel: Vec::new(),
            adopt: Vec::new(),
            messages: Vec::new(),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.given.now
    }

    /// The acting person, as cards and sentences name them.
    pub(crate) fn presser(&self) -> Presser {
        let name = self.given.actor.as_ref().map_or(&self.event.actor, |actor| &actor.name);
        Presser { id: self.event.actor.clone(), name: name.clone() }
    }

    pub(crate) fn fresh(&mut self, prefix: &str) -> String {
        self.minted += 1;
        self.mint.other(prefix, self.minted - 1)
    }

    // ---- records ----

    /// A record as this turn sees it: what it wrote, else what the lane has loaded or was handed over.
    fn find(&self, kind: RecordKind, key: &str) -> Option<&Record> {
        let key = RecordKey { kind, key: key.into() };
        match self.changed.get(&key) {
            Some(Change::Put(record)) => Some(record),
            Some(Change::Retire(_) | Change::Drop(_)) => None,
            None => {
                let loaded = self.lane.records.get(&key);
                loaded.or_else(|| self.given.revived.iter().find(|record| record.key() == key))
            }
        }
    }

    pub(crate) fn card_ref(&self, id: &CardId) -> Option<&Card> {
        self.find(RecordKind::Card, &id.0)
            .and_then(|r| if let Record::Card(card) = r { Some(card) } else { None })
    }

    pub(crate) fn card(&self, id: &CardId) -> Option<Card> {
        self.card_ref(id).cloned()
    }

    pub(crate) fn draft(&self, id: &DraftId) -> Option<Draft> {
        match self.find(RecordKind::Draft, &id.0)? {
            Record::Draft(draft) => Some(draft.clone()),
            _ => None,
        }
    }

    pub(crate) fn message(&self, id: &MessageId) -> Option<Message> {
        match self.find(RecordKind::Message, &id.0)? {
            Record::Message(message) => Some(message.clone()),
            _ => None,
        }
    }

    pub(crate) fn task(&self, id: &TaskId) -> Option<Task> {
        match self.find(RecordKind::Task, &id.0)? {
            Record::Task(task) => Some(task.clone()),
            _ => None,
        }
    }

    pub(crate) fn held(&self, id: &str) -> Option<Event> {
        match self.find(RecordKind::Held, id)? {
            Record::Held(event) => Some(event.clone()),
            _ => None,
        }
    }

    /// The cards that wait for somebody, oldest first: not the button that clears a remembered mode.
    pub(crate) fn open_cards(&self) -> Vec<Card> {
        self.head
            .cards
            .iter()
            .filter_map(|id| self.card_ref(id))
            .filter(|card| card.open() && card.about != About::Remembered)
            .cloned()
            .collect()
    }

    pub(crate) fn put(&mut self, record: Record) {
        self.changed.insert(record.key(), Change::Put(record));
    }

    pub(crate) fn drop_record(&mut self, kind: RecordKind, key: &str) {
        let key = RecordKey { kind, key: key.into() };
        self.changed.insert(key.clone(), Change::Drop(key));
    }

    /// Not written by this turn, so it may leave the loaded records: what is written has to be loaded once more.
    fn untouched(&self, kind: RecordKind, key: &str) -> bool {
        !matches!(self.changed.get(&RecordKey { kind, key: key.into() }), Some(Change::Put(_)))
    }

    fn retire(&mut self, kind: RecordKind, key: &str) {
        let key = RecordKey { kind, key: key.into() };
        self.changed.insert(key.clone(), Change::Retire(key));
    }

    // ---- messages ----

    /// Keeps a person's message and makes it the one being routed. Returns its internal id.
    pub(crate) fn hear(&mut self, posted: &Posted) -> MessageId {
        self.forget_if_idle();
        let id = MessageId(self.fresh(MessageId::PREFIX));
        let text: String = posted.text.chars().take(self.policy.window.text_chars).collect();
        self.keep(Message {
            id: id.clone(),
            role: Role::User,
            by: self.event.actor.clone(),
            kind: None,
            to: None,
            task: posted.task.clone(),
            card: None,
            text: text.clone(),
            at: self.event.received_at,
            channel_id: posted.message_id.clone(),
        });
        self.head.last_message_at = Some(self.now());
        self.said = Some(Said {
            message: id.clone(),
            by: self.event.actor.clone(),
            text,
            since: self.event.received_at,
        });
        id
    }

    /// Two hours without a message end the remembered mode (`spec 03 §2`).
    fn forget_if_idle(&mut self) {
        let (last, now) = (self.head.last_message_at, self.now());
        if self.head.remembered.as_ref().is_some_and(|r| !r.alive(last, now, self.policy)) {
            self.forget_mode();
        }
    }

    /// Ends the remembered mode, and with it the buttons that clear it.
    pub(crate) fn forget_mode(&mut self) {
        self.head.remembered = None;
        let loaded = self.head.cards.clone();
        let cards = loaded.iter().filter_map(|id| self.card_ref(id));
        let buttons: Vec<Card> =
            cards.filter(|card| card.open() && card.about == About::Remembered).cloned().collect();
        for mut card in buttons {
            card.status = CardStatus::Withdrawn;
            self.update(card);
        }
    }

    /// Writes a message's new text, also into the question a model is being asked about it. One that had left the
    /// window is loaded again, as the next to leave.
    pub(crate) fn rewrite(&mut self, message: Message) {
        if !self.head.window.contains(&message.id) {
            self.head.window.insert(0, message.id.clone());
        }
        if let Some(Event { kind: EventKind::MessagePosted(posted), id, received_at, actor }) =
            self.held(&message.id.0)
        {
            let posted = Posted { text: message.text.clone(), ..posted };
            self.put(Record::Held(Event { id, received_at, actor, kind: EventKind::MessagePosted(posted) }));
        }
        self.put(Record::Message(message));
    }

    pub(crate) fn keep(&mut self, message: Message) {
        self.head.window.push(message.id.clone());
        self.messages.push(message.id.clone());
        self.put(Record::Message(message));
    }

    fn our_message(
        &mut self,
        kind: MessageKind,
        task: Option<&TaskId>,
        card: Option<&CardId>,
        text: &str,
    ) -> MessageId {
        let id = MessageId(self.fresh(MessageId::PREFIX));
        self.keep(Message {
            id: id.clone(),
            role: Role::Assistant,
            by: String::new(),
            kind: Some(kind),
            to: None,
            task: task.cloned(),
            card: card.cloned(),
            text: text.into(),
            at: self.now(),
            channel_id: None,
        });
        id
    }

    /// Says something in the lane.
    pub(crate) fn say(&mut self, kind: MessageKind, task: Option<&TaskId>, text: &str) -> MessageId {
        let message = self.our_message(kind, task, None, text);
        self.effect(EffectBody::Reply { message: message.clone(), text: text.into() }, &[], None);
        message
    }

    /// Tells the acting person privately; in the lane when nobody acts.
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

    pub(crate) fn cancel(&mut self, effect: &EffectId) {
        self.cancel.push(effect.clone());
    }

    pub(crate) fn adopt(&mut self, effect: &EffectId, outcome: Outcome) {
        self.adopt.push((effect.clone(), outcome));
    }

    // ---- cards ----

    /// Shows a new card: its record, its message, its pending, its timers and, for one that releases outward
    /// effects, its approval.
    pub(crate) fn show(&mut self, about: About, by: &str, task: Option<&TaskId>) -> CardId {
        let approval = matches!(about, About::DraftPreview { .. } | About::UncertainEffect { .. });
        let id = CardId(self.fresh(if approval { "ap_" } else { CardId::PREFIX }));
        let mut card = Card {
            id: id.clone(),
            version: 1,
            message: MessageId::from(""),
            by: by.into(),
            created_at: self.now(),
            expires_at: None,
            about,
            status: CardStatus::Open,
            timers: Vec::new(),
        };
        let pending = self.pending_of(&card);
        card.expires_at =
            pending.as_ref().and_then(|kind| kind.lifetime(self.policy)).map(|age| self.now().plus(age));
        let model = project(&card, self.draft_of(&card).as_ref(), self.now(), self.policy);
        card.message = self.our_message(MessageKind::Card, task, Some(&id), &model.as_text());
        if let Some(kind) = pending {
            self.open_pending(kind, None, &card.message, task, None, card.expires_at);
        }
        self.head.cards.push(id.clone());
        self.set_timers(&mut card);
        self.put(Record::Card(card.clone()));
        self.effect(EffectBody::CardPost { message: card.message.clone(), card: model }, &[], None);
        self.open_approval(&card);
        id
    }

    /// Writes a card that changed and shows its new state.
    pub(crate) fn update(&mut self, mut card: Card) {
        let model = project(&card, self.draft_of(&card).as_ref(), self.now(), self.policy);
        if let Some(mut message) = self.message(&card.message) {
            message.text = model.as_text();
            self.put(Record::Message(message));
        }
        if !card.open() {
            self.clear_pending_of(&card.id);
            self.clear_timers.append(&mut card.timers);
        }
        self.effect(EffectBody::CardUpdate { message: card.message.clone(), card: model }, &[], None);
        self.put(Record::Card(card));
    }

    /// The card's next version: what would be approved has changed, so the old approval can be decided no
    /// more and its buttons are stale.
    pub(crate) fn revise(&mut self, mut card: Card, about: About) {
        card.version += 1;
        card.about = about;
        card.expires_at = self
            .pending_of(&card)
            .and_then(|kind| kind.lifetime(self.policy))
            .map(|age| self.now().plus(age));
        for pending in &mut self.head.pendings {
            if pending.kind.card() == Some(&card.id) && pending.kind.class() == PendingClass::Workflow {
                pending.ui_version = card.version;
                pending.expires_at = card.expires_at;
            }
        }
        self.clear_timers.append(&mut card.timers);
        self.set_timers(&mut card);
        self.open_approval(&card);
        self.update(card);
    }

    fn pending_of(&self, card: &Card) -> Option<PendingKind> {
        let id = card.id.clone();
        match &card.about {
            About::DraftPreview { .. } => Some(PendingKind::WaitingApproval { card: id }),
            About::ScopeGate { source, .. } => {
                Some(PendingKind::WaitingScopeChoice { card: id, message: source.clone() })
            }
            About::UncertainEffect { effect, .. } => {
                Some(PendingKind::WaitingUncertainEffect { card: id, effect: effect.clone() })
            }
            About::Remembered => None,
        }
    }

    pub(crate) fn draft_of(&self, card: &Card) -> Option<Draft> {
        card.draft().and_then(|draft| self.draft(draft))
    }

    fn set_timers(&mut self, card: &mut Card) {
        let (id, version) = (card.id.clone(), card.version);
        if let Some(end) = card.expires_at {
            // The end itself still counts; the timer comes one millisecond later.
            card.timers.push(self.set_timer(end.plus(1), TimerAbout::Expiry { card: id.clone(), version }));
        }
        if matches!(card.about, About::DraftPreview { .. }) {
            let at = self.now().plus(self.policy.approval.remind_ms);
            card.timers.push(self.set_timer(at, TimerAbout::Reminder { card: id, version }));
        }
    }

    fn set_timer(&mut self, due: Timestamp, about: TimerAbout) -> TimerId {
        let id = TimerId(self.fresh(TimerId::PREFIX));
        self.timers.push(Timer { id: id.clone(), due, about });
        id
    }

    fn open_approval(&mut self, card: &Card) {
        let Some(draft) = self.draft_of(card).filter(|_| card.is_approval()) else { return };
        let item = draft.item();
        let payload = jcs(&draft.payload());
        let chars: usize = item.fields.values().map(|text| text.chars().count()).sum();
        self.approvals.push(ApprovalChange::Open(Approval {
            card: card.id.clone(),
            version: card.version,
            kind: "tracker.item".into(),
            payload_sha256: hex(&sha256(&[payload.as_bytes()])),
            payload,
            classes: alloc::vec!["tracker.create".into()],
            targets: alloc::vec![draft.target.to_string()],
            quantity: 1,
            total_chars: u32::try_from(chars).unwrap_or(u32::MAX),
            requested_by: draft.by.clone(),
            source: draft.source.clone(),
            created_at: self.now(),
            expires_at: card.expires_at,
        }));
    }

    pub(crate) fn approval(&mut self, change: ApprovalChange) {
        self.approvals.push(change);
    }

    // ---- pendings ----

    /// Opens a pending. A conversational one takes the place of the one there is.
    pub(crate) fn open_pending(
        &mut self,
        kind: PendingKind,
        expected: Option<Expected>,
        anchor: &MessageId,
        task: Option<&TaskId>,
        asked_of: Option<&str>,
        expires_at: Option<Timestamp>,
    ) {
        if kind.class() == PendingClass::Conversational {
            self.head.pendings.retain(|p| p.kind.class() == PendingClass::Workflow);
        }
        let expires_at = expires_at.or_else(|| kind.lifetime(self.policy).map(|age| self.now().plus(age)));
        let pending = PendingState {
            id: PendingId(self.fresh(PendingId::PREFIX)),
            kind,
            expected,
            anchor: anchor.clone(),
            task: task.cloned(),
            asked_of: asked_of.map(Into::into),
            ui_version: 1,
            created_at: self.now(),
            expires_at,
        };
        self.head.pendings.push(pending);
    }

    /// The conversational pending, if there is one.
    pub(crate) fn conversational(&self) -> Option<&PendingState> {
        self.head.pendings.iter().find(|p| p.kind.class() == PendingClass::Conversational)
    }

    pub(crate) fn take_conversational(&mut self) -> Option<PendingState> {
        let at = self.head.pendings.iter().position(|p| p.kind.class() == PendingClass::Conversational)?;
        Some(self.head.pendings.remove(at))
    }

    fn clear_pending_of(&mut self, card: &CardId) {
        self.head.pendings.retain(|p| p.kind.card() != Some(card));
    }

    // ---- tasks ----

    pub(crate) fn start_task(&mut self, title: &str) -> TaskId {
        let id = TaskId(self.fresh(TaskId::PREFIX));
        let title = title.lines().next().unwrap_or_default().chars().take(limits::TASK_TITLE).collect();
        self.put(Record::Task(Task {
            id: id.clone(),
            title,
            status: TaskStatus::Running,
            created_at: self.now(),
        }));
        id
    }

    pub(crate) fn end_task(&mut self, id: &TaskId, status: TaskStatus) {
        if let Some(mut task) = self.task(id) {
            task.status = status;
            self.put(Record::Task(task));
        }
    }

    pub(crate) fn new_draft_id(&mut self) -> DraftId {
        DraftId(self.fresh(DraftId::PREFIX))
    }

    // ---- the end ----

    pub(crate) fn note(&mut self, reason: Reason) {
        self.trace.also.push(reason);
    }

    pub(crate) fn pass(&mut self, rung: Rung, predicate: impl Into<Cow<'static, str>>) {
        self.trace.passed.push(Passed { rung, predicate: predicate.into() });
    }

    pub(crate) fn finish(mut self, mut decision: Decision) -> Step {
        if decision.outcome != Verdict::Ignored {
            self.prune();
        }
        decision.applied = decision.applied.or(self.applied.take());
        self.trace.focus = self.focus.as_ref().map(FocusContext::trace);
        Step {
            decision,
            next: self.head,
            changes: self.changed.into_values().collect(),
            effects: self.effects,
            approvals: self.approvals,
            timers: self.timers,
            clear_timers: self.clear_timers,
            cancel: self.cancel,
            adopt: self.adopt,
            messages: self.messages,
            trace: self.trace,
        }
    }

    /// Keeps the loaded records within policy: the oldest leave, still to be found in the store.
    fn prune(&mut self) {
        self.readmit();
        while self.head.cards.len() > self.policy.window.cards {
            let Some(id) = self.next_to_leave() else { break };
            self.head.cards.retain(|card| *card != id);
            // Its buttons still work; only the list of what is open gets shorter.
            self.clear_pending_of(&id);
            self.retire(RecordKind::Card, &id.0);
        }
        while self.head.window.len() > self.policy.window.messages {
            let goes = |id: &MessageId| self.untouched(RecordKind::Message, &id.0) && !self.waited_for(id);
            let Some(at) = self.head.window.iter().position(goes) else { break };
            let id = self.head.window.remove(at);
            self.retire(RecordKind::Message, &id.0);
        }
        self.retire_unused();
    }

    /// The oldest card that is decided, else the oldest that is not the open gate: there is one gate, and a newer
    /// message has to find it.
    fn next_to_leave(&self) -> Option<CardId> {
        let settled = |id: &&CardId| self.untouched(RecordKind::Card, &id.0);
        let open = |id: &&CardId| self.card_ref(id).is_some_and(Card::open);
        let gate = |id: &&CardId| {
            self.card_ref(id).is_some_and(|card| matches!(card.about, About::ScopeGate { .. }))
        };
        let mut loaded = self.head.cards.iter().filter(settled);
        loaded.clone().find(|id| !open(id)).or_else(|| loaded.find(|id| !gate(id))).cloned()
    }

    /// Drafts that no loaded card and no question needs leave, and tasks that no loaded draft needs.
    fn retire_unused(&mut self) {
        let mut drafts: BTreeSet<DraftId> = self
            .head
            .cards
            .iter()
            .filter_map(|id| self.card_ref(id))
            .filter_map(|card| card.draft().cloned())
            .collect();
        let questions = self.head.pendings.iter().chain(&self.head.lapsed);
        drafts.extend(questions.filter_map(|pending| pending.kind.draft().cloned()));
        let tasks: BTreeSet<TaskId> =
            drafts.iter().filter_map(|id| self.draft(id)).map(|draft| draft.task).collect();
        let unused: Vec<RecordKey> = self
            .lane
            .records
            .iter()
            .filter_map(|record| match record {
                Record::Draft(draft) if !drafts.contains(&draft.id) => Some(record.key()),
                Record::Task(task) if !tasks.contains(&task.id) => Some(record.key()),
                _ => None,
            })
            .collect();
        for key in unused {
            if self.untouched(key.kind, &key.key) {
                self.retire(key.kind, &key.key);
            }
        }
    }

    /// A card that was read from beyond the window and changed is loaded again, as the next to leave.
    fn readmit(&mut self) {
        for record in &self.given.revived {
            if let Record::Card(card) = record
                && !self.untouched(RecordKind::Card, &card.id.0)
                && !self.head.cards.contains(&card.id)
            {
                self.head.cards.insert(0, card.id.clone());
            }
        }
    }

    /// An open gate routes this message when it is answered.
    fn waited_for(&self, id: &MessageId) -> bool {
        self.head
            .pendings
            .iter()
            .any(|p| matches!(&p.kind, PendingKind::WaitingScopeChoice { message, .. } if message == id))
    }
}

impl PendingState {
    /// One line for a person: what waits, and until when.
    #[must_use]
    pub fn line(&self, now: Timestamp) -> String {
        let until =
            self.expires_at.map(|end| alloc::format!(", until {}", end.told(now))).unwrap_or_default();
        let expected = self.expected.as_ref().map(|e| alloc::format!(", expects {e}")).unwrap_or_default();
        alloc::format!("{}{expected}{until}", self.kind.word().to_string().replace('_', " "))
    }
}
