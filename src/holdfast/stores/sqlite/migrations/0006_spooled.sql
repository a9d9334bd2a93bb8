-- Which entries of hooks' spools were taken in already.

CREATE TABLE spooled (
  spool    TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  at       INTEGER NOT NULL,
  PRIMARY KEY (spool, sequence)
) WITHOUT ROWID;
