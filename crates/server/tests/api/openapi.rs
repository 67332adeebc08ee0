//! Published OpenAPI document: it equals the checked-in copy, lists every route, and its examples are what it describes and
//! what the server takes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use throughline_server::auth::{Scope, Token};
use throughline_server::{Sources, openapi};

use crate::contract::{document, misfits, resolved};
use crate::support::*;

/// `THROUGHLINE_UPDATE=1 cargo test -p throughline-server --test api openapi` rewrites the checked-in document.
#[test]
fn the_checked_in_document_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let made = openapi();
    if std::env::var_os("THROUGHLINE_UPDATE").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "crates/server/openapi.json is not what the types say; set THROUGHLINE_UPDATE=1 and run this again"
    );
}

/// One method of one path.
#[derive(Clone, Copy)]
struct Operation {
    method: &'static str,
    path: &'static str,
    id: &'static str,
    value: &'static Value,
}

fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    for (path, methods) in document()["paths"].as_object().unwrap() {
        for (method, value) in methods.as_object().unwrap() {
            let id = value["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path} has no name"));
            all.push(Operation { method, path, id, value });
        }
    }
    all
}

fn operation(id: &str) -> Operation {
    operations().into_iter().find(|one| one.id == id).unwrap_or_else(|| panic!("there is no {id}"))
}

impl Operation {
    fn parameters(self) -> impl Iterator<Item = &'static Value> {
        self.value["parameters"].as_array().into_iter().flatten()
    }

    fn body(self) -> &'static Value {
        &self.value["requestBody"]["content"]["application/json"]
    }

    /// Returns the request of the examples, without the headers of a caller.
    fn call(self, server: &Server) -> Call {
        let mut path = self.path.to_owned();
        let mut query = Vec::new();
        let mut headers = Vec::new();
        for parameter in self.parameters() {
            let name = parameter["name"].as_str().unwrap();
            let example = text(&parameter["example"]);
            match parameter["in"].as_str().unwrap() {
                // A place in what was told, or listed, is another one each time.
                _ if matches!(name, "cursor" | "Last-Event-ID") => {}
                "path" => path = path.replace(&format!("{{{name}}}"), &example),
                "query" => query.push(format!("{name}={example}")),
                _ => headers.push((name, example)),
            }
        }
        let path = if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) };
        let mut call = Call::new(server.address, &self.method.to_uppercase(), &path);
        for (name, value) in headers {
            call = call.header(name, &value);
        }
        if self.body().is_object() { call.json(&self.body()["example"]) } else { call }
    }
}

/// Returns a value as a path or a query has it.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(several) => several.iter().map(text).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}

#[test]
fn every_operation_is_named_and_says_what_it_answers() {
    assert!(document()["openapi"].as_str().unwrap().starts_with("3.1"));
    let operations = operations();
    for operation in &operations {
        let Operation { id, value, path, .. } = operation;
        assert!(value["summary"].is_string() && value["tags"][0].is_string(), "{id}");
        assert!(value["security"].is_array(), "{id} does not say who may");
        for name in path.split(['{', '}']).skip(1).step_by(2) {
            assert!(
                operation.parameters().any(|p| p["name"] == name && p["in"] == "path"),
                "{id} does not say {name}"
            );
        }
        for parameter in operation.parameters() {
            assert!(parameter["description"].is_string(), "{id}: {parameter}");
        }
        for (status, response) in value["responses"].as_object().unwrap() {
            let response = resolved(response);
            assert!(response["description"].is_string(), "{id} {status}");
            assert!(response["headers"]["Throughline-Request"].is_object(), "{id} {status}");
        }
    }
    assert_eq!(operations.len(), 65);
}

#[test]
fn every_example_is_what_it_is_an_example_of() {
    for operation in operations() {
        let id = operation.id;
        for parameter in operation.parameters() {
            let (name, example) = (&parameter["name"], &parameter["example"]);
            assert!(!example.is_null(), "{id}: {name} has no example");
            let wrong = misfits(&parameter["schema"], example);
            assert!(wrong.is_empty(), "{id}: {name}: {wrong:?}");
        }
        let body = operation.body();
        if body.is_object() {
            let wrong = misfits(&body["schema"], &body["example"]);
            assert!(wrong.is_empty(), "{id}: {wrong:?}");
        }
        for (status, response) in operation.value["responses"].as_object().unwrap() {
            for (media, content) in resolved(response)["content"].as_object().unwrap() {
                assert!(!content["example"].is_null(), "{id} has no example of {status} as {media}");
                let wrong = misfits(&content["schema"], &content["example"]);
                assert!(wrong.is_empty(), "{id} {status} {media}: {wrong:?}");
            }
        }
    }
}

/// Operations in an order in which each finds what the ones before it made. An example that is not in it needs an
/// installation with a webhook, a tool or a bot, or follows what never ends.
const TOLD: [&str; 37] = [
    "postEvent",
    "getTurn",
    "getWhy",
    "listLanes",
    "getLane",
    "getPending",
    "listTurns",
    "listMessages",
    "pollLane",
    "pollTenant",
    "getContext",
    "listApprovals",
    "getApproval",
    "decideApproval",
    "listEffects",
    "getEffect",
    "listIssues",
    "getIssue",
    "stateFact",
    "listFacts",
    "eraseFact",
    "showOptions",
    "putFocus",
    "closeOptions",
    "renderContext",
    "postReplay",
    "putPause",
    "getPause",
    "postSignInLink",
    "listTools",
    "listWebhooks",
    "livez",
    "readyz",
    "version",
    "eraseSubject",
    "eraseLane",
    "eraseTenant",
];

/// Every answer is also compared with the document, as in every test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_examples_are_requests_that_the_server_takes() {
    let server = Server::demo().await;
    for id in TOLD {
        let reply = operation(id).call(&server).send().await;
        assert_eq!(reply.status, 200, "{id}: {}", reply.text());
    }
    server.stopped().await;
}

/// Returns a server and a token of each of these lists of scopes.
async fn with_tokens(scopes: &[Vec<Scope>]) -> (Server, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = String::from("tenant = \"acme\"\n");
    let mut tokens = Vec::new();
    for (n, scopes) in scopes.iter().enumerate() {
        let (token, hash) = Token::mint(&format!("t{n}"), [u8::try_from(n).unwrap(); 24]);
        let scopes: Vec<String> = scopes.iter().map(|scope| format!("{:?}", scope.as_str())).collect();
        settings.push_str(&format!(
            "[[tokens]]\nid = \"t{n}\"\nsha256 = \"{hash}\"\nscopes = [{}]\nprincipal = \"p{n}\"\n",
            scopes.join(", ")
        ));
        tokens.push(token);
    }
    let file = folder.path().join("throughline.toml");
    fs::write(&file, settings).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    (Server::start(sources).await, tokens)
}

/// Tokens with the scopes of an operation are not refused for their scopes, and without one of them they are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_scopes_of_every_operation_are_those_it_needs() {
    let mut lists: Vec<Vec<Scope>> = vec![Vec::new()];
    let mut tried = Vec::new();
    for one in operations() {
        for way in one.value["security"].as_array().unwrap() {
            let Some(names) = way["bearer"].as_array().filter(|names| !names.is_empty()) else { continue };
            let scopes: Vec<Scope> =
                names.iter().map(|name| name.as_str().unwrap().parse().expect("a scope")).collect();
            let without =
                scopes.iter().map(|left| scopes.iter().copied().filter(|one| one != left).collect());
            let lists_of: Vec<Vec<Scope>> = std::iter::once(scopes.clone()).chain(without).collect();
            let places = lists_of.into_iter().map(|list| {
                lists.iter().position(|known| *known == list).unwrap_or_else(|| {
                    lists.push(list);
                    lists.len() - 1
                })
            });
            let places: Vec<usize> = places.collect();
            // Whoever operates has a role besides, which a token of these tests has not.
            let enough = !(matches!(one.id, "putPause" | "postReplay") && scopes == [Scope::EffectsResolve]);
            tried.push((one, places, enough));
        }
    }
    let (server, tokens) = with_tokens(&lists).await;
    assert!(tried.len() > 45);
    for (one, places, enough) in tried {
        if matches!(one.id, "streamTenant") {
            continue; // Its answer does not end.
        }
        for (n, place) in places.iter().enumerate() {
            let reply =
                one.call(&server).header("Authorization", &format!("Bearer {}", tokens[*place])).send().await;
            let refused = reply.status == 403 && reply.json()["code"] == "TL-2103";
            assert_eq!(
                refused,
                n > 0 || !enough,
                "{} with {:?}: {} {}",
                one.id,
                lists[*place],
                reply.status,
                reply.text()
            );
        }
    }
    server.stopped().await;
}

/// Compares, for every character, what a schema allows of an id, a text and a name with what the server takes.
#[test]
fn the_patterns_of_the_document_are_those_of_the_parser() {
    use throughline_channels::api::EventRequest;
    let schemas = &document()["components"]["schemas"];
    let event = |member: &str, text: &str| {
        let mut event = json!({"lane": {"conversation": "c"}, "actor": {"id": "a"}, "kind": "message.posted", "text": "x"});
        match member {
            "conversation" => event["lane"]["conversation"] = text.into(),
            "name" => event["actor"]["name"] = text.into(),
            member => event[member] = text.into(),
        }
        let taken = EventRequest::from_json(event.to_string().as_bytes()).unwrap().normalise(context());
        (taken.is_ok(), misfits(&json!({"$ref": "#/components/schemas/EventBody"}), &event).is_empty())
    };
    assert!(schemas["EventBody"].is_object());
    // Blanks and what is invisible are in these ranges; of the rest, some.
    let all = (0..0x600_u32)
        .chain(0x1680..0x1690)
        .chain(0x2000..0x2080)
        .chain(0x3000..0x3010)
        .chain(0xfe00..=0xffff);
    for character in all.chain([0x4e00, 0x1_f600, 0x10_ffff]).filter_map(char::from_u32) {
        for member in ["conversation", "text", "quote", "name"] {
            let (taken, allowed) = event(member, &character.to_string());
            assert_eq!(taken, allowed, "{member} {character:?}");
        }
    }
    for (member, longest) in
        [("conversation", 255), ("message_id", 255), ("name", 255), ("text", 40_000), ("quote", 40_000)]
    {
        for (length, fits) in [(longest, true), (longest + 1, false)] {
            assert_eq!(event(member, &"ß".repeat(length)), (fits, fits), "{member} {length}");
        }
    }
}

fn context() -> throughline_channels::api::Context {
    throughline_channels::api::Context {
        tenant: "t".into(),
        app: "a".into(),
        key: "k".into(),
        received_at: throughline_engine::Timestamp(0),
        default_actor: None,
    }
}
