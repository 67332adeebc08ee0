//! The rows that a group of turns writes, as columns: a statement for each kind of row, whatever their number.

use std::collections::BTreeMap;

use tokio_postgres::types::ToSql;

use super::session::Query;
use super::{audit, inbox, settle};

/// Declares rows that one statement takes as columns: arrays that the server unnests, in the order of its parameters behind
/// the tenant.
macro_rules! columns {
    ($(#[$doc:meta])* $rows:ident of $row:ident: $sql:expr; $($column:ident: $type:ty),+ $(,)?) => {
        $(#[$doc])*
        #[derive(Default)]
        pub(super) struct $rows<'t> { $($column: Vec<$type>),+ }

        /// One of these rows.
        pub(super) struct $row<'t> { $(pub(super) $column: $type),+ }

        impl<'t> $rows<'t> {
            pub(super) fn push(&mut self, row: $row<'t>) {
                $(self.$column.push(row.$column);)+
            }
        }

        impl Columns for $rows<'_> {
            const SQL: &'static str = $sql;

            fn count(&self) -> usize {
                [$(self.$column.len()),+][0]
            }

            fn columns<'q>(&'q self, tenant: Param<'q>) -> Vec<Param<'q>> {
                vec![tenant, $(&self.$column),+]
            }
        }
    };
}

/// A parameter of a statement.
type Param<'q> = &'q (dyn ToSql + Sync);

/// Rows that one statement takes.
trait Columns {
    const SQL: &'static str;
    fn count(&self) -> usize;
    fn columns<'q>(&'q self, tenant: Param<'q>) -> Vec<Param<'q>>;
}

columns! {
    /// Heads of lanes, written over the ones before.
    Heads of Head: "UPDATE lanes l SET revision = h.revision, lease_until = h.lease_until, updated_at = h.updated_at, \
        log_hash = h.log_hash, head = h.head, position = h.position, waiting = l.waiting - h.ended \
        FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bigint[], \
        $9::bigint[]) AS h (id, revision, lease_until, updated_at, log_hash, head, position, ended) \
        WHERE l.tenant = $1 AND l.id = h.id";
    id: &'t str, revision: i64, lease_until: i64, updated_at: i64, log_hash: &'t str, head: &'t str, position: i64,
    ended: i64,
}

columns! {
    /// Rows of the log, at positions above those of every turn of the tenant before. What they bring is the earliest one.
    Turns of Turn: "WITH last AS (INSERT INTO turn_positions AS p (tenant, position) \
        SELECT $1::text, max(at) + cardinality($5::bigint[]) FROM unnest($5::bigint[]) AS at ON CONFLICT (tenant) \
        DO UPDATE SET position = greatest(p.position + cardinality($5::bigint[]), excluded.position) RETURNING position) \
        INSERT INTO turns (tenant, lane, revision, turn, position, decided_at, prev_hash, hash, row, content, salt, checkpoint) \
        SELECT $1::text, t.lane, t.revision, t.turn, last.position - cardinality($5::bigint[]) + t.n, t.decided_at, \
        t.prev_hash, t.hash, t.row, t.content, t.salt, t.checkpoint FROM last, \
        unnest($2::text[], $3::bigint[], $4::text[], $6::bigint[], $7::text[], $8::text[], $9::text[], $10::text[], \
        $11::text[], $12::text[]) WITH ORDINALITY AS t (lane, revision, turn, decided_at, prev_hash, hash, row, content, salt, \
        checkpoint, n)";
    lane: &'t str, revision: i64, turn: &'t str, position: i64, decided_at: i64, prev_hash: &'t str, hash: &'t str,
    row: &'t str, content: &'t str, salt: &'t str, checkpoint: Option<&'t str>,
}

columns! {
    /// Deliveries that end. A dead row keeps its event. From now on the turn's content holds that of the others.
    Ends of End: "UPDATE inbox i SET key = NULL, state = e.state, revision = e.revision, \
        event = CASE WHEN e.state = 4 THEN i.event END \
        FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) AS e (lane, seq, state, revision) \
        WHERE i.tenant = $1 AND i.lane = e.lane AND i.seq = e.seq AND i.state = 0";
    lane: &'t str, seq: i64, state: i64, revision: i64,
}

columns! {
    /// People who took part.
    Participants of Participant: "INSERT INTO participants (tenant, lane, person) \
        SELECT $1::text, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING";
    lane: &'t str, person: &'t str,
}

columns! {
    /// Records with their bytes.
    Puts of Put: "INSERT INTO records (tenant, lane, kind, key, loaded, body) \
        SELECT $1::text, * FROM unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::text[]) \
        ON CONFLICT (tenant, lane, kind, key) DO UPDATE SET loaded = excluded.loaded, body = excluded.body";
    lane: &'t str, kind: &'t str, key: &'t str, loaded: bool, body: &'t str,
}

columns! {
    /// Records that are no longer loaded.
    Retired of Retire: "UPDATE records r SET loaded = false \
        FROM unnest($2::text[], $3::text[], $4::text[]) AS t (lane, kind, key) \
        WHERE r.tenant = $1 AND r.lane = t.lane AND r.kind = t.kind AND r.key = t.key";
    lane: &'t str, kind: &'t str, key: &'t str,
}

columns! {
    /// Records that go.
    Deleted of Delete: "DELETE FROM records r USING unnest($2::text[], $3::text[], $4::text[]) AS t (lane, kind, key) \
        WHERE r.tenant = $1 AND r.lane = t.lane AND r.kind = t.kind AND r.key = t.key";
    lane: &'t str, kind: &'t str, key: &'t str,
}

columns! {
    /// The channel's ids of incoming messages. One that is mapped keeps its message.
    Messages of Message: "INSERT INTO messages (tenant, lane, channel_id, ours) \
        SELECT $1::text, * FROM unnest($2::text[], $3::text[], $4::text[]) ON CONFLICT DO NOTHING";
    lane: &'t str, channel_id: &'t str, ours: &'t str,
}

columns! {
    /// Buttons that are shown.
    Buttons of Button: "INSERT INTO buttons (tenant, lane, hash, card, version, item, action) \
        SELECT $1::text, lane, left(hash, 32), card, version, item, action FROM unnest($2::text[], $3::text[], $4::text[], \
        $5::bigint[], $6::text[], $7::text[]) AS b (lane, hash, card, version, item, action) ON CONFLICT (tenant, lane, hash) DO UPDATE SET card = excluded.card, version = excluded.version, \
        item = excluded.item, action = excluded.action";
    lane: &'t str, hash: &'t str, card: &'t str, version: i64, item: &'t str, action: &'t str,
}

columns! {
    /// Approvals that are opened.
    Opened of Open: "INSERT INTO approvals (tenant, card, version, n, lane, state, expires_at, approval, change) \
        SELECT $1::text, * FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], \
        $8::text[], $9::text[])";
    card: &'t str, version: i64, n: i64, lane: &'t str, state: i64, expires_at: Option<i64>, approval: String,
    change: Option<String>,
}

columns! {
    /// Approvals that were there, in their new state.
    Decisions of Decision: "UPDATE approvals a SET state = d.state, change = coalesce(d.change, a.change) \
        FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[]) AS d (card, version, state, change) \
        WHERE a.tenant = $1 AND a.card = d.card AND a.version = d.version";
    card: &'t str, version: i64, state: i64, change: Option<String>,
}

columns! {
    /// Approvals that are consumed.
    Consumptions of Consumption: "INSERT INTO consumptions (tenant, card, version) \
        SELECT $1::text, * FROM unnest($2::text[], $3::bigint[])";
    card: &'t str, version: i64,
}

columns! {
    /// Hashes that consumed approvals release.
    Releases of Release: "INSERT INTO releases (tenant, card, version, payload_sha256) \
        SELECT DISTINCT $1::text, r.* FROM unnest($2::text[], $3::bigint[], $4::text[]) AS r";
    card: &'t str, version: i64, payload_sha256: &'t str,
}

columns! {
    /// Effects that are planned. A list inside a row comes as text.
    Effects of Effect: "INSERT INTO outbox (tenant, id, n, lane, revision, ordinal, class, outward, performer, state, \
        attempts, fence, wake, created_at, not_before, deadline, stream, card, version, waits, depends_on, posts_card, \
        payload_sha256, payload, outcome, released) SELECT $1::text, id, n, lane, revision, ordinal, class, outward, performer, \
        state, attempts, fence, wake, created_at, created_at, deadline, stream, card, version, waits, depends_on::text[], \
        posts_card, payload_sha256, payload, outcome, CASE WHEN outward THEN payload_sha256 END \
        FROM unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::boolean[], \
        $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[], \
        $16::text[], $17::text[], $18::bigint[], $19::bigint[], $20::text[], $21::text[], $22::text[], $23::text[], \
        $24::text[]) AS e (id, n, lane, revision, ordinal, class, outward, performer, state, attempts, fence, wake, \
        created_at, deadline, stream, card, version, waits, depends_on, posts_card, payload_sha256, payload, outcome)";
    id: &'t str, n: i64, lane: &'t str, revision: i64, ordinal: i64, class: &'static str, outward: bool, performer: i64,
    state: i64, attempts: i64, fence: i64, wake: Option<i64>, created_at: i64, deadline: Option<i64>, stream: &'t str,
    card: Option<&'t str>, version: Option<i64>, waits: i64, depends_on: String, posts_card: Option<String>,
    payload_sha256: String, payload: &'t str, outcome: Option<String>,
}

columns! {
    /// Dependencies of effects.
    Dependencies of Dependency: "INSERT INTO dependencies (tenant, on_effect, effect) \
        SELECT $1::text, * FROM unnest($2::text[], $3::text[]) ON CONFLICT DO NOTHING";
    on_effect: &'t str, effect: &'t str,
}

columns! {
    /// Timers that are set.
    Timers of Timer: "INSERT INTO timers (tenant, id, lane, due, about) \
        SELECT $1::text, * FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[]) ON CONFLICT (tenant, id) \
        DO UPDATE SET lane = excluded.lane, due = excluded.due, about = excluded.about";
    id: &'t str, lane: String, due: i64, about: &'t str,
}

columns! {
    /// Sets of facts that are written first.
    NewSets of NewSet: "INSERT INTO fact_sets (tenant, scope, scope_id, revision, used) \
        SELECT $1::text, s.*, 1, 0 FROM unnest($2::text[], $3::text[]) AS s";
    scope: &'t str, scope_id: &'t str,
}

columns! {
    /// Sets of facts that are written again.
    Sets of Set: "UPDATE fact_sets s SET revision = s.revision + 1 FROM unnest($2::text[], $3::text[]) AS t (scope, scope_id) \
        WHERE s.tenant = $1 AND s.scope = t.scope AND s.scope_id = t.scope_id";
    scope: &'t str, scope_id: &'t str,
}

columns! {
    /// Facts with their bytes.
    Facts of Fact: "INSERT INTO facts (tenant, scope, scope_id, id, used_at, body) \
        SELECT $1::text, * FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[]) \
        ON CONFLICT (tenant, scope, scope_id, id) \
        DO UPDATE SET body = excluded.body, used_at = greatest(facts.used_at, excluded.used_at)";
    scope: &'t str, scope_id: &'t str, id: &'t str, used_at: Option<i64>, body: &'t str,
}

columns! {
    /// Facts that go.
    GoneFacts of GoneFact: "DELETE FROM facts f USING unnest($2::text[], $3::text[], $4::text[]) AS t (scope, scope_id, id) \
        WHERE f.tenant = $1 AND f.scope = t.scope AND f.scope_id = t.scope_id AND f.id = t.id";
    scope: &'t str, scope_id: &'t str, id: &'t str,
}

columns! {
    /// Facts that were shown. The time of use never goes back, and a set counts the turns that moved one.
    UsedFacts of UsedFact: "WITH touched AS (UPDATE facts f SET used_at = t.used_at \
        FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) AS t (scope, scope_id, id, used_at) \
        WHERE f.tenant = $1 AND f.scope = t.scope AND f.scope_id = t.scope_id AND f.id = t.id \
        AND coalesce(f.used_at, -1) < t.used_at RETURNING f.scope, f.scope_id) \
        UPDATE fact_sets s SET used = s.used + 1 WHERE s.tenant = $1 \
        AND (s.scope, s.scope_id) IN (SELECT scope, scope_id FROM touched)";
    scope: &'t str, scope_id: &'t str, id: &'t str, used_at: i64,
}

columns! {
    /// Effects that are cancelled.
    Cancelled of Cancel: settle::CANCEL;
    id: &'t str,
}

columns! {
    /// Uncertain effects that a person found to be done.
    Adopted of Adopt: settle::ADOPT;
    id: &'t str, outcome: &'t str,
}

columns! {
    /// Updates of cards that newer ones replace.
    Superseded of Supersede: settle::SUPERSEDE;
    lane: &'t str, stream: &'t str,
}

/// Kind, key and lane of a record.
type RecordAt<'t> = (&'t str, &'t str, &'t str);

/// End of a record in a turn.
pub(super) enum RecordChange<'t> {
    Put { body: &'t str, loaded: bool },
    Retire,
    Delete,
}

/// Everything that a group writes.
#[derive(Default)]
pub(super) struct Rows<'t> {
    pub(super) heads: Heads<'t>,
    pub(super) turns: Turns<'t>,
    pub(super) lost_keys: Vec<String>,
    pub(super) ends: Ends<'t>,
    pub(super) participants: Participants<'t>,
    pub(super) records: BTreeMap<RecordAt<'t>, RecordChange<'t>>,
    pub(super) messages: Messages<'t>,
    pub(super) buttons: BTreeMap<(&'t str, &'t str), Button<'t>>,
    pub(super) opened: Opened<'t>,
    pub(super) decisions: Decisions<'t>,
    pub(super) consumptions: Consumptions<'t>,
    pub(super) releases: Releases<'t>,
    pub(super) superseded: Superseded<'t>,
    pub(super) effects: Effects<'t>,
    pub(super) dependencies: Dependencies<'t>,
    pub(super) cancelled: Cancelled<'t>,
    pub(super) adopted: Adopted<'t>,
    /// Timers by their ids; `None` clears one.
    pub(super) timers: BTreeMap<&'t str, Option<Timer<'t>>>,
    pub(super) new_sets: NewSets<'t>,
    pub(super) sets: Sets<'t>,
    pub(super) facts: Facts<'t>,
    pub(super) gone_facts: GoneFacts<'t>,
    pub(super) used_facts: BTreeMap<(&'t str, &'t str, &'t str), i64>,
    pub(super) audit: audit::Links<'t>,
}

/// The columns of what is collected by key.
#[derive(Default)]
struct Folded<'t> {
    puts: Puts<'t>,
    retired: Retired<'t>,
    deleted: Deleted<'t>,
    buttons: Buttons<'t>,
    timers: Timers<'t>,
    cleared: Vec<&'t str>,
    used: UsedFacts<'t>,
}

/// Statements that write a group.
pub(super) struct Statements<'t> {
    rows: Rows<'t>,
    folded: Folded<'t>,
}

impl<'t> Statements<'t> {
    pub(super) fn of(mut rows: Rows<'t>) -> Self {
        let mut folded = Folded::default();
        for ((lane, kind, key), change) in std::mem::take(&mut rows.records) {
            match change {
                RecordChange::Put { body, loaded } => folded.puts.push(Put { lane, kind, key, loaded, body }),
                RecordChange::Retire => folded.retired.push(Retire { lane, kind, key }),
                RecordChange::Delete => folded.deleted.push(Delete { lane, kind, key }),
            }
        }
        std::mem::take(&mut rows.buttons).into_values().for_each(|button| folded.buttons.push(button));
        for (id, timer) in std::mem::take(&mut rows.timers) {
            match timer {
                Some(timer) => folded.timers.push(timer),
                None => folded.cleared.push(id),
            }
        }
        for ((scope, scope_id, id), used_at) in std::mem::take(&mut rows.used_facts) {
            folded.used.push(UsedFact { scope, scope_id, id, used_at });
        }
        Self { rows, folded }
    }

    /// Returns true if effects end, whose dependents may have to follow.
    pub(super) fn end_effects(&self) -> bool {
        let Rows { superseded, cancelled, adopted, .. } = &self.rows;
        superseded.count() + cancelled.count() + adopted.count() > 0
    }

    /// Returns the last statement of the transaction: what it locks, every commit of the tenant waits for.
    pub(super) fn log<'q>(&'q self, tenant: &'q String) -> List<'q> {
        let mut list = List { tenant, all: Vec::new() };
        list.add(&self.rows.turns);
        list
    }

    /// Returns the other statements with their columns: first those that end effects, then all others, each after what its
    /// foreign keys refer to.
    pub(super) fn list<'q>(&'q self, tenant: &'q String) -> List<'q> {
        let mut list = List { tenant, all: Vec::new() };
        let (rows, folded) = (&self.rows, &self.folded);
        list.add(&rows.superseded);
        list.add(&rows.heads);
        list.add_keys(inbox::GIVE_BACK, &rows.lost_keys);
        list.add(&rows.ends);
        list.add(&rows.participants);
        list.add(&folded.puts);
        list.add(&folded.retired);
        list.add(&folded.deleted);
        list.add(&rows.messages);
        list.add(&folded.buttons);
        list.add(&rows.opened);
        list.add(&rows.decisions);
        list.add(&rows.consumptions);
        list.add(&rows.releases);
        list.add(&rows.effects);
        list.add(&rows.dependencies);
        list.add(&rows.cancelled);
        list.add(&rows.adopted);
        list.add_keys("DELETE FROM timers WHERE tenant = $1 AND id = ANY($2)", &folded.cleared);
        list.add(&folded.timers);
        list.add(&rows.new_sets);
        list.add(&rows.sets);
        list.add(&rows.facts);
        list.add(&rows.gone_facts);
        list.add(&folded.used);
        if !rows.audit.rows.is_empty() {
            let audit::Links { numbers, hashes, rows } = &rows.audit;
            list.all.push((audit::APPEND, vec![tenant, numbers, hashes, rows]));
        }
        list
    }
}

/// Statements with their parameters.
pub(super) struct List<'q> {
    tenant: Param<'q>,
    all: Vec<(&'static str, Vec<Param<'q>>)>,
}

impl<'q> List<'q> {
    fn add<C: Columns>(&mut self, rows: &'q C) {
        if rows.count() > 0 {
            self.all.push((C::SQL, rows.columns(self.tenant)));
        }
    }

    fn add_keys<K>(&mut self, sql: &'static str, keys: &'q Vec<K>)
    where
        Vec<K>: ToSql + Sync,
    {
        if !keys.is_empty() {
            self.all.push((sql, vec![self.tenant, keys]));
        }
    }

    pub(super) fn queries(&self) -> Vec<Query<'_>> {
        self.all.iter().map(|(sql, params)| (*sql, params.as_slice())).collect()
    }

    /// Returns the place of a statement, if it is among them.
    pub(super) fn place(&self, sql: &str) -> Option<usize> {
        self.all.iter().position(|(each, _)| *each == sql)
    }
}
