//! Streams of a lane: no gap and no repetition, wherever the connection broke.

use std::time::Duration;

use serde_json::{Value, json};
use throughline_server::Sources;
use throughline_server::auth::Token;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::*;

/// Event as received: id, name, data.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    id: String,
    name: String,
    data: Value,
}

/// Open stream.
pub(crate) struct Stream {
    socket: TcpStream,
    pub(crate) text: String,
    raw: Vec<u8>,
}

impl Stream {
    pub(crate) async fn open(server: &Server, path: &str, last: Option<&str>) -> Self {
        let mut socket = server.get(path).connect().await;
        let last = last.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\n{last}Accept: text/event-stream\r\n\r\n",
            server.address
        );
        socket.write_all(request.as_bytes()).await.unwrap();
        Self { socket, text: String::new(), raw: Vec::new() }
    }

    /// Reads until a moment of silence; returns false if the stream ended.
    pub(crate) async fn read(&mut self) -> bool {
        let mut open = true;
        let mut chunk = [0; 65_536];
        loop {
            match tokio::time::timeout(Duration::from_millis(150), self.socket.read(&mut chunk)).await {
                Ok(Ok(0)) | Ok(Err(_)) => {
                    open = false;
                    break;
                }
                Ok(Ok(length)) => self.raw.extend_from_slice(&chunk[..length]),
                Err(_) => break,
            }
        }
        self.text = String::from_utf8(Reply::parse(&self.raw).body).unwrap();
        open
    }

    /// Waits for the first bytes.
    pub(crate) async fn begun(&mut self) {
        self.socket.read_exact(&mut [0; 16]).await.unwrap();
    }

    fn events(&self) -> Vec<Told> {
        let field = |block: &str, name: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")));
            line.map(ToOwned::to_owned)
        };
        let told = |block: &str| {
            let data = serde_json::from_str(&field(block, "data")?).ok()?;
            Some(Told { id: field(block, "id")?, name: field(block, "event")?, data })
        };
        self.text.split("\n\n").filter_map(told).collect()
    }
}

/// Fills a lane with some history; returns the path of its stream.
async fn lane(server: &Server) -> String {
    let card = server.preview("c1").await;
    server.press("k1", "c1", "bob", &token(&card, "approve")).await;
    server.press("k2", "c1", "ana", &token(&card, "approve")).await;
    let turn = server.say("k3", "c1", "ana", "/maro status").await;
    format!("/v1/lanes/{}/stream", turn["lane"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_resumed_anywhere_misses_nothing_and_doubles_nothing() {
    for server in Server::on_each_store().await {
        let path = lane(&server).await;
        let mut whole = Stream::open(&server, &path, None).await;
        assert!(whole.read().await, "it stays open");
        assert!(whole.text.starts_with(": here\n\n"), "a comment comes at once: {:?}", &whole.text[..20]);
        let reply = Reply::parse(&whole.raw);
        assert_eq!((reply.status, reply.header("content-type")), (200, Some("text/event-stream")));
        let all = whole.events();
        let names: Vec<&str> = all.iter().map(|told| told.name.as_str()).collect();
        for name in ["turn", "message", "card", "effect"] {
            assert!(names.contains(&name), "{names:?}");
        }
        let mut ids: Vec<&str> = all.iter().map(|told| told.id.as_str()).collect();
        assert_eq!(ids.len(), all.len());
        ids.dedup();
        assert_eq!(ids.len(), all.len(), "every event has an id of its own");

        for cut in 0..all.len() {
            let id = all[cut].id.as_str();
            let by_header = cut % 2 == 0;
            let query = if by_header { path.clone() } else { format!("{path}?after={id}") };
            let header = by_header.then_some(id);
            let mut rest = Stream::open(&server, &query, header).await;
            rest.read().await;
            let expected: Vec<(&str, &str)> =
                all[cut + 1..].iter().map(|told| (told.id.as_str(), told.name.as_str())).collect();
            let events = rest.events();
            let got: Vec<(&str, &str)> =
                events.iter().map(|told| (told.id.as_str(), told.name.as_str())).collect();
            assert_eq!(got, expected, "behind {id}");
        }
        let mut of_turn = Stream::open(&server, &format!("{path}?after=1"), None).await;
        of_turn.read().await;
        assert_eq!(
            of_turn.events().first().map(|told| told.id.clone()),
            Some("2.0".into()),
            "a revision stands for its whole turn"
        );
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_happens_is_told_as_it_happens() {
    for server in Server::on_each_store().await {
        let path = lane(&server).await;
        let mut live = Stream::open(&server, &path, None).await;
        live.read().await;
        let before = live.events().len();
        for n in 0..20 {
            server.event(&format!("live-{n}"), &said("c1", "ana", &format!("/maro status {n}"))).send().await;
            server.event(&format!("else-{n}"), &said("c2", "ana", "/maro help")).send().await;
        }
        eventually("twenty turns are told", || async {
            let lane = server.get(path.trim_end_matches("/stream")).send().await.json();
            lane["waiting"] == 0
        })
        .await;
        live.read().await;
        let mut replayed = Stream::open(&server, &path, None).await;
        replayed.read().await;
        let (live, replayed) = (live.events(), replayed.events());
        let places = |events: &[Told]| {
            events.iter().map(|told| (told.id.clone(), told.name.clone())).collect::<Vec<_>>()
        };
        assert_eq!(places(&live), places(&replayed), "live and from the start, it is the same stream");
        assert_eq!(live[before..].iter().filter(|told| told.name == "turn").count(), 20);
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_place_ahead_of_the_lane_is_reset_and_nonsense_is_refused() {
    let server = Server::demo().await;
    let path = lane(&server).await;
    let mut ahead = Stream::open(&server, &path, Some("999.3")).await;
    ahead.read().await;
    let events = ahead.events();
    assert_eq!((events.len(), events[0].name.as_str()), (1, "reset"));
    assert_eq!(events[0].id, events[0].data["revision"].to_string());
    for wrong in ["x", "1.", "-1", "1.1.1"] {
        let reply = server.get(&format!("{path}?after={wrong}")).send().await;
        assert_eq!(reply.problem(), "TL-2007", "{wrong}");
    }
    assert_eq!(server.get("/v1/lanes/ln_nope/stream").send().await.problem(), "TL-2404");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_streams_and_no_more() {
    let server = Server::demo().await;
    let path = lane(&server).await;
    let mut open = Vec::new();
    for _ in 0..100 {
        let mut stream = Stream::open(&server, &path, Some("1")).await;
        let mut byte = [0; 16];
        stream.socket.read_exact(&mut byte).await.unwrap();
        open.push(stream);
    }
    let reply = server.get(&path).send().await;
    assert_eq!((reply.status, reply.problem().as_str()), (429, "TL-2205"));
    assert!(reply.header("retry-after").is_some());
    open.pop();
    eventually("a closed one makes room", || async {
        let mut stream = Stream::open(&server, &path, Some("1")).await;
        let mut bytes = [0; 12];
        stream.socket.read_exact(&mut bytes).await.unwrap();
        bytes == *b"HTTP/1.1 200"
    })
    .await;
    drop(open);
    server.stopped().await;
}

/// Streams count for whom they are opened, so that more tokens are not more streams, and nobody uses up those of others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_count_by_principal() {
    let mut text = String::new();
    let [first, second, bobs] =
        [("first", "ana"), ("second", "ana"), ("bobs", "bob")].map(|(id, principal)| {
            let (token, hash) = Token::mint(id, [7; 24]);
            text.push_str(&format!(
                "[[tokens]]\nid = \"{id}\"\nsha256 = \"{hash}\"\nprincipal = \"{principal}\"\n\
             scopes = [\"events:write\", \"lanes:read\", \"lanes:read_all\"]\n"
            ));
            token
        });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let server = Server::start(sources).await;
    let said = server.event("k1", &said("c1", "ana", "/maro help")).header("Prefer", "wait=10").token(&first);
    let path = format!("/v1/lanes/{}/stream", said.send().await.json()["lane"].as_str().unwrap());
    let mut open = Vec::new();
    for token in [&first, &second].into_iter().cycle().take(100) {
        let call = server.get(&path).token(token);
        let mut stream = call.connect().await;
        stream.write_all(&call.wire()).await.unwrap();
        stream.read_exact(&mut [0; 16]).await.unwrap();
        open.push(stream);
    }
    for token in [&first, &second] {
        assert_eq!(server.get(&path).token(token).send().await.problem(), "TL-2205");
    }
    let call = server.get(&path).token(&bobs);
    let mut stream = call.connect().await;
    stream.write_all(&call.wire()).await.unwrap();
    let mut bytes = [0; 12];
    stream.read_exact(&mut bytes).await.unwrap();
    assert_eq!(bytes, *b"HTTP/1.1 200");
    drop((open, stream));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_ends_when_the_instance_stops() {
    let mut server = Server::demo().await;
    let path = lane(&server).await;
    let mut stream = Stream::open(&server, &path, None).await;
    assert!(stream.read().await);
    server.stop();
    assert!(!stream.read().await, "it ended");
    assert_eq!(json!(stream.events().len() > 4), json!(true));
    server.stopped().await;
}
