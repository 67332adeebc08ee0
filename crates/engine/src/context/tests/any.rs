//! Property tests of the context: laws that hold for any input.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use std::collections::BTreeMap;

use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use crate::context::prompt::{PromptSections, build};
use crate::context::task_history::TaskHistory;
use crate::context::tests::{at, object, task};
use crate::data::policy::context::{ContextPolicy, Project};
use crate::data::prompt::FactLine;
use crate::data::task::Task;
use crate::data::task::TaskReported;
use crate::data::task_status::TaskStatus;
use crate::data::time::Timestamp;
use crate::text::clean::{clean, quote, tokens};
use crate::text::redact::redacted;

/// Pieces that are hard to clean or quote in combination.
const PIECES: [&str; 26] = [
    "`",
    "\u{323}",
    "\u{331}\u{303}",
    "<",
    ">",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]]",
    "\n## RULES\n",
    "\u{202e}",
    "\u{200d}",
    "👩‍👩‍👧",
    "🇩🇪",
    "\u{600}",
    "日本",
    "e\u{301}",
    "password",
    "=",
    "hunter2x",
    " ",
    "\u{7}",
    "\u{2028}",
    "-----BEGIN PRIVATE KEY-----",
];
/// Secrets that must never be shown.
const PLANTED: [&str; 8] = [
    "password=hunter2hunter2",
    "xoxb-1234567890abcdef",
    "Bearer abcdefghijklmnopqrst",
    "https://ana:s3cr3t99@example.com",
    "password:\nhunter2hunter2",
    "xoxb-12345\u{1}67890abcdef",
    "Bearer\r\nabcdefghijklmnopqrst",
    "client \u{7} secret:\ts3cr3t99",
];
/// A part of each planted secret that no cut may leave visible.
const SEEN: [&str; 8] =
    ["hunter2", "12345", "abcdefghijklm", "s3cr3t99", "hunter2", "12345", "abcdefghijklm", "s3cr3t99"];

fn text() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..120);
    prop_oneof![any::<String>(), pieces.prop_map(|pieces| pieces.concat()), "\\PC{0,400}"]
}

fn policy(id: String, goal: String, max_blockers: usize) -> ContextPolicy {
    ContextPolicy { project: Project { id, goal: Some(goal) }, max_blockers, ..ContextPolicy::default() }
}

fn status() -> impl Strategy<Value = TaskStatus> {
    prop::sample::select(&TaskStatus::ALL[..])
}

fn tasks() -> impl Strategy<Value = Vec<Task>> {
    let one = (status(), text(), text(), 0_i64..200, any::<u64>());
    prop::collection::vec(one, 0..70).prop_map(|all| {
        let all = all.into_iter().enumerate();
        all.map(|(n, (status, words, more, minute, seq))| {
            let at = Some(at("10:00:00").plus(minute * Timestamp::MINUTE));
            let report = TaskReported {
                task: format!("{n}{words}").as_str().into(),
                status,
                at,
                intent: Some(words),
                reason: Some(more.clone()),
                result: Some(more),
            };
            Task { seq, ..Task::reported(&report, Timestamp(0)) }
        })
        .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Equal state gives equal bytes, whatever the order of the tasks. The text is JSON, and within its bound.
    #[test]
    fn a_history_is_a_function_of_its_state_and_within_its_bound(
        tasks in tasks(), id in text(), goal in text(), most in 3_usize..=50, turn in 0_usize..70,
    ) {
        let policy = policy(id, goal, most);
        let text = TaskHistory::of(&tasks, None, &policy).render();
        let mut turned = tasks.clone();
        turned.rotate_left(turn % tasks.len().max(1));
        prop_assert_eq!(&TaskHistory::of(&turned, None, &policy).render(), &text);
        prop_assert!(tokens(&text) <= 2_500, "{} tokens", tokens(&text));
        let ends = text.ends_with("\n}\n") && !text.contains(" \n");
        prop_assert!(ends);
        let shown = object(&text);
        let list = |name: &str| shown[name].as_array().unwrap();
        let done = tasks.iter().filter(|task| task.status == TaskStatus::Completed).count();
        prop_assert!(list("recent_history").len() >= done.min(3));
        let blocked = tasks.iter().filter(|task| task.status == TaskStatus::Blocked).count();
        let omitted = shown.get("active_blockers_omitted").map_or(0, |n| n.as_u64().unwrap());
        prop_assert_eq!(list("active_blockers").len() + usize::try_from(omitted).unwrap(), blocked);
        prop_assert!(list("active_blockers").len() >= blocked.min(3));
    }

    /// After any reports the lists are disjoint, ids are unique, and the blockers are what is blocked.
    #[test]
    fn no_task_is_both_done_and_blocked(
        reports in prop::collection::vec((0_u8..8, status(), 0_i64..60, text()), 0..80),
    ) {
        let mut ledger: BTreeMap<u8, Task> = BTreeMap::new();
        for (seq, (id, status, minute, words)) in reports.into_iter().enumerate() {
            let report = TaskReported {
                task: format!("t{id}").as_str().into(),
                status,
                at: Some(at("10:00:00").plus(minute * Timestamp::MINUTE)),
                reason: Some(words),
                ..TaskReported::default()
            };
            let task = ledger.entry(id).or_insert_with(|| Task::reported(&report, Timestamp(0)));
            let _ = task.apply_report(&report, Timestamp(0));
            task.seq = seq as u64;
            prop_assert_eq!(task.blocked_at.is_some(), task.status == TaskStatus::Blocked);
            prop_assert_eq!(task.result.is_some(), task.status == TaskStatus::Completed);
        }
        let shown = object(&TaskHistory::of(ledger.values(), None, &ContextPolicy::default()).render());
        let ids = |list: &str| -> Vec<String> {
            shown[list].as_array().unwrap().iter().map(|one| one["task_id"].as_str().unwrap().into()).collect()
        };
        let (done, mut blocked) = (ids("recent_history"), ids("active_blockers"));
        prop_assert!(done.iter().all(|id| !blocked.contains(id)));
        blocked.sort();
        let expected: Vec<String> = ledger
            .values()
            .filter(|task| task.status == TaskStatus::Blocked)
            .map(|task| task.id.0.clone())
            .collect();
        prop_assert_eq!(blocked, expected);
    }

    /// cleaning is idempotent, cuts no grapheme, and shows no secret.
    #[test]
    fn cleaning_twice_is_cleaning_once_and_splits_nothing(
        before in text(), after in text(), planted in 0..PLANTED.len(), most in 1_usize..200,
    ) {
        let whole = format!("{before} {} {after}", PLANTED[planted]);
        for text in [&before, &whole] {
            let once = clean(text, most).into_owned();
            prop_assert_eq!(clean(&once, most), once.as_str());
            prop_assert_eq!(redacted(&once), once.as_str());
            prop_assert!(once.graphemes(true).count() <= most && once.len() <= 4 * most);
            prop_assert!(!once.contains(char::is_control) && !once.contains("  "));
            if let Some(kept) = once.strip_suffix('…') {
                let rest = clean(text, 100_000).into_owned();
                let ends = rest.grapheme_indices(true).map(|(at, _)| at).any(|at| rest[..at].trim_end() == kept);
                prop_assert!(ends || kept.is_empty() || kept.contains("[redacted") || kept.graphemes(true).count() == 1);
            }
        }
        // The text before may have turned the planted secret into another one; then all of it is gone.
        for most in [most, 10_000] {
            let seen = clean(&whole, most);
            prop_assert!(!seen.contains(SEEN[planted]) || before.contains(SEEN[planted]) || after.contains(SEEN[planted]));
        }
    }

    /// A quoted text is read back unchanged, and its bytes hold no markup.
    #[test]
    fn quoting_loses_nothing_and_closes_nothing(text in text()) {
        let mut out = String::new();
        quote(&mut out, &text);
        prop_assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        let open = out.contains(['`', '<', '>', '\n', '\u{2028}', '\u{202e}']);
        prop_assert!(!open);
    }

    /// an addition changes nothing before it.
    #[test]
    fn what_is_new_stands_behind_what_was(lines in prop::collection::vec("[a-z]{1,40}", 1..8), new in "[a-z]{1,40}") {
        let sections = |tasks: &[Task], window: Vec<String>| PromptSections {
            rules: "## RULES\n".into(),
            facts: lines.iter().enumerate().map(|(rank, line)| FactLine { line: line.clone(), rank }).collect(),
            facts_tokens: 800,
            summary: Some(new.clone()),
            block: Some(TaskHistory::of(tasks, None, &ContextPolicy::default())),
            window,
            max_tokens: 16_000,
            ..PromptSections::default()
        };
        let done = [task("t1", TaskStatus::Completed, "10:00:00", "One", "")];
        let more = [done[0].clone(), task("t2", TaskStatus::Completed, "10:01:00", &new, "")];
        let before = build(sections(&done, lines.clone())).unwrap();
        let after = build(sections(&more, lines.clone())).unwrap();
        prop_assert_eq!(&before.sections[..3], &after.sections[..3]);
        prop_assert_eq!(&before.prefix_fingerprint, &after.prefix_fingerprint);
        let mut longer = lines.clone();
        longer.push(new.clone());
        let spoken = build(sections(&done, longer)).unwrap();
        prop_assert_eq!(&before.sections[..4], &spoken.sections[..4]);
        prop_assert!(spoken.sections[4].1.starts_with(&before.sections[4].1));
    }
}

/// K3 with extremely long texts.
#[test]
fn a_million_characters_are_as_good_as_a_few() {
    for piece in ["\u{323}", "[", "\u{1}", "`\u{323}", "</x>", "\u{202e}", "a://", "\u{10ffff}"] {
        let text = piece.repeat(1_000_000 / piece.chars().count());
        let tasks = [
            task("t1", TaskStatus::Completed, "10:00:00", &text, ""),
            task(&text, TaskStatus::Blocked, "10:00:00", "", &text),
        ];
        let rendered = TaskHistory::of(&tasks, None, &policy(text.clone(), text.clone(), 10)).render();
        assert!(tokens(&rendered) <= 2_500 && rendered.len() < 10_000, "{piece:?}");
        let _ = object(&rendered);
    }
}
