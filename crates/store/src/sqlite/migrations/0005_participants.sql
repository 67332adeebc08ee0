-- People who took part in a lane: whoever did something that a turn decided.
CREATE TABLE participants (
  lane   INTEGER NOT NULL,
  person TEXT NOT NULL,
  PRIMARY KEY (lane, person)
) WITHOUT ROWID;
CREATE INDEX participants_by_person ON participants (person);

-- The turns of earlier versions name them as the actors of their events.
INSERT OR IGNORE INTO participants (lane, person)
SELECT lane, content ->> '$.event.actor' FROM turns
WHERE content IS NOT NULL AND json_valid(content) AND coalesce(content ->> '$.event.actor', '') <> ''
  AND row ->> '$.decision.outcome' NOT IN ('ignored', 'refused');
