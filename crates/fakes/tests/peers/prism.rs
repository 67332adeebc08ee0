//! Prism, a proxy that compares calls and answers with a published description.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Map, Value, json};
use throughline_fakes::telegram::specs;
use tokio::process::{Child, Command};

/// Returns the published description without the content of answers that have none: it says that they are any JSON, and
/// Prism insists on that.
fn without_empty_answers(text: &str) -> String {
    let mut document: Value = serde_json::from_str(text).unwrap();
    let paths = document["paths"].as_object_mut().unwrap().values_mut();
    let operations = paths.flat_map(|path| path.as_object_mut().unwrap().values_mut());
    for response in operations.filter_map(|one| one["responses"].as_object_mut()).flat_map(Map::values_mut) {
        if response["content"]["application/json"]["schema"] == json!({}) {
            response.as_object_mut().unwrap().remove("content");
        }
    }
    document.to_string()
}

/// Starts Prism before a server: it forwards calls, and answers 4xx or 5xx where a call or an answer is not as
/// published. Returns its address. `None` if the published description is not installed.
pub(crate) async fn prism(program: &str, behind: &str) -> Option<(Child, String)> {
    let text = std::fs::read_to_string(specs().join("jira/jira-cloud-v3.subset.openapi.json")).ok()?;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let document = std::env::temp_dir().join(format!("jira-{port}.json"));
    std::fs::write(&document, without_empty_answers(&text)).unwrap();
    let mut prism = Command::new(program);
    prism
        .args(["proxy", "--host", "127.0.0.1", "--port", &port.to_string(), "--errors"])
        .arg(document)
        .arg(behind);
    let prism = prism.stdout(Stdio::null()).stderr(Stdio::inherit()).kill_on_drop(true).spawn().unwrap();
    for _ in 0..1_200 {
        if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
            return Some((prism, format!("http://127.0.0.1:{port}")));
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("Prism does not listen");
}
