-- The schema of a store, version 1 (`PRAGMA user_version`). This file is its only home.
-- Columns that filters read stand before the long texts, so that a filter touches no overflow page.
--
-- To change it: edit this file, raise SCHEMA_VERSION in queries.py, and add `migrations/0002_what_it_does.sql`, which
-- makes the same change to a store of version 1. Steps are numbered and append-only: one that was released is never
-- edited. Keep the version that the step starts from as `tests/migration/0001.sql`, and compare there what the step
-- makes of it with this file. A new column needs a default: `holdfast trust --own` copies rows that lack it.

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
  fades         INTEGER,
  kind_confidence REAL,
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
);

CREATE UNIQUE INDEX memory_says ON memory (project, fingerprint) WHERE valid_until IS NULL;
CREATE INDEX memory_said ON memory (project, fingerprint) WHERE valid_until IS NOT NULL;
CREATE INDEX memory_tail ON memory (substr(id, -8));
CREATE INDEX memory_time ON memory (created_at, seq);
CREATE INDEX memory_superseded_by ON memory (superseded_by) WHERE superseded_by IS NOT NULL;
-- What default search leaves out, found without reading what it keeps.
CREATE INDEX memory_superseded ON memory (seq) WHERE valid_until IS NOT NULL;
CREATE INDEX memory_expires ON memory (expires) WHERE expires IS NOT NULL;
CREATE INDEX memory_pinned ON memory (status) WHERE status = 'pinned';
CREATE INDEX memory_candidate ON memory (renewed_at) WHERE status = 'candidate';
CREATE INDEX memory_fades ON memory (fades) WHERE fades IS NOT NULL;
CREATE INDEX memory_promoted ON memory (seq) WHERE sources = '["promoted"]' AND valid_until IS NULL;
CREATE INDEX memory_census ON memory (kind, status, trust, valid_until, expires, fades, reads);
CREATE INDEX memory_last_read ON memory (coalesce(accessed_at, 0), created_at);

CREATE VIRTUAL TABLE memory_fts USING fts5 (
  content, title, tags, files, context, kind, identifiers,
  content = 'memory', content_rowid = 'seq', tokenize = 'porter unicode61'
);
INSERT INTO memory_fts (memory_fts, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE memory_vocab USING fts5vocab (memory_fts, row);

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
  summary      TEXT NOT NULL,
  -- The length of its turns' texts in tenths, an agent's counting a tenth (`stores/weights.py`).
  size         INTEGER NOT NULL DEFAULT 0,
  private_depth INTEGER NOT NULL DEFAULT 0,
  read_to      TEXT,
  turns_read   INTEGER NOT NULL DEFAULT 0,
  forked_at    TEXT,
  heard_at     INTEGER
);

CREATE UNIQUE INDEX session_ref ON session (project, ref) WHERE ref IS NOT NULL;
CREATE INDEX session_tail ON session (substr(id, -8));
CREATE INDEX session_time ON session (started_at, seq);
CREATE INDEX session_active ON session (coalesce(heard_at, last_turn_at, started_at)) WHERE status = 'active';
CREATE INDEX session_ended ON session (ended_at) WHERE status = 'completed';
CREATE INDEX session_parent ON session (parent) WHERE parent IS NOT NULL;

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
  text        TEXT NOT NULL,
  -- The day as people write it ("8 May 2023"), so that a question that names a date finds what was said then.
  day TEXT AS (coalesce(
    ltrim(strftime('%d', at / 1000, 'unixepoch'), '0') || ' ' ||
    CASE strftime('%m', at / 1000, 'unixepoch')
      WHEN '01' THEN 'January' WHEN '02' THEN 'February' WHEN '03' THEN 'March' WHEN '04' THEN 'April'
      WHEN '05' THEN 'May' WHEN '06' THEN 'June' WHEN '07' THEN 'July' WHEN '08' THEN 'August'
      WHEN '09' THEN 'September' WHEN '10' THEN 'October' WHEN '11' THEN 'November' ELSE 'December'
    END || ' ' || strftime('%Y', at / 1000, 'unixepoch'), '')),
  -- Who spoke, where that is a name: a word such as "user" would make every message of a user match.
  speaker TEXT AS (CASE WHEN lower(role) IN (
    'user', 'human', 'assistant', 'system', 'tool', 'agent', 'model', 'developer') THEN '' ELSE role END)
);

CREATE UNIQUE INDEX turn_ref ON turn (session, ref) WHERE ref IS NOT NULL;
CREATE INDEX turn_session ON turn (session, seq);

CREATE VIRTUAL TABLE turn_fts USING fts5 (
  text, files, speaker, identifiers, day,
  content = 'turn', content_rowid = 'seq', tokenize = 'porter unicode61'
);
INSERT INTO turn_fts (turn_fts, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE turn_vocab USING fts5vocab (turn_fts, row);
CREATE VIRTUAL TABLE turn_word USING fts5vocab (turn_fts, instance);

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

-- The latest change of every row, removed rows included: what an index built earlier must catch up with.
-- The nonce tells a store that was rewound and went another way from one that only went on.
CREATE TABLE change (
  seq    INTEGER PRIMARY KEY AUTOINCREMENT,
  nonce  INTEGER NOT NULL DEFAULT (random()),
  target TEXT NOT NULL,
  row    INTEGER NOT NULL,
  action TEXT NOT NULL,
  UNIQUE (target, row)
);

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

-- What memories that hold are about: words as numbers, each with how many there are in all (`stores/topics.py`).
CREATE TABLE topic (
  word   INTEGER NOT NULL,
  memory INTEGER NOT NULL,
  size   INTEGER NOT NULL,
  PRIMARY KEY (word, memory)
) WITHOUT ROWID;

-- Vectors of length 1 in float16: the truth that every index of them is made from.
CREATE TABLE vector (
  target    TEXT NOT NULL,
  row       INTEGER NOT NULL,
  chunk     INTEGER NOT NULL,
  embedding BLOB NOT NULL,
  PRIMARY KEY (target, row, chunk)
) WITHOUT ROWID;

-- The mark is new whenever the text is: a vector made from an older text finds another mark and is dropped.
CREATE TABLE unembedded (
  target TEXT NOT NULL,
  row    INTEGER NOT NULL,
  mark   INTEGER NOT NULL DEFAULT (random()),
  PRIMARY KEY (target, row)
) WITHOUT ROWID;

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

-- Stretches of talk on one subject. A thread reaches from its first turn, whose row is `begins`, to the next one of its
-- session; its statements are places in turns, so that no text stands here but the title.
CREATE TABLE thread (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  session    TEXT,
  first      TEXT,
  begins     INTEGER,
  title      TEXT NOT NULL,
  at         INTEGER NOT NULL,
  files      TEXT NOT NULL,
  statements TEXT NOT NULL
);
CREATE INDEX thread_session ON thread (session, begins);
CREATE INDEX thread_time ON thread (at, seq);

CREATE TABLE thread_memory (
  memory TEXT PRIMARY KEY,
  thread INTEGER NOT NULL REFERENCES thread (seq) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX thread_memory_thread ON thread_memory (thread);

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

CREATE TABLE spooled (
  spool    TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (spool, sequence)
) WITHOUT ROWID;

-- Words that a project uses for each other.
CREATE TABLE alias (
  word    TEXT NOT NULL,
  meaning TEXT NOT NULL,
  PRIMARY KEY (word, meaning)
) WITHOUT ROWID;

-- What went into each brief, by id, and how long it took: the latest decide how much the next one looks at. The text
-- is that of the latest, and goes when something in it is forgotten.
CREATE TABLE receipt (
  seq      INTEGER PRIMARY KEY AUTOINCREMENT,
  id       TEXT NOT NULL UNIQUE,
  at       INTEGER NOT NULL,
  agent    TEXT NOT NULL,
  session  TEXT,
  prompted INTEGER NOT NULL,
  budget   INTEGER NOT NULL,
  tokens   INTEGER NOT NULL,
  took_ms  INTEGER NOT NULL,
  cut      INTEGER NOT NULL,
  degraded INTEGER NOT NULL,
  items    TEXT NOT NULL,
  text     TEXT
);

-- What agents asked for and only a person can grant.
CREATE TABLE proposal (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  verb       TEXT NOT NULL,
  memory     TEXT NOT NULL,
  other      TEXT,
  arguments  TEXT NOT NULL,
  actor      TEXT NOT NULL,
  agent      TEXT,
  at         INTEGER NOT NULL,
  why        TEXT NOT NULL,
  settled_at INTEGER,
  outcome    TEXT,
  seen       TEXT NOT NULL DEFAULT '{}'
);
CREATE INDEX proposal_memory ON proposal (memory);
CREATE INDEX proposal_other ON proposal (other) WHERE other IS NOT NULL;
CREATE INDEX proposal_tail ON proposal (substr(id, -8));
CREATE INDEX proposal_waiting ON proposal (seq) WHERE outcome IS NULL;
