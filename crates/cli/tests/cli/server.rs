//! A running server: commands with `--server`, its lock on the store, and signals.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use crate::home::{BUG, Home};

/// `serve --demo` in a home folder. Dropping it kills the server.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(home: &Home) -> Self {
        Self::start_with(home, &[])
    }

    pub(crate) fn start_with(home: &Home, more: &[&str]) -> Self {
        let arguments = ["serve", "--demo", "--json", "--listen", "127.0.0.1:0"];
        let mut command = home.command(&[&arguments[..], more].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: serde_json::Value = serde_json::from_str(&line).unwrap();
        Self { child, url: told["url"].as_str().unwrap().to_owned() }
    }

    /// Sends a POST request with an idempotency key. Returns the JSON of the answer.
    pub(crate) fn post(&self, path: &str, key: &str, body: &str) -> serde_json::Value {
        serde_json::from_str(&self.sent(path, key, body)).unwrap_or_default()
    }

    /// Sends a POST request that changes nothing. Returns the body of the answer.
    pub(crate) fn post_text(&self, path: &str, body: &str) -> String {
        self.sent(path, "none", body)
    }

    /// Returns the JSON of a resource.
    pub(crate) fn get(&self, path: &str) -> serde_json::Value {
        serde_json::from_str(&self.request("GET", path, "", "")).unwrap()
    }

    fn sent(&self, path: &str, key: &str, body: &str) -> String {
        let headers =
            format!("Content-Type: application/json\r\nPrefer: wait=10\r\nIdempotency-Key: {key}\r\n");
        self.request("POST", path, &headers, body)
    }

    fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> String {
        use std::io::{Read as _, Write as _};
        let address = self.url.strip_prefix("http://").unwrap();
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all((head + body).as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 20"), "{body}: {answer}");
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// Stops the server with SIGTERM. Returns its exit code.
    pub(crate) fn terminate(mut self) -> i32 {
        signal(&self.child, "-TERM");
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

fn signal(child: &Child, signal: &str) {
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_store_of_a_running_instance_is_asked_through_it() {
    let home = Home::new();
    let server = Server::start(&home);
    assert!(home.run(&["lanes", "list"]).ends(0).err.contains("no lanes"));
    let chat = ["chat", "--no-input", "--session", "s1", "--server", &server.url];
    home.run_with(&chat, BUG, &[]).ends(0);
    let lanes = home.run(&["lanes", "list", "--json", "--server", &server.url]).ends(0).json();
    assert_eq!(lanes[0]["conversation"], "s1", "{lanes}");
    let lane = lanes[0]["id"].as_str().unwrap();
    let shown = home.run(&["lanes", "show", lane, "--json", "--server", &server.url]).ends(0).json();
    let turns = shown["turns"].as_array().unwrap();
    let asked = turns.iter().find(|turn| turn["event"] == "message.posted").unwrap();
    let turn = asked["turn"].as_str().unwrap();
    let why = home.run(&["why", turn, "--server", &server.url]).ends(0);
    assert!(why.out.contains("intent.rule"), "{}", why.session());
    home.run(&["replay", lane, "--server", &server.url]).ends(0);
    home.run(&["doctor", "--server", &server.url]).ends(0);
    // After the server has stopped, the store can be read, with the same results.
    assert_eq!(server.terminate(), 0);
    assert_eq!(home.run(&["lanes", "show", lane, "--json"]).ends(0).json(), shown);
    assert_eq!(home.run(&["why", turn]).ends(0).out, why.out);
    home.run(&["replay", lane]).ends(0);
    home.run(&["audit", "verify"]).ends(0);
}

#[test]
fn a_second_interrupt_leaves_at_once() {
    use std::io::Write as _;
    let home = Home::new();
    let mut command = home.command(&["serve", "--demo", "--json", "--listen", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: serde_json::Value = serde_json::from_str(&line).unwrap();
    let address = told["url"].as_str().unwrap().strip_prefix("http://").unwrap().to_owned();
    // Half a request is waited for when it stops.
    let mut half = std::net::TcpStream::connect(&address).unwrap();
    half.write_all(b"POST /v1/events HTTP/1.1\r\nHost: ").unwrap();
    // Connections are accepted in order: once a later one is answered, the incomplete one is open.
    home.run(&["doctor", "--server", &format!("http://{address}")]).ends(0);
    signal(&child, "-INT");
    let mut messages = BufReader::new(child.stderr.take().unwrap()).lines();
    let stopping = messages.by_ref().map_while(Result::ok).find(|line| line.starts_with("stopping"));
    assert!(stopping.is_some());
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn nobody_there_is_said_so() {
    let home = Home::new();
    let ran = home.run(&["lanes", "list", "--server", "http://127.0.0.1:9"]).ends(5);
    assert!(ran.err.contains("cannot reach http://127.0.0.1:9"), "{}", ran.session());
    home.run(&["lanes", "list", "--server", "ftp://x"]).ends(2);
}

#[test]
fn looking_leaves_nothing_behind() {
    let home = Home::new();
    let looks: [&[&str]; 8] = [
        &["context", "ln_1"],
        &["lanes", "list"],
        &["why", "tn_1"],
        &["replay", "ln_1"],
        &["audit", "verify"],
        &["effects", "list"],
        &["record", "ln_1"],
        &["effects", "resume"],
    ];
    for look in looks {
        let ran = home.run(look).ends(5);
        assert!(ran.err.contains("there is nothing at sqlite:throughline.db yet"), "{}", ran.session());
    }
    home.run_with(&["doctor"], "", &[("THROUGHLINE_SERVER__LISTEN", "127.0.0.1:0")]).ends(0);
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn a_port_in_use_is_said_so() {
    let home = Home::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let ran = home.run(&["serve", "--demo", "--listen", &address]).ends(1);
    assert!(ran.err.contains("TL-1101"), "{}", ran.session());
}
