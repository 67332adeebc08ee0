-- Keys of deliveries and tokens of buttons are kept as in SQLite: as the first 16 bytes of a hash, of the tenant, NUL and the
-- key for a delivery. So a store can be copied from there, and less of what a sender put into a key is kept.
--
-- seq: the row of the inbox, of a delivery that did not come with its turn. body_hash: of the request that brought it; that in
-- requests is of a request that delivered nothing.
ALTER TABLE delivery_keys ADD COLUMN seq BIGINT;
ALTER TABLE delivery_keys ADD COLUMN body_hash TEXT;

-- key: the delivery key, while the row waits. keys: every key of the delivery, as it is in delivery_keys.
ALTER TABLE inbox ADD COLUMN keys TEXT[] NOT NULL DEFAULT '{}';
ALTER TABLE inbox DROP CONSTRAINT inbox_pkey;
ALTER TABLE inbox ALTER COLUMN key DROP NOT NULL;
ALTER TABLE requests ALTER COLUMN body_hash DROP NOT NULL;

DO $$
DECLARE name TEXT;
BEGIN
  FOR name IN SELECT tenant FROM directory LOOP
    PERFORM set_config('throughline.tenant', name, true);
    UPDATE delivery_keys k SET seq = i.seq FROM inbox i
      WHERE k.tenant = name AND i.tenant = name AND i.key = coalesce(k.first, k.key) AND k.revision IS NULL;
    UPDATE delivery_keys k SET body_hash = r.body_hash FROM requests r
      WHERE k.tenant = name AND r.tenant = name AND r.key = coalesce(k.first, k.key) AND r.body_hash <> '';
    UPDATE requests r SET body_hash = NULL FROM delivery_keys k
      WHERE r.tenant = name AND k.tenant = name AND k.key = r.key;
    UPDATE delivery_keys SET key = encode(substring(sha256(convert_to(tenant, 'UTF8') || '\x00'::bytea
      || convert_to(key, 'UTF8')) FROM 1 FOR 16), 'hex') WHERE tenant = name;
    UPDATE inbox i SET keys = ARRAY(SELECT encode(substring(sha256(convert_to(name, 'UTF8') || '\x00'::bytea
      || convert_to(k, 'UTF8')) FROM 1 FOR 16), 'hex') FROM unnest(i.more_keys || i.key) AS k) WHERE tenant = name;
    UPDATE inbox SET key = NULL WHERE tenant = name AND state > 0;
    UPDATE buttons SET hash = left(hash, 32) WHERE tenant = name;
  END LOOP;
  PERFORM set_config('throughline.tenant', '', true);
END $$;

ALTER TABLE inbox ADD PRIMARY KEY (tenant, lane, seq);
ALTER TABLE inbox DROP COLUMN more_keys;
