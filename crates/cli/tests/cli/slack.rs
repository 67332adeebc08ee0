//! `throughline doctor slack` and `throughline slack manifest` against a fake of Slack.

use throughline_fakes::slack::{FakeSlack, Fault};
use throughline_fakes::system_clock;

use crate::home::Home;

/// Returns a home with an app at a fake, and the runtime that the fake needs.
fn home() -> (Home, FakeSlack, tokio::runtime::Runtime) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let slack = runtime.block_on(FakeSlack::start(system_clock())).unwrap();
    let home = Home::new();
    home.file("bot", FakeSlack::BOT_TOKEN);
    home.file("app", FakeSlack::APP_TOKEN);
    let config = format!(
        "[slack]\nbot_token_file = \"bot\"\napp_token_file = \"app\"\napi_base = \"{}\"\nallow_loopback = true\n\
         [[users]]\nid = \"mia\"\nslack = \"U0MIA0001\"\n",
        slack.api().trim_end_matches('/')
    );
    home.file("throughline.toml", &config);
    (home, slack, runtime)
}

fn state(checks: &serde_json::Value, what: &str) -> String {
    let found = checks.as_array().unwrap().iter().find(|check| check["what"] == what);
    found.unwrap_or_else(|| panic!("no check {what} in {checks:#}"))["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_working_app_is_well() {
    let (home, slack, _runtime) = home();
    let checks = home.run(&["doctor", "slack", "--json"]).ends(0).json();
    for what in ["slack app", "slack scopes", "slack events"] {
        assert_eq!(state(&checks, what), "ok", "{what}");
    }
    assert_eq!(state(&checks, "slack api"), "warning", "an emulator is no place for users");
    assert_eq!(slack.violations(), [""; 0]);
}

#[test]
fn sl14_a_missing_scope_is_named_with_its_way_out() {
    let (home, slack, _runtime) = home();
    slack.grant(FakeSlack::BOT_TOKEN, &["chat:write", "commands", "users:read"]);
    let ran = home.run(&["doctor", "slack"]).ends(3);
    assert!(
        ["app_mentions:read", "Reinstall to Workspace", "TL-3302"].iter().all(|what| ran.out.contains(what)),
        "{}",
        ran.session()
    );
    slack.fail_next("apps.connections.open", None, Fault::Refuse("not_allowed_token_type".into()));
    let ran = home.run(&["doctor", "slack"]).ends(3);
    assert!(ran.out.contains("TL-3305"), "{}", ran.session());
    slack.fail_next("auth.test", None, Fault::Refuse("invalid_auth".into()));
    let ran = home.run(&["doctor", "slack"]).ends(3);
    assert!(ran.out.contains("TL-3301"), "{}", ran.session());
    home.file("bot", "no token at all");
    let ran = home.run(&["doctor", "slack"]).ends(3);
    assert!(ran.out.contains("TL-1105"), "{}", ran.session());
}

#[test]
fn a_manifest_is_for_sockets_or_for_an_address() {
    let home = Home::new();
    let manifest = home.run(&["slack", "manifest"]).ends(0);
    assert!(
        manifest.err.contains("channels:history") && manifest.err.contains("optional"),
        "{}",
        manifest.session()
    );
    let manifest: serde_json::Value = serde_json::from_str(&manifest.out).unwrap();
    assert_eq!(manifest["settings"]["socket_mode_enabled"], true);
    let manifest =
        home.run(&["slack", "manifest", "--url", "https://bot.example.org", "--json"]).ends(0).json();
    let events = &manifest["settings"]["event_subscriptions"];
    assert_eq!(events["request_url"], "https://bot.example.org/slack/events");
    let ran = home.run(&["slack", "manifest", "--url", "http://bot.example.org"]).ends(2);
    assert!(ran.err.contains("https only"), "{}", ran.session());
    home.run(&["slack", "manifest", "--name", ""]).ends(2);
}
