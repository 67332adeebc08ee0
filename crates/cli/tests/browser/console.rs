//! The console: from the list of lanes to the ladder of a turn, a dry replay, a recorded scenario, a decision; every
//! page in both colour schemes and on a small screen (`spec 07 §11`).

use std::process::Command;

use serde_json::json;

use crate::access::{can_be_read, everything_is_named};
use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::narrow::fits;
use crate::page::{At, Page};
use crate::serving::{Serving, until};

/// Says what a bug needs over the API and returns the turn.
fn talked(serving: &Serving, conversation: &str) -> serde_json::Value {
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
