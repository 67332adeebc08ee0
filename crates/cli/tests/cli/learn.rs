//! `throughline learn`: from the log to a proposal, and back.

use crate::home::Home;
use crate::server::Server;

const SETTINGS: &str = r#"
[[users]]
id = "bob"
roles = ["lead", "admin"]

[[approvers]]
effects = ["host.act"]
targets = ["act:policy"]
allow = ["role:lead"]
"#;

fn ask(server: &Server, key: &str, conversation: &str) {
    let body = format!(
        r#"{{"lane":{{"conversation":"{conversation}"}},"kind":"assistant.posted","assistant":{{"kind":"question","text":"Shall I book it?","expected":"boolean"}}}}"#
    );
    server.post("/v1/events", key, &body);
}

fn say(server: &Server, key: &str, conversation: &str, text: &str) {
    let body = format!(
        r#"{{"lane":{{"conversation":"{conversation}"}},"actor":{{"id":"ana"}},"kind":"message.posted","text":"{text}"}}"#
    );
    server.post("/v1/events", key, &body);
}

#[test]
fn a_phrase_is_suggested_proposed_and_listed_once_it_is_approved() {
    let home = Home::new();
    home.file("learning.toml", SETTINGS);
    let server = Server::start_with(&home, &["--config", "learning.toml"]);
    let run = |arguments: &[&str]| home.run(&[arguments, &["--server", &server.url]].concat());
    let nothing = run(&["learn", "suggest"]).ends(0);
    assert!(nothing.err.contains("nothing to learn"), "{}", nothing.session());
    for n in 0..3 {
        let conversation = format!("c{n}");
        ask(&server, &format!("{n}a"), &conversation);
        say(&server, &format!("{n}b"), &conversation, "Roger dodger!");
        ask(&server, &format!("{n}c"), &conversation);
        say(&server, &format!("{n}d"), &conversation, "yes");
    }
    let suggested = run(&["learn", "suggest"]).ends(0);
    assert!(
        suggested.out.contains("+ roger dodger = yes   3 messages of one person"),
        "{}",
        suggested.session()
    );
    assert!(suggested.out.contains("12 turns decided again: 3 better, 0 worse"), "{}", suggested.session());
    let wrong = run(&["learn", "propose", "--without", "jo"]).ends(2);
    assert!(wrong.err.contains("“jo” is none of the phrases"), "{}", wrong.session());
    let without = run(&["learn", "propose", "--without", "roger dodger"]);
    assert!(without.err.contains("nothing would change"), "{}", without.session());
    let proposed = run(&["learn", "propose"]).ends(0);
    let card = proposed.err.split("approvals show ").nth(1).unwrap().trim().to_owned();
    let shown = run(&["approvals", "show", &card]).ends(0);
    assert!(
        shown.out.contains("host.act to act:policy") && shown.out.contains("roger dodger"),
        "{}",
        shown.session()
    );
    assert_eq!(run(&["learn", "list", "--json"]).ends(0).json(), serde_json::json!([]));
    let press = r#"{"actor":{"id":"bob"},"version":1,"decision":"approve"}"#;
    server.post(&format!("/v1/approvals/{card}/decide"), "approve", press);
    let listed = run(&["learn", "list"]).ends(0);
    assert!(listed.out.contains("roger dodger = yes"), "{}", listed.session());
    ask(&server, "ea", "e");
    say(&server, "eb", "e", "roger dodger, please");
    let back = run(&["learn", "propose", "--version", "0"]).ends(0);
    assert!(back.err.contains("approval.needed"), "{}", back.session());
    assert_eq!(run(&["learn", "propose", "--version", "9"]).ends(1).out, "");
}
