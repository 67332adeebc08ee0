-- The last time that a turn or an outcome was written at, to the second. A clock that is behind it at the next start was set
-- back meanwhile. NULL until the first one.
ALTER TABLE instance ADD COLUMN last_at INTEGER;
