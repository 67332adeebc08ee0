-- Erasures that were requested, and when they were done. Ids only, so that the list outlives what was erased.
CREATE TABLE erasures (
  tenant   TEXT NOT NULL,
  number   INTEGER NOT NULL,
  what     TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  done_at  INTEGER,
  PRIMARY KEY (tenant, number)
) WITHOUT ROWID;
