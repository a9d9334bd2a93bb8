-- Conflicts between memories, how sure a guessed kind is, and private blocks left open by a session's last turn.

ALTER TABLE memory ADD COLUMN kind_confidence REAL;
CREATE INDEX memory_said ON memory (project, fingerprint) WHERE valid_until IS NOT NULL;

ALTER TABLE session ADD COLUMN private_depth INTEGER NOT NULL DEFAULT 0;

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
