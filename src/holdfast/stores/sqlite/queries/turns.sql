-- name: turn_filter
-- What a turn must be to count; put in place of /*turn_filter*/.
    (:projects IS NULL OR s.project IN (SELECT value FROM json_each(:projects)))
AND (:session IS NULL OR s.id = :session)
AND (:since IS NULL OR t.at >= :since)
AND (:until IS NULL OR t.at < :until)
AND (:file IS NULL OR EXISTS (
      SELECT 1 FROM json_each(iif(json_valid(t.files), t.files, NULL)) f
      WHERE f.value = :file
         OR substr(f.value, 1, length(:file) + 1) = :file || '/'
         OR substr(f.value, -length(:file) - 1) = '/' || :file))
AND CASE WHEN :contains IS NULL THEN 1 ELSE instr(casefold(CAST(t.text AS BLOB)), :contains) END
AND (:said IS NULL OR :said = (t.tool IS NULL AND lower(t.role) NOT IN ('tool', 'system')))

-- name: turn_columns
-- The columns of a turn in the order rows.py reads them; put in place of /*turn_columns*/.
t.id, s.id, t.role, t.text, t.at, t.ref, t.tool, t.files

-- name: turns_get
-- Turns by id.
SELECT /*turn_columns*/ FROM turn t JOIN session s ON s.seq = t.session
WHERE t.id IN (SELECT value FROM json_each(:ids));

-- name: turns_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail. No index: people ask, rarely.
SELECT id FROM turn WHERE substr(id, -8) = :tail;

-- name: turns_walk
-- Turns in order of arrival, with their rows, from after one of them on, or from where it was.
SELECT t.seq, /*turn_columns*/ FROM turn t JOIN session s ON s.seq = t.session
WHERE t.seq > coalesce((SELECT seq FROM turn WHERE id = :after), :ended, 0) ORDER BY t.seq LIMIT :limit;

-- name: turns_of
-- The turns of a session as recorded.
SELECT /*turn_columns*/ FROM session s JOIN turn t ON t.session = s.seq WHERE s.id = :session ORDER BY t.seq;

-- name: turns_following
-- The turns of a session that came after a certain turn, or from its first.
SELECT /*turn_columns*/ FROM session s JOIN turn t ON t.session = s.seq
WHERE s.id = :session AND t.seq > coalesce((SELECT seq FROM turn WHERE id = :after), 0) ORDER BY t.seq LIMIT :limit;

-- name: turns_leading
-- The last turns of a session up to a certain turn, newest first.
SELECT /*turn_columns*/ FROM session s JOIN turn t ON t.session = s.seq
WHERE s.id = :session AND t.seq <= (SELECT seq FROM turn WHERE id = :upto) ORDER BY t.seq DESC LIMIT :limit;

-- name: turn_with_ref
-- A turn by the caller's own key.
SELECT /*turn_columns*/ FROM session s JOIN turn t ON t.session = s.seq
WHERE s.id = :session AND t.ref = :ref;

-- name: turns_containing
-- Turns that hold a text literally.
SELECT /*turn_columns*/ FROM turn t JOIN session s ON s.seq = t.session
WHERE instr(t.text, :text) ORDER BY t.seq;

-- name: turns_match
-- The best candidates for a full-text query: FTS5 sorts by bm25, the filter sees rows in that order.
SELECT t.id, turn_frequencies(turn_fts)
FROM turn_fts JOIN turn t ON t.seq = turn_fts.rowid JOIN session s ON s.seq = t.session
WHERE turn_fts MATCH :match AND turn_fts.rank MATCH :rank AND /*turn_filter*/
ORDER BY turn_fts.rank LIMIT :limit;

-- name: turns_frequencies
-- In how many turns each index form stands.
SELECT term, doc FROM turn_vocab WHERE term IN (SELECT value FROM json_each(:stems));

-- name: turns_extent
-- How many turns are indexed.
SELECT count(*) FROM turn_fts_docsize;

-- name: turns_words
-- Index forms of turns that begin in a certain way.
SELECT term, doc FROM turn_vocab WHERE term >= :lead AND term < :lead || char(1114111);

-- name: turns_places
-- Where turns stand: session, speaker, time, neighbours, and whether somebody said them.
SELECT t.id, s.id, t.role, t.at,
       (SELECT p.id FROM turn p WHERE p.session = t.session AND p.seq < t.seq ORDER BY p.seq DESC LIMIT 1),
       (SELECT n.id FROM turn n WHERE n.session = t.session AND n.seq > t.seq ORDER BY n.seq LIMIT 1),
       t.tool IS NULL AND lower(t.role) NOT IN ('tool', 'system')
FROM turn t JOIN session s ON s.seq = t.session WHERE t.id IN (SELECT value FROM json_each(:ids));

-- name: turns_around
-- Turns with some of their session before and after each.
SELECT DISTINCT /*turn_columns*/, t.session, t.seq FROM json_each(:ids) wanted JOIN turn a ON a.id = wanted.value
JOIN session s ON s.seq = a.session JOIN turn t ON t.session = a.session AND (
  t.seq IN (SELECT b.seq FROM turn b WHERE b.session = a.session AND b.seq <= a.seq
            ORDER BY b.seq DESC LIMIT :before + 1)
  OR t.seq IN (SELECT n.seq FROM turn n WHERE n.session = a.session AND n.seq > a.seq ORDER BY n.seq LIMIT :after))
ORDER BY t.session, t.seq;

-- name: turns_last
-- The newest turns of sessions, so many of each.
SELECT t.id FROM json_each(:sessions) wanted JOIN session s ON s.id = wanted.value
JOIN turn t ON t.seq IN (SELECT n.seq FROM turn n WHERE n.session = s.seq ORDER BY n.seq DESC LIMIT :limit);

-- name: turn_insert
-- A new turn.
INSERT INTO turn (id, session, at, ref, role, tool, files, identifiers, text)
SELECT :id, s.seq, :at, :ref, :role, :tool, :files, :identifiers, :text FROM session s WHERE s.id = :session;

-- name: turn_counted
-- The counts a session keeps of its turns.
UPDATE session SET turns = turns + 1, tool_calls = tool_calls + (:tool IS NOT NULL),
  last_turn_at = max(coalesce(last_turn_at, 0), :at), heard_at = max(coalesce(heard_at, 0), :heard)
WHERE id = :session;

-- name: turn_replace
-- New text for a turn.
UPDATE turn SET text = :text, at = :at, ref = :ref, role = :role, tool = :tool, files = :files,
  identifiers = :identifiers
WHERE id = :id;
