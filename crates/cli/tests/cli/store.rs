//! `throughline store`: what is stored, its schema, copies of it and putting them back.

use throughline_store::conformance::PostgresTestServer;

use crate::home::{BUG, Home};

fn said(home: &Home) {
    home.run_with(&["chat", "--no-input", "--session", "s1"], BUG, &[]).ends(0);
}

fn lanes(home: &Home) -> usize {
    home.run(&["lanes", "list", "--json"]).ends(0).json().as_array().unwrap().len()
}

#[test]
fn status_tells_where_the_data_is_and_how_much() {
    let home = Home::new();
    home.run(&["store", "status"]).ends(5);
    said(&home);
    let status = home.run(&["store", "status", "--json"]).ends(0).json();
    assert_eq!((&status["kind"], &status["counts"]["lanes"]), (&"sqlite".into(), &1.into()), "{status}");
    assert_eq!(status["schema"]["applied"], status["schema"]["newest"]);
    let words = home.run(&["store", "status"]).ends(0).out;
    assert!(words.contains("up to date") && words.contains("1 lane, "), "{words}");
}

/// A database of an earlier version is looked at without being changed, and brought up to date when that is asked for.
#[test]
fn an_older_schema_is_told_and_brought_up_to_date() {
    let home = Home::new();
    said(&home);
    let status = home.run(&["store", "status", "--json"]).ends(0).json();
    let newest = status["schema"]["newest"].as_u64().unwrap();
    let before = newest - 1;
    let older = format!("PRAGMA user_version = {before}; UPDATE instance SET one = 1");
    throughline_store::tamper(&home.path().join("throughline.db"), &older).unwrap();
    let status = home.run(&["store", "status"]).ends(0).out;
    assert!(status.contains("1 behind") && !status.contains("lane"), "{status}");
    let migrated = home.run(&["store", "migrate"]).ends(0).out;
    assert!(migrated.contains(&format!("schema {before} is now {newest}")), "{migrated}");
    assert!(home.run(&["store", "migrate"]).ends(0).out.contains("was up to date"));
}

#[test]
fn a_backup_is_put_back_and_what_was_erased_since_stays_erased() {
    let home = Home::new();
    said(&home);
    home.run(&["store", "backup", "monday"]).ends(0);
    let again = home.run(&["store", "backup", "monday"]).ends(5);
    assert!(again.err.contains("there is a copy in it already"), "{}", again.session());
    let other = "create a bug: another page\\\nSteps: a\\\nExpected: b\\\nActual: c\n";
    home.run_with(&["chat", "--no-input", "--session", "s2"], other, &[]).ends(0);
    home.run(&["erase", "you", "--yes"]).ends(0);
    assert_eq!(lanes(&home), 2);

    let restored = home.run(&["store", "restore", "monday"]).ends(0).out;
    assert!(restored.contains("1 erasures were made again"), "{restored}");
    assert_eq!(lanes(&home), 1, "it is what it was");
    home.run(&["audit", "verify"]).ends(0);
    let words = std::fs::read(home.path().join("throughline.db")).unwrap();
    assert!(!words.windows(13).any(|part| part == b"page is empty"), "what was erased is not back");
    assert!(home.path().join("throughline.db.before-restore-1").exists());
}

#[test]
fn what_is_no_backup_changes_nothing() {
    let home = Home::new();
    said(&home);
    home.run(&["store", "restore", "nowhere"]).ends(5);
    home.file("odd/throughline.db", "not a database");
    home.run(&["store", "restore", "odd"]).ends(5);
    assert_eq!(lanes(&home), 1);
}

#[test]
fn a_server_is_looked_after_as_well() {
    let (home, server) = (Home::new(), PostgresTestServer::start());
    let address = server.address();
    let there = [("THROUGHLINE_STORE__URL", address.as_str())];
    let empty = home.run_with(&["store", "status", "--json"], "", &there).ends(0).json();
    assert_eq!((&empty["kind"], &empty["schema"]["applied"]), (&"postgres".into(), &0.into()), "{empty}");
    home.run_with(&["store", "migrate"], "", &there).ends(0);
    let status = home.run_with(&["store", "status"], "", &there).ends(0).out;
    assert!(status.contains("up to date") && status.contains("0 lanes"), "{status}");
    let refused = home.run_with(&["store", "backup", "monday"], "", &there).ends(2);
    assert!(refused.err.contains("pg_dump"), "{}", refused.session());
}

/// E34: nothing is decided on a server that may be behind.
#[test]
fn a_server_that_takes_no_writes_is_refused() {
    let (home, server) = (Home::new(), PostgresTestServer::start());
    server.make_read_only();
    let address = server.address();
    for command in [&["lanes", "list"][..], &["store", "status"], &["serve", "--demo"]] {
        let ran = home.run_with(command, "", &[("THROUGHLINE_STORE__URL", address.as_str())]);
        assert_ne!(ran.code, 0);
        assert!(ran.err.contains("TL-6104") && ran.err.contains("replica"), "{}", ran.session());
    }
}

/// A database that cannot be read any more is what backups are for. Its log does not come to the copy.
#[test]
fn a_damaged_database_is_put_aside_with_its_log() {
    let home = Home::new();
    said(&home);
    home.run(&["store", "backup", "monday"]).ends(0);
    for name in ["throughline.db", "throughline.db-wal"] {
        std::fs::write(home.path().join(name), [1; 8_192]).unwrap();
    }
    let restored = home.run(&["store", "restore", "monday"]).ends(0);
    assert!(restored.err.contains("what was erased since"), "{}", restored.session());
    assert_eq!(lanes(&home), 1);
    home.run(&["audit", "verify"]).ends(0);
    assert_eq!(std::fs::read(home.path().join("throughline.db.before-restore-1")).unwrap(), [1; 8_192]);
}

/// Two processes with different keys would not know each other's buttons.
#[test]
fn a_process_with_another_key_does_not_start() {
    let (home, server) = (Home::new(), PostgresTestServer::start());
    let address = server.address();
    let there = |key: &'static str| {
        [("THROUGHLINE_STORE__URL", address.as_str()), ("THROUGHLINE_INSTANCE_KEY_FILE", key)]
    };
    home.run_with(&["lanes", "list"], "", &there("first.key")).ends(0);
    home.run_with(&["lanes", "list"], "", &there("first.key")).ends(0);
    let missing = home.run_with(&["lanes", "list"], "", &there("second.key")).ends(4);
    assert!(missing.err.contains("TL-1102"), "{}", missing.session());
    std::fs::write(home.path().join("second.key"), [7; 32]).unwrap();
    let other = home.run_with(&["lanes", "list"], "", &there("second.key")).ends(4);
    assert!(other.err.contains("share the store"), "{}", other.session());
}

#[test]
fn an_address_that_cannot_be_used_is_told_without_its_password() {
    let home = Home::new();
    for (url, said) in [
        ("postgres://u:secret@127.0.0.1:1/d", "refused"),
        ("postgres://u:secret@db.example.org/d", "sslmode=require"),
        ("postgres://u:secret@127.0.0.1:notaport/d", "port"),
        ("mysql://u:secret@h/d", "store.url"),
    ] {
        let ran = home.run_with(&["lanes", "list"], "", &[("THROUGHLINE_STORE__URL", url)]);
        assert!(ran.code != 0 && ran.err.contains(said), "{}", ran.session());
        assert!(!ran.err.contains("secret"), "{}", ran.err);
    }
}

/// A conversation goes on where it was copied to: the draft that was open is filled in, approved and created.
#[test]
fn a_database_is_copied_to_a_server() {
    let (home, server) = (Home::new(), PostgresTestServer::start());
    said(&home);
    let address = server.address();
    let copy = ["store", "copy", "sqlite:throughline.db", address.as_str()];
    let copied = home.run(&copy).ends(0).out;
    assert!(copied.contains("1 lane") && copied.contains("throughline.key"), "{copied}");

    let there =
        [("THROUGHLINE_STORE__URL", address.as_str()), ("THROUGHLINE_INSTANCE_KEY_FILE", "throughline.key")];
    let ran = |command: &[&str], input: &str| home.run_with(command, input, &there).ends(0);
    assert_eq!(ran(&["lanes", "list", "--json"], "").out, home.run(&["lanes", "list", "--json"]).ends(0).out);
    ran(&["chat", "--no-input", "--session", "s1"], ":2 risks=none\n");
    let approvals = ran(&["approvals", "list", "--json"], "").json();
    let (id, version) = (approvals[0]["id"].as_str().unwrap(), approvals[0]["version"].to_string());
    ran(&["approvals", "decide", id, "--version", &version, "--decision", "approve"], "");
    let effects = ran(&["effects", "list", "--state", "done", "--json"], "").json();
    assert!(effects.as_array().unwrap().iter().any(|one| one["class"] == "tracker.create"), "{effects}");
    ran(&["audit", "verify"], "");

    let again = home.run(&copy).ends(5);
    assert!(again.err.contains("empty database") && again.err.contains("TL-6103"), "{}", again.session());
}

#[test]
fn a_copy_that_cannot_be_whole_is_refused() {
    let (home, server) = (Home::new(), PostgresTestServer::start());
    let address = server.address();
    let copy = |from: &str, to: &str| home.run(&["store", "copy", from, to]);
    copy("sqlite:throughline.db", &address).ends(5);
    said(&home);
    for (from, to) in [
        (address.as_str(), "sqlite:throughline.db"),
        ("sqlite:throughline.db", "sqlite:other.db"),
        ("throughline.db", address.as_str()),
    ] {
        copy(from, to).ends(2);
    }
    let file = home.path().join("throughline.db");
    let clock = std::sync::Arc::new(throughline_store::SystemClock::default());
    let running = throughline_store::SqliteStore::open(&file, clock).unwrap();
    let in_use = copy("sqlite:throughline.db", &address).ends(5);
    assert!(in_use.err.contains("TL-6102"), "{}", in_use.session());
    drop(running);

    let change = "UPDATE turns SET row = replace(row, 'message.posted', 'message.edited') WHERE n = 1";
    throughline_store::tamper(&file, change).unwrap();
    let changed = copy("sqlite:throughline.db", &address).ends(3);
    assert!(changed.err.contains("nothing was copied"), "{}", changed.session());
    let there = [("THROUGHLINE_STORE__URL", address.as_str())];
    let status = home.run_with(&["store", "status", "--json"], "", &there).ends(0).json();
    assert_eq!(status["schema"]["applied"], 0, "nothing was written there");
}

/// Words that are old enough go, for good; the record still verifies, and what is younger stays.
#[test]
fn what_is_old_is_pruned() {
    let home = Home::new();
    said(&home);
    home.run(&["store", "prune"]).ends(2);
    home.run(&["store", "prune", "--older-than", "0d"]).ends(2);
    let unasked = home.run(&["store", "prune", "--older-than", "30d"]).ends(2);
    assert!(unasked.err.contains("--yes"), "{}", unasked.session());
    let prune = || home.run(&["store", "prune", "--older-than", "30d", "--yes", "--json"]).ends(0).json();
    assert_eq!(prune()["tenants"]["demo"]["turns"], 0);

    // As if it had been said a hundred days ago. The row is hashed and says when it was decided; what is compared is beside it.
    let older = "UPDATE turns SET decided_at = decided_at - 8640000000";
    throughline_store::tamper(&home.path().join("throughline.db"), older).unwrap();
    let pruned = prune();
    assert!(pruned["tenants"]["demo"]["turns"].as_u64().is_some_and(|turns| turns > 0), "{pruned}");
    home.run(&["audit", "verify"]).ends(0);
    assert_eq!(lanes(&home), 1);
    assert_eq!(prune()["tenants"]["demo"]["turns"], 0, "it is gone already");
}
