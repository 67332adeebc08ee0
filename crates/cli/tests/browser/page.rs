//! A page in a browser window: finding elements, clicks, keys, and waiting for conditions. When a test fails, the text
//! of the page is printed and a picture of it is kept.

use std::path::PathBuf;

use base64::Engine as _;
use serde_json::{Value, json};
use ureq::http::Method;

use crate::driver::{Browser, Element, WebDriverError};
use crate::server::until;

/// A script that records errors, dialogs and policy violations from the start of a page.
const FAULTS: &str = include_str!("faults.js");

/// WebDriver's code points of keys, by name.
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

/// A way to find an element.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By<'a> {
    /// By a CSS selector.
    Css(&'a str),
    /// By its role and its name in the accessibility tree.
    Role(&'a str, &'a str),
}

/// A window of the browser.
pub(crate) struct Page<'b> {
    browser: &'b Browser,
    window: String,
}

impl<'b> Page<'b> {
    /// Returns the window that the browser opened with.
    pub(crate) fn first(browser: &'b Browser) -> Self {
        Self::in_window(browser, browser.first_window())
    }

    /// Opens another window.
    pub(crate) fn another(browser: &'b Browser) -> Self {
        Self::in_window(browser, browser.new_window())
    }

    fn in_window(browser: &'b Browser, window: String) -> Self {
        let page = Self { browser, window };
        page.cdp("Page.addScriptToEvaluateOnNewDocument", json!({ "source": FAULTS }));
        page
    }

    /// Loads a URL.
    #[track_caller]
    pub(crate) fn go(&self, url: &str) {
        self.send(Method::POST, "/url", &json!({ "url": url }));
        self.find(By::Css("body"));
    }

    /// Reloads the page.
    #[track_caller]
    pub(crate) fn reload(&self) {
        self.send(Method::POST, "/refresh", &json!({}));
        self.find(By::Css("body"));
    }

    /// Runs a script and returns its result. The page's content security policy does not apply to it.
    #[track_caller]
    pub(crate) fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.send(Method::POST, "/execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// True if the element is part of the page now: what is drawn anew replaces what was found.
    pub(crate) fn has(&self, element: &Element) -> bool {
        let body = json!({ "script": "return arguments[0].isConnected", "args": [element.argument()] });
        self.browser.send(&self.window, Method::POST, "/execute/sync", &body).is_ok_and(|there| there == true)
    }

    /// Sends a command of the DevTools protocol.
    #[track_caller]
    pub(crate) fn cdp(&self, command: &str, parameters: Value) -> Value {
        self.send(Method::POST, "/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Sends the commands that follow to a frame of the page, or to the page itself again.
    #[track_caller]
    pub(crate) fn switch_frame(&self, frame: Option<&Element>) {
        let id = frame.map_or(Value::Null, Element::argument);
        self.send(Method::POST, "/frame", &json!({ "id": id }));
    }

    /// Sets the preferred colour scheme: `light` or `dark`.
    #[track_caller]
    pub(crate) fn theme(&self, theme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        self.cdp("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Sets the size of the viewport in CSS pixels, and the device pixels per CSS pixel.
    #[track_caller]
    pub(crate) fn size(&self, width: u32, height: u32, scale: f64) {
        let metrics =
            json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
        self.cdp("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Resets the size of the viewport.
    #[track_caller]
    pub(crate) fn own_size(&self) {
        self.cdp("Emulation.clearDeviceMetricsOverride", json!({}));
    }

    /// Disables the scripts of all pages.
    #[track_caller]
    pub(crate) fn without_script(&self) {
        self.cdp("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    }

    /// Waits for a visible element and returns the first.
    #[track_caller]
    pub(crate) fn find(&self, at: By<'_>) -> Element {
        self.until(&format!("{at:?} to be seen"), || self.look(at))
    }

    fn look(&self, at: By<'_>) -> Result<Element, String> {
        let (css, role, name) = match at {
            By::Css(css) => return self.visible(css).into_iter().next().ok_or_else(|| "nothing".into()),
            By::Role(role, name) => (candidates(role), role, name),
        };
        let mut others = Vec::new();
        for element in self.visible(css) {
            let found = self.name(&element);
            if found == name && self.role(&element) == role {
                return Ok(element);
            }
            others.push(found);
        }
        Err(format!("others: {others:?}"))
    }

    /// Returns the visible elements of a selector, in document order. Before the first paint of a page there are none,
    /// because the browser drops clicks and keys until then.
    #[track_caller]
    pub(crate) fn visible(&self, css: &str) -> Vec<Element> {
        let script = "if (performance.getEntriesByType('paint').length === 0) return [];
            return [...document.querySelectorAll(arguments[0])]
                .filter(element => element.checkVisibility({ visibilityProperty: true }))";
        let found = self.run(script, &[json!(css)]);
        found.as_array().unwrap().iter().filter_map(Element::of).collect()
    }

    /// Returns true if the element is visible now.
    #[track_caller]
    pub(crate) fn is_visible(&self, at: By<'_>) -> bool {
        self.look(at).is_ok()
    }

    /// Returns the role of an element in the accessibility tree, or an empty string if it has left the page.
    pub(crate) fn role(&self, element: &Element) -> String {
        self.of_element(element, "computedrole")
    }

    /// Returns the name of an element in the accessibility tree.
    pub(crate) fn name(&self, element: &Element) -> String {
        self.of_element(element, "computedlabel")
    }

    fn of_element(&self, element: &Element, what: &str) -> String {
        let path = format!("/element/{}/{what}", element.0);
        let told = self.browser.send(&self.window, Method::GET, &path, &Value::Null);
        told.ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Returns the visible text of the page, or an empty string while another page is loading.
    pub(crate) fn text(&self) -> String {
        let body = json!({ "script": "return document.body?.innerText", "args": [] });
        let told = self.browser.send(&self.window, Method::POST, "/execute/sync", &body);
        told.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Waits until an element can be clicked, and clicks it. An element that is covered cannot be clicked.
    #[track_caller]
    pub(crate) fn click(&self, at: By<'_>) {
        self.until(&format!("{at:?} to be clicked"), || {
            let element = self.look(at)?;
            self.bring(&element);
            let path = format!("/element/{}/click", element.0);
            let clicked = self.browser.send(&self.window, Method::POST, &path, &json!({}));
            // With each of these errors nothing was clicked.
            clicked.map(drop).map_err(|WebDriverError { error, message }| match error.as_str() {
                "stale element reference" | "element click intercepted" | "element not interactable" => {
                    message
                }
                _ => panic!("clicking {at:?}: {error}: {message}"),
            })
        });
    }

    /// Scrolls an element to the middle, where no fixed element covers it.
    fn bring(&self, element: &Element) {
        let script = "arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })";
        let body = json!({ "script": script, "args": [element.argument()] });
        // If the element has left the page meanwhile, the caller looks for it again.
        let _ = self.browser.send(&self.window, Method::POST, "/execute/sync", &body);
    }

    /// Double-clicks an element as fast as possible.
    #[track_caller]
    pub(crate) fn double_click(&self, at: By<'_>) {
        let element = self.find(at);
        self.bring(&element);
        let button = |what: &str| json!({ "type": what, "button": 0 });
        let to = json!({ "type": "pointerMove", "origin": element.argument(), "x": 0, "y": 0 });
        let presses = ["pointerDown", "pointerUp", "pointerDown", "pointerUp"].map(button);
        let actions: Vec<Value> = std::iter::once(to).chain(presses).collect();
        self.act(&json!({ "type": "pointer", "id": "mouse", "actions": actions }));
    }

    /// Presses a key or a combination of keys: `Shift+Tab`.
    #[track_caller]
    pub(crate) fn press(&self, keys: &str) {
        let keys: Vec<char> = keys.split('+').map(key).collect();
        let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        self.act(&json!({ "type": "key", "id": "keyboard", "actions": down.chain(up).collect::<Vec<_>>() }));
    }

    /// Types a text into the focused element, key by key.
    #[track_caller]
    pub(crate) fn type_text(&self, text: &str) {
        let actions: Vec<Value> = text
            .chars()
            .flat_map(|c| ["keyDown", "keyUp"].map(|what| json!({ "type": what, "value": c })))
            .collect();
        self.act(&json!({ "type": "key", "id": "keyboard", "actions": actions }));
    }

    /// Types lines into the focused element, with Shift+Enter between them.
    #[track_caller]
    pub(crate) fn type_lines(&self, text: &str) {
        for (n, line) in text.lines().enumerate() {
            if n > 0 {
                self.press("Shift+Enter");
            }
            self.type_text(line);
        }
    }

    #[track_caller]
    fn act(&self, source: &Value) {
        self.send(Method::POST, "/actions", &json!({ "actions": [source] }));
    }

    /// Returns the focused element.
    #[track_caller]
    pub(crate) fn focused(&self) -> Element {
        let active = self.send(Method::GET, "/element/active", &Value::Null);
        Element::of(&active).unwrap_or_else(|| panic!("nothing has the focus"))
    }

    /// Polls until there is a value. After a timeout, panics with the last error.
    #[track_caller]
    pub(crate) fn until<T>(&self, what: &str, again: impl FnMut() -> Result<T, String>) -> T {
        until(what, again)
    }

    /// Waits until a script returns a value.
    #[track_caller]
    pub(crate) fn until_is(&self, what: &str, script: &str, wanted: &Value) {
        self.until(what, || {
            let found = self.run(script, &[]);
            if found == *wanted { Ok(()) } else { Err(found.to_string()) }
        });
    }

    /// Waits until the page contains a text.
    #[track_caller]
    pub(crate) fn until_says(&self, words: &str) {
        self.until(&format!("the page to say {words:?}"), || {
            let text = self.text();
            if text.contains(words) { Ok(()) } else { Err(text) }
        });
    }

    /// Waits until no animation is running.
    #[track_caller]
    pub(crate) fn until_still(&self) {
        let script = "return document.getAnimations().filter(it => it.playState === 'running').length";
        self.until_is("the page to be still", script, &json!(0));
    }

    /// Takes a picture of the viewport, as PNG.
    #[track_caller]
    pub(crate) fn picture(&self) -> Vec<u8> {
        let told = self.send(Method::GET, "/screenshot", &Value::Null);
        base64::engine::general_purpose::STANDARD.decode(told.as_str().unwrap()).unwrap()
    }

    /// Returns the faults of the page: dialogs, errors, and violations of its content security policy.
    #[track_caller]
    pub(crate) fn faults(&self) -> Vec<String> {
        let noted = self.run("return window.noted", &[]);
        let noted = noted.as_array().unwrap_or_else(|| panic!("the page is not watched: {noted}"));
        let console = self.send(Method::POST, "/se/log", &json!({ "type": "browser" }));
        let said = console.as_array().unwrap().iter().map(|entry| &entry["message"]);
        let about_us = |said: &&Value| {
            let said = said.as_str().unwrap_or_default();
            ["Content Security Policy", "Trusted", "Uncaught"].iter().any(|word| said.contains(word))
        };
        noted.iter().chain(said.filter(about_us)).map(|fault| fault.as_str().unwrap().to_owned()).collect()
    }

    #[track_caller]
    fn send(&self, method: Method, path: &str, body: &Value) -> Value {
        let told = self.browser.send(&self.window, method, path, body);
        told.unwrap_or_else(|WebDriverError { error, message }| panic!("{path} {body}: {error}: {message}"))
    }
}

impl Drop for Page<'_> {
    /// If the test failed, keeps a picture of the page and prints its text.
    #[expect(clippy::print_stderr, reason = "printed next to the message of the panic")]
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let ask = |method, path| self.browser.send(&self.window, method, path, &Value::Null).ok();
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

/// Returns a selector of the elements that may have a role. Asking an element for its role takes a request.
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
