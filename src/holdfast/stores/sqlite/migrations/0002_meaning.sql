-- Vectors of memories and turns, what still waits for one, the day a turn was said as a word of its index, and
-- how long a session is.

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

INSERT INTO unembedded (target, row) SELECT 'memory', seq FROM memory;
INSERT INTO unembedded (target, row) SELECT 'turn', seq FROM turn;

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

-- What default search leaves out, found without reading what it keeps.
CREATE INDEX memory_superseded ON memory (seq) WHERE valid_until IS NOT NULL;
CREATE INDEX memory_expires ON memory (expires) WHERE expires IS NOT NULL;

-- A session is as long as its turns' texts, an agent's counting a tenth (`stores/weights.py`): the keyword score
-- of a whole session is measured against it.
ALTER TABLE session ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
UPDATE session SET size = coalesce((
  SELECT sum(length(turn.text) * CASE WHEN lower(turn.role) IN ('assistant', 'system', 'tool', 'agent', 'model') THEN 1 ELSE 10 END)
  FROM turn WHERE turn.session = session.seq), 0);
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

-- The day as people write it ("8 May 2023"), so that a question that names a date finds what was said then.
ALTER TABLE turn ADD COLUMN day TEXT AS (coalesce(
  ltrim(strftime('%d', at / 1000, 'unixepoch'), '0') || ' ' ||
  CASE strftime('%m', at / 1000, 'unixepoch')
    WHEN '01' THEN 'January' WHEN '02' THEN 'February' WHEN '03' THEN 'March' WHEN '04' THEN 'April'
    WHEN '05' THEN 'May' WHEN '06' THEN 'June' WHEN '07' THEN 'July' WHEN '08' THEN 'August'
    WHEN '09' THEN 'September' WHEN '10' THEN 'October' WHEN '11' THEN 'November' ELSE 'December'
  END || ' ' || strftime('%Y', at / 1000, 'unixepoch'), ''));

-- Who spoke, where that is a name: a word such as "user" would make every message of a user match.
ALTER TABLE turn ADD COLUMN speaker TEXT AS (CASE WHEN lower(role) IN (
  'user', 'human', 'assistant', 'system', 'tool', 'agent', 'model', 'developer') THEN '' ELSE role END);

DROP TRIGGER turn_inserted;
DROP TRIGGER turn_deleted;
DROP TRIGGER turn_updated;
DROP TABLE turn_vocab;
DROP TABLE turn_fts;

CREATE VIRTUAL TABLE turn_fts USING fts5 (
  text, files, speaker, identifiers, day,
  content = 'turn', content_rowid = 'seq', tokenize = 'porter unicode61'
);
INSERT INTO turn_fts (turn_fts, rank) VALUES ('secure-delete', 1);
INSERT INTO turn_fts (turn_fts) VALUES ('rebuild');
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
