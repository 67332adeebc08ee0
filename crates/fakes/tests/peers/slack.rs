//! The official clients of Slack against the fake.

use std::process::Stdio;
use std::time::Duration;

use throughline_fakes::slack::{Endpoints, FakeSlack, Fault, Message, Progress};
use throughline_fakes::system_clock;
use tokio::process::Command;

use super::until;

const ANA: &str = "U0ANA0001";
const GENERAL: &str = "C0GENERAL";

async fn slack() -> FakeSlack {
    let slack = FakeSlack::start(system_clock()).await.unwrap();
    slack.person(ANA, "Ana");
    slack.channel(GENERAL, "general", &[ANA]);
    slack.usergroup("S0LEADS01", "leads", &[ANA]);
    slack
}

fn node(script: &str) -> Command {
    let bolt = std::env::var("THROUGHLINE_BOLT").expect("THROUGHLINE_BOLT names a package.json of it");
    let mut node = Command::new("node");
    node.args([format!("{}/tests/peers/{script}", env!("CARGO_MANIFEST_DIR")), bolt]);
    node
}

pub(crate) fn python(script: &str) -> Command {
    let mut python = Command::new(
        std::env::var("THROUGHLINE_PYTHON").expect("THROUGHLINE_PYTHON names a python that has them"),
    );
    python.arg(format!("{}/tests/peers/{script}", env!("CARGO_MANIFEST_DIR")));
    python
}

/// Talks with an app over sockets, or over HTTP.
async fn converses(mut app: Command, socket: bool) {
    let slack = slack().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mode = if socket { "socket" } else { "http" };
    app.args([mode, &slack.api(), FakeSlack::BOT_TOKEN, FakeSlack::APP_TOKEN, FakeSlack::SIGNING_SECRET]);
    app.arg(port.to_string()).env("NO_PROXY", "127.0.0.1").kill_on_drop(true);
    let mut app = app.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap();
    if socket {
        until("a socket", || slack.sockets().pop()).await;
    } else {
        until("a server", || std::net::TcpStream::connect(("127.0.0.1", port)).ok()).await;
        let path = || "/slack/events".to_owned();
        let base = format!("http://127.0.0.1:{port}");
        slack.delivers_to(Endpoints { base, events: path(), interactions: path(), commands: path() });
    }
    messages(&slack).await;
    forms(&slack).await;
    commands_and_shortcuts(&slack).await;
    tabs_and_threads(&slack).await;
    if socket {
        other_sockets(&slack).await;
    }
    slack.idle().await;
    assert_eq!(slack.violations(), [""; 0]);
    let unanswered = |one: &throughline_fakes::slack::Delivery| one.progress != Progress::Acked;
    let unanswered: Vec<_> = slack.deliveries().into_iter().filter(unanswered).collect();
    assert!(unanswered.is_empty(), "{unanswered:#?}");
    assert!(app.try_wait().unwrap().is_none(), "it ended");
}

/// Sends sockets away, and loses one; what is said meanwhile is heard over the next.
async fn other_sockets(slack: &FakeSlack) {
    let first = slack.sockets()[0];
    slack.disconnects(first, "refresh_requested");
    let second = until("another socket", || slack.sockets().into_iter().find(|id| *id > first)).await;
    slack.closes(first);
    until("one socket", || Some(()).filter(|()| slack.sockets() == [second])).await;
    slack.drops(second);
    until("no socket", || Some(()).filter(|()| slack.sockets().is_empty())).await;
    let before = slack.bot_messages(GENERAL).len();
    slack.says(GENERAL, ANA, &format!("{} again", FakeSlack::MENTION));
    until("an answer", || Some(()).filter(|()| slack.bot_messages(GENERAL).len() > before)).await;
}

async fn messages(slack: &FakeSlack) {
    let ts = slack.says(GENERAL, ANA, &format!("{} hello <&>", FakeSlack::MENTION));
    let card = until("a card", || slack.card(GENERAL)).await;
    assert_eq!(card.thread.as_deref(), Some(ts.as_str()));
    assert_eq!(card.block_text(), format!("You said {} hello &lt;&amp;&gt;\nGo", FakeSlack::MENTION));
    assert_eq!(slack.message(GENERAL, &ts).unwrap().reactions["eyes"], [FakeSlack::BOT_USER]);
    let asked = slack.says(GENERAL, ANA, "upload it all");
    let shared = |message: &Message| !message.files.is_empty();
    let file = until("a file", || slack.thread(GENERAL, &asked).into_iter().find(shared)).await;
    assert_eq!(file.text, "all of it");
    assert_eq!(slack.files(), [("all.txt".to_owned(), b"every byte".to_vec())]);
}

async fn forms(slack: &FakeSlack) {
    let card = slack.card(GENERAL).unwrap();
    let press = slack.presses(GENERAL, ANA, &card.ts, "Go");
    until("a modal", || slack.modal(ANA)).await;
    until("an edit", || slack.message(GENERAL, &card.ts).filter(|shown| shown.text == "pressed")).await;
    until("an answer", || slack.ephemerals(ANA).pop().filter(|shown| shown.text == "only you")).await;
    assert!(slack.settled(press).await.elapsed().unwrap() < 3_000);
    slack.types(ANA, "text", "bad");
    let refused = slack.settled(slack.submits(ANA)).await;
    assert_eq!(refused.answer()["response_action"], "errors");
    assert_eq!(slack.modal(ANA).unwrap().errors["title"], "too short");
    slack.types(ANA, "text", "good");
    slack.settled(slack.submits(ANA)).await;
    assert_eq!(slack.modal(ANA), None);
    let dm = slack.dm(ANA);
    until("a message", || slack.bot_messages(&dm).pop().filter(|shown| shown.text == "saved good")).await;
}

async fn commands_and_shortcuts(slack: &FakeSlack) {
    slack.settled(slack.commands(GENERAL, ANA, "/maro", "status")).await;
    assert_eq!(slack.ephemerals(ANA).pop().unwrap().text, "said status");
    until("an answer", || slack.bot_messages(GENERAL).pop().filter(|shown| shown.text == "later")).await;
    slack.settled(slack.shortcut(ANA, "new_ticket")).await;
    let modal = until("a modal", || slack.modal(ANA)).await;
    assert_eq!((modal.title(), modal.callback_id()), ("Edit", "edit"));
    slack.dismisses(ANA, true);
    let ts = slack.says(GENERAL, ANA, "it crashes");
    slack.settled(slack.message_shortcut(GENERAL, ANA, &ts, "make_ticket")).await;
    until("an answer", || slack.ephemerals(ANA).pop().filter(|shown| shown.text == "about it crashes")).await;
}

async fn tabs_and_threads(slack: &FakeSlack) {
    slack.settled(slack.opens_home(ANA, "home")).await;
    let home = until("a Home tab", || slack.home(ANA)).await;
    assert_eq!(home.labels(), ["Go"]);
    let (channel, thread) = slack.starts_assistant(ANA);
    until("a title", || slack.title(&channel, &thread).filter(|title| title == "A thread")).await;
    assert_eq!(slack.prompts(&channel, &thread).unwrap()[0]["message"], "Make a ticket");
    assert_eq!(slack.statuses().pop().unwrap().loading, ["one", "two"]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs @slack/bolt, from npm: cargo xtask peers"]
async fn bolt_for_javascript_runs_unchanged_over_sockets() {
    converses(node("slack_app.mjs"), true).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs @slack/bolt, from npm: cargo xtask peers"]
async fn bolt_for_javascript_runs_unchanged_over_http() {
    converses(node("slack_app.mjs"), false).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs slack_bolt, from PyPI: cargo xtask peers"]
async fn bolt_for_python_runs_unchanged_over_sockets() {
    converses(python("slack_app.py"), true).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs slack_bolt, from PyPI: cargo xtask peers"]
async fn bolt_for_python_runs_unchanged_over_http() {
    converses(python("slack_app.py"), false).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs slack_sdk, from PyPI: cargo xtask peers"]
async fn the_web_client_for_python_runs_unchanged() {
    let slack = slack().await;
    let thread = slack.says(GENERAL, ANA, "hello");
    slack.fail_next("chat.postMessage", Some("C0LATER01"), Fault::TooMany(1));
    slack.channel("C0LATER01", "later", &[]);
    let mut client = python("slack_web_client.py");
    client.args([&slack.api(), FakeSlack::BOT_TOKEN, GENERAL, ANA, &thread, "C0LATER01"]);
    let ended = client.env("NO_PROXY", "127.0.0.1").kill_on_drop(true).output();
    let ended = tokio::time::timeout(Duration::from_secs(120), ended).await.expect("it ends").unwrap();
    assert!(ended.status.success() && ended.stdout.starts_with(b"well"), "{ended:?}");
    let unexpected =
        |wrong: &String| !["invalid_", "msg_blocks_too_long"].iter().any(|known| wrong.contains(known));
    assert_eq!(slack.violations().into_iter().filter(unexpected).collect::<Vec<_>>(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs @slack/bolt, from npm: cargo xtask peers"]
async fn the_installer_for_javascript_runs_unchanged() {
    let slack = slack().await;
    slack.rotates_tokens();
    let mut installer = node("slack_install.mjs");
    installer.args([&slack.url(), FakeSlack::CLIENT, FakeSlack::CLIENT_SECRET]);
    let ended = installer.env("NO_PROXY", "127.0.0.1").kill_on_drop(true).output();
    let ended = tokio::time::timeout(Duration::from_secs(120), ended).await.expect("it ends").unwrap();
    assert!(ended.status.success() && ended.stdout.starts_with(b"well T0THREADS"), "{ended:?}");
    assert_eq!(slack.violations(), [""; 0]);
}
