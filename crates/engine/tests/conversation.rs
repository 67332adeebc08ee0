//! What a prompt shows of a conversation, and what becomes of the rest (`spec 05 §6`, `§7`).

mod world;

use proptest::prelude::*;
use throughline_engine::ask::{Answer, Ask, Purpose, Question};
use throughline_engine::context::prompt::Section;
use throughline_engine::effect::{EffectBody, EffectResult, Outcome};
use throughline_engine::event::{AssistantPosted, EventKind, Posted};
use throughline_engine::lane::{Message, MessageKind};
use throughline_engine::{EffectId, Given, Lane, MessageId, Reason, Step, Verdict, needs, snapshot};
use world::World;

/// A lane in which that many messages were said, a model that summarises beside it, and the newest step.
struct Talk {
    world: World,
    store: Vec<Message>,
}

impl Talk {
    fn new(model: bool) -> Self {
        let mut world = World::new();
        world.model = model;
        Self { world, store: Vec::new() }
    }

    /// What the runtime looks up for an event.
    fn given(&self, kind: &EventKind) -> Given {
        let mut given = Given { now: self.world.now, ..Given::default() };
        given.addressing.direct = true;
        given.model = if self.world.model { [Purpose::Summary].into_iter().collect() } else { false.into() };
        let event = throughline_engine::Event {
            id: String::new(),
            received_at: self.world.now,
            actor: "ana".into(),
            kind: kind.clone(),
        };
        let wanted = needs(&self.world.lane, &event, &given, &self.world.policy);
        let kept = self.store.iter().filter(|message| wanted.iter().any(|key| key.key == message.id.0));
        given.revived = kept.cloned().map(throughline_engine::Record::Message).collect();
        given
    }

    fn event(&mut self, kind: EventKind, given: Given) -> Step {
        let step = self.world.event("ana", kind, given);
        for change in &step.changes {
            if let throughline_engine::Change::Put(throughline_engine::Record::Message(message)) = change {
                self.store.retain(|kept| kept.id != message.id);
                self.store.push(message.clone());
            }
        }
        step
    }

    /// One raw message more, that nobody answers.
    fn note(&mut self, text: &str) -> Step {
        let kind = EventKind::MessagePosted(Posted { text: text.into(), ..Posted::default() });
        let mut given = self.given(&kind);
        given.addressing =
            throughline_engine::given::Addressing { thread_ours: true, to_other: true, ..Default::default() };
        self.event(kind, given)
    }

    fn notes(&mut self, count: usize) -> Option<(EffectId, Ask)> {
        let mut asked = None;
        for n in 0..count {
            let step = self.note(&format!("note {n}"));
            asked = asked.or(asks(&step));
        }
        asked
    }

    fn settles(&mut self, effect: &EffectId, answer: Answer) -> Step {
        let outcome = Outcome::Done { result: EffectResult::Answered(answer) };
        let kind = EventKind::EffectSettled { effect: effect.clone(), outcome, card: None, task: None };
        let given = self.given(&kind);
        self.event(kind, given)
    }

    /// One whose oldest notes are condensed; one of those, and all of them.
    fn folded() -> (Self, Message, Vec<Message>) {
        let mut talk = Self::new(true);
        let (effect, _) = talk.notes(31).unwrap();
        let _ = talk.settles(&effect, says("The secret is note 1."));
        let gone = talk.store.iter().find(|message| message.text == "note 1").unwrap().clone();
        let head = &talk.lane().head;
        let covered = talk.store.iter().filter(|message| !head.is_raw(&message.id)).cloned().collect();
        (talk, gone, covered)
    }

    fn lane(&self) -> &Lane {
        &self.world.lane
    }
}

fn asks(step: &Step) -> Option<(EffectId, Ask)> {
    step.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::ModelAsk(ask) if ask.purpose() == Purpose::Summary => {
            Some((effect.id.clone(), ask.clone()))
        }
        _ => None,
    })
}

fn says(text: &str) -> Answer {
    Answer::Summary { text: text.into(), facts: Vec::new() }
}

/// What a section of an answer's prompt says.
fn section(step: &Step, section: Section) -> String {
    let prompt = step.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::ModelAsk(ask) => Some(&ask.prompt),
        _ => None,
    });
    let found = prompt.unwrap().sections.iter().find(|(one, _)| *one == section);
    found.map(|(_, text)| text.clone()).unwrap_or_default()
}

/// As many messages are shown as the policy says (`spec 05 §6`, 10 to 20).
#[test]
fn the_window_is_as_long_as_the_policy_has_it() {
    for most in [10, 15, 20] {
        let mut talk = Talk::new(false);
        talk.world.policy.context.window = most;
        talk.notes(25);
        let kind = EventKind::MessagePosted(Posted { text: "is that so, bob?".into(), ..Posted::default() });
        let given = Given { model: true.into(), ..talk.given(&kind) };
        let window = section(&talk.event(kind, given), Section::Window);
        for n in 0..25 {
            assert_eq!(window.contains(&format!("\"note {n}\"")), n >= 25 - most, "{n} of {most}: {window}");
        }
    }
}

/// A message that is replied to and stands in the window is shown once, where it is replied to.
#[test]
fn c31_an_anchor_of_the_window_stands_once() {
    let mut talk = Talk::new(false);
    talk.notes(4);
    let anchor = talk.store[1].clone();
    let posted =
        Posted { text: "is that so, bob?".into(), reply_to: Some("c_1".into()), ..Posted::default() };
    let kind = EventKind::MessagePosted(posted);
    let given = Given { anchor: Some(anchor), model: true.into(), ..talk.given(&kind) };
    let step = talk.event(kind, given);
    let (window, aside) = (section(&step, Section::Window), section(&step, Section::Anchor));
    for (text, beside) in [("note 0", true), ("note 1", true), ("note 2", true), ("note 3", false)] {
        assert_eq!(aside.contains(text), beside, "{text}: {aside}");
        assert_eq!(window.contains(text), !beside, "{text}: {window}");
    }
}

/// What was deleted is in no prompt from then on.
#[test]
fn c34_a_deleted_message_is_gone_at_once() {
    let mut talk = Talk::new(false);
    talk.notes(3);
    let anchor = talk.store[1].clone();
    let kind = EventKind::MessageDeleted { message: anchor.id.0.clone() };
    let given = Given { anchor: Some(anchor), ..talk.given(&kind) };
    assert_eq!(talk.event(kind, given).decision.reason, Reason::MessageDeleted);
    let kind = EventKind::MessagePosted(Posted { text: "how does that sit?".into(), ..Posted::default() });
    let given = Given { model: true.into(), ..talk.given(&kind) };
    let step = talk.event(kind, given);
    let window = section(&step, Section::Window);
    assert!(window.contains("note 0") && window.contains("note 2") && !window.contains("note 1"), "{window}");
}

/// What one person was told alone stands in nobody else's prompt: not in the window, not where it is replied to, and in no
/// summary, by a model or by lines.
#[test]
fn c34_what_one_was_told_alone_is_shown_to_no_other() {
    let told = |model| {
        let mut talk = Talk::new(model);
        let kind = EventKind::AssistantPosted(AssistantPosted {
            kind: MessageKind::Answer,
            task: None,
            text: "We decided that the salary of bob is 40,000".into(),
            expected: None,
            asked_of: Some("bob".into()),
            expires: None,
        });
        let given = talk.given(&kind);
        let _ = talk.event(kind, given);
        assert_eq!(talk.store[0].to.as_deref(), Some("bob"));
        talk
    };
    for reply_to in [None, Some("c_1".into())] {
        let mut talk = told(false);
        let _ = talk.note("the weather is fine");
        let kind = EventKind::MessagePosted(Posted {
            text: "how does that sit?".into(),
            reply_to,
            ..Posted::default()
        });
        let anchor = Some(talk.store[0].clone());
        let given = Given { anchor, model: true.into(), ..talk.given(&kind) };
        let step = talk.event(kind, given);
        let (window, aside) = (section(&step, Section::Window), section(&step, Section::Anchor));
        assert!(window.contains("weather") || aside.contains("weather"), "{window}{aside}");
        assert!(!format!("{window}{aside}").contains("salary"), "{window}{aside}");
    }
    for model in [true, false] {
        let mut talk = told(model);
        let asked = talk.notes(31);
        assert_eq!(asked.is_some(), model);
        let shown = format!("{asked:?} {:?}", talk.lane().head.covered);
        assert!(shown.contains("note 0") && !shown.contains("salary"), "{shown}");
    }
}

/// A message is taken back while it is being condensed: the request is, too, and the next one does not hold it.
#[test]
fn c41_a_request_that_holds_deleted_words_is_taken_back() {
    let mut talk = Talk::new(true);
    let (effect, _) = talk.notes(31).unwrap();
    let gone = talk.store.iter().find(|message| message.text == "note 1").unwrap().clone();
    let kind = EventKind::MessageDeleted { message: gone.id.0.clone() };
    let given = Given { anchor: Some(gone), ..talk.given(&kind) };
    let step = talk.event(kind, given);
    assert!(step.cancel.contains(&effect), "{:?}", step.cancel);
    let again = asks(&step).or_else(|| talk.notes(1)).unwrap();
    let Question::Summary { messages, .. } = &again.1.question else { panic!() };
    assert!(messages.iter().any(|line| line.contains("note 0\"")), "{messages:?}");
    assert!(!messages.iter().any(|line| line.contains("note 1\"")), "{messages:?}");
    assert_eq!(talk.settles(&effect, says("It was note 1.")).decision.reason, Reason::SummarySuperseded);
}

/// What a summary names is looked for in whatever dress it comes, in its sources too.
#[test]
fn c36_a_summary_names_only_what_its_sources_do() {
    let mut talk = Talk::new(true);
    let _ = talk.note("`AUTH-12` is **mine**, says ana@example.com");
    let (effect, _) = talk.notes(30).unwrap();
    let before = talk.world.clone();
    for (text, reason) in [
        ("Ana has AUTH-12.", Reason::SummaryReplaced),
        ("Ana (ana@example.com) has “AUTH-12”, AUTH-12's hers.", Reason::SummaryReplaced),
        ("Ana has **AUTH-99**.", Reason::SummaryUngrounded),
        ("Ana has `AUTH-99`.", Reason::SummaryUngrounded),
        ("AUTH-99's hers.", Reason::SummaryUngrounded),
        ("Ana has AUTH-12/AUTH-99.", Reason::SummaryUngrounded),
        ("Ana has “AUTH-99”.", Reason::SummaryUngrounded),
        ("Ask _bob@example.com_.", Reason::SummaryUngrounded),
        ("Ask **@bob**.", Reason::SummaryUngrounded),
        ("It is [here](https://x.test/a).", Reason::SummaryUngrounded),
    ] {
        talk.world = before.clone();
        assert_eq!(talk.settles(&effect, says(text)).decision.reason, reason, "{text}");
        assert_eq!(talk.lane().head.cursor() > 0, reason == Reason::SummaryReplaced, "{text}");
    }
}

/// One of two answers is taken; an answer for what was folded meanwhile is not.
#[test]
fn c37_a_second_answer_changes_nothing() {
    let mut talk = Talk::new(true);
    let (effect, _) = talk.notes(31).unwrap();
    assert_eq!(talk.settles(&effect, says("First.")).decision.reason, Reason::SummaryReplaced);
    let before = talk.lane().head.covered.clone();
    assert_eq!(talk.settles(&effect, says("Second.")).decision.reason, Reason::SummarySuperseded);
    assert_eq!(talk.lane().head.covered, before);
    let mut late = Talk::new(true);
    let (effect, _) = late.notes(60).unwrap();
    assert_eq!((late.lane().head.cursor(), late.lane().head.raw().len()), (40, 20), "folded at the cap");
    assert_eq!(late.settles(&effect, says("Late.")).decision.reason, Reason::SummarySuperseded);
}

/// A request survives the host: the lane as it is stored takes the answer, and no message is folded twice.
#[test]
fn c40_a_request_survives_a_restart() {
    let mut talk = Talk::new(true);
    let (effect, ask) = talk.notes(31).unwrap();
    let Question::Summary { messages, .. } = &ask.question else { panic!() };
    assert_eq!(messages.len(), 11);
    let head = snapshot::decode_head(&snapshot::encode_head(&talk.lane().head)).unwrap();
    assert_eq!(head, talk.lane().head);
    talk.world.lane.head = head;
    let _ = talk.settles(&effect, says("Eleven notes."));
    assert_eq!((talk.lane().head.cursor(), talk.lane().head.raw().len()), (11, 20));
    let (_, next) = talk.notes(11).unwrap();
    let Question::Summary { messages: later, base_cursor, .. } = &next.question else { panic!() };
    assert_eq!((later.len(), *base_cursor), (11, 11));
    assert!(later.iter().all(|line| !messages.contains(line)), "a message is folded once");
}

/// The words of a folded message are taken back: what was made of them is shown no more, and made anew without them.
#[test]
fn c41_a_summary_of_deleted_words_is_withheld() {
    let (mut talk, gone, covered) = Talk::folded();
    let kind = EventKind::MessageDeleted { message: gone.id.0.clone() };
    let given = Given { anchor: Some(gone), covered: covered.clone(), ..talk.given(&kind) };
    let step = talk.event(kind, given);
    assert!(step.trace.also.contains(&Reason::SummaryWithheld));
    let head = &talk.lane().head;
    assert_eq!(head.covered.as_ref().unwrap().summary, None, "shown in no prompt from here on");
    let (effect, again) = asks(&step).unwrap();
    let Question::Summary { messages, .. } = &again.question else { panic!() };
    assert_eq!(messages.len(), 10);
    assert!(!messages.iter().any(|line| line.contains("note 1\"")), "{messages:?}");
    let outcome = Outcome::Done { result: EffectResult::Answered(says("Ten notes.")) };
    let kind = EventKind::EffectSettled { effect, outcome, card: None, task: None };
    let given = Given { covered, ..talk.given(&kind) };
    assert_eq!(talk.event(kind, given).decision.reason, Reason::SummaryReplaced);
    assert_eq!((talk.lane().head.cursor(), talk.lane().head.raw().len()), (11, 20), "the cursor stays");
}

/// Where no model makes it anew, lines of what is left stand in its place: nothing later is folded that holds them.
#[test]
fn c41_a_summary_that_is_not_made_again_leaves_lines() {
    let (mut talk, gone, covered) = Talk::folded();
    let kind = EventKind::MessageDeleted { message: gone.id.0.clone() };
    let given = Given { anchor: Some(gone.clone()), covered: covered.clone(), ..talk.given(&kind) };
    let (effect, _) = asks(&talk.event(kind, given)).unwrap();
    let outcome = Outcome::Failed { reason: "timeout".into(), text: String::new(), errors: Vec::new() };
    let kind = EventKind::EffectSettled { effect, outcome, card: None, task: None };
    let covered = covered.into_iter().filter(|message| message.id != gone.id).collect();
    let given = Given { covered, ..talk.given(&kind) };
    assert_eq!(talk.event(kind, given).decision.reason, Reason::SummaryFailed);
    let covered = talk.lane().head.covered.clone().unwrap();
    assert_eq!((covered.tail.len(), covered.cursor), (6, 11), "{covered:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// `K9`: covered and raw partition the lane's messages, the cursor never goes back, every message is folded once.
    #[test]
    fn k9_every_message_is_covered_or_raw(answers in prop::collection::vec(0..4u8, 40..120)) {
        let mut talk = Talk::new(true);
        let mut open: Option<EffectId> = None;
        let mut cursor = 0;
        let mut covered: Vec<MessageId> = Vec::new();
        for (n, answer) in answers.iter().enumerate() {
            let before = talk.lane().head.raw();
            let step = talk.note(&format!("note {n}"));
            prop_assert_eq!(step.decision.outcome, Verdict::Observed);
            open = asks(&step).map(|(effect, _)| effect).or(open);
            if let (Some(effect), true) = (&open, *answer < 3) {
                let answer = [says("Good."), says(""), Answer::None { why: "timeout".into() }];
                let answer = answer[usize::from(answers[n])].clone();
                let effect = effect.clone();
                let step = talk.settles(&effect, answer);
                open = asks(&step).map(|(effect, _)| effect);
            }
            let head = &talk.lane().head;
            let raw = head.raw();
            covered.extend(before.into_iter().filter(|id| !raw.contains(id)));
            prop_assert!(head.cursor() >= cursor);
            cursor = head.cursor();
            prop_assert_eq!(cursor as usize, covered.len());
            prop_assert_eq!(cursor as usize + raw.len(), n + 1);
            prop_assert!(raw.len() <= talk.world.policy.summary.hard_cap);
            prop_assert!(covered.iter().all(|id| !raw.contains(id)));
        }
    }
}
