-- When age hides a memory, and what upkeep looks for: what has faded, what was promoted by itself, what was read
-- longest ago. The rows of an older store get their `fades` from upkeep, a slice at a time.

ALTER TABLE memory ADD COLUMN fades INTEGER;
CREATE INDEX memory_fades ON memory (fades) WHERE fades IS NOT NULL;
CREATE INDEX memory_promoted ON memory (seq) WHERE sources = '["promoted"]' AND valid_until IS NULL;
CREATE INDEX memory_last_read ON memory (coalesce(accessed_at, 0), created_at);
CREATE INDEX session_ended ON session (ended_at) WHERE status = 'completed';

INSERT INTO meta (key, value) SELECT 'total_reads', coalesce(sum(reads), 0) FROM memory;
INSERT INTO meta (key, value)
SELECT 'total_promote', coalesce(sum(json_array_length(ids)), 0) FROM audit WHERE action = 'promote';
