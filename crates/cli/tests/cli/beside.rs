//! Commands beside a running server find it, and print the same as alone.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::home::{BUG, Home};
use crate::seeded::Seeded;
use crate::server::Server;

/// Commands that only read.
const READS: &[&[&str]] = &[
    &["lanes", "list"],
    &["lanes", "show", "@latest"],
    &["why", "@latest"],
    &["replay", "@latest"],
    &["context", "@latest"],
    &["approvals", "list", "--all"],
    &["approvals", "show", "@latest"],
    &["effects", "list"],
    &["effects", "show", "@latest"],
    &["audit", "verify"],
    &["record", "@latest"],
    &["eval", "--from-lanes"],
    &["eval", "--live"],
    &["store", "status"],
    &["tools", "list"],
];

#[test]
fn what_reads_prints_the_same_alone_and_beside_a_server() {
    let seeded = Seeded::new();
    let alone: Vec<String> =
        READS.iter().map(|read| seeded.home.run(&[read, &["--json"][..]].concat()).ends(0).out).collect();
    let served = seeded.serve();
    let home = &served.seeded.home;
    for (read, alone) in READS.iter().zip(alone) {
        let beside = home.run(&[read, &["--json"][..]].concat()).ends(0);
        assert_eq!(
            without_times(&beside.json()),
            without_times(&serde_json::from_str(&alone).unwrap()),
            "{read:?}"
        );
    }
    home.run(&["doctor"]).ends(0);
    // Somebody who has the folder but not the key is nobody to the server.
    let key = home.path().join("throughline.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let own = fs::read(&key).unwrap();
    fs::write(&key, [7; 32]).unwrap();
    let refused = home.run(&["lanes", "list"]).ends(6);
    assert!(refused.err.contains("TL-2102"), "{}", refused.session());
    fs::write(&key, own).unwrap();
    home.run(&["lanes", "list"]).ends(0);
}

/// Leaves out what is measured or differs by the moment.
fn without_times(value: &Value) -> Value {
    let mut value = value.clone();
    strip(&mut value);
    value
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for name in ["seconds", "elapsed", "per_second", "updated_at"] {
                members.remove(name);
            }
            members.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

#[test]
fn what_changes_something_is_done_by_the_server() {
    let home = Home::new();
    let server = Server::start(&home);
    home.run_with(&["chat", "--no-input", "--session", "s1"], BUG, &[]).ends(0);
    assert_eq!(server.get("/v1/lanes")["items"][0]["conversation"], "s1", "no store of its own was begun");
    let decided =
        home.run(&["approvals", "decide", "@latest", "--version", "1", "--decision", "approve"]).ends(0);
    assert!(decided.out.contains("DEMO-1"), "{}", decided.session());
    home.run(&["effects", "pause", "--reason", "a try"]).ends(0);
    assert_eq!(server.get("/v1/pause")["paused"], true);
    home.run(&["effects", "resume"]).ends(0);
    let link = home.run(&["open", "--print"]).ends(0);
    assert_eq!(link.out.trim(), format!("{}/", server.url));
    let erased = home.run(&["erase", "--lane", "@latest", "--yes"]).ends(0);
    assert!(erased.out.contains("erased lane"), "{}", erased.session());
    // Those that need the store for themselves say what to do.
    for alone in [&["store", "migrate"][..], &["store", "prune", "--older-than", "1d", "--yes"]] {
        let refused = home.run(alone).ends(5);
        assert!(refused.err.contains("stop the server"), "{}", refused.session());
    }
    assert_eq!(server.terminate(), 0);
    assert_eq!(fs::read_to_string(home.path().join("throughline.db.lock")).unwrap(), "");
}

/// The folder, the port and the file of the configuration may be anybody's: hints repeat them.
#[test]
fn a_server_elsewhere_in_the_file_system_is_found_by_its_folder() {
    let home = Home::new();
    let server = Server::start_with(&home, &["--data", "far away"]);
    let say = ["chat", "--no-input", "--data", "far away", "--session", "s1"];
    home.run_with(&say, "hello\n", &[]).ends(0);
    assert_eq!(server.get("/v1/lanes")["items"].as_array().unwrap().len(), 1);
    let shown = home.run(&["lanes", "show", "@latest", "--data", "far away"]).ends(0);
    let hint = shown.err.lines().find_map(|line| line.split_once(": ")).unwrap().1.to_owned();
    assert!(hint.ends_with("--data 'far away'"), "{}", shown.session());
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_throughline")).parent().unwrap();
    home.shell(&hint, &[("PATH", &format!("{}:/usr/bin:/bin", program.display()))]).ends(0);
    home.run(&["lanes", "list"]).ends(5);
}

#[test]
fn a_server_that_was_killed_is_not_asked() {
    let home = Home::new();
    home.run_with(&["chat", "--no-input", "--session", "s1"], "hello\n", &[]).ends(0);
    home.file("throughline.db.lock", "http://127.0.0.1:9");
    home.run(&["lanes", "list"]).ends(0);
    home.file("throughline.db.lock", "http://127.0.0.1:9");
    let none = home.run(&["open", "--print"]).ends(5);
    assert!(none.err.contains("no server of this installation runs"), "{}", none.session());
}

/// Words of a copy are gone with the command, also when it is interrupted.
#[test]
fn a_copy_goes_with_its_command() {
    let seeded = Seeded::new();
    let folder = seeded.home.path().join("tmp");
    fs::create_dir(&folder).unwrap();
    let served = seeded.serve();
    let mut verify = served.seeded.home.command(&["audit", "verify"]);
    assert!(verify.env("TMPDIR", &folder).status().unwrap().success());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn ids_are_whole_begun_or_the_latest() {
    let seeded = Seeded::new();
    let home = &seeded.home;
    home.run_with(&["chat", "--no-input", "--session", "s2"], "hello\n", &[]).ends(0);
    let lanes = home.run(&["lanes", "list", "--json"]).ends(0).json();
    let ids: Vec<&str> = lanes.as_array().unwrap().iter().map(|lane| lane["id"].as_str().unwrap()).collect();
    assert_eq!(lanes[0]["conversation"], "s2", "newest first");
    let of = |said: &str| home.run(&["lanes", "show", said, "--json"]).ends(0).json()["lane"]["id"].clone();
    assert_eq!(of("@latest"), ids[0]);
    for id in &ids {
        assert_eq!(of(id), **id);
        assert_eq!(of(&id[..id.len() - 1]), **id);
        assert_eq!(of(&id[3..12]), **id, "without the letters of its kind");
    }
    let several = home.run(&["lanes", "show", "ln_"]);
    // Nothing but the kind is the beginning of nothing.
    assert_eq!(several.code, 1, "{}", several.session());
    let turns = home.run(&["lanes", "show", ids[1], "--json", "--turns", "99"]).ends(0).json();
    let turns = turns["turns"].as_array().unwrap().len();
    let begun = format!("tn_{}", &ids[1][3..]);
    let ambiguous = home.run(&["why", &begun]).ends(2);
    assert!(ambiguous.err.contains(&format!("is the beginning of {turns} turns")), "{}", ambiguous.session());
    assert!(ambiguous.err.contains(&format!("{begun}_1  ")), "{}", ambiguous.session());
    assert_eq!(
        home.run(&["why", &format!("{begun}_1"), "--json"]).ends(0).json()["turn"],
        format!("{begun}_1")
    );
    let missing = home.run(&["why", "tn_zzzz"]).ends(1);
    assert!(missing.err.contains("TL-2404"), "{}", missing.session());
}

#[test]
fn every_list_has_the_same_filters() {
    let seeded = Seeded::new();
    seeded.home.run_with(&["chat", "--no-input", "--session", "s2"], "hello\n", &[]).ends(0);
    let served = seeded.serve();
    let home = &served.seeded.home;
    for list in ["lanes", "approvals", "effects"] {
        let count = |filters: &[&str]| {
            let ran = home.run(&[&[list, "list", "--json"], filters].concat()).ends(0).json();
            ran.as_array().unwrap().len()
        };
        let all = count(&[]);
        assert!(all > 0, "{list}");
        let person =
            String::from_utf8(std::process::Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
        assert_eq!(
            count(&["--channel", "terminal", "--person", person.trim(), "--since", "1h"]),
            all,
            "{list}"
        );
        assert_eq!(count(&["--channel", "slack"]), 0, "{list}");
        assert_eq!(count(&["--person", "nobody"]), 0, "{list}");
        assert_eq!(count(&["--since", "2999-01-01"]), 0, "{list}");
        assert_eq!(count(&["--limit", "1"]), 1, "{list}");
        home.run(&[list, "list", "--since", "then"]).ends(2);
        home.run(&[list, "list", "--state", "odd"]).ends(2);
    }
    assert_eq!(
        home.run(&["lanes", "list", "--state", "idle", "--json"]).ends(0).json().as_array().unwrap().len(),
        2
    );
    assert_eq!(
        home.run(&["lanes", "list", "--state", "waiting", "--json"]).ends(0).json(),
        serde_json::json!([])
    );
    let approved = home.run(&["approvals", "list", "--state", "approved", "--json"]).ends(0).json();
    assert_eq!(approved.as_array().unwrap().len(), 1);
}

/// Asks as a shell does.
#[test]
fn a_shell_completes_what_is_there() {
    let seeded = Seeded::new();
    let lane =
        seeded.home.run(&["lanes", "list", "--json"]).ends(0).json()[0]["id"].as_str().unwrap().to_owned();
    let offered = |home: &Home, words: &[&str]| {
        let mut command = home.command(&[&["--", "throughline"], words].concat());
        let index = words.len().to_string();
        let asked = command.env("COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", index).env("_CLAP_IFS", "\n");
        String::from_utf8(asked.output().unwrap().stdout).unwrap()
    };
    let alone = offered(&seeded.home, &["lanes", "show", "ln_"]);
    assert!(alone.contains(&lane), "{alone}");
    let served = seeded.serve();
    let home = &served.seeded.home;
    for (words, offer) in [
        (&["lanes", "show", &lane[..6]][..], lane.as_str()),
        (&["why", "@"], "@latest"),
        (&["why", "tn_"], "tn_"),
        (&["approvals", "decide", "ap_"], "ap_"),
        (&["token", "link", "m"], "mia"),
        (&["config", "show", "server.l"], "server.listen"),
        (&["explain", "TL-61"], "TL-6102"),
        (&["open", "con"], "console"),
        (&["token", "create", "x", "--scope", "lanes"], "lanes:read_all"),
        (&["appr"], "approvals"),
    ] {
        let found = offered(home, words);
        assert!(found.contains(offer), "{words:?}: {found}");
    }
    let empty = Home::new();
    assert_eq!(offered(&empty, &["lanes", "show", "ln_"]), "");
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0, "nothing is begun by looking");
}
