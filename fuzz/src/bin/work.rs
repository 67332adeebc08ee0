//! Any text, in any lane: the work of deciding it is in proportion to its length. A text that costs more for each byte than
//! those before it counts as new coverage, so the fuzzer looks for the most expensive one.

#![no_main]

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use libfuzzer_sys::fuzz_target;
use harness::TestLane;
use throughline_engine::data::event::{AssistantPosted, EventKind};
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::option_set::OptionsShown;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::SetOption;
use throughline_language::budget::work;
use throughline_language::normal;

#[path = "../../../crates/engine/tests/harness/mod.rs"]
mod harness;

/// Units of work for each character, and those of any message: the bounds of `crates/engine/tests/hostile.rs`.
const PER_CHARACTER: u64 = 400;
const ANY: u64 = 200_000;
/// Characters that a motif is repeated to.
const LENGTH: usize = 4_000;
/// Types of questions that the message may meet; beyond them, a list, or nothing.
const ASKS: [&str; 9] =
    ["boolean", "time", "date", "datetime", "duration", "number", "money", "location", "one_of:plan a|plan b"];

/// One byte for each step of the work for a character: libFuzzer takes a changed byte for new coverage.
#[expect(unsafe_code, reason = "the section is how libFuzzer finds it, and only holds bytes")]
#[unsafe(link_section = "__libfuzzer_extra_counters")]
static HEIGHT: [AtomicU8; 512] = [const { AtomicU8::new(0) }; 512];

fn lane(meets: u8, motif: &str) -> TestLane {
    let mut w = TestLane::new();
    w.policy.selection.enabled = true;
    let _ = w.says("bob", &motif.repeat(1 + 500 / motif.len()));
    let given = w.given("agent");
    match ASKS.get(usize::from(meets)) {
        Some(expected) => {
            let asked = AssistantPosted {
                kind: MessageKind::Question,
                task: None,
                text: motif.into(),
                expected: expected.parse().ok(),
                asked_of: None,
                expires: None,
                message_id: None,
            };
            let _ = w.event("agent", EventKind::AssistantPosted(asked), given);
        }
        None if meets % 2 == 0 => {
            let label = |n: usize| format!("{n} {}", motif.chars().take(150).collect::<String>());
            let list = OptionsShown {
                scope: Scope::Chat,
                scope_instance: "chat".into(),
                title: None,
                user: None,
                options: (0..50).map(|n| SetOption::named(n.to_string(), label(n)).running("x")).collect(),
                refreshable: false,
                message_id: None,
                displayed: None,
                focused_option: None,
            };
            let _ = w.event("", EventKind::OptionsShown(list), given);
        }
        None => {}
    }
    w
}

fuzz_target!(|input: (u8, &str)| {
    let (meets, motif) = input;
    let length = motif.chars().count();
    if length == 0 || length > LENGTH {
        return;
    }
    let w = lane(meets % 16, motif);
    let text: String = motif.chars().cycle().take(LENGTH).collect();
    let before = work();
    let _ = w.preview_message("ana", &text);
    let _ = (normal::compact(&text, true), normal::folded_whole(&text), normal::verbatim_form(&text));
    let cost = work() - before;
    let height = usize::try_from(cost / LENGTH as u64).unwrap_or(usize::MAX);
    HEIGHT[..height.min(HEIGHT.len())].iter().for_each(|step| step.store(1, Relaxed));
    assert!(cost <= ANY + PER_CHARACTER * LENGTH as u64, "{cost} units for {LENGTH} characters of {motif:?}");
});
