-- What is read from the turns of a session: findings, where each was said, and how far a session has been read.

ALTER TABLE session ADD COLUMN read_to TEXT;
ALTER TABLE session ADD COLUMN turns_read INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN forked_at TEXT;
ALTER TABLE session ADD COLUMN heard_at INTEGER;
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
