//! Random input to every route: never an answer 5xx, always a complete problem document, and the server keeps
//! running.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::support::*;

const ROUTES: [(&str, &str); 27] = [
    ("POST", "/v1/events"),
    ("POST", "/v1/agui"),
    ("GET", "/v1/turns/{}"),
    ("GET", "/v1/turns/{}/why"),
    ("GET", "/v1/lanes"),
    ("GET", "/v1/lanes/{}"),
    ("GET", "/v1/lanes/{}/pending"),
    ("GET", "/v1/lanes/{}/turns"),
    ("GET", "/v1/lanes/{}/messages"),
    ("GET", "/v1/approvals"),
    ("GET", "/v1/approvals/{}"),
    ("POST", "/v1/approvals/{}/decide"),
    ("GET", "/v1/effects"),
    ("GET", "/v1/effects/{}"),
    ("POST", "/v1/effects/{}/result"),
    ("POST", "/v1/effects/{}/resolve"),
    ("GET", "/v1/pause"),
    ("PUT", "/v1/pause"),
    ("POST", "/v1/replay"),
    ("GET", "/v1/tracker/issues"),
    ("GET", "/v1/tracker/issues/{}"),
    ("GET", "/v1/openapi.json"),
    ("GET", "/livez"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
    ("GET", "/version"),
    ("DELETE", "/v1/{}"),
];

/// Generates JSON that mostly resembles a request.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        Just(json!("message.posted")),
        Just(json!("card.pressed")),
        Just(json!("assistant.posted")),
        Just(json!("form.submitted")),
        Just(json!("approve")),
        Just(json!("location")),
        Just(json!("2026-01-15T10:00:00Z")),
        any::<String>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    let name = prop::sample::select(vec![
        "lane",
        "threadId",
        "runId",
        "messages",
        "resume",
        "forwardedProps",
        "conversation",
        "channel",
        "thread",
        "actor",
        "id",
        "kind",
        "text",
        "press",
        "token",
        "form",
        "values",
        "assistant",
        "expected",
        "expires",
        "version",
        "decision",
        "paused",
        "reason",
        "level",
        "turn",
        "outcome",
        "remote",
        "key",
        "error",
        "event_id",
        "at",
        "message_id",
        "reply_to",
        "quote",
        "panel",
        "\u{0}",
        "ключ",
    ]);
    let tree = word.prop_recursive(4, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(name.clone().prop_map(ToOwned::to_owned), inner, 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    prop_oneof![
        4 => tree.prop_map(|value| value.to_string().into_bytes()),
        1 => (tree_text(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(mut text, at, byte)| {
            let at = at.index(text.len());
            text[at] = byte;
            text
        }),
        1 => prop::collection::vec(any::<u8>(), 0..300),
    ]
}

/// Generates a valid event, for mutation.
fn tree_text() -> impl Strategy<Value = Vec<u8>> {
    any::<String>().prop_map(|text| {
        json!({"lane": {"conversation": "c"}, "actor": {"id": "ana"}, "kind": "message.posted", "text": format!("x{text}")})
            .to_string()
            .into_bytes()
    })
}

/// Generates an id, a query or random text that fits in a request line.
fn segment() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("ln_atpfhd2dnan4hnneg4slqvhi".to_owned()),
        Just("key:k".to_owned()),
        Just("DEMO-1".to_owned()),
        "[!-~&&[^ ]]{1,40}",
        prop::collection::vec(any::<u8>(), 1..30)
            .prop_map(|bytes| bytes.iter().map(|byte| format!("%{byte:02X}")).collect()),
    ]
}

#[test]
fn no_input_to_any_route_is_a_server_error() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let server = runtime.block_on(Server::demo());
    let cases = (
        prop::sample::select(ROUTES.to_vec()),
        segment(),
        prop::option::of("[!-~&&[^ #]]{0,40}"),
        body(),
        prop::option::of("[!-~]{0,40}"),
        prop::sample::select(vec![
            "application/json",
            "application/json",
            "application/json",
            "text/plain",
            "x",
        ]),
    );
    let mut runner = TestRunner::new(Config {
        cases: Config::default().cases.max(2_000),
        max_shrink_iters: 200,
        ..Config::default()
    });
    let result = runner.run(&cases, |((method, route), segment, query, body, key, content)| {
        let query = query.map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{}{query}", route.replace("{}", &segment));
        let mut call = Call::new(server.address, method, &path).header("Content-Type", content);
        if let Some(key) = key {
            call = call.header("Idempotency-Key", &key);
        }
        if method != "GET" {
            call = call.bytes(body);
        }
        let reply = runtime.block_on(call.send());
        prop_assert!(reply.status < 500, "{method} {path}: {} {}", reply.status, reply.text());
        if reply.status >= 400 {
            reply.problem();
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    runtime.block_on(async {
        assert_eq!(server.get("/readyz").send().await.status, 200);
        server.stopped().await;
    });
}
