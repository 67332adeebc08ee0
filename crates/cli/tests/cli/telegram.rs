//! `throughline doctor telegram` and `throughline telegram` against a fake Bot API.

use throughline_fakes::system_clock;
use throughline_fakes::telegram::{FakeTelegram, Fault};

use crate::home::Home;

/// Returns a home with a user (a demo has no public address) and a bot at a fake, and the runtime that the fake needs.
fn home() -> (Home, FakeTelegram, tokio::runtime::Runtime) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let telegram = runtime.block_on(FakeTelegram::start(FakeTelegram::TOKEN, system_clock())).unwrap();
    let home = Home::new();
    home.file("tg", FakeTelegram::TOKEN);
    home.file("secret", "a-secret-of-our-own-making");
    let config = format!(
        "server.public_url = \"https://bot.example.org\"\n\
         [telegram]\ntoken_file = \"tg\"\napi_base = \"{}\"\nallow_loopback = true\n\
         [[users]]\nid = \"mia\"\n",
        telegram.url()
    );
    home.file("throughline.toml", &config);
    (home, telegram, runtime)
}

fn state(checks: &serde_json::Value, what: &str) -> String {
    let found = checks.as_array().unwrap().iter().find(|check| check["what"] == what);
    found.unwrap_or_else(|| panic!("no check {what} in {checks:#}"))["state"].as_str().unwrap().to_owned()
}

#[test]
fn a_working_bot_is_well() {
    let (home, telegram, _runtime) = home();
    let checks = home.run(&["doctor", "telegram", "--json"]).ends(0).json();
    for what in ["telegram bot", "telegram privacy", "telegram updates"] {
        assert_eq!(state(&checks, what), "ok", "{what}");
    }
    assert_eq!(state(&checks, "telegram api"), "warning", "an emulator is no place for users");
    assert_eq!(telegram.violations(), [""; 0]);
}

#[test]
fn what_is_wrong_is_said_with_its_way_out() {
    let (home, telegram, _runtime) = home();
    telegram.set_webhook("https://elsewhere.example.org/hook", None);
    let ran = home.run(&["doctor", "telegram"]).ends(3);
    assert!(
        ran.out.contains("a webhook is set") && ran.out.contains("throughline telegram setup"),
        "{}",
        ran.session()
    );
    home.run(&["telegram", "setup"]).ends(0);
    assert_eq!(telegram.webhook(), None);
    home.run(&["doctor", "telegram"]).ends(0);
    telegram.fail_next("getMe", None, Fault::Refuse(401, "Unauthorized".into()));
    let ran = home.run(&["doctor", "telegram"]).ends(3);
    assert!(ran.out.contains("TL-3201"), "{}", ran.session());
    home.file("tg", "no token at all");
    let ran = home.run(&["doctor", "telegram"]).ends(3);
    assert!(ran.out.contains("TL-1104"), "{}", ran.session());
    let ran = home.run(&["telegram", "setup"]).ends(4);
    assert!(ran.err.contains("TL-1104"), "{}", ran.session());
}

#[test]
fn a_link_is_made_for_a_configured_user() {
    let (home, telegram, _runtime) = home();
    let made = home.run(&["telegram", "link", "mia", "--json"]).ends(0).json();
    let url = made["url"].as_str().unwrap();
    assert_eq!(url.strip_prefix("https://t.me/maro_bot?start=").map(str::len), Some(22), "{url}");
    let ran = home.run(&["telegram", "link", "mallory"]).ends(1);
    assert!(ran.err.contains("there is no user"), "{}", ran.session());
    assert_eq!(telegram.violations(), [""; 0]);
}

#[test]
fn a_webhook_is_set_where_we_listen() {
    let (home, telegram, _runtime) = home();
    let webhook =
        [("THROUGHLINE_TELEGRAM__MODE", "webhook"), ("THROUGHLINE_TELEGRAM__SECRET_FILE", "secret")];
    let ran = home.run_with(&["telegram", "setup", "--json"], "", &webhook).ends(0);
    let url = telegram.webhook().expect("it is set");
    assert!(url.starts_with("https://bot.example.org/telegram/") && !url.contains("AAHd"), "{url}");
    assert!(ran.json()[1]["found"].as_str().unwrap().contains(&url), "{}", ran.session());
    home.run_with(&["doctor", "telegram"], "", &webhook).ends(0);
    // Without a secret anybody could call the webhook.
    let alone = [("THROUGHLINE_TELEGRAM__MODE", "webhook")];
    let ran = home.run_with(&["telegram", "setup"], "", &alone).ends(4);
    assert!(ran.err.contains("TL-1004") && ran.err.contains("secret_file"), "{}", ran.session());
}
