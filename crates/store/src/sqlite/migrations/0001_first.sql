-- What a lane is, what happened in it, what waits for it and what it sends. `spec 06 §2 to §5`.
--
-- Lanes have a small number inside this file only; every key of lane data begins with it, and the number is
-- found by tenant and lane id. Hashes are bytes here and hex text outside. Times are milliseconds since 1970.
--
-- A turn touches few pages: what it appends stands at the end of a table, and what it makes in its lane stands
-- next to what the lane's last turn made (`at`, see spot.rs). Why: docs/design/0006.

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
  loaded       BLOB NOT NULL DEFAULT (x''), -- the records that are loaded with it (spot.rs); all others are retired
  UNIQUE (tenant, id)
);

-- What is found by a key inside one lane. `at` is where the id was made: the numbers of one lane rise with its
-- turns. A key that is no id of the lane stands there as it is. `kind` is a number for the kinds we know. Under the
-- empty kind: the channel's message ids (body: ours); under "sent", by our id, the list of the channel's.
CREATE TABLE records (
  lane INTEGER NOT NULL,
  at   NOT NULL,
  kind NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (lane, at, kind)
) WITHOUT ROWID;

-- Every identity of every delivery, as the first 16 bytes of SHA-256 of tenant, NUL, key. `first` is the delivery
-- key when this is another identity of it. Of a delivery that became durable with its turn, and was never in
-- `inbox`, lane, revision and state are here.
CREATE TABLE delivery_keys (
  key       BLOB NOT NULL PRIMARY KEY,
  seq       INTEGER,                     -- of a row in inbox or handled
  lane      INTEGER,
  revision  INTEGER,
  state     INTEGER,
  body_hash BLOB,
  first     TEXT
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

-- state 1: done, 2: ignored, 3: refused, 4: dead. Kind and event are kept only where no turn has them.
CREATE TABLE handled (
  seq         INTEGER PRIMARY KEY,
  lane        INTEGER NOT NULL,
  received_at INTEGER NOT NULL,
  failures    INTEGER NOT NULL,
  state       INTEGER NOT NULL,
  revision    INTEGER,
  kind        TEXT,
  event       TEXT
);

CREATE INDEX handled_dead ON handled (lane) WHERE state = 4;

-- Answers to requests, by Idempotency-Key, and the body hashes of those that delivered no event.
CREATE TABLE requests (
  tenant    TEXT NOT NULL,
  key       TEXT NOT NULL,
  body_hash BLOB,
  status    INTEGER,
  body      TEXT,
  PRIMARY KEY (tenant, key)
) WITHOUT ROWID;

-- A turn's id is made of lane and revision, and the hash before a row is the row before's. Content and salt are the
-- personal part, NULL once it is erased: what is hashed is `row`.
CREATE TABLE turns (
  n          INTEGER PRIMARY KEY,
  lane       INTEGER NOT NULL,
  revision   INTEGER NOT NULL,
  decided_at INTEGER NOT NULL,
  hash       BLOB NOT NULL,
  salt       BLOB,
  row        TEXT NOT NULL,
  content    TEXT,
  UNIQUE (lane, revision)
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

-- The buttons of a turn: of each, the first 16 bytes of the hash of its token, and in the same order what it does,
-- as JSON. One row a turn and no index over the hashes: most are never pressed, and the ones that are, soon.
CREATE TABLE buttons (
  lane     INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  hashes   BLOB NOT NULL,
  about    TEXT NOT NULL,
  PRIMARY KEY (lane, revision)
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
