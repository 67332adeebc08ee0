//! The conversation in prompts, and summaries of its older part.

mod harness;

use harness::TestLane;
use proptest::prelude::*;
use throughline_engine::data::ask::{Answer, Ask, Question};
use throughline_engine::data::call::Agent;
use throughline_engine::data::effect::{EffectBody, EffectResult, Outcome};
use throughline_engine::data::event::{AssistantPosted, EventKind, MessagePosted};
use throughline_engine::data::fault::Fault;
use throughline_engine::data::message::{Message, MessageKind};
use throughline_engine::data::policy::hosting::{Fallback, Replies};
use throughline_engine::data::prompt::PromptSection;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::data::snapshot;
use throughline_engine::data::step_input::SummaryLines;
use throughline_engine::summary::{as_read, lines_made, needs_covered};
use throughline_engine::{EffectId, Lane, MessageId, Policy, Reason, Step, StepInput, Verdict, needs};

/// A lane with that many messages, a model that summarises, and the newest step.
struct Talk {
    harness: TestLane,
    store: Vec<Message>,
    lines: SummaryLines,
}

impl Talk {
    fn new(model: bool) -> Self {
        let mut harness = TestLane::new();
        harness.model = model;
        Self { harness, store: Vec::new(), lines: SummaryLines::AtOnce }
    }

    /// The messages that the summary covers, as the runtime would look them up.
    fn covered(&self) -> Vec<Message> {
        let covered = self.store.iter().filter(|message| !self.lane().head.is_raw(&message.id));
        let mut newest: Vec<Message> = covered.cloned().collect();
        newest.drain(..newest.len().saturating_sub(self.harness.policy.summary.hard_cap));
        newest
    }

    /// The input the runtime would collect for an event.
    fn given(&self, kind: &EventKind) -> StepInput {
        let mut given = StepInput { now: self.harness.now, lines: self.lines, ..StepInput::default() };
        given.addressing.direct = true;
        given.model =
            if self.harness.model { [Purpose::Summary].into_iter().collect() } else { false.into() };
        let event = throughline_engine::Event {
            id: String::new(),
            received_at: self.harness.now,
            actor: "ana".into(),
            kind: kind.clone(),
        };
        if needs_covered(&self.harness.lane, &event, &given) {
            given.covered = self.covered();
        }
        let wanted = needs(&self.harness.lane, &event, &given, &self.harness.policy);
        let kept = self.store.iter().filter(|message| wanted.iter().any(|key| key.key == message.id.0));
        given.revived = kept.cloned().map(throughline_engine::data::record::Record::Message).collect();
        given
    }

    fn event(&mut self, kind: EventKind, given: StepInput) -> Step {
        let step = self.harness.event("ana", kind, given);
        for change in &step.changes {
            if let throughline_engine::data::record::Change::Put(
                throughline_engine::data::record::Record::Message(message),
            ) = change
            {
                self.store.retain(|kept| kept.id != message.id);
                self.store.push(message.clone());
            }
        }
        step
    }

    /// Adds a raw message that nobody answers.
    fn note(&mut self, text: &str) -> Step {
        let kind = EventKind::MessagePosted(MessagePosted { text: text.into(), ..MessagePosted::default() });
        let mut given = self.given(&kind);
        given.addressing = throughline_engine::data::step_input::Addressing {
            thread_ours: true,
            to_other: true,
            ..Default::default()
        };
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
        let kind = EventKind::EffectSettled {
            effect: effect.clone(),
            outcome,
            card: None,
            task: None,
            unshown: None,
        };
        let given = self.given(&kind);
        self.event(kind, given)
    }

    /// A lane with a summary of its oldest notes, one of these notes, and all of them.
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
        &self.harness.lane
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

/// Returns a section of the prompt for an answer.
fn section(step: &Step, section: PromptSection) -> String {
    let prompt = step.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::ModelAsk(ask) => Some(&ask.prompt),
        _ => None,
    });
    let found = prompt.unwrap().sections.iter().find(|(one, _)| *one == section);
    found.map(|(_, text)| text.clone()).unwrap_or_default()
}

/// The policy sets the number of messages shown, from 10 to 20.
#[test]
fn the_policy_sets_the_length_of_the_window() {
    for most in [10, 15, 20] {
        let mut talk = Talk::new(false);
        talk.harness.policy.context.window = most;
        talk.notes(25);
        let kind = EventKind::MessagePosted(MessagePosted {
            text: "is that so, bob?".into(),
            ..MessagePosted::default()
        });
        let given = StepInput { model: true.into(), ..talk.given(&kind) };
        let window = section(&talk.event(kind, given), PromptSection::Window);
        for n in 0..25 {
            assert_eq!(window.contains(&format!("\"note {n}\"")), n >= 25 - most, "{n} of {most}: {window}");
        }
    }
}

/// A message that is replied to is shown once, although it is in the window too.
// row: C31
#[test]
fn an_anchor_in_the_window_is_shown_once() {
    let mut talk = Talk::new(false);
    talk.notes(4);
    let anchor = talk.store[1].clone();
    let posted = MessagePosted {
        text: "is that so, bob?".into(),
        reply_to: Some("c_1".into()),
        ..MessagePosted::default()
    };
    let kind = EventKind::MessagePosted(posted);
    let given = StepInput { anchor: Some(anchor), model: true.into(), ..talk.given(&kind) };
    let step = talk.event(kind, given);
    let (window, aside) = (section(&step, PromptSection::Window), section(&step, PromptSection::Anchor));
    for (text, beside) in [("note 0", true), ("note 1", true), ("note 2", true), ("note 3", false)] {
        assert_eq!(aside.contains(text), beside, "{text}: {aside}");
        assert_eq!(window.contains(text), !beside, "{text}: {window}");
    }
}

/// Deleted text is in no later prompt.
// row: C34
#[test]
fn a_deleted_message_is_in_no_later_prompt() {
    let mut talk = Talk::new(false);
    talk.notes(3);
    let anchor = talk.store[1].clone();
    let kind = EventKind::MessageDeleted { message: anchor.id.0.clone() };
    let given = StepInput { anchor: Some(anchor), ..talk.given(&kind) };
    assert_eq!(talk.event(kind, given).decision.reason, Reason::MessageDeleted);
    let kind = EventKind::MessagePosted(MessagePosted {
        text: "how does that sit?".into(),
        ..MessagePosted::default()
    });
    let given = StepInput { model: true.into(), ..talk.given(&kind) };
    let step = talk.event(kind, given);
    let window = section(&step, PromptSection::Window);
    assert!(window.contains("note 0") && window.contains("note 2") && !window.contains("note 1"), "{window}");
}

/// A private message is in nobody else's prompt: not in the window, not as the message replied to, and not in a
/// summary.
// row: C34
#[test]
fn a_private_message_is_shown_to_nobody_else() {
    let told = |model| {
        let mut talk = Talk::new(model);
        let kind = EventKind::AssistantPosted(AssistantPosted {
            kind: MessageKind::Answer,
            task: None,
            text: "We decided that the salary of bob is 40,000".into(),
            expected: None,
            asked_of: Some("bob".into()),
            expires: None,
            message_id: None,
        });
        let given = talk.given(&kind);
        let _ = talk.event(kind, given);
        assert_eq!(talk.store[0].to.as_deref(), Some("bob"));
        talk
    };
    for reply_to in [None, Some("c_1".into())] {
        let mut talk = told(false);
        let _ = talk.note("the weather is fine");
        let kind = EventKind::MessagePosted(MessagePosted {
            text: "how does that sit?".into(),
            reply_to,
            ..MessagePosted::default()
        });
        let anchor = Some(talk.store[0].clone());
        let given = StepInput { anchor, model: true.into(), ..talk.given(&kind) };
        let step = talk.event(kind, given);
        let (window, aside) = (section(&step, PromptSection::Window), section(&step, PromptSection::Anchor));
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

/// Deleting a message while it is being summarised cancels the request, and the next request does not contain it.
// row: C41
#[test]
fn deleting_a_message_cancels_its_summary_request() {
    let mut talk = Talk::new(true);
    let (effect, _) = talk.notes(31).unwrap();
    let gone = talk.store.iter().find(|message| message.text == "note 1").unwrap().clone();
    let kind = EventKind::MessageDeleted { message: gone.id.0.clone() };
    let given = StepInput { anchor: Some(gone), ..talk.given(&kind) };
    let step = talk.event(kind, given);
    assert!(step.cancel.contains(&effect), "{:?}", step.cancel);
    let again = asks(&step).or_else(|| talk.notes(1)).unwrap();
    let Question::Summary { messages, .. } = &again.1.question else { panic!() };
    assert!(messages.iter().any(|line| line.contains("note 0\"")), "{messages:?}");
    assert!(!messages.iter().any(|line| line.contains("note 1\"")), "{messages:?}");
    assert_eq!(talk.settles(&effect, says("It was note 1.")).decision.reason, Reason::SummarySuperseded);
}

/// Names in a summary are found in their sources in any spelling.
// row: C36
#[test]
fn a_summary_names_only_what_its_sources_do() {
    let mut talk = Talk::new(true);
    let _ = talk.note("`AUTH-12` is **mine**, says ana@example.com");
    let (effect, _) = talk.notes(30).unwrap();
    let before = talk.harness.clone();
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
        talk.harness = before.clone();
        assert_eq!(talk.settles(&effect, says(text)).decision.reason, reason, "{text}");
        assert_eq!(talk.lane().head.cursor() > 0, reason == Reason::SummaryReplaced, "{text}");
    }
}

/// Of two answers the first is taken, and an answer for messages that were folded meanwhile is not.
// row: C37
#[test]
fn a_second_answer_changes_nothing() {
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

/// A request survives a restart: the stored lane takes the answer, and no message is folded twice.
// row: C40
#[test]
fn a_request_survives_a_restart() {
    let mut talk = Talk::new(true);
    let (effect, ask) = talk.notes(31).unwrap();
    let Question::Summary { messages, .. } = &ask.question else { panic!() };
    assert_eq!(messages.len(), 11);
    let head = snapshot::decode_head(&snapshot::encode_head(&talk.lane().head)).unwrap();
    assert_eq!(head, talk.lane().head);
    talk.harness.lane.head = head;
    let _ = talk.settles(&effect, says("Eleven notes."));
    assert_eq!((talk.lane().head.cursor(), talk.lane().head.raw().len()), (11, 20));
    let (_, next) = talk.notes(11).unwrap();
    let Question::Summary { messages: later, base_cursor, .. } = &next.question else { panic!() };
    assert_eq!((later.len(), *base_cursor), (11, 11));
    assert!(later.iter().all(|line| !messages.contains(line)), "a message is folded once");
}

/// Deleting a folded message hides the summary, which is made again without it.
// row: C41
#[test]
fn a_summary_of_deleted_words_is_withheld() {
    let (mut talk, gone, covered) = Talk::folded();
    let kind = EventKind::MessageDeleted { message: gone.id.0.clone() };
    let given = StepInput { anchor: Some(gone), covered: covered.clone(), ..talk.given(&kind) };
    let step = talk.event(kind, given);
    assert!(step.trace.also.contains(&Reason::SummaryWithheld));
    let head = &talk.lane().head;
    assert_eq!(head.covered.as_ref().unwrap().summary, None, "shown in no prompt from here on");
    let (effect, again) = asks(&step).unwrap();
    let Question::Summary { messages, .. } = &again.question else { panic!() };
    assert_eq!(messages.len(), 10);
    assert!(!messages.iter().any(|line| line.contains("note 1\"")), "{messages:?}");
    let outcome = Outcome::Done { result: EffectResult::Answered(says("Ten notes.")) };
    let kind = EventKind::EffectSettled { effect, outcome, card: None, task: None, unshown: None };
    let given = StepInput { covered, ..talk.given(&kind) };
    assert_eq!(talk.event(kind, given).decision.reason, Reason::SummaryReplaced);
    assert_eq!((talk.lane().head.cursor(), talk.lane().head.raw().len()), (11, 20), "the cursor stays");
}

/// Without a model, lines of the remaining messages replace the summary, and nothing folded later contains the
/// deleted text.
// row: C41
#[test]
fn without_a_model_lines_replace_a_withheld_summary() {
    let (mut talk, gone, covered) = Talk::folded();
    let kind = EventKind::MessageDeleted { message: gone.id.0.clone() };
    let given = StepInput { anchor: Some(gone.clone()), covered: covered.clone(), ..talk.given(&kind) };
    let (effect, _) = asks(&talk.event(kind, given)).unwrap();
    let outcome =
        Outcome::Failed { reason: "timeout".into(), text: Fault::Said(String::new()), errors: Vec::new() };
    let kind = EventKind::EffectSettled { effect, outcome, card: None, task: None, unshown: None };
    let covered = covered.into_iter().filter(|message| message.id != gone.id).collect();
    let given = StepInput { covered, ..talk.given(&kind) };
    assert_eq!(talk.event(kind, given).decision.reason, Reason::SummaryFailed);
    let covered = talk.lane().head.covered.clone().unwrap();
    assert_eq!((covered.tail.len(), covered.cursor), (6, 11), "{covered:?}");
}

/// A lane that nobody is shown: no message is loaded for a fold, and the head does not grow.
#[test]
fn lines_that_nobody_reads_are_not_made() {
    let mut talk = Talk::new(false);
    talk.lines = SummaryLines::WhenRead;
    for n in 0..200 {
        let kind =
            EventKind::MessagePosted(MessagePosted { text: format!("note {n}"), ..MessagePosted::default() });
        assert!(talk.given(&kind).revived.is_empty(), "note {n}");
        let folded = talk.note(&format!("note {n}")).trace.also.contains(&Reason::SummaryExtracted);
        assert_eq!(folded, n > 29 && (n - 30) % 11 == 0, "note {n}");
    }
    let covered = talk.lane().head.covered.clone().unwrap();
    assert_eq!((covered.tail.len(), covered.owed.as_slice()), (0, [11; 6].as_slice()), "{covered:?}");
}

/// The first turn in which somebody may be shown the lane makes the lines that are owed.
#[test]
fn owed_lines_are_made_when_somebody_may_read_them() {
    let mut talk = Talk::new(false);
    talk.lines = SummaryLines::WhenRead;
    let _ = talk.notes(70);
    let read = as_read(&talk.lane().head, &talk.covered(), &talk.harness.policy);
    assert_eq!((read.tail.len(), read.cursor), (20, 44));
    talk.lines = SummaryLines::AtOnce;
    let _ = talk.note("one more");
    let covered = talk.lane().head.covered.clone().unwrap();
    assert_eq!(*covered, read);
    let _ = talk.note("and another");
    assert_eq!(talk.lane().head.covered.clone().unwrap(), covered, "they are made once");
}

/// A deleted message stands in no line that is made later.
#[test]
fn a_deleted_message_is_in_no_line_made_later() {
    let mut talk = Talk::new(false);
    talk.lines = SummaryLines::WhenRead;
    let _ = talk.note("we decided on Postgres");
    let _ = talk.notes(35);
    let gone = talk.store[0].clone();
    let kind = EventKind::MessageDeleted { message: gone.id.0.clone() };
    let given = StepInput { anchor: Some(gone), ..talk.given(&kind) };
    let _ = talk.event(kind, given);
    let read = as_read(&talk.lane().head, &talk.covered(), &talk.harness.policy);
    assert_eq!(read.tail.len(), 6);
    assert!(!read.tail.iter().any(|line| line.contains("Postgres")), "{read:?}");
}

#[test]
fn whoever_works_on_a_lane_is_shown_its_lines() {
    let lane = TestLane::new().lane.key;
    let policy = Policy::default();
    let models = |purpose| [purpose].into_iter().collect();
    assert_eq!(lines_made(&lane, false.into(), &policy), SummaryLines::WhenRead);
    assert_eq!(lines_made(&lane, models(Purpose::Answer), &policy), SummaryLines::AtOnce);
    for shown in [
        Policy { fallback: Fallback::Host, ..policy.clone() },
        Policy { replies: Replies::None, ..policy.clone() },
        Policy { agents: [("writer".into(), Agent::default())].into(), ..policy.clone() },
    ] {
        assert_eq!(lines_made(&lane, false.into(), &shown), SummaryLines::AtOnce, "{shown:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Lines that are made when they are read are those that every fold would have made.
    #[test]
    fn lines_made_late_are_the_same(words in prop::collection::vec(0..6usize, 20..150)) {
        const SAID: [&str; 6] = ["ok", "note", "we decided", "due 2026-05-01", "thanks", "AUTH-9 must wait"];
        let mut at_once = Talk::new(false);
        let mut late = Talk::new(false);
        late.lines = SummaryLines::WhenRead;
        for (n, word) in words.iter().enumerate() {
            let text = format!("{} {n}", SAID[*word]);
            let (made, left) = (at_once.note(&text), late.note(&text));
            prop_assert_eq!(made.trace.also, left.trace.also);
            prop_assert_eq!(at_once.lane().head.raw(), late.lane().head.raw());
            let read = as_read(&late.lane().head, &late.covered(), &late.harness.policy);
            let made = at_once.lane().head.covered.as_deref().cloned().unwrap_or_default();
            prop_assert_eq!(made, read);
        }
    }

    /// Covered and raw messages partition the lane's messages, the cursor never goes back, and every message is
    /// folded once.
    #[test]
    fn every_message_is_covered_or_raw(answers in prop::collection::vec(0..4u8, 40..120)) {
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
            prop_assert!(raw.len() <= talk.harness.policy.summary.hard_cap);
            prop_assert!(covered.iter().all(|id| !raw.contains(id)));
        }
    }
}
