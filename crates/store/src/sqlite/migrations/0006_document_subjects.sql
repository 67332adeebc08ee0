-- People (a JSON array), lane and words of documents: erasure goes by these, never by what a key or a body looks like.
ALTER TABLE documents ADD COLUMN people TEXT NOT NULL DEFAULT '[]';
ALTER TABLE documents ADD COLUMN lane TEXT;
ALTER TABLE documents ADD COLUMN words INTEGER NOT NULL DEFAULT 0;

-- Titles of a person's web conversations: the collection ends in the person, the conversation is called person:key.
UPDATE documents SET
  people = json_array(substr(collection, 19)),
  lane = (SELECT l.id FROM lanes l WHERE l.tenant = documents.tenant AND l.channel = 'web'
          AND l.conversation = substr(collection, 19) || ':' || key LIMIT 1)
WHERE substr(collection, 1, 18) = 'web.conversations.';

UPDATE documents SET people = json_array(key) WHERE collection = 'telegram.people';

UPDATE documents SET people = json_array(key, body ->> '$')
WHERE collection IN ('telegram.accounts', 'telegram.numbers') AND json_valid(body);

UPDATE documents SET people = json_array(body ->> '$.user', coalesce(body ->> '$.used_by', body ->> '$.user'))
WHERE collection = 'telegram.links' AND json_valid(body);

UPDATE documents SET words = 1 WHERE substr(collection, 1, 15) = 'tracker.issues.';
