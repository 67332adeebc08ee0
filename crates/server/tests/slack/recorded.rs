//! Payloads of others: those of the official clients' tests, and recorded deliveries. Each is taken, kept and survives.

use std::path::PathBuf;

use serde_json::Value;
use throughline_fakes::telegram::specs;

use crate::world::World;

/// Reads the sample payloads; none if the folder of specifications is not there.
#[expect(clippy::print_stderr, reason = "nobody should take a skipped test for a passed one")]
fn samples() -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let extracted = specs().join("slack/extracted-payloads/payloads.jsonl");
    for line in std::fs::read_to_string(extracted).unwrap_or_default().lines() {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        found.push((line["kind"].as_str().unwrap_or_default().to_owned(), line["payload"].clone()));
    }
    let mut folders = vec![specs().join("vercel-chat/packages/integration-tests/fixtures/replay")];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.starts_with("slack") {
                let text = std::fs::read_to_string(&path).expect("a file");
                let recorded: Value = serde_json::from_str(&text).expect("JSON");
                let values = recorded.as_object().into_iter().flatten();
                found.extend(values.filter(|(_, v)| v.is_object()).map(|(n, v)| (n.clone(), v.clone())));
            }
        }
    }
    if found.is_empty() {
        eprintln!("skipped: no sample payloads in {}", specs().display());
    }
    found
}

/// The path and the body by which Slack would deliver it; `None` for what only sockets carry.
fn request(kind: &str, payload: &Value) -> Option<(&'static str, &'static str, String)> {
    const FORM: &str = "application/x-www-form-urlencoded";
    let encode = |name: &str, value: &str| {
        form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish()
    };
    if kind.starts_with("socket_") {
        return None;
    }
    if payload["command"].is_string() {
        let mut form = form_urlencoded::Serializer::new(String::new());
        for (name, value) in payload.as_object()? {
            form.append_pair(name, value.as_str().unwrap_or_default());
        }
        return Some(("/slack/commands", FORM, form.finish()));
    }
    if payload["type"] == "event_callback" || payload["type"] == "url_verification" {
        return Some(("/slack/events", "application/json", payload.to_string()));
    }
    Some(("/slack/interactions", FORM, encode("payload", &payload.to_string())))
}

#[tokio::test(flavor = "multi_thread")]
async fn sl3_sample_payloads_are_taken_and_kept() {
    let w = World::over_http().await;
    let samples = samples();
    let mut taken = 0;
    for (kind, payload) in &samples {
        let Some((path, content, body)) = request(kind, payload) else { continue };
        let (status, answer) = w.slack.posts_signed(&w.url(path), content, &body).await.unwrap();
        assert_eq!(status, 200, "{kind}: {answer}\n{payload}");
        taken += 1;
    }
    assert!(samples.is_empty() || taken > 150, "{taken} of {}", samples.len());
    w.drafted().await;
}
