//! The conversation itself: what agents write in Markdown, times in the reader's zone, cards in short, and the composer.

use serde_json::{Value, json};

use crate::accessibility::{assert_all_named, assert_contrast};
use crate::chat::{BUG, Chat, MESSAGE};
use crate::driver::Browser;
use crate::model_server::ModelServer;
use crate::page::{By, Page};
use crate::server::Server;
use crate::small_screen::assert_fits;

/// Words of an agent with every element, and with what is none.
const WRITTEN: &str = "# Rollout\n\nThree *steps*, see [the log](https://x.example/log) or https://x.example/all:\n\n1. **Build**\n2. Test\n   - on Linux\n\n| Host | State |\n| --- | --- |\n| a | `up` |\n\n```sh\nmake deploy\n```\n\n> It was green.\n\n[no](javascript:alert(1)) <img src=x onerror=alert(1)> ![a picture](https://x.example/p.png)";

fn posted(server: &Server, chat: &Page<'_>, key: &str, text: &str) {
    let conversation = chat.run("return document.body.dataset.conversation", &[]);
    let lane = json!({ "channel": "web", "conversation": conversation });
    let said =
        json!({ "lane": lane, "kind": "assistant.posted", "assistant": { "kind": "answer", "text": text } });
    server.event(key, &said);
}

/// Returns the markup of the conversation, without what only a script adds.
fn markup(page: &Page<'_>) -> Value {
    let script = "const copy = document.querySelector('.markup').cloneNode(true);
        copy.querySelectorAll('.copy').forEach(it => it.remove());
        copy.querySelectorAll('.code, .wide').forEach(it => it.replaceWith(...it.childNodes));
        return copy.innerHTML";
    page.run(script, &[])
}

#[test]
fn what_an_agent_writes_in_markdown_is_the_same_live_later_and_without_a_script() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("# not a heading <b>");
    chat.until_taken();
    chat.until("the conversation to be there", || {
        chat.messages().first().cloned().ok_or_else(|| "nothing".to_owned())
    });
    posted(&server, &chat, "written", WRITTEN);
    chat.find(By::Css(".markup h3"));
    let live = markup(&chat);
    let link = "<a href=\"https://x.example/log\" target=\"_blank\" rel=\"noopener noreferrer\">the log</a>";
    assert!(live.as_str().unwrap().contains(link), "{live}");
    assert_eq!(
        chat.run("return document.querySelectorAll('#log img, #log script, .mine :is(h3, b)').length", &[]),
        json!(0)
    );
    chat.find(By::Role("button", "Copy"));
    assert_all_named(&chat, "#log");
    for theme in ["light", "dark"] {
        chat.theme(theme);
        assert_contrast(&chat, theme);
    }
    assert_fits(&chat, "an answer in Markdown");
    chat.own_size();
    chat.reload();
    chat.until_connection("live");
    assert_eq!(markup(&chat), live);
    chat.assert_no_faults();
    chat.without_script();
    chat.reload();
    chat.find(By::Css(".markup h3"));
    assert_eq!(markup(&chat), live);
}

#[test]
fn times_are_those_of_the_reader() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Page::first(&browser);
    page.cdp("Emulation.setTimezoneOverride", json!({ "timezoneId": "Asia/Kathmandu" }));
    let chat = Chat::open_with(page, &server.url(), |_| ());
    chat.write(BUG);
    chat.until_preview(1);
    let ago = chat.run("return document.querySelector('.mine time').textContent", &[]);
    assert!(["now", "1 minute ago"].contains(&ago.as_str().unwrap()), "{ago}");
    // Kathmandu is 5:45 ahead of UTC, so no minute is the same there.
    let shown = "const time = document.querySelector('.decision time');
        return [time.textContent.match(/\\d\\d:(\\d\\d)/)[1], new Date(time.dateTime).getUTCMinutes(), time.title]";
    let found = chat.run(shown, &[]);
    let minute: u64 = found[0].as_str().unwrap().parse().unwrap();
    assert_eq!(minute, (found[1].as_u64().unwrap() + 45) % 60, "{found}");
    assert!(found[2].as_str().unwrap().contains(" at "), "the hover says it in full: {found}");
    assert!(!chat.text().contains("UTC"), "{}", chat.text());
    chat.without_script();
    chat.reload();
    chat.until_says(" UTC");
    let all = "return [...document.querySelectorAll('#log article time, .decision time')].every(it => it.textContent.endsWith(' UTC'))";
    assert_eq!(chat.run(all, &[]), json!(true));
}

#[test]
fn a_card_says_what_and_who_until_when_and_the_rest_in_details() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.click(By::Role("radio", "Not now"));
    chat.find(By::Css(".closed"));
    let height =
        chat.run("return document.querySelector('article:has(.closed)').getBoundingClientRect().height", &[]);
    assert!(height.as_f64().unwrap() < 40.0, "a closed gate is one line: {height}");
    chat.write(BUG);
    let preview = chat.until_preview(1);
    let lines = |page: &Page<'_>| {
        page.run("return [...document.querySelectorAll('[data-step=draft_preview] .facts')].map(it => it.innerText)", &[])
    };
    chat.until("its checks", || {
        let found = lines(&chat);
        if found.to_string().contains("checks passed") { Ok(()) } else { Err(found.to_string()) }
    });
    let found = lines(&chat);
    assert!(found[0].as_str().unwrap().contains("asked by @you"), "{found}");
    assert!(
        found[1].as_str().unwrap().contains("may approve") && found[1].as_str().unwrap().contains("until"),
        "{found}"
    );
    assert!(!preview.text.contains("characters"), "{preview:?}");
    chat.click(By::Css("[data-step=draft_preview] .more summary"));
    chat.until_says("1 item,");
    chat.run("navigator.clipboard.writeText = async words => { window.wrote = words; }", &[]);
    chat.click(By::Css("article:has([data-step=draft_preview]) .copy"));
    let copied = chat.run("return window.wrote", &[]);
    let copied = copied.as_str().unwrap();
    assert!(
        copied.starts_with("Create 1 bug in DEMO?\nasked by @you") && copied.contains("\nExpected: a list"),
        "{copied}"
    );
    chat.click(By::Css("article:has([data-step=draft_preview]) .copy:last-child"));
    let link = chat.run("return window.wrote", &[]);
    chat.go(link.as_str().unwrap());
    chat.until_connection("live");
    chat.find(By::Css(":target > .card"));
    chat.assert_no_faults();
}

#[test]
fn commands_are_offered_while_one_is_typed() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    // One can write at once.
    chat.until_is("the field to have the focus", "return document.activeElement.id", &json!("text"));
    chat.type_text("/s");
    chat.find(By::Role("listbox", "Commands"));
    let active = "return document.getElementById(document.querySelector('#text').getAttribute('aria-activedescendant'))?.dataset.word";
    assert_eq!(chat.run(active, &[]), json!("status"));
    assert_contrast(&chat, "light");
    chat.press("ArrowDown");
    assert_eq!(chat.run(active, &[]), json!("stop"));
    chat.press("Escape");
    assert!(!chat.is_visible(By::Css("#commands")));
    chat.type_text("t");
    chat.press("ArrowUp");
    chat.press("ArrowUp");
    chat.press("Enter");
    assert!(
        chat.run("return document.querySelector('#text').value", &[]).as_str().unwrap().ends_with("status ")
    );
    chat.press("Enter");
    chat.until_says("In this thread: 0 waiting");
    // What is typed in full is sent at once, under the name that the command has everywhere.
    chat.type_text("/help");
    chat.press("Enter");
    chat.until_says("I turn messages into tickets");
    chat.assert_no_faults();
}

#[test]
fn the_last_message_can_be_edited_and_a_draft_waits_meanwhile() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(BUG);
    chat.until_preview(1);
    let other = Chat::open_another(&browser, &chat.address());
    chat.click(MESSAGE);
    chat.type_text("a draft");
    chat.click(By::Role("button", "Edit"));
    chat.until_says("You are editing");
    chat.press("Escape");
    assert_eq!(chat.run("return document.querySelector('#text').value", &[]), json!("a draft"));
    chat.click(By::Role("button", "Edit"));
    chat.press("Control+a");
    chat.type_lines(&BUG.replace("the page is empty", "the page stays empty"));
    chat.press("Enter");
    let remade = chat.until_preview(2);
    assert!(remade.text.contains("the page stays empty"), "{remade:?}");
    for page in [&chat, &other] {
        page.until_is(
            "the message to be the new one",
            "return document.querySelector('.mine .text').textContent.includes('stays empty')",
            &json!(true),
        );
    }
    assert_eq!(chat.run("return document.querySelector('#text').value", &[]), json!("a draft"));
    // A draft belongs to its conversation.
    let address = chat.address();
    chat.go(&format!("{}/new", server.url()));
    assert_eq!(chat.run("return document.querySelector('#text').value", &[]), json!(""));
    chat.go(&address);
    chat.until_is("the draft", "return document.querySelector('#text').value", &json!("a draft"));
    chat.assert_no_faults();
}

#[test]
fn what_goes_on_is_told_and_can_be_stopped() {
    let Some(browser) = Browser::start() else { return };
    let server = ModelServer::start();
    let chat = Chat::open(&browser, &server.server.url());
    server.hang_next();
    chat.write("The export button does nothing when I click it");
    chat.until_says("Throughline is thinking…");
    assert_all_named(&chat, "#working");
    chat.reload();
    chat.until_says("Throughline is thinking…");
    chat.click(By::Css("#working .stop"));
    chat.until_is("nothing to go on", "return document.querySelector('#working').innerText", &json!(""));
    chat.until_says("Stopped");
    chat.assert_no_faults();
}

/// Asks for an answer in words, which the model writes step by step.
fn ask_in_words(server: &ModelServer, chat: &Chat<'_>, answer: &str) {
    server.answer_next(&json!({ "label": "discussion", "confidence": 0.95, "anchor": null }));
    server.write_next(&json!({ "text": answer, "facts": [] }));
    chat.write("the builds on the new machines are slower since Tuesday");
    chat.until_says("Throughline is thinking…");
}

#[test]
fn an_answer_grows_and_becomes_the_message_in_its_place() {
    let Some(browser) = Browser::start() else { return };
    let server = ModelServer::with("[policy.ask]\nanswer_ms = 90000\n");
    let chat = Chat::open(&browser, &server.server.url());
    let answer = "They are slower by **two minutes**, for two reasons:\n\n- the cache is cold\n- <b>one</b> of them swaps";
    ask_in_words(&server, &chat, answer);
    server.step(10);
    chat.until_says("by two minutes");
    chat.until_says("Throughline is writing…");
    chat.until_says("not final yet");
    assert_eq!(chat.run("return document.querySelectorAll('#log article.ours').length", &[]), json!(0));
    let silent = "return document.querySelector('.growing').closest('[aria-live]').ariaLive";
    assert_eq!(chat.run(silent, &[]), json!("off"), "a screen reader reads the message");
    assert_all_named(&chat, "#main");
    // What shows that something goes on never comes to rest.
    chat.run("document.getAnimations().forEach(it => it.cancel())", &[]);
    for theme in ["light", "dark"] {
        chat.theme(theme);
        assert_contrast(&chat, theme);
    }
    assert_fits(&chat, "an answer that grows");
    chat.own_size();
    let place =
        "const words = document.querySelector('#log > :last-child > .text p').getBoundingClientRect();
        return [words.left, words.top + scrollY].map(Math.round)";
    let before = chat.run(place, &[]);
    // Who comes later sees what there is.
    chat.reload();
    chat.until_says("by two minutes");
    server.step(1_000);
    chat.until_says("<b>one</b> of them swaps");
    chat.until_is(
        "the message",
        "return document.querySelectorAll('#log article.ours .markup li').length",
        &json!(2),
    );
    assert_eq!(chat.run("return document.querySelectorAll('.growing').length", &[]), json!(0));
    chat.until_is("nothing to go on", "return document.querySelector('#working').innerText", &json!(""));
    assert_eq!(chat.run(place, &[]), before, "nothing jumped");
    assert_eq!(server.calls(), 2);
    chat.assert_no_faults();
}

#[test]
fn a_growing_answer_is_stopped() {
    let Some(browser) = Browser::start() else { return };
    let server = ModelServer::start();
    let chat = Chat::open(&browser, &server.server.url());
    ask_in_words(&server, &chat, "Nobody will ever have read the whole of this answer.");
    server.step(6);
    chat.until_says("Nobody will");
    chat.click(By::Css("#working .stop"));
    chat.until_says("Stopped");
    chat.until_is("nothing of it", "return document.querySelectorAll('.growing').length", &json!(0));
    assert!(!chat.text().contains("Nobody will"));
    chat.until("the request to be given up", || match server.dropped() {
        1 => Ok(()),
        other => Err(format!("{other} requests")),
    });
    chat.reload();
    assert!(!chat.text().contains("Nobody will"));
    chat.assert_no_faults();
}

#[test]
fn it_is_clean_on_paper_and_at_twice_the_size() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(BUG);
    chat.until_preview(1);
    // 1280 by 800 pixels at 200 %.
    chat.size(640, 400, 2.0);
    chat.until_still();
    assert_eq!(chat.run(include_str!("overflow.js"), &[]), json!([]), "at 200 %");
    chat.own_size();
    chat.cdp("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    let seen = "return ['#conversations', '.composer', '.actions', '.message > footer', '#connection']
        .filter(it => document.querySelector(it)?.checkVisibility())";
    assert_eq!(chat.run(seen, &[]), json!([]));
    chat.find(By::Css(".card h3"));
}
