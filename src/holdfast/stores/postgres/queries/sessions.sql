-- name: session_columns
-- The columns of a session in the order rows.py reads them; put in place of /*session_columns*/.
s.id, s.project, s.tenant, s."user", s.agent, s.status, s.ref, s.parent, s.started_at, s.ended_at,
s.last_turn_at, s.summary, s.tool_calls, s.turns, s.private_depth, s.read_to, s.turns_read, s.forked_at,
s.heard_at, s.version

-- name: session_get
-- A session by full id.
SELECT /*session_columns*/ FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.id = %(id)s::uuid /*hold*/;

-- name: session_peek
-- A session by full id, not held: those who look at each other's sessions in passing would wait in a circle.
SELECT /*session_columns*/ FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.id = %(id)s::uuid;

-- name: sessions_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail.
SELECT s.id FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.tail = %(tail)s;

-- name: session_with_ref
-- A session by the caller's own key.
SELECT /*session_columns*/ FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.project = %(project)s AND s.ref = %(ref)s /*hold*/;

-- name: sessions_newest
-- Sessions, newest first.
SELECT /*session_columns*/ FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND (%(project)s::text IS NULL OR s.project = %(project)s::text)
ORDER BY s.started_at DESC, s.seq DESC LIMIT %(limit)s;

-- name: sessions_page
-- Sessions before one of them in time, newest first.
SELECT /*session_columns*/ FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s
  AND (%(before_at)s::bigint IS NULL OR (s.started_at, s.seq) < (%(before_at)s::bigint,
    (SELECT a.seq FROM session a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(before)s::uuid)))
  AND (%(agents)s::text[] IS NULL OR s.agent = ANY (%(agents)s::text[]))
  AND (%(since)s::bigint IS NULL OR s.started_at >= %(since)s::bigint)
  AND (%(until)s::bigint IS NULL OR s.started_at < %(until)s::bigint)
ORDER BY s.started_at DESC, s.seq DESC LIMIT %(limit)s;

-- name: sessions_children
-- The sessions that one was forked into or that worked for it, oldest first.
SELECT /*session_columns*/ FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.parent = %(id)s::uuid
ORDER BY s.started_at, s.seq LIMIT %(limit)s;

-- name: sessions_walk
-- Sessions in order of arrival, from after one of them on.
SELECT /*session_columns*/ FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.seq > coalesce(
  (SELECT a.seq FROM session a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(after)s::uuid), 0)
ORDER BY s.seq LIMIT %(limit)s;

-- name: sessions_silent
-- Active sessions by when they were last heard of, the longest silent first.
SELECT /*session_columns*/ FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.status = 'active'
  AND coalesce(s.heard_at, s.last_turn_at, s.started_at) < %(since)s
ORDER BY coalesce(s.heard_at, s.last_turn_at, s.started_at), s.seq LIMIT %(limit)s;

-- name: session_insert
-- A new session.
INSERT INTO session (
  tenant, place, seq, id, project, "user", agent, status, ref, parent, started_at, ended_at, last_turn_at, summary,
  tool_calls, turns, private_depth, read_to, turns_read, forked_at, heard_at)
VALUES (
  %(tenant)s, %(place)s, nextval('arrival'), %(id)s, %(project)s, %(user)s, %(agent)s, %(status)s, %(ref)s, %(parent)s,
  %(started_at)s, %(ended_at)s, %(last_turn_at)s, %(summary)s, %(tool_calls)s, %(turns)s, %(private_depth)s,
  %(read_to)s, %(turns_read)s, %(forked_at)s, %(heard_at)s);

-- name: session_version
-- Which version of a session there is, held against others who would change it.
SELECT s.version FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.id = %(id)s::uuid FOR NO KEY UPDATE;

-- name: session_replace
-- New state for a session; counts are kept by session_counted.
UPDATE session s SET
  version = s.version + 1, "user" = %(user)s, agent = %(agent)s, status = %(status)s, ref = %(ref)s, parent = %(parent)s,
  ended_at = %(ended_at)s, summary = %(summary)s, private_depth = %(private_depth)s, read_to = %(read_to)s,
  turns_read = %(turns_read)s, heard_at = greatest(s.heard_at, %(heard_at)s::bigint)
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.id = %(id)s::uuid;

-- name: session_counted
-- The counts a session keeps of its turns.
UPDATE session s SET
  turns = s.turns + %(turns)s, tool_calls = s.tool_calls + %(tools)s, size = s.size + %(size)s,
  last_turn_at = greatest(s.last_turn_at, %(at)s::bigint), heard_at = greatest(s.heard_at, %(heard)s::bigint)
WHERE s.tenant = %(tenant)s AND s.place = %(place)s AND s.id = %(id)s::uuid;

-- name: sessions_match
-- How often each index form stands in the turns of each session: what an agent said counts a tenth, the day once.
SELECT s.id, p.term, max(s.size), max((/*turn_filter*/)::int),
       sum(p.said * CASE WHEN lower(t.role) = ANY (%(agent_roles)s::text[]) THEN 0.1::float8 ELSE 1.0::float8 END)
         + max(p.dated::int)
FROM turn_term p
JOIN turn t ON t.tenant = %(tenant)s AND t.place = %(place)s AND t.seq = p.seq
JOIN session s ON s.tenant = %(tenant)s AND s.id = t.session
WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND p.term = ANY (%(stems)s::text[] COLLATE "C")
GROUP BY s.id, s.seq, p.term ORDER BY s.seq, p.term;

-- name: sessions_extent
-- How many sessions there are, and how long they are together.
SELECT count(*), coalesce(sum(s.size), 0)::bigint FROM session s
WHERE s.tenant = %(tenant)s AND s.place = %(place)s;
