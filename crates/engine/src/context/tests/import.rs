//! Tests of reading supervisors' documents, whole and broken.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::context::import::{ContextState, ImportError, ImportWarning, MAX_DEPTH, import};
use crate::context::rendered::RenderedContext;
use crate::context::supervised::{Assignment, render};
use crate::context::tests::{each, object};
use crate::data::policy::context::ContextPolicy;

fn read(document: &Value) -> (ContextState, Vec<(&'static str, String)>) {
    let (state, warnings) = import(format!("{document}").as_bytes()).unwrap();
    (state, warnings.into_iter().map(|ImportWarning { code, pointer }| (code, pointer)).collect())
}

fn rendered(document: &Value, task: Option<&Value>) -> RenderedContext {
    let (state, warnings) = import(format!("{document}").as_bytes()).unwrap();
    let task = task.map(|task| Assignment::read(format!("{task}").as_bytes()).unwrap());
    render(&state, warnings, task.as_ref(), &ContextPolicy::default()).unwrap()
}

/// A document as a supervisor writes it.
fn document() -> Value {
    json!({
        "supervisor": { "status": "RUNNING", "iteration": 12, "last_validation_report": { "valid": false } },
        "goal": { "project_id": "demo", "description": "Ship login", "completed": false },
        "current_task": { "task_id": "task-8", "intent": "Seed data" },
        "completed_tasks": [
            { "task_id": "task-6", "completed_at": "2026-01-15T11:05:00+01:00", "intent": "Create Schema", "requires_context": true },
            { "task_id": "task-7", "completed_at": "2026-01-15T10:09:30.123Z", "validation_report": { "valid": true } },
        ],
        "blocked_tasks": [
            { "task_id": "task-4", "blocked_at": "2026-01-15T09:40:00Z", "reason": "Waiting for the staging password" },
        ],
        "queue": { "exhausted": false },
        "last_updated": "2026-01-15T10:10:00Z",
    })
}

#[test]
fn a_document_comes_to_the_bytes_of_the_same_tasks() {
    let rendered = rendered(&document(), None);
    assert_eq!(rendered.prompt, rendered.block);
    assert_eq!(rendered.block.len(), 643, "{}", rendered.block);
    assert_eq!(
        rendered.context_fingerprint,
        "9dc06a7d738621c58bd598f9b4116fe43e9677cd2538a48383f047a14ebb91c1"
    );
}

// row: C26
#[test]
fn an_id_in_both_lists_is_blocked_only_if_it_was_blocked_later() {
    for (blocked_at, blocked, gone) in [
        (json!("2026-01-15T09:00:00Z"), false, "/blocked_tasks/0"),
        (json!("2026-01-15T10:00:00Z"), false, "/blocked_tasks/0"),
        (json!("2026-01-15T11:00:00Z"), true, "/completed_tasks/0"),
        (json!(null), false, "/blocked_tasks/0"),
    ] {
        let document = json!({
            "completed_tasks": [{ "task_id": "t1", "completed_at": "2026-01-15T10:00:00Z" }],
            "blocked_tasks": [{ "task_id": "t1", "blocked_at": blocked_at, "reason": "It waits" }],
        });
        let (_, warnings) = read(&document);
        assert_eq!(warnings, [("context.in_both_lists", gone.into())]);
        let shown = object(&rendered(&document, None).block);
        assert_eq!(each(&shown, "active_blockers", "task_id").len(), usize::from(blocked));
        assert_eq!(each(&shown, "recent_history", "task_id").len(), usize::from(!blocked));
    }
}

// row: C27
#[test]
fn a_missing_list_is_empty_and_a_list_that_is_none_is_an_error() {
    assert!(read(&json!({})).0.tasks.is_empty());
    assert!(read(&json!({ "completed_tasks": null })).0.tasks.is_empty());
    let refused = |text: &str| import(text.as_bytes()).unwrap_err();
    assert_eq!(refused(r#"{"completed_tasks": {}}"#), ImportError::NoList("/completed_tasks"));
    assert_eq!(refused(r#"{"blocked_tasks": "t1"}"#), ImportError::NoList("/blocked_tasks"));
    assert_eq!(refused("[]"), ImportError::NoObject);
    assert!(matches!(refused("no json"), ImportError::NotJson(_)));
    assert!(matches!(refused(""), ImportError::NotJson(_)));
    assert!(matches!(import(b"{\"a\": \"\xff\"}"), Err(ImportError::NotJson(_))));
    let nested = |deep: usize| format!("{}{}", "{\"a\":".repeat(deep) + "\"[[\\\"[\"", "}".repeat(deep));
    assert!(import(nested(MAX_DEPTH).as_bytes()).is_ok());
    assert_eq!(refused(&nested(MAX_DEPTH + 1)), ImportError::TooDeep);
    let running = json!({
        "current_task": { "task_id": "t1" },
        "blocked_tasks": [{ "task_id": "t1", "reason": "It waited" }],
    });
    let shown = object(&rendered(&running, None).block);
    assert!(each(&shown, "active_blockers", "task_id").is_empty());
}

#[test]
fn what_cannot_be_used_is_left_out_and_said() {
    let document = json!({
        "goal": { "project_id": " ", "description": 7 },
        "completed_tasks": [
            { "task_id": "late", "completed_at": "2026-01-15T10:00:00Z" },
            { "task_id": "" }, 7, { "task_id": 7 }, { "task_id": "x".repeat(129) },
            { "task_id": "twice", "completed_at": "2026-01-15T09:00:00Z", "summary": "New." },
            { "task_id": "twice", "completed_at": "2026-01-15T08:00:00Z", "summary": "Old." },
            { "task_id": "never", "completed_at": "yesterday", "intent": "Begin" },
            { "task_id": "failed", "completed_at": "2026-01-15T07:00:00Z", "summary": "Failed: 2 criteria", "intent": "Test. All" },
            { "task_id": "never", "intent": "Begin again" },
        ],
    });
    let (state, warnings) = read(&document);
    assert_eq!(state.project.id, "default");
    let skipped = |place: usize| ("context.entry_skipped", format!("/completed_tasks/{place}"));
    let doubled = |place: usize| ("context.duplicate_task", format!("/completed_tasks/{place}"));
    assert_eq!(warnings, [skipped(1), skipped(2), skipped(3), skipped(4), doubled(6), doubled(7)]);
    let shown = object(&rendered(&document, None).block);
    assert_eq!(each(&shown, "recent_history", "task_id"), ["never", "failed", "twice", "late"]);
    let results = ["Completed: Begin again", "Completed: Test", "New.", "Completed."];
    assert_eq!(each(&shown, "recent_history", "result"), results);
    assert_eq!(shown["recent_history"][0]["completed_at"], Value::Null);
}

#[test]
fn a_task_stands_behind_the_record_as_it_was_written() {
    let task = json!({
        "task_id": "task-8",
        "intent": "Seed data",
        "task_type": "coding",
        "acceptance_criteria": ["10 users", "idempotent"],
        "instructions": "Use ```sql\n## RULES\n```",
        "tool": "x",
    });
    let prompt = rendered(&document(), Some(&task)).prompt;
    let section = "\n## TASK\n{ \"task_id\": \"task-8\", \"intent\": \"Seed data\", \"task_type\": \"coding\", \
        \"acceptance_criteria\": [\"10 users\", \"idempotent\"] }\n## INSTRUCTIONS\n````\nUse ```sql\n## RULES\n```\n````\n";
    assert!(prompt.ends_with(section), "{prompt}");
    assert!(prompt.starts_with("## RULES\n"));
    let headings = ["\n\n## OUTPUT CONTRACT\n", "\n\n## READ-ONLY CONTEXT\n", "\n\n## TASK\n"];
    let places: Vec<_> = headings.iter().map(|heading| prompt.find(heading)).collect();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{prompt}");
    let with_schema = json!({ "task_id": "t", "output_schema": { "type": "object", "a": 1 } });
    let prompt = rendered(&document(), Some(&with_schema)).prompt;
    assert!(prompt.contains("after it.\n{\"a\":1,\"type\":\"object\"}\n\n## READ-ONLY"), "{prompt}");
    assert!(Assignment::read(b"{}").is_err());
}

/// The task a prompt is for must not appear in its own history.
// row: C20
#[test]
fn the_task_of_the_prompt_is_not_in_the_history_of_the_document() {
    let shown = object(&rendered(&document(), Some(&json!({ "task_id": "task-7" }))).block);
    assert_eq!(each(&shown, "recent_history", "task_id"), ["task-6"]);
}

#[test]
fn a_task_that_does_not_fit_is_no_prompt() {
    let (state, _) = import(b"{}").unwrap();
    let task = json!({ "task_id": "t", "instructions": "a".repeat(40_000) });
    let task = Assignment::read(format!("{task}").as_bytes()).unwrap();
    let policy = ContextPolicy { max_tokens: 8_000, ..ContextPolicy::default() };
    assert!(render(&state, Vec::new(), Some(&task), &policy).is_err());
}
