//! Every page in two themes at three widths, for somebody to look at: `cargo xtask shots pages [DIR]`. What can be told
//! without eyes is checked on the way: nothing overflows, and all text can be read.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use throughline_trackers::local::{Call, Fault};

use crate::batch::ask_for_six;
use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::in_process::InProcessServer;
use crate::page::{By, Page};
use crate::server::{Kind, Server};
use crate::workspace::Workspace;

/// The environment variable with the folder of the pictures.
const FOLDER: &str = "THROUGHLINE_SHOTS";
const THEMES: [&str; 2] = ["light", "dark"];
/// A telephone, a tablet, a desk.
const WIDTHS: [u32; 3] = [390, 820, 1440];
const HEIGHT: u32 = 820;
/// The contrast that WCAG AA requires of text of normal size.
const CONTRAST: f64 = 4.5;

/// Faults that were found on the pages.
#[derive(Default)]
struct Gallery {
    found: RefCell<String>,
}

impl Gallery {
    /// Takes a picture in each theme at each width: the end of a conversation, the whole of any other page.
    fn shoot(&self, page: &Page<'_>, name: &str) {
        let folder = PathBuf::from(std::env::var_os(FOLDER).expect("run this as `cargo xtask shots pages`"));
        std::fs::create_dir_all(&folder).unwrap();
        for theme in THEMES {
            page.theme(theme);
            for width in WIDTHS {
                page.size(width, HEIGHT, 1.0);
                let height = page.run("return document.documentElement.scrollHeight", &[]);
                let height = u32::try_from(height.as_u64().unwrap()).unwrap();
                page.size(width, HEIGHT.max(height), 1.0);
                page.until_still();
                page.run(
                    "scrollTo(0, document.body.dataset.conversation ? document.body.scrollHeight : 0)",
                    &[],
                );
                std::fs::write(folder.join(format!("{name}-{width}-{theme}.png")), page.picture()).unwrap();
                self.note(&format!("{name} at {width}"), &page.run(include_str!("overflow.js"), &[]));
            }
            let told = page.run(include_str!("contrast.js"), &[json!(CONTRAST)]);
            self.note(&format!("{name}, {theme}"), &told["found"]);
        }
        page.theme("light");
        page.own_size();
    }

    fn note(&self, place: &str, found: &Value) {
        for one in found.as_array().unwrap() {
            let _ = writeln!(self.found.borrow_mut(), "{place}: {one}");
        }
    }

    /// Loads a page and takes its pictures.
    fn visit(&self, page: &Page<'_>, url: &str, name: &str) {
        page.go(url);
        self.shoot(page, name);
    }

    #[track_caller]
    fn assert_in_order(self) {
        let found = self.found.into_inner();
        assert!(found.is_empty(), "{found}");
    }
}

/// Opens the chat without scroll bars.
fn open<'b>(browser: &'b Browser, url: &str) -> Chat<'b> {
    let chat = Chat::open(browser, url);
    chat.cdp("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    chat
}

/// Reads a value of the API as whoever looks at the page.
#[track_caller]
fn read(page: &Page<'_>, path: &str, at: &str) -> String {
    let script = "const request = new XMLHttpRequest();
        request.open('GET', arguments[0], false);
        request.send();
        return JSON.parse(request.responseText)";
    let told = page.run(script, &[json!(path)]);
    told.pointer(at).and_then(Value::as_str).unwrap_or_else(|| panic!("no {at} in {told:#}")).to_owned()
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots pages`"]
fn of_a_demo_with_traffic() {
    let Some(browser) = Browser::start() else { return };
    let gallery = Gallery::default();
    let server = InProcessServer::start();
    let chat = open(&browser, &server.url);
    let empty = ["", "lanes", "turns", "approvals", "effects", "issues", "trackers", "webhooks"];
    for section in empty {
        let name = if section.is_empty() { "overview" } else { section };
        gallery.visit(&chat, &format!("{}/console/{section}", server.url), &format!("console-empty-{name}"));
    }
    chat.go(&server.url);
    chat.until_connection("live");
    gallery.shoot(&chat, "chat-empty");
    chat.write("The export button does nothing when I click it");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    gallery.shoot(&chat, "chat-gate");
    let batch = {
        chat.go(&format!("{}/new", server.url));
        chat.until_connection("live");
        ask_for_six(&chat)
    };
    gallery.shoot(&chat, "chat-batch");
    chat.press_on(&batch, "confirm_quantity");
    chat.approve_all(&chat.until_batch(1, "approve"));
    chat.until_created("Created 6 of 6");
    chat.go(&format!("{}/new", server.url));
    chat.until_connection("live");
    server.faults.push(Call::Create, Fault::LostReply);
    server.faults.push(Call::Seek, Fault::Refused);
    chat.write(BUG);
    let preview = chat.until_preview(1);
    gallery.shoot(&chat, "chat-preview");
    chat.press_on(&preview, "edit");
    gallery.shoot(&chat, "chat-edit");
    chat.press("Escape");
    chat.press_on(&preview, "approve");
    chat.until_card("the uncertain effect", |card| card.step == "uncertain_effect");
    gallery.shoot(&chat, "chat-uncertain");
    chat.go(&format!("{}/new", server.url));
    chat.until_connection("live");
    chat.write("Create a bug: the report is empty\nSteps: open the report\nExpected: rows\nActual: none");
    chat.until_preview(1);
    let (conversation, lane) = (
        chat.run("return document.body.dataset.conversation", &[]).as_str().unwrap().to_owned(),
        chat.run("return document.body.dataset.lane", &[]).as_str().unwrap().to_owned(),
    );
    chat.click(By::Css("article:last-of-type .why button"));
    chat.find(By::Css("article:last-of-type .rungs"));
    gallery.shoot(&chat, "chat-why");
    let edit = chat.run(
        "const request = new XMLHttpRequest();
        request.open('GET', `/v1/lanes/${arguments[0]}/messages`, false);
        request.send();
        const buttons = JSON.parse(request.responseText).items.flatMap(it => it.card?.buttons ?? []);
        return buttons.find(button => button.action === 'edit').token",
        &[json!(lane)],
    );
    let edit = format!("edit?c={conversation}&token={}", edit.as_str().unwrap());
    let turn = read(&chat, &format!("/v1/lanes/{lane}/turns"), "/items/0/turn");
    let mine = read(&chat, "/v1/approvals?state=pending", "/items/0/id");
    let doubt = read(&chat, "/v1/effects?state=uncertain", "/items/0/id");
    let done = read(&chat, "/v1/effects?state=done", "/items/0/id");
    for (path, name) in [
        ("conversations", "conversations"),
        ("conversations?q=report", "conversations-search"),
        ("conversations?q=zzz", "conversations-none"),
        (&format!("conversation?c={conversation}"), "conversation-organise"),
        (&edit, "edit-without-script"),
        (&format!("turns/{turn}"), "turn-in-words"),
        ("tracker/DEMO-1", "tracker-issue"),
        ("tracker/DEMO-99", "refusal-no-issue"),
        ("conversation?c=nobody", "refusal-no-conversation"),
        ("offline", "offline"),
        ("embed", "embed"),
        ("console", "console-overview"),
        ("console/lanes", "console-lanes"),
        (&format!("console/lanes/{lane}"), "console-lane"),
        (&format!("console/lanes/{lane}/context"), "console-context"),
        (&format!("console/preview/{lane}"), "console-preview"),
        ("console/turns", "console-turns"),
        ("console/turns?text=zzz", "console-turns-none"),
        (&format!("console/turns/{turn}"), "console-turn"),
        ("console/approvals", "console-approvals-mine"),
        ("console/approvals?show=all", "console-approvals-all"),
        (&format!("console/approvals/{mine}"), "console-approval"),
        ("console/effects", "console-effects"),
        ("console/effects?state=uncertain", "console-effects-uncertain"),
        (&format!("console/effects/{doubt}"), "console-effect-uncertain"),
        (&format!("console/effects/{done}"), "console-effect"),
        ("console/issues", "console-issues"),
        ("console/issues/DEMO-1", "console-issue"),
        ("console/find?q=report", "console-find"),
        ("console/people", "console-people"),
        ("console/learning", "console-learning"),
        ("console/health", "console-health"),
        ("sessions", "sessions-of-a-demo"),
        ("console/people/ana", "console-person"),
        ("console/nothing", "console-refusal"),
    ] {
        gallery.visit(&chat, &format!("{}/{path}", server.url), name);
    }
    gallery.assert_in_order();
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots pages`"]
fn of_the_workspace() {
    let Some(browser) = Browser::start() else { return };
    let gallery = Gallery::default();
    let server = Server::start();
    let page = Workspace::open(&browser, &server.url());
    page.cdp("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    gallery.shoot(&page, "workspace");
    page.write("open the sample2 pls");
    page.until_open("sample2 changed yesterday");
    gallery.shoot(&page, "workspace-open");
    gallery.assert_in_order();
}

/// An installation where people sign in, with a webhook that nobody listens to.
fn office() -> String {
    let secret = format!("{}/secret", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&secret, format!("whsec_{}", "QUFB".repeat(10))).unwrap();
    format!(
        r#"
tenant = "office"
[[users]]
id = "ana"
roles = ["admin"]
email = "ana@example.com"
[[users]]
id = "bob"
roles = ["member"]
[[approvers]]
effects = ["tracker.*"]
targets = ["local:*"]
allow = ["role:approver"]
[[webhooks]]
name = "agent"
url = "http://127.0.0.1:9/hook"
secret_files = [{secret:?}]
allow_loopback = true
"#
    )
}

#[test]
#[ignore = "makes pictures: `cargo xtask shots pages`"]
fn of_an_office_where_people_sign_in() {
    let Some(browser) = Browser::start() else { return };
    let gallery = Gallery::default();
    let server = Server::of(Kind::Configured(office()));
    let page = Page::first(&browser);
    page.cdp("Emulation.setScrollbarsHidden", json!({ "hidden": true }));
    gallery.visit(&page, &server.url(), "sign-in");
    page.click(By::Css("#token"));
    page.type_text("tlk_nobody");
    page.press("Enter");
    page.until_says("That token is not one of this installation.");
    gallery.shoot(&page, "sign-in-refused");
    gallery.visit(&page, &format!("{}/embed", server.url()), "embed-signed-out");
    let link = |who: &str| {
        let made = server.command(&["token", "link", who]).output().unwrap();
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    };
    let used = link("bob");
    gallery.visit(&page, &used, "sign-in-link");
    let chat = Chat::open_with(page, &used, |page| page.click(By::Role("button", "Sign in as bob")));
    chat.write(BUG);
    chat.until_preview(1);
    gallery.shoot(&chat, "chat-of-a-member");
    let approval = chat.run("return document.querySelector('[data-card]').dataset.card", &[]);
    gallery.visit(&chat, &format!("{}/console", server.url()), "console-of-a-member");
    gallery.visit(&chat, &format!("{}/console/people", server.url()), "console-forbidden");
    gallery.visit(
        &chat,
        &format!("{}/console/approvals/{}", server.url(), approval.as_str().unwrap()),
        "console-approval-of-a-member",
    );
    chat.go(&server.url());
    chat.until_connection("live");
    chat.click(By::Role("button", "Sign out"));
    chat.find(By::Role("heading", "Sign in"));
    gallery.visit(&chat, &used, "sign-in-used-link");
    chat.go(&link("ana"));
    chat.click(By::Role("button", "Sign in as ana"));
    chat.find(By::Css("[data-connection]"));
    for (path, name) in [
        ("console", "office-overview"),
        ("console/approvals?show=pending", "office-approvals"),
        ("console/trackers", "office-trackers"),
        ("console/webhooks", "office-webhooks"),
        ("console/webhooks/agent", "office-webhook"),
        ("sessions", "sessions"),
        ("console/health", "office-health"),
        ("console/people", "office-people"),
        ("console/people/ana", "office-own-person"),
        ("console/people/bob", "office-person"),
    ] {
        gallery.visit(&chat, &format!("{}/{path}", server.url()), name);
    }
    gallery.assert_in_order();
}
