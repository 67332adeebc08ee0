//! Peers: programs of others, started on this machine and stopped with the test.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use throughline_server::{Config, Sources};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::support::{Reply, Server, demo_in};

/// Time that anything of a peer may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the Python interpreter that has both kits.
pub(crate) fn python() -> String {
    std::env::var("THROUGHLINE_PYTHON").expect("THROUGHLINE_PYTHON names a python that has a2a-sdk and mcp")
}

/// Returns the program of `server-everything`.
fn everything() -> String {
    std::env::var("THROUGHLINE_EVERYTHING").expect("THROUGHLINE_EVERYTHING names its dist/index.js")
}

fn here(file: &str) -> String {
    format!("{}/tests/tools/peers/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// Polls until it is true.
pub(crate) async fn until<F: Future<Output = bool>>(what: &str, mut is: impl FnMut() -> F) {
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while tokio::time::Instant::now() < deadline {
        if is().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it never came to pass that {what}");
}

/// Folder with the peers' input and notes, and the settings that name them.
pub(crate) struct Peers {
    pub(crate) folder: TempDir,
    settings: Vec<String>,
    running: Vec<Child>,
}

impl Peers {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), settings: Vec::new(), running: Vec::new() }
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    /// Returns the lines that a peer noted.
    pub(crate) fn noted(&self, file: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Writes input for a peer to a file.
    pub(crate) fn tell(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).unwrap();
    }

    pub(crate) fn forget(&self, file: &str) {
        let _ = std::fs::remove_file(self.path(file));
    }

    pub(crate) fn set(mut self, line: &str) -> Self {
        self.settings.push(line.into());
        self
    }

    /// Adds the kit's tool server as a child process.
    pub(crate) fn kit(self) -> Self {
        let line = format!(
            "mcp.kit = {{ command = {:?}, args = [{:?}, {:?}], env = [\"PATH\"] }}",
            python(),
            here("weather_server.py"),
            self.folder.path()
        );
        self.set(&line)
    }

    /// Adds the kit's tool server over HTTP.
    pub(crate) async fn kit_over_http(mut self) -> Self {
        let port = free();
        let folder = self.folder.path().to_owned();
        let mut command = Command::new(python());
        command.arg(here("weather_server.py")).arg(folder).arg(port.to_string());
        self.start(&mut command, port).await;
        self.set(&format!("mcp.kit = {{ url = \"http://127.0.0.1:{port}/mcp\", allow_loopback = true }}"))
    }

    /// Adds `server-everything` as a child process.
    pub(crate) fn everything(self) -> Self {
        let line = format!(
            "mcp.everything = {{ command = \"node\", args = [{:?}, \"stdio\"], env = [\"PATH\"] }}",
            everything()
        );
        self.set(&line)
    }

    /// Adds `server-everything` over HTTP. A preloaded script keeps it from listening on every address.
    pub(crate) async fn everything_over_http(mut self) -> Self {
        let port = free();
        let mut command = Command::new("node");
        command.arg("--require").arg(here("loopback.cjs")).arg(everything()).arg("streamableHttp");
        command.env("PORT", port.to_string());
        self.start(&mut command, port).await;
        self.set(&format!(
            "mcp.everything = {{ url = \"http://127.0.0.1:{port}/mcp\", allow_loopback = true }}"
        ))
    }

    /// Adds the kit's agent.
    pub(crate) async fn agent(self, binding: &str) -> Self {
        let port = free();
        let mut peers = self.agent_at(binding, port).await;
        peers = peers.set(&format!(
            "agents.writer = {{ url = \"http://127.0.0.1:{port}\", allow_loopback = true, risk = \"read\" }}"
        ));
        peers
    }

    /// Adds the kit's agent on a given port.
    pub(crate) async fn agent_at(mut self, binding: &str, port: u16) -> Self {
        let mut command = Command::new(python());
        command.arg(here("agent.py")).arg(port.to_string()).arg(self.folder.path()).arg(binding);
        self.start(&mut command, port).await;
        self
    }

    async fn start(&mut self, command: &mut Command, port: u16) {
        command.stdout(Stdio::null()).env("NO_PROXY", "127.0.0.1").kill_on_drop(true);
        self.running.push(command.spawn().unwrap());
        until("a peer listens", || async { TcpStream::connect(("127.0.0.1", port)).await.is_ok() }).await;
    }

    /// Stops the peer that was started last.
    pub(crate) async fn end_last(&mut self) {
        let mut child = self.running.pop().unwrap();
        child.kill().await.unwrap();
    }

    /// Starts a demo that knows the peers, over a database in the folder.
    pub(crate) async fn server(&self) -> Server {
        let file = self.path("throughline.toml");
        std::fs::write(&file, format!("{}\n", self.settings.join("\n"))).unwrap();
        let data: &Path = self.folder.path();
        Server::start(Sources { file: Some(file), ..demo_in(data) }).await
    }

    /// Returns the entries of one kind in the audit chain of the closed store: the subject and the actor of each.
    pub(crate) async fn on_record(&self, what: &str) -> Vec<String> {
        let config = Config::load(&demo_in(self.folder.path())).unwrap();
        let tenant = config.tenant.clone();
        let instance = throughline_server::open(config).await.unwrap();
        let rows = instance.store.audit(&tenant, 0, 100).await.unwrap();
        let rows = rows.iter().map(|(_, row)| serde_json::from_str::<Value>(row).unwrap());
        let said = |row: &Value, member: &str| row[member].as_str().unwrap_or_default().to_owned();
        rows.filter(|row| row["what"] == what)
            .map(|row| format!("{} by {}", said(&row, "target"), said(&row, "by")))
            .collect()
    }

    /// Starts the demo and pins everything.
    pub(crate) async fn pinned(&self) -> Server {
        let server = self.server().await;
        assert_eq!(pin(&server, "first").await.status, 200);
        server
    }
}

/// Pins all tools and agents.
pub(crate) async fn pin(server: &Server, key: &str) -> Reply {
    let body = serde_json::json!({});
    server.post("/v1/tools/pin").header("Idempotency-Key", key).json(&body).send().await
}

fn free() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
