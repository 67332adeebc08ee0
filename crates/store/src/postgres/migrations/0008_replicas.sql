-- Processes that share the store, and when each was last seen. Names and times only, readable by all.
CREATE TABLE replicas (
  id   TEXT COLLATE "C" PRIMARY KEY,
  seen BIGINT NOT NULL
);

-- The process that holds a lane, and the one that leased an effect: when it is gone, so is its lease.
ALTER TABLE lanes ADD COLUMN holder TEXT COLLATE "C";
ALTER TABLE outbox ADD COLUMN leased_by TEXT COLLATE "C";
