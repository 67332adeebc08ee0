//! Notifications on this device. A browser without its vendor's push service cannot subscribe, so what `pushManager` does is put in
//! its place here; the switch, what the server takes, and what the service worker shows are the real ones.

use serde_json::{Value, json};

use crate::chat::Chat;
use crate::driver::Browser;
use crate::page::{By, Page};
use crate::server::Server;

const SWITCH: By<'_> = By::Role("button", "Notify me on this device of what waits for me");

/// Subscribes at nobody's push service, with the keys of RFC 8291's example, and keeps what it was asked for.
const PUSH_MANAGER: &str = r"
    const keys = { p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg' };
    const endpoint = 'http://127.0.0.1:9/this-device';
    const asked = window.asked = [];
    const held = options => ({ endpoint, options, toJSON: () => ({ endpoint, keys }),
      unsubscribe: async () => { sessionStorage.removeItem('subscribed'); asked.push('unsubscribe'); return true; } });
    PushManager.prototype.subscribe = async options => {
      const key = btoa(String.fromCharCode(...options.applicationServerKey));
      asked.push({ visible: options.userVisibleOnly, key: key.replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '') });
      sessionStorage.setItem('subscribed', 'yes');
      return held(options);
    };
    PushManager.prototype.getSubscription = async () => (sessionStorage.getItem('subscribed') ? held({}) : null);
    Notification.requestPermission = async () => { asked.push('permission'); return 'granted'; };
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
";

fn server() -> Server {
    Server::with("[push]\ncontact = \"mailto:ops@example.org\"\nallow_loopback = true\n")
}

fn open<'b>(browser: &'b Browser, url: &str) -> Chat<'b> {
    let page = Page::first(browser);
    page.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": PUSH_MANAGER }));
    Chat::open_with(page, url, |_| ())
}

fn until_switch(chat: &Chat<'_>, on: bool) {
    let script = "const { hidden, disabled, ariaPressed } = document.getElementById('notify'); return !hidden && !disabled && ariaPressed;";
    chat.until_is("the switch", script, &json!(if on { "true" } else { "false" }));
}

#[test]
fn a_press_subscribes_for_the_servers_key_and_another_one_ends_it() {
    let Some(browser) = Browser::start() else { return };
    let server = server();
    let chat = open(&browser, &server.url());
    until_switch(&chat, false);
    assert_eq!(chat.run("return window.asked", &[]), json!([]), "nothing is asked before the press");
    chat.click(SWITCH);
    until_switch(&chat, true);
    let key = chat.run("return document.getElementById('notify').dataset.key", &[]);
    let expected = json!(["permission", {"visible": true, "key": key}]);
    assert_eq!(chat.run("return window.asked", &[]), expected);
    chat.reload();
    until_switch(&chat, true);
    chat.click(SWITCH);
    until_switch(&chat, false);
    chat.reload();
    until_switch(&chat, false);
    chat.assert_no_faults();
}

#[test]
fn without_a_contact_there_is_no_switch() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = open(&browser, &server.url());
    assert_eq!(chat.run("return document.getElementById('notify')", &[]), Value::Null);
}

#[test]
fn the_worker_shows_what_waits_and_its_page_closes_it() {
    let Some(browser) = Browser::start() else { return };
    let server = server();
    let chat = open(&browser, &server.url());
    let origin = server.url().trim_end_matches('/').to_owned();
    chat.until_is("the worker", "return navigator.serviceWorker.controller?.state", &json!("activated"));
    chat.cdp("Browser.grantPermissions", json!({"permissions": ["notifications"], "origin": origin}));
    chat.cdp("ServiceWorker.enable", json!({}));
    let note = json!({"title": "Waiting for you: Write the manual", "body": "Ana asks.", "language": "en", "approval": "cd_1"});
    let push = json!({"origin": origin, "registrationId": "0", "data": note.to_string()});
    let shown = "return navigator.serviceWorker.ready.then(worker => worker.getNotifications()).then(shown =>
        shown.map(({ title, body, tag, lang, data }) => ({ title, body, tag, lang, data })));";
    let expected = json!([{"title": "Waiting for you: Write the manual", "body": "Ana asks.", "tag": "cd_1", "lang": "en",
        "data": "/console/approvals/cd_1"}]);
    // Handed over until it is seen: the browser drops, without a word, what comes before it has stored the worker. A second one takes
    // the place of the first, so there is never more than one.
    chat.until("the notification", || {
        chat.cdp("ServiceWorker.deliverPushMessage", push.clone());
        let found = chat.run(shown, &[]);
        if found == expected { Ok(()) } else { Err(found.to_string()) }
    });
    // One of those handed over may come after the page opened; the next opening closes it.
    chat.until("it is closed", || {
        chat.go(&format!("{origin}/console/approvals/cd_1"));
        let found = chat.run(shown, &[]);
        if found == json!([]) { Ok(()) } else { Err(found.to_string()) }
    });
}
