//! A store that an earlier version recorded is still read.

use crate::home::Home;

/// The database of a conversation with a draft, a review, a batch, a gate and a decision, recorded by version 0.1 before
/// the engine's modules were laid out in floors.
const STORE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/recorded-0.1.sqlite");
const LANE: &str = "ln_bploimiwbbko3dfch47pjr4o";

/// Rules may have changed since, and then a turn is decided differently: the replay reads every turn and names those that are.
#[test]
fn a_store_recorded_by_an_earlier_version_is_replayed_to_its_end() {
    let home = Home::new();
    std::fs::copy(STORE, home.path().join("throughline.db")).unwrap();
    let replayed = home.run(&["replay", LANE]).ends(3);
    assert!(replayed.out.contains("of 10 turns came out the same"), "{}", replayed.session());
    let named = replayed.out.lines().filter(|line| line.starts_with("differs tn_")).count();
    assert_eq!(named, 10, "{}", replayed.session());
    let verified = home.run(&["audit", "verify"]).ends(0);
    assert!(verified.out.contains("intact"), "{}", verified.session());
}
