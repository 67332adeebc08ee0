//! One owner of a store, with real processes: a second one that takes another way to the same file, and a file that goes
//! away under a running server.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use ureq::Agent;

use crate::home::Home;

struct Server {
    child: Child,
    url: String,
    agent: Agent,
}

impl Server {
    fn start(home: &Home, folder: &str) -> Self {
        let arguments = ["serve", "--demo", "--json", "--listen", "127.0.0.1:0", "--data", folder];
        let mut command = home.command(&arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let agent = Agent::config_builder().http_status_as_error(false).build().into();
        Self { child, url: told["url"].as_str().unwrap().to_owned(), agent }
    }

    /// Sends event `n` without waiting for its turn. Returns status and error code.
    fn says(&self, n: usize) -> (u16, String) {
        self.tries(n).expect("an answer")
    }

    /// Sends event `n` to a server that may be stopping. None if the connection ended.
    fn tries(&self, n: usize) -> Option<(u16, String)> {
        let event = json!({
            "lane": { "conversation": format!("c{}", n % 5) }, "kind": "message.posted", "text": format!("message {n}"),
        });
        let request = self.agent.post(format!("{}/v1/events", self.url));
        let request = request.header("Content-Type", "application/json");
        let mut answer =
            request.header("Idempotency-Key", format!("key-{n}")).send(event.to_string()).ok()?;
        let body: Value = serde_json::from_str(&answer.body_mut().read_to_string().ok()?).unwrap();
        Some((answer.status().as_u16(), body["code"].as_str().unwrap_or_default().to_owned()))
    }

    fn get(&self, path: &str) -> (u16, String) {
        let mut answer = self.agent.get(format!("{}{path}", self.url)).call().unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    }

    /// Waits for the turn of an event. The tests below ask this of every event that was accepted.
    fn has(&self, n: usize) -> bool {
        (0..400).any(|_| {
            let found = self.get(&format!("/v1/turns/key:key-{n}")).0 == 200;
            if !found {
                std::thread::sleep(std::time::Duration::from_millis(25));
            }
            found
        })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Tries to start a second server on that folder, which must end by itself with that code.
fn refused(home: &Home, folder: &str, code: &str) {
    let ran = home.run(&["serve", "--demo", "--listen", "127.0.0.1:0", "--data", folder]);
    assert!(ran.err.contains(code), "{folder}: {}", ran.session());
}

#[test]
fn no_second_process_writes_into_the_store() {
    let home = Home::new();
    let at = |name: &str| home.path().join(name);
    for folder in ["a", "link", "hard"] {
        fs::create_dir(at(folder)).unwrap();
    }
    let server = Server::start(&home, "a");
    symlink(at("a/throughline.db"), at("link/throughline.db")).unwrap();
    symlink(at("a"), at("folder")).unwrap();
    let mut accepted = Vec::new();
    let mut say = |server: &Server| {
        for _ in 0..20 {
            let n = accepted.len();
            assert!(matches!(server.says(n).0, 200 | 202));
            accepted.push(n);
        }
    };
    say(&server);
    for folder in ["a", "link", "folder"] {
        refused(&home, folder, "TL-6102");
    }
    assert!(!at("link/throughline.key").exists(), "a key is beside the database itself");
    fs::remove_file(at("a/throughline.db.lock")).unwrap();
    for folder in ["a", "link", "folder"] {
        refused(&home, folder, "TL-6102");
    }
    fs::hard_link(at("a/throughline.db"), at("hard/throughline.db")).unwrap();
    refused(&home, "hard", "TL-6102");
    say(&server);
    assert_eq!(server.get("/readyz").0, 200);
    let without: Vec<usize> = (0..40).filter(|n| !server.has(*n)).collect();
    assert_eq!(without, [0_usize; 0]);
    drop(server);

    refused(&home, "hard", "TL-6105");
    refused(&home, "a", "TL-6105");
    fs::remove_file(at("hard/throughline.db")).unwrap();
    let server = Server::start(&home, "link");
    say(&server);
    assert!((0..60).all(|n| server.has(n)), "by way of the link, the same events");
}

#[test]
fn a_store_that_goes_away_accepts_nothing() {
    let home = Home::new();
    let at = |name: &str| home.path().join(name);
    fs::create_dir(at("a")).unwrap();
    let server = Server::start(&home, "a");
    assert!(matches!(server.says(0).0, 200 | 202));
    assert!(server.has(0));
    fs::rename(at("a/throughline.db"), at("a/elsewhere")).unwrap();
    for n in 1..10 {
        assert_eq!(server.says(n), (503, "TL-6107".to_owned()));
    }
    let (status, body) = server.get("/readyz");
    assert!(status == 503 && body.contains("TL-6107"), "{status} {body}");
    fs::rename(at("a/elsewhere"), at("a/throughline.db")).unwrap();
    for n in 1..10 {
        assert!(matches!(server.says(n).0, 200 | 202), "it goes on when the file is back");
    }
    assert!((0..10).all(|n| server.has(n)));
    fs::copy(at("a/throughline.db"), at("a/copy")).unwrap();
    fs::rename(at("a/copy"), at("a/throughline.db")).unwrap();
    assert_eq!(server.says(10), (503, "TL-6107".to_owned()), "another file in its place");
    fs::remove_file(at("a/throughline.db")).unwrap();
    assert_eq!(server.says(10), (503, "TL-6107".to_owned()), "no file in its place");
}

/// The session in the file tells where no lock does: the loser stops, with its code.
#[test]
fn the_loser_of_a_store_stops() {
    let home = Home::new();
    fs::create_dir(home.path().join("a")).unwrap();
    let mut server = Server::start(&home, "a");
    assert!(matches!(server.says(0).0, 200 | 202));
    take_over(&home.path().join("a/throughline.db"));
    // It may have noticed by itself, and be on its way out or gone.
    if let Some((status, code)) = server.tries(1) {
        assert_eq!(status, 503);
        assert!(["TL-6106", "TL-2009"].contains(&code.as_str()), "{code}");
    }
    let code = server.child.wait().unwrap().code();
    assert!(code.is_some_and(|code| code != 0), "{code:?}");
}

/// Begins a session in the file as another process would that no lock had kept out.
fn take_over(path: &Path) {
    throughline_store::tamper(path, "UPDATE instance SET session = session + 1").unwrap();
}
