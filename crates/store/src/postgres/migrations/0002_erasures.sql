-- Erasures that were requested, and when they were done. Ids only, so that the list outlives what was erased.
CREATE TABLE erasures (
  tenant   TEXT COLLATE "C" NOT NULL,
  number   BIGINT NOT NULL,
  what     TEXT NOT NULL,
  asked_at BIGINT NOT NULL,
  done_at  BIGINT,
  PRIMARY KEY (tenant, number)
);

ALTER TABLE erasures ENABLE ROW LEVEL SECURITY;
ALTER TABLE erasures FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON erasures USING (tenant = current_setting('throughline.tenant', true))
  WITH CHECK (tenant = current_setting('throughline.tenant', true));
