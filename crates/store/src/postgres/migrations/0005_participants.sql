-- People who took part in a lane: whoever did something that a turn decided.
CREATE TABLE participants (
  tenant TEXT COLLATE "C" NOT NULL,
  lane   TEXT COLLATE "C" NOT NULL,
  person TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, lane, person)
);
CREATE INDEX participants_by_person ON participants (tenant, person, lane);

ALTER TABLE participants ENABLE ROW LEVEL SECURITY;
ALTER TABLE participants FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON participants USING (tenant = current_setting('throughline.tenant', true))
  WITH CHECK (tenant = current_setting('throughline.tenant', true));
