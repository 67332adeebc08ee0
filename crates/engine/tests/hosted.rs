//! Lanes in which a host's own agent answers what the engine does not decide (`docs/design/0068-hosts.md`).

mod harness;

use harness::TestLane;
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::call::{Agent, Risk};
use throughline_engine::data::decision::Verdict;
use throughline_engine::data::effect::{EffectBody, EffectClass, EffectResult, Outcome};
use throughline_engine::data::event::{AssistantPosted, EventKind, MessagePosted};
use throughline_engine::data::fault::{Fault, SendingFault};
use throughline_engine::data::handover::{Handover, HostAnswer};
use throughline_engine::data::message::{Message, MessageKind, Role};
use throughline_engine::data::option_set::OptionsShown;
use throughline_engine::data::policy::hosting::{BuiltIn, Fallback, Replies};
use throughline_engine::data::policy::limits;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::SetOption;
use throughline_engine::{EffectId, Policy, Reason, Step, StepInput};
use throughline_language::Expected;

/// Messages of every kind that a rule knows, in English and German, and some that none does.
const MESSAGES: [&str; 44] = [
    "Create a ticket for login bug",
    "create an epic with 3 stories",
    "Erstelle ein Ticket für den Login-Fehler",
    "make a bug for this",
    "Review this: we should drop the cache",
    "Prüfe das bitte",
    "What do you think about microservices?",
    "The export is broken on Fridays",
    "hello",
    "Hallo",
    "hi there!",
    "thanks",
    "danke",
    "ok",
    "not now",
    "no",
    "yes",
    "help",
    "Hilfe",
    "what can you do?",
    "was kannst du?",
    "what is open?",
    "status",
    "Approve!",
    "Freigeben",
    "stop",
    "Stopp",
    "cancel that",
    "@writer draft the partner update",
    "ask the writer to draft the update",
    "remember that the deploy is on Friday",
    "Merk dir, dass der Deploy am Freitag ist",
    "We decided to use Postgres because we know it.",
    "Record the decision: we use Postgres because we know it.",
    "change the title of DEMO-1 to Hello",
    "close DEMO-1",
    "what is the status of DEMO-1?",
    "link OPS-1 to OPS-2",
    "remember that for this thread",
    "the second one",
    "find me a hotel in Lisbon for 3 nights",
    "what tickets do we have?",
    "are you a bot?",
    "👍",
];

fn lane(capabilities: &[BuiltIn], replies: Replies) -> TestLane {
    let mut w = TestLane::new();
    w.policy = Policy {
        fallback: Fallback::Host,
        capabilities: Some(capabilities.to_vec()),
        replies,
        ..w.policy.clone()
    };
    w
}

fn says(w: &mut TestLane, who: &str, text: &str) -> Step {
    posts(w, who, MessagePosted { text: text.into(), ..MessagePosted::default() })
}

fn posts(w: &mut TestLane, who: &str, posted: MessagePosted) -> Step {
    let mut given = StepInput { now: w.now, ..StepInput::default() };
    given.addressing.direct = true;
    w.event(who, EventKind::MessagePosted(posted), given)
}

fn handed(step: &Step) -> Option<(EffectId, Handover)> {
    step.effects.iter().find_map(|effect| match &effect.body {
        EffectBody::TurnHandover(handover) => Some((effect.id.clone(), (**handover).clone())),
        _ => None,
    })
}

fn spoken(step: &Step) -> Vec<String> {
    step.effects
        .iter()
        .filter_map(|effect| match &effect.body {
            EffectBody::Reply { text, .. } | EffectBody::Notice { text, .. } => Some(text.clone()),
            EffectBody::CardPost { card, .. } | EffectBody::CardUpdate { card, .. } => {
                Some(card.title.clone())
            }
            _ => None,
        })
        .collect()
}

fn settles(w: &mut TestLane, effect: &EffectId, outcome: Outcome) -> Step {
    let task = None;
    let kind = EventKind::EffectSettled { effect: effect.clone(), outcome, card: None, task, unshown: None };
    let given = StepInput { now: w.now, ..StepInput::default() };
    w.event("", kind, given)
}

fn answers(w: &mut TestLane, effect: &EffectId, answer: HostAnswer) -> Step {
    settles(w, effect, Outcome::Done { result: EffectResult::Handled(Box::new(answer)) })
}

fn said(text: &str) -> AssistantPosted {
    let kind = MessageKind::Answer;
    AssistantPosted {
        kind,
        task: None,
        text: text.into(),
        expected: None,
        asked_of: None,
        expires: None,
        message_id: None,
    }
}

fn list(labels: &[&str]) -> OptionsShown {
    let option = |label: &&str| {
        serde_json::from_value::<SetOption>(serde_json::json!(
            {"id": label.to_lowercase(), "label": label, "exec_ref": format!("book:{label}"), "risk": "read"}
        ))
        .unwrap()
    };
    OptionsShown {
        scope: Scope::Chat,
        scope_instance: "c1".into(),
        title: None,
        user: Some("ana".into()),
        options: labels.iter().map(option).collect(),
        refreshable: false,
        message_id: Some("h-9".into()),
        displayed: None,
        focused_option: None,
        numbers_from: 1,
        comparisons: Vec::new(),
        asked: false,
    }
}

/// With every capability off each message is handed over once, and the engine says nothing: no gate, no ticket, no help.
#[test]
fn without_capabilities_the_host_gets_every_message_and_the_engine_is_silent() {
    for replies in [Replies::Engine, Replies::Host, Replies::None] {
        for text in MESSAGES {
            let mut w = lane(&[], replies);
            let step = says(&mut w, "ana", text);
            let (_, handover) = handed(&step).unwrap_or_else(|| panic!("{text}: {:?}", step.decision));
            assert_eq!((handover.text.as_str(), handover.by.as_str()), (text, "ana"));
            assert_eq!(
                (step.decision.outcome, step.decision.reason),
                (Verdict::HandedOver, Reason::HandedOver)
            );
            assert_eq!(step.effects.len(), 1, "{text}: {:?}", spoken(&step));
        }
    }
}

/// The help and the greeting say nothing of what is off.
#[test]
fn what_is_off_is_not_spoken_of() {
    for text in [
        "/maro help",
        "/maro",
        "hello",
        "what can you do?",
        "Hilfe",
        "was kannst du?",
        "/maro nonsense",
        "/maro ticket x",
    ] {
        let mut w = lane(&[BuiltIn::Help, BuiltIn::Selection], Replies::Engine);
        let told = spoken(&says(&mut w, "ana", text)).join(" ").to_lowercase();
        assert!(!told.is_empty(), "{text}");
        for word in ["ticket x", "tickets", "review", "decision", "prüfung", "entscheidung", "track"] {
            assert!(!told.contains(word), "{text}: {told}");
        }
    }
}

/// A capability that is on does its own, and what the others would do is the host's.
#[test]
fn a_capability_by_name_is_the_only_one_that_acts() {
    let mut w = lane(&[BuiltIn::Tickets], Replies::Engine);
    let step = says(&mut w, "ana", "Create a ticket for login bug");
    assert_eq!((step.decision.outcome, step.decision.reason), (Verdict::Shown, Reason::IntentRule));
    for text in ["Review this: we should drop the cache", "hello", "remember that the deploy is on Friday"] {
        let mut w = lane(&[BuiltIn::Tickets], Replies::Engine);
        assert!(handed(&says(&mut w, "ana", text)).is_some(), "{text}");
    }
    let mut w = lane(&[BuiltIn::Help], Replies::Engine);
    assert_eq!(says(&mut w, "ana", "what can you do?").decision.outcome, Verdict::Answered);
}

/// Words about a card that a host asked for are its agent's; those about a card of ours are answered here.
#[test]
fn words_about_a_card_of_the_host_are_the_hosts() {
    for (text, of_ours) in [
        ("is it done?", "Not yet."),
        ("show it again", "Title: login bug"),
        ("what's still missing?", "Steps to reproduce"),
        ("delete it", "Closed:"),
    ] {
        for capabilities in [vec![], vec![BuiltIn::Tickets], BuiltIn::ALL.to_vec()] {
            let mut w = lane(&capabilities, Replies::Engine);
            let _ = w.asks_for_act("{}");
            assert!(handed(&says(&mut w, "ana", text)).is_some(), "{text} with {capabilities:?}");
        }
        let mut w = lane(&[BuiltIn::Tickets], Replies::Engine);
        let _ = says(&mut w, "ana", "Create a bug: login bug");
        let step = says(&mut w, "ana", text);
        assert!(spoken(&step).iter().any(|said| said.contains(of_ours)), "{text}: {:?}", spoken(&step));
        assert!(handed(&step).is_none(), "{text}");
    }
}

/// Each capability acts exactly where it is on, whatever else is on or off.
#[test]
fn each_capability_acts_where_it_is_on_and_nowhere_else() {
    let asks = [
        (BuiltIn::Tickets, "Create a ticket for login bug"),
        (BuiltIn::Tickets, "Erstelle ein Ticket für den Login-Fehler"),
        (BuiltIn::Reviews, "Review this: we should drop the cache"),
        (BuiltIn::Decisions, "Record the decision: we use Postgres because we know it."),
        (BuiltIn::Work, "@writer draft the partner update"),
        (BuiltIn::Facts, "remember that the deploy is on Friday"),
        (BuiltIn::Help, "what can you do?"),
    ];
    let but =
        |one: BuiltIn| BuiltIn::ALL.iter().copied().filter(move |other| *other != one).collect::<Vec<_>>();
    for (owner, text) in asks {
        let others = but(owner);
        let off = others.iter().map(|one| vec![*one]).chain([vec![], others.clone()]);
        let on = others.iter().map(|one| but(*one)).chain([vec![owner], BuiltIn::ALL.to_vec()]);
        for (capabilities, acts) in off.map(|on| (on, false)).chain(on.map(|on| (on, true))) {
            let mut w = lane(&capabilities, Replies::Engine);
            w.policy.agents.insert("writer".into(), Agent { risk: Risk::Read, stops: false });
            let step = says(&mut w, "ana", text);
            assert_eq!(handed(&step).is_none(), acts, "{text} with {capabilities:?}: {:?}", step.decision);
        }
    }
}

/// A handover has the conversation, the question that waits and the list in sight.
#[test]
fn the_host_gets_what_the_rungs_saw() {
    let mut w = lane(&[BuiltIn::Pending, BuiltIn::Selection], Replies::Engine);
    let given = StepInput { now: w.now, ..StepInput::default() };
    let _ = w.event("", EventKind::OptionsShown(list(&["Lisbon Inn", "Porto Palace"])), given.clone());
    let asked = AssistantPosted {
        expected: Some(Expected::Number),
        asked_of: Some("bob".into()),
        ..said("How many nights?")
    };
    let _ = w.event("", EventKind::AssistantPosted(asked), given);
    let _ = says(&mut w, "ana", "We are four people.");
    let step = says(&mut w, "ana", "which of them has a pool and takes dogs?");
    let (_, handover) = handed(&step).expect("it is handed over");
    assert_eq!(handover.lists[0].options, ["lisbon inn", "porto palace"]);
    assert_eq!(handover.questions[0].text, "How many nights?");
    assert_eq!(handover.questions[0].asked_of.as_deref(), Some("bob"));
    assert!(handover.prompt.text().contains("We are four people."), "{}", handover.prompt.text());
}

#[test]
fn an_answer_is_posted_once_and_settles_the_handover() {
    let mut w = lane(&[], Replies::Engine);
    let (effect, _) = handed(&says(&mut w, "ana", "find me a hotel")).unwrap();
    assert_eq!(w.lane.head.handovers.len(), 1);
    let step = answers(&mut w, &effect, HostAnswer { posted: Some(said("Two are free.")), options: None });
    assert_eq!(spoken(&step), ["Two are free."]);
    assert_eq!((step.decision.outcome, step.decision.reason), (Verdict::Answered, Reason::HandoverAnswered));
    assert!(w.lane.head.handovers.is_empty());
    let again = answers(&mut w, &effect, HostAnswer { posted: Some(said("Two are free.")), options: None });
    assert_eq!((spoken(&again).len(), again.decision.reason), (0, Reason::LateAnswer));
}

/// Words that the host has posted itself, or that it posts everywhere, are kept under its id and not posted again.
#[test]
fn words_that_the_host_posts_are_only_kept() {
    for (replies, id) in [(Replies::Engine, Some("h-1")), (Replies::Host, None), (Replies::None, None)] {
        let mut w = lane(&[], replies);
        let (effect, _) = handed(&says(&mut w, "ana", "find me a hotel")).unwrap();
        let posted = AssistantPosted { message_id: id.map(Into::into), ..said("Two are free.") };
        let step = answers(&mut w, &effect, HostAnswer { posted: Some(posted), options: None });
        assert!(spoken(&step).is_empty(), "{replies:?}");
        let kept =
            w.lane.head.window.iter().last().and_then(|id| w.lane.records.get::<Message>(&id).cloned());
        let kept = kept.expect("it is kept");
        assert_eq!((kept.role, kept.text.as_str()), (Role::Assistant, "Two are free."));
        assert_eq!(kept.channel_id.as_deref(), id);
    }
}

/// A question and a list in the answer are read like those that the host reports as events.
#[test]
fn a_question_and_a_list_in_an_answer_take_the_next_message() {
    let mut w = lane(&[BuiltIn::Pending, BuiltIn::Selection], Replies::Engine);
    let (effect, _) = handed(&says(&mut w, "ana", "find me a hotel")).unwrap();
    let asked = AssistantPosted { expected: Some(Expected::Location), ..said("Which city?") };
    let step = answers(&mut w, &effect, HostAnswer { posted: Some(asked), options: None });
    assert_eq!(step.decision.outcome, Verdict::Asked);
    let step = says(&mut w, "ana", "in Swansea, please");
    assert_eq!(step.decision.reason, Reason::PendingApplied);

    let (effect, _) = handed(&says(&mut w, "ana", "so what is free there?")).unwrap();
    let shown = HostAnswer { posted: None, options: Some(list(&["Lisbon Inn", "Porto Palace"])) };
    assert_eq!(answers(&mut w, &effect, shown).decision.outcome, Verdict::Shown);
    let step = says(&mut w, "ana", "the second one");
    assert_eq!(step.decision.reason, Reason::OptionOrdinal);
    assert!(step.effects.iter().any(|effect| effect.body.class() == EffectClass::OptionExecute));
}

#[test]
fn nothing_to_say_says_nothing() {
    let mut w = lane(&[], Replies::Engine);
    let (effect, _) = handed(&says(&mut w, "ana", "thanks")).unwrap();
    let step = answers(&mut w, &effect, HostAnswer::default());
    assert_eq!((step.decision.outcome, step.effects.len()), (Verdict::Recorded, 0));
}

/// A host that does not answer in time, or cannot, leaves nobody without a word, unless nobody is to speak.
#[test]
fn a_silent_host_is_told_of() {
    for (replies, words) in [(Replies::Engine, 1), (Replies::Host, 1), (Replies::None, 0)] {
        let mut w = lane(&[], replies);
        let (effect, handover) = handed(&says(&mut w, "ana", "find me a hotel")).unwrap();
        assert_eq!(handover.budget_ms, limits::HANDOVER);
        let text: Fault = SendingFault::HostSilent.into();
        let step =
            settles(&mut w, &effect, Outcome::Failed { reason: "gave_up".into(), text, errors: vec![] });
        assert_eq!(step.decision.reason, Reason::HandoverUnanswered);
        assert_eq!(spoken(&step).len(), words, "{replies:?}");
        assert!(w.lane.head.handovers.is_empty());
    }
}

/// "Stop" takes back what the host works on for this person, and nobody else's.
#[test]
fn a_stop_takes_back_the_persons_own_handovers() {
    let mut w = lane(&[], Replies::Engine);
    let (hers, _) = handed(&says(&mut w, "ana", "find me a hotel")).unwrap();
    let (his, _) = handed(&says(&mut w, "bob", "@bot find me a flight to Rome")).unwrap_or_else(|| {
        let mut given = StepInput { now: w.now, ..StepInput::default() };
        given.addressing.mentioned = true;
        let posted = MessagePosted { text: "find me a flight".into(), ..MessagePosted::default() };
        handed(&w.event("bob", EventKind::MessagePosted(posted), given)).unwrap()
    });
    let step = says(&mut w, "ana", "stop");
    assert_eq!((step.decision.reason, &step.cancel), (Reason::InterruptStop, &vec![hers.clone()]));
    let open: Vec<&EffectId> = w.lane.head.handovers.iter().map(|open| &open.effect).collect();
    assert_eq!(open, [&his]);
    let late = answers(&mut w, &hers, HostAnswer { posted: Some(said("Two are free.")), options: None });
    assert_eq!((late.decision.reason, spoken(&late).len()), (Reason::LateAnswer, 0));
}

/// A host that lets turns pile up loses the oldest.
#[test]
fn no_more_turns_wait_than_the_limit() {
    let mut w = lane(&[], Replies::Engine);
    let (first, _) = handed(&says(&mut w, "ana", "find me a hotel")).unwrap();
    for n in 1..limits::HANDOVERS {
        assert!(says(&mut w, "ana", &format!("and a car for day {n}")).cancel.is_empty());
    }
    assert_eq!(says(&mut w, "ana", "and a bicycle").cancel, [first]);
    assert_eq!(w.lane.head.handovers.len(), limits::HANDOVERS);
}

/// Messages that are only files go to the host, which may be able to read them.
#[test]
fn files_alone_are_the_hosts_to_read() {
    let mut w = lane(&[], Replies::Engine);
    let files =
        vec![Attachment { kind: "file".into(), name: Some("plan.pdf".into()), ..Attachment::default() }];
    let step = posts(&mut w, "ana", MessagePosted { files: files.clone(), ..MessagePosted::default() });
    let (_, handover) = handed(&step).expect("it is handed over");
    assert_eq!((handover.files, spoken(&step).len()), (files, 0));
}

/// A question that the engine would ask is handed over with its words where nobody speaks; an option that is chosen runs.
#[test]
fn where_nobody_speaks_a_question_is_the_hosts_and_a_choice_still_runs() {
    let mut w = lane(&[BuiltIn::Selection], Replies::None);
    let given = StepInput { now: w.now, ..StepInput::default() };
    let hotels = list(&["Lisbon Inn East", "Lisbon Inn West", "Porto Palace"]);
    let _ = w.event("", EventKind::OptionsShown(hotels), given);
    let step = says(&mut w, "ana", "the lisbon inn");
    let (_, handover) = handed(&step).unwrap_or_else(|| panic!("{:?} {:?}", step.decision, spoken(&step)));
    assert!(handover.unsaid.is_some(), "{handover:?}");
    assert_eq!(step.effects.len(), 1);
    assert!(w.lane.head.pendings.is_empty(), "no question waits that nobody asked");
    let step = says(&mut w, "ana", "the third one");
    assert_eq!(step.decision.reason, Reason::OptionOrdinal);
    assert!(step.effects.iter().any(|effect| effect.body.class() == EffectClass::OptionExecute));
    assert!(spoken(&step).is_empty());
}

/// Without a host nothing changes: the gate asks, and small talk is left.
#[test]
fn without_a_host_the_gate_asks() {
    let mut w = TestLane::new();
    assert_eq!(
        says(&mut w, "ana", "What do you think about microservices?").decision.reason,
        Reason::GateOpened
    );
    assert!(w.lane.head.handovers.is_empty());
}
