//! `throughline doctor`: healthy installations, and checks that fail.

use crate::home::Home;

fn state(checks: &serde_json::Value, what: &str) -> String {
    let found = checks.as_array().unwrap().iter().find(|check| check["what"] == what);
    found.unwrap_or_else(|| panic!("no check {what} in {checks:#}"))["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_new_folder_is_well() {
    let checks =
        Home::new().run_with(&["doctor", "--json"], "", &[("THROUGHLINE_SERVER__LISTEN", "127.0.0.1:0")]);
    let checks = checks.ends(0).json();
    for what in ["configuration", "approver rules", "instance key", "clock", "port", "store"] {
        assert_eq!(state(&checks, what), "ok", "{what}");
    }
}

#[test]
fn each_line_says_what_how_and_the_way_out() {
    let home = Home::new();
    home.run_with(&["chat", "--no-input", "--session", "s1"], "hello\n", &[]).ends(0);
    assert_eq!(state(&home.run(&["doctor", "--json"]).ends(0).json(), "turn chains"), "ok");
    // Everybody can read the key.
    let key = home.path().join("throughline.key");
    let mut permissions = key.metadata().unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o644);
    std::fs::set_permissions(&key, permissions).unwrap();
    let ran = home.run(&["doctor"]).ends(3);
    assert!(ran.out.contains("fix: chmod 600"), "{}", ran.session());
    // The key is too short.
    std::fs::write(&key, b"short").unwrap();
    assert_eq!(state(&home.run(&["doctor", "--json"]).ends(3).json(), "instance key"), "failed");
}

#[test]
fn a_broken_configuration_comes_first() {
    let home = Home::new();
    home.file("throughline.toml", "tennant = \"x\"\n");
    let checks = home.run(&["doctor", "--json"]).ends(3).json();
    assert_eq!(checks.as_array().unwrap().len(), 1);
    assert!(checks[0]["found"].as_str().unwrap().contains("did you mean `tenant`?"), "{checks}");
}

#[test]
fn a_file_that_is_no_database_is_said_so() {
    let home = Home::new();
    home.file("throughline.db", "this is not a database, whatever its name says; it has more than 16 bytes");
    let checks = home.run(&["doctor", "--json"]).ends(3).json();
    assert_eq!(state(&checks, "store"), "failed");
    let ran = home.run(&["lanes", "list"]).ends(5);
    assert!(ran.err.contains("TL-6103"), "{}", ran.session());
}
