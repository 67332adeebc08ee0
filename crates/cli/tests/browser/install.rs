//! The chat as an installed app: what the browser thinks of its manifest, and the page it shows without a network.

use serde_json::json;

use crate::chat::Chat;
use crate::driver::Browser;
use crate::page::By;
use crate::proxy::server_behind_proxy;

#[test]
fn without_a_network_the_app_says_so_and_keeps_no_page() {
    let Some(browser) = Browser::start() else { return };
    let (server, proxy) = server_behind_proxy();
    let chat = Chat::open(&browser, &proxy.url_of(&server.url()));
    let manifest = chat.cdp("Page.getAppManifest", json!({}));
    assert_eq!(manifest["errors"], json!([]), "{manifest}");
    assert!(manifest["data"].as_str().is_some_and(|data| data.contains("icon-512.png")), "{manifest}");
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.until_is("the worker", "return navigator.serviceWorker.controller !== null", &json!(true));
    chat.assert_no_faults();
    proxy.cut();
    chat.reload();
    chat.find(By::Role("heading", "The network is away"));
    assert!(!chat.text().contains("microservices"), "{}", chat.text());
    for theme in ["light", "dark"] {
        chat.theme(theme);
        chat.until_still();
        assert_eq!(chat.run(include_str!("contrast.js"), &[json!(4.5)])["found"], json!([]), "{theme}");
    }
    proxy.restore();
    chat.reload();
    chat.until_says("What should I do with this?");
    chat.until_connection("live");
}
