//! A server for a test: the real binary on a free port, where it can be killed and restarted.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use ureq::Agent;

/// The time limit of waiting for a condition.
pub(crate) const PATIENCE: Duration = Duration::from_secs(40);

/// The installation to serve.
pub(crate) enum Kind {
    /// The demo, which also accepts these host names.
    Demo { names: Vec<String> },
    /// An installation with this configuration file.
    Configured(String),
}

/// A server and its data. Dropping it kills the server.
pub(crate) struct Server {
    /// The working directory, with the configuration, the store and the log.
    folder: TempDir,
    port: u16,
    kind: Kind,
    child: Option<Child>,
    agent: Agent,
}

/// Polls until there is a value. After [`PATIENCE`], panics with the last error.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut again: impl FnMut() -> Result<T, String>) -> T {
    let started = Instant::now();
    loop {
        match again() {
            Ok(found) => return found,
            Err(seen) if started.elapsed() > PATIENCE => {
                panic!("waited {PATIENCE:?} for {what}\nthere was: {seen}")
            }
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

impl Server {
    /// Starts a demo and waits until it is ready.
    pub(crate) fn start() -> Self {
        Self::of(Kind::Demo { names: Vec::new() })
    }

    /// Starts a demo with additional settings.
    pub(crate) fn with(settings: &str) -> Self {
        Self::of(Kind::Configured(format!("{settings}\n[server]\ndemo = true\n")))
    }

    /// Starts an installation and waits until it is ready.
    pub(crate) fn of(kind: Kind) -> Self {
        let port = crate::port::reserve();
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(PATIENCE))
            .build();
        let folder = tempfile::tempdir().unwrap();
        if let Kind::Configured(configuration) = &kind {
            std::fs::write(folder.path().join("throughline.toml"), configuration).unwrap();
        }
        let mut server = Self { folder, port, kind, child: None, agent: agent.into() };
        server.resume();
        server
    }

    /// Returns the program with arguments, to run in the server's directory.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let folder = self.folder.path();
        let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
        command
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder)
            .env("THROUGHLINE_SERVER__LISTEN", format!("127.0.0.1:{}", self.port));
        command
    }

    /// Returns the address of the server.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the port of the server.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Kills the server with SIGKILL.
    pub(crate) fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Restarts the server on the same port, with the same data.
    pub(crate) fn resume(&mut self) {
        let log = std::fs::File::options().create(true).append(true).open(self.log_file()).unwrap();
        let mut command = match &self.kind {
            Kind::Configured(_) => self.command(&["serve", "--quiet"]),
            Kind::Demo { names } => {
                let mut command = self.command(&["serve", "--demo", "--quiet", "--data", "."]);
                command.env("THROUGHLINE_SERVER__ALLOWED_HOSTS", format!("{names:?}"));
                command
            }
        };
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        self.child = Some(child);
        until("the server to be ready", || {
            let answer = self.agent.get(format!("{}/readyz", self.url())).call();
            match answer.map(|answer| answer.status().as_u16()) {
                Ok(200) => Ok(()),
                other => Err(format!("{other:?}\n{}", self.log())),
            }
        });
    }

    /// Returns the log so far.
    fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    /// Sends a GET request to the API.
    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Value {
        let mut answer = self.agent.get(format!("{}{path}", self.url())).call().unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Delivers an event and returns the answer with its turn.
    #[track_caller]
    pub(crate) fn event(&self, key: &str, body: &Value) -> Value {
        let request = self
            .agent
            .post(format!("{}/v1/events", self.url()))
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key)
            .header("Prefer", "wait=20");
        let mut answer = request.send(body.to_string()).unwrap();
        let text = answer.body_mut().read_to_string().unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{key}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// Returns the titles of all issues of the tracker.
    pub(crate) fn issues(&self) -> Vec<String> {
        let issues = self.get("/v1/tracker/issues?limit=200");
        let titles = issues["items"].as_array().unwrap().iter();
        titles.map(|issue| issue["title"].as_str().unwrap_or("?").to_owned()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
