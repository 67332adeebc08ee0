-- What each consumed approval releases: the hash of the bytes of every effect. Written with the decision, and never changed:
-- erasing words leaves hashes.
CREATE TABLE releases (
  tenant         TEXT NOT NULL,
  card           TEXT NOT NULL,
  version        INTEGER NOT NULL,
  payload_sha256 BLOB NOT NULL,
  PRIMARY KEY (tenant, card, version, payload_sha256),
  FOREIGN KEY (tenant, card, version) REFERENCES consumptions (tenant, card, version)
) WITHOUT ROWID;

-- 1 for approvals that were consumed before there was a list: what they release is known by their payload alone.
ALTER TABLE consumptions ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
UPDATE consumptions SET unlisted = 1;

CREATE TRIGGER "an outward effect is one that was approved" BEFORE INSERT ON outbox
WHEN NEW.outward = 1
  AND NOT EXISTS (SELECT 1 FROM releases r WHERE r.tenant = NEW.tenant AND r.card = NEW.card AND r.version = NEW.version
                  AND r.payload_sha256 = NEW.payload_sha256)
  AND NOT EXISTS (SELECT 1 FROM consumptions c WHERE c.tenant = NEW.tenant AND c.card = NEW.card
                  AND c.version = NEW.version AND c.unlisted = 1)
BEGIN
  SELECT RAISE(ABORT, 'an outward effect is one that was approved');
END;

-- Calls leave a thread if their risk says so, which only their bytes know.
CREATE TRIGGER "what leaves a thread is outward" BEFORE INSERT ON outbox
WHEN NEW.outward <> 1 AND NEW.class IN ('tracker.create', 'tracker.update', 'post.channel')
BEGIN
  SELECT RAISE(ABORT, 'what leaves a thread is outward');
END;

CREATE TRIGGER "an outward effect keeps its hash and its approval"
BEFORE UPDATE OF payload_sha256, card, version, outward, class ON outbox
WHEN OLD.outward = 1 AND (NEW.payload_sha256 <> OLD.payload_sha256 OR NEW.card IS NOT OLD.card
  OR NEW.version IS NOT OLD.version OR NEW.outward <> 1 OR NEW.class <> OLD.class)
BEGIN
  SELECT RAISE(ABORT, 'an outward effect keeps its hash and its approval');
END;

CREATE TRIGGER "what was released stays as it was" BEFORE UPDATE ON releases
BEGIN
  SELECT RAISE(ABORT, 'what was released stays as it was');
END;

CREATE TRIGGER "what was released stays listed" BEFORE DELETE ON releases
BEGIN
  SELECT RAISE(ABORT, 'what was released stays listed');
END;
