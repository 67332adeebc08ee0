//! The workspace: options are chosen by a message or a click, and the page opens them beside the conversation, as any
//! host of panels does (docs/design/0022-choosing-an-option.md).

use std::ops::Deref;

use serde_json::{Value, json};

use crate::accessibility::{assert_all_named, assert_contrast};
use crate::chat::Chat;
use crate::driver::Browser;
use crate::page::{By, Page};
use crate::proxy::server_behind_proxy;
use crate::server::Server;
use crate::small_screen::assert_fits;

/// A window with the workspace.
pub(crate) struct Workspace<'b>(Chat<'b>);

impl<'b> Workspace<'b> {
    #[track_caller]
    pub(crate) fn open(browser: &'b Browser, url: &str) -> Self {
        Self::shown(Page::first(browser), &format!("{url}/workspace"))
    }

    #[track_caller]
    fn shown(page: Page<'b>, url: &str) -> Self {
        let workspace = Self(Chat::open_with(page, url, |_| ()));
        workspace.until_shown(3);
        workspace
    }

    /// Waits until this many panels are registered.
    #[track_caller]
    pub(crate) fn until_shown(&self, panels: usize) {
        let script = "return document.querySelectorAll('.panel[data-set]').length";
        self.until_is("the panels to be registered", script, &json!(panels));
    }

    /// Waits until a document is open and no panel is busy.
    #[track_caller]
    pub(crate) fn until_open(&self, title: &str) {
        let script =
            "return [document.querySelector('#reader:not([hidden]) article:not([hidden]) h2')?.innerText,
            document.querySelectorAll('.entries [aria-busy]').length]";
        self.until_is(&format!("{title} to be open"), script, &json!([title, 0]));
    }

    /// Waits until an option is recorded as the person's last choice, which “that one” refers to.
    #[track_caller]
    fn until_done(&self, option: &str) {
        let script = "const [lane, user] = [document.body.dataset.lane, document.body.dataset.user];
            const request = new XMLHttpRequest();
            request.open('GET', `/v1/lanes/${lane}`, false);
            request.send();
            const { views } = JSON.parse(request.responseText);
            return views.find(view => view.user === user)?.lastAcceptedChoiceId ?? null";
        self.until_is(&format!("{option} to be done"), script, &json!(option));
    }

    #[track_caller]
    fn entries(&self, panel: &str) -> Vec<String> {
        let script = "return [...document.querySelectorAll(`[data-instance=${arguments[0]}] .entries b`)]
            .filter(entry => entry.checkVisibility()).map(entry => entry.innerText)";
        serde_json::from_value(self.run(script, &[json!(panel)])).unwrap()
    }

    #[track_caller]
    fn open_now(&self) -> Value {
        self.run("return document.querySelector('#reader:not([hidden]) h2:is(article:not([hidden]) *)')?.innerText ?? null", &[])
    }
}

impl<'b> Deref for Workspace<'b> {
    type Target = Chat<'b>;

    fn deref(&self) -> &Chat<'b> {
        &self.0
    }
}

#[test]
fn an_option_is_opened_by_its_name_and_by_its_place_in_a_panel() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Workspace::open(&browser, &server.url());
    page.write("open the sample2 pls");
    page.until_open("sample2 changed yesterday");
    page.until_says("“sample2”");
    assert_eq!(page.cards(), [], "nothing was asked");
    page.write("the second one from reports");
    page.until_open("summary155 February");
    let current = page.run("return document.querySelector('.entries [aria-current]').dataset.option", &[]);
    assert_eq!(current, json!("summary155"));
    page.assert_no_faults();
}

#[test]
fn not_that_the_other_is_the_other_one_of_two() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Workspace::open(&browser, &server.url());
    page.write("open links panel d from the dashboard");
    page.until_open("Links Panel D");
    page.until_done("links-d");
    page.write("not that, the other");
    page.until_open("Links Panel E");
    page.until_done("links-e");
    page.assert_no_faults();
}

#[test]
fn that_one_is_the_one_that_is_left() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Workspace::open(&browser, &server.url());
    page.write("from the dashboard");
    page.until_says("These are the options in Home");
    page.write("not the first");
    page.until_says("“Links Panel E” instead?");
    assert_eq!(page.open_now(), Value::Null, "it was not said yet");
    page.write("that one");
    page.until_open("Links Panel E");
    page.until_done("links-e");
    // “That one” was chosen already, so saying it again is unclear, and nothing is opened by a guess.
    page.click(By::Css("#reader [data-close]"));
    page.write("that one");
    page.until_says("I am not sure which one in Home you mean.");
    assert_eq!(page.open_now(), Value::Null);
    page.assert_no_faults();
}

#[test]
fn what_cannot_be_told_apart_is_a_list_of_buttons() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Workspace::open(&browser, &server.url());
    page.write("report from reports");
    page.until_says("Which one do you mean?");
    page.write("report from reports");
    let card = page.until_card("a list", |card| card.step == "options");
    assert!(card.actions.ends_with(&["none_of_these".into(), "leave".into()]), "{card:?}");
    let list = page.find(By::Css("[role=radiogroup]"));
    assert_eq!(page.role(&list), "radiogroup");
    // With the keyboard: Tab reaches the group, the arrow keys move in it.
    let choices = page.visible("[role=radio]");
    let names: Vec<String> = choices.iter().map(|choice| page.name(choice)).collect();
    assert!(names.iter().any(|name| name.contains("Report") && name.contains("Q2")), "{names:?}");
    page.run("document.querySelector('[role=radio]').focus()", &[]);
    let q2 = names.iter().position(|name| name.contains("Q2")).unwrap();
    for _ in 0..q2 {
        page.press("ArrowDown");
    }
    page.press("Space");
    page.until_open("Report Q2");
    page.assert_no_faults();
}

#[test]
fn a_press_is_answered_by_what_was_pressed() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Workspace::open(&browser, &server.url());
    page.click(By::Css("[data-instance=recent] [data-option=roadmap] a"));
    page.until_open("Roadmap changed last week");
    page.until_done("roadmap");
    // A message without a panel's name refers to the panel that was used last.
    page.write("the first one");
    page.until_open("Budget changed today");
    page.click(By::Css("[data-instance=recent] [data-sort]"));
    let sorted = json!(["Budget", "Roadmap", "sample2"]);
    page.until("the panel to be sorted", || {
        let entries = json!(page.entries("recent"));
        if entries == sorted { Ok(()) } else { Err(entries.to_string()) }
    });
    page.until_done("budget");
    page.write("the last one from recent");
    page.until_open("sample2 changed yesterday");
    page.assert_no_faults();
}

#[test]
fn a_closed_panel_is_not_chosen_from() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Workspace::open(&browser, &server.url());
    page.click(By::Role("button", "Close Recent"));
    page.until_shown(2);
    page.write("the second one from recent");
    page.until("an answer", || {
        let ours = page.run("return document.querySelectorAll('.message.ours').length", &[]);
        if ours == json!(0) { Err(ours.to_string()) } else { Ok(()) }
    });
    assert_eq!(page.open_now(), Value::Null);
    page.click(By::Role("button", "Open Recent"));
    page.until_shown(3);
    page.write("sample2");
    page.until_open("sample2 changed yesterday");
    page.assert_no_faults();
}

/// The option's action changed after the button was shown. The press runs nothing and refreshes the panel.
#[test]
fn a_stale_button_runs_nothing() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Workspace::open(&browser, &server.url());
    page.run(
        "const { lane, user } = document.body.dataset;
        const options = [...document.querySelectorAll('[data-instance=recent] li')]
            .map(({ dataset: { option: id, label } }) => ({ id, label, exec_ref: `print:${id}` }));
        const request = new XMLHttpRequest();
        request.open('POST', `/v1/lanes/${lane}/option-sets`, false);
        request.setRequestHeader('Content-Type', 'application/json');
        request.setRequestHeader('Idempotency-Key', 'another-host');
        request.setRequestHeader('X-CSRF-Token', document.querySelector('meta[name=csrf-token]').content);
        request.send(JSON.stringify({ scope: 'widget', scope_instance: 'recent', title: 'Recent', user, options }));
        if (request.status !== 200) throw request.responseText",
        &[],
    );
    page.click(By::Css("[data-instance=recent] [data-option=budget] a"));
    page.until_refused("This preview is outdated");
    assert_eq!(page.open_now(), Value::Null);
    // The page has registered its panel again.
    page.click(By::Css("[data-instance=recent] [data-option=budget] a"));
    page.until_open("Budget changed today");
}

/// A choice made in one window is opened in another that was disconnected.
#[test]
fn what_was_chosen_elsewhere_is_opened_here() {
    let Some(browser) = Browser::start() else { return };
    let (server, proxy) = server_behind_proxy();
    let page = Workspace::open(&browser, &server.url());
    page.write("/maro help");
    page.until_taken();
    let there = proxy.url_of(&page.address());
    let other = Workspace::shown(Page::another(&browser), &there);
    proxy.hold_streams(true);
    page.write("open roadmap");
    page.until_open("Roadmap changed last week");
    proxy.hold_streams(false);
    other.until_open("Roadmap changed last week");
    page.until_done("roadmap");
}

#[test]
fn without_script_the_panels_are_links() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Page::first(&browser);
    page.without_script();
    page.go(&format!("{}/workspace", server.url()));
    page.click(By::Css("[data-instance=recent] [data-option=sample2] a"));
    page.until_says("A draft to try things with.");
    page.click(By::Css("#reader [data-close]"));
    page.until("it to be closed", || {
        let text = page.text();
        if text.contains("A draft to try") { Err(text) } else { Ok(()) }
    });
    page.click(By::Role("textbox", "Message"));
    page.type_text("/maro help");
    page.click(By::Role("button", "Send"));
    page.until_says("/maro");
    let path = page.run("return location.pathname", &[]);
    assert_eq!(path, json!("/workspace"), "a form leads back to the page it was on");
}

#[test]
fn the_workspace_is_for_everybody() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = Workspace::open(&browser, &server.url());
    page.write("report from reports");
    page.until_says("Which one do you mean?");
    page.write("report from reports");
    page.until_card("a list", |card| card.step == "options");
    page.click(By::Css("[data-instance=recent] [data-option=sample2] a"));
    page.until_open("sample2 changed yesterday");
    assert_all_named(&page, "body");
    page.find(By::Role("complementary", "Panels"));
    for theme in ["light", "dark"] {
        page.theme(theme);
        assert_contrast(&page, theme);
    }
    assert_fits(&page, "the workspace");
    page.size(1280, 800, 1.0);
    page.until_still();
    let aside = "const [panels, chat] = ['#panels', 'main'].map(it => document.querySelector(it).getBoundingClientRect());
        return panels.left >= chat.right - 1";
    page.until_is("the panels to stand beside the chat", aside, &json!(true));
    page.assert_no_faults();
}
