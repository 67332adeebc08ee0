-- Lanes, their turns, the deliveries that wait for them and the effects that they send.
--
-- Every key leads with the tenant, and lane data goes on with the lane's id, so that all of one lane is in one place of a
-- distributed server (docs/postgresql.md). Hashes are hex text. Times are milliseconds since 1970.
--
-- Positions (`position`, `seq`, `n`) order what is inserted. The process makes them from the time, and within a lane, whose row
-- is locked, each is higher than the one before. No sequence: nodes of a distributed server hand out ranges of one.

-- The names of the tenants and nothing else: readable by all, so that workers find the tenants they serve.
CREATE TABLE directory (
  tenant TEXT COLLATE "C" PRIMARY KEY
);

CREATE TABLE tenants (
  tenant           TEXT COLLATE "C" PRIMARY KEY,
  audit_number     BIGINT NOT NULL DEFAULT 0,
  audit_hash       TEXT NOT NULL DEFAULT repeat('0', 64),
  pause_by         TEXT,
  pause_since      BIGINT,
  pause_reason     TEXT,
  pause_everything BOOLEAN,
  tried_at         BIGINT NOT NULL DEFAULT 0
);

-- waiting: number of inbox rows that wait. position: the last one that was used in the lane. Both change under the row's
-- lock, and no index has them, so that a turn rewrites the row in its place.
CREATE TABLE lanes (
  tenant       TEXT COLLATE "C" NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  app          TEXT NOT NULL,
  channel      TEXT NOT NULL,
  conversation TEXT NOT NULL,
  thread       TEXT NOT NULL,
  revision     BIGINT NOT NULL DEFAULT 0,
  epoch        BIGINT NOT NULL DEFAULT 0,
  owner        TEXT,
  lease_until  BIGINT NOT NULL DEFAULT 0,
  updated_at   BIGINT NOT NULL,
  waiting      BIGINT NOT NULL DEFAULT 0,
  position     BIGINT NOT NULL DEFAULT 0,
  log_hash     TEXT NOT NULL DEFAULT repeat('0', 64),
  head         TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (tenant, id)
);

CREATE TABLE records (
  tenant TEXT COLLATE "C" NOT NULL,
  lane   TEXT COLLATE "C" NOT NULL,
  kind   TEXT COLLATE "C" NOT NULL,
  key    TEXT COLLATE "C" NOT NULL,
  loaded BOOLEAN NOT NULL,
  body   TEXT NOT NULL,
  PRIMARY KEY (tenant, lane, kind, key)
);

-- The channel's message ids and ours.
CREATE TABLE messages (
  tenant     TEXT COLLATE "C" NOT NULL,
  lane       TEXT COLLATE "C" NOT NULL,
  channel_id TEXT COLLATE "C" NOT NULL,
  ours       TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, lane, channel_id)
);
CREATE TABLE sent (
  tenant     TEXT COLLATE "C" NOT NULL,
  lane       TEXT COLLATE "C" NOT NULL,
  ours       TEXT COLLATE "C" NOT NULL,
  channel_id TEXT COLLATE "C" NOT NULL,
  n          BIGINT NOT NULL,
  PRIMARY KEY (tenant, lane, ours, channel_id)
);

-- Every key of every delivery. The primary key decides what is a duplicate. `first` is the delivery key, where it is another.
-- A delivery that came with its turn has no row in the inbox: its keys name the turn and the state.
CREATE TABLE delivery_keys (
  tenant   TEXT COLLATE "C" NOT NULL,
  key      TEXT COLLATE "C" NOT NULL,
  first    TEXT COLLATE "C",
  lane     TEXT COLLATE "C" NOT NULL,
  revision BIGINT,
  state    BIGINT,
  PRIMARY KEY (tenant, key),
  CHECK ((revision IS NULL) = (state IS NULL))
);

-- state 0: waits, 1: done, 2: ignored, 3: refused, 4: dead. The event is kept only where no turn has it.
CREATE TABLE inbox (
  tenant      TEXT COLLATE "C" NOT NULL,
  key         TEXT COLLATE "C" NOT NULL,
  more_keys   TEXT[] NOT NULL,
  seq         BIGINT NOT NULL,
  lane        TEXT COLLATE "C" NOT NULL,
  received_at BIGINT NOT NULL,
  failures    BIGINT NOT NULL DEFAULT 0,
  state       BIGINT NOT NULL,
  revision    BIGINT,
  kind        TEXT NOT NULL,
  event       TEXT,
  PRIMARY KEY (tenant, key)
);
CREATE UNIQUE INDEX inbox_waiting ON inbox (tenant, lane, seq) WHERE state = 0;
CREATE INDEX inbox_ended ON inbox (tenant, lane) WHERE state > 0 AND event IS NOT NULL;

CREATE TABLE requests (
  tenant    TEXT COLLATE "C" NOT NULL,
  key       TEXT COLLATE "C" NOT NULL,
  body_hash TEXT NOT NULL,
  status    BIGINT,
  body      TEXT,
  PRIMARY KEY (tenant, key)
);

-- Content and salt are the personal part and NULL once they are erased: the hash covers `row`.
CREATE TABLE turns (
  tenant     TEXT COLLATE "C" NOT NULL,
  lane       TEXT COLLATE "C" NOT NULL,
  revision   BIGINT NOT NULL,
  turn       TEXT COLLATE "C" NOT NULL,
  position   BIGINT NOT NULL,
  decided_at BIGINT NOT NULL,
  prev_hash  TEXT NOT NULL,
  hash       TEXT NOT NULL,
  row        TEXT NOT NULL,
  content    TEXT,
  salt       TEXT,
  checkpoint TEXT,
  PRIMARY KEY (tenant, lane, revision),
  UNIQUE (tenant, turn)
);
CREATE INDEX turns_latest ON turns (tenant, position);

-- state 0: pending, 1: decided, 2: expired, 3: superseded, 4: cancelled.
CREATE TABLE approvals (
  tenant     TEXT COLLATE "C" NOT NULL,
  card       TEXT COLLATE "C" NOT NULL,
  version    BIGINT NOT NULL,
  n          BIGINT NOT NULL,
  lane       TEXT COLLATE "C" NOT NULL,
  state      BIGINT NOT NULL DEFAULT 0,
  expires_at BIGINT,
  approval   TEXT NOT NULL,
  change     TEXT,
  PRIMARY KEY (tenant, card, version)
);
CREATE INDEX approvals_pending ON approvals (tenant, n) WHERE state = 0;

CREATE TABLE consumptions (
  tenant  TEXT COLLATE "C" NOT NULL,
  card    TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  PRIMARY KEY (tenant, card, version),
  FOREIGN KEY (tenant, card, version) REFERENCES approvals (tenant, card, version)
);

-- state 0: planned, 1: attempted, 2: done, 3: failed, 4: uncertain, 5: cancelled.
-- performer 0: us, 1: the host. wake: next time at which there is work; NULL when it has ended.
CREATE TABLE outbox (
  tenant         TEXT COLLATE "C" NOT NULL,
  id             TEXT COLLATE "C" NOT NULL,
  n              BIGINT NOT NULL,
  lane           TEXT COLLATE "C" NOT NULL,
  revision       BIGINT NOT NULL,
  ordinal        BIGINT NOT NULL,
  class          TEXT NOT NULL,
  outward        BOOLEAN NOT NULL,
  performer      BIGINT NOT NULL,
  state          BIGINT NOT NULL,
  attempts       BIGINT NOT NULL,
  fence          BIGINT NOT NULL DEFAULT 0,
  wake           BIGINT,
  created_at     BIGINT NOT NULL,
  not_before     BIGINT NOT NULL,
  deadline       BIGINT,
  stream         TEXT COLLATE "C" NOT NULL,
  card           TEXT COLLATE "C",
  version        BIGINT,
  waits          BIGINT NOT NULL,
  depends_on     TEXT[] NOT NULL,
  posts_card     TEXT,
  payload_sha256 TEXT NOT NULL,
  payload        TEXT NOT NULL,
  outcome        TEXT,
  PRIMARY KEY (tenant, id),
  CONSTRAINT "an outward effect names a consumed approval" CHECK (NOT outward OR card IS NOT NULL),
  CHECK ((card IS NULL) = (version IS NULL)),
  CONSTRAINT "what leaves a thread is outward"
    CHECK (outward OR class NOT IN ('tracker.create', 'tracker.update', 'post.channel')),
  CONSTRAINT "an approval that is named was consumed"
    FOREIGN KEY (tenant, card, version) REFERENCES consumptions (tenant, card, version)
);
CREATE INDEX outbox_lane ON outbox (tenant, lane, n);
CREATE INDEX outbox_wakes ON outbox (tenant, wake) WHERE wake IS NOT NULL;
CREATE INDEX outbox_streams ON outbox (tenant, lane, stream, n) WHERE wake IS NOT NULL AND performer = 0;

CREATE TABLE dependencies (
  tenant    TEXT COLLATE "C" NOT NULL,
  on_effect TEXT COLLATE "C" NOT NULL,
  effect    TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, on_effect, effect)
);

CREATE TABLE timers (
  tenant TEXT COLLATE "C" NOT NULL,
  id     TEXT COLLATE "C" NOT NULL,
  lane   TEXT COLLATE "C" NOT NULL,
  due    BIGINT NOT NULL,
  about  TEXT NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX timers_due ON timers (tenant, due);

CREATE TABLE buttons (
  tenant  TEXT COLLATE "C" NOT NULL,
  lane    TEXT COLLATE "C" NOT NULL,
  hash    TEXT COLLATE "C" NOT NULL,
  card    TEXT NOT NULL,
  version BIGINT NOT NULL,
  item    TEXT NOT NULL,
  action  TEXT NOT NULL,
  PRIMARY KEY (tenant, lane, hash)
);

CREATE TABLE audit (
  tenant TEXT COLLATE "C" NOT NULL,
  number BIGINT NOT NULL,
  hash   TEXT NOT NULL,
  row    TEXT NOT NULL,
  PRIMARY KEY (tenant, number)
);

CREATE TABLE policies (
  tenant  TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  policy  TEXT NOT NULL,
  PRIMARY KEY (tenant, version)
);

CREATE TABLE documents (
  tenant     TEXT COLLATE "C" NOT NULL,
  collection TEXT COLLATE "C" NOT NULL,
  key        TEXT COLLATE "C" NOT NULL,
  version    BIGINT NOT NULL,
  body       TEXT NOT NULL,
  PRIMARY KEY (tenant, collection, key)
);

-- Row-level security. A transaction names its tenant and sees, and writes, no other; without a name it sees nothing. The
-- owner of the tables is bound by it, too.
DO $$
DECLARE name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['tenants', 'lanes', 'records', 'messages', 'sent', 'delivery_keys', 'inbox',
    'requests', 'turns', 'approvals', 'consumptions', 'outbox', 'dependencies', 'timers', 'buttons', 'audit', 'policies',
    'documents'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY one_tenant ON %I USING (tenant = current_setting(''throughline.tenant'', true)) '
      'WITH CHECK (tenant = current_setting(''throughline.tenant'', true))', name);
  END LOOP;
END $$;
ALTER TABLE directory ENABLE ROW LEVEL SECURITY;
ALTER TABLE directory FORCE ROW LEVEL SECURITY;
CREATE POLICY names ON directory FOR SELECT USING (true);
CREATE POLICY one_tenant ON directory FOR INSERT WITH CHECK (tenant = current_setting('throughline.tenant', true));
