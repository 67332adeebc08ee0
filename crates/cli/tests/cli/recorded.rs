//! A store that an earlier version recorded still replays.

use crate::home::Home;

/// The database of a conversation with a draft, a review, a batch, a gate and a decision, recorded by version 0.1 before
/// the engine's modules were laid out in floors.
const STORE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/recorded-0.1.sqlite");
const LANE: &str = "ln_bploimiwbbko3dfch47pjr4o";

#[test]
fn a_store_recorded_by_an_earlier_version_decides_alike() {
    let home = Home::new();
    std::fs::copy(STORE, home.path().join("throughline.db")).unwrap();
    let replayed = home.run(&["replay", LANE]).ends(0);
    assert!(replayed.out.contains("10 of 10 turns came out the same"), "{}", replayed.session());
}
