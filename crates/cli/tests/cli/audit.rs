//! `throughline audit verify`: whatever somebody changes in the database file ends it with 3, and it names what was changed.

use crate::home::{BUG, Home};

/// Creates a bug that waits for approval. Returns the id and the version of its approval.
fn waiting(home: &Home) -> (String, String) {
    let chat = ["chat", "--no-input", "--session", "s1"];
    home.run_with(&chat, &format!("{BUG}:2 risks=none\n"), &[]).ends(0);
    let approvals = home.run(&["approvals", "list", "--json"]).ends(0).json();
    (approvals[0]["id"].as_str().unwrap().to_owned(), approvals[0]["version"].to_string())
}

/// Creates a bug that was approved and is there. Returns the id of its approval.
fn created(home: &Home) -> String {
    let (id, version) = waiting(home);
    home.run(&["approvals", "decide", &id, "--version", &version, "--decision", "approve"]).ends(0);
    id
}

/// Changes the database file of a home.
fn tamper(home: &Home, sql: &str) {
    let changed = throughline_store::tamper(&home.path().join("throughline.db"), sql).unwrap();
    assert!(changed > 0, "nothing was changed: {sql}");
}

/// Verifies, expects that it is broken, and that each of these is named.
#[track_caller]
fn names(home: &Home, what: &[&str]) {
    let ran = home.run(&["audit", "verify"]).ends(3);
    for what in what {
        let named = ran.out.lines().any(|line| line.starts_with("broken ") && line.contains(what));
        assert!(named, "{what} is not named: {}", ran.session());
    }
    assert!(ran.err.contains("the record is not the one that was written"), "{}", ran.session());
    let json = home.run(&["audit", "verify", "--json"]).ends(3).json();
    let broken = json["broken"].as_array().unwrap();
    for what in what {
        assert!(broken.iter().any(|line| line.as_str().unwrap().contains(what)), "{what}: {json}");
    }
}

#[test]
fn a_changed_approval_ends_it_with_3() {
    let home = Home::new();
    let (id, version) = waiting(&home);
    home.run(&["audit", "verify"]).ends(0);
    tamper(&home, "UPDATE approvals SET approval = replace(approval, 'page is empty', 'page is full')");
    names(&home, &[&format!("approval {id} v{version} has another payload")]);
}

#[test]
fn a_changed_record_ends_it_with_3() {
    let home = Home::new();
    let _ = waiting(&home);
    let record = "UPDATE records SET body = replace(body, 'page is empty', 'page is full') \
                  WHERE body LIKE '%page is empty%'";
    tamper(&home, record);
    let lanes = home.run(&["lanes", "list", "--json"]).ends(0).json();
    let lane = lanes[0]["id"].as_str().unwrap();
    names(&home, &[&format!("{lane}: its stored state is not the one that its last turn led to")]);
}

#[test]
fn a_changed_effect_ends_it_with_3() {
    let home = Home::new();
    created(&home);
    let effects = home.run(&["effects", "list", "--state", "done", "--json"]).ends(0).json();
    let create = effects.as_array().unwrap().iter().find(|one| one["class"] == "tracker.create").unwrap();
    tamper(
        &home,
        "UPDATE outbox SET payload = replace(payload, 'page is empty', 'page is full') WHERE outward = 1",
    );
    names(
        &home,
        &[&format!("effect {} has another payload than was planned", create["id"].as_str().unwrap())],
    );
}

#[test]
fn a_changed_list_of_what_was_released_ends_it_with_3() {
    let home = Home::new();
    let id = created(&home);
    let other = "ab".repeat(32);
    tamper(
        &home,
        &format!(
            "DROP TRIGGER \"what was released stays as it was\"; UPDATE releases SET payload_sha256 = x'{other}'"
        ),
    );
    names(&home, &[&format!("approval {id} v"), "releases something else than was decided"]);
}

#[test]
fn a_changed_turn_and_a_changed_row_of_the_audit_end_it_with_3() {
    let home = Home::new();
    created(&home);
    tamper(&home, "UPDATE audit SET row = replace(row, 'approve', 'reject ') WHERE row LIKE '%approve%'");
    names(&home, &["audit chain of demo: row "]);
    let home = Home::new();
    created(&home);
    tamper(
        &home,
        "UPDATE turns SET row = replace(row, 'message.posted', 'message.edited') WHERE revision = 1",
    );
    names(&home, &["was changed"]);
}

/// Bytes say what leaves a thread: an effect is no less outward because a column says so.
#[test]
fn an_effect_that_is_said_to_stay_here_ends_it_with_3() {
    let home = Home::new();
    created(&home);
    let hidden = "DROP TRIGGER \"an outward effect keeps its hash and its approval\"; \
                  UPDATE outbox SET outward = 0 WHERE class = 'tracker.create'";
    tamper(&home, hidden);
    names(&home, &["effect fx_"]);
}

/// Takes the whole end of a lane away, its state with it, so that every chain fits; and more.
#[test]
fn what_was_signed_and_is_gone_ends_it_with_3() {
    let whole = "DROP TRIGGER \"what was released stays listed\"; DELETE FROM turns; DELETE FROM records; DELETE FROM checkpoints; DELETE FROM outcomes; \
                 DELETE FROM releases; DELETE FROM outbox; DELETE FROM approvals; DELETE FROM inbox; DELETE FROM lanes";
    let shorter = "DELETE FROM turns WHERE revision > 1; UPDATE lanes SET revision = 1";
    let anew = "UPDATE turns SET hash = zeroblob(32) WHERE revision = (SELECT max(revision) FROM turns)";
    for (sql, what) in [
        (whole, "is gone, with its "),
        (shorter, "has 1 of its "),
        (anew, "has another turn "),
        ("DELETE FROM audit", "the audit chain has 0 of its "),
        ("DELETE FROM documents WHERE collection = 'audit.anchors'", "its newest anchor is gone"),
        (
            "UPDATE documents SET body = replace(body, '\"revision\":', '\"revision\":1') WHERE collection = 'audit.anchors'",
            "its signature is not one of this installation's key",
        ),
    ] {
        let home = Home::new();
        created(&home);
        home.run(&["audit", "anchor"]).ends(0);
        home.run(&["audit", "verify"]).ends(0);
        tamper(&home, &format!("PRAGMA foreign_keys = OFF; {sql}"));
        names(&home, &[what]);
    }
}

/// An anchor that was kept elsewhere finds a database that was put back, with its own anchor.
#[test]
fn an_anchor_kept_elsewhere_finds_an_older_database() {
    let home = Home::new();
    let _ = waiting(&home);
    home.run(&["audit", "anchor"]).ends(0);
    let database = home.path().join("throughline.db");
    let older = std::fs::read(&database).unwrap();
    created(&home);
    let kept = home.run(&["audit", "anchor"]).ends(0);
    let file = home.path().join("anchors.json");
    std::fs::write(&file, &kept.out).unwrap();
    let verify = ["audit", "verify", "--anchor", "anchors.json"];
    home.run(&verify).ends(0);
    assert_eq!(home.run(&["audit", "anchor"]).ends(0).out, kept.out, "nothing was recorded since");
    for beside in ["throughline.db-wal", "throughline.db-shm"] {
        let _ = std::fs::remove_file(home.path().join(beside));
    }
    std::fs::write(&database, older).unwrap();
    home.run(&["audit", "verify"]).ends(0);
    let ran = home.run(&verify).ends(3);
    assert!(ran.out.contains(" of its ") || ran.out.contains("is gone"), "{}", ran.session());
    for (text, why) in [("", "there is none in it"), ("{}", "missing field"), ("no", "expected")] {
        std::fs::write(&file, text).unwrap();
        let ran = home.run(&verify).ends(1);
        assert!(ran.err.contains("cannot read the anchors") && ran.err.contains(why), "{}", ran.session());
    }
}
