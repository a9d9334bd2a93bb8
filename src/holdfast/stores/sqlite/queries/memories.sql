-- name: memory_filter
-- What a memory must be to count; put in place of /*memory_filter*/ in the queries below.
    (:projects IS NULL OR m.project IN (SELECT value FROM json_each(:projects)))
AND (:current_at IS NULL OR (m.valid_until IS NULL AND (m.expires IS NULL OR m.expires > :current_at)
     AND (m.fades IS NULL OR m.fades > :current_at)))
AND (:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
AND (:statuses IS NULL OR m.status IN (SELECT value FROM json_each(:statuses)))
AND (:trusts IS NULL OR m.trust IN (SELECT value FROM json_each(:trusts)))
AND (:agents IS NULL OR m.agent IN (SELECT value FROM json_each(:agents)))
AND (:branches IS NULL OR m.branch IN (SELECT value FROM json_each(:branches)))
AND (:since IS NULL OR m.created_at >= :since)
AND (:until IS NULL OR m.created_at < :until)
AND (:min_importance IS NULL OR m.importance >= :min_importance)
AND (:session IS NULL OR m.session = :session)
AND (:sources IS NULL OR EXISTS (
      SELECT 1 FROM json_each(iif(json_valid(m.sources), m.sources, NULL)) s WHERE s.value IN (SELECT value FROM json_each(:sources))))
AND (:tags IS NULL OR NOT EXISTS (
      SELECT 1 FROM json_each(:tags) t WHERE t.value NOT IN (SELECT value FROM json_each(iif(json_valid(m.tags), m.tags, NULL)))))
AND (:file IS NULL OR EXISTS (
      SELECT 1 FROM json_each(iif(json_valid(m.files), m.files, NULL)) f
      WHERE f.value = :file
         OR substr(f.value, 1, length(:file) + 1) = :file || '/'
         OR substr(f.value, -length(:file) - 1) = '/' || :file))
AND CASE WHEN :contains IS NULL THEN 1
         ELSE instr(casefold(CAST(m.title AS BLOB)), :contains)
           OR instr(casefold(CAST(m.content AS BLOB)), :contains) END

-- name: memory_columns
-- The columns of a memory in the order rows.py reads them; put in place of /*memory_columns*/.
m.id, m.project, m.tenant, m.user, m.kind, m.title, m.content, m.context, m.tags, m.files, m.file_hashes,
m.importance, m.confidence, m.status, m.trust, m.sources, m.session, m.agent, m.branch, m."commit",
m.created_at, m.updated_at, m.renewed_at, m.accessed_at, m.reads, m.valid_from, m.valid_until,
m.superseded_by, m.expires, m.fades, m.fingerprint, m.metadata, m.kind_confidence

-- name: memories_get
-- Memories by full id.
SELECT /*memory_columns*/ FROM memory m WHERE m.id IN (SELECT value FROM json_each(:ids));

-- name: memories_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail.
SELECT id FROM memory WHERE substr(id, -8) = :tail;

-- name: memories_saying
-- Unsuperseded memories of a project by fingerprint.
SELECT /*memory_columns*/ FROM memory m INDEXED BY memory_says
WHERE m.project = :project AND m.valid_until IS NULL
  AND m.fingerprint IN (SELECT value FROM json_each(:fingerprints));

-- name: memories_ever_saying
-- Memories of a project by fingerprint, superseded ones included.
SELECT /*memory_columns*/ FROM memory m INDEXED BY memory_said
WHERE m.project = :project AND m.valid_until IS NOT NULL
  AND m.fingerprint IN (SELECT value FROM json_each(:fingerprints))
UNION ALL
SELECT /*memory_columns*/ FROM memory m INDEXED BY memory_says
WHERE m.project = :project AND m.valid_until IS NULL
  AND m.fingerprint IN (SELECT value FROM json_each(:fingerprints));

-- name: memories_walk
-- Memories in order of arrival, with their rows, from after one of them on, or from where it was.
SELECT m.seq, /*memory_columns*/ FROM memory m
WHERE m.seq > coalesce((SELECT seq FROM memory WHERE id = :after), :ended, 0) ORDER BY m.seq LIMIT :limit;

-- name: memories_quarantined
-- Candidates that were promoted by themselves and not judged since, oldest first.
SELECT /*memory_columns*/ FROM memory m
WHERE m.status = 'candidate' AND m.renewed_at <= :before AND m.valid_until IS NULL
  AND json_valid(m.sources) AND json_valid(m.metadata)
  AND m.sources ->> 0 = :source AND m.metadata ->> :mark IS NULL
ORDER BY m.renewed_at, m.seq LIMIT :limit;

-- name: memories_newest
-- Memories, newest first.
SELECT /*memory_columns*/ FROM memory m WHERE /*memory_filter*/
ORDER BY m.created_at DESC, m.seq DESC LIMIT :limit;

-- name: memories_pinned
-- The pinned memories, newest first: few, and asked for with every brief.
SELECT /*memory_columns*/ FROM memory m WHERE m.status = 'pinned' AND /*memory_filter*/
ORDER BY m.created_at DESC, m.seq DESC LIMIT :limit;

-- name: memories_fade_next
-- The memories that hold and will fade, the soonest first.
SELECT /*memory_columns*/ FROM memory m
WHERE m.fades > :now AND m.valid_until IS NULL AND (m.expires IS NULL OR m.expires > :now)
ORDER BY m.fades, m.seq LIMIT :limit;

-- name: memories_before
-- The memories just before an anchor in time, nearest first.
SELECT /*memory_columns*/ FROM memory m
WHERE (m.created_at, m.seq) < (:created_at, (SELECT seq FROM memory WHERE id = :id)) AND /*memory_filter*/
ORDER BY m.created_at DESC, m.seq DESC LIMIT :window;

-- name: memories_after
-- The memories just after an anchor in time, nearest first.
SELECT /*memory_columns*/ FROM memory m
WHERE (m.created_at, m.seq) > (:created_at, (SELECT seq FROM memory WHERE id = :id)) AND /*memory_filter*/
ORDER BY m.created_at, m.seq LIMIT :window;

-- name: memories_history
-- Everything tied to a memory by supersession, in either direction.
WITH RECURSIVE tied (id) AS (
  SELECT :id
  UNION
  SELECT other.id FROM tied JOIN memory other ON other.superseded_by = tied.id
  UNION
  SELECT mine.superseded_by FROM tied JOIN memory mine ON mine.id = tied.id
  WHERE mine.superseded_by IS NOT NULL
)
SELECT /*memory_columns*/ FROM tied JOIN memory m ON m.id = tied.id ORDER BY m.valid_from, m.seq;

-- name: memories_match
-- The best candidates for a full-text query: FTS5 sorts by bm25, the filter sees rows in that order.
SELECT m.id, memory_frequencies(memory_fts)
FROM memory_fts JOIN memory m ON m.seq = memory_fts.rowid
WHERE memory_fts MATCH :match AND memory_fts.rank MATCH :rank AND /*memory_filter*/
ORDER BY memory_fts.rank LIMIT :limit;

-- name: memories_frequencies
-- In how many memories each index form stands.
SELECT term, doc FROM memory_vocab WHERE term IN (SELECT value FROM json_each(:stems));

-- name: memories_extent
-- How many memories are indexed.
SELECT count(*) FROM memory_fts_docsize;

-- name: memories_words
-- Index forms of memories that begin in a certain way.
SELECT term, doc FROM memory_vocab WHERE term >= :lead AND term < :lead || char(1114111);

-- name: memory_insert
-- A new memory.
INSERT INTO memory (
  id, project, tenant, user, kind, title, content, context, tags, files, file_hashes, importance, confidence,
  status, trust, sources, session, agent, branch, "commit", created_at, updated_at, renewed_at, accessed_at,
  reads, valid_from, valid_until, superseded_by, expires, fingerprint, metadata, kind_confidence, fades,
  identifiers)
VALUES (
  :id, :project, :tenant, :user, :kind, :title, :content, :context, :tags, :files, :file_hashes, :importance,
  :confidence, :status, :trust, :sources, :session, :agent, :branch, :commit, :created_at, :updated_at,
  :renewed_at, :accessed_at, :reads, :valid_from, :valid_until, :superseded_by, :expires, :fingerprint,
  :metadata, :kind_confidence, :fades, :identifiers);

-- name: memory_settle
-- New state for a memory whose indexed text stays as it is.
UPDATE memory SET
  project = :project, tenant = :tenant, created_at = :created_at, fingerprint = :fingerprint,
  importance = :importance, confidence = :confidence, status = :status, trust = :trust, sources = :sources,
  user = :user, session = :session, agent = :agent, branch = :branch, "commit" = :commit,
  updated_at = :updated_at, renewed_at = :renewed_at, accessed_at = :accessed_at, reads = :reads, valid_from = :valid_from, valid_until = :valid_until, superseded_by = :superseded_by,
  expires = :expires, file_hashes = :file_hashes, metadata = :metadata, kind_confidence = :kind_confidence, fades = :fades
WHERE id = :id;

-- name: memory_rewrite
-- New indexed text for a memory.
UPDATE memory SET
  kind = :kind, title = :title, content = :content, context = :context, tags = :tags, files = :files,
  identifiers = :identifiers, fingerprint = :fingerprint
WHERE id = :id;

-- name: memories_count_read
-- One more read of each; enough of them keep it. Those that are there.
UPDATE memory SET reads = reads + 1, accessed_at = :at, fades = iif(reads + 1 >= :enough, NULL, fades)
WHERE id IN (SELECT value FROM json_each(:ids)) RETURNING seq;

-- name: memories_superseded_by
-- What these memories had superseded.
SELECT /*memory_columns*/ FROM memory m WHERE m.superseded_by IN (SELECT value FROM json_each(:ids));

-- name: memories_delete
-- Remove memories.
DELETE FROM memory WHERE id IN (SELECT value FROM json_each(:ids));

-- name: memories_grouped
-- Current memories by kind, status and trust, for the figures of `stats`.
SELECT kind, status, trust, count(*) FROM memory
WHERE valid_until IS NULL AND (expires IS NULL OR expires > :now) AND (fades IS NULL OR fades > :now) GROUP BY kind, status, trust;

-- name: memories_totals
-- All memories, superseded, expired, faded, reads.
SELECT count(*), count(valid_until), count(*) FILTER (WHERE valid_until IS NULL AND expires <= :now),
       count(*) FILTER (WHERE valid_until IS NULL AND (expires IS NULL OR expires > :now) AND fades <= :now),
       coalesce(sum(reads), 0) FROM memory;
