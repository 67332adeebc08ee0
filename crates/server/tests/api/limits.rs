//! Limits of requests: too large, too deep, too slow, not JSON, from elsewhere. Each gets a clear error, and nothing
//! is recorded.

use std::time::Duration;

use serde_json::json;
use tokio::io::AsyncWriteExt;

use crate::support::*;

async fn recorded(server: &Server) -> usize {
    server.get("/v1/lanes").send().await.json()["items"].as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_json_is_told_with_its_place() {
    let server = Server::demo().await;
    let call = |body: &[u8]| {
        let call = server
            .post("/v1/events")
            .header("Idempotency-Key", "k")
            .header("Content-Type", "application/json");
        call.bytes(body.to_vec())
    };
    for body in [b"".as_slice(), b"{", b"{\"a\":}", b"\xff\xfe", b"{}}", b"nul", b"{\"text\":\"\\ud800\"}"] {
        let reply = call(body).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (400, "TL-2001"), "{body:?}");
        assert!(reply.json()["detail"].as_str().unwrap().contains("line"), "{}", reply.text());
    }
    for (body, pointer) in [
        (json!([]), ""),
        (json!("text"), ""),
        (json!({"lane": {"conversation": "c"}, "kind": "message.posted", "text": 7}), "/text"),
        (json!({"lane": {"conversation": "c"}, "kind": "message.posted", "txt": "hi"}), "/txt"),
        (json!({"lane": {"conversation": "c"}, "kind": "message.posted"}), "/text"),
        (json!({"lane": {}, "kind": "message.posted", "text": "hi"}), "/lane/conversation"),
        (json!({"lane": {"conversation": "c"}, "kind": "card.pressed"}), "/press"),
    ] {
        let reply = call(body.to_string().as_bytes()).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (422, "TL-2006"), "{body}");
        assert_eq!(reply.json()["errors"][0]["pointer"], pointer, "{}", reply.text());
    }
    assert_eq!(recorded(&server).await, 0);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_and_deep_bodies_are_refused() {
    let server = Server::demo().await;
    let call =
        server.post("/v1/events").header("Idempotency-Key", "k").header("Content-Type", "application/json");
    let large = format!("{{\"text\":\"{}\"}}", "x".repeat(256 * 1024));
    let reply = call.clone().bytes(large.clone().into_bytes()).send().await;
    assert_eq!((reply.status, reply.problem().as_str()), (413, "TL-2003"));

    // Without a declared length it is refused while it streams.
    let mut stream = call.connect().await;
    let head = format!(
        "POST /v1/events HTTP/1.1\r\nHost: {}\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    for _ in 0..5 {
        let _ = stream.write_all(format!("10000\r\n{}\r\n", "x".repeat(0x10000)).as_bytes()).await;
    }
    assert_eq!(Reply::read(&mut stream).await.problem(), "TL-2003");

    for deep in [format!("{}{}", "[".repeat(65), "]".repeat(65)), "{\"lane\":".repeat(10_000)] {
        let reply = call.clone().bytes(deep.into_bytes()).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (400, "TL-2002"));
    }
    let text = json!({"lane": {"conversation": "c"}, "actor": {"id": "ana"}, "kind": "message.posted", "text": "y".repeat(40_001)});
    let reply = call.json(&text).send().await;
    assert_eq!((reply.status, &reply.json()["errors"][0]["pointer"]), (422, &json!("/text")));
    assert_eq!(recorded(&server).await, 0);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_media_types_paths_and_methods_are_refused() {
    let server = Server::demo().await;
    for content in
        [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("application/jsonx")]
    {
        let call = server.post("/v1/events").header("Idempotency-Key", "k").bytes(b"{}".to_vec());
        let call = content.map_or(call.clone(), |content| call.clone().header("Content-Type", content));
        assert_eq!(call.send().await.problem(), "TL-2005", "{content:?}");
    }
    for path in
        ["/nope", "/v1", "/v1/", "/v1/events/x", "/v2/events", "/v1/lanes/a/b/c", "//", "/v1/lanes/ln_x/nope"]
    {
        assert_eq!(server.get(path).send().await.problem(), "TL-2404", "{path}");
    }
    for (method, path) in [
        ("PUT", "/v1/events"),
        ("DELETE", "/v1/lanes"),
        ("PATCH", "/v1/pause"),
        ("POST", "/livez"),
        ("TRACE", "/v1/turns/x"),
    ] {
        let reply = Call::new(server.address, method, path).send().await;
        assert_eq!(reply.problem(), "TL-2405", "{method} {path}");
        assert!(reply.header("allow").is_some_and(|allow| !allow.is_empty()), "{method} {path}");
    }
    for query in ["?limit=0", "?limit=-1", "?limit=x", "?cursor=!", "?cursor=%FF", "?limit=1&limit=2"] {
        assert_eq!(server.get(&format!("/v1/lanes{query}")).send().await.problem(), "TL-2007", "{query}");
    }
    assert_eq!(server.get("/v1/lanes?limit=100000").send().await.status, 200, "a long page is cut");
    assert_eq!(server.get("/v1/lanes/%FF").send().await.problem(), "TL-2007");
    server.stopped().await;
}

// row: HT9
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_foreign_host_or_origin_reaches_nothing() {
    let sources = demo().flag("server.allowed_hosts", "bot.localhost", "--allow");
    let server = Server::start(sources).await;
    let port = server.address.port();
    let event = server.event("k1", &said("c1", "ana", "/maro help"));
    for host in [
        None,
        Some("evil.example"),
        Some(&format!("evil.example:{port}")),
        Some("127.0.0.1"),
        Some("localhost:1"),
        Some("127.0.0.1.evil.example"),
    ] {
        let reply = event.clone().host(host).send().await;
        assert!([400, 403].contains(&reply.status), "{host:?}");
        if reply.status == 403 {
            assert_eq!(reply.problem(), "TL-2105", "{host:?}");
        }
    }
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "file://",
        &format!("ftp://127.0.0.1:{port}"),
        "",
    ] {
        let reply = event.clone().header("Origin", origin).send().await;
        assert_eq!((reply.status, reply.problem().as_str()), (403, "TL-2106"), "{origin}");
    }
    let two = event.clone().header("Host", "evil.example").send().await;
    assert!(two.status >= 400);
    assert_eq!(recorded(&server).await, 0, "nothing was recorded");

    for host in [
        format!("localhost:{port}"),
        format!("LOCALHOST:{port}"),
        format!("[::1]:{port}"),
        "bot.localhost".into(),
        format!("bot.localhost:{port}"),
    ] {
        assert_eq!(server.get("/v1/lanes").host(Some(&host)).send().await.status, 200, "{host}");
    }
    let ours = server.get("/v1/lanes").header("Origin", &format!("http://localhost:{port}")).send().await;
    assert_eq!(ours.status, 200);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_clients_get_408() {
    let server = Server::demo().await;
    let call = server.event("k1", &said("c1", "ana", "/maro help"));
    let wire = call.wire();
    let head_end = wire.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    let (slow_head, slow_body) = tokio::join!(
        async {
            let mut stream = call.connect().await;
            stream.write_all(&wire[..20]).await.unwrap();
            Reply::read(&mut stream).await
        },
        async {
            let mut stream = call.connect().await;
            stream.write_all(&wire[..head_end + 5]).await.unwrap();
            Reply::read(&mut stream).await
        }
    );
    assert_eq!((slow_head.status, slow_body.status, slow_body.problem().as_str()), (408, 408, "TL-2004"));
    assert_eq!(slow_head.json()["code"], "TL-2004");
    assert_eq!(recorded(&server).await, 0);
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_is_kept_for_several_requests() {
    use tokio::io::AsyncReadExt;
    let server = Server::demo().await;
    let mut stream = server.get("/livez").connect().await;
    let request = format!("GET /livez HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    for pause in [0, 10, 6_000] {
        // Idle for longer than headers may take: an idle connection is allowed more time.
        tokio::time::sleep(Duration::from_millis(pause)).await;
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = [0; 1024];
        let length = stream.read(&mut answer).await.unwrap();
        assert_eq!(Reply::parse(&answer[..length]).status, 200, "after {pause} ms");
    }
    server.stopped().await;
}
