//! The conformance suite on PostgreSQL, and tests of what only this backend has: a server that is shared and can be lost.

use std::sync::Arc;

use super::PostgresStore;
use super::test_server::Server;
use crate::conformance::fixture::{LaneWriter, accept, delivery, lane, loose};
use crate::conformance::{DataLocation, START, Subject, block_on};
use crate::{CommitResult, Inbox, LaneIndex, Lanes, ManualClock, RowState, Store, StoreError};

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(START))
}

fn open(server: &Server) -> Result<PostgresStore, StoreError> {
    block_on(PostgresStore::open(&server.url("throughline"), clock()))
}

fn subject(clock: Arc<ManualClock>) -> Subject {
    let server = Server::start();
    let store = block_on(PostgresStore::open(&server.url("throughline"), clock.clone())).unwrap();
    Subject::new(store, clock).with_guard(server)
}

impl DataLocation for Server {
    fn open(&self, clock: Arc<ManualClock>) -> Arc<dyn Store> {
        Arc::new(block_on(PostgresStore::open(&self.url("throughline"), clock)).unwrap())
    }

    fn crash_copy(&self) -> Box<dyn DataLocation> {
        Box::new(Self::crash_copy(self))
    }
}

crate::conformance!(semantics, subject);
crate::conformance_durability!(durability, Server::start);

/// Every table that holds data. `directory` holds names, which everybody may read.
const TABLES: &str = "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                      WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p', 'm', 'v', 'f') \
                      AND c.relname NOT IN ('schema_versions', 'directory', 'replicas') ORDER BY c.relname";

/// Inserts a row of each of two tenants into a table, as its columns require and beside all rules.
fn fill(table: &str) -> String {
    format!(
        "SET session_replication_role = replica; INSERT INTO {table} SELECT made.* FROM unnest(ARRAY['acme', 'other']) t, \
         LATERAL (SELECT jsonb_object_agg(a.attname, CASE WHEN a.attname = 'tenant' THEN to_jsonb(t) \
         WHEN a.attndims > 0 THEN '[]' WHEN a.atttypid = 'boolean'::regtype THEN 'false' \
         WHEN a.atttypid = 'bigint'::regtype THEN '1' ELSE '\"x\"' END) AS columns FROM pg_attribute a \
         WHERE a.attrelid = '{table}'::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull) needed, \
         LATERAL jsonb_populate_record(NULL::{table}, needed.columns) made"
    )
}

/// Whatever a statement asks for, a role sees the rows of the tenant that its transaction names. A table that is added later is
/// tried as well, and fails here without a policy.
#[test]
fn e34_row_level_security_holds_without_the_filter() {
    let server = Server::start();
    drop(open(&server).unwrap());
    let sql = |role: &str, sql: &str| server.psql(role, "throughline", sql);
    let tables = sql("postgres", TABLES);
    assert!(tables.lines().count() > 20, "{tables}");
    for table in tables.lines() {
        sql("postgres", &fill(table));
        let tenants =
            format!("SELECT string_agg(tenant, ' ' ORDER BY tenant) FROM (SELECT * FROM {table}) all_rows");
        assert_eq!(sql("postgres", &tenants), "acme other", "{table}");
        let as_other = format!("SELECT set_config('throughline.tenant', 'other', false); {tenants}");
        assert_eq!(sql("throughline", &as_other), "other\nother", "{table}");
        assert_eq!(sql("throughline", &tenants), "", "{table} without a tenant");
        let write = format!(
            "SET throughline.tenant = 'other'; DO $$ DECLARE n BIGINT; BEGIN UPDATE {table} SET tenant = 'acme'; \
             RAISE 'written'; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$; \
             DELETE FROM {table} WHERE tenant = 'acme'"
        );
        sql("throughline", &write);
        assert_eq!(sql("postgres", &tenants), "acme other", "{table} after a write");
    }
}

#[test]
fn every_key_leads_with_the_tenant() {
    let server = Server::start();
    drop(open(&server).unwrap());
    let other = "SELECT i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
                 JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid \
                 AND a.attnum = i.indkey[0] WHERE n.nspname = 'public' AND c.relname NOT IN ('schema_versions', 'replicas') \
                 AND a.attname <> 'tenant'";
    assert_eq!(server.admin("throughline", other), "");
    let keys = "SELECT count(*) > 20 FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n \
                ON n.oid = c.relnamespace WHERE n.nspname = 'public'";
    assert_eq!(server.admin("throughline", keys), "t");
}

#[test]
fn a_group_tells_each_lane_its_own_result() {
    let server = Server::start();
    let store = open(&server).unwrap();
    std::thread::scope(|scope| {
        for n in 0..40 {
            let store = &store;
            scope.spawn(move || {
                let lane = lane(&format!("C{n}"));
                let writer = block_on(LaneWriter::claim(store, &lane));
                let mut turn = writer.turn_with_effects(vec![loose(&format!("fx_{n}"))]);
                let fenced = n % 5 == 2;
                turn.epoch -= i64::from(fenced);
                let result = block_on(store.commit(turn)).unwrap();
                assert_eq!(
                    result,
                    if fenced { CommitResult::Fenced } else { CommitResult::Committed },
                    "{n}"
                );
            });
        }
    });
    assert_eq!(block_on(store.counts()).unwrap().open_effects, 32);
}

/// Each turn of a group loses for its own reason, and one that a constraint refuses takes no other with it.
#[test]
fn a_group_is_refused_only_where_it_is_at_fault() {
    let server = Server::start();
    let store = open(&server).unwrap();
    let outward = |n: usize| crate::conformance::fixture::create(&format!("fx_{n}"), "ap_none", 1);
    std::thread::scope(|scope| {
        for n in 0..24 {
            let store = &store;
            scope.spawn(move || {
                let here = lane(&format!("C{n}"));
                let writer = block_on(LaneWriter::claim(store, &here));
                let effect = if n % 4 == 1 { outward(n) } else { loose(&format!("fx_{n}")) };
                let mut turn = writer.turn_with_effects(vec![effect]);
                turn.expected_revision += u64::from(n % 4 == 2);
                let identity = crate::DeliveryIdentity::new(here, format!("k{}", n / 12));
                turn.direct =
                    (n % 4 == 3).then_some(crate::Direct { identity, state: crate::RowState::Done });
                match (n % 4, block_on(store.commit(turn))) {
                    (0, Ok(CommitResult::Committed))
                    | (1, Err(StoreError::Refused { .. }))
                    | (2, Ok(CommitResult::RevisionMoved))
                    | (3, Ok(CommitResult::Committed | CommitResult::NotDirect)) => {}
                    (kind, result) => panic!("{kind}: {result:?}"),
                }
            });
        }
    });
    // Six without a fault, and one of each key.
    assert_eq!(block_on(store.counts()).unwrap().open_effects, 8);
}

#[test]
fn a_clock_that_was_set_back_before_the_start_is_noticed() {
    let server = Server::start();
    let ahead = clock();
    ahead.advance(throughline_engine::Timestamp::DAY);
    let store = block_on(PostgresStore::open(&server.url("throughline"), ahead)).unwrap();
    let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
    block_on(writer.commit_effects(vec![loose("fx_1")]));
    drop(store);
    let store = open(&server).unwrap();
    assert_eq!(block_on(crate::conformance::fixture::lease_ids(&store)), ["fx_1"]);
}

#[test]
fn a_server_that_was_restarted_is_found_again() {
    let server = Server::start();
    let store = open(&server).unwrap();
    block_on(accept(&store, &lane("C1"), "a"));
    server.stop();
    assert!(block_on(store.accept(delivery(&lane("C1"), "b"))).is_err());
    server.resume();
    block_on(accept(&store, &lane("C1"), "b"));
    assert_eq!(block_on(store.waiting(&lane("C1"), 9)).unwrap().len(), 2);
}

/// Connections that are cut while nobody uses them: the next turn takes a new one, and is written once.
#[test]
fn connections_that_the_server_ends_are_replaced() {
    let server = Server::start();
    let store = open(&server).unwrap();
    let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'throughline'";
    for turns in 1..=5 {
        assert_ne!(server.admin("postgres", end), "0");
        block_on(writer.commit(writer.turn()));
        assert_eq!(block_on(store.load(&lane("C1"))).unwrap().unwrap().revision, turns);
    }
}

/// A commit whose answer does not come: the server ends the connection inside COMMIT, by a constraint that is checked there.
#[test]
fn a_connection_lost_inside_a_commit_is_unknown() {
    let server = Server::start();
    let store = open(&server).unwrap();
    server.admin(
        "throughline",
        "CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS \
         $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$; \
         CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON turns DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION cut()",
    );
    let mut writer = block_on(LaneWriter::claim(&store, &lane("C1")));
    let turn = writer.turn();
    let result = block_on(writer.try_commit(turn.clone()));
    assert!(matches!(result, Err(StoreError::Unknown { .. })), "{result:?}");
    assert!(!block_on(store.committed(&lane("C1"), &turn.log.hash)).unwrap());
    server.admin("throughline", "DROP TRIGGER cut ON turns");
    block_on(writer.commit(turn.clone()));
    assert!(block_on(store.committed(&lane("C1"), &turn.log.hash)).unwrap());
}

#[test]
fn a_server_without_free_connections_refuses_and_recovers() {
    let server = Server::start();
    let store = open(&server).unwrap();
    server.admin("postgres", "ALTER ROLE throughline CONNECTION LIMIT 0");
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'throughline'";
    server.admin("postgres", end);
    assert!(matches!(block_on(store.accept(delivery(&lane("C1"), "a"))), Err(StoreError::Backend { .. })));
    server.admin("postgres", "ALTER ROLE throughline CONNECTION LIMIT -1");
    block_on(accept(&store, &lane("C1"), "a"));
}

#[test]
fn migrations_run_once_whoever_comes_first() {
    let server = Server::start();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| open(&server).unwrap());
        }
    });
    drop(open(&server).unwrap());
    let numbers = "SELECT string_agg(number::text, ' ' ORDER BY number) FROM schema_versions";
    let all: Vec<String> = (1..=super::open::MIGRATIONS.len()).map(|number| number.to_string()).collect();
    assert_eq!(server.admin("throughline", numbers), all.join(" "));
}

/// Deliveries of before keys were hashed are found afterwards: rows that wait, that were refused, that came with their turn.
#[test]
fn keys_of_deliveries_survive_their_migration() {
    let server = Server::start();
    let lane = lane("C1");
    let rows = format!(
        "SET ROLE throughline; CREATE TABLE schema_versions (number BIGINT PRIMARY KEY); {}; \
         INSERT INTO schema_versions SELECT generate_series(1, 8); BEGIN; SET LOCAL throughline.tenant = 'acme'; \
         INSERT INTO directory VALUES ('acme'); INSERT INTO tenants (tenant) VALUES ('acme'); \
         INSERT INTO lanes (tenant, id, app, channel, conversation, thread, updated_at, waiting, position) \
         VALUES ('acme', '{lane}', 'A1', 'slack', 'C1', '', 0, 1, 7); \
         INSERT INTO inbox (tenant, key, more_keys, seq, lane, received_at, state, kind, event) VALUES \
         ('acme', 'waits', '{{also}}', 6, '{lane}', 1, 0, 'message.posted', 'e1'), \
         ('acme', 'refused', '{{}}', 7, '{lane}', 2, 3, 'message.posted', 'e2'); \
         INSERT INTO delivery_keys (tenant, key, first, lane, revision, state) VALUES \
         ('acme', 'waits', NULL, '{lane}', NULL, NULL), ('acme', 'also', 'waits', '{lane}', NULL, NULL), \
         ('acme', 'refused', NULL, '{lane}', NULL, NULL), ('acme', 'direct', NULL, '{lane}', 1, 1); \
         INSERT INTO turns (tenant, lane, revision, turn, position, decided_at, prev_hash, hash, row) \
         VALUES ('acme', '{lane}', 1, 'tn_1', 5, 3, '', '', ''); \
         INSERT INTO requests VALUES ('acme', 'waits', 'body', 200, 'answer'), ('acme', 'refused', '', 429, 'full'); \
         INSERT INTO buttons VALUES ('acme', '{lane}', repeat('ab', 32), 'ap_1', 1, '', 'approve'); COMMIT",
        super::open::MIGRATIONS[..8].join(";"),
        lane = lane.id(),
    );
    server.admin("throughline", &rows);
    let store = open(&server).unwrap();
    let found = |key: &str| block_on(store.delivery("acme", key)).unwrap().unwrap();
    for key in ["waits", "also"] {
        let row = found(key);
        assert_eq!((row.key.as_str(), row.event.as_deref()), ("waits", Some("e1")), "{key}");
        assert_eq!((row.body_hash.as_deref(), row.response.unwrap().body.as_str()), (Some("body"), "answer"));
    }
    assert_eq!((found("direct").state, found("refused").state), (RowState::Done, RowState::Refused));
    assert_eq!(block_on(store.waiting(&lane, 9)).unwrap()[0].key, "waits");
    assert!(block_on(store.token(&lane, &"ab".repeat(32))).unwrap().is_some());
    block_on(accept(&store, &lane, "refused"));
    assert_eq!(found("refused").response, None);
}

#[test]
fn a_server_that_cannot_be_reached_cannot_be_opened() {
    let gone = tempfile::tempdir().unwrap();
    let url = format!("host={} user=throughline dbname=throughline", gone.path().display());
    let opened = block_on(PostgresStore::open(&url, clock())).err();
    let Some(StoreError::Open { what, .. }) = opened else { panic!("{opened:?}") };
    assert!(what.contains(&gone.path().display().to_string()), "{what}");
}

#[test]
fn a_newer_schema_and_a_role_above_the_rules_are_refused() {
    let server = Server::start();
    drop(open(&server).unwrap());
    server.admin("throughline", "INSERT INTO schema_versions VALUES (99)");
    assert!(matches!(open(&server), Err(StoreError::Open { why, .. }) if why.contains("TL-6103")));
    let url = server.url("throughline").replace("user=throughline", "user=postgres");
    let above = block_on(PostgresStore::open(&url, clock()));
    assert!(matches!(above, Err(StoreError::Open { why, .. }) if why.contains("row-level security")));
}

#[test]
fn e34_a_read_only_server_is_refused() {
    let server = Server::start();
    server.make_read_only();
    assert!(matches!(open(&server), Err(StoreError::Replica { .. })));
}

#[test]
fn a_connection_is_encrypted_to_whom_it_trusts() {
    let server = Server::start();
    let (port, certificate) = server.encrypt();
    let certificate = certificate.display();
    let open = |host: &str, rest: &str| {
        let url = format!("host={host} port={port} user=throughline dbname=throughline {rest}");
        block_on(PostgresStore::open(&url, clock()))
    };
    let known = format!("sslrootcert={certificate}");
    for mode in ["require", "verify-full"] {
        let store = open("localhost", &format!("sslmode={mode} {known}")).unwrap();
        block_on(accept(&store, &lane("C1"), mode));
        let unknown = open("localhost", &format!("sslmode={mode}"));
        assert!(unknown.is_err(), "nobody vouches for the server");
    }
    assert!(open("127.0.0.1", &format!("sslmode=require {known}")).is_err(), "another name");
    assert!(open("localhost", "sslmode=disable").is_err(), "this server takes no other connections");
    server.stop();
    server.resume();
    let plain = format!("{} sslmode=require {known}", server.url("throughline"));
    assert!(block_on(PostgresStore::open(&plain, clock())).is_err(), "a socket is not encrypted");
}
