//! Tests of the order of turns that several processes write: what is seen first is first.

use std::sync::Arc;

use throughline_engine::LaneKey;

use super::PostgresStore;
use super::test_server::Server;
use crate::conformance::fixture::{LaneWriter, lane};
use crate::conformance::{START, block_on};
use crate::{ManualClock, TurnLog, TurnSeq};

fn open(server: &Server) -> PostgresStore {
    let clock = Arc::new(ManualClock::at(START));
    block_on(PostgresStore::open(&server.url("throughline"), clock)).unwrap()
}

fn read(store: &PostgresStore, after: TurnSeq) -> (Vec<(LaneKey, u64)>, TurnSeq) {
    let page = block_on(store.turns_of_tenant("acme", after, 100)).unwrap();
    (page.turns.into_iter().map(|turn| (turn.lane, turn.revision)).collect(), page.end)
}

/// Makes the commit of turns of one lane wait for an advisory lock, when everything is written and nothing is visible.
const SLOW_COMMIT: &str = "CREATE FUNCTION wait_for_seven() RETURNS trigger LANGUAGE plpgsql AS \
     $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$; \
     GRANT EXECUTE ON FUNCTION wait_for_seven() TO throughline; \
     CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON turns DEFERRABLE INITIALLY DEFERRED \
     FOR EACH ROW WHEN (NEW.lane = '{lane}') EXECUTE FUNCTION wait_for_seven()";

/// Returns the number of connections that wait for a lock of some kind.
fn waiting(server: &Server) -> usize {
    let count = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    server.admin("throughline", count).parse().unwrap()
}

/// A process is slow between writing its turn and the end of the commit. What another process writes meanwhile is not seen
/// before it, so whoever goes on behind what they saw misses nothing.
#[test]
fn a_slow_commit_is_not_overtaken() {
    let server = Server::start();
    let (first, second) = (open(&server), open(&server));
    let (slow, fast) = (lane("slow"), lane("fast"));
    block_on(async {
        let mut writer = LaneWriter::claim(&first, &lane("before")).await;
        writer.commit(writer.turn()).await;
    });
    server.admin("throughline", &SLOW_COMMIT.replace("{lane}", slow.id().as_str()));
    let holder = block_on(first.shared.pool.connect("hold a lock")).unwrap();
    block_on(holder.batch_execute("SELECT pg_advisory_lock(7)")).unwrap();
    let mut slow_writer = block_on(LaneWriter::claim_as("first", &first, &slow));
    let mut fast_writer = block_on(LaneWriter::claim_as("second", &second, &fast));
    let (seen, end) = std::thread::scope(|scope| {
        scope.spawn(|| block_on(slow_writer.commit(slow_writer.turn())));
        while waiting(&server) < 1 {
            std::thread::yield_now();
        }
        let other = scope.spawn(|| block_on(fast_writer.commit(fast_writer.turn())));
        while waiting(&server) < 2 && !other.is_finished() {
            std::thread::yield_now();
        }
        let seen = read(&second, 0);
        block_on(holder.batch_execute("SELECT pg_advisory_unlock(7)")).unwrap();
        seen
    });
    let (later, _) = read(&second, end);
    assert_eq!((seen, later), (vec![(lane("before"), 1)], vec![(slow, 1), (fast, 1)]));
}

/// Positions of before were made by each process for itself, so two may be the same. Afterwards they differ, in the same order,
/// and the next turn is behind them.
#[test]
fn equal_positions_of_before_are_moved_apart() {
    let server = Server::start();
    let lanes = ["C1", "C2", "C3"].map(lane);
    let mut rows = String::new();
    let positions = [(0, 1, 5), (0, 2, 6), (1, 1, 5), (1, 2, 7), (2, 1, 5), (2, 2, 20)];
    for lane in &lanes {
        rows += &format!(
            "INSERT INTO lanes (tenant, id, app, channel, conversation, thread, updated_at, revision) \
             VALUES ('acme', '{}', 'A1', 'slack', '{}', '', 0, 2);",
            lane.id(),
            lane.conversation
        );
    }
    for (n, revision, position) in positions {
        rows += &format!(
            "INSERT INTO turns (tenant, lane, revision, turn, position, decided_at, prev_hash, hash, row) \
             VALUES ('acme', '{}', {revision}, 'tn_{n}_{revision}', {position}, 3, '', '', '');",
            lanes[n].id()
        );
    }
    let all = format!(
        "SET ROLE throughline; CREATE TABLE schema_versions (number BIGINT PRIMARY KEY); {}; \
         INSERT INTO schema_versions SELECT generate_series(1, 9); BEGIN; SET LOCAL throughline.tenant = 'acme'; \
         INSERT INTO directory VALUES ('acme'); INSERT INTO tenants (tenant) VALUES ('acme'); {rows} COMMIT",
        super::open::MIGRATIONS[..9].join(";")
    );
    server.admin("throughline", &all);
    let store = open(&server);
    let turns = block_on(store.turns_of_tenant("acme", 0, 100)).unwrap().turns;
    assert!(turns.windows(2).all(|pair| pair[0].position < pair[1].position), "{turns:?}");
    assert_eq!(turns.iter().map(|turn| turn.position).max(), Some(20), "only what was in the way moved");
    for lane in &lanes {
        let of_lane: Vec<u64> =
            turns.iter().filter(|turn| turn.lane == *lane).map(|turn| turn.revision).collect();
        assert_eq!(of_lane, [1, 2]);
    }
    let mut writer = block_on(LaneWriter::claim(&store, &lane("C4")));
    block_on(writer.commit(writer.turn()));
    assert_eq!(read(&store, 20).0, [(lane("C4"), 1)]);
}

/// A process whose clock is behind writes behind what is there.
#[test]
fn a_clock_that_is_behind_does_not_write_in_front() {
    let server = Server::start();
    let clock = Arc::new(ManualClock::at(START.plus(-60_000)));
    let behind = block_on(PostgresStore::open(&server.url("throughline"), clock)).unwrap();
    let ahead = open(&server);
    block_on(async {
        let mut writer = LaneWriter::claim(&ahead, &lane("C1")).await;
        writer.commit(writer.turn()).await;
    });
    let (_, end) = read(&ahead, 0);
    block_on(async {
        let mut writer = LaneWriter::claim_as("b", &behind, &lane("C2")).await;
        writer.commit(writer.turn()).await;
    });
    assert_eq!(read(&ahead, end).0, [(lane("C2"), 1)]);
}
