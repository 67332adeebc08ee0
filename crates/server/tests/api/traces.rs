//! Spans as a collector receives them: over HTTP, read with the protocol's own types.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Known;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::json;
use throughline_engine::data::call::{CallOutcome, CallRequest};
use throughline_engine::data::effect::Attempt;
use throughline_fakes::model::{Behaviour, FakeModel};
use throughline_runtime::spans::TARGET;
use throughline_runtime::{Keys, NoFaults, Parts, Permit, Runtime, Worker};
use throughline_server::traces::SpanSender;
use throughline_server::{Config, Sources, open};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::support::*;

/// Words that people, tools and models say in here. None may leave in a span.
const SECRETS: [&str; 5] = ["manual", "Swansea", "drizzle", "ticket please", "sk-canary"];

/// Body of a request, with its authorization.
type Sent = (Option<String>, Bytes);

/// Collector.
#[derive(Clone, Default)]
struct Collector {
    /// Requests.
    got: Arc<Mutex<Vec<Sent>>>,
    /// True if it never answers.
    silent: bool,
}

impl Collector {
    /// Starts it; returns its address.
    async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let routes = Router::new().route("/v1/traces", post(Self::take)).with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        address
    }

    async fn take(State(this): State<Self>, headers: HeaderMap, body: Bytes) -> StatusCode {
        assert_eq!(headers["content-type"], "application/x-protobuf");
        let authorization = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
        this.got.lock().unwrap().push((authorization, body));
        if this.silent {
            pending::<()>().await;
        }
        StatusCode::OK
    }

    fn requests(&self) -> usize {
        self.got.lock().unwrap().len()
    }

    /// Decodes what arrived.
    fn spans(&self) -> Vec<Received> {
        let mut spans = Vec::new();
        for (_, body) in self.got.lock().unwrap().iter() {
            let request = ExportTraceServiceRequest::decode(body.clone()).expect("the protocol's message");
            for resource in request.resource_spans {
                let about = attributes(&resource.resource.as_ref().unwrap().attributes);
                assert_eq!(about["service.name"], "throughline");
                let scopes = resource.scope_spans.into_iter();
                spans.extend(scopes.flat_map(|scope| scope.spans).map(Received));
            }
        }
        spans
    }
}

/// Span that arrived.
#[derive(Clone, Debug)]
struct Received(Span);

impl Received {
    fn has(&self, name: &str) -> String {
        let attributes = attributes(&self.0.attributes);
        attributes.get(name).unwrap_or_else(|| panic!("no {name} in {attributes:?}")).clone()
    }

    fn is_child_of(&self, parent: &Self) -> bool {
        self.0.trace_id == parent.0.trace_id && self.0.parent_span_id == parent.0.span_id
    }
}

fn attributes(of: &[opentelemetry_proto::tonic::common::v1::KeyValue]) -> BTreeMap<String, String> {
    let text = |value: &Known| match value {
        Known::StringValue(text) => text.clone(),
        Known::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let value = |one: &opentelemetry_proto::tonic::common::v1::KeyValue| {
        one.value.as_ref().and_then(|value| value.value.as_ref()).map(text).unwrap_or_default()
    };
    of.iter().map(|one| (one.key.clone(), value(one))).collect()
}

#[track_caller]
fn only<'a>(spans: &'a [Received], name: &str, is: impl Fn(&Received) -> bool) -> &'a Received {
    let found: Vec<_> = spans.iter().filter(|span| span.0.name == name && is(span)).collect();
    let names: Vec<_> = spans.iter().map(|span| &span.0.name).collect();
    assert_eq!(found.len(), 1, "{name} of {names:?}");
    found[0]
}

/// Tool that answers at once.
struct Weather;

#[async_trait]
impl Worker for Weather {
    async fn work(&self, _: &CallRequest<'_>, _: Permit) -> Attempt<CallOutcome> {
        Attempt::Applied(CallOutcome::Said("drizzle".into()))
    }
}

/// Starts a server whose spans go to that address; the tool `weather` is played.
async fn traced(sources: Sources, collector: &str) -> (Server, SpanSender) {
    let sources = sources
        .flag("telemetry.traces.endpoint", collector, "--set")
        .flag("mcp.kit.command", "none-is-started", "--set")
        .flag("tools.weather.server", "kit", "--set")
        .flag("tools.weather.risk", "read", "--set")
        .flag("tools.weather.args.city", "text", "--set");
    let config = Config::load(&sources).unwrap();
    let sender = SpanSender::start(&config.telemetry.traces, Handle::current()).unwrap().unwrap();
    tracing_subscriber::registry().with(sender.layer()).init();
    let mut instance = open(config).await.unwrap();
    let mut ports = instance.runtime.ports().clone();
    ports.workers.insert("tool:weather".into(), Arc::new(Weather));
    instance.runtime = Arc::new(Runtime::new(Parts {
        store: instance.store.clone(),
        ports,
        policy: instance.config.policy.clone(),
        keys: Keys::new([7; 32]),
        faults: Arc::new(NoFaults),
        entropy: Arc::new(|| {
            let mut bytes = [0; 16];
            getrandom::fill(&mut bytes).unwrap();
            bytes
        }),
    }));
    (Server::run(instance).await, sender)
}

/// Stops the server, then sends what is left.
async fn ended(server: Server, sender: SpanSender) {
    server.stopped().await;
    tokio::task::spawn_blocking(|| sender.stop()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_one_trace_of_turns_effects_and_requests() {
    let collector = Collector::default();
    let (at, model) = (collector.start().await, FakeModel::start().await.unwrap());
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "Bearer sk-canary\n").unwrap();
    let sources = demo()
        .flag("telemetry.traces.authorization_file", key.to_str().unwrap(), "--set")
        .flag("models.default.kind", "openai-chat", "--set")
        .flag("models.default.base_url", model.url("v1"), "--set")
        .flag("models.default.model", "small-1", "--set")
        .flag("models.default.allow_loopback", "true", "--set");
    let (server, sender) = traced(sources, &at).await;
    let answer = json!({"contract": "tl-ask-1", "label": "ticket", "confidence": 95, "anchor": null});
    model.script(Behaviour::Say(answer.to_string()));

    let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let call = server.event("m1", &said("c1", "ana", "I would like the ticket please for this"));
    let asked = call.header("traceparent", caller).header("Prefer", "wait=10").send().await;
    assert_eq!((asked.status, model.calls()), (200, 1), "{}", asked.text());

    let card = server.preview("c2").await;
    server.press("p1", "c2", "ana", &token(&card, "approve")).await;
    server.say("w1", "c3", "ana", "run weather Swansea").await;
    eventually("the tool's answer is a turn", || async {
        server.get("/v1/effects?state=done").send().await.text().contains("tool.call")
    })
    .await;
    eventually("the issue is there", || async {
        server.get("/v1/effects?state=done").send().await.text().contains("tracker.create")
    })
    .await;
    ended(server, sender).await;
    let spans = collector.spans();

    // The request continues its caller's trace, and everything that follows from it is in that.
    let request = only(&spans, "throughline.request", |span| !span.0.parent_span_id.is_empty());
    assert_eq!(hex(&request.0.trace_id), "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(hex(&request.0.parent_span_id), "00f067aa0ba902b7");
    let ours = |span: &Received| span.0.trace_id == request.0.trace_id;
    let chat = only(&spans, "chat small-1", ours);
    assert_eq!(chat.has("gen_ai.provider.name"), "openai-chat");
    assert_eq!(chat.has("throughline.purpose"), "classify");
    assert!(chat.has("gen_ai.usage.input_tokens").parse::<u64>().unwrap() > 0);
    let asking = only(&spans, "throughline.effect", |span| chat.is_child_of(span));
    assert_eq!(
        (asking.has("throughline.class"), asking.has("throughline.state")),
        ("model.ask".into(), "done".into())
    );
    let first = only(&spans, "throughline.turn", |span| asking.is_child_of(span));
    assert_eq!(first.has("throughline.event.kind"), "message.posted");
    assert_eq!(asking.has("throughline.planned_by"), first.has("throughline.turn"));
    let second = only(&spans, "throughline.turn", |span| span.is_child_of(asking));
    assert_eq!(second.has("throughline.event.kind"), "effect.settled");
    assert!(!second.has("throughline.reason").is_empty() && !second.has("throughline.rung").is_empty());
    let commit = only(&spans, "throughline.commit", |span| span.is_child_of(second));
    assert!(commit.0.end_time_unix_nano >= commit.0.start_time_unix_nano);
    let intake = only(&spans, "throughline.intake", |span| span.is_child_of(request));
    assert_eq!(intake.has("throughline.outcome"), "new");

    // A tracker and a tool.
    let create = only(&spans, "tracker.create", |_| true);
    assert_eq!(create.has("throughline.tracker"), "local");
    let tool = only(&spans, "execute_tool weather", |_| true);
    assert_eq!(
        (tool.has("gen_ai.operation.name"), tool.has("gen_ai.tool.name")),
        ("execute_tool".into(), "weather".into())
    );
    for inner in [create, tool] {
        only(&spans, "throughline.effect", |span| inner.is_child_of(span));
    }

    for (authorization, body) in collector.got.lock().unwrap().iter() {
        assert_eq!(authorization.as_deref(), Some("Bearer sk-canary"));
        let text = String::from_utf8_lossy(body);
        assert!(SECRETS.iter().all(|secret| !text.contains(secret)), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_collector_that_never_answers_holds_up_nobody() {
    let collector = Collector { silent: true, ..Collector::default() };
    let at = collector.start().await;
    let (server, sender) = traced(demo(), &at).await;
    server.say("first", "c", "ana", "/maro help").await;
    // The exporter sends at the latest after some seconds; from then on it waits for an answer.
    eventually("a batch is under way", || async { collector.requests() == 1 }).await;
    // More spans than its queue takes, while nothing leaves it: whoever waited for room would stand here.
    for n in 0..20_000 {
        tracing::info_span!(target: TARGET, "throughline.test", n).in_scope(|| ());
    }
    for n in 0..40 {
        server.say(&format!("k{n}"), &format!("c{}", n % 7), "ana", "/maro help").await;
    }
    ended(server, sender).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_collector_turns_go_on() {
    // A port that nobody listens on.
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (server, sender) = traced(demo(), &format!("http://{closed}")).await;
    let turn = server.say("k1", "c1", "ana", "/maro help").await;
    assert_eq!(turn["decision"], "answered", "{turn:#}");
    ended(server, sender).await;
}

#[test]
fn nothing_is_sent_unless_it_is_configured_and_a_bad_address_is_refused() {
    let config = Config::load(&demo()).unwrap();
    assert_eq!(config.telemetry.traces.endpoint, None);
    let wrong = [
        ("endpoint", "collector:4317", "`telemetry.traces.endpoint`"),
        ("endpoint", "ftp://collector", "`telemetry.traces.endpoint`"),
        ("endpoint", "http://user:word@collector:4318", "`telemetry.traces.endpoint`"),
        ("percent", "101", "`telemetry.traces.percent`"),
    ];
    for (name, value, named) in wrong {
        let sources = demo().flag(&format!("telemetry.traces.{name}"), value, "--set");
        let error = Config::load(&sources).unwrap_err().to_string();
        assert!(error.contains(named) && !error.contains("word@"), "{error}");
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
