//! The stream and the long poll over all conversations: one order, no gap and no repetition, and nobody else's events.

use std::time::Duration;

use serde_json::{Value, json};
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::stream::Stream;
use crate::support::*;

/// The envelopes of a stream, in the order in which they came.
fn envelopes(stream: &Stream) -> Vec<Value> {
    let field = |block: &str, name: &str| {
        let prefix = format!("{name}: ");
        block.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::to_owned)
    };
    let envelope = |block: &str| {
        let envelope: Value = serde_json::from_str(&field(block, "data")?).unwrap();
        assert_eq!(field(block, "event"), envelope["type"].as_str().map(str::to_owned), "{block}");
        assert_eq!(field(block, "id"), envelope["id"].as_str().map(str::to_owned), "{block}");
        Some(envelope)
    };
    stream.text.split("\n\n").filter_map(envelope).collect()
}

async fn streamed(server: &Server, query: &str, last: Option<&str>) -> Vec<Value> {
    let mut stream = Stream::open(server, &format!("/v1/stream{query}"), last).await;
    assert!(stream.read().await, "it stays open");
    assert!(stream.text.starts_with(": here\n\nretry: 1000\n\n"), "{:?}", stream.text.get(..30));
    envelopes(&stream)
}

async fn polled(server: &Server, query: &str) -> Value {
    let reply = server.get(&format!("/v1/events{query}")).send().await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

fn items(told: &Value) -> Vec<Value> {
    told["items"].as_array().expect("items").clone()
}

fn id(envelope: &Value) -> &str {
    envelope["id"].as_str().unwrap_or_else(|| panic!("no id: {envelope:#}"))
}

/// Fills two conversations in turns.
async fn two_lanes(server: &Server) {
    let card = server.preview("c1").await;
    server.say("k1", "c2", "bob", "/maro status").await;
    server.press("k2", "c1", "bob", &token(&card, "approve")).await;
    server.press("k3", "c1", "ana", &token(&card, "approve")).await;
    server.say("k4", "c2", "bob", "/maro help").await;
    let settled = "the issue is there";
    eventually(settled, || async {
        !items(&server.get("/v1/tracker/issues").send().await.json()).is_empty()
    })
    .await;
}

/// Waits until nothing is added any more that is on its way.
async fn quiet(server: &Server) -> Vec<Value> {
    let mut before = streamed(server, "?after=0", None).await;
    loop {
        let after = streamed(server, "?after=0", None).await;
        if after.len() == before.len() {
            return after;
        }
        before = after;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_conversations_are_one_order_whoever_reads_and_wherever_they_go_on() {
    for server in Server::on_each_store().await {
        two_lanes(&server).await;
        let all = quiet(&server).await;
        let conversations: Vec<_> =
            all.iter().map(|told| told["place"]["conversation"].as_str().unwrap()).collect();
        let changes = conversations.windows(2).filter(|pair| pair[0] != pair[1]).count();
        assert!(changes >= 3, "{conversations:?}");
        let mut ids: Vec<&str> = all.iter().map(id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all.len(), "every event has an id of its own");

        let whole = polled(&server, "?after=0&limit=200").await;
        assert_eq!(items(&whole), all, "a poll tells the same");
        for (cut, envelope) in all.iter().enumerate() {
            let after = id(envelope);
            let (query, header) = match cut % 2 {
                0 => (String::new(), Some(after)),
                _ => (format!("?after={after}"), None),
            };
            assert_eq!(streamed(&server, &query, header).await, all[cut + 1..], "behind {after}");
            let rest = polled(&server, &format!("?after={after}&limit=200")).await;
            assert_eq!(items(&rest), all[cut + 1..], "behind {after}");
        }
        for limit in [1, 2, 7] {
            let (mut paged, mut after) = (Vec::new(), "0".to_owned());
            loop {
                let page = polled(&server, &format!("?after={after}&limit={limit}")).await;
                after = page["cursor"].as_str().unwrap().to_owned();
                if items(&page).is_empty() {
                    break;
                }
                assert!(items(&page).len() <= limit);
                paged.extend(items(&page));
            }
            assert_eq!(paged, all, "by {limit}");
        }
        server.stopped().await;
    }
}

/// Each lane's part of the stream is what the lane's own stream tells.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_envelope_says_where_and_holds_what_the_lanes_stream_holds() {
    for server in Server::on_each_store().await {
        two_lanes(&server).await;
        let all = quiet(&server).await;
        for conversation in ["c1", "c2"] {
            let ours: Vec<&Value> =
                all.iter().filter(|told| told["place"]["conversation"] == conversation).collect();
            let lane = ours[0]["lane"].as_str().unwrap();
            let events = items(&server.get(&format!("/v1/lanes/{lane}/events?after=0")).send().await.json());
            let events: Vec<_> = events.iter().filter(|event| event["event"] != "status").collect();
            // Approvals are of this stream alone.
            let shared = ours.iter().filter(|told| told["type"] != "approval");
            let told: Vec<_> = shared.map(|told| (&told["type"], &told["data"])).collect();
            let theirs: Vec<_> = events.iter().map(|event| (&event["event"], &event["data"])).collect();
            assert_eq!(told, theirs);
            let mut turn = Value::Null;
            for envelope in ours {
                if envelope["type"] == "turn" {
                    turn = envelope["data"].clone();
                }
                assert_eq!((&envelope["turn"], &envelope["at"]), (&turn["turn"], &turn["at"]));
                assert_eq!(
                    envelope["place"],
                    json!({"channel": "api", "conversation": conversation, "thread": ""})
                );
                assert_eq!(envelope["lane"], lane);
            }
        }
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kinds_are_left_out_and_the_cursor_goes_on() {
    let server = Server::demo().await;
    two_lanes(&server).await;
    let all = quiet(&server).await;
    for kinds in ["turn", "message", "card", "effect", "pending", "turn,effect", "pending,card,message"] {
        let wanted = |told: &&Value| kinds.split(',').any(|kind| told["type"] == kind);
        let expected: Vec<Value> = all.iter().filter(wanted).cloned().collect();
        assert!(!expected.is_empty(), "{kinds}");
        assert_eq!(streamed(&server, &format!("?after=0&kinds={kinds}"), None).await, expected, "{kinds}");
        let told = polled(&server, &format!("?after=0&kinds={kinds}&limit=200")).await;
        assert_eq!(items(&told), expected, "{kinds}");
        let rest = polled(&server, &format!("?after={}", told["cursor"].as_str().unwrap())).await;
        assert_eq!(items(&rest), [] as [Value; 0], "{kinds}: what was left out is behind the cursor");
    }
    for wrong in ["status", "turn,", "turn,x", ""] {
        for path in ["/v1/stream", "/v1/events"] {
            let reply = server.get(&format!("{path}?kinds={wrong}")).send().await;
            assert_eq!(reply.problem(), "TL-2007", "{wrong}");
        }
    }
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_cursor_it_begins_now() {
    for server in Server::on_each_store().await {
        server.say("k0", "c1", "ana", "/maro help").await;
        let now = polled(&server, "").await;
        assert_eq!(items(&now), [] as [Value; 0]);
        let mut live = Stream::open(&server, "/v1/stream", None).await;
        live.read().await;
        for n in 0..12 {
            let (conversation, text) = (format!("c{}", n % 3), format!("/maro status {n}"));
            server.say(&format!("live-{n}"), &conversation, "ana", &text).await;
        }
        live.read().await;
        let live = envelopes(&live);
        assert_eq!(live.iter().filter(|told| told["type"] == "turn").count(), 12);
        let places = |told: &[Value]| told.iter().map(|told| id(told).to_owned()).collect::<Vec<_>>();
        let later = polled(&server, &format!("?limit=200&after={}", now["cursor"].as_str().unwrap())).await;
        assert_eq!(places(&live), places(&items(&later)), "live and afterwards, it is the same");
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_poll_waits_for_any_conversation_and_no_longer() {
    let mut server = Server::demo().await;
    let now = polled(&server, "").await["cursor"].as_str().unwrap().to_owned();
    let polling = server.get(&format!("/v1/events?after={now}&wait=30&kinds=turn"));
    let waiting = tokio::spawn(async move { polling.send().await.json() });
    server.say("k1", "c7", "ana", "/maro status").await;
    let told = waiting.await.unwrap();
    assert_eq!(told["items"][0]["place"]["conversation"], "c7", "{told}");
    let after = told["cursor"].as_str().unwrap();
    let none = polled(&server, &format!("?after={after}&wait=1")).await;
    assert!(items(&none).iter().all(|told| told["type"] != "turn"), "{none}");
    let polling = server.get(&format!("/v1/events?after={}&wait=30", none["cursor"].as_str().unwrap()));
    let waiting = tokio::spawn(async move { polling.send().await });
    let mut stream = Stream::open(&server, "/v1/stream", None).await;
    assert!(stream.read().await);
    server.stop();
    let answer = tokio::time::timeout(Duration::from_secs(20), waiting).await.unwrap().unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(!stream.read().await, "it ended");
    server.stopped().await;
}

/// An effect that waits for the host comes first wherever somebody goes on, until it is reported.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn effects_that_wait_for_the_host_come_first() {
    let settings = |sources: Sources| sources.flag("api.delivery_host", "tracker.create", "--host");
    for server in Server::on_each_store_with(settings).await {
        let mut cards = Vec::new();
        for conversation in ["c1", "c2"] {
            let card = server.preview(conversation).await;
            server.press(&format!("k-{conversation}"), conversation, "ana", &token(&card, "approve")).await;
            cards.push(card);
        }
        let offers = |told: &[Value]| {
            let waits = |told: &&Value| told["id"].is_null();
            told.iter().filter(waits).cloned().collect::<Vec<_>>()
        };
        let told = streamed(&server, "", None).await;
        let offered = offers(&told);
        assert_eq!((offered.len(), told.len()), (2, 2), "{told:#?}");
        for (offer, conversation) in offered.iter().zip(["c1", "c2"]) {
            assert_eq!(
                (&offer["type"], &offer["data"]["class"]),
                (&json!("effect"), &json!("tracker.create"))
            );
            assert_eq!(offer["place"]["conversation"], conversation);
            assert!(offer["turn"].as_str().unwrap().starts_with("tn_"), "{offer}");
            let effect = server.get(&format!("/v1/effects/{}", offer["data"]["id"].as_str().unwrap()));
            assert_eq!(effect.send().await.json(), offer["data"]);
        }
        assert_eq!(offers(&items(&polled(&server, "").await)), offered);
        assert_eq!(offers(&streamed(&server, "?kinds=turn", None).await), [] as [Value; 0]);
        let whole = streamed(&server, "?after=0", None).await;
        assert_eq!(offers(&whole), [] as [Value; 0], "what is told in its place is not told twice");
        let effects = whole.iter().filter(|told| told["data"]["class"] == "tracker.create").count();
        assert_eq!(effects, 2);

        let first = offered[0]["data"]["id"].as_str().unwrap();
        let applied = json!({"outcome": "applied", "remote": {"key": "W-1", "url": "https://t.example/W-1"}});
        assert_eq!(server.report("r1", first, &applied).await.status, 200);
        eventually("one is left", || async {
            let left = offers(&streamed(&server, "", None).await);
            left.len() == 1 && left[0]["place"] == offered[1]["place"]
        })
        .await;
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cursor_from_the_future_is_reset_and_nonsense_is_refused() {
    for server in Server::on_each_store().await {
        server.say("k1", "c1", "ana", "/maro help").await;
        let end = polled(&server, "").await["cursor"].clone();
        for ahead in ["4611686018427387904", "4611686018427387904-3"] {
            let told = streamed(&server, &format!("?after={ahead}"), None).await;
            assert_eq!(told.len(), 1, "{told:#?}");
            assert_eq!(
                (&told[0]["type"], &told[0]["id"], &told[0]["data"]),
                (&json!("reset"), &end, &json!({}))
            );
            let told = polled(&server, &format!("?after={ahead}&kinds=card")).await;
            assert_eq!((&told["items"][0]["type"], &told["cursor"]), (&json!("reset"), &end));
        }
        for wrong in ["x", "1-", "-1", "1-1-1", "1.0", "99999999999999999999"] {
            for path in ["/v1/stream", "/v1/events"] {
                let reply = server.get(&format!("{path}?after={wrong}")).send().await;
                assert_eq!(reply.problem(), "TL-2007", "{wrong}");
            }
        }
        server.stopped().await;
    }
}

/// A reader of their own lanes follows these; one who reads all of a tenant follows that tenant, and nobody follows another.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_is_told_what_they_may_read() {
    let mut text = "tenant = \"acme\"\n".to_owned();
    let mut byte = 0;
    let mut mint = |id: &str, tenant: &str, app: &str, principal: &str, scopes: &str| {
        byte += 1;
        let (token, hash) = Token::mint(id, [byte; 24]);
        text.push_str(&format!(
            "[[tokens]]\nid = \"{id}\"\nsha256 = \"{hash}\"\ntenant = \"{tenant}\"\napp = \"{app}\"\nprincipal = \"{principal}\"\n\
             scopes = [{scopes}]\n"
        ));
        token
    };
    let own = "\"events:write\", \"lanes:read\"";
    let all = format!("{own}, \"lanes:read_all\"");
    let ana = mint("ana", "acme", "bot", "ana", own);
    let bob = mint("bob", "acme", "bot", "bob", own);
    let reader = mint("reader", "acme", "bot", "eve", &all);
    let app = mint("app", "acme", "shop", "eve", &all);
    let other = mint("other", "other", "bot", "eve", &all);
    let mute = mint("mute", "acme", "bot", "eve", "\"events:write\"");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let server = Server::start(sources).await;
    for (n, (who, name, conversation)) in
        [(&ana, "ana", "c-ana"), (&bob, "bob", "c-bob"), (&other, "eve", "c-eve")].into_iter().enumerate()
    {
        let said = server.event(&format!("k{n}"), &said(conversation, name, "/maro help"));
        let reply = said.header("Prefer", "wait=10").token(who).send().await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let told = async |who: &str| {
        let told = server.get("/v1/events?after=0&kinds=turn").token(who).send().await.json();
        let mut conversations: Vec<_> = items(&told)
            .iter()
            .map(|told| told["place"]["conversation"].as_str().unwrap().to_owned())
            .collect();
        conversations.dedup();
        conversations
    };
    assert_eq!(told(&ana).await, ["c-ana"]);
    assert_eq!(told(&bob).await, ["c-bob"]);
    assert_eq!(told(&reader).await, ["c-ana", "c-bob"]);
    assert_eq!(told(&app).await, [] as [&str; 0]);
    assert_eq!(told(&other).await, ["c-eve"]);
    for path in ["/v1/stream", "/v1/events"] {
        let refused = server.get(path).token(&mute).send().await;
        assert_eq!((refused.status, refused.problem().as_str()), (403, "TL-2103"));
        assert_eq!(server.get(path).send().await.problem(), "TL-2101");
    }
    server.stopped().await;
}

/// Erased words are told no more, and every other event keeps its cursor.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn erased_words_are_not_told() {
    for server in Server::on_each_store().await {
        let turn = server.say("k1", "c1", "ana", "The kestrelgate opens at nine.").await;
        server.say("k2", "c2", "bob", "The marmotworth opens at ten.").await;
        let before = quiet(&server).await;
        let text = |told: &[Value]| told.iter().map(Value::to_string).collect::<String>();
        assert!(text(&before).contains("kestrelgate"));
        let lane = turn["lane"].as_str().unwrap();
        let erased = server.delete(&format!("/v1/lanes/{lane}")).header("Idempotency-Key", "e1").send().await;
        assert!(erased.status < 300, "{}", erased.text());
        eventually("it is erased", || async {
            !text(&streamed(&server, "?after=0", None).await).contains("kestrelgate")
        })
        .await;
        let after = quiet(&server).await;
        assert!(text(&after).contains("marmotworth"));
        for was in &before {
            let is = after.iter().find(|told| id(told) == id(was));
            let erased = was["place"]["conversation"] == "c1";
            match is {
                Some(is) => assert_eq!((&is["type"], &is["turn"]), (&was["type"], &was["turn"]), "{is:#}"),
                None => assert!(erased && was["type"] == "effect", "{was:#} lost its place"),
            }
            assert!(erased || is.is_some_and(|is| is["data"] == was["data"]), "{was:#}");
        }
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_of_all_conversations_count_like_those_of_one() {
    let server = Server::demo().await;
    let mut open = Vec::new();
    for _ in 0..100 {
        let mut stream = Stream::open(&server, "/v1/stream", None).await;
        stream.begun().await;
        open.push(stream);
    }
    let reply = server.get("/v1/stream").send().await;
    assert_eq!((reply.status, reply.problem().as_str()), (429, "TL-2205"));
    drop(open);
    server.stopped().await;
}
