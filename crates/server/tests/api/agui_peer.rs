//! AG-UI's own client against the server: `@ag-ui/client`, with its checks of every event and of their order.
//!
//! It comes from npm: `cargo xtask peers` installs it outside of the repository and runs this test.

use std::process::Stdio;

use tokio::process::Command;

use crate::support::Server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a client from npm: cargo xtask peers"]
async fn the_published_client_talks_to_it() {
    let description = std::env::var("THROUGHLINE_AGUI").expect("THROUGHLINE_AGUI names its package.json");
    let server = Server::demo().await;
    let script = format!("{}/tests/api/agui_client.mjs", env!("CARGO_MANIFEST_DIR"));
    let url = format!("http://{}/v1/agui", server.address);
    let mut command = Command::new("node");
    command.arg(script).arg(description).arg(url).env("NO_PROXY", "127.0.0.1").kill_on_drop(true);
    let ran = command.stdin(Stdio::null()).output().await.expect("there is node");
    let [out, err] = [&ran.stdout, &ran.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert!(ran.status.success() && out.contains("every event"), "{out}\n{err}");
    server.stopped().await;
}
