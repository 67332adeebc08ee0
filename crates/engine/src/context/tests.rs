//! The bytes of `spec 05 §3.2`, `§4.2` and `§4.3`.

use alloc::string::ToString;
use alloc::vec::Vec;
use std::vec;

use super::block::Block;
use super::prompt::{Section, Sections, build};
use super::text::tokens;
use crate::canon::{hex, sha256};
use crate::event::TaskReported;
use crate::lane::{Task, TaskStatus};
use crate::policy::context::{ContextPolicy, Project};
use crate::time::Timestamp;

fn task(id: &str, status: TaskStatus, at: &str, intent: Option<&str>, reason: Option<&str>) -> Task {
    let report = TaskReported {
        task: id.into(),
        status,
        at: Timestamp::parse(at),
        intent: intent.map(Into::into),
        reason: reason.map(Into::into),
        ..TaskReported::default()
    };
    Task::reported(&report, Timestamp(0))
}

fn demo() -> ContextPolicy {
    let project = Project { id: "demo".into(), goal: Some("Ship login".into()) };
    ContextPolicy { project, ..ContextPolicy::default() }
}

/// The state of `spec 05 §3.2`.
fn state() -> Vec<Task> {
    use TaskStatus::{Blocked, Completed};
    let mut created = task("task-6", Completed, "2026-01-15T10:05:00Z", Some("Create Schema"), None);
    created.result = Some("Completed: Create Schema".into());
    vec![
        task("task-7", Completed, "2026-01-15T10:09:30Z", None, None),
        created,
        task("task-4", Blocked, "2026-01-15T09:40:00Z", None, Some("Waiting for the staging password")),
    ]
}

fn hash(text: &str) -> alloc::string::String {
    hex(&sha256(&[text.as_bytes()]))
}

#[test]
fn c1_nothing_done_is_said_in_218_bytes() {
    let text = Block::of(&[], None, &ContextPolicy::default()).render();
    assert_eq!(text.len(), 218, "{text}");
    assert_eq!(hash(&text), "82b7dcbcfc9925f44d5433b75f85df963bf84241e40a676ad925c9cac3f18ff8");
}

#[test]
fn c2_the_state_of_the_specification_has_its_bytes_and_its_fingerprint() {
    let block = Block::of(&state(), None, &demo());
    let text = block.render();
    assert_eq!((text.len(), tokens(&text)), (643, 161), "{text}");
    assert_eq!(hash(&text), "1bb3461cc8b69099a67c657275a513836abb132588f98830aaaf0cbda1e22cbe");
    let built = build(Sections { block: Some(block), max_tokens: 6_000, ..Sections::default() }).unwrap();
    assert_eq!(built.sections, [(Section::ReadOnlyContext, text.to_string())]);
    assert_eq!(built.context_fingerprint, "9dc06a7d738621c58bd598f9b4116fe43e9677cd2538a48383f047a14ebb91c1");
}
