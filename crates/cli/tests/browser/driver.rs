//! A browser for a test: `chromedriver` on a free port, Chromium, and the commands of the WebDriver protocol that the
//! tests need.

use std::cell::RefCell;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::Agent;
use ureq::http::Method;

/// The JSON member that WebDriver identifies elements by.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// The time limit of loading a page and of running a script, in milliseconds.
const PATIENCE_MS: u64 = 60_000;
/// The variable that skips the browser tests, for machines without a browser.
const SKIP: &str = "THROUGHLINE_NO_BROWSER";
const MISSING: &str = "the browser tests need Chromium and its WebDriver: on Debian \
    `apt-get install chromium chromium-driver fonts-dejavu-core`; THROUGHLINE_NO_BROWSER=1 skips these tests";

/// A running browser. Dropping it ends Chromium and the driver.
pub(crate) struct Browser {
    _driver: Driver,
    agent: Agent,
    /// The URL of the WebDriver session.
    session: String,
    /// The window that receives commands.
    current: RefCell<String>,
    /// The home folder, with the profile and the downloads.
    home: TempDir,
}

/// A reference to an element of a page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Element(pub(crate) String);

/// An error answer of WebDriver: its code and message.
#[derive(Debug)]
pub(crate) struct WebDriverError {
    pub(crate) error: String,
    pub(crate) message: String,
}

impl Browser {
    /// Starts a browser. Returns `None` and prints a note if the tests are to be skipped.
    #[expect(clippy::print_stdout, reason = "the output explains why the test did nothing")]
    pub(crate) fn start() -> Option<Self> {
        if std::env::var_os(SKIP).is_some_and(|value| !value.is_empty()) {
            println!("skipped: {SKIP} is set");
            return None;
        }
        let home = tempfile::tempdir().unwrap();
        let (driver, port) = Driver::start(home.path());
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(Duration::from_millis(2 * PATIENCE_MS)))
            .build();
        let mut browser = Self {
            _driver: driver,
            agent: config.into(),
            session: format!("http://127.0.0.1:{port}/session"),
            current: RefCell::default(),
            home,
        };
        let open = || browser.command(Method::POST, "", &capabilities(browser.home.path()));
        // On a busy machine Chromium may end while it starts; a browser that is missing is missing twice.
        let opened =
            open().or_else(|_| open()).unwrap_or_else(|error| panic!("{MISSING}\n{}", error.message));
        browser.session = format!("{}/{}", browser.session, opened["sessionId"].as_str().unwrap());
        let first = browser.command(Method::GET, "/window", &Value::Null).unwrap();
        browser.current = RefCell::new(first.as_str().unwrap().to_owned());
        Some(browser)
    }

    /// Returns the folder of downloads.
    pub(crate) fn downloads(&self) -> PathBuf {
        self.home.path().join("downloads")
    }

    /// Returns the window that the browser opened with.
    pub(crate) fn first_window(&self) -> String {
        self.current.borrow().clone()
    }

    /// Opens another window. Not a tab, because a tab in the background is not painted.
    pub(crate) fn new_window(&self) -> String {
        let opened = self.command(Method::POST, "/window/new", &json!({ "type": "window" })).unwrap();
        opened["handle"].as_str().unwrap().to_owned()
    }

    /// Sends a command to a window.
    pub(crate) fn send(
        &self,
        window: &str,
        method: Method,
        path: &str,
        body: &Value,
    ) -> Result<Value, WebDriverError> {
        if *self.current.borrow() != window {
            self.command(Method::POST, "/window", &json!({ "handle": window }))?;
            window.clone_into(&mut self.current.borrow_mut());
        }
        self.command(method, path, body)
    }

    fn command(&self, method: Method, path: &str, body: &Value) -> Result<Value, WebDriverError> {
        let url = format!("{}{path}", self.session);
        let answer = match method {
            Method::GET => self.agent.get(&url).call(),
            Method::DELETE => self.agent.delete(&url).call(),
            _ => self.agent.post(&url).header("Content-Type", "application/json").send(body.to_string()),
        };
        let text = answer
            .and_then(|mut answer| answer.body_mut().with_config().limit(64 << 20).read_to_string())
            .unwrap_or_else(|error| panic!("chromedriver does not answer {method} {path}: {error}"));
        let mut answer: Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("chromedriver answers {method} {path} with {text:?}: {error}"));
        let value = answer["value"].take();
        match value["error"].as_str() {
            None => Ok(value),
            Some(error) => {
                let message = value["message"].as_str().unwrap_or_default();
                let message = message.split("\n  (Session info").next().unwrap_or_default();
                Err(WebDriverError { error: error.to_owned(), message: message.to_owned() })
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends Chromium. The driver is killed when its field is dropped.
        let _ = self.agent.delete(&self.session).call();
    }
}

impl Element {
    /// Reads an element from an answer.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        value[ELEMENT].as_str().map(|id| Self(id.to_owned()))
    }

    /// Returns the element as an argument of a script.
    pub(crate) fn argument(&self) -> Value {
        json!({ ELEMENT: self.0 })
    }
}

/// A `chromedriver` process. Dropping it kills it.
struct Driver(Child);

impl Driver {
    /// Starts the driver and reads the port it listens on.
    fn start(home: &Path) -> (Self, u16) {
        let log = std::fs::File::create(home.join("chromedriver.log")).unwrap();
        let mut command = Command::new("chromedriver");
        command
            .args(["--port=0", "--log-level=WARNING"])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", home)
            .env("TMPDIR", home)
            .env("LANG", "C.UTF-8");
        let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).spawn();
        let mut driver =
            Self(started.unwrap_or_else(|error| panic!("{MISSING}\ncannot run chromedriver: {error}")));
        let mut told = BufReader::new(driver.0.stdout.take().unwrap());
        let mut all = String::new();
        loop {
            let from = all.len();
            let read = told.read_line(&mut all).unwrap_or(0);
            assert!(read > 0, "{MISSING}\nchromedriver ended at once: {all}");
            let port = all[from..].split_once("successfully on port ").map(|(_, port)| port.trim());
            if let Some(port) = port.and_then(|port| port.trim_end_matches('.').parse().ok()) {
                // The pipe is kept open, because the driver exits if it cannot write to it.
                std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
                return (driver, port);
            }
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the capabilities of the session to open.
fn capabilities(home: &Path) -> Value {
    let profile = format!("--user-data-dir={}", home.join("profile").display());
    let arguments = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--no-default-browser-check",
        "--no-proxy-server",
        "--force-device-scale-factor=1",
        "--window-size=1280,900",
        &profile,
    ];
    json!({ "capabilities": { "alwaysMatch": {
        "goog:chromeOptions": {
            "args": arguments,
            "prefs": { "download.default_directory": home.join("downloads") },
        },
        "goog:loggingPrefs": { "browser": "ALL" },
        "timeouts": { "script": PATIENCE_MS, "pageLoad": PATIENCE_MS, "implicit": 0 },
        // An unexpected dialog stays open, and the next command fails because of it.
        "unhandledPromptBehavior": "ignore",
    } } })
}
