//! The kinds of cases of an eval, from their lines through the engine's own step to figures and predictions.
//!
//! `fixtures/eval` has invented cases of every kind, some with a wrong label on purpose, so that every figure has a mistake
//! to count. The right decision about each message is plain, and the expected figures are counted by hand.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::Value;
use throughline_engine::Policy;
use throughline_eval::{Baseline, Cases, Change, Evaluated, Filter, evaluate};
use throughline_sim::Evals;

fn cases(filter: &Filter) -> Cases {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/eval");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases = Cases::default();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(file).unwrap();
        cases.read(&name, &text, filter).unwrap_or_else(|wrong| panic!("{wrong:?}"));
    }
    cases
}

fn found(workers: usize) -> Evaluated {
    under(true, workers)
}

/// With texts read against lists, or not.
fn under(selection: bool, workers: usize) -> Evaluated {
    let mut policy = Policy::default();
    policy.selection.enabled = selection;
    evaluate(cases(&Filter::default()), &Evals::new(policy, workers, &|_| ())).unwrap()
}

#[test]
fn the_figures_are_what_a_person_counts() {
    let report = found(1).report;
    let seen: Vec<(&str, usize, usize)> =
        report.figures.iter().map(|figure| (figure.key, figure.seen.hits, figure.seen.of)).collect();
    let expected = [
        ("pending.boolean.recall", 5, 6),
        ("pending.boolean.hijack", 1, 4),
        ("pending.boolean.approved_nothing", 1, 3),
        ("pending.boolean.approved_no", 1, 2),
        ("pending.boolean.approved_taken_back", 1, 2),
        ("pending.boolean.plus", 1, 2),
        ("pending.number.plain_recall", 2, 3),
        ("pending.number.hijack_easy", 0, 1),
        ("pending.number.hijack_hard", 1, 2),
        ("pending.number.value", 2, 3),
        ("pending.number.over_informative", 1, 1),
        ("pending.location.recall", 1, 1),
        ("pending.location.plain_recall", 1, 1),
        ("pending.selection.recall", 1, 1),
        ("pending.selection.recall_shared", 1, 1),
        ("pending.text.recall", 1, 1),
        ("closing.complete", 2, 3),
        ("closing.complete_plus_new", 0, 1),
        ("closing.not_complete", 1, 2),
        ("review.complete", 2, 3),
        ("review.complete_plus_new", 0, 1),
        ("review.not_complete", 1, 2),
        ("utterance.polarity", 2, 3),
        ("utterance.tasks", 1, 3),
        ("utterance.tasks_time_easy", 0, 3),
        ("utterance.tasks_date_easy", 0, 3),
        ("utterance.tasks_number_easy", 0, 3),
        ("utterance.maybe", 0, 1),
        ("utterance.interrupts", 0, 4),
        ("interrupt.recall", 3, 4),
        ("interrupt.named", 2, 4),
        ("interrupt.recall_all", 2, 4),
        ("interrupt.false", 1, 7),
        ("selection.offers.right", 2, 4),
        ("selection.offers.right_shared", 1, 1),
        ("selection.offers.right_synonym", 1, 3),
        ("selection.offers.wrong", 1, 4),
        ("selection.offers.picked", 1, 2),
        ("selection.labels.right", 2, 2),
        ("selection.labels.wrong", 0, 2),
        ("selection.labels.picked", 0, 1),
        ("selection.indirect.wrong", 0, 1),
        ("list.offers.right", 2, 4),
        ("list.offers.wrong", 1, 4),
        ("list.offers.picked", 1, 2),
        ("list.labels.right", 2, 2),
        ("list.labels.wrong", 0, 2),
        ("list.labels.picked", 0, 1),
        ("list.indirect.wrong", 0, 1),
        ("shown.offers.right", 2, 4),
        ("shown.offers.wrong", 1, 4),
        ("shown.offers.picked", 1, 2),
        ("shown.labels.right", 2, 2),
        ("shown.labels.wrong", 0, 2),
        ("shown.labels.picked", 0, 1),
        ("shown.indirect.wrong", 0, 1),
        ("put.offers.right", 2, 4),
        ("put.offers.wrong", 1, 4),
        ("put.offers.picked", 1, 2),
        ("put.labels.right", 2, 2),
        ("put.labels.wrong", 0, 2),
        ("put.labels.picked", 0, 1),
        ("put.indirect.wrong", 0, 1),
        ("anaphora.anaphor", 2, 3),
        ("anaphora.self_contained", 0, 1),
        ("anaphora.ellipsis", 1, 1),
        ("anaphora.antecedent", 2, 4),
        ("reply_to.linked", 3, 3),
        ("reply_to.new", 1, 1),
        ("room.cards", 0, 5),
        ("closing.gated", 0, 6),
        ("intent.misfire", 1, 5),
        ("intent.accepted", 6, 8),
        ("intent.accepted_but_greetings", 6, 8),
        ("intent.gated", 1, 8),
    ];
    assert_eq!(seen, expected);
}

/// The breakdown, in the groups of an independent scorer.
#[test]
fn the_groups_are_those_of_the_scorer() {
    let report = serde_json::to_value(found(1).report).unwrap();
    let of = |task: &str, table: &str, row: usize, column: &str| {
        let all = |value: &Value, key: &str, word: &str| -> Value {
            let list = value.as_array().unwrap();
            list.iter().find(|one| one[key] == word).unwrap_or_else(|| panic!("{word} in {task}")).clone()
        };
        let tables = all(&report["tasks"], "task", task)["tables"].clone();
        let rate = all(&tables, "name", table)["rows"][row][column].clone();
        (rate["hits"].as_u64().unwrap(), rate["of"].as_u64().unwrap())
    };
    // Rows: boolean, location, number, person, selection, text.
    assert_eq!(of("pending", "answers", 0, "fill"), (3, 6));
    assert_eq!(of("pending", "answers", 2, "recall"), (3, 4));
    assert_eq!(of("pending", "answers", 2, "fill"), (2, 4));
    assert_eq!(of("pending", "answers", 5, "dontcare"), (1, 1));
    assert_eq!(of("pending", "answers", 3, "recall"), (1, 1));
    assert_eq!(of("pending", "others", 0, "precision"), (5, 6));
    assert_eq!(of("pending", "others", 2, "hijack"), (1, 3));
    assert_eq!(of("pending", "others", 2, "precision"), (3, 4));
    // Rows: boolean, number, person.
    assert_eq!(of("value", "by_source_and_type", 1, "accepted"), (2, 3));
    assert_eq!(of("value", "by_source_and_type", 1, "right"), (2, 3));
    assert_eq!(of("value", "by_source_and_type", 1, "none_accepted"), (0, 1));
    assert_eq!(
        of("value", "by_source_and_type", 0, "accepted"),
        (0, 0),
        "a value inside a sentence is not accepted"
    );
    assert_eq!(of("selection", "by_rung", 0, "right"), (4, 7));
    // Rows: affirm, cancel, deny, maybe, stop, task.
    assert_eq!(of("utterance", "by_class", 1, "interrupt_right"), (1, 3));
    assert_eq!(of("utterance", "by_class", 2, "verdict_right"), (1, 2));
    assert_eq!(of("utterance", "by_class", 5, "wrongly_taken"), (1, 3));
    // Rows: create, help, review, talk.
    assert_eq!(of("intent", "by_source_and_label", 0, "accepted"), (2, 3));
    assert_eq!(of("intent", "by_source_and_label", 3, "rejected_label"), (1, 3));
}

/// Cases about lists: some execute, one asks, some are left alone. With lists switched off nothing is executed, the gate
/// asks about none of them, and a pending question is answered as before.
#[test]
fn every_choice_is_put_as_a_list_as_well() {
    let (on, off) = (found(1).report, under(false, 1).report);
    let (seen, none) = (on.watched().unwrap(), off.watched().unwrap());
    assert_eq!((seen.turns, seen.wrong, seen.asked, seen.passed), (10, 2, 1, 3));
    assert_eq!((none.turns, none.wrong, none.asked, none.passed), (10, 0, 1, 10));
    let of = |report: &throughline_eval::Report, key: &str| {
        let figure = report.figures.iter().find(|figure| figure.key == key).unwrap();
        (figure.seen.hits, figure.seen.of)
    };
    assert_eq!(of(&off, "list.labels.right"), (0, 2));
    assert_eq!(of(&off, "selection.labels.right"), of(&on, "selection.labels.right"));
    let mistakes = on.mistakes.iter().flat_map(|task| &task.all);
    let listed: Vec<_> = mistakes.filter(|mistake| mistake.mistake.starts_with("list-")).collect();
    let wrong = listed.iter().find(|mistake| mistake.id == "s05").unwrap();
    assert_eq!((wrong.mistake, wrong.decided.as_str()), ("list-wrong-option", "executed “Old Mill”"));
    assert_eq!(wrong.why, "selection.exact_label at rung 7");
}

/// Decisions are timed only if a clock is given.
#[test]
fn how_long_decisions_take_is_measured_by_who_has_a_clock() {
    assert_eq!(found(1).report.watched().unwrap().p95_ms, None);
    // Every look at it is a tenth of a second later.
    let looks = AtomicU32::new(0);
    let clock = || Duration::from_millis(100) * looks.fetch_add(1, Ordering::Relaxed);
    let evals = Evals::new(Policy::default(), 1, &|_| ()).timed(&clock);
    let report = evaluate(cases(&Filter::default()), &evals).unwrap().report;
    assert_eq!(report.watched().unwrap().p95_ms, Some(100));
}

#[test]
fn a_prediction_is_what_the_turn_decided() {
    let predictions = found(1).predictions;
    let line = |id: &str| predictions.iter().find(|line| line["id"] == id).map(ToString::to_string);
    for (id, expected) in [
        ("p01", r#"{"apply":true,"bool":true,"id":"p01","value":null}"#),
        ("p04", r#"{"apply":false,"bool":null,"id":"p04","value":null}"#),
        ("p14", r#"{"apply":true,"bool":null,"id":"p14","value":"3"}"#),
        ("p25", r#"{"apply":true,"bool":null,"id":"p25","value":"south"}"#),
        ("s02", r#"{"id":"s02","pick":2}"#),
        ("s08", r#"{"id":"s08","pick":null}"#),
        ("c1", r#"{"closing":true,"id":"c1"}"#),
        ("u08", r#"{"accepts":[],"bool":null,"closing":false,"id":"u08","interrupt":"cancel"}"#),
        ("a1", r#"{"antecedent":1,"id":"a1","needs_context":true}"#),
        ("a3", r#"{"antecedent":null,"id":"a3","needs_context":true}"#),
        ("log1:3", r#"{"id":"log1:3","parent":1}"#),
        ("i5", r#"{"id":"i5","intent":"TICKET"}"#),
    ] {
        assert_eq!(line(id).as_deref(), Some(expected));
    }
}

#[test]
fn a_mistake_shows_what_was_decided_and_why() {
    let report = found(1).report;
    let all: Vec<_> = report.mistakes.iter().flat_map(|task| &task.all).collect();
    let of =
        |id: &str| *all.iter().find(|mistake| mistake.id == id).unwrap_or_else(|| panic!("{id} is right"));
    assert_eq!((of("p06").mistake, of("p06").decided.as_str()), ("approved", "taken as yes"));
    assert_eq!(of("p06").why, "pending.applied at rung 6");
    assert_eq!(of("p04").mistake, "missed");
    let why = "pending.mismatch, then gate.spared at rung 11 · the recogniser says: ";
    assert!(of("p04").why.starts_with(why), "{}", of("p04").why);
    assert_eq!(
        (of("p18").mistake, of("p13").mistake, of("p15").mistake),
        ("hijacked-hard", "wrong-polarity", "wrong-value")
    );
    assert_eq!(
        (of("i6").mistake, of("i6").why.as_str()),
        ("ticket", "intent.rule at rung 9 (rule ticket.create)")
    );
    for right in ["p01", "p05", "p07", "p10", "p11", "s08", "c5", "i4"] {
        assert!(all.iter().all(|mistake| mistake.id != right), "{right} is no mistake");
    }
    let pending: Vec<_> = report.mistakes[0].all.iter().map(|mistake| mistake.mistake).collect();
    assert_eq!(pending[..4], ["approved", "approved", "approved", "wrong-polarity"], "worst first");
}

#[test]
fn it_is_the_same_on_any_number_of_threads() {
    let (one, many) = (found(1), found(5));
    assert_eq!(one.predictions, many.predictions);
    let json = |found: &Evaluated| serde_json::to_string(&found.report).unwrap();
    assert_eq!(json(&one), json(&many));
}

#[test]
fn a_filter_leaves_the_rest_out() {
    let filter =
        Filter { task: Some("pending".into()), expected: Some("number".into()), ..Filter::default() };
    assert_eq!(cases(&filter).len(), 7);
    let filter = Filter { gold: Some("plus_question".into()), ..Filter::default() };
    assert_eq!(cases(&filter).len(), 1);
    let filter = Filter { source: Some("hall".into()), ..Filter::default() };
    assert_eq!(cases(&filter).len(), 1, "a log is found by its channel");
}

#[test]
fn a_baseline_of_the_same_cases_says_what_changed() {
    let report = found(1).report;
    let guard = Policy::default().selection.guard;
    let same = Baseline::of(&report).compare(&report, &guard).unwrap();
    let (watched, same): (Vec<_>, Vec<_>) =
        same.into_iter().partition(|figure| figure.change == Change::Insufficient);
    assert!(same.len() > 30 && same.iter().all(|figure| figure.change == Change::Same));
    let keys: Vec<&str> = watched.iter().map(|figure| figure.key.as_str()).collect();
    assert_eq!(keys, ["selection.wrong_actions", "selection.clarifiers"], "ten cases say nothing");
    let filter = Filter { task: Some("closing".into()), ..Filter::default() };
    let fewer = evaluate(cases(&filter), &Evals::new(Policy::default(), 1, &|_| ())).unwrap();
    assert!(Baseline::of(&fewer.report).compare(&report, &guard).is_err());
}
