//! Tests of Redis beside the database: what it spares, and that nothing else depends on it.

use std::time::{Duration, Instant};

use throughline_engine::TurnId;

use super::test_redis::{LyingRedis, Redis};
use super::test_server::Server;
use super::{PostgresServer, PostgresStore, RedisServer};
use crate::conformance::block_on;
use crate::conformance::fixture::{accept, delivery, lane};
use crate::contract::{QueueLimit, TurnNews};
use crate::{Accepted, DeliveryIdentity, Inbox, InboxRow, News, Store};

const PATIENCE: Duration = Duration::from_secs(60);

fn join(server: &Server, redis: &str) -> PostgresStore {
    let redis = RedisServer { url: redis.into(), password: None };
    let server =
        PostgresServer { url: server.url("throughline"), redis: Some(redis), ..PostgresServer::default() };
    block_on(PostgresStore::connect(&server)).unwrap()
}

/// Asks again until there is a result, which takes a connection's time at most.
fn until<T>(what: &str, mut again: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(done) = again() {
            return done;
        }
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

fn is_linked(store: &PostgresStore) -> bool {
    store.shared.redis.as_ref().unwrap().is_linked()
}

fn linked(store: &PostgresStore) {
    until("Redis is not reached", || is_linked(store).then_some(()));
}

fn recall(store: &PostgresStore, key: &str) -> Option<InboxRow> {
    block_on(store.recall(&DeliveryIdentity::new(lane("C1"), key))).unwrap()
}

fn turn(n: u64) -> News {
    News::Turn(TurnNews { lane: lane("C1"), revision: n, turn: TurnId(format!("tn_{n}")), names: Vec::new() })
}

/// Takes news of turns until the last one is among them.
fn turns_until(store: &PostgresStore, last: &News) -> Vec<News> {
    let mut all = Vec::new();
    while !all.contains(last) {
        let heard = block_on(store.news());
        all.extend(heard.into_iter().filter(|news| matches!(news, News::Turn(_))));
    }
    all
}

#[test]
fn a_delivery_that_one_process_accepted_is_recalled_by_the_other() {
    let (server, redis) = (Server::start(), Redis::start());
    let (first, second) = (join(&server, &redis.url()), join(&server, &redis.url()));
    linked(&first);
    linked(&second);
    assert_eq!(recall(&second, "a"), None);
    block_on(accept(&first, &lane("C1"), "a"));
    let known = until("the delivery is not recalled", || recall(&second, "a"));
    assert_eq!(Some(known), block_on(second.delivery("acme", "a")).unwrap());
    redis.say(&[&["FLUSHALL"]]);
    assert_eq!(recall(&second, "a"), None);
    let again = block_on(second.accept(delivery(&lane("C1"), "a"))).unwrap();
    assert!(matches!(again, Accepted::Duplicate(_)), "{again:?}");
    until("the delivery is not recalled", || recall(&first, "a"));
    redis.stop();
    until("Redis still counts as there", || {
        assert_eq!(block_on(second.recall(&DeliveryIdentity::new(lane("C1"), "b"))).unwrap(), None);
        (!is_linked(&second)).then_some(())
    });
    block_on(accept(&second, &lane("C1"), "b"));
    redis.resume();
    linked(&second);
}

// row: E36
#[test]
fn what_a_liar_says_is_looked_up() {
    let server = Server::start();
    let redis = LyingRedis::start();
    let (first, second) = (join(&server, &redis.url()), join(&server, &redis.url()));
    linked(&first);
    linked(&second);
    assert_eq!(recall(&first, "never sent"), None);
    let mut full = delivery(&lane("C1"), "refused");
    full.limit = Some(QueueLimit { max: 0, notice_key: "notice".into(), notice: "{}".into() });
    assert_eq!(block_on(first.accept(full)).unwrap(), Accepted::Full);
    assert_eq!(recall(&first, "refused"), None, "it is judged anew");
    // Whoever publishes through it reaches nobody. Turns are told by the database as well.
    (1..=3).for_each(|n| first.announce(turn(n)));
    assert_eq!(turns_until(&second, &turn(3)), [turn(1), turn(2), turn(3)]);
    assert!(redis.lies() >= 3, "{} lies", redis.lies());
}

#[test]
fn only_hints_come_by_redis() {
    let (server, redis) = (Server::start(), Redis::start());
    let store = join(&server, &redis.url());
    linked(&store);
    let name = block_on(store.own_name()).unwrap();
    let channel = format!("throughline:{name}:news");
    let say = |text: &str| redis.say(&[&["PUBLISH", &channel, text]]);
    say("nonsense");
    say("{\"from\":\"nobody\",\"news\":[\"changed\",\"missed\"]}");
    let one = serde_json::json!({ "from": "nobody", "news": [turn(1)] });
    say(&one.to_string());
    let mut heard = Vec::new();
    while !heard.contains(&turn(1)) {
        heard.extend(block_on(store.news()));
    }
    assert!(!heard.contains(&News::Changed), "{heard:?}");
}

#[test]
fn an_address_that_is_none_is_refused_and_one_that_does_not_answer_is_not() {
    let server = Server::start();
    let open = |url: &str| {
        let redis = Some(RedisServer { url: url.into(), password: Some("secret".into()) });
        let server = PostgresServer { url: server.url("throughline"), redis, ..PostgresServer::default() };
        block_on(PostgresStore::connect(&server))
    };
    assert!(open("redis://h:x").is_err());
    let store = open("redis://127.0.0.1:1").unwrap();
    assert_eq!(recall(&store, "a"), None);
    block_on(accept(&store, &lane("C1"), "a"));
}
