//! The console: lanes, the explanation of a turn, a dry replay, a recorded scenario, a decision. Every page is checked in
//! both colour schemes and on a small screen.

use std::process::Command;

use serde_json::json;

use crate::accessibility::{assert_all_named, assert_contrast};
use crate::card_accessibility::assert_accessible;
use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::model_server::ModelServer;
use crate::page::{By, Page};
use crate::server::{Server, until};
use crate::small_screen::assert_fits;

/// Settings that summarise short conversations.
pub(crate) const EARLY_SUMMARY: &str = "[policy.summary]\ntrigger = 7\nkeep = 4\n";

/// Posts a complete bug over the API. Returns the answer.
pub(crate) fn post_bug(server: &Server, conversation: &str) -> serde_json::Value {
    let lane = json!({ "channel": "api", "conversation": conversation });
    let said = json!({ "lane": lane, "kind": "message.posted", "actor": { "id": "ana" }, "text": BUG });
    server.event(conversation, &said)
}

// row: CO1
#[test]
fn a_lane_leads_to_the_ladder_of_its_turn() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let turn = post_bug(&server, "c1")["turn"].as_str().unwrap().to_owned();
    let page = Page::first(&browser);
    page.go(&format!("{}/console/lanes", server.url()));
    // With the keyboard, to the first lane of the list.
    page.press("j");
    page.press("Enter");
    page.find(By::Css("[aria-labelledby=talk]"));
    page.click(By::Css("ol.talk .turnlink"));
    page.find(By::Css("#turn ol.ladder .rung.won"));
    page.click(By::Role("link", "Whole turn"));
    page.find(By::Css("[aria-labelledby=record]"));
    let told = server.get(&format!("/v1/turns/{turn}/why"));
    let script = "return [...document.querySelectorAll('[aria-labelledby=ladder] .rung:is(.lost, .computed)')].map(rung =>
        [Number(rung.querySelector('.number').textContent), rung.querySelector('.predicate').textContent])";
    let lost: Vec<_> =
        told["passed"].as_array().unwrap().iter().map(|it| json!([it["rung"], it["predicate"]])).collect();
    assert_eq!(page.run(script, &[]), json!(lost), "{told:#}");
    let won = page.run("return document.querySelector('.rung.won .number').textContent", &[]);
    assert_eq!(won, json!(told["rung"].to_string()));
    page.click(By::Role("button", "Replay as it was"));
    page.until_says("The same decision, the same effects, the same state.");
    page.click(By::Role("textbox", "Another message in its place"));
    page.press("Control+a");
    page.type_text("hello");
    page.click(By::Role("button", "Replay with this message"));
    page.until_says("A dry run sends nothing.");
    assert_eq!(server.get("/v1/lanes?limit=10")["items"].as_array().unwrap().len(), 1);
    assert_eq!(json!(page.faults()), json!([]));
}

// row: CO3
#[test]
fn a_recorded_lane_is_a_scenario_that_passes() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let lane = post_bug(&server, "c1")["lane"].as_str().unwrap().to_owned();
    let page = Page::first(&browser);
    page.go(&format!("{}/console/lanes/{lane}", server.url()));
    page.click(By::Role("link", "Record as scenario"));
    let file = until("the scenario to be there", || {
        let files = std::fs::read_dir(browser.downloads()).map_err(|error| error.to_string())?;
        let names: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        let whole = names.iter().find(|name| name.to_string_lossy().ends_with(".scenario.yaml"));
        whole.cloned().ok_or_else(|| format!("{names:?}"))
    });
    let ran = Command::new(env!("CARGO_BIN_EXE_throughline"))
        .arg("test")
        .arg(&file)
        .env_clear()
        .current_dir(browser.downloads())
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&ran.stdout),
        std::fs::read_to_string(&file).unwrap()
    );
}

#[test]
fn the_console_follows_a_lane_and_decides() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("hello");
    chat.until_says("I make tickets, reviews and decision records");
    let lane = chat.run("return document.body.dataset.lane", &[]);
    let console = Page::another(&browser);
    console.go(&format!("{}/console/lanes/{}", server.url(), lane.as_str().unwrap()));
    chat.write(BUG);
    chat.until_preview(1);
    console.until_says("Create 1 bug in DEMO?");
    console.go(&format!("{}/console/approvals", server.url()));
    console.click(By::Css("[data-item]"));
    console.click(By::Role("button", "Approve: create 1 bug in DEMO, version 1"));
    chat.until_receipt();
    assert_eq!(server.issues(), ["the page is empty"]);
    assert_eq!(json!(console.faults()), json!([]));
    chat.assert_no_faults();
}

/// The model's summary of the older messages.
pub(crate) const SUMMARY: &str = "Ana sealed the vault, and nobody reaches Bob.";

/// Creates a lane with tasks in every status, facts in every state, and a summary by a model. Returns its id.
pub(crate) fn lane_with_knowledge(model_server: &ModelServer) -> String {
    let lane = json!({ "channel": "api", "conversation": "c1" });
    let server = &model_server.server;
    for (task, status, report) in [
        ("seed", "running", json!({ "intent": "Seed the data" })),
        ("migrate", "queued", json!({ "intent": "Move the old orders over" })),
        (
            "schema",
            "completed",
            json!({ "intent": "Create the schema", "result": "Nine tables. More to come." }),
        ),
        (
            "login",
            "blocked",
            json!({ "intent": "Sign in with the staging account", "reason": "Waiting for the staging password" }),
        ),
        ("lint", "failed", json!({ "intent": "Check the style", "reason": "The checker found no rules" })),
        ("port", "cancelled", json!({ "intent": &"averylongwordwithoutablank".repeat(4) })),
    ] {
        let mut told = json!({ "task_id": task, "status": status });
        told.as_object_mut().unwrap().extend(report.as_object().unwrap().clone());
        server.event(task, &json!({ "lane": lane, "kind": "task.reported", "report": told }));
    }
    model_server.answer_next(&json!({ "text": SUMMARY, "facts": [] }));
    let mut of = String::new();
    for (n, text) in [
        "Remember that the vault is sealed",
        "Remember that Bob is away until Monday",
        "Remember about the database: use MySQL",
        "Remember about the database: use Postgres",
        "Remember for this channel that releases must be signed",
    ]
    .into_iter()
    .enumerate()
    {
        let said = json!({ "lane": lane, "kind": "message.posted", "actor": { "id": "ana" }, "text": text });
        of = server.event(&format!("m{n}"), &said)["lane"].as_str().unwrap().to_owned();
    }
    of
}

#[test]
fn what_is_known_in_a_lane_can_be_read_and_unfolded() {
    let Some(browser) = Browser::start() else { return };
    let model_server = ModelServer::with(EARLY_SUMMARY);
    let lane = lane_with_knowledge(&model_server);
    let page = Page::first(&browser);
    let url = format!("{}/console/lanes/{lane}", model_server.server.url());
    page.go(&url);
    // The page updates itself when the model's answer makes another turn.
    page.until_says(SUMMARY);
    let region = |name: &str| {
        let of = page.find(By::Role("region", name));
        page.run("return arguments[0].innerText.replace(/\\s+/g, ' ')", &[of.argument()])
            .as_str()
            .unwrap()
            .to_owned()
    };
    let tasks = region("Tasks");
    for told in [
        "blocked Sign in with the staging account Waiting for the staging password",
        "queued Move the old orders over",
        "running Seed the data",
        "completed Create the schema Nine tables.",
        "failed Check the style The checker found no rules",
        "cancelled averylong",
    ] {
        assert!(tasks.contains(told), "no {told:?} in {tasks}");
    }
    assert!(!tasks.contains("More to come"), "one sentence of a result: {tasks}");
    let facts = region("Facts of this thread, its epics and its channel");
    assert!(facts.contains("valid use Postgres") && facts.contains("of this channel"), "{facts}");
    assert!(!facts.contains("use MySQL"), "folded: {facts}");
    page.click(By::Css("[aria-labelledby=facts] summary"));
    page.until_says("Gave way to “use Postgres”");
    // An unfolded section stays open when the lane changes, also if a new one appears above it.
    for n in 0..3 {
        let report =
            json!({ "task_id": format!("t{n}"), "status": "completed", "intent": format!("Step {n}") });
        let lane = json!({ "channel": "api", "conversation": "c1" });
        model_server
            .server
            .event(&format!("t{n}"), &json!({ "lane": lane, "kind": "task.reported", "report": report }));
    }
    page.until_says("1 more over");
    page.until_says("Step 2");
    assert!(page.text().contains("Gave way to “use Postgres”"));
    assert!(!page.text().contains("Nine tables"), "the oldest that is over is folded");
    let summary = region("Summary what prompts say of the older messages");
    assert!(summary.contains("Covers the first") && summary.contains("Version 1"), "{summary}");
    assert_accessible(&page, "body", "what is known");
    page.click(By::Role("link", "What an agent is told of this lane now"));
    page.until_says("## READ-ONLY CONTEXT");
    let told = page.text();
    for (section, words) in [
        ("## FACTS", "releases must be signed"),
        ("## SUMMARY", SUMMARY),
        ("## READ-ONLY", "staging password"),
    ] {
        assert!(told.contains(section) && told.contains(words), "no {words:?} in {told}");
    }
    assert_accessible(&page, "body", "what an agent is told");
    // A lane without tasks and facts.
    let turn = post_bug(&model_server.server, "c2");
    page.go(&format!("{}/console/lanes/{}", model_server.server.url(), turn["lane"].as_str().unwrap()));
    page.until_says("Nothing is known yet.");
    assert_accessible(&page, "body", "nothing known");
    assert_eq!(json!(page.faults()), json!([]));
}

#[test]
fn every_page_of_the_console_can_be_read() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let turn = post_bug(&server, "c1");
    let approval = server.get("/v1/approvals?limit=1")["items"][0]["id"].as_str().unwrap().to_owned();
    let effect = server.get("/v1/effects?limit=1")["items"][0]["id"].as_str().unwrap().to_owned();
    let page = Page::first(&browser);
    for path in [
        "",
        "/lanes",
        "/turns",
        "/turns?text=page&person=ana&since=hour",
        "/turns?text=nothing+like+it",
        "/find?q=page",
        &format!("/lanes/{}", turn["lane"].as_str().unwrap()),
        &format!("/lanes/{}/context", turn["lane"].as_str().unwrap()),
        &format!("/turns/{}", turn["turn"].as_str().unwrap()),
        "/approvals",
        &format!("/approvals/{approval}"),
        "/effects",
        &format!("/effects/{effect}"),
        "/issues",
        "/issues?q=nothing+like+it",
        "/nothing",
    ] {
        page.go(&format!("{}/console{path}", server.url()));
        assert_all_named(&page, "body");
        for theme in ["light", "dark"] {
            page.theme(theme);
            assert_contrast(&page, theme);
        }
        assert_fits(&page, path);
        page.own_size();
        assert_eq!(json!(page.faults()), json!([]), "{path}");
    }
}
