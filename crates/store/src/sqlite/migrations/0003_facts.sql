-- The facts of epics and channels: sets that turns of many lanes write. `spec 05 §8`
--
-- revision: how often a set was written; what a turn compares. used: how often something of it was used since.
CREATE TABLE fact_sets (
  n        INTEGER PRIMARY KEY,
  tenant   TEXT NOT NULL,
  scope    TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  used     INTEGER NOT NULL,
  UNIQUE (tenant, scope, scope_id)
);

-- used_at stands beside the body, so that showing a fact does not write it anew.
CREATE TABLE facts (
  fact_set INTEGER NOT NULL,
  id       TEXT NOT NULL,
  used_at  INTEGER,
  body     TEXT NOT NULL,
  PRIMARY KEY (fact_set, id)
) WITHOUT ROWID;
CREATE INDEX facts_by_id ON facts (id);
