//! A lane driven by hand: a minimal runtime for tests of the step.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod places;
pub(crate) mod states;

use std::collections::BTreeMap;

use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::approval::{Approval, ApprovalChange};
use throughline_engine::data::call::{Agent, Risk};
use throughline_engine::data::card::Card;
use throughline_engine::data::effect::{Effect, EffectBody, EffectResult, IssueState, Outcome};
use throughline_engine::data::event::{Event, EventKind, MessagePosted, Press};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::host_act::HostAct;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::lane_key::LaneKey;
use throughline_engine::data::policy::ApproverRule;
use throughline_engine::data::record::Record;
use throughline_engine::data::snapshot;
use throughline_engine::data::step_input::PressTarget;
use throughline_engine::{CardId, Millis, Policy, Step, StepInput, Timestamp, step};

/// A ticket request with everything a preview needs.
pub(crate) const TICKET: &str =
    "Create a ticket for login bug\nSteps: open /login\nExpected: a form\nActual: a blank page";

/// A request for a batch of four with everything a preview needs.
pub(crate) const BATCH: &str = "Create an epic with 3 stories for auth\nProblem: nobody gets in\nAcceptance criteria: all are done\n\
    - As a user I want to log in\n  Acceptance criteria: a form\n\
    - As a user I want to log out\n  Acceptance criteria: a button\n\
    - As a user I want to stay in\n  Acceptance criteria: a tick";

/// A lane, a clock, and every effect planned so far.
#[derive(Clone)]
pub(crate) struct TestLane {
    pub(crate) lane: Lane,
    pub(crate) policy: Policy,
    pub(crate) now: Timestamp,
    pub(crate) model: bool,
    pub(crate) effects: Vec<Effect>,
    pub(crate) last: Option<Step>,
    /// Every version of every approval, as it was opened.
    approvals: BTreeMap<(CardId, u32), Approval>,
    events: u32,
}

impl TestLane {
    /// Makes an empty lane in which Ana and Bob may approve.
    pub(crate) fn new() -> Self {
        let policy = Policy { approvers: vec![Policy::demo_rule(&["role:approver"])], ..Policy::default() };
        Self {
            lane: Lane::new(LaneKey::new("acme", "app", "web", "session", "")),
            policy,
            now: Timestamp(1_768_471_200_000),
            model: false,
            effects: Vec::new(),
            last: None,
            approvals: BTreeMap::new(),
            events: 0,
        }
    }

    pub(crate) fn given(&self, actor: &str) -> StepInput {
        let mut given = StepInput { now: self.now, model: self.model.into(), ..StepInput::default() };
        given.addressing.direct = true;
        let mut principals = vec![format!("user:{actor}")];
        if actor != "eve" {
            principals.push("role:approver".into());
        }
        given.actor = Some(Actor { id: actor.into(), name: actor.into(), principals, ..Actor::default() });
        given
    }

    /// Steps one event and applies it, checking what holds for every step.
    pub(crate) fn event(&mut self, actor: &str, kind: EventKind, given: StepInput) -> Step {
        self.events += 1;
        let event =
            Event { id: format!("test:{}", self.events), received_at: self.now, actor: actor.into(), kind };
        let done = step(&self.lane, &event, &given, &self.policy);
        assert_eq!(done, step(&self.lane, &event, &given, &self.policy), "the same arguments, the same step");
        let head = snapshot::encode_head(&done.next);
        assert_eq!(snapshot::decode_head(&head).unwrap(), done.next, "the head reads back as it was written");
        let encoded = self.lane.encode(&done.next, &done.changes);
        let mut stored = self.lane.clone();
        self.lane.apply(done.next.clone(), &done.changes);
        assert_eq!(encoded.hash, self.lane.state_hash(), "the hash before the commit is the hash after it");
        stored.apply_encoded(done.next.clone(), done.changes.clone(), encoded);
        assert_eq!(stored, self.lane, "what is held after a commit is what a step leads to");
        self.release(&done);
        self.effects.extend(done.effects.iter().cloned());
        self.last = Some(done.clone());
        done
    }

    /// Checks that a decision releases what its approval shows, and that what leaves the thread is what an approval lists.
    fn release(&mut self, done: &Step) {
        for change in &done.approvals {
            match change {
                ApprovalChange::Open(approval) => {
                    self.approvals.insert((approval.card.clone(), approval.version), approval.clone());
                }
                ApprovalChange::Decide { card, version, payload_sha256: Some(hash), releases, .. } => {
                    let shown = &self.approvals[&(card.clone(), *version)];
                    assert_eq!((hash, releases), (&shown.payload_sha256, &shown.releases), "as it was shown");
                }
                ApprovalChange::Decide { action, .. } => assert!(!action.releases(), "{action:?}"),
                ApprovalChange::Close { .. } => {}
            }
        }
        for effect in done.effects.iter().filter(|effect| effect.body.is_outward()) {
            let by = effect.approval.as_ref().expect("what leaves the thread names an approval");
            let approval = &self.approvals[&(by.card.clone(), by.version)];
            assert!(approval.releases.contains(&effect.body.sha256()), "{effect:?} is not in {approval:?}");
        }
    }

    pub(crate) fn says(&mut self, actor: &str, text: &str) -> Step {
        let given = self.given(actor);
        self.event(
            actor,
            EventKind::MessagePosted(MessagePosted { text: text.into(), ..MessagePosted::default() }),
            given,
        )
    }

    /// Returns the step of a message without applying it.
    pub(crate) fn preview_message(&self, actor: &str, text: &str) -> Step {
        self.preview_event(
            actor,
            EventKind::MessagePosted(MessagePosted { text: text.into(), ..MessagePosted::default() }),
            None,
        )
    }

    /// Returns the step of an event without applying it.
    pub(crate) fn preview_event(&self, actor: &str, kind: EventKind, press: Option<PressTarget>) -> Step {
        let event = Event { id: "test:would".into(), received_at: self.now, actor: actor.into(), kind };
        step(&self.lane, &event, &StepInput { press, ..self.given(actor) }, &self.policy)
    }

    /// Returns the target of a button's token.
    pub(crate) fn target(&self, card: &Card, version: u32, item: &str, action: Action) -> PressTarget {
        let (lane, card, item) = (self.lane.key.clone(), card.id.clone(), item.into());
        let approved = self.approvals.get(&(card.clone(), version)).map(|shown| shown.payload_sha256.clone());
        PressTarget { lane, card, version, item, action, intact: true, approved }
    }

    /// Presses a button of a card at `version`.
    pub(crate) fn presses(&mut self, actor: &str, card: &Card, version: u32, action: Action) -> Step {
        self.presses_item(actor, card, version, "", action)
    }

    /// Presses a button of one of the card's items.
    pub(crate) fn presses_item(
        &mut self,
        actor: &str,
        card: &Card,
        version: u32,
        item: &str,
        action: Action,
    ) -> Step {
        let mut given = self.given(actor);
        given.press = Some(self.target(card, version, item, action));
        let press = Press::Token("token".into());
        self.event(actor, EventKind::CardPressed { press, remember: false }, given)
    }

    pub(crate) fn submits(&mut self, actor: &str, card: &Card, values: &[(&str, &str)]) -> Step {
        self.submits_item(actor, card, "", Action::Edit, values)
    }

    /// Submits a form of one of the card's items.
    pub(crate) fn submits_item(
        &mut self,
        actor: &str,
        card: &Card,
        item: &str,
        action: Action,
        values: &[(&str, &str)],
    ) -> Step {
        let press =
            Press::Decision { card: card.id.clone(), version: card.version, item: item.into(), action };
        let values = values.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
        let given = self.given(actor);
        self.event(actor, EventKind::FormSubmitted { press, values }, given)
    }

    /// Returns the items of a card that shows several.
    pub(crate) fn items_of(&self, card: &Card) -> Vec<String> {
        let batches = self.lane.records.iter().filter_map(|record| match record {
            Record::Batch(batch) if Some(&batch.id) == card.batch() => Some(&batch.items),
            _ => None,
        });
        batches.flatten().map(|draft| draft.0.clone()).collect()
    }

    /// Returns the drafts of the newest batch.
    pub(crate) fn items(&self) -> Vec<String> {
        let batches = self.lane.records.iter().filter_map(|record| match record {
            Record::Batch(batch) => Some(&batch.items),
            _ => None,
        });
        batches.last().into_iter().flatten().map(|draft| draft.0.clone()).collect()
    }

    /// Settles every effect of the last step that reports an outcome, as done.
    pub(crate) fn settle(&mut self) {
        let Some(last) = self.last.clone() else { return };
        for effect in last.effects {
            let result = match &effect.body {
                EffectBody::TrackerFind { key, .. } => EffectResult::Found {
                    key: key.clone(),
                    title: String::new(),
                    url: None,
                    parent: Some("DEMO-1".into()),
                    state: Some(IssueState::Open),
                    assignee: None,
                },
                EffectBody::TrackerUpdate { .. } => EffectResult::Updated,
                EffectBody::TrackerSeek { .. } => EffectResult::Sought { issues: Vec::new() },
                EffectBody::TrackerCheck { .. } => EffectResult::Checked,
                EffectBody::TrackerCreate { .. } => EffectResult::Issue { key: "DEMO-1".into(), url: None },
                EffectBody::PostChannel { .. } => {
                    EffectResult::Posted { url: Some("https://x.test/1".into()) }
                }
                EffectBody::ToolCall(_) | EffectBody::AgentDelegate(_) => {
                    EffectResult::Said { text: "Sunny.".into() }
                }
                _ => continue,
            };
            let _ = self.outcome(&effect, Outcome::Done { result });
        }
    }

    pub(crate) fn outcome(&mut self, effect: &Effect, outcome: Outcome) -> Step {
        let kind = EventKind::EffectSettled {
            effect: effect.id.clone(),
            outcome,
            card: effect.body.card().cloned(),
            task: effect.body.task().cloned(),
            unshown: None,
        };
        let given = StepInput { now: self.now, ..StepInput::default() };
        self.event("", kind, given)
    }

    /// Adds a sub-agent that may write, for whose tasks Ana and Bob may approve.
    pub(crate) fn has_publisher(&mut self) {
        let publisher = Agent { risk: Risk::Write, stops: false };
        self.policy.agents.insert("publisher".into(), publisher);
        self.policy.approvers.push(ApproverRule {
            effects: vec!["agent.delegate".into()],
            targets: vec!["agent:*".into()],
            ..Policy::demo_rule(&["role:approver"])
        });
    }

    /// Lets Ana and Bob approve acts of hosts, and asks for one on Ana's behalf.
    pub(crate) fn asks_for_act(&mut self, payload: &str) -> Step {
        self.policy.approvers.push(ApproverRule {
            effects: vec!["host.act".into()],
            targets: vec!["act:*".into()],
            ..Policy::demo_rule(&["role:approver"])
        });
        let act = HostAct {
            request_id: "r1".into(),
            title: "Deploy web".into(),
            target: "web".into(),
            payload: payload.into(),
            lines: vec!["from 4.1".into()],
            expires: None,
        };
        let given = self.given("ana");
        self.event("ana", EventKind::ApprovalRequested(act), given)
    }

    /// Delegates to a sub-agent that may write, with an unknown outcome: returns the card that asks, the card that
    /// released the call, and the effect.
    pub(crate) fn unsure_call(&mut self) -> (Card, Card, Effect) {
        self.has_publisher();
        let _ = self.says("ana", "@publisher publish the release notes");
        let released = self.card();
        let _ = self.presses("bob", &released, 1, Action::Approve);
        let call = self.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
        self.advance(1);
        let _ = self.outcome(&call, Outcome::Uncertain { text: Fault::Said("no answer".into()) });
        (self.card(), released, call)
    }

    pub(crate) fn advance(&mut self, by: Millis) {
        self.now = self.now.plus(by);
    }

    /// Returns the approval that a card's version opened.
    pub(crate) fn approval_of(&self, card: &Card) -> &Approval {
        &self.approvals[&(card.id.clone(), card.version)]
    }

    /// Returns the newest card.
    pub(crate) fn card(&self) -> Card {
        let cards = self.lane.records.iter().filter_map(|record| match record {
            Record::Card(card) => Some(card),
            _ => None,
        });
        cards
            .max_by_key(|card| (card.created_at, self.lane.head.cards.iter().position(|id| id == card.id)))
            .unwrap()
            .clone()
    }
}

/// Counts what people see of a step: texts, notices, cards.
pub(crate) fn visible_outputs(step: &Step) -> usize {
    let visible_outputs = step.effects.iter().filter(|effect| {
        matches!(
            effect.body,
            EffectBody::Reply { .. }
                | EffectBody::Notice { .. }
                | EffectBody::CardPost { .. }
                | EffectBody::CardUpdate { .. }
        )
    });
    visible_outputs.count()
}
