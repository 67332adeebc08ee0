//! Many tabs: they share one connection, of which a browser has six for a host.

use serde_json::json;

use crate::chat::Chat;
use crate::driver::Browser;
use crate::server::Server;

/// More tabs than a browser has connections for a host.
const TABS: usize = 8;

#[test]
fn eight_tabs_are_live_and_the_next_one_leads_when_one_closes() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let first = Chat::open(&browser, &server.url());
    first.write("What do you think about number 0?");
    first.until_says("What should I do with this?");
    let shared = first.address();
    let mut tabs = vec![first];
    for n in 1..TABS {
        // Half of them show the same conversation.
        let tab = Chat::open_another(
            &browser,
            &if n % 2 == 0 { shared.clone() } else { format!("{}/new", server.url()) },
        );
        tab.write(&format!("What do you think about number {n}?"));
        tab.until_says(&format!("What do you think about number {n}?"));
        tab.until_taken();
        tabs.push(tab);
    }
    for tab in &tabs {
        tab.until_connection("live");
    }
    let streams = "return performance.getEntriesByType('resource').filter(it => it.name.includes('/follow')).length > 0";
    let leading = |tabs: &[Chat<'_>]| tabs.iter().filter(|tab| tab.run(streams, &[]) == json!(true)).count();
    assert_eq!(leading(&tabs), 1, "one tab holds the connection");
    // What is written in one tab arrives in the others of the conversation, also after the leading one has gone away.
    tabs[2].write("and what about the last one?");
    for place in [0, 4, 6] {
        tabs[place].until_says("and what about the last one?");
    }
    tabs[0].go(&format!("{}/offline", server.url()));
    tabs[2].write("and after that?");
    for place in [4, 6] {
        tabs[place].until_says("and after that?");
        tabs[place].until_connection("live");
    }
    for tab in &tabs[1..] {
        tab.assert_no_faults();
    }
}

/// Tabs that cannot elect one poll, and none holds a connection.
#[test]
fn without_locks_the_page_polls() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let page = crate::page::Page::first(&browser);
    let without = "delete Navigator.prototype.locks";
    page.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": without }));
    let chat = Chat::open_with(page, &server.url(), |_| ());
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    let streams =
        "return performance.getEntriesByType('resource').filter(it => it.name.includes('/follow')).length";
    assert_eq!(chat.run(streams, &[]), json!(0));
    chat.assert_no_faults();
}
