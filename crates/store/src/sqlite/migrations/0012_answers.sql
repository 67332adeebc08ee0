-- Answers in the order in which they were given. Under their keys a page held no answer of a kilobyte, and each took a page
-- of its own beside it.
CREATE TABLE answers (
  n         INTEGER PRIMARY KEY,
  tenant    TEXT NOT NULL,
  key       TEXT NOT NULL,
  body_hash BLOB,
  status    INTEGER,
  body      TEXT,
  UNIQUE (tenant, key)
);
INSERT INTO answers (tenant, key, body_hash, status, body) SELECT tenant, key, body_hash, status, body FROM requests;
DROP TABLE requests;
ALTER TABLE answers RENAME TO requests;
