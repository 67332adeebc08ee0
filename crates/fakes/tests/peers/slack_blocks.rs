//! The fake's limits of Block Kit against those of the package blockkit, which other people wrote.

use std::process::Stdio;

use serde_json::{Value, json};
use throughline_fakes::slack::FakeSlack;
use throughline_fakes::system_clock;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

const ANA: &str = "U0ANA0001";
const GENERAL: &str = "C0GENERAL";

fn plain(length: usize) -> Value {
    json!({"type": "plain_text", "text": "x".repeat(length)})
}

fn marked(length: usize) -> Value {
    json!({"type": "mrkdwn", "text": "x".repeat(length)})
}

fn message(block: Value) -> Value {
    json!({"text": "x", "blocks": [block]})
}

fn element(kind: &str, more: Value) -> Value {
    let mut element = json!({"type": kind, "action_id": "a"});
    element.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    element
}

fn actions(element: Value) -> Value {
    message(json!({"type": "actions", "elements": [element]}))
}

fn options(count: usize, text: usize, value: usize) -> Vec<Value> {
    (0..count).map(|at| json!({"text": plain(text), "value": format!("{at:0>value$}")})).collect()
}

fn modal(title: usize, submit: usize, metadata: usize, input: Value) -> Value {
    let block = json!({"type": "input", "block_id": "b", "label": plain(5), "element": input});
    json!({"type": "modal", "title": plain(title), "submit": plain(submit),
        "private_metadata": "x".repeat(metadata), "blocks": [block]})
}

/// Returns messages and views at a limit, and one over it. Whether each is right is said by both sides. Left out is what
/// blockkit does not check or has an older number for: texts of fields, texts for images, rows without elements.
fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    for over in [0, 1] {
        let button = |more: Value| {
            let mut button = element("button", json!({"text": plain(5)}));
            button.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            actions(button)
        };
        let confirm = |title: usize, text: usize, label: usize| json!({"confirm": {"title": plain(title), "text": plain(text), "confirm": plain(label), "deny": plain(5)}});
        let input = |more: Value| element("plain_text_input", more);
        cases.extend([
            message(json!({"type": "section", "text": marked(3_000 + over)})),
            message(json!({"type": "header", "text": plain(150 + over)})),
            message(json!({"type": "context", "elements": vec![marked(5); 10 + over]})),
            message(json!({"type": "divider", "block_id": "b".repeat(255 + over)})),
            button(json!({"text": plain(75 + over)})),
            button(json!({"value": "x".repeat(2_000 + over)})),
            button(json!({"action_id": "x".repeat(255 + over)})),
            button(json!({"url": format!("https://x.example/{}", "x".repeat(3_000 - 18 + over))})),
            button(json!({"accessibility_label": "x".repeat(75 + over)})),
            button(confirm(100 + over, 300, 30)),
            button(confirm(100, 300 + over, 30)),
            button(confirm(100, 300, 30 + over)),
            actions(element("static_select", json!({"options": options(100 + over, 5, 5)}))),
            actions(element("static_select", json!({"options": options(1, 75 + over, 5)}))),
            actions(element("static_select", json!({"options": options(1, 5, 150 + over)}))),
            actions(element(
                "static_select",
                json!({"placeholder": plain(150 + over), "options": options(1, 5, 5)}),
            )),
            actions(element("overflow", json!({"options": options(5 + over, 5, 5)}))),
            actions(element("radio_buttons", json!({"options": options(10 + over, 5, 5)}))),
            actions(element("checkboxes", json!({"options": options(10 + over, 5, 5)}))),
            modal(24 + over, 24, 3_000, input(json!({}))),
            modal(24, 24 + over, 3_000, input(json!({}))),
            modal(24, 24, 3_000 + over, input(json!({}))),
            modal(24, 24, 5, input(json!({"placeholder": plain(150 + over)}))),
            modal(24, 24, 5, input(json!({"max_length": 3_000 + over}))),
        ]);
        let buttons: Vec<Value> = (0..25 + over)
            .map(|at| json!({"type": "button", "action_id": format!("a{at}"), "text": plain(5)}))
            .collect();
        cases.push(message(json!({"type": "actions", "elements": buttons})));
        cases.push(json!({"type": "home", "blocks": vec![json!({"type": "divider"}); 100 + over]}));
    }
    cases.extend([
        message(json!({"type": "section"})),
        message(json!({"type": "header", "text": marked(5)})),
        actions(element("button", json!({}))),
        actions(element("button", json!({"text": plain(5), "style": "loud"}))),
        actions(element("button", json!({"text": plain(5), "colour": "red"}))),
        actions(element("button", json!({"text": marked(5)}))),
        json!({"type": "modal", "blocks": []}),
    ]);
    cases
}

/// Returns what the fake says is wrong.
async fn ours(slack: &FakeSlack, case: &Value) -> String {
    let mut body = case.clone();
    let (method, body) = match case["type"].as_str() {
        Some("modal") => {
            let shortcut = slack.shortcut(ANA, "edit");
            let trigger = slack.delivery(shortcut).payload["trigger_id"].clone();
            ("views.open", json!({"trigger_id": trigger, "view": body}))
        }
        Some(_) => ("views.publish", json!({"user_id": ANA, "view": body})),
        None => {
            body["channel"] = json!(GENERAL);
            ("chat.postMessage", body)
        }
    };
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let request = client.post(format!("{}{method}", slack.api())).header("content-type", "application/json");
    let request = request.header("authorization", format!("Bearer {}", FakeSlack::BOT_TOKEN));
    let text = request.body(body.to_string()).send().await.unwrap().text().await.unwrap();
    let answer: Value = serde_json::from_str(&text).unwrap();
    if answer["ok"] == true { String::new() } else { answer.to_string() }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs blockkit, from PyPI: cargo xtask peers"]
async fn the_limits_of_blocks_are_those_of_blockkit() {
    let slack = FakeSlack::start(system_clock()).await.unwrap();
    slack.person(ANA, "Ana");
    slack.channel(GENERAL, "general", &[ANA]);
    let mut kit = super::slack::python("slack_blocks.py");
    let mut kit = kit.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let (mut asked, answers) = (kit.stdin.take().unwrap(), kit.stdout.take().unwrap());
    let mut answers = BufReader::new(answers).lines();
    let (mut right, mut different) = (0, Vec::new());
    for case in cases() {
        asked.write_all(format!("{case}\n").as_bytes()).await.unwrap();
        let theirs: String = serde_json::from_str(&answers.next_line().await.unwrap().unwrap()).unwrap();
        let ours = ours(&slack, &case).await;
        right += usize::from(ours.is_empty());
        if ours.is_empty() != theirs.is_empty() {
            let case: String = case.to_string().chars().take(300).collect();
            different.push(format!("{case}\n  ours: {ours:.300}\n  theirs: {theirs:.300}"));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(right > 20, "{right}");
}
