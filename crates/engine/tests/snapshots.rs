//! Golden files of the stored encodings, one folder a version. A version's files never change: what an older
//! program wrote must be read for ever. A new version adds a folder.

mod world;

use std::fs;
use std::path::{Path, PathBuf};

use throughline_engine::snapshot;
use throughline_engine::workflow::Action;
use throughline_engine::{Lane, LaneState};
use world::{TICKET, World};

fn folder(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/v{version}"))
}

/// A lane in which everything there is happened once: gate, slot, preview, edit, approval, receipt, a held ask.
fn full_lane() -> Lane {
    let mut w = World::new();
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
    let _ = w.says("ana", "Create a ticket for the export");
    w.model = true;
    let _ = w.says("bob", "hmm, the second thing we talked about");
    w.lane
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

/// What is written today is what the golden files of today's version hold. `GOLDEN=write` writes them, once, for a
/// new version.
#[test]
fn todays_encoding_is_the_golden_one() {
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

#[test]
fn a_newer_version_is_refused_with_what_to_do() {
    let error = snapshot::decode_head(r#"{"v":99,"state":{}}"#).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot read the stored lane head: it has version 99, this program reads up to 1; upgrade it"
    );
    assert!(snapshot::decode_record("nonsense").is_err());
}
