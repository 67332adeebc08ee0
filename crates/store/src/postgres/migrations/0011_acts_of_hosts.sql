-- An act that a host asked leave for leaves its thread, too.
ALTER TABLE outbox DROP CONSTRAINT "what leaves a thread is outward";
ALTER TABLE outbox ADD CONSTRAINT "what leaves a thread is outward"
  CHECK (outward OR class NOT IN ('tracker.create', 'tracker.update', 'post.channel', 'host.act'));
