//! Golden files of the stored encodings, one folder a version. The files of a version never change, because later
//! programs must read what earlier ones wrote. A new version adds a folder.

mod harness;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use harness::{BATCH, TICKET, TestLane};
use throughline_engine::data::action::Action;
use throughline_engine::data::call::{Agent, Risk, Tool};
use throughline_engine::data::effect::{EffectResult, Outcome};
use throughline_engine::data::event::EventKind;
use throughline_engine::data::fault::Fault;
use throughline_engine::data::pending::{PendingKind, PendingState, Slot};
use throughline_engine::data::record::Record;
use throughline_engine::data::snapshot;
use throughline_engine::data::task::TaskReported;
use throughline_engine::data::task_status::TaskStatus;
use throughline_engine::data::ticket::Part;
use throughline_engine::{Lane, LaneState, Policy, StepInput};
use throughline_language::Expected;

fn folder(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/v{version}"))
}

/// A lane in which everything happened once: gate, question, preview, edit, approval, receipt, an answer that can be
/// corrected, an offered retry, a task that waits for approval, a reported task, a held model call.
fn full_lane() -> Lane {
    let mut w = TestLane::new();
    let _ = w.says("ana", "What do you think about microservices?");
    let gate = w.card();
    let _ = w.presses("ana", &gate, 1, Action::Dismiss);
    w.advance(1);
    let _ = w.says("ana", TICKET);
    w.settle();
    let card = w.card();
    let _ = w.submits("ana", &card, &[("labels", "login")]);
    w.settle();
    let card = w.card();
    let _ = w.presses("bob", &card, 2, Action::Approve);
    w.settle();
    w.advance(1);
    work(&mut w);
    let _ = w.says("ana", "Create a ticket for the export");
    let _ = w.says("ana", "Problem: it is slow");
    w.model = true;
    let _ = w.says("bob", "hmm, the second thing we talked about");
    // Tracked issues have a golden file of their own.
    w.lane.head.tracked.clear();
    w.lane
}

/// Adds tools, sub-agents and reports.
fn work(w: &mut TestLane) {
    let args = [("city".to_owned(), Expected::Location)].into();
    w.policy.tools.insert("weather".into(), Tool { risk: Risk::Read, args });
    w.policy.agents.insert("publisher".into(), Agent { risk: Risk::Write, stops: false });
    let report = |task: &str, status| TaskReported { task: task.into(), status, ..TaskReported::default() };
    let blocked =
        TaskReported { reason: Some("Waiting for a login".into()), ..report("t_host", TaskStatus::Blocked) };
    let _ = w.event("", EventKind::TaskReported(blocked), StepInput { now: w.now, ..StepInput::default() });
    let _ = w.says("ana", "delegate the release notes to publisher");
    let _ = w.says("ana", "run weather");
    let called = w.says("ana", "Swansea").effects.into_iter().find(|one| one.body.task().is_some()).unwrap();
    let lost = Outcome::Failed {
        reason: "gave_up".into(),
        text: Fault::Said("no answer".into()),
        errors: Vec::new(),
    };
    let _ = w.outcome(&called, lost);
}

/// Every kind of pending question is stored in the head and read back.
#[test]
fn every_kind_of_pending_reads_back() {
    let mut head = full_lane().head;
    let pending = head.pendings[0].clone();
    let card = || "ap_1".into();
    let kinds = [
        PendingKind::SlotRequest(Slot::Host),
        PendingKind::SlotRequest(Slot::Argument { name: "city".into() }),
        PendingKind::SlotRequest(Slot::Draft { draft: "dr_1".into(), part: Part::Steps }),
        PendingKind::ClarificationNeeded(Slot::Agent),
        PendingKind::ToolRetryOffer { tool: "weather".into() },
        PendingKind::DelegationOffer { agent: "writer".into() },
        PendingKind::WaitingStoryEdit { draft: "dr_1".into(), card: card(), part: Part::Title },
        PendingKind::WaitingDecisionEdit { card: card() },
        PendingKind::WaitingApproval { card: card() },
        PendingKind::WaitingScopeChoice { card: card(), message: "m_1".into() },
        PendingKind::WaitingQuantityConfirm { card: card() },
        PendingKind::WaitingSizeConfirm { card: card() },
        PendingKind::WaitingUncertainEffect { card: card(), effect: "fx_1".into() },
    ];
    head.pendings = kinds.map(|kind| PendingState { kind, ..pending.clone() }).into();
    let stored = snapshot::encode_head(&head);
    assert_eq!(snapshot::decode_head(&stored).unwrap(), head);
    let words: BTreeSet<&str> = head.pendings.iter().map(|pending| pending.kind.as_str()).collect();
    assert_eq!(words.len(), 11, "every kind, once: {words:?}");
    for pending in &head.pendings {
        let lifetime = pending.kind.lifetime(&Policy::default());
        assert_eq!(lifetime.is_none(), pending.kind.as_str() == "waiting_uncertain_effect");
    }
}

#[test]
fn golden_files_of_every_version_are_read() {
    for version in 1..=snapshot::VERSION {
        let head = fs::read_to_string(folder(version).join("head.json")).unwrap();
        let decoded = snapshot::decode_head(head.trim_end()).unwrap();
        assert_ne!(decoded, LaneState::default());
        let records = fs::read_to_string(folder(version).join("records.jsonl")).unwrap();
        for line in records.lines() {
            let record = snapshot::decode_record(line).unwrap();
            if version == snapshot::VERSION {
                assert_eq!(snapshot::encode_record(&record), line, "a version's encoding never changes");
            }
        }
        if version == snapshot::VERSION {
            assert_eq!(snapshot::encode_head(&decoded), head.trim_end());
        }
    }
}

/// The current encoding is that of the current version's golden files. `GOLDEN=write` writes them, once, for a new
/// version.
#[test]
fn the_current_encoding_matches_its_golden_files() {
    let lane = full_lane();
    let head = snapshot::encode_head(&lane.head) + "\n";
    let records: String = lane.records.iter().map(|record| snapshot::encode_record(record) + "\n").collect();
    let folder = folder(snapshot::VERSION);
    if std::env::var("GOLDEN").as_deref() == Ok("write") {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("head.json"), &head).unwrap();
        fs::write(folder.join("records.jsonl"), &records).unwrap();
    }
    assert_eq!(fs::read_to_string(folder.join("head.json")).unwrap(), head);
    assert_eq!(fs::read_to_string(folder.join("records.jsonl")).unwrap(), records);
}

/// Reviews came within version 2: their records and cards have a file of their own. `GOLDEN=write` writes it, once.
#[test]
fn reviews_match_their_golden_file() {
    let mut w = TestLane::new();
    let _ = w.says("ana", "Review this plan: we will use Postgres. A migration may break the reports.");
    let _ = w.says("bob", "What about backups?");
    let _ = w.says("ana", "Now review this plan: we will use Redis.");
    let _ = w.says("bob", "create the epic for that");
    let _ = w.says("ana", "do a security review of the login flow");
    let _ = w.says("ana", "thanks");
    w.model = true;
    let _ = w.says("bob", "PM review please");
    let review = |record: &&Record| match record {
        Record::Review(_) => true,
        Record::Card(card) => card.review().is_some(),
        _ => false,
    };
    let golden = golden("reviews", w.lane.records.iter().filter(review));
    for status in ["drafting", "frozen", "superseded"] {
        assert!(golden.contains(&format!("\"is\":\"{status}\"")), "{status}");
    }
}

/// Compares records with the golden file of that name, and each with itself after decoding.
fn golden<'r>(name: &str, records: impl Iterator<Item = &'r Record>) -> String {
    let records: String = records.map(|record| snapshot::encode_record(record) + "\n").collect();
    let file = folder(snapshot::VERSION).join(format!("{name}.jsonl"));
    if std::env::var("GOLDEN").as_deref() == Ok("write") {
        fs::write(&file, &records).unwrap();
    }
    let golden = fs::read_to_string(&file).unwrap();
    assert_eq!(golden, records);
    for line in golden.lines() {
        assert_eq!(snapshot::encode_record(&snapshot::decode_record(line).unwrap()), line);
    }
    golden
}

/// Batches came within version 2 as well: the record, its cards before and after approval, and drafts with an epic.
#[test]
fn batches_match_their_golden_file() {
    let mut w = TestLane::new();
    let _ = w.says("ana", BATCH);
    w.settle();
    let card = w.card();
    let _ = w.presses("ana", &card, 1, Action::ConfirmQuantity);
    let _ = w.presses("bob", &card, 1, Action::Approve);
    let released: Vec<_> = w.effects.iter().filter(|effect| effect.approval.is_some()).cloned().collect();
    let issue = |key: &str| Outcome::Done { result: EffectResult::Issue { key: key.into(), url: None } };
    let _ = w.outcome(&released[0], issue("DEMO-1"));
    let _ = w.outcome(&released[1], issue("DEMO-2"));
    let no =
        Outcome::Failed { reason: "rejected".into(), text: Fault::Said("no".into()), errors: Vec::new() };
    let _ = w.outcome(&released[2], no);
    let _ = w.outcome(&released[3], Outcome::Uncertain { text: Fault::Said("no answer".into()) });
    w.policy.latch.chars = 100;
    let _ = w.says("ana", BATCH);
    let card = w.card();
    let _ = w.presses("ana", &card, 1, Action::Split);
    let kept = |record: &&Record| match record {
        Record::Batch(_) | Record::Draft(_) => true,
        Record::Card(card) => card.batch().is_some() || card.draft().is_some(),
        _ => false,
    };
    let _ = golden("batches-placed", w.lane.records.iter().filter(kept));
    // Earlier drafts do not have a place.
    for line in fs::read_to_string(folder(2).join("batches.jsonl")).unwrap().lines() {
        assert_eq!(snapshot::encode_record(&snapshot::decode_record(line).unwrap()), line);
    }
}

#[test]
fn a_newer_version_is_refused_with_what_to_do() {
    let error = snapshot::decode_head(r#"{"v":99,"state":{}}"#).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot read the stored lane head: it has version 99, this program reads up to 2; upgrade it"
    );
    assert!(snapshot::decode_record("nonsense").is_err());
}

/// Decisions and tracked issues came within version 2. `GOLDEN=write` writes their file, once.
#[test]
fn decisions_match_their_golden_file() {
    let mut w = TestLane::new();
    for text in ["/maro track AUTH-1", "/maro track AUTH-2"] {
        let _ = w.says("ana", text);
        w.settle();
    }
    let _ = w.says("ana", "/maro track AUTH-3");
    let _ = w.says("ana", "Record the decision about storage: we use Postgres because we know it.");
    let card = w.card();
    let _ = w.submits("ana", &card, &[("issues", "AUTH-1")]);
    let _ = w.presses("bob", &card, 2, Action::Approve);
    w.settle();
    let _ = w.presses("bob", &card, 3, Action::Comment);
    let sent = w.effects.iter().rfind(|effect| effect.approval.is_some()).unwrap().clone();
    let _ = w.outcome(&sent, Outcome::Uncertain { text: Fault::Said("no answer".into()) });
    let _ = w.says("bob", "log this decision");
    let decided = |record: &&Record| match record {
        Record::Proposal(_) => true,
        Record::Card(card) => card.decision().is_some(),
        _ => false,
    };
    let written = w.lane.records.iter().filter(decided).map(|record| snapshot::encode_record(record) + "\n");
    let written: String = written.chain([snapshot::encode_head(&w.lane.head) + "\n"]).collect();
    let file = folder(snapshot::VERSION).join("decisions.jsonl");
    if std::env::var("GOLDEN").as_deref() == Ok("write") {
        fs::write(&file, &written).unwrap();
    }
    assert_eq!(fs::read_to_string(file).unwrap(), written);
}
