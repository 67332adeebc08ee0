-- Facts of epics and channels: sets that turns of many lanes write.
CREATE TABLE fact_sets (
  tenant   TEXT COLLATE "C" NOT NULL,
  scope    TEXT COLLATE "C" NOT NULL,
  scope_id TEXT COLLATE "C" NOT NULL,
  revision BIGINT NOT NULL,
  used     BIGINT NOT NULL,
  PRIMARY KEY (tenant, scope, scope_id)
);
CREATE TABLE facts (
  tenant   TEXT COLLATE "C" NOT NULL,
  scope    TEXT COLLATE "C" NOT NULL,
  scope_id TEXT COLLATE "C" NOT NULL,
  id       TEXT COLLATE "C" NOT NULL,
  used_at  BIGINT,
  body     TEXT NOT NULL,
  PRIMARY KEY (tenant, scope, scope_id, id)
);
CREATE INDEX facts_by_id ON facts (tenant, id);

ALTER TABLE fact_sets ENABLE ROW LEVEL SECURITY;
ALTER TABLE fact_sets FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON fact_sets USING (tenant = current_setting('throughline.tenant', true))
  WITH CHECK (tenant = current_setting('throughline.tenant', true));

ALTER TABLE facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE facts FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON facts USING (tenant = current_setting('throughline.tenant', true))
  WITH CHECK (tenant = current_setting('throughline.tenant', true));
