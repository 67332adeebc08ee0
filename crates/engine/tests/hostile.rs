//! No message is expensive: texts made to be read again and again cost work in proportion to their length
//! (`docs/design/0044-no-message-is-expensive.md`). Work is counted where words are looked up and bytes are read, so this
//! needs a build with debug assertions.
#![cfg(debug_assertions)]

mod harness;

use std::sync::Mutex;

use harness::TestLane;
use proptest::prelude::*;
use throughline_engine::data::event::{AssistantPosted, EventKind};
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::option_set::OptionsShown;
use throughline_engine::data::policy::limits;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::SetOption;
use throughline_engine::{Reason, Verdict};
use throughline_language::budget::work;

/// Units of work that each character of a message may cost, and those of any message at all. Common text costs about 10
/// for each.
const PER_CHARACTER: u64 = 400;
const ANY: u64 = 200_000;

/// Pieces that readers begin something with, and letters that grow, join or combine.
const PIECES: [&str; 64] = [
    "\u{fdfa}",
    "1",
    ",",
    ".",
    " ",
    "a",
    "(",
    ")",
    "\"",
    "\n",
    "@",
    "/",
    ":",
    "\u{301}",
    "\u{323}",
    "👩\u{200d}",
    "👍",
    "-",
    "yes ",
    "not ",
    "no ",
    "please ",
    "1.1.",
    "https://",
    "#",
    "```",
    "{\"",
    "[",
    "new york ",
    "in ",
    "sk-",
    "eyJ.",
    "password=",
    "-----BEGIN ",
    "create a ticket for ",
    "and ",
    "or ",
    "the ",
    "first ",
    "from chat ",
    "remember that ",
    "that ",
    "monday ",
    "to ",
    "10:30 ",
    "$",
    "one ",
    "hundred ",
    "a@b.c ",
    "日",
    "ß",
    "İ",
    "\u{200d}",
    "\u{202e}",
    "> ",
    "* ",
    "we decided ",
    "risk: ",
    "plan ",
    "? ",
    "! ",
    "; ",
    "\t",
    "could you ",
];

/// Questions and lists that a message may meet.
const MEETS: [&str; 8] =
    ["", "boolean", "datetime", "number", "location", "one_of:plan a|plan b", "person", "list"];

fn filled(motif: &str, length: usize) -> String {
    motif.chars().cycle().take(length).collect()
}

/// A lane that asks something of that type, or shows a list of long labels like the message, with a window full of
/// messages like it.
fn lane(meets: &str, motif: &str) -> TestLane {
    let mut w = TestLane::new();
    w.policy.selection.enabled = true;
    for _ in 0..3 {
        let _ = w.says("bob", &filled(motif, 4_000));
    }
    let given = w.given("agent");
    if meets == "list" {
        let label = |n: usize| format!("{n} {}", filled(motif, 150));
        let options = (0..limits::SET_OPTIONS)
            .map(|n| SetOption::named(n.to_string(), label(n)).running("x"))
            .collect();
        let list = OptionsShown {
            scope: Scope::Chat,
            scope_instance: "chat".into(),
            title: Some(filled(motif, 40)),
            user: None,
            options,
            refreshable: false,
            message_id: None,
            displayed: None,
            focused_option: None,
            numbers_from: 1,
            comparisons: Vec::new(),
            asked: false,
        };
        let _ = w.event("", EventKind::OptionsShown(list), given);
    } else if !meets.is_empty() {
        let asked = AssistantPosted {
            kind: MessageKind::Question,
            task: None,
            text: filled(motif, 200),
            expected: Some(meets.parse().unwrap()),
            asked_of: None,
            expires: None,
            message_id: None,
        };
        let _ = w.event("agent", EventKind::AssistantPosted(asked), given);
    }
    w
}

/// Returns the work of deciding a message.
fn cost(w: &TestLane, text: &str) -> u64 {
    // The process has one counter.
    static COUNTING: Mutex<()> = Mutex::new(());
    let _alone = COUNTING.lock();
    let before = work();
    let step = w.preview_message("ana", text);
    assert_ne!(step.decision.outcome, Verdict::Ignored, "{:?}", step.decision.reason);
    work() - before
}

/// Words that may be said again and again, where a clause begins with each of them.
#[test]
fn clauses_that_begin_with_what_may_be_repeated_cost_no_more() {
    for mark in ["(", ")", "; ", "? "] {
        for said in ["please ", "could you ", "and ", "ok now ", "bitte ", "kannst du bitte "] {
            let motif = format!("{mark}{said}");
            let w = lane("", &motif);
            for lead in ["", "review this plan: "] {
                assert_proportional(&w, lead, &motif, 2_000);
            }
        }
    }
}

/// Fails if the message costs more than its length may.
fn assert_proportional(w: &TestLane, lead: &str, motif: &str, length: usize) {
    let cost = cost(w, &format!("{lead}{}", filled(motif, length)));
    let most = ANY + PER_CHARACTER * length as u64;
    assert!(cost <= most, "{lead:?} and {motif:?} x {length}: {cost}, and {most} is allowed");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn work_is_in_proportion_to_the_text(
        motif in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 1..5).prop_map(|pieces| pieces.concat()),
        lead in prop::sample::select(vec!["", "create a ticket for ", "review this plan: ", "yes, ", "the first, "]),
        meets in prop::sample::select(MEETS.to_vec()),
    ) {
        let w = lane(meets, &motif);
        for length in [2_000, 8_000] {
            assert_proportional(&w, lead, &motif, length);
        }
    }
}

#[test]
fn what_costs_too_much_is_told_and_leaves_the_question_open() {
    let mut w = lane("boolean", "plan ");
    let open = w.lane.head.pendings.len();
    for text in [filled("\u{fdfa}", 13_000), filled("a\u{301}\u{302}\u{303}", 40_000), filled("1. ", 40_000)]
    {
        let step = w.says("ana", &text);
        assert_eq!(
            (step.decision.outcome, step.decision.reason),
            (Verdict::Answered, Reason::MessageTooMuch)
        );
        assert_eq!(harness::visible_outputs(&step), 1, "one sentence says so");
        assert_eq!(w.lane.head.pendings.len(), open);
    }
    // The longest message that people write is read.
    let sentence = "We moved the export to the next quarter, because two teams still depend on it. ";
    let step = w.says("ana", &filled(sentence, 40_000));
    assert_ne!(step.decision.reason, Reason::MessageTooMuch);
}
