//! The end of a session before its time: signing out, and people who are out.

use serde_json::json;
use throughline_server::auth::Token;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::browser::*;
use crate::support::*;

/// Sends a request and reads until the answer contains a mark; returns the open connection.
async fn begun(call: &Call, mark: &str) -> (tokio::net::TcpStream, Vec<u8>) {
    let mut stream = call.connect().await;
    stream.write_all(&call.wire()).await.unwrap();
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains(mark) {
        assert_ne!(stream.read_buf(&mut read).await.unwrap(), 0, "{}", String::from_utf8_lossy(&read));
    }
    (stream, read)
}

/// Signing out in one tab ends every use of the session: other tabs, copies of the cookie, streams, polls; also after a
/// restart. Other sessions of the person go on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signing_out_ends_the_session_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let office = Office::new();
    let url = format!("sqlite:{}", folder.path().join("a.db").display());
    let sources = office.sources().flag("store.url", url, "--store");
    let server = Server::start(sources.clone()).await;
    let elsewhere = office.signed_in(&server, "ana").await;
    for way in ["link", "token"] {
        let browser = Browser::new(&server);
        if way == "link" {
            let page = browser.visit(&office.link(&server, "ana").await).await;
            browser.submit(&page, "/sign-in", &[]).await.html();
        } else {
            browser.post("/sign-in", &[("token", &office.narrow)]).await;
        }
        let page = browser.visit("/").await;
        let page = browser.say(&page, "/maro help").await;
        let lane = page.data("data-lane");
        let copied = browser.cookie().unwrap();
        let with = |call: Call| call.header("Cookie", &copied);
        let stream = with(server.get(&format!("/v1/lanes/{lane}/stream")));
        let (mut stream, mut streamed) = begun(&stream, "event: status").await;
        let polled = with(server.get(&format!("/v1/lanes/{lane}/events?after=1000000")));
        let after = polled.send().await.json()["items"][0]["data"]["revision"].as_u64().unwrap();
        let polling = with(server.get(&format!("/v1/lanes/{lane}/events?after={after}&wait=30")));
        let polling = tokio::spawn(async move { polling.send().await });

        browser.submit(&page, "/sign-out", &[]).await;
        stream.read_to_end(&mut streamed).await.unwrap();
        let polled = polling.await.unwrap();
        assert_eq!((polled.status, polled.problem().as_str()), (401, "TL-2107"), "{way}");
        for path in ["/v1/lanes".to_owned(), format!("/v1/lanes/{lane}"), format!("/v1/lanes/{lane}/stream")]
        {
            let reply = with(server.get(&path)).send().await;
            assert_eq!((reply.status, reply.problem().as_str()), (401, "TL-2107"), "{way} {path}");
        }
        assert_eq!(with(server.get("/")).send().await.status, 303, "{way}: a page asks to sign in");
        let csrf = page.field("csrf");
        let sent = [("csrf", csrf.as_str()), ("text", "hi"), ("key", "k"), ("c", &page.field("c"))];
        assert_eq!(with(form(&server, "/say", &sent)).send().await.status, 401, "{way}");
        // Signing out again, from another tab, changes nothing.
        assert_eq!(with(form(&server, "/sign-out", &sent)).send().await.status, 401, "{way}");
        assert_eq!(elsewhere.get("/v1/lanes").await.status, 200, "another session goes on");
    }
    let cookie = elsewhere.cookie().unwrap();
    let page = elsewhere.visit("/").await;
    elsewhere.submit(&page, "/sign-out", &[]).await;
    server.stopped().await;
    let server = Server::start(sources).await;
    // The cookie's name has the port of the server that set it.
    let cookie = format!("throughline-{}={}", server.address.port(), cookie.split_once('=').unwrap().1);
    let reply = server.get("/v1/lanes").header("Cookie", &cookie).send().await;
    assert_eq!((reply.status, reply.problem().as_str()), (401, "TL-2107"), "also after a restart");
    server.stopped().await;
}

/// A person who was barred or removed has no session, no link and no token any more; a guest keeps them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_barred_is_out_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("a.db").display());
    let key = folder.path().join("a.key");
    let (token, sha256) = Token::mint("doras", [9; 24]);
    let installation = |dora: &str| {
        let tokens = format!(
            "instance_key_file = {:?}\n[[tokens]]\nid = \"doras\"\nsha256 = \"{sha256}\"\nscopes = [\"events:write\", \"lanes:read\"]\nprincipal = \"dora\"\n",
            key.display().to_string()
        );
        let office = Office::with(&format!("{tokens}{dora}"));
        let sources = office.sources().flag("store.url", url.clone(), "--store");
        (office, sources)
    };
    let dora = |barred: &str| format!("[[users]]\nid = \"dora\"\n{barred}");
    let (office, sources) = installation(&dora(""));
    let server = Server::start(sources).await;
    let by_link = office.signed_in(&server, "dora").await.cookie().unwrap();
    let by_token = Browser::new(&server);
    by_token.post("/sign-in", &[("token", &token)]).await;
    let by_token = by_token.cookie().unwrap();
    server.stopped().await;
    for (why, counts) in [("guest", true), ("deactivated", false), ("left the company", false), ("", true)] {
        let barred = if why.is_empty() { String::new() } else { format!("barred = {why:?}\n") };
        let (office, sources) = installation(&dora(&barred));
        let server = Server::start(sources).await;
        let address = server.address.to_string();
        // The cookie's name has the port of the server that set it.
        let renamed = |cookie: &str| {
            let (_, value) = cookie.split_once('=').unwrap();
            format!("throughline-{}={value}", address.rsplit_once(':').unwrap().1)
        };
        for cookie in [&by_link, &by_token] {
            let reply = server.get("/v1/lanes").header("Cookie", &renamed(cookie)).send().await;
            assert_eq!(reply.status, if counts { 200 } else { 401 }, "{why:?} {}", reply.text());
        }
        assert_eq!(server.get("/v1/lanes").token(&token).send().await.status == 200, counts, "{why:?}");
        let asked = server.post("/v1/sign-in-links").token(&office.root).json(&json!({"user": "dora"}));
        assert_eq!(asked.send().await.status == 200, counts, "{why:?}");
        server.stopped().await;
    }
    let (_office, sources) = installation("");
    let server = Server::start(sources).await;
    let port = server.address.port();
    let cookie = format!("throughline-{port}={}", by_link.split_once('=').unwrap().1);
    let reply = server.get("/v1/lanes").header("Cookie", &cookie).send().await;
    assert_eq!(reply.problem(), "TL-2107", "a person who is no longer configured is out");
    server.stopped().await;
}
