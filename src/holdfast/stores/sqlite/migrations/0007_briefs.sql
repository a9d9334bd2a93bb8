-- Words that a project uses for each other.
CREATE TABLE alias (
  word    TEXT NOT NULL,
  meaning TEXT NOT NULL,
  PRIMARY KEY (word, meaning)
) WITHOUT ROWID;

-- What went into each brief, by id and never by text, and how long it took: the latest decide how much the next
-- one looks at.
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
  items    TEXT NOT NULL
);
