-- People, lane and words of documents: erasure goes by these, never by what a key or a body looks like.
ALTER TABLE documents ADD COLUMN people TEXT[] NOT NULL DEFAULT '{}';
ALTER TABLE documents ADD COLUMN lane TEXT;
ALTER TABLE documents ADD COLUMN words BOOLEAN NOT NULL DEFAULT false;
