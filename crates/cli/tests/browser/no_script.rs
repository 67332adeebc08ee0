//! The pages without script: reading, writing and pressing work.

use serde_json::json;

use crate::batch::THREE;
use crate::chat::{BUG, MESSAGE};
use crate::driver::Browser;
use crate::page::{By, Page};
use crate::review::PLAN;
use crate::server::Server;

const APPROVE: By<'static> = By::Css("[data-action=approve]");

// row: WB5
#[test]
fn without_script_the_page_can_be_read_written_on_and_pressed() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Page::first(&browser);
    page.without_script();
    page.go(&server.url());
    write(&page, "What do you think about microservices?");
    page.until_says("What should I do with this?");
    page.click(By::Role("radio", "Not now"));
    page.until_says("OK, leaving it");
    write(&page, BUG);
    page.until_says("Create 1 bug in DEMO?");
    // A second window keeps an outdated page.
    let old = Page::another(&browser);
    old.without_script();
    old.go(page.run("return location.href", &[]).as_str().unwrap());
    old.find(APPROVE);
    let state = old.run("return document.querySelector('[data-connection]').dataset.connection", &[]);
    assert_eq!(state, json!("connecting"), "a script ran");
    page.click(By::Css("[data-action=edit]"));
    page.click(By::Role("textbox", "Title"));
    page.press("Control+a");
    page.type_text("The page stays empty");
    page.click(By::Role("button", "Save"));
    page.until_says("The page stays empty");
    old.click(APPROVE);
    old.until_says("This preview is outdated. Version 2 is the current one.");
    assert_eq!(server.issues(), Vec::<String>::new());
    page.click(APPROVE);
    page.until_says("Created DEMO-1");
    assert_eq!(server.issues(), ["The page stays empty"]);
    page.click(By::Role("button", "Why?"));
    page.until_says("rung");
}

// row: WB5
#[test]
fn without_script_a_batch_is_edited_and_a_review_is_replied_to() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Page::first(&browser);
    page.without_script();
    page.go(&server.url());
    write(&page, THREE);
    page.click(By::Css(".items > :nth-child(3) [data-action=edit_story]"));
    page.click(By::Role("textbox", "Title"));
    page.press("Control+a");
    page.type_text("Leave");
    page.click(By::Role("button", "Save"));
    page.until_says("Leave");
    page.click(APPROVE);
    page.until_says("Receipt");
    page.until("all to be there", || {
        let text = page.text();
        if text.contains("Created 3 of 3") {
            return Ok(());
        }
        page.reload();
        Err(text)
    });
    page.go(&format!("{}/new", server.url()));
    write(&page, PLAN);
    page.until_says("Architecture review: Postgres for orders");
    write(&page, "Review this other plan: we will cache prices in Redis.");
    page.until_says("cache prices in Redis");
    page.click(By::Css("article:has(.card) .reply"));
    page.until_says("In reply to Architecture review: Postgres for orders");
    write(&page, "create the epic for that");
    let epic = page.find(By::Css("[data-step=multi_ticket_preview] .items"));
    let said = page.run("return arguments[0].innerText", &[epic.argument()]);
    assert!(said.as_str().unwrap().contains("Postgres for orders"), "{said}");
}

#[track_caller]
fn write(page: &Page<'_>, text: &str) {
    page.click(MESSAGE);
    // Without a script, Enter adds a line and does not send.
    page.type_lines(text);
    page.click(By::Role("button", "Send"));
}
