-- A store of schema 4, frozen: never edited.
PRAGMA application_id = 1752132708;
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value NOT NULL
) WITHOUT ROWID;
CREATE TABLE memory (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  project       TEXT NOT NULL,
  tenant        TEXT NOT NULL,
  user          TEXT NOT NULL,
  kind          TEXT NOT NULL,
  status        TEXT NOT NULL,
  trust         TEXT NOT NULL,
  importance    REAL NOT NULL,
  confidence    REAL NOT NULL,
  created_at    INTEGER NOT NULL,
  updated_at    INTEGER NOT NULL,
  renewed_at    INTEGER NOT NULL,
  accessed_at   INTEGER,
  reads         INTEGER NOT NULL,
  valid_from    INTEGER NOT NULL,
  valid_until   INTEGER,
  superseded_by TEXT,
  expires       INTEGER,
  fingerprint   TEXT NOT NULL,
  session       TEXT,
  agent         TEXT,
  branch        TEXT,
  "commit"      TEXT,
  sources       TEXT NOT NULL,
  tags          TEXT NOT NULL,
  files         TEXT NOT NULL,
  file_hashes   TEXT NOT NULL,
  metadata      TEXT NOT NULL,
  title         TEXT NOT NULL,
  context       TEXT NOT NULL,
  identifiers   TEXT NOT NULL,
  content       TEXT NOT NULL
, kind_confidence REAL);
CREATE UNIQUE INDEX memory_says ON memory (project, fingerprint) WHERE valid_until IS NULL;
CREATE INDEX memory_tail ON memory (substr(id, -8));
CREATE INDEX memory_time ON memory (created_at, seq);
CREATE INDEX memory_superseded_by ON memory (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_pinned ON memory (status) WHERE status = 'pinned';
CREATE VIRTUAL TABLE memory_fts USING fts5 (
  content, title, tags, files, context, kind, identifiers,
  content = 'memory', content_rowid = 'seq', tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE memory_vocab USING fts5vocab (memory_fts, row);
CREATE TABLE session (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,
  project      TEXT NOT NULL,
  tenant       TEXT NOT NULL,
  user         TEXT NOT NULL,
  agent        TEXT NOT NULL,
  status       TEXT NOT NULL,
  ref          TEXT,
  parent       TEXT,
  started_at   INTEGER NOT NULL,
  ended_at     INTEGER,
  last_turn_at INTEGER,
  tool_calls   INTEGER NOT NULL,
  turns        INTEGER NOT NULL,
  summary      TEXT NOT NULL
, size INTEGER NOT NULL DEFAULT 0, private_depth INTEGER NOT NULL DEFAULT 0, read_to TEXT, turns_read INTEGER NOT NULL DEFAULT 0, forked_at TEXT, heard_at INTEGER);
CREATE UNIQUE INDEX session_ref ON session (project, ref) WHERE ref IS NOT NULL;
CREATE INDEX session_tail ON session (substr(id, -8));
CREATE INDEX session_time ON session (started_at, seq);
CREATE TABLE turn (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  session     INTEGER NOT NULL REFERENCES session (seq),
  at          INTEGER NOT NULL,
  ref         TEXT,
  role        TEXT NOT NULL,
  tool        TEXT,
  files       TEXT NOT NULL,
  identifiers TEXT NOT NULL,
  text        TEXT NOT NULL
, day TEXT AS (coalesce(
  ltrim(strftime('%d', at / 1000, 'unixepoch'), '0') || ' ' ||
  CASE strftime('%m', at / 1000, 'unixepoch')
    WHEN '01' THEN 'January' WHEN '02' THEN 'February' WHEN '03' THEN 'March' WHEN '04' THEN 'April'
    WHEN '05' THEN 'May' WHEN '06' THEN 'June' WHEN '07' THEN 'July' WHEN '08' THEN 'August'
    WHEN '09' THEN 'September' WHEN '10' THEN 'October' WHEN '11' THEN 'November' ELSE 'December'
  END || ' ' || strftime('%Y', at / 1000, 'unixepoch'), '')), speaker TEXT AS (CASE WHEN lower(role) IN (
  'user', 'human', 'assistant', 'system', 'tool', 'agent', 'model', 'developer') THEN '' ELSE role END));
CREATE UNIQUE INDEX turn_ref ON turn (session, ref) WHERE ref IS NOT NULL;
CREATE INDEX turn_session ON turn (session, seq);
CREATE TABLE change (
  seq    INTEGER PRIMARY KEY AUTOINCREMENT,
  nonce  INTEGER NOT NULL DEFAULT (random()),
  target TEXT NOT NULL,
  row    INTEGER NOT NULL,
  action TEXT NOT NULL,
  UNIQUE (target, row)
);
CREATE TABLE tombstone (
  mark BLOB PRIMARY KEY
) WITHOUT ROWID;
CREATE TABLE audit (
  seq    INTEGER PRIMARY KEY AUTOINCREMENT,
  at     INTEGER NOT NULL,
  action TEXT NOT NULL,
  actor  TEXT NOT NULL,
  ids    TEXT NOT NULL,
  detail TEXT NOT NULL,
  hash   TEXT NOT NULL
);
CREATE TABLE access (
  seq    INTEGER PRIMARY KEY AUTOINCREMENT,
  memory TEXT NOT NULL,
  action TEXT NOT NULL,
  at     INTEGER NOT NULL,
  score  REAL,
  query  TEXT
);
CREATE INDEX access_memory ON access (memory);
CREATE TABLE vector (
  target    TEXT NOT NULL,
  row       INTEGER NOT NULL,
  chunk     INTEGER NOT NULL,
  embedding BLOB NOT NULL,
  PRIMARY KEY (target, row, chunk)
) WITHOUT ROWID;
CREATE TABLE unembedded (
  target TEXT NOT NULL,
  row    INTEGER NOT NULL,
  mark   INTEGER NOT NULL DEFAULT (random()),
  PRIMARY KEY (target, row)
) WITHOUT ROWID;
CREATE INDEX memory_superseded ON memory (seq) WHERE valid_until IS NOT NULL;
CREATE INDEX memory_expires ON memory (expires) WHERE expires IS NOT NULL;
CREATE VIRTUAL TABLE turn_fts USING fts5 (
  text, files, speaker, identifiers, day,
  content = 'turn', content_rowid = 'seq', tokenize = 'porter unicode61'
);
CREATE VIRTUAL TABLE turn_vocab USING fts5vocab (turn_fts, row);
CREATE VIRTUAL TABLE turn_word USING fts5vocab (turn_fts, instance);
CREATE INDEX memory_said ON memory (project, fingerprint) WHERE valid_until IS NOT NULL;
CREATE TABLE conflict (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  first       TEXT NOT NULL,
  second      TEXT NOT NULL,
  kind        TEXT NOT NULL,
  detected_at INTEGER NOT NULL,
  resolved_at INTEGER,
  kept        TEXT,
  UNIQUE (first, second)
);
CREATE INDEX conflict_second ON conflict (second);
CREATE INDEX conflict_tail ON conflict (substr(id, -8));
CREATE INDEX conflict_unresolved ON conflict (seq) WHERE resolved_at IS NULL;
CREATE INDEX session_active ON session (coalesce(heard_at, last_turn_at, started_at)) WHERE status = 'active';
CREATE INDEX memory_candidate ON memory (renewed_at) WHERE status = 'candidate';
CREATE TABLE finding (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT NOT NULL UNIQUE,
  session     TEXT NOT NULL,
  kind        TEXT NOT NULL,
  importance  REAL NOT NULL,
  confidence  REAL NOT NULL,
  created_at  INTEGER NOT NULL,
  memory      TEXT,
  fingerprint TEXT NOT NULL,
  signals     TEXT NOT NULL,
  files       TEXT NOT NULL,
  content     TEXT NOT NULL
);
CREATE INDEX finding_session ON finding (session, seq);
CREATE INDEX finding_says ON finding (fingerprint);
CREATE INDEX finding_memory ON finding (memory) WHERE memory IS NOT NULL;
CREATE INDEX finding_unpromoted ON finding (created_at) WHERE memory IS NULL;
CREATE TABLE evidence (
  finding INTEGER NOT NULL REFERENCES finding (seq) ON DELETE CASCADE,
  place   INTEGER NOT NULL,
  turn    TEXT NOT NULL,
  start   INTEGER NOT NULL,
  stop    INTEGER NOT NULL,
  PRIMARY KEY (finding, place)
) WITHOUT ROWID;
CREATE INDEX evidence_turn ON evidence (turn);
CREATE TRIGGER memory_inserted AFTER INSERT ON memory BEGIN
  INSERT INTO memory_fts (rowid, content, title, tags, files, context, kind, identifiers)
  VALUES (new.seq, new.content, new.title, new.tags, new.files, new.context, new.kind, new.identifiers);
END;
CREATE TRIGGER memory_deleted AFTER DELETE ON memory BEGIN
  INSERT INTO memory_fts (memory_fts, rowid, content, title, tags, files, context, kind, identifiers)
  VALUES ('delete', old.seq, old.content, old.title, old.tags, old.files, old.context, old.kind, old.identifiers);
END;
CREATE TRIGGER memory_updated AFTER UPDATE OF content, title, tags, files, context, kind, identifiers ON memory BEGIN
  INSERT INTO memory_fts (memory_fts, rowid, content, title, tags, files, context, kind, identifiers)
  VALUES ('delete', old.seq, old.content, old.title, old.tags, old.files, old.context, old.kind, old.identifiers);
  INSERT INTO memory_fts (rowid, content, title, tags, files, context, kind, identifiers)
  VALUES (new.seq, new.content, new.title, new.tags, new.files, new.context, new.kind, new.identifiers);
END;
CREATE TRIGGER memory_unembedded AFTER INSERT ON memory BEGIN
  INSERT INTO unembedded (target, row) VALUES ('memory', new.seq);
END;
CREATE TRIGGER memory_gone AFTER DELETE ON memory BEGIN
  DELETE FROM vector WHERE target = 'memory' AND row = old.seq;
  DELETE FROM unembedded WHERE target = 'memory' AND row = old.seq;
END;
CREATE TRIGGER memory_reworded AFTER UPDATE OF title, content ON memory
WHEN (new.title, new.content) IS NOT (old.title, old.content) BEGIN
  DELETE FROM vector WHERE target = 'memory' AND row = new.seq;
  DELETE FROM unembedded WHERE target = 'memory' AND row = new.seq;
  INSERT INTO unembedded (target, row) VALUES ('memory', new.seq);
END;
CREATE TRIGGER turn_unembedded AFTER INSERT ON turn BEGIN
  INSERT INTO unembedded (target, row) VALUES ('turn', new.seq);
END;
CREATE TRIGGER turn_gone AFTER DELETE ON turn BEGIN
  DELETE FROM vector WHERE target = 'turn' AND row = old.seq;
  DELETE FROM unembedded WHERE target = 'turn' AND row = old.seq;
END;
CREATE TRIGGER turn_reworded AFTER UPDATE OF text, role ON turn
WHEN (new.text, new.role) IS NOT (old.text, old.role) BEGIN
  DELETE FROM vector WHERE target = 'turn' AND row = new.seq;
  DELETE FROM unembedded WHERE target = 'turn' AND row = new.seq;
  INSERT INTO unembedded (target, row) VALUES ('turn', new.seq);
END;
CREATE TRIGGER turn_lengthens AFTER INSERT ON turn BEGIN
  UPDATE session SET size = size + length(new.text) * CASE WHEN lower(new.role) IN ('assistant', 'system', 'tool', 'agent', 'model') THEN 1 ELSE 10 END
  WHERE seq = new.session;
END;
CREATE TRIGGER turn_shortens AFTER DELETE ON turn BEGIN
  UPDATE session SET size = size - length(old.text) * CASE WHEN lower(old.role) IN ('assistant', 'system', 'tool', 'agent', 'model') THEN 1 ELSE 10 END
  WHERE seq = old.session;
END;
CREATE TRIGGER turn_resizes AFTER UPDATE OF text, role ON turn BEGIN
  UPDATE session SET size = size + length(new.text) * CASE WHEN lower(new.role) IN ('assistant', 'system', 'tool', 'agent', 'model') THEN 1 ELSE 10 END
    - length(old.text) * CASE WHEN lower(old.role) IN ('assistant', 'system', 'tool', 'agent', 'model') THEN 1 ELSE 10 END
  WHERE seq = new.session;
END;
CREATE TRIGGER turn_inserted AFTER INSERT ON turn BEGIN
  INSERT INTO turn_fts (rowid, text, files, speaker, identifiers, day)
  VALUES (new.seq, new.text, new.files, new.speaker, new.identifiers, new.day);
END;
CREATE TRIGGER turn_deleted AFTER DELETE ON turn BEGIN
  INSERT INTO turn_fts (turn_fts, rowid, text, files, speaker, identifiers, day)
  VALUES ('delete', old.seq, old.text, old.files, old.speaker, old.identifiers, old.day);
END;
CREATE TRIGGER turn_updated AFTER UPDATE OF text, files, role, identifiers ON turn BEGIN
  INSERT INTO turn_fts (turn_fts, rowid, text, files, speaker, identifiers, day)
  VALUES ('delete', old.seq, old.text, old.files, old.speaker, old.identifiers, old.day);
  INSERT INTO turn_fts (rowid, text, files, speaker, identifiers, day)
  VALUES (new.seq, new.text, new.files, new.speaker, new.identifiers, new.day);
END;
INSERT INTO memory_fts (memory_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO turn_fts (turn_fts, rank) VALUES ('secure-delete', 1);
INSERT OR REPLACE INTO meta ("key", "value") VALUES ('store_id', '01a1dc74-bb00-7028-9a8e-181444c0a10a');
INSERT OR REPLACE INTO meta ("key", "value") VALUES ('epoch', '01a1dc74-bb00-75c4-986b-dcda01d44e70');
INSERT OR REPLACE INTO meta ("key", "value") VALUES ('project', 'p');
INSERT OR REPLACE INTO meta ("key", "value") VALUES ('created_at', 1794700000000);
INSERT OR REPLACE INTO meta ("key", "value") VALUES ('tombstone_key', X'6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B6B');
INSERT OR REPLACE INTO memory ("seq", "id", "project", "tenant", "user", "kind", "title", "content", "context", "tags", "files", "file_hashes", "importance", "confidence", "status", "trust", "sources", "session", "agent", "branch", "commit", "created_at", "updated_at", "renewed_at", "accessed_at", "reads", "valid_from", "valid_until", "superseded_by", "expires", "fingerprint", "metadata", "kind_confidence", "identifiers") VALUES (1, '01a31600-0000-7000-8000-000000000016', 'example.com/acme/shop', 'local', 'ada', 'fact', 'Something worth knowing, number 22', 'Something worth knowing, number 22', '', '[]', '[]', '{}', 0.5, 1.0, 'candidate', 'agent', '["manual"]', NULL, NULL, NULL, NULL, 1800000000000, 1800000000000, 1800000000000, NULL, 0, 1800000000000, 1794700000000, '01a31600-0000-7000-8000-000000000015', NULL, 'a767aec4090581028323062b599f5e71cf70248762e3b0b3c98bdedf83cc9f56', '{}', NULL, '');
INSERT OR REPLACE INTO change ("target", "row", "action") VALUES ('memory', 1, 'insert');
INSERT OR REPLACE INTO memory ("seq", "id", "project", "tenant", "user", "kind", "title", "content", "context", "tags", "files", "file_hashes", "importance", "confidence", "status", "trust", "sources", "session", "agent", "branch", "commit", "created_at", "updated_at", "renewed_at", "accessed_at", "reads", "valid_from", "valid_until", "superseded_by", "expires", "fingerprint", "metadata", "kind_confidence", "identifiers") VALUES (2, '01a31600-0000-7000-8000-000000000015', 'example.com/acme/shop', 'local', 'ada', 'fact', 'The walrus of the API listens on port 9090', 'The walrus of the API listens on port 9090', '', '["api"]', '["src/app.py"]', '{}', 0.5, 1.0, 'candidate', 'agent', '["manual"]', NULL, NULL, NULL, NULL, 1800000000000, 1800000000000, 1800000000000, NULL, 0, 1800000000000, NULL, NULL, NULL, 'c9c2bd114b04bc185dac9ba684ee4277d1a2da8b57c0afa76e7a966696244254', '{}', NULL, '');
INSERT OR REPLACE INTO change ("target", "row", "action") VALUES ('memory', 2, 'insert');
INSERT OR REPLACE INTO session ("seq", "id", "project", "tenant", "user", "agent", "status", "ref", "parent", "started_at", "ended_at", "last_turn_at", "summary", "tool_calls", "turns", "private_depth", "read_to", "turns_read", "forked_at", "heard_at") VALUES (1, '01a31600-0000-7000-8000-000000000017', 'example.com/acme/shop', 'local', 'ada', 'codex', 'active', 'one', NULL, 1800000000000, NULL, NULL, 'What was said', 0, 1, 0, NULL, 0, NULL, NULL);
INSERT OR REPLACE INTO turn ("seq", "id", "session", "role", "text", "at", "ref", "tool", "files", "identifiers") VALUES (1, '01a31600-0000-7000-8000-000000000018', 1, 'user', 'Remember that the walrus sleeps', 1800000000000, NULL, NULL, '["src/app.py"]', '');
INSERT OR REPLACE INTO change ("target", "row", "action") VALUES ('turn', 1, 'insert');
INSERT OR REPLACE INTO finding ("seq", "id", "session", "kind", "importance", "confidence", "created_at", "memory", "fingerprint", "signals", "files", "content") VALUES (1, '01a31600-0000-7000-8000-000000000019', '01a31600-0000-7000-8000-000000000017', 'decision', 0.7, 0.6, 1800000000000, '01a31600-0000-7000-8000-000000000015', '14821d8b38ebbb8c77c73e2745a8abaa811acde5d0e5278a8a24496476a6b7a7', '[]', '[]', 'A rule worth keeping, number 25');
INSERT OR REPLACE INTO evidence ("finding", "place", "turn", "start", "stop") VALUES (1, 0, '01a31600-0000-7000-8000-000000000018', 0, 8);
INSERT OR REPLACE INTO conflict ("seq", "id", "first", "second", "kind", "detected_at", "resolved_at", "kept") VALUES (1, '01a1dc74-bb00-72c1-b06a-55a45e0d1147', '01a31600-0000-7000-8000-000000000016', '01a31600-0000-7000-8000-000000000015', 'contradictory', 1794700000000, NULL, NULL);
INSERT OR REPLACE INTO tombstone ("mark") VALUES (X'6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D6D');
INSERT OR REPLACE INTO audit ("at", "action", "actor", "ids", "detail", "hash") VALUES (1794700000000, 'add', 'cli', '["01a31600-0000-7000-8000-000000000015"]', '{}', '59d5464c6bb7762678996359dafdef047008ec68fb48c8ddd5285df86178cf9a');
INSERT OR REPLACE INTO access ("memory", "action", "at") VALUES ('01a31600-0000-7000-8000-000000000015', 'get', 1794700000000);
PRAGMA user_version = 4;
