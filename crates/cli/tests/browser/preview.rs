//! The preview of a lane on Slack, Telegram and the web: drawn without a fault, in both colour schemes, at every width,
//! and read with the keyboard alone.

use serde_json::json;

use crate::accessibility::{assert_all_named, assert_contrast};
use crate::driver::Browser;
use crate::page::{By, Page};
use crate::played::{CONVERSATION, play};
use crate::server::Server;
use crate::small_screen::assert_fits;

#[test]
fn one_conversation_is_drawn_as_each_channel_shows_it() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let lane = play(&server, CONVERSATION);
    let page = Page::first(&browser);
    page.go(&format!("{}/console/lanes/{lane}", server.url()));
    page.click(By::Role("link", "Slack, Telegram and web"));
    page.until_says("One conversation on Slack, Telegram and the web");
    page.size(1280, 900, 1.0);
    page.until_still();
    let sideways = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(page.run(sideways, &[]), json!(0), "scrolls sideways");
    assert_eq!(page.run(include_str!("overflow.js"), &[]), json!([]));
    // The web chat's cards have the chat's own style sheet.
    let drawn = "const web = [...document.querySelectorAll('.cell.web .page')].map(cell => cell.shadowRoot);
        const cards = web.flatMap(root => [...root.querySelectorAll('.card')]);
        return [web.length, cards.length, web.filter(root => root.styleSheets[0]?.cssRules.length > 50).length,
            cards.filter(card => getComputedStyle(card).display === 'flex').length,
            web.filter(root => root.querySelector('#log').scrollWidth > root.host.clientWidth + 1).length]";
    page.until_is("the chat's cards", drawn, &json!([7, 2, 7, 2, 0]));
    assert_eq!(page.run("return document.querySelectorAll('.unknown').length", &[]), json!(0));
    for theme in ["light", "dark"] {
        page.theme(theme);
        assert_contrast(&page, theme);
    }
    page.theme("light");
    assert_all_named(&page, "body");
    // No tab stop is a picture of a button; the JSON of a card opens with the keyboard.
    let stops = "return [...document.querySelectorAll('.cell :is(button, a, summary, [tabindex])')].map(one => one.textContent.trim())";
    assert_eq!(page.run(stops, &[]), json!(["Block Kit JSON", "Copy", "Block Kit JSON", "Copy"]));
    page.run("document.querySelector('.json > summary').focus()", &[]);
    page.press("Enter");
    page.until_says("\"type\": \"rich_text\"");
    assert_fits(&page, "the preview");
    page.own_size();
    assert_eq!(json!(page.faults()), json!([]));
}
