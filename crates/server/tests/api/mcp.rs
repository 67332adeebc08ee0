//! The MCP server: what is listed and refused, that a call is the API's own act, and waiting for a decision.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use throughline_server::Sources;

use crate::support::{Call, Reply, Server, TASK, card_of, token};

const REVISIONS: [&str; 2] = ["2025-06-18", "2025-11-25"];

fn message(server: &Server, revision: &str, method: &str, params: Value) -> Call {
    server
        .post("/mcp")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", revision)
        .json(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

fn result(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.text());
    let answer = reply.json();
    assert!(answer.get("error").is_none(), "{answer:#}");
    answer["result"].clone()
}

async fn asked(server: &Server, method: &str, params: Value) -> Value {
    result(&message(server, REVISIONS[1], method, params).send().await)
}

async fn called(server: &Server, tool: &str, arguments: Value) -> Value {
    asked(server, "tools/call", json!({"name": tool, "arguments": arguments})).await
}

fn names(listed: &Value) -> BTreeSet<String> {
    let tools = listed["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

/// Starts a server whose one token has these scopes; returns the token too.
async fn with_token(scopes: &str) -> (Server, String) {
    let (text, hash) = throughline_server::auth::Token::mint("agent", [3; 24]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("throughline.toml");
    let settings =
        format!("[[tokens]]\nid = \"agent\"\nsha256 = \"{hash}\"\nprincipal = \"bot\"\nscopes = {scopes}\n");
    std::fs::write(&file, settings).expect("a file");
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    (Server::start(sources).await, text)
}

#[tokio::test]
async fn it_agrees_on_each_revision_and_keeps_no_session() {
    let server = Server::demo().await;
    for revision in REVISIONS {
        let asks = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let reply = message(&server, revision, "initialize", asks).send().await;
        assert_eq!(reply.header("mcp-session-id"), None);
        let agreed = result(&reply);
        assert_eq!(agreed["protocolVersion"], revision);
        assert_eq!(agreed["serverInfo"]["name"], "throughline");
        assert_eq!(
            agreed["capabilities"]["resources"].get("subscribe"),
            None,
            "there is no session to subscribe in"
        );
    }
    let newest = server
        .post("/mcp")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2026-07-28")
        .header("Mcp-Method", "tools/list")
        .json(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}
        }}}));
    let listed = result(&newest.send().await);
    assert_eq!(listed["cacheScope"], "private", "what a token may do is nobody else's");
}

#[tokio::test]
async fn each_tool_describes_itself_and_names_an_operation_that_there_is() {
    let server = Server::demo().await;
    let listed = asked(&server, "tools/list", json!({})).await;
    for tool in listed["tools"].as_array().expect("tools") {
        let name = &tool["name"];
        assert!(tool["description"].as_str().is_some_and(|text| text.len() > 40), "{name}");
        for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
            assert_eq!(schema["type"], "object", "{name}");
            let text = schema.to_string();
            assert!(!text.contains("#/components"), "{name}: a reference leads out of the schema");
            for reference in text.split("\"#/$defs/").skip(1) {
                let to = reference.split('"').next().expect("a name");
                assert!(schema["$defs"].get(to).is_some(), "{name}: there is no definition {to}");
            }
        }
        let properties = tool["inputSchema"]["properties"].as_object().expect("arguments");
        for (argument, schema) in properties {
            assert!(schema.get("type").is_some(), "{name}.{argument} hides its type: {schema}");
        }
        for needed in tool["inputSchema"]["required"].as_array().expect("a list") {
            assert!(properties.contains_key(needed.as_str().expect("a name")), "{name} needs {needed}");
        }
        let answers = tool["outputSchema"]["anyOf"].as_array().expect("answers");
        assert!(answers.len() >= 2, "{name} answers more than problems");
        let reads = tool["annotations"]["readOnlyHint"] == true;
        assert_eq!(properties.contains_key("idempotency_key"), !reads, "{name}");
    }
}

#[tokio::test]
async fn a_message_is_decided_and_a_key_counts_once() {
    for server in Server::on_each_store().await {
        let lane = json!({"conversation": "c1"});
        let asks = json!({"lane": lane, "text": "Which city?", "expected": "location", "asked_of": "ana"});
        let turn = called(&server, "ask", asks).await;
        assert_eq!(turn["isError"], false, "{turn:#}");
        let said =
            json!({"lane": lane, "actor": {"id": "ana"}, "text": "in Swansea", "idempotency_key": "k1"});
        let first = called(&server, "deliver_message", said.clone()).await;
        assert_eq!(first["structuredContent"]["applied"]["value"], "Swansea", "{first:#}");
        let again = called(&server, "deliver_message", said).await;
        assert_eq!(again["structuredContent"]["turn"], first["structuredContent"]["turn"]);
        let other =
            json!({"lane": lane, "actor": {"id": "ana"}, "text": "in Cardiff", "idempotency_key": "k1"});
        let refused = called(&server, "deliver_message", other).await;
        assert_eq!(
            (&refused["isError"], &refused["structuredContent"]["name"]),
            (&json!(true), &json!("idempotency.key_reused")),
            "{refused:#}"
        );
        let turn = first["structuredContent"]["turn"].as_str().expect("a turn");
        let why = called(&server, "why", json!({"turn": turn})).await;
        assert_eq!(why["structuredContent"]["reason"], "pending.applied", "{why:#}");
    }
}

#[tokio::test]
async fn without_a_token_it_answers_401_and_a_strangers_page_is_refused() {
    let (server, secret) = with_token("[\"lanes:read\"]").await;
    let list = || message(&server, REVISIONS[1], "tools/list", json!({}));
    let nobody = list().send().await;
    assert_eq!((nobody.status, nobody.header("www-authenticate")), (401, Some("Bearer")));
    assert_eq!(list().token("tlk_agent_00").send().await.status, 401);
    assert_eq!(list().token(&secret).header("Origin", "https://evil.example").send().await.status, 403);
    assert_eq!(list().token(&secret).host(Some("evil.example")).send().await.status, 403);
    let listed = result(&list().token(&secret).send().await);
    let reading = ["list_lanes", "list_messages", "list_pending", "read_lane", "why"];
    assert_eq!(names(&listed), reading.map(str::to_owned).into());
}

/// Every tool that the token's scopes do not reach is left out of the list, and calling it gives the API's own refusal.
#[tokio::test]
async fn what_a_token_may_not_do_is_not_listed_and_is_refused_in_the_apis_words() {
    let server = Server::demo().await;
    let all = names(&asked(&server, "tools/list", json!({})).await);
    let (server, secret) = with_token("[\"lanes:read\"]").await;
    let theirs =
        names(&result(&message(&server, REVISIONS[1], "tools/list", json!({})).token(&secret).send().await));
    assert!(theirs.is_subset(&all) && theirs.len() < all.len());
    let given = |tool: &str| match tool {
        "deliver_message" | "say" | "ask" => json!({"lane": {"conversation": "c"}, "text": "hello"}),
        "show_options" => {
            json!({"lane": {"conversation": "c"}, "scope": "chat", "scope_instance": "c", "options": [{"id": "a", "label": "A"}]})
        }
        "get_approval" => json!({"approval": "ap_1"}),
        "decide_approval" => json!({"approval": "ap_1", "version": 1, "decision": "approve"}),
        "get_effect" => json!({"effect": "fx_1"}),
        "report_effect" => json!({"effect": "fx_1", "outcome": "applied"}),
        _ => json!({}),
    };
    for tool in all.difference(&theirs) {
        let asks = json!({"name": tool, "arguments": given(tool)});
        let refused = result(&message(&server, REVISIONS[1], "tools/call", asks).token(&secret).send().await);
        assert_eq!(refused["isError"], true, "{tool}: {refused:#}");
        let problem = &refused["structuredContent"];
        assert_eq!(
            (problem["status"].as_u64(), &problem["name"]),
            (Some(403), &json!("auth.scope")),
            "{tool}: {refused:#}"
        );
        let text = refused["content"][0]["text"].as_str().expect("words");
        assert!(text.contains("lacks the scope"), "{tool}: {text}");
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_named_and_a_fault_of_the_protocol_is_one() {
    let server = Server::demo().await;
    let lane = json!({"conversation": "c"});
    for (tool, given, pointer) in [
        ("ask", json!({"lane": lane, "text": "x", "expected": "colour"}), "/expected"),
        ("ask", json!({"lane": lane, "text": "x", "expires": "soon"}), "/expires"),
        ("ask", json!({"lane": lane, "text": "x", "colour": "red"}), "/colour"),
        ("ask", json!({"lane": lane, "text": "x", "wait": "long"}), "/wait"),
        ("ask", json!({"lane": lane, "text": "x", "idempotency_key": "a b"}), "/idempotency_key"),
        ("read_lane", json!({}), "/lane"),
        ("read_lane", json!({"lane": 7}), "/lane"),
        ("get_approval", json!({"approval": "ap_1", "wait": -1}), "/wait"),
    ] {
        let refused = called(&server, tool, given.clone()).await;
        assert_eq!(refused["isError"], true, "{tool} {given}: {refused:#}");
        let problem = &refused["structuredContent"];
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{tool} {given}: {problem:#}");
        assert!(problem["status"].as_u64().is_some_and(|status| status < 500));
    }
    let unknown = message(&server, REVISIONS[1], "tools/call", json!({"name": "no_such", "arguments": {}}))
        .send()
        .await;
    assert_eq!(unknown.json()["error"]["code"], -32602);
    let unknown = message(&server, REVISIONS[1], "no/such", json!({})).send().await;
    assert!(unknown.status < 500, "{}", unknown.text());
    let broken = server
        .post("/mcp")
        .header("Accept", "application/json, text/event-stream")
        .header("Content-Type", "application/json");
    for bytes in [&b"{"[..], b"[]", b"7", b"{}", b"\xff"] {
        let reply = broken.clone().bytes(bytes.into()).send().await;
        assert!((400..500).contains(&reply.status), "{} {}", reply.status, reply.text());
    }
    let huge = json!({"lane": lane, "text": "x".repeat(300 * 1024)});
    assert_eq!(
        message(&server, REVISIONS[1], "tools/call", json!({"name": "say", "arguments": huge}))
            .send()
            .await
            .status,
        413
    );
    assert_eq!(server.get("/mcp").send().await.status, 405);
    assert_eq!(server.delete("/mcp").send().await.status, 405);
}

#[tokio::test]
async fn an_agent_waits_for_a_decision_that_a_person_takes() {
    let server = Server::demo().await;
    let said = json!({"lane": {"conversation": "c2"}, "actor": {"id": "ana"}, "text": TASK});
    let turn = called(&server, "deliver_message", said).await;
    let card = card_of(&turn["structuredContent"]);
    let id = card["id"].as_str().expect("an id");
    let before = called(&server, "get_approval", json!({"approval": id})).await["structuredContent"].clone();
    assert_eq!(before["state"], "pending");
    let waits = called(&server, "get_approval", json!({"approval": id, "wait": 20}));
    let approve = token(&card, "approve");
    let pressed = async { server.press("p1", "c2", "ana", &approve).await };
    let (after, _) = tokio::join!(waits, pressed);
    let after = &after["structuredContent"];
    assert_eq!((&after["state"], &after["decided"]["by"]), (&json!("approved"), &json!("ana")), "{after:#}");
    assert_eq!(after["payload_sha256"], before["payload_sha256"]);
    let second =
        called(&server, "decide_approval", json!({"approval": id, "version": 1, "decision": "reject"})).await;
    assert_eq!(second["structuredContent"]["name"], "press.consumed", "{second:#}");
}

#[tokio::test]
async fn resources_are_what_the_api_reads() {
    let server = Server::demo().await;
    let said = json!({"lane": {"conversation": "c3"}, "actor": {"id": "ana"}, "text": TASK});
    let turn = called(&server, "deliver_message", said).await["structuredContent"].clone();
    let (lane, approval) = (turn["lane"].as_str().expect("a lane"), card_of(&turn));
    let mut found = BTreeSet::new();
    let mut cursor = Value::Null;
    loop {
        let page = asked(
            &server,
            "resources/list",
            if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) },
        )
        .await;
        found.extend(
            page["resources"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|found| found["uri"].as_str().expect("an address").to_owned()),
        );
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let approval = format!("throughline://approvals/{}", approval["id"].as_str().expect("an id"));
    let of_lane = format!("throughline://lanes/{lane}");
    assert!(found.contains(&of_lane) && found.contains(&approval), "{found:?}");
    let templates = asked(&server, "resources/templates/list", json!({})).await;
    assert_eq!(templates["resourceTemplates"].as_array().map(Vec::len), Some(6));
    let why = format!("throughline://turns/{}/why", turn["turn"].as_str().expect("a turn"));
    for (uri, has) in [
        (of_lane.clone(), "\"option_sets\""),
        (format!("{of_lane}/pending"), "\"items\""),
        (format!("{of_lane}/context"), "#"),
        (approval, "\"payload_sha256\""),
        (why, "Decided by rung"),
    ] {
        let read = asked(&server, "resources/read", json!({"uri": uri})).await;
        let text = read["contents"][0]["text"].as_str().expect("text");
        assert!(text.contains(has), "{uri}: {text}");
    }
    for uri in [
        "throughline://lanes/ln_none",
        "throughline://nothing/1",
        "file:///etc/passwd",
        "throughline://lanes/..%2Fapprovals",
    ] {
        let reply = message(&server, REVISIONS[1], "resources/read", json!({"uri": uri})).send().await;
        assert_eq!(reply.json()["error"]["code"], -32002, "{uri}: {}", reply.text());
    }
    let wrong = message(&server, REVISIONS[1], "resources/list", json!({"cursor": "x"})).send().await;
    assert_eq!(wrong.json()["error"]["code"], -32602);
}
