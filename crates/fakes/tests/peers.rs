//! Third-party clients against the fakes (docs/design/0039-how-it-is-tested.md).
//!
//! Ignored by default, because the clients come from their own registries. `cargo xtask peers` installs them outside of
//! the repository and runs these tests.

#[path = "peers/github.rs"]
mod github;
#[path = "peers/jira.rs"]
mod jira;
#[path = "peers/linear.rs"]
mod linear;
#[path = "peers/prism.rs"]
mod prism;
#[path = "peers/slack.rs"]
mod slack;
#[path = "peers/slack_blocks.rs"]
mod slack_blocks;

use std::process::Stdio;
use std::time::Duration;

use throughline_fakes::model::{Behaviour, FakeModel};
use throughline_fakes::system_clock;
use throughline_fakes::telegram::FakeTelegram;
use tokio::process::Command;

/// Polls until there is a value.
async fn until<T>(what: &str, mut so: impl FnMut() -> Option<T>) -> T {
    for _ in 0..1_200 {
        if let Some(found) = so() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("timed out waiting for {what}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs python-telegram-bot, from PyPI: cargo xtask peers"]
async fn python_telegram_bot_runs_unchanged() {
    let python = std::env::var("THROUGHLINE_PYTHON").expect("THROUGHLINE_PYTHON names a python that has it");
    let telegram = FakeTelegram::start(FakeTelegram::TOKEN, system_clock()).await.unwrap();
    telegram.person(7, "Ana");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/echo_bot.py");
    let mut bot = Command::new(python)
        .args([script, &telegram.url(), FakeTelegram::TOKEN])
        .env("NO_PROXY", "127.0.0.1")
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    telegram.says(7, 7, "hello 👋 & <you>".replace(['<', '>', '&'], "").as_str());
    let card = until("a card", || telegram.card(7)).await;
    assert_eq!(card.text, "You said hello 👋  you");
    until("a question", || telegram.bot_messages(7).pop().filter(|shown| shown.force_reply.is_some())).await;
    telegram.presses(7, 7, card.id, "Go");
    until("the edit", || telegram.shown(7, card.id).filter(|shown| shown.text == "Gone")).await;
    telegram.presses(7, 7, card.id, "Go");
    until("the end", || {
        telegram.shown(7, card.id).filter(|shown| shown.text == "Done" && shown.keyboard.is_empty())
    })
    .await;
    let answers = telegram.answers();
    assert_eq!(answers.iter().map(|answer| answer.alert).collect::<Vec<_>>(), [false, true]);
    let ended = tokio::time::timeout(Duration::from_secs(30), bot.wait()).await.expect("it ends").unwrap();
    assert!(ended.success(), "{ended}");
    assert_eq!(telegram.waiting(), 0, "its offset forgot what it has");
    let journal = telegram.calls();
    assert_eq!(telegram.violations(), [""; 0], "{} calls", journal.len());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs openai and anthropic, from PyPI: cargo xtask peers"]
async fn the_official_clients_of_models_run_unchanged() {
    let python =
        std::env::var("THROUGHLINE_PYTHON").expect("THROUGHLINE_PYTHON names a python that has them");
    let model = FakeModel::start().await.unwrap();
    model.require_key("sk-test");
    let ticket = || Behaviour::Say(r#"{"label": "ticket", "confidence": 0.9}"#.into());
    let hello = || Behaviour::Say("Hello, Gr\u{fc}\u{df}e".into());
    for behaviour in [
        // Chat completions.
        ticket(),
        hello(),
        Behaviour::Refuse("I will not.".into()),
        Behaviour::TooMany("1".into()),
        Behaviour::Status(500),
        Behaviour::Status(401),
        Behaviour::Length("{".into()),
        // Responses.
        ticket(),
        hello(),
        Behaviour::Length("{".into()),
        // Messages.
        ticket(),
        ticket(),
        hello(),
        Behaviour::Status(529),
    ] {
        model.script(behaviour);
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/model_clients.py");
    let mut clients = Command::new(python);
    clients.args([script, model.url("").trim_end_matches('/'), "sk-test"]).env("NO_PROXY", "127.0.0.1");
    let ended = clients.stderr(Stdio::inherit()).kill_on_drop(true).output();
    let ended = tokio::time::timeout(Duration::from_secs(120), ended).await.expect("it ends").unwrap();
    assert!(ended.status.success() && ended.stdout.starts_with(b"well"), "{ended:?}");
    assert_eq!((model.calls(), model.unscripted()), (14, 0));
    assert_eq!(model.violations(), [""; 0]);
}
