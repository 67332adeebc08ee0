-- What each consumed approval releases: the hash of the bytes of every effect. An outward effect refers to its own hash
-- there, so that a foreign key and no trigger refuses what was not approved.
CREATE TABLE releases (
  tenant         TEXT COLLATE "C" NOT NULL,
  card           TEXT COLLATE "C" NOT NULL,
  version        BIGINT NOT NULL,
  payload_sha256 TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, card, version, payload_sha256),
  FOREIGN KEY (tenant, card, version) REFERENCES consumptions (tenant, card, version)
);
ALTER TABLE outbox ADD COLUMN released TEXT COLLATE "C";
ALTER TABLE outbox ADD CONSTRAINT "an outward effect keeps its hash and its approval"
  CHECK ((outward AND released IS NOT NULL AND released = payload_sha256) OR (NOT outward AND released IS NULL));
ALTER TABLE outbox ADD CONSTRAINT "an outward effect is one that was approved"
  FOREIGN KEY (tenant, card, version, released) REFERENCES releases (tenant, card, version, payload_sha256);

ALTER TABLE releases ENABLE ROW LEVEL SECURITY;
ALTER TABLE releases FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON releases USING (tenant = current_setting('throughline.tenant', true))
  WITH CHECK (tenant = current_setting('throughline.tenant', true));
