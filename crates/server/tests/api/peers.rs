//! Other people's clients: readers of event streams follow ours, and the verifier of Standard Webhooks takes what we send.
//! `cargo xtask peers` installs them.

use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use crate::support::*;

/// Starts a script, and returns the lines that it prints.
fn script(name: &str, arguments: &[&str]) -> (Child, Lines<BufReader<ChildStdout>>) {
    let python =
        std::env::var("THROUGHLINE_PYTHON").expect("THROUGHLINE_PYTHON names a python with the clients");
    let path = format!("{}/tests/api/peers/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(python);
    command.arg(path).args(arguments).stdout(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("the script starts");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    (child, lines)
}

async fn line(lines: &mut Lines<BufReader<ChildStdout>>) -> String {
    let line = tokio::time::timeout(std::time::Duration::from_secs(30), lines.next_line()).await;
    line.expect("a line in time").expect("a line").expect("one more line")
}

async fn told(server: &Server) -> Vec<Value> {
    let page = server.get("/v1/events?after=0&limit=200").send().await.json();
    page["items"].as_array().expect("items").clone()
}

#[ignore = "needs the clients that `cargo xtask peers` installs"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_of_event_streams_follow_all_conversations() {
    let server = Server::demo().await;
    for n in 0..6 {
        server.say(&format!("k{n}"), &format!("c{}", n % 2), "ana", "/maro status").await;
    }
    let expected = told(&server).await;
    let address = format!("http://{}", server.address);
    let (mut child, mut lines) = script("follow.py", &[&address, &expected.len().to_string()]);
    for event in &expected {
        assert_eq!(line(&mut lines).await, event["id"].as_str().unwrap());
    }
    assert!(child.wait().await.unwrap().success());
    server.stopped().await;
}

/// Both secrets sign, and whoever knows only the older one verifies.
#[ignore = "needs the clients that `cargo xtask peers` installs"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_library_of_standard_webhooks_verifies_what_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let [new, old] =
        [("new", "C2FVsBQIhrscChlQIMV+b5sSYspob7oD"), ("old", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")].map(
            |(name, secret)| {
                let file = folder.path().join(name);
                std::fs::write(&file, format!("whsec_{secret}\n")).unwrap();
                file.display().to_string()
            },
        );
    let (_child, mut lines) = script("receive.py", &[&old]);
    let port = line(&mut lines).await;
    let webhook = format!(
        "[{{ name = \"agent\", url = \"http://127.0.0.1:{port}/\", secret_files = [\"{new}\", \"{old}\"], allow_loopback = true }}]"
    );
    let server = Server::start(demo().flag("webhooks", &webhook, "--set")).await;
    let test = server.post("/v1/webhooks/agent/test").header("Idempotency-Key", "t1").send().await.json();
    assert_eq!(test["delivered"], true, "{test}");
    assert!(line(&mut lines).await.ends_with(" test"));
    for n in 0..3 {
        server.say(&format!("k{n}"), "c1", "ana", "/maro status – „Grüße“").await;
    }
    for event in told(&server).await {
        let expected =
            format!("verified {} {}", event["id"].as_str().unwrap(), event["type"].as_str().unwrap());
        assert_eq!(line(&mut lines).await, expected);
    }
    server.stopped().await;
}
