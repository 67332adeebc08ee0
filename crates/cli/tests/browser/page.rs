//! A page in a tab, as somebody in front of it has it: what is there by its role and name, clicks, keys, and waiting
//! until something is so. When a test fails, what the page showed is told and a picture is kept.

use std::path::PathBuf;

use base64::Engine as _;
use serde_json::{Value, json};
use ureq::http::Method;

use crate::driver::{Browser, Element, Refused};
use crate::serving::until;

/// Notes what a page must not do, from its first moment on.
const WATCH: &str = include_str!("watch.js");

/// Keys by name, as WebDriver spells them.
const KEYS: [(&str, char); 12] = [
    ("Tab", '\u{e004}'),
    ("Enter", '\u{e007}'),
    ("Shift", '\u{e008}'),
    ("Control", '\u{e009}'),
    ("Escape", '\u{e00c}'),
    ("Space", ' '),
    ("End", '\u{e010}'),
    ("Home", '\u{e011}'),
    ("ArrowLeft", '\u{e012}'),
    ("ArrowUp", '\u{e013}'),
    ("ArrowRight", '\u{e014}'),
    ("ArrowDown", '\u{e015}'),
];

/// Where something is on a page.
#[derive(Clone, Copy, Debug)]
pub(crate) enum At<'a> {
    /// Found by a selector.
    Css(&'a str),
    /// Found by its role and its name in the accessibility tree.
    Named(&'a str, &'a str),
}

/// A tab.
pub(crate) struct Page<'b> {
    browser: &'b Browser,
    window: String,
}

impl<'b> Page<'b> {
    /// The tab the browser opened with.
    pub(crate) fn first(browser: &'b Browser) -> Self {
        Self::in_window(browser, browser.first_window())
    }

    /// One more tab.
    pub(crate) fn another(browser: &'b Browser) -> Self {
        Self::in_window(browser, browser.new_window())
    }

    fn in_window(browser: &'b Browser, window: String) -> Self {
        let page = Self { browser, window };
        page.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH }));
        page
    }

    /// Loads an address.
    #[track_caller]
    pub(crate) fn go(&self, url: &str) {
        self.tell(Method::POST, "/url", &json!({ "url": url }));
        self.find(At::Css("body"));
    }

    /// Loads it again.
    #[track_caller]
    pub(crate) fn reload(&self) {
        self.tell(Method::POST, "/refresh", &json!({}));
        self.find(At::Css("body"));
    }

    /// What a script returns. It runs beside the page's own policy, so it sees everything and breaks no rule.
    #[track_caller]
    pub(crate) fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.tell(Method::POST, "/execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// A command of the DevTools protocol.
    #[track_caller]
    pub(crate) fn cdp(&self, command: &str, parameters: Value) -> Value {
        self.tell(Method::POST, "/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Shows pages as to somebody who prefers `light` or `dark`.
    #[track_caller]
    pub(crate) fn theme(&self, theme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        self.cdp("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Shows pages in a window of that size, with so many pixels of the screen for one of the page's.
    #[track_caller]
    pub(crate) fn size(&self, width: u32, height: u32, scale: f64) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// In the browser's own window again.
    #[track_caller]
    pub(crate) fn own_size(&self) {
        self.cdp("Emulation.clearDeviceMetricsOverride", json!({}));
    }

    /// Runs no script of any page.
    #[track_caller]
    pub(crate) fn without_script(&self) {
        self.cdp("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    }

    /// The first element there, as soon as it is seen.
    #[track_caller]
    pub(crate) fn find(&self, at: At<'_>) -> Element {
        self.until(&format!("{at:?} to be seen"), || self.look(at))
    }

    fn look(&self, at: At<'_>) -> Result<Element, String> {
        let (css, role, name) = match at {
            At::Css(css) => return self.seen(css).into_iter().next().ok_or_else(|| "nothing".into()),
            At::Named(role, name) => (candidates(role), role, name),
        };
        let mut others = Vec::new();
        for element in self.seen(css) {
            let found = self.name(&element);
            if found == name && self.role(&element) == role {
                return Ok(element);
            }
            others.push(found);
        }
        Err(format!("others: {others:?}"))
    }

    /// The elements that a selector finds and a person sees, in reading order. Before its first paint nothing of a
    /// page is seen, and a browser drops what is clicked and typed.
    #[track_caller]
    pub(crate) fn seen(&self, css: &str) -> Vec<Element> {
        let script = "if (performance.getEntriesByType('paint').length === 0) return [];
            return [...document.querySelectorAll(arguments[0])]
                .filter(element => element.checkVisibility({ visibilityProperty: true }))";
        let found = self.run(script, &[json!(css)]);
        found.as_array().unwrap().iter().filter_map(Element::of).collect()
    }

    /// Whether anything is to be seen there now.
    #[track_caller]
    pub(crate) fn sees(&self, at: At<'_>) -> bool {
        self.look(at).is_ok()
    }

    /// The role of an element in the accessibility tree; empty when it has left the page.
    pub(crate) fn role(&self, element: &Element) -> String {
        self.of_element(element, "computedrole")
    }

    /// Its name there.
    pub(crate) fn name(&self, element: &Element) -> String {
        self.of_element(element, "computedlabel")
    }

    fn of_element(&self, element: &Element, what: &str) -> String {
        let path = format!("/element/{}/{what}", element.0);
        let told = self.browser.tell(&self.window, Method::GET, &path, &Value::Null);
        told.ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Everything that is written on the page, as a person reads it; nothing while it goes to another.
    pub(crate) fn text(&self) -> String {
        let body = json!({ "script": "return document.body?.innerText", "args": [] });
        let told = self.browser.tell(&self.window, Method::POST, "/execute/sync", &body);
        told.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Clicks what is there with the mouse, as soon as it can be. What covers it is in the way, as for a person.
    #[track_caller]
    pub(crate) fn click(&self, at: At<'_>) {
        self.until(&format!("{at:?} to be clicked"), || {
            let element = self.look(at)?;
            self.bring(&element);
            let path = format!("/element/{}/click", element.0);
            let clicked = self.browser.tell(&self.window, Method::POST, &path, &json!({}));
            // Each of these says that nothing was clicked.
            clicked.map(drop).map_err(|Refused { error, message }| match error.as_str() {
                "stale element reference" | "element click intercepted" | "element not interactable" => {
                    message
                }
                _ => panic!("clicking {at:?}: {error}: {message}"),
            })
        });
    }

    /// Scrolls it to the middle, where nothing that stays in its place covers it.
    fn bring(&self, element: &Element) {
        let script = "arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })";
        let body = json!({ "script": script, "args": [element.argument()] });
        // One that has left the page meanwhile is looked for again.
        let _ = self.browser.tell(&self.window, Method::POST, "/execute/sync", &body);
    }

    /// Presses the mouse twice on what is there, as fast as it goes.
    #[track_caller]
    pub(crate) fn double_click(&self, at: At<'_>) {
        let element = self.find(at);
        self.bring(&element);
        let button = |what: &str| json!({ "type": what, "button": 0 });
        let to = json!({ "type": "pointerMove", "origin": element.argument(), "x": 0, "y": 0 });
        let presses = ["pointerDown", "pointerUp", "pointerDown", "pointerUp"].map(button);
        let actions: Vec<Value> = std::iter::once(to).chain(presses).collect();
        self.act(&json!({ "type": "pointer", "id": "mouse", "actions": actions }));
    }

    /// Presses a key, or several together: `Shift+Tab`.
    #[track_caller]
    pub(crate) fn press(&self, keys: &str) {
        let keys: Vec<char> = keys.split('+').map(key).collect();
        let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        self.act(&json!({ "type": "key", "id": "keyboard", "actions": down.chain(up).collect::<Vec<_>>() }));
    }

    /// Types into what has the focus, key by key.
    #[track_caller]
    pub(crate) fn types(&self, text: &str) {
        let actions: Vec<Value> = text
            .chars()
            .flat_map(|c| ["keyDown", "keyUp"].map(|what| json!({ "type": what, "value": c })))
            .collect();
        self.act(&json!({ "type": "key", "id": "keyboard", "actions": actions }));
    }

    /// Types lines with Shift and Enter between them, into what has the focus.
    #[track_caller]
    pub(crate) fn types_lines(&self, text: &str) {
        for (n, line) in text.lines().enumerate() {
            if n > 0 {
                self.press("Shift+Enter");
            }
            self.types(line);
        }
    }

    #[track_caller]
    fn act(&self, source: &Value) {
        self.tell(Method::POST, "/actions", &json!({ "actions": [source] }));
    }

    /// What has the focus.
    #[track_caller]
    pub(crate) fn focused(&self) -> Element {
        let active = self.tell(Method::GET, "/element/active", &Value::Null);
        Element::of(&active).unwrap_or_else(|| panic!("nothing has the focus"))
    }

    /// Waits until something is so; what was there in its place is told when it never is.
    #[track_caller]
    pub(crate) fn until<T>(&self, what: &str, again: impl FnMut() -> Result<T, String>) -> T {
        until(what, again)
    }

    /// Waits until a script returns that.
    #[track_caller]
    pub(crate) fn until_is(&self, what: &str, script: &str, wanted: &Value) {
        self.until(what, || {
            let found = self.run(script, &[]);
            if found == *wanted { Ok(()) } else { Err(found.to_string()) }
        });
    }

    /// Waits until the page says it somewhere.
    #[track_caller]
    pub(crate) fn until_says(&self, words: &str) {
        self.until(&format!("the page to say {words:?}"), || {
            let text = self.text();
            if text.contains(words) { Ok(()) } else { Err(text) }
        });
    }

    /// Waits until nothing on the page moves or changes its colour.
    #[track_caller]
    pub(crate) fn until_still(&self) {
        let script = "return document.getAnimations().filter(it => it.playState === 'running').length";
        self.until_is("the page to be still", script, &json!(0));
    }

    /// A picture of what is seen, as PNG.
    #[track_caller]
    pub(crate) fn picture(&self) -> Vec<u8> {
        let told = self.tell(Method::GET, "/screenshot", &Value::Null);
        base64::engine::general_purpose::STANDARD.decode(told.as_str().unwrap()).unwrap()
    }

    /// What went wrong on the page that nobody sees: dialogs, errors, rules of its policy that it broke.
    #[track_caller]
    pub(crate) fn faults(&self) -> Vec<String> {
        let noted = self.run("return window.noted", &[]);
        let noted = noted.as_array().unwrap_or_else(|| panic!("the page is not watched: {noted}"));
        let console = self.tell(Method::POST, "/se/log", &json!({ "type": "browser" }));
        let said = console.as_array().unwrap().iter().map(|entry| &entry["message"]);
        let about_us = |said: &&Value| {
            let said = said.as_str().unwrap_or_default();
            ["Content Security Policy", "Trusted", "Uncaught"].iter().any(|word| said.contains(word))
        };
        noted.iter().chain(said.filter(about_us)).map(|fault| fault.as_str().unwrap().to_owned()).collect()
    }

    #[track_caller]
    fn tell(&self, method: Method, path: &str, body: &Value) -> Value {
        let told = self.browser.tell(&self.window, method, path, body);
        told.unwrap_or_else(|Refused { error, message }| panic!("{path} {body}: {error}: {message}"))
    }
}

impl Drop for Page<'_> {
    /// A test that fails leaves a picture, and tells what was written on the page.
    #[expect(clippy::print_stderr, reason = "it stands beside the panic's own message")]
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let ask = |method, path| self.browser.tell(&self.window, method, path, &Value::Null).ok();
        let picture = ask(Method::GET, "/screenshot")
            .and_then(|told| base64::engine::general_purpose::STANDARD.decode(told.as_str()?).ok());
        let test = std::thread::current().name().unwrap_or("test").replace("::", "-");
        let tab = &self.window[..self.window.len().min(8)];
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{tab}.png"));
        if picture.is_some_and(|bytes| std::fs::write(&path, bytes).is_ok()) {
            eprintln!("the page: {}", path.display());
        }
        let address = ask(Method::GET, "/url").unwrap_or_default();
        eprintln!("{}\n{}", address.as_str().unwrap_or_default(), self.text());
    }
}

/// What may have the role, so that few elements are asked for theirs.
fn candidates(role: &str) -> &'static str {
    match role {
        "button" => "button, summary, [role=button], input[type=submit]",
        "link" => "a, [role=link]",
        "textbox" => "input, textarea, [role=textbox]",
        "radio" => "input, [role=radio]",
        "heading" => "h1, h2, h3",
        "dialog" => "dialog, [role=dialog]",
        _ => "[role], body *",
    }
}

fn key(name: &str) -> char {
    let mut letters = name.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => letter,
        _ => KEYS.iter().find(|(key, _)| *key == name).unwrap_or_else(|| panic!("no key {name}")).1,
    }
}
