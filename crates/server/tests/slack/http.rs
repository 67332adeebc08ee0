//! Deliveries over HTTP: who may deliver, and what is answered.

use throughline_engine::Timestamp;
use throughline_fakes::slack::{FakeSlack, sign};
use throughline_store::Clock as _;

use crate::world::World;

struct Request<'a> {
    timestamp: Option<String>,
    signature: Option<String>,
    body: &'a [u8],
}

/// Posts with a blocking client in a thread of its own; returns status and body.
async fn post(url: String, request: Request<'_>) -> (u16, String) {
    let (timestamp, signature, body) = (request.timestamp, request.signature, request.body.to_vec());
    tokio::task::spawn_blocking(move || {
        let agent =
            ureq::Agent::new_with_config(ureq::Agent::config_builder().http_status_as_error(false).build());
        let mut post = agent.post(&url).header("content-type", "application/json");
        if let Some(timestamp) = timestamp {
            post = post.header("x-slack-request-timestamp", timestamp);
        }
        if let Some(signature) = signature {
            post = post.header("x-slack-signature", signature);
        }
        let mut answer = post.send(&body[..]).unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap_or_default())
    })
    .await
    .unwrap()
}

fn now() -> Timestamp {
    throughline_store::SystemClock::default().now()
}

#[tokio::test(flavor = "multi_thread")]
async fn sl1_only_slack_may_deliver() {
    let w = World::over_http().await;
    let url = w.url("/slack/events");
    let body = br#"{"type":"event_callback","event_id":"Ev1","event":{"type":"pin_added"}}"#;
    let text = std::str::from_utf8(body).unwrap();
    let seconds = now().0 / 1_000;
    let signed = |seconds: i64| Some(sign(FakeSlack::SIGNING_SECRET, &seconds.to_string(), text));
    let request =
        |timestamp: Option<String>, signature: Option<String>| Request { timestamp, signature, body };
    let of = |seconds: i64| request(Some(seconds.to_string()), signed(seconds));
    let upper = signed(seconds).unwrap().to_uppercase();
    for (name, sent, expected) in [
        ("valid", of(seconds), 200),
        ("valid again: a duplicate", of(seconds), 200),
        ("an old one", of(seconds - 302), 401),
        ("one of the future", of(seconds + 302), 401),
        ("within the window", of(seconds - 290), 200),
        ("no time", request(None, signed(seconds)), 401),
        ("no signature", request(Some(seconds.to_string()), None), 401),
        ("another time", request(Some((seconds - 1).to_string()), signed(seconds)), 401),
        ("no number", request(Some("abc".into()), signed(seconds)), 401),
        ("upper case", request(Some(seconds.to_string()), Some(upper)), 401),
        (
            "another scheme",
            request(Some(seconds.to_string()), signed(seconds).map(|s| s.replace("v0", "v1"))),
            401,
        ),
    ] {
        let (status, text) = post(url.clone(), sent).await;
        assert_eq!(status, expected, "{name}: {text}");
        assert_eq!(text.contains("TL-3304"), expected == 401, "{name}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sl2_an_address_is_verified_by_its_challenge() {
    let w = World::over_http().await;
    assert!(w.slack.verifies(&w.url("/slack/events")).await);
    let body = br#"{"type":"url_verification","challenge":"x"}"#;
    let (status, _) = post(w.url("/slack/events"), Request { timestamp: None, signature: None, body }).await;
    assert_eq!(status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_refused_and_never_an_error_of_ours() {
    let w = World::over_http().await;
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(70), "]".repeat(70));
    let event = |body: &[u8]| body.to_vec();
    for (path, body, expected) in [
        ("/slack/events", event(b"{}"), 200),
        ("/slack/events", event(b"{"), 400),
        ("/slack/events", event(b"[]"), 400),
        ("/slack/events", event(b""), 400),
        ("/slack/events", event(deep.as_bytes()), 400),
        ("/slack/interactions", event(b"payload={}"), 200),
        ("/slack/interactions", event(b"nothing=1"), 400),
        ("/slack/interactions", event(b"payload=%7B"), 400),
        ("/slack/commands", event(b""), 200),
        ("/slack/commands", event(b"text=%ff&command=/maro"), 200),
        ("/slack/nothing", event(b"{}"), 404),
    ] {
        let seconds = (now().0 / 1_000).to_string();
        let signature = Some(sign(FakeSlack::SIGNING_SECRET, &seconds, std::str::from_utf8(&body).unwrap()));
        let (status, text) =
            post(w.url(path), Request { timestamp: Some(seconds), signature, body: &body }).await;
        assert_eq!(status, expected, "{path} {:?}: {text}", String::from_utf8_lossy(&body));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_delivered_over_http_where_sockets_are_used() {
    let w = World::over_sockets().await;
    let (status, _) =
        post(w.url("/slack/events"), Request { timestamp: None, signature: None, body: b"{}" }).await;
    assert_eq!(status, 404);
}
