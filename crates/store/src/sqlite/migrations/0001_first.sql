-- Lanes, their turns, the deliveries that wait for them and the effects that they send.
--
-- A lane has a small number that is used inside this file only. Every key of lane data begins with it; tenant and lane
-- id lead to it. Hashes are bytes here and hex text outside. Times are milliseconds since 1970.
--
-- A turn touches few pages: what it appends is at the end of a table, and the records it makes are next to those of the
-- lane's last turn (`at`, see record_key.rs). Why: docs/design/0006-what-a-turn-writes.md.

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
  loaded       BLOB NOT NULL DEFAULT (x''), -- the records that are loaded with it (record_key.rs); all others are retired
  UNIQUE (tenant, id)
);

-- Records by key within a lane. `at` is the place that the record's id names: the numbers of one lane rise with its turns.
-- A key that is no id of the lane is there as it is. `kind` is a number for some kinds and the name of the others. Rows of
-- the empty kind map a channel's message id to ours; rows of the kind "sent" list the channel's ids of one of ours.
CREATE TABLE records (
  lane INTEGER NOT NULL,
  at   NOT NULL,
  kind NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (lane, at, kind)
) WITHOUT ROWID;

-- Every key of every delivery, as the first 16 bytes of SHA-256 of tenant, NUL, key. `first` is the delivery key, if this
-- is another key of the delivery. A delivery that came with its turn was never in `inbox`: its lane, revision and state
-- are here.
CREATE TABLE delivery_keys (
  key       BLOB NOT NULL PRIMARY KEY,
  seq       INTEGER,                     -- of a row in inbox or handled
  lane      INTEGER,
  revision  INTEGER,
  state     INTEGER,
  body_hash BLOB,
  first     TEXT
) WITHOUT ROWID;

-- Deliveries that wait. Ended ones move to `handled`, so that this table stays small and its pages are used again.
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

-- Answers of requests by Idempotency-Key, and the body hashes of requests that delivered no event.
CREATE TABLE requests (
  tenant    TEXT NOT NULL,
  key       TEXT NOT NULL,
  body_hash BLOB,
  status    INTEGER,
  body      TEXT,
  PRIMARY KEY (tenant, key)
) WITHOUT ROWID;

-- A turn's id consists of lane and revision. The previous hash is the hash of the previous row. Content and salt are the
-- personal part and NULL once they are erased: the hash covers `row`.
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
-- performer 0: us, 1: the host. A message that the commit itself delivers is in its turn and not here.
-- wake: next time at which there is work (start, retry, end of a lease, a host's deadline); NULL when it has ended.
-- Constraints: an outward effect names an approval, and a named approval was consumed.
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

-- In a table of its own: an outbox row that grew when its effect ends would split the full page it is on.
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

-- The buttons of a turn: the first 16 bytes of the hash of each token, and in the same order their actions as JSON. One row
-- for a turn and no index over the hashes: most buttons are never pressed, and the others soon after they were shown.
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

-- One row. session: number of times that the file was opened; claims and leases of earlier sessions are over, because
-- their process is gone. tried_at is written to try whether the file takes writes.
CREATE TABLE instance (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  session  INTEGER NOT NULL,
  tried_at INTEGER NOT NULL
);
INSERT INTO instance VALUES (1, 0, 0);
