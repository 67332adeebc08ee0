-- What people asked to have erased, and when it was done (`spec 06 §7.6`). Ids only: the list outlives what it is about.
CREATE TABLE erasures (
  tenant   TEXT NOT NULL,
  number   INTEGER NOT NULL,
  what     TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  done_at  INTEGER,
  PRIMARY KEY (tenant, number)
) WITHOUT ROWID;
