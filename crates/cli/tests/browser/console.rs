//! The console: from the list of lanes to the ladder of a turn, a dry replay, a recorded scenario, a decision; every
//! page in both colour schemes and on a small screen (`spec 07 §11`).

use std::process::Command;

use serde_json::json;

use crate::access::{can_be_read, everything_is_named};
use crate::cards::is_sound;
use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::modelled::Modelled;
use crate::narrow::fits;
use crate::page::{At, Page};
use crate::serving::{Serving, until};

/// Of a short conversation there is a summary already.
pub(crate) const FOLDS_EARLY: &str = "[policy.summary]\ntrigger = 7\nkeep = 4\n";

/// Says what a bug needs over the API and returns the turn.
pub(crate) fn talked(serving: &Serving, conversation: &str) -> serde_json::Value {
    let lane = json!({ "channel": "api", "conversation": conversation });
    let said = json!({ "lane": lane, "kind": "message.posted", "actor": { "id": "ana" }, "text": BUG });
    serving.event(conversation, &said)
}

#[test]
fn co1_a_lane_leads_to_the_ladder_of_its_turn() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let turn = talked(&serving, "c1")["turn"].as_str().unwrap().to_owned();
    let page = Page::first(&browser);
    page.go(&format!("{}/console", serving.url()));
    // Without a mouse: to the first lane of the list.
    page.press("j");
    page.press("Enter");
    page.find(At::Css("[aria-labelledby=talk]"));
    page.click(At::Css("ol.talk .turnlink"));
    page.find(At::Css("#turn ol.ladder .rung.won"));
    page.click(At::Named("link", "Whole turn"));
    page.find(At::Css("[aria-labelledby=record]"));
    let told = serving.get(&format!("/v1/turns/{turn}/why"));
    let script = "return [...document.querySelectorAll('[aria-labelledby=ladder] .rung:is(.lost, .computed)')].map(rung =>
        [Number(rung.querySelector('.number').textContent), rung.querySelector('.predicate').textContent])";
    let lost: Vec<_> =
        told["passed"].as_array().unwrap().iter().map(|it| json!([it["rung"], it["predicate"]])).collect();
    assert_eq!(page.run(script, &[]), json!(lost), "{told:#}");
    let won = page.run("return document.querySelector('.rung.won .number').textContent", &[]);
    assert_eq!(won, json!(told["rung"].to_string()));
    page.click(At::Named("button", "Replay as it was"));
    page.until_says("The same decision, the same effects, the same state.");
    page.click(At::Named("textbox", "Another message in its place"));
    page.press("Control+a");
    page.types("hello");
    page.click(At::Named("button", "Replay with this message"));
    page.until_says("A dry run sends nothing.");
    assert_eq!(serving.get("/v1/lanes?limit=10")["items"].as_array().unwrap().len(), 1);
    assert_eq!(json!(page.faults()), json!([]));
}

#[test]
fn co3_a_recorded_lane_is_a_scenario_that_passes() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let lane = talked(&serving, "c1")["lane"].as_str().unwrap().to_owned();
    let page = Page::first(&browser);
    page.go(&format!("{}/console/lanes/{lane}", serving.url()));
    page.click(At::Named("link", "Record as scenario"));
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
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write("hello");
    chat.until_says("I turn messages into tickets");
    let lane = chat.run("return document.body.dataset.lane", &[]);
    let console = Page::another(&browser);
    console.go(&format!("{}/console/lanes/{}", serving.url(), lane.as_str().unwrap()));
    chat.write(BUG);
    chat.until_preview(1);
    console.until_says("Create 1 bug in DEMO?");
    console.go(&format!("{}/console/approvals", serving.url()));
    console.click(At::Css("[data-item]"));
    console.click(At::Named("button", "Approve: create 1 bug in DEMO, version 1"));
    chat.until_receipt();
    assert_eq!(serving.issues(), ["The page is empty"]);
    assert_eq!(json!(console.faults()), json!([]));
    chat.is_clean();
}

/// What the model makes of the older messages.
pub(crate) const SUMMARY: &str = "Ana sealed the vault, and nobody reaches Bob.";

/// Every task status, facts of each standing, and a summary that a model wrote; returns the lane.
pub(crate) fn remembering(modelled: &Modelled) -> String {
    let lane = json!({ "channel": "api", "conversation": "c1" });
    let serving = &modelled.serving;
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
        serving.event(task, &json!({ "lane": lane, "kind": "task.reported", "report": told }));
    }
    modelled.says(&json!({ "text": SUMMARY, "facts": [] }));
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
        of = serving.event(&format!("m{n}"), &said)["lane"].as_str().unwrap().to_owned();
    }
    of
}

#[test]
fn what_is_known_in_a_lane_can_be_read_and_unfolded() {
    let Some(browser) = Browser::start() else { return };
    let modelled = Modelled::with(FOLDS_EARLY);
    let lane = remembering(&modelled);
    let page = Page::first(&browser);
    let url = format!("{}/console/lanes/{lane}", modelled.serving.url());
    page.go(&url);
    // The page follows its lane: the answer of the model is another turn.
    page.until_says(SUMMARY);
    let region = |name: &str| {
        let of = page.find(At::Named("region", name));
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
    page.click(At::Css("[aria-labelledby=facts] summary"));
    page.until_says("Gave way to “use Postgres”");
    // What is unfolded stays so when the lane goes on, also when there is more to unfold before it.
    for n in 0..3 {
        let report =
            json!({ "task_id": format!("t{n}"), "status": "completed", "intent": format!("Step {n}") });
        let lane = json!({ "channel": "api", "conversation": "c1" });
        modelled
            .serving
            .event(&format!("t{n}"), &json!({ "lane": lane, "kind": "task.reported", "report": report }));
    }
    page.until_says("1 more over");
    page.until_says("Step 2");
    assert!(page.text().contains("Gave way to “use Postgres”"));
    assert!(!page.text().contains("Nine tables"), "the oldest that is over is folded");
    let summary = region("Summary what prompts say of the older messages");
    assert!(summary.contains("Covers the first") && summary.contains("Version 1"), "{summary}");
    is_sound(&page, "body", "what is known");
    page.click(At::Named("link", "What an agent is told of this lane now"));
    page.until_says("## READ-ONLY CONTEXT");
    let told = page.text();
    for (section, words) in [
        ("## FACTS", "releases must be signed"),
        ("## SUMMARY", SUMMARY),
        ("## READ-ONLY", "staging password"),
    ] {
        assert!(told.contains(section) && told.contains(words), "no {words:?} in {told}");
    }
    is_sound(&page, "body", "what an agent is told");
    // A lane in which nothing happened yet is as sound.
    let turn = talked(&modelled.serving, "c2");
    page.go(&format!("{}/console/lanes/{}", modelled.serving.url(), turn["lane"].as_str().unwrap()));
    page.until_says("Nothing is known yet.");
    is_sound(&page, "body", "nothing known");
    assert_eq!(json!(page.faults()), json!([]));
}

#[test]
fn every_page_of_the_console_can_be_read() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let turn = talked(&serving, "c1");
    let approval = serving.get("/v1/approvals?limit=1")["items"][0]["id"].as_str().unwrap().to_owned();
    let effect = serving.get("/v1/effects?limit=1")["items"][0]["id"].as_str().unwrap().to_owned();
    let page = Page::first(&browser);
    for path in [
        "",
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
        page.go(&format!("{}/console{path}", serving.url()));
        everything_is_named(&page, "body");
        for theme in ["light", "dark"] {
            page.theme(theme);
            can_be_read(&page, theme);
        }
        fits(&page, path);
        page.own_size();
        assert_eq!(json!(page.faults()), json!([]), "{path}");
    }
}
