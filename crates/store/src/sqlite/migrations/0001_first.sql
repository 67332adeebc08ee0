-- What a lane is, what happened in it, what waits for it and what it sends. `spec 06 §2 to §5`.
--
-- Lanes have a small number inside this file only; every key of lane data begins with it, and the number is
-- found by tenant and lane id. Hashes are bytes here and hex text outside. Times are milliseconds since 1970.

CREATE TABLE tenants (
  tenant           TEXT NOT NULL PRIMARY KEY,
  audit_number     INTEGER NOT NULL DEFAULT 0,
  audit_hash       BLOB NOT NULL DEFAULT (zeroblob(32)),
  pause_by         TEXT,
  pause_since      INTEGER,
  pause_reason     TEXT,
  pause_everything INTEGER
) WITHOUT ROWID;

CREATE TABLE lanes (
  n            INTEGER PRIMARY KEY,
  tenant       TEXT NOT NULL,
  id           TEXT NOT NULL,
  app          TEXT NOT NULL,
  channel      TEXT NOT NULL,
  conversation TEXT NOT NULL,
  thread       TEXT NOT NULL,
  revision     INTEGER NOT NULL DEFAULT 0,
  epoch        INTEGER NOT NULL DEFAULT 0,
  owner        TEXT,
  lease_until  INTEGER NOT NULL DEFAULT 0,
  session      INTEGER NOT NULL DEFAULT 0, -- the opening of the file under which it was claimed
  updated_at   INTEGER NOT NULL,
  log_hash     BLOB NOT NULL DEFAULT (zeroblob(32)),
  last_effect  INTEGER,                  -- the newest outbox row; older ones follow by outbox.prev
  head         TEXT NOT NULL DEFAULT '',
  loaded       TEXT NOT NULL DEFAULT '{}', -- keys of the records that are loaded with it, by kind; all others are retired
  UNIQUE (tenant, id)
);

-- What is found by a key inside one lane, clustered by it: records, and under the empty kind the channel's
-- message ids (body: ours).
CREATE TABLE records (
  lane INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key  TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (lane, kind, key)
) WITHOUT ROWID;

-- Every identity of every delivery. `first` is the delivery key when this is another identity of it.
CREATE TABLE delivery_keys (
  tenant TEXT NOT NULL,
  key    TEXT NOT NULL,
  seq    INTEGER NOT NULL,
  first  TEXT,
  PRIMARY KEY (tenant, key)
) WITHOUT ROWID;

-- Deliveries that wait. Ended ones move to `handled`: this table stays small, and its pages are used again.
CREATE TABLE inbox (
  seq         INTEGER PRIMARY KEY,
  lane        INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  failures    INTEGER NOT NULL DEFAULT 0,
  kind        TEXT NOT NULL,
  key         TEXT NOT NULL,
  event       TEXT NOT NULL
);
CREATE INDEX inbox_by_lane ON inbox (lane);

-- state 1: done, 2: ignored, 3: refused, 4: dead. The event is kept only where no turn has it.
CREATE TABLE handled (
  seq         INTEGER PRIMARY KEY,
  lane        INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  failures    INTEGER NOT NULL,
  state       INTEGER NOT NULL,
  revision    INTEGER,
  kind        TEXT NOT NULL,
  event       TEXT
);

CREATE INDEX handled_dead ON handled (lane) WHERE state = 4;

-- Answers to requests, by Idempotency-Key.
CREATE TABLE requests (
  tenant    TEXT NOT NULL,
  key       TEXT NOT NULL,
  body_hash BLOB,
  status    INTEGER,
  body      TEXT,
  PRIMARY KEY (tenant, key)
) WITHOUT ROWID;

CREATE TABLE turns (
  n          INTEGER PRIMARY KEY,
  tenant     TEXT NOT NULL,
  lane       INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  turn       TEXT NOT NULL,
  decided_at INTEGER NOT NULL,
  prev_hash  BLOB NOT NULL,
  hash       BLOB NOT NULL,
  row        TEXT NOT NULL,
  UNIQUE (lane, revision),
  UNIQUE (tenant, turn)
);

-- The personal part of a turn, under the turn's number: erasable without touching what is hashed.
CREATE TABLE contents (
  n       INTEGER PRIMARY KEY,
  salt    BLOB NOT NULL,
  content TEXT NOT NULL
);

CREATE TABLE checkpoints (
  lane     INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  state    TEXT NOT NULL,
  UNIQUE (lane, revision)
);

-- state 0: pending, 1: decided, 2: expired, 3: superseded, 4: cancelled.
CREATE TABLE approvals (
  n          INTEGER PRIMARY KEY,
  tenant     TEXT NOT NULL,
  card       TEXT NOT NULL,
  version    INTEGER NOT NULL,
  lane       INTEGER NOT NULL,
  state      INTEGER NOT NULL DEFAULT 0,
  expires_at INTEGER,
  approval   TEXT NOT NULL,
  change     TEXT,
  UNIQUE (tenant, card, version)
);
CREATE INDEX approvals_pending ON approvals (tenant) WHERE state = 0;

CREATE TABLE consumptions (
  tenant  TEXT NOT NULL,
  card    TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (tenant, card, version),
  FOREIGN KEY (tenant, card, version) REFERENCES approvals (tenant, card, version)
) WITHOUT ROWID;

-- state 0: planned, 1: attempted, 2: done, 3: failed, 4: uncertain, 5: cancelled.
-- performer 0: us, 1: the host. What the commit itself delivers is not here: it is in the turn.
-- wake: when somebody is next needed (start, retry, end of a lease, a host's deadline); NULL when it has ended.
-- An outward effect names an approval, and whatever is named was consumed: by constraint, not by code.
CREATE TABLE outbox (
  n              INTEGER PRIMARY KEY,
  tenant         TEXT NOT NULL,
  id             TEXT NOT NULL,
  lane           INTEGER NOT NULL,
  revision       INTEGER NOT NULL,
  ordinal        INTEGER NOT NULL,
  class          TEXT NOT NULL,
  outward        INTEGER NOT NULL,
  performer      INTEGER NOT NULL,
  state          INTEGER NOT NULL,
  attempts       INTEGER NOT NULL,
  fence          INTEGER NOT NULL DEFAULT 0,
  wake           INTEGER,
  created_at     INTEGER NOT NULL,
  not_before     INTEGER NOT NULL,
  deadline       INTEGER,
  stream         TEXT NOT NULL,
  card           TEXT,
  version        INTEGER,
  waits          INTEGER NOT NULL,       -- dependencies that are not done
  dependents     INTEGER NOT NULL DEFAULT 0,
  prev           INTEGER,                -- the lane's effect before this one
  depends_on     TEXT,
  payload_sha256 BLOB NOT NULL,
  payload        TEXT NOT NULL,
  UNIQUE (tenant, id),
  CONSTRAINT "an outward effect names a consumed approval" CHECK (outward = 0 OR card IS NOT NULL),
  CHECK ((card IS NULL) = (version IS NULL)),
  FOREIGN KEY (tenant, card, version) REFERENCES consumptions (tenant, card, version)
);
CREATE INDEX outbox_not_done ON outbox (tenant, state) WHERE state > 2;
CREATE INDEX outbox_wakes ON outbox (wake) WHERE wake IS NOT NULL;
CREATE INDEX outbox_streams ON outbox (lane, stream) WHERE wake IS NOT NULL AND performer = 0 AND stream <> '';

-- Beside the outbox row and not in it: a row that grows when it ends would split the full page it lies on.
CREATE TABLE outcomes (
  n       INTEGER PRIMARY KEY,
  outcome TEXT NOT NULL
);

CREATE TABLE dependencies (
  on_effect INTEGER NOT NULL,
  effect    INTEGER NOT NULL,
  PRIMARY KEY (on_effect, effect)
) WITHOUT ROWID;

CREATE TABLE timers (
  tenant TEXT NOT NULL,
  id     TEXT NOT NULL,
  lane   INTEGER NOT NULL,
  due    INTEGER NOT NULL,
  about  TEXT NOT NULL,
  PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX timers_due ON timers (due);

CREATE TABLE tokens (
  tenant  TEXT NOT NULL,
  hash    BLOB NOT NULL,
  lane    INTEGER NOT NULL,
  card    TEXT NOT NULL,
  version INTEGER NOT NULL,
  item    TEXT NOT NULL,
  action  TEXT NOT NULL,
  PRIMARY KEY (tenant, hash)
) WITHOUT ROWID;

CREATE TABLE audit (
  tenant TEXT NOT NULL,
  number INTEGER NOT NULL,
  hash   BLOB NOT NULL,
  row    TEXT NOT NULL,
  PRIMARY KEY (tenant, number)
) WITHOUT ROWID;

CREATE TABLE policies (
  tenant  TEXT NOT NULL,
  version TEXT NOT NULL,
  policy  TEXT NOT NULL,
  PRIMARY KEY (tenant, version)
);

CREATE TABLE documents (
  tenant     TEXT NOT NULL,
  collection TEXT NOT NULL,
  key        TEXT NOT NULL,
  version    INTEGER NOT NULL,
  body       TEXT NOT NULL,
  PRIMARY KEY (tenant, collection, key)
);

-- One row. session: how often the file was opened; a claim or lease of an earlier time is over, because its
-- process is gone. tried_at is written to find out whether anything can be.
CREATE TABLE instance (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  session  INTEGER NOT NULL,
  tried_at INTEGER NOT NULL
);
INSERT INTO instance VALUES (1, 0, 0);
