//! The stored row of a turn: each version stays readable, and the bytes are canonical.

use std::fs;
use std::path::Path;

use throughline_engine::data::canonical_json::jcs;
use throughline_engine::data::decision::Verdict;
use throughline_engine::data::focus::FocusSource;
use throughline_engine::data::focus::FocusTrace;
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::data::intent::Intent;
use throughline_engine::data::record::{RecordKey, RecordKind};
use throughline_engine::data::rung::Rung;
use throughline_engine::data::trace::{Predicate, Trace};
use throughline_engine::{Decision, LaneKey, Reason, Timestamp};
use throughline_language::reference::Reference;
use throughline_runtime::turn_log::{
    GENESIS, RetiredRecord, Turn, TurnRow, chain, content_fits, content_hash,
};
use throughline_store::StoredTurn;

const SALT: &str = "00112233445566778899aabbccddeeff";

fn lane() -> LaneKey {
    LaneKey::new("acme", "A111", "slack", "C222", "1700000000.000100")
}

/// A row with a value in every member.
fn full() -> TurnRow {
    let lane = lane();
    let mint = IdGenerator::new(&lane, 8);
    TurnRow {
        turn: mint.turn(),
        lane: lane.id().0,
        revision: 8,
        at: Timestamp(1_768_471_200_000),
        key: "slack:evt:A111:Ev\u{e9}\n\"1\"".into(),
        event: "message.posted".into(),
        decision: Decision {
            outcome: Verdict::Shown,
            reason: Reason::GateOpened,
            rung: Rung::Gate,
            intent: Some(Intent::Ambiguous),
            applied: None,
        },
        trace: Trace {
            passed: vec![Predicate::ToUs, Predicate::FocusAlone, Predicate::Left(Reason::PendingMismatch)],
            also: vec![Reason::PendingMismatch],
            focus: Some(FocusTrace {
                anchor: Some("m_7_1".into()),
                reference: Reference::default(),
                source: FocusSource::LaneRecency,
                task: Some("t_3_0".into()),
                thread: None,
            }),
            rule: Some("verb and object".into()),
            candidates: vec!["ticket".into(), "review".into()],
            selection: None,
            prompt: None,
        },
        policy: "04bd2b8091c4".into(),
        engine: "0.1.0".into(),
        snapshot: 1,
        before: "ab".repeat(32),
        after: "cd".repeat(32),
        effects: vec![("card.post".into(), mint.effect(0).0), ("card.update".into(), mint.effect(1).0)],
        asked: None,
        messages: vec![
            mint.other("m_", 0).as_str().into(),
            "m_7_1".into(),
            mint.other("m_", 3).as_str().into(),
        ],
        content: content_hash(SALT, "{}"),
        retired: Vec::new(),
    }
}

fn stored(row: &str) -> StoredTurn {
    let log = full().seal(GENESIS, String::new(), SALT.into());
    StoredTurn {
        lane: lane(),
        revision: 8,
        position: 8,
        log: throughline_store::LogRow { row: row.into(), ..log },
    }
}

/// `GOLDEN=write` writes the file; only for a new version.
#[test]
fn the_row_is_the_golden_one_and_reads_back() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/turn_v1.json");
    let log = full().seal(GENESIS, "{}".into(), SALT.into());
    if std::env::var("GOLDEN").as_deref() == Ok("write") {
        fs::write(&path, log.row.clone() + "\n").unwrap();
    }
    let golden = fs::read_to_string(path).unwrap();
    assert_eq!(golden.trim_end(), log.row);
    assert_eq!(Turn::read(&stored(golden.trim_end())).unwrap().row, full());
    assert_eq!(log.hash, chain(GENESIS, &log.row));
    assert!(content_fits(&log).unwrap());
    assert!(!content_fits(&throughline_store::LogRow { content: "{ }".into(), ..log }).unwrap());
}

#[test]
fn the_row_is_canonical() {
    let asks = IdGenerator::new(&lane(), 8).effect(1);
    for row in [
        full(),
        TurnRow { trace: Trace::default(), effects: Vec::new(), messages: Vec::new(), ..full() },
        TurnRow { asked: Some(asks), ..full() },
    ] {
        let bytes = row.seal(GENESIS, String::new(), SALT.into()).row;
        let value: serde_json::Value = serde_json::from_str(&bytes).unwrap();
        assert_eq!(jcs(&value), bytes);
        assert_eq!(Turn::read(&stored(&bytes)).unwrap().row, row);
    }
}

#[test]
fn a_row_keeps_the_hashes_of_what_was_put_aside() {
    let record =
        |kind, key: &str| RetiredRecord { key: RecordKey { kind, key: key.into() }, hash: "ef".repeat(32) };
    let row = TurnRow {
        retired: vec![record(RecordKind::Draft, "dr_1"), record(RecordKind::Proposal, "dc_1")],
        ..full()
    };
    let bytes = row.seal(GENESIS, String::new(), SALT.into()).row;
    let value: serde_json::Value = serde_json::from_str(&bytes).unwrap();
    assert_eq!(jcs(&value), bytes);
    assert_eq!(Turn::read(&stored(&bytes)).unwrap().row, row);
}

#[test]
fn a_newer_row_is_refused_with_what_to_do() {
    let error = Turn::read(&stored(r#"{"v":99}"#)).unwrap_err().to_string();
    assert_eq!(error, "it has version 99, this program reads up to 1; upgrade it");
    assert!(Turn::read(&stored("{}")).is_err());
}
