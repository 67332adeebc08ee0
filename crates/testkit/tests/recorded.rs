//! A recorded lane becomes a scenario that parses, with its cards, replies, gaps and outside answers.

use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Actor;
use throughline_engine::data::effect::{EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{EventKind, MessagePosted, Press};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::data::message::Message;
use throughline_engine::data::step_input::{PressTarget, StepInput};
use throughline_engine::data::trace::TurnSummary;
use throughline_engine::{CardId, Event, Lane, LaneKey, MessageId, Policy, Reason, Timestamp, step};
use throughline_testkit::model::{Act, Expectation};
use throughline_testkit::{Recorded, RecordedLane, parse};

const START: Timestamp = Timestamp(1_768_471_200_000);

/// A lane with its log.
struct Talk {
    lane: Lane,
    policy: Policy,
    now: Timestamp,
    turns: Vec<Recorded>,
    cards: Vec<CardId>,
    checks: Vec<(throughline_engine::EffectId, CardId)>,
    creates: Vec<(throughline_engine::EffectId, CardId)>,
}

impl Talk {
    fn new() -> Self {
        let mut policy = Policy::default();
        policy.approvers.push(Policy::demo_rule(&["user:ana"]));
        policy.expiry.gate_ms = 5_000;
        let key = LaneKey::new("acme", "app", "web", "session", "");
        Self {
            lane: Lane::new(key),
            policy,
            now: START,
            turns: Vec::new(),
            cards: Vec::new(),
            checks: Vec::new(),
            creates: Vec::new(),
        }
    }

    fn event(&mut self, actor: &str, kind: EventKind, mut given: StepInput) -> Reason {
        given.now = self.now;
        given.addressing.direct = true;
        given.actor = (!actor.is_empty()).then(|| Actor {
            id: actor.into(),
            name: actor.into(),
            principals: vec![format!("user:{actor}")],
            ..Actor::default()
        });
        let revision = self.lane.revision + 1;
        let event = Event { id: format!("e{revision}"), received_at: self.now, actor: actor.into(), kind };
        let step = step(&self.lane, &event, &given, &self.policy);
        for effect in &step.effects {
            match &effect.body {
                EffectBody::CardPost { card, .. } => self.cards.push(card.id.clone()),
                EffectBody::TrackerCheck { card, .. } => self.checks.push((effect.id.clone(), card.clone())),
                EffectBody::TrackerCreate { card, .. } => {
                    self.creates.push((effect.id.clone(), card.clone()))
                }
                _ => {}
            }
        }
        let summary = TurnSummary {
            turn: IdGenerator::new(&self.lane.key, revision).turn(),
            at: self.now,
            event: event.kind.name().into(),
            decision: step.decision.clone(),
            trace: step.trace.clone(),
            effects: step.effects.iter().map(|e| (e.body.class().as_str().into(), e.id.0.clone())).collect(),
        };
        let reason = step.decision.reason;
        self.turns.push(Recorded { revision, event, given, summary, messages: step.messages.clone() });
        self.lane.apply(step.next, &step.changes);
        reason
    }

    fn says(&mut self, text: &str, reply: Option<&str>) -> Reason {
        let message = |id: &str| self.lane.records.get::<Message>(&MessageId::from(id)).cloned();
        let given = StepInput { anchor: reply.and_then(message), ..StepInput::default() };
        let posted =
            MessagePosted { text: text.into(), reply_to: reply.map(Into::into), ..MessagePosted::default() };
        self.event("ana", EventKind::MessagePosted(posted), given)
    }

    fn press(&mut self, actor: &str, card: &CardId, version: u32, action: Action) -> Reason {
        let lane = self.lane.key.clone();
        let target = PressTarget {
            lane,
            card: card.clone(),
            version,
            item: String::new(),
            action,
            intact: true,
            approved: None,
        };
        let given = StepInput { press: Some(target), ..StepInput::default() };
        let press = Press::Token("t".into());
        self.event(actor, EventKind::CardPressed { press, remember: false }, given)
    }

    fn settled(&mut self, effect: &throughline_engine::EffectId, card: &CardId, result: EffectResult) {
        let outcome = Outcome::Done { result };
        let kind = EventKind::EffectSettled {
            effect: effect.clone(),
            outcome,
            card: Some(card.clone()),
            task: None,
            unshown: None,
        };
        self.event("", kind, StepInput::default());
    }

    fn checked(&mut self) {
        let (effect, card) = self.checks.last().cloned().unwrap();
        self.settled(&effect, &card, EffectResult::Checked);
    }
}

#[test]
fn a_recorded_lane_becomes_an_equal_conversation() {
    let mut talk = Talk::new();
    talk.says("Create a ticket for login bug\nSteps: open /login\nExpected: the form\nActual: nothing", None);
    talk.checked();
    let card = talk.cards[0].clone();
    let shown = talk.turns[0].messages[1].0.clone();
    talk.now = START.plus(90_500);
    assert_eq!(talk.says("yes, approve it", Some(&shown)), Reason::ApprovalNotByText);
    let values = [("title".to_string(), "Login: \"blank\"\npage".to_string())].into();
    let given = StepInput {
        press: Some(PressTarget {
            lane: talk.lane.key.clone(),
            card: card.clone(),
            version: 1,
            item: String::new(),
            action: Action::Edit,
            intact: true,
            approved: None,
        }),
        ..StepInput::default()
    };
    let form = EventKind::FormSubmitted { press: Press::Token("t".into()), values };
    assert_eq!(talk.event("ana", form, given), Reason::PressApplied);
    talk.checked();
    assert_eq!(talk.press("bob", &card, 1, Action::Approve), Reason::StaleVersion);
    assert_eq!(talk.press("ana", &card, 2, Action::Approve), Reason::PressApplied);
    talk.checked();
    let (effect, of) = talk.creates[0].clone();
    talk.settled(&effect, &of, EffectResult::Issue { key: "DEMO-1".into(), url: None });
    assert_eq!(
        talk.event("ana", EventKind::Command { text: "status".into() }, StepInput::default()),
        Reason::CommandStatus
    );

    let lane = RecordedLane { lane: talk.lane.key.clone(), turns: talk.turns, policy: talk.policy };
    let yaml = lane.to_yaml("login");
    let scenario = parse("login.scenario.yaml", &yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"));

    assert_eq!(scenario.given.clock, START);
    assert_eq!(scenario.given.policy, [("expiry.gate_ms".to_string(), 5_000.into())]);
    assert!(scenario.given.users["ana"].approves && !scenario.given.users["bob"].approves, "{yaml}");
    let acts: Vec<&Act> = scenario.turns.iter().map(|turn| &turn.act).collect();
    let [
        Act::Message(_),
        Act::Advance(90_500),
        Act::Message(reply),
        Act::Form { card, .. },
        stale,
        approve,
        command,
    ] = acts.as_slice()
    else {
        panic!("{yaml}")
    };
    assert_eq!(scenario.turns[0].name.as_deref(), Some("turn1"));
    assert_eq!((reply.replies_to.as_deref(), card.as_str()), (Some("turn1"), "turn1"), "{yaml}");
    assert!(matches!(stale, Act::Press(press) if press.user == "bob" && press.card == "turn1.v1"), "{yaml}");
    assert!(
        matches!(approve, Act::Press(press) if press.card == "turn1" && press.action == "approve"),
        "{yaml}"
    );
    assert!(matches!(command, Act::Command { text, .. } if text == "/maro status"), "{yaml}");
    let approved = scenario.turns[5].expect.as_ref().unwrap();
    assert!(approved.contains(&Expectation::Reason(Reason::PressApplied.to_string())));
    assert!(approved.contains(&Expectation::Effects([("tracker.create".to_string(), 1)].into())), "{yaml}");
}

#[test]
fn outside_answers_become_faults_and_script() {
    let mut talk = Talk::new();
    talk.says("Create a ticket for login bug\nSteps: a\nExpected: b\nActual: c", None);
    talk.checked();
    let card = talk.cards[0].clone();
    talk.press("ana", &card, 1, Action::Approve);
    talk.checked();
    let (effect, card) = talk.creates[0].clone();
    let outcome = Outcome::Uncertain { text: Fault::Said("timeout".into()) };
    talk.event(
        "",
        EventKind::EffectSettled { effect, outcome, card: Some(card), task: None, unshown: None },
        StepInput::default(),
    );
    let lane = RecordedLane { lane: talk.lane.key.clone(), turns: talk.turns, policy: talk.policy };
    let yaml = lane.to_yaml("uncertain");
    let scenario = parse("t", &yaml).unwrap();
    assert_eq!(scenario.given.tracker.fail.len(), 1);
    assert_eq!(
        (scenario.given.tracker.fail[0].how.as_str(), scenario.given.tracker.idempotent),
        ("lost_request", false)
    );
    assert_eq!(scenario.turns.len(), 2, "{yaml}");
}
