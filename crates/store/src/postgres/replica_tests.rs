//! Tests of processes that share a store: one that is gone, one that is paused, and what they tell one another.

use std::sync::Arc;

use super::test_server::Server;
use super::{PostgresServer, PostgresStore};
use crate::conformance::block_on;
use crate::conformance::fixture::{LaneWriter, accept, lane, lease_ids, loose};
use crate::{Claim, CommitResult, Lanes, News, Outbox, Release, Store, TurnLog};

fn join(server: &Server) -> PostgresStore {
    let server = PostgresServer { url: server.url("throughline"), ..PostgresServer::default() };
    block_on(PostgresStore::connect(&server)).unwrap()
}

/// Ends a store as a kill would: nothing is released, and nobody is told.
fn kill(store: PostgresStore) {
    drop(store);
}

/// Waits for news and returns those that count.
fn heard(store: &PostgresStore, wanted: impl Fn(&News) -> bool) -> News {
    loop {
        if let Some(found) = block_on(store.news()).into_iter().find(&wanted) {
            return found;
        }
    }
}

#[test]
fn a_lane_of_a_process_that_is_gone_is_free_in_seconds() {
    let server = Server::start();
    let (first, second) = (join(&server), join(&server));
    let mut writer = block_on(LaneWriter::claim_as("first", &first, &lane("C1")));
    block_on(writer.commit_effects(vec![loose("fx_1")]));
    assert_eq!(block_on(lease_ids(&first)), ["fx_1"]);
    let claim = |owner| block_on(second.claim(&lane("C1"), owner)).unwrap();
    assert!(matches!(claim("second"), Claim::Held { .. }));
    assert!(block_on(lease_ids(&second)).is_empty());
    heard(&second, |news| *news == News::Missed);
    kill(first);
    heard(&second, |news| *news == News::Missed);
    assert!(matches!(claim("second"), Claim::Ours { revision: 1, .. }));
    assert_eq!(block_on(lease_ids(&second)), ["fx_1"]);
}

#[test]
fn a_process_that_leaves_hands_its_lanes_over_at_once() {
    let server = Server::start();
    let (first, second) = (join(&server), join(&server));
    heard(&second, |news| *news == News::Missed);
    let writer = block_on(LaneWriter::claim_as("first", &first, &lane("C1")));
    block_on(accept(&first, &lane("C1"), "a"));
    assert_eq!(block_on(first.release(&lane("C1"), writer.epoch)).unwrap(), Release::HasWork);
    block_on(first.leave());
    heard(&second, |news| *news == News::Missed);
    assert!(matches!(block_on(second.claim(&lane("C1"), "second")).unwrap(), Claim::Ours { .. }));
}

/// A process that was taken for gone and only slept: its claim is over, and what it writes is fenced.
#[test]
fn a_process_that_slept_is_fenced() {
    let server = Server::start();
    let (first, second) = (join(&server), join(&server));
    let mut writer = block_on(LaneWriter::claim_as("first", &first, &lane("C1")));
    block_on(writer.commit_effects(vec![loose("fx_1")]));
    let leased = block_on(first.lease("first", 9)).unwrap().remove(0);
    // As if the lane and the effect were of a third process that was silent for too long.
    let claimed = loop {
        server
            .admin("throughline", "UPDATE lanes SET holder = 'slept'; UPDATE outbox SET leased_by = 'slept'");
        server.admin("throughline", "INSERT INTO replicas VALUES ('slept', 0) ON CONFLICT DO NOTHING");
        heard(&second, |news| *news == News::Missed);
        if let Claim::Ours { epoch, .. } = block_on(second.claim(&lane("C1"), "second")).unwrap() {
            break epoch;
        }
    };
    assert!(claimed > writer.epoch);
    assert_eq!(block_on(writer.try_commit(writer.turn())).unwrap(), CommitResult::Fenced);
    let again = loop {
        if let Some(leased) = block_on(second.lease("second", 9)).unwrap().pop() {
            break leased;
        }
        heard(&second, |news| *news == News::Missed);
    };
    assert!(again.fence > leased.fence);
    let hash = throughline_engine::data::canonical_json::sha256(&[leased.effect.row.payload.as_bytes()]);
    let mark = block_on(first.mark("acme", &leased.effect.row.id, leased.fence, &hash)).unwrap();
    assert_eq!(mark, crate::Mark::LeaseLost);
}

#[test]
fn news_reach_the_others_and_not_oneself() {
    let server = Server::start();
    let (first, second) = (Arc::new(join(&server)), join(&server));
    heard(&second, |news| *news == News::Missed);
    heard(&first, |news| *news == News::Missed);
    first.announce(News::Work(lane("C1")));
    assert_eq!(heard(&second, |news| matches!(news, News::Work(_))), News::Work(lane("C1")));
    second.announce(News::Work(lane("C2")));
    assert_eq!(heard(&first, |news| matches!(news, News::Work(_))), News::Work(lane("C2")));
}

#[test]
fn time_is_the_servers() {
    let server = Server::start();
    let store = join(&server);
    let shown: i64 = server
        .admin("throughline", "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        .parse()
        .unwrap();
    assert!((0..5_000).contains(&(store.now().0 - shown)), "{:?} and {shown}", store.now());
    assert!(block_on(store.turns(&lane("C1"), 0, 9)).unwrap().is_empty());
}
