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
  outcome    TEXT
);
CREATE INDEX proposal_memory ON proposal (memory);
CREATE INDEX proposal_other ON proposal (other) WHERE other IS NOT NULL;
CREATE INDEX proposal_tail ON proposal (substr(id, -8));
CREATE INDEX proposal_waiting ON proposal (seq) WHERE outcome IS NULL;
