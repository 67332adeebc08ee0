-- The order of a tenant's turns over all lanes, for whoever follows them. A turn gets its position in the last statement of its
-- transaction, above the one in this row, which stays locked until the commit: so no turn becomes visible below another one
-- that was seen before it (docs/design/0070-one-stream.md).
CREATE TABLE turn_positions (
  tenant   TEXT COLLATE "C" PRIMARY KEY,
  position BIGINT NOT NULL
);
ALTER TABLE turn_positions ENABLE ROW LEVEL SECURITY;
ALTER TABLE turn_positions FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON turn_positions USING (tenant = current_setting('throughline.tenant', true))
  WITH CHECK (tenant = current_setting('throughline.tenant', true));

-- Two processes seldom gave two turns one position. Each of those, and what is in its way, moves up; the order stays.
DO $$
DECLARE name TEXT;
BEGIN
  FOR name IN SELECT tenant FROM directory LOOP
    PERFORM set_config('throughline.tenant', name, true);
    WITH numbered AS (
      SELECT lane, revision, position, row_number() OVER (ORDER BY position, lane, revision) AS n
      FROM turns WHERE tenant = name
    ), apart AS (
      SELECT lane, revision, n + max(position - n) OVER (ORDER BY n) AS position FROM numbered
    )
    UPDATE turns t SET position = a.position FROM apart a
      WHERE t.tenant = name AND t.lane = a.lane AND t.revision = a.revision AND t.position <> a.position;
    INSERT INTO turn_positions (tenant, position)
      SELECT name, max(position) FROM turns WHERE tenant = name HAVING count(*) > 0;
  END LOOP;
  PERFORM set_config('throughline.tenant', '', true);
END $$;

DROP INDEX turns_latest;
CREATE UNIQUE INDEX turns_by_position ON turns (tenant, position);
