-- What memories that hold are about: words as numbers, each with how many there are in all (`stores/topics.py`).
-- Filled by `migrate.bring_up`: the numbers are not made in SQL.

CREATE TABLE topic (
  word   INTEGER NOT NULL,
  memory INTEGER NOT NULL,
  size   INTEGER NOT NULL,
  PRIMARY KEY (word, memory)
) WITHOUT ROWID;
