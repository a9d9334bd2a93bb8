-- name: hook_columns
-- The columns of a memory that a hook's brief shows; put in place of /*hook_columns*/.
m.id, m.kind, m.title, m.content, m.created_at, m.renewed_at, m.trust, m.status, m.reads, m.files, m.session, m.branch

-- name: hook_current
-- What a memory must be to be told: current, and not a tool's word; put in place of /*hook_current*/.
m.valid_until IS NULL AND (m.expires IS NULL OR m.expires > :now) AND (m.fades IS NULL OR m.fades > :now)
AND m.trust != 'tool'

-- name: hook_pinned
-- What every brief carries: pinned, and neither a tool's word nor imported.
SELECT /*hook_columns*/ FROM memory m
WHERE m.status = 'pinned' AND m.trust IN ('user', 'agent') AND /*hook_current*/
ORDER BY m.created_at DESC LIMIT :limit;

-- name: hook_memories
-- Memories by full id, if they may be told.
SELECT /*hook_columns*/ FROM memory m WHERE m.id IN (SELECT value FROM json_each(:ids)) AND /*hook_current*/;

-- name: hook_rules
-- Memories that bind what comes, among the newest; a hook has no time to look through all.
SELECT /*hook_columns*/ FROM memory m
WHERE m.seq IN (SELECT seq FROM memory ORDER BY created_at DESC, seq DESC LIMIT :among)
  AND m.kind IN ('warning', 'decision', 'preference', 'architecture') AND /*hook_current*/
ORDER BY m.created_at DESC, m.seq DESC LIMIT :limit;

-- name: hook_candidates
-- The best candidates for a full-text query among memories that may be told, best first.
SELECT m.id, memory_frequencies(memory_fts) FROM memory_fts JOIN memory m ON m.seq = memory_fts.rowid
WHERE memory_fts MATCH :match AND memory_fts.rank MATCH :rank AND /*hook_current*/
ORDER BY memory_fts.rank LIMIT :limit;

-- name: hook_turns
-- The best turns for a full-text query, of what people and agents of other sessions said, best first.
SELECT t.id, turn_frequencies(turn_fts), t.role, t.text, t.at, s.id
FROM turn_fts JOIN turn t ON t.seq = turn_fts.rowid JOIN session s ON s.seq = t.session
WHERE turn_fts MATCH :match AND turn_fts.rank MATCH :rank
  AND t.tool IS NULL AND t.role != 'tool' AND s.ref IS NOT :ref
ORDER BY turn_fts.rank LIMIT :limit;

-- name: hook_findings
-- What other sessions found lately and is no memory yet, newest first.
SELECT f.id, f.kind, f.content, f.created_at, f.signals, f.files FROM finding f
JOIN session s ON s.id = f.session
WHERE f.memory IS NULL AND f.created_at >= :since AND s.ref IS NOT :ref
ORDER BY f.created_at DESC, f.seq DESC LIMIT :limit;

-- name: hook_summary
-- How the last session ended that said so.
SELECT s.id, s.summary, coalesce(s.ended_at, s.started_at) FROM session s
WHERE s.summary != '' AND s.ref IS NOT :ref ORDER BY s.started_at DESC, s.seq DESC LIMIT 1;

-- name: hook_conflicts
-- Memories that disagree, both current, nobody having settled it: id and content of each.
SELECT one.id, one.content, other.id, other.content FROM conflict c
JOIN memory one ON one.id = c.first JOIN memory other ON other.id = c.second
WHERE c.resolved_at IS NULL
  AND one.valid_until IS NULL AND (one.expires IS NULL OR one.expires > :now) AND (one.fades IS NULL OR one.fades > :now)
  AND other.valid_until IS NULL AND (other.expires IS NULL OR other.expires > :now)
  AND (other.fades IS NULL OR other.fades > :now)
ORDER BY c.seq DESC LIMIT 50;
