//! Strings that try to become markup or script, in every place that shows user input (docs/design/0034-untrusted-text.md).

use serde_json::{Value, json};
use throughline_channels::direction::steady;

use crate::chat::Chat;
use crate::driver::Browser;
use crate::page::Page;
use crate::server::Server;

/// The strings, one a line. The server's tests check the markup of the same strings.
const STRINGS: &str = include_str!("../../../server/tests/web/xss.txt");
/// Paths whose last part a page may repeat.
const PATHS: [&str; 10] = [
    "?c=",
    "?before=",
    "turns/",
    "tracker/",
    "sign-in?to=",
    "edit?c=x&token=",
    "console/find?q=",
    "console/lanes?channel=",
    "console/turns?text=",
    "console/lanes/",
];
/// The labels of a bug's parts, each of which takes a string.
const PARTS: [&str; 9] = [
    "Problem",
    "Steps",
    "Expected",
    "Actual",
    "Acceptance",
    "Solution",
    "Constraints",
    "Dependencies",
    "Risks",
];

/// Returns a string as the name of a file: one line of what can be seen.
fn name(text: &str) -> String {
    let seen = |c: &char| !c.is_control() && !throughline_channels::api::is_invisible(*c);
    text.chars().filter(seen).take(100).collect()
}

// row: WB3
#[test]
fn two_hundred_hostile_strings_stay_text_everywhere() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("hello");
    chat.until_says("I make tickets, reviews and decision records");
    let conversation = chat.run("return document.body.dataset.conversation", &[]);
    let strings: Vec<&str> = STRINGS.lines().collect();
    assert_eq!(strings.len(), 200);
    let tickets = strings.chunks(1 + PARTS.len());
    let count = tickets.len();
    for (n, strings) in tickets.enumerate() {
        let lane = json!({ "channel": "web", "conversation": conversation });
        let said = json!({ "lane": lane, "kind": "message.posted", "actor": { "id": "you" }, "text": ticket(strings) });
        let turn = server.event(&format!("say-{n}"), &said);
        let token = approve(&turn);
        let pressed = json!({ "lane": lane, "kind": "card.pressed", "actor": { "id": "ana" }, "press": { "token": token } });
        server.event(&format!("press-{n}"), &pressed);
    }
    // Refused labels and the names of people and conversations are shown, too.
    let refused = format!("Create a task: labels\nProblem: none\nAcceptance: none\nLabels: {}", strings[0]);
    let lane = json!({ "channel": "web", "conversation": conversation });
    server.event(
        "label",
        &json!({ "lane": lane, "kind": "message.posted", "actor": { "id": "you" }, "text": refused }),
    );
    // So are the names of files.
    let here = server.url().trim_end_matches('/').to_owned();
    let files = strings
        .iter()
        .step_by(10)
        .map(|string| json!({ "name": name(string), "url": format!("{here}/files/1") }));
    for (n, files) in files.collect::<Vec<_>>().chunks(10).enumerate() {
        let shows = json!({ "lane": lane, "kind": "message.posted", "actor": { "id": "you" }, "text": "hello", "files": files });
        server.event(&format!("files-{n}"), &shows);
    }
    for (n, string) in strings.iter().enumerate().step_by(10) {
        // A name has no blanks. In HTML, a slash separates attributes as well.
        let name = string.replace(|c: char| c.is_whitespace() || c.is_control(), "/");
        let lane = json!({ "channel": "api", "conversation": name });
        let said =
            json!({ "lane": lane, "kind": "message.posted", "actor": { "id": name }, "text": "hello" });
        server.event(&format!("named-{n}"), &said);
    }
    // First as rendered by the script, then by the server.
    for _ in 0..2 {
        chat.until(&format!("{count} receipts"), || {
            let receipts = chat.cards().iter().filter(|card| card.step == "receipt").count();
            if receipts == count { Ok(()) } else { Err(format!("{receipts}")) }
        });
        let text = chat.run("return document.querySelector('[role=log]').textContent", &[]);
        // What would turn the direction of the text is shown as a replacement.
        let missing: Vec<&&str> =
            strings.iter().filter(|string| !text.as_str().unwrap().contains(&*steady(string))).collect();
        assert!(missing.is_empty(), "not there as they were written: {missing:#?}");
        assert_only_text(&chat);
        chat.reload();
        chat.until_connection("live");
    }
    let script = "return [document.body.dataset.lane, document.querySelector('[data-card]').closest('article').dataset.turn]";
    let [lane, turn]: [String; 2] = serde_json::from_value(chat.run(script, &[])).unwrap();
    let pages = [
        "console".to_owned(),
        "console/lanes".to_owned(),
        "console/turns".to_owned(),
        format!("console/lanes/{lane}"),
        format!("console/turns/{turn}"),
        format!("turns/{turn}"),
        "console/approvals?state=all".to_owned(),
        "console/effects".to_owned(),
        "console/issues".to_owned(),
    ];
    let issues = (1..=count).map(|n| format!("{}/DEMO-{n}", ["tracker", "console/issues"][n % 2]));
    for path in pages.into_iter().chain(issues) {
        chat.go(&format!("{}/{path}", server.url()));
        assert_only_text(&chat);
    }
    for (n, string) in strings.iter().enumerate().step_by(11) {
        let told: String = string.bytes().map(|byte| format!("%{byte:02X}")).collect();
        chat.go(&format!("{}/{}{told}", server.url(), PATHS[n % PATHS.len()]));
        assert_only_text(&chat);
    }
}

/// Returns a message that creates a ticket with the strings: one as its title, the others as its parts.
fn ticket(strings: &[&str]) -> String {
    let title = strings.iter().position(|string| !string.contains(char::is_control)).unwrap();
    let others = strings.iter().enumerate().filter(|(n, _)| *n != title);
    let parts = PARTS.iter().zip(others).map(|(part, (_, string))| format!("{part}: {string}"));
    let lines: Vec<String> =
        std::iter::once(format!("Create a task: {}", strings[title])).chain(parts).collect();
    lines.join("\n")
}

/// Returns the token of the button *Approve* in an answer.
fn approve(turn: &Value) -> String {
    let messages = turn["messages"].as_array().unwrap().iter();
    let mut buttons = messages.filter_map(|message| message["card"]["buttons"].as_array()).flatten();
    let found = buttons.find(|button| button["action"] == "approve");
    found.unwrap_or_else(|| panic!("no preview in {turn:#}"))["token"].as_str().unwrap().to_owned()
}

/// Asserts that no string became a script or an element of the page.
#[track_caller]
fn assert_only_text(page: &Page<'_>) {
    assert_eq!(json!(page.faults()), json!([]));
    let script = "return [...document.querySelectorAll(`img, svg:not(.chart, .share, .span), math, iframe, object, embed, base, style,
            [onerror], [onload], [onfocus], [ontoggle], a[href^=javascript], main input[autofocus],
            meta[http-equiv], script:not([src^='/assets/'])`)].map(element => element.outerHTML)";
    assert_eq!(page.run(script, &[]), json!([]));
}
