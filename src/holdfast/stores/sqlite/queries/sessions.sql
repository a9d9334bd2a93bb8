-- name: session_columns
-- The columns of a session in the order rows.py reads them; put in place of /*session_columns*/.
s.id, s.project, s.tenant, s.user, s.agent, s.status, s.ref, s.parent, s.started_at, s.ended_at,
s.last_turn_at, s.summary, s.tool_calls, s.turns, s.private_depth, s.read_to, s.turns_read, s.forked_at,
s.heard_at

-- name: session_get
-- A session by full id.
SELECT /*session_columns*/ FROM session s WHERE s.id = :id;

-- name: sessions_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail.
SELECT id FROM session WHERE substr(id, -8) = :tail;

-- name: session_with_ref
-- A session by the caller's own key.
SELECT /*session_columns*/ FROM session s WHERE s.project = :project AND s.ref = :ref;

-- name: sessions_newest
-- Sessions, newest first.
SELECT /*session_columns*/ FROM session s WHERE :project IS NULL OR s.project = :project
ORDER BY s.started_at DESC, s.seq DESC LIMIT :limit;

-- name: sessions_page
-- Sessions before one of them in time, newest first.
SELECT /*session_columns*/ FROM session s
WHERE (:before_at IS NULL OR (s.started_at, s.seq) < (:before_at, (SELECT seq FROM session WHERE id = :before)))
  AND (:agents IS NULL OR s.agent IN (SELECT value FROM json_each(:agents)))
  AND (:since IS NULL OR s.started_at >= :since) AND (:until IS NULL OR s.started_at < :until)
ORDER BY s.started_at DESC, s.seq DESC LIMIT :limit;

-- name: sessions_children
-- The sessions that one was forked into or that worked for it, oldest first.
SELECT /*session_columns*/ FROM session s WHERE s.parent = :id ORDER BY s.started_at, s.seq LIMIT :limit;

-- name: sessions_walk
-- Sessions in order of arrival, from after one of them on.
SELECT /*session_columns*/ FROM session s
WHERE s.seq > coalesce((SELECT seq FROM session WHERE id = :after), 0) ORDER BY s.seq LIMIT :limit;

-- name: sessions_silent
-- Active sessions by when they were last heard of, the longest silent first.
SELECT /*session_columns*/ FROM session s
WHERE s.status = 'active' AND coalesce(s.heard_at, s.last_turn_at, s.started_at) < :since
ORDER BY coalesce(s.heard_at, s.last_turn_at, s.started_at) LIMIT :limit;

-- name: session_insert
-- A new session.
INSERT INTO session (id, project, tenant, user, agent, status, ref, parent, started_at, ended_at, last_turn_at,
                     summary, tool_calls, turns, private_depth, read_to, turns_read, forked_at, heard_at)
VALUES (:id, :project, :tenant, :user, :agent, :status, :ref, :parent, :started_at, :ended_at, :last_turn_at,
        :summary, :tool_calls, :turns, :private_depth, :read_to, :turns_read, :forked_at,
        :heard_at);

-- name: session_replace
-- New state for a session; counts are kept by turn_counted.
UPDATE session SET project = :project, tenant = :tenant, started_at = :started_at, forked_at = :forked_at,
  user = :user, agent = :agent, status = :status, ref = :ref, parent = :parent,
  ended_at = :ended_at, summary = :summary, private_depth = :private_depth, read_to = :read_to, turns_read = :turns_read,
  heard_at = nullif(max(coalesce(heard_at, 0), coalesce(:heard_at, 0)), 0)
WHERE id = :id;

-- name: sessions_match
-- How often each index form stands in the turns of each session: what an agent said counts a tenth, the day once.
SELECT s.id, v.term, max(s.size), max(/*turn_filter*/),
       sum((v.col != 'day') * CASE WHEN lower(t.role) IN ('assistant', 'system', 'tool', 'agent', 'model')
                                   THEN 0.1 ELSE 1.0 END) + max(v.col = 'day')
FROM json_each(:stems) wanted CROSS JOIN turn_word v ON v.term = wanted.value
JOIN turn t ON t.seq = v.doc JOIN session s ON s.seq = t.session
GROUP BY t.session, v.term ORDER BY t.session, v.term;

-- name: sessions_extent
-- How many sessions there are, and how long they are together.
SELECT count(*), coalesce(sum(size), 0) FROM session;
