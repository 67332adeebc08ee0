//! Words never choose the wrong thing: generated conversations, and an oracle that knows what each text means.
//!
//! A test run plays 2,000 conversations, a soak a million. `THROUGHLINE_CONVERSATIONS` is their number, `THROUGHLINE_SEED`
//! the first seed. Each family of what is not allowed is shrunk and written as a scenario into
//! `target/tmp/conversations`.

use std::fs;
use std::path::Path;

use throughline_sim::conversations::{Tally, generate, play, play_many, policy, scenario, shrink};
use throughline_testkit::write;

/// Families that are shrunk; the others are in the table.
const SHRUNK: usize = 60;

#[expect(clippy::disallowed_methods, reason = "how much is tried is the test's own setting")]
fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn words_never_choose_the_wrong_thing() {
    let (seed, count) = (number("THROUGHLINE_SEED", 1), number("THROUGHLINE_CONVERSATIONS", 2_000));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let tally = play_many(seed, count, workers);
    if tally.wrong() > 0 {
        let cases = cases(&tally);
        panic!("{cases}\n{tally}");
    }
    // Without this the property would hold for an engine that does nothing. The table names conversations of the rest.
    let (plain, done) = tally.plain;
    assert!(plain > 0 && done * 100 >= plain * 99, "plain texts are carried out\n{tally}");
    for meaning in ["label", "nth", "last", "again", "that", "yes", "instead", "misspelt", "gate's word"] {
        assert!(tally.said.get(meaning).is_some_and(|said| said.did > 0), "{meaning}\n{tally}");
    }
    assert!(tally.model.1 > 0, "a model's pick may run\n{tally}");
}

/// The smallest conversation of each family, as scenarios.
fn cases(tally: &Tally) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conversations");
    fs::create_dir_all(&folder).unwrap();
    let policy = policy();
    let mut families: Vec<_> = tally.families.iter().collect();
    families.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let mut all = String::new();
    for (n, (family, (count, seed))) in families.into_iter().take(SHRUNK).enumerate() {
        let smallest = shrink(&generate(*seed), family, &policy);
        let text = write(&scenario(&smallest, family));
        fs::write(folder.join(format!("{n:02}.scenario.yaml")), &text).unwrap();
        all += &format!("---- {count} of {family}, seed {seed}\n{text}\n");
    }
    all
}

#[test]
fn a_conversation_is_the_same_every_time() {
    let policy = policy();
    for seed in 0..50 {
        let conversation = generate(seed);
        assert_eq!(conversation, generate(seed));
        assert!((3..=12).contains(&conversation.acts.len()));
        assert_eq!(play(&conversation, &policy), play(&conversation, &policy));
    }
    assert_eq!(play_many(7, 300, 1), play_many(7, 300, 3));
}
