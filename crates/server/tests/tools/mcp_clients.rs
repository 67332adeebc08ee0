//! The MCP server with clients that we did not write: the kits for TypeScript and Python, and the inspector.

use serde_json::{Value, json};
use throughline_server::Sources;
use tokio::process::Command;

use crate::peers::python;
use crate::support::{Server, demo};

fn from_registry(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} names what `cargo xtask peers` installs"))
}

fn here(file: &str) -> String {
    format!("{}/tests/tools/peers/{file}", env!("CARGO_MANIFEST_DIR"))
}

/// Runs a program and returns what it prints.
async fn printed(command: &mut Command) -> String {
    let done =
        command.env("NO_PROXY", "127.0.0.1").kill_on_drop(true).output().await.expect("the program runs");
    let (out, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}\n{errors}");
    out.trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs peers from registries: cargo xtask peers"]
async fn the_kit_for_typescript_delivers_waits_asks_for_leave_and_reads() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("throughline.toml");
    let settings = "[[users]]\nid = \"bob\"\nroles = [\"lead\"]\n[[approvers]]\neffects = [\"host.act\"]\n\
        targets = [\"act:payments\"]\nallow = [\"role:lead\"]\n[[approvers]]\neffects = [\"tracker.*\"]\n\
        targets = [\"local:*\"]\nallow = [\"user:ana\"]\nself_approve = true\n";
    std::fs::write(&file, settings).unwrap();
    let server = Server::start(Sources { file: Some(file), ..demo() }).await;
    let address = format!("http://{}/mcp", server.address);
    let kit = from_registry("THROUGHLINE_MCP_SDK");
    let said = printed(Command::new("node").arg(here("mcp_client.mjs")).arg(address).arg(kit)).await;
    assert!(said.ends_with(" tools"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs peers from registries: cargo xtask peers"]
async fn the_kit_for_python_speaks_the_newest_revision_and_an_older_one() {
    let server = Server::demo().await;
    let address = format!("http://{}/mcp", server.address);
    let said = printed(Command::new(python()).arg(here("mcp_client.py")).arg(address)).await;
    assert_eq!(said, "2026-07-28 2025-11-25");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs peers from registries: cargo xtask peers"]
async fn the_inspector_lists_calls_and_reads() {
    let server = Server::demo().await;
    let address = format!("http://{}/mcp", server.address);
    let inspector = from_registry("THROUGHLINE_MCP_INSPECTOR");
    let inspect = async |rest: &[&str]| -> Value {
        let mut command = Command::new("node");
        command.arg(&inspector).args(["--cli", &address, "--transport", "http"]).args(rest);
        serde_json::from_str(&printed(&mut command).await).expect("the inspector prints JSON")
    };
    let tools = inspect(&["--method", "tools/list"]).await;
    assert!(tools["tools"].as_array().is_some_and(|tools| tools.len() > 10), "{tools:#}");
    let lane = format!("lane={}", json!({"conversation": "inspector"}));
    let call =
        ["--method", "tools/call", "--tool-name", "say", "--tool-arg", &lane, "--tool-arg", "text=Hello"];
    let said = inspect(&call).await;
    assert_eq!(said["structuredContent"]["reason"], "assistant.posted", "{said:#}");
    let uri = format!("throughline://lanes/{}", said["structuredContent"]["lane"].as_str().expect("a lane"));
    let read = inspect(&["--method", "resources/read", "--uri", &uri]).await;
    assert_eq!(read["contents"][0]["uri"], uri.as_str(), "{read:#}");
    let listed = inspect(&["--method", "resources/list"]).await;
    assert_eq!(listed["resources"][0]["uri"], uri.as_str(), "{listed:#}");
}

/// The protocol's official suite. It asks for the tools, prompts and resources of its own example, which we do not have: a list
/// says which of its scenarios fail for that, and the run fails if it is no longer true.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs peers from registries: cargo xtask peers"]
async fn the_official_suite_finds_nothing_but_what_is_listed() {
    let server = Server::demo().await;
    let address = format!("http://{}/mcp", server.address);
    let suite = from_registry("THROUGHLINE_MCP_CONFORMANCE");
    let node = from_registry("THROUGHLINE_MCP_CONFORMANCE_NODE");
    let mut command = Command::new(node);
    command
        .arg(suite)
        .args(["server", "--url", &address, "--expected-failures"])
        .arg(here("conformance.yaml"));
    let said = printed(&mut command).await;
    assert!(said.contains("server-initialize: 1 passed, 0 failed"), "{said}");
}
