-- An act that a host asked leave for leaves its thread, too.
DROP TRIGGER "what leaves a thread is outward";
CREATE TRIGGER "what leaves a thread is outward" BEFORE INSERT ON outbox
WHEN NEW.outward <> 1 AND NEW.class IN ('tracker.create', 'tracker.update', 'post.channel', 'host.act')
BEGIN
  SELECT RAISE(ABORT, 'what leaves a thread is outward');
END;
