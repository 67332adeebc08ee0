//! `throughline config`: errors with their lines, precedence and origins of settings.

use crate::home::Home;

const USERS: &str = "[[users]]\nid = \"ana\"\n";

// row: CL1
#[test]
fn an_unknown_key_has_its_line_and_a_suggestion() {
    let home = Home::new();
    home.file(
        "throughline.toml",
        "tenant = \"acme\"\n\n[server]\nlisten = \"127.0.0.1:7070\"\npublic_rul = \"x\"\n",
    );
    let ran = home.run(&["config", "check"]).ends(4);
    assert!(
        ran.err.contains("throughline.toml:5:1") && ran.err.contains("did you mean `server.public_url`?")
    );
    insta::assert_snapshot!(ran.session());
    // Every command that loads the configuration prints this error.
    for command in [&["serve"][..], &["lanes", "list"], &["chat"], &["config", "show"]] {
        assert_eq!(home.run(command).ends(4).err, ran.err, "{command:?}");
    }
}

#[test]
fn a_broken_file_names_the_place() {
    let home = Home::new();
    home.file("broken.toml", "tenant = \"acme\n");
    insta::assert_snapshot!(home.run(&["config", "check", "--config", "broken.toml"]).ends(4).session());
    insta::assert_snapshot!(home.run(&["config", "check", "--config", "nowhere.toml"]).ends(4).session());
}

#[test]
fn a_wrong_value_is_refused() {
    let home = Home::new();
    home.file("throughline.toml", "[server]\nlisten = 7070\n\n[policy]\nbusy = \"qeue\"\n");
    insta::assert_snapshot!(home.run(&["config", "check"]).ends(4).session());
}

#[test]
fn settings_that_do_not_fit_together_are_refused() {
    let home = Home::new();
    home.file("throughline.toml", "[store]\nurl = \"mysql://here\"\n");
    let ran = home.run(&["config", "check"]).ends(4);
    assert!(ran.err.contains("TL-1103"), "{}", ran.session());
    home.file("throughline.toml", &format!("{USERS}{USERS}"));
    let ran = home.run(&["config", "check"]).ends(4);
    assert!(ran.err.contains("TL-1004"), "{}", ran.session());
}

// row: CL3
#[test]
fn flag_wins_over_environment_over_files() {
    let home = Home::new();
    let user = home.file(".config/throughline/throughline.toml", "tenant = \"user\"\napp = \"user\"\n");
    home.file("throughline.toml", "tenant = \"here\"\n");
    let value = |setting: &str, environment: &[(&str, &str)], flags: &[&str]| {
        let arguments = [&["config", "show", "--json"], flags].concat();
        let all = home.run_with(&arguments, "", environment).ends(0).json();
        let found = all.as_array().unwrap().iter().find(|one| one["setting"] == setting).unwrap();
        let say = |name: &str| found[name].as_str().unwrap().to_owned();
        (say("value"), say("origin").replace(&home.path().display().to_string(), "~"))
    };
    assert_eq!(value("app", &[], &[]).0, "\"user\"");
    assert_eq!(value("tenant", &[], &[]), ("\"here\"".into(), "throughline.toml:1:1".into()));
    let set = [("THROUGHLINE_TENANT", "environment")];
    assert_eq!(
        value("tenant", &set, &[]),
        ("\"environment\"".into(), "environment THROUGHLINE_TENANT".into())
    );
    // A file named by --config replaces the default ones.
    let named = ["--config", user.to_str().unwrap()];
    assert_eq!(value("tenant", &[], &named).0, "\"user\"");
    // A flag wins over the environment: the demo refuses the address of --listen, and would accept the other.
    let nowhere = [("THROUGHLINE_SERVER__LISTEN", "127.0.0.1:0")];
    let ran = home.run_with(&["serve", "--demo", "--listen", "0.0.0.0:0"], "", &nowhere).ends(4);
    assert!(ran.err.contains("TL-1005"), "{}", ran.session());
}

#[test]
fn origins_are_told() {
    let home = Home::new();
    home.file("throughline.toml", &format!("tenant = \"acme\"\n{USERS}"));
    let ran = home
        .run_with(&["config", "show", "--origin"], "", &[("THROUGHLINE_TELEMETRY__LEVEL", "warn")])
        .ends(0);
    for (setting, origin) in
        [("tenant", "throughline.toml:1:1"), ("telemetry.level", "environment"), ("app", "default")]
    {
        let line = ran.out.lines().find(|line| line.starts_with(&format!("{setting} = "))).unwrap();
        assert!(line.contains(&format!("# {origin}")), "{line}");
    }
}

#[test]
fn the_schema_is_a_schema() {
    let schema = Home::new().run(&["config", "schema", "--json"]).ends(0).json();
    assert_eq!(schema["additionalProperties"], false);
    assert!(schema["properties"]["server"]["properties"]["listen"].is_object());
}

#[test]
fn a_demo_listens_on_this_machine_only() {
    let home = Home::new();
    insta::assert_snapshot!(home.run(&["serve", "--demo", "--listen", "0.0.0.0:7070"]).ends(4).session());
}

#[test]
fn a_sign_in_link_is_made_where_the_instance_key_is() {
    let home = Home::new();
    home.file("throughline.toml", USERS);
    let early = home.run(&["token", "link", "ana"]).ends(1);
    assert!(early.err.contains("TL-1102"), "{}", early.session());
    assert!(!home.path().join("throughline.key").exists(), "looking for a key makes none");
    home.run_with(&["chat", "--no-input", "--session", "s1"], "hello\n", &[]).ends(0);
    let link = home.run(&["token", "link", "ana", "--json"]).ends(0).json();
    assert!(link["url"].as_str().unwrap().starts_with("http://127.0.0.1:7070/sign-in?link="), "{link}");
    assert_eq!(link["user"], "ana");
    let nobody = home.run(&["token", "link", "mallory"]).ends(1);
    assert!(nobody.err.contains("there is no user “mallory”"), "{}", nobody.session());
}

// row: CL5
#[test]
fn no_secret_is_ever_printed() {
    let home = Home::new();
    let made = home.run(&["token", "create", "ci", "--principal", "ana", "--json"]).ends(0).json();
    let (token, sha256) = (made["token"].as_str().unwrap(), made["sha256"].as_str().unwrap());
    home.file("token", token);
    home.file(
        "throughline.toml",
        &format!("{USERS}\n[[tokens]]\nid = \"ci\"\nsha256 = \"{sha256}\"\nprincipal = \"ana\"\nscopes = [\"lanes:read\"]\n"),
    );
    let secret = token.rsplit('_').next().unwrap();
    let runs: [&[&str]; 5] = [
        &["config", "show", "-vv"],
        &["config", "check", "-vv"],
        &["doctor", "-vv"],
        &["lanes", "list", "-vv", "--server", "http://127.0.0.1:9", "--token-file", "token"],
        &["lanes", "list", "-vv", "--json"],
    ];
    for arguments in runs {
        let ran = home.run(arguments);
        assert!(!ran.out.contains(secret) && !ran.err.contains(secret), "{}", ran.session());
    }
}
