-- Facts of epics and channels: sets that turns of many lanes write.
--
-- revision: number of writes, compared by a turn. used: number of times that a use moved a `used_at`.
CREATE TABLE fact_sets (
  n        INTEGER PRIMARY KEY,
  tenant   TEXT NOT NULL,
  scope    TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  used     INTEGER NOT NULL,
  UNIQUE (tenant, scope, scope_id)
);

-- used_at is a column of its own, so that showing a fact does not write its body again.
CREATE TABLE facts (
  fact_set INTEGER NOT NULL,
  id       TEXT NOT NULL,
  used_at  INTEGER,
  body     TEXT NOT NULL,
  PRIMARY KEY (fact_set, id)
) WITHOUT ROWID;
CREATE INDEX facts_by_id ON facts (id);
