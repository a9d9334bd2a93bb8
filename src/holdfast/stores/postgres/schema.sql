-- Version 1 of the schema; later versions are numbered files in `migrations/`. Every row says whose it is (tenant) and
-- which of the tenant's stores it is in (place); every key begins with the tenant, so that small tenants are read exactly
-- and no key tells of another's rows.

-- Which steps of the schema were applied.
CREATE TABLE migration (
  number     integer PRIMARY KEY,
  name       text NOT NULL,
  checksum   text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

CREATE SEQUENCE arrival;

CREATE TABLE place (
  tenant        text NOT NULL CHECK (tenant <> ''),
  id            bigint NOT NULL,
  name          text NOT NULL,
  store_id      uuid NOT NULL,
  tombstone_key bytea NOT NULL,
  created_at    bigint NOT NULL,
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, name)
);

CREATE TABLE meta (
  tenant text NOT NULL CHECK (tenant <> ''),
  place  bigint NOT NULL,
  key    text NOT NULL,
  value  text NOT NULL,
  PRIMARY KEY (tenant, place, key)
);

CREATE TABLE memory (
  tenant          text NOT NULL CHECK (tenant <> ''),
  place           bigint NOT NULL,
  seq             bigint NOT NULL,
  id              uuid NOT NULL,
  -- A column, because a function of the id cannot be looked up in an index where row-level security is in force.
  tail            text GENERATED ALWAYS AS (right(id::text, 8)) STORED,
  project         text NOT NULL,
  "user"          text NOT NULL,
  -- Another number after every change: who writes a row that is no longer the one that was read has lost a race.
  version         bigint NOT NULL DEFAULT 0,
  kind            text NOT NULL,
  status          text NOT NULL,
  trust           text NOT NULL,
  importance      float8 NOT NULL,
  confidence      float8 NOT NULL,
  kind_confidence float8,
  created_at      bigint NOT NULL,
  updated_at      bigint NOT NULL,
  renewed_at      bigint NOT NULL,
  accessed_at     bigint,
  reads           bigint NOT NULL,
  valid_from      bigint NOT NULL,
  valid_until     bigint,
  superseded_by   uuid,
  expires         bigint,
  -- When its age hides it.
  fades           bigint,
  fingerprint     text NOT NULL,
  session         uuid,
  agent           text,
  branch          text,
  "commit"        text,
  sources         text[] NOT NULL,
  tags            text[] NOT NULL,
  files           text[] NOT NULL,
  file_hashes     json NOT NULL,
  metadata        json NOT NULL,
  -- Whether its metadata says that its quarantine is over: JSON may hold what no text of the server can.
  judged          boolean NOT NULL,
  title           text NOT NULL,
  context         text NOT NULL,
  content         text NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX memory_seq ON memory (tenant, place, seq);
CREATE UNIQUE INDEX memory_says ON memory (tenant, place, project, fingerprint) WHERE valid_until IS NULL;
CREATE INDEX memory_said ON memory (tenant, place, project, fingerprint) WHERE valid_until IS NOT NULL;
CREATE INDEX memory_tail ON memory (tenant, place, tail);
CREATE INDEX memory_time ON memory (tenant, place, created_at, seq);
CREATE INDEX memory_superseded_by ON memory (tenant, superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_pinned ON memory (tenant, place) WHERE status = 'pinned';
CREATE INDEX memory_expires ON memory (tenant, place, expires) WHERE expires IS NOT NULL;
CREATE INDEX memory_fades ON memory (tenant, place, fades) WHERE fades IS NOT NULL;
CREATE INDEX memory_promoted ON memory (tenant, place, seq) WHERE sources = '{promoted}' AND valid_until IS NULL;
CREATE INDEX memory_last_read ON memory (tenant, place, coalesce(accessed_at, 0), created_at, seq);
CREATE INDEX memory_candidate ON memory (tenant, place, renewed_at) WHERE status = 'candidate';

-- In which memories an index form stands, how often (weighted by column), and how long the memory is.
CREATE TABLE memory_term (
  tenant text NOT NULL CHECK (tenant <> ''),
  place  bigint NOT NULL,
  term   text COLLATE "C" NOT NULL,
  seq    bigint NOT NULL,
  tf     float8 NOT NULL,
  dl     integer NOT NULL,
  PRIMARY KEY (tenant, place, term, seq) INCLUDE (tf, dl)
);

CREATE TABLE session (
  tenant        text NOT NULL CHECK (tenant <> ''),
  place         bigint NOT NULL,
  seq           bigint NOT NULL,
  id            uuid NOT NULL,
  tail          text GENERATED ALWAYS AS (right(id::text, 8)) STORED,
  project       text NOT NULL,
  "user"        text NOT NULL,
  agent         text NOT NULL,
  status        text NOT NULL,
  ref           text,
  parent        uuid,
  started_at    bigint NOT NULL,
  ended_at      bigint,
  last_turn_at  bigint,
  summary       text NOT NULL,
  tool_calls    bigint NOT NULL,
  turns         bigint NOT NULL,
  private_depth integer NOT NULL,
  read_to       uuid,
  turns_read    bigint NOT NULL,
  forked_at     uuid,
  heard_at      bigint,
  -- The length of its turns' texts in tenths, an agent's counting a tenth (`stores/weights.py`).
  size          bigint NOT NULL DEFAULT 0,
  -- As a memory's; what a session counts of its turns is no change.
  version       bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX session_seq ON session (tenant, place, seq);
CREATE UNIQUE INDEX session_ref ON session (tenant, place, project, ref) WHERE ref IS NOT NULL;
CREATE INDEX session_tail ON session (tenant, place, tail);
CREATE INDEX session_time ON session (tenant, place, started_at, seq);
CREATE INDEX session_active ON session (tenant, place, coalesce(heard_at, last_turn_at, started_at))
  WHERE status = 'active';
CREATE INDEX session_ended ON session (tenant, place, ended_at, seq) WHERE status = 'completed';
CREATE INDEX session_parent ON session (tenant, place, parent) WHERE parent IS NOT NULL;
CREATE INDEX session_forks ON session (tenant, parent, forked_at) WHERE forked_at IS NOT NULL;

CREATE TABLE turn (
  tenant  text NOT NULL CHECK (tenant <> ''),
  place   bigint NOT NULL,
  seq     bigint NOT NULL,
  id      uuid NOT NULL,
  session uuid NOT NULL,
  at      bigint NOT NULL,
  ref     text,
  role    text NOT NULL,
  tool    text,
  files   text[] NOT NULL,
  text    text NOT NULL,
  PRIMARY KEY (tenant, id),
  FOREIGN KEY (tenant, session) REFERENCES session (tenant, id)
);
CREATE UNIQUE INDEX turn_seq ON turn (tenant, place, seq);
CREATE UNIQUE INDEX turn_ref ON turn (tenant, session, ref) WHERE ref IS NOT NULL;
CREATE INDEX turn_session ON turn (tenant, session, seq);

-- The same for turns; beside the weighted count the plain one without the day, and whether it is of the day: a
-- whole session is scored by those.
CREATE TABLE turn_term (
  tenant text NOT NULL CHECK (tenant <> ''),
  place  bigint NOT NULL,
  term   text COLLATE "C" NOT NULL,
  seq    bigint NOT NULL,
  tf     float8 NOT NULL,
  dl     integer NOT NULL,
  said   integer NOT NULL,
  dated  boolean NOT NULL,
  PRIMARY KEY (tenant, place, term, seq) INCLUDE (tf, dl, said, dated)
);

-- How much there is of something (documents and words of an index, bytes of rows and vectors, reads, what was promoted
-- and evicted), as changes that are summed up: no two writers ever touch the same row.
CREATE TABLE tenant_stat (
  tenant    text NOT NULL CHECK (tenant <> ''),
  place     bigint NOT NULL,
  target    text NOT NULL,
  seq       bigint NOT NULL,
  documents bigint NOT NULL,
  tokens    bigint NOT NULL,
  bytes     bigint NOT NULL,
  PRIMARY KEY (tenant, place, target, seq) INCLUDE (documents, tokens, bytes)
);

CREATE TABLE topic (
  tenant text NOT NULL CHECK (tenant <> ''),
  place  bigint NOT NULL,
  word   bigint NOT NULL,
  memory bigint NOT NULL,
  size   integer NOT NULL,
  PRIMARY KEY (tenant, place, word, memory) INCLUDE (size)
);

-- A large store gets a part of the table to itself, with a graph of its own (`care.py`): one partial index for each would
-- make every insert of every store look at all of them.
CREATE TABLE vec (
  tenant    text NOT NULL CHECK (tenant <> ''),
  place     bigint NOT NULL,
  target    text NOT NULL,
  seq       bigint NOT NULL,
  chunk     integer NOT NULL,
  embedding halfvec NOT NULL,
  PRIMARY KEY (tenant, place, target, seq, chunk)
) PARTITION BY LIST (place);
-- Out of line, a vector would cost a second look at the disk for each comparison.
ALTER TABLE vec ALTER COLUMN embedding SET STORAGE PLAIN;
CREATE TABLE vec_rest PARTITION OF vec DEFAULT;

-- The mark is new whenever the text is: a vector made from an older text finds another mark and is dropped.
CREATE TABLE unembedded (
  tenant text NOT NULL CHECK (tenant <> ''),
  place  bigint NOT NULL,
  target text NOT NULL,
  seq    bigint NOT NULL,
  mark   bigint NOT NULL,
  PRIMARY KEY (tenant, place, target, seq)
);

CREATE TABLE finding (
  tenant      text NOT NULL CHECK (tenant <> ''),
  place       bigint NOT NULL,
  seq         bigint NOT NULL,
  id          uuid NOT NULL,
  session     uuid NOT NULL,
  kind        text NOT NULL,
  importance  float8 NOT NULL,
  confidence  float8 NOT NULL,
  created_at  bigint NOT NULL,
  memory      uuid,
  fingerprint text NOT NULL,
  signals     text[] NOT NULL,
  files       text[] NOT NULL,
  content     text NOT NULL,
  -- Where it was said, in order: turns, and the characters of each.
  turns       uuid[] NOT NULL,
  starts      integer[] NOT NULL,
  stops       integer[] NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX finding_session ON finding (tenant, session, seq);
CREATE INDEX finding_says ON finding (tenant, place, fingerprint);
CREATE INDEX finding_memory ON finding (tenant, memory) WHERE memory IS NOT NULL;
CREATE INDEX finding_unpromoted ON finding (tenant, place, created_at) WHERE memory IS NULL;

CREATE TABLE evidence (
  tenant  text NOT NULL CHECK (tenant <> ''),
  turn    uuid NOT NULL,
  finding uuid NOT NULL,
  PRIMARY KEY (tenant, turn, finding),
  FOREIGN KEY (tenant, finding) REFERENCES finding (tenant, id) ON DELETE CASCADE
);
CREATE INDEX evidence_finding ON evidence (tenant, finding);

-- Stretches of talk on one subject. A thread reaches from its first turn, whose number is `begins`, to the next one of its
-- session; its statements are places in turns, so that no text stands here but the title.
CREATE TABLE thread (
  tenant     text NOT NULL CHECK (tenant <> ''),
  place      bigint NOT NULL,
  seq        bigint NOT NULL,
  id         uuid NOT NULL,
  session    uuid,
  first      uuid,
  begins     bigint,
  title      text NOT NULL,
  at         bigint NOT NULL,
  files      text[] NOT NULL,
  statements jsonb NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX thread_session ON thread (tenant, session, begins);
CREATE INDEX thread_time ON thread (tenant, place, at, seq);

CREATE TABLE thread_memory (
  tenant text NOT NULL CHECK (tenant <> ''),
  memory uuid NOT NULL,
  thread uuid NOT NULL,
  PRIMARY KEY (tenant, memory),
  FOREIGN KEY (tenant, thread) REFERENCES thread (tenant, id) ON DELETE CASCADE
);
CREATE INDEX thread_memory_thread ON thread_memory (tenant, thread);

CREATE TABLE conflict (
  tenant      text NOT NULL CHECK (tenant <> ''),
  place       bigint NOT NULL,
  seq         bigint NOT NULL,
  id          uuid NOT NULL,
  tail        text GENERATED ALWAYS AS (right(id::text, 8)) STORED,
  first       uuid NOT NULL,
  second      uuid NOT NULL,
  kind        text NOT NULL,
  detected_at bigint NOT NULL,
  resolved_at bigint,
  kept        text,
  PRIMARY KEY (tenant, id),
  UNIQUE (tenant, first, second)
);
CREATE UNIQUE INDEX conflict_seq ON conflict (tenant, place, seq);
CREATE INDEX conflict_second ON conflict (tenant, second);
CREATE INDEX conflict_tail ON conflict (tenant, place, tail);
CREATE INDEX conflict_unresolved ON conflict (tenant, place, seq) WHERE resolved_at IS NULL;

-- What agents asked for and only a person can grant.
CREATE TABLE proposal (
  tenant     text NOT NULL CHECK (tenant <> ''),
  place      bigint NOT NULL,
  seq        bigint NOT NULL,
  id         uuid NOT NULL,
  tail       text GENERATED ALWAYS AS (right(id::text, 8)) STORED,
  verb       text NOT NULL,
  memory     uuid NOT NULL,
  other      uuid,
  arguments  json NOT NULL,
  actor      text NOT NULL,
  agent      text,
  at         bigint NOT NULL,
  why        text NOT NULL,
  settled_at bigint,
  outcome    text,
  -- How the memories looked when it was made: a person decides about that.
  seen       jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX proposal_seq ON proposal (tenant, place, seq);
CREATE INDEX proposal_memory ON proposal (tenant, memory);
CREATE INDEX proposal_other ON proposal (tenant, other) WHERE other IS NOT NULL;
CREATE INDEX proposal_tail ON proposal (tenant, place, tail);
CREATE INDEX proposal_waiting ON proposal (tenant, place, seq) WHERE outcome IS NULL;

CREATE TABLE tombstone (
  tenant text NOT NULL CHECK (tenant <> ''),
  place  bigint NOT NULL,
  mark   bytea NOT NULL,
  PRIMARY KEY (tenant, place, mark)
);

-- An event has no place in the chain of hashes until it is sealed, in batches, by one who holds the chain's lock: were
-- it linked when it is written, every writer of a tenant would wait for the one before.
CREATE TABLE audit (
  tenant text NOT NULL CHECK (tenant <> ''),
  place  bigint NOT NULL,
  seq    bigint NOT NULL,
  at     bigint NOT NULL,
  action text NOT NULL,
  actor  text NOT NULL,
  ids    text[] NOT NULL,
  detail json NOT NULL,
  link   bigint,
  hash   text,
  PRIMARY KEY (tenant, place, seq)
);
CREATE UNIQUE INDEX audit_chain ON audit (tenant, place, link) WHERE link IS NOT NULL;
CREATE INDEX audit_unsealed ON audit (tenant, place, seq) WHERE link IS NULL;

CREATE TABLE access (
  tenant text NOT NULL CHECK (tenant <> ''),
  place  bigint NOT NULL,
  seq    bigint NOT NULL,
  memory text NOT NULL,
  action text NOT NULL,
  at     bigint NOT NULL,
  score  float8,
  query  text,
  -- How often something had been forgotten, as far as its writer knew. Whatever is forgotten after that makes the query
  -- void, as it may hold those words: nobody reads it from then on, and it is put out of its row in a chore. Were that
  -- done at once, any two who forget would wait for each other.
  knew   bigint NOT NULL,
  PRIMARY KEY (tenant, place, seq)
);
CREATE INDEX access_memory ON access (tenant, place, memory);
CREATE INDEX access_quoted ON access (tenant, place, knew) WHERE query IS NOT NULL;

-- Which entries of hooks' spools were taken in already.
CREATE TABLE spooled (
  tenant   text NOT NULL CHECK (tenant <> ''),
  place    bigint NOT NULL,
  spool    text NOT NULL,
  sequence bigint NOT NULL,
  at       bigint NOT NULL,
  PRIMARY KEY (tenant, place, spool, sequence)
);

-- Words that a project uses for each other.
CREATE TABLE alias (
  tenant  text NOT NULL CHECK (tenant <> ''),
  place   bigint NOT NULL,
  word    text COLLATE "C" NOT NULL,
  meaning text COLLATE "C" NOT NULL,
  PRIMARY KEY (tenant, place, word, meaning)
);

-- What went into each brief, and how long it took.
CREATE TABLE receipt (
  tenant   text NOT NULL CHECK (tenant <> ''),
  place    bigint NOT NULL,
  seq      bigint NOT NULL,
  id       text NOT NULL,
  at       bigint NOT NULL,
  agent    text NOT NULL,
  session  text,
  prompted boolean NOT NULL,
  budget   integer NOT NULL,
  tokens   integer NOT NULL,
  took_ms  integer NOT NULL,
  cut      boolean NOT NULL,
  degraded boolean NOT NULL,
  items    json NOT NULL,
  -- What it said, word for word, until something in it is forgotten or newer ones take its place. NULL: not kept.
  text     text,
  PRIMARY KEY (tenant, place, seq),
  UNIQUE (tenant, place, id)
);

-- Case folding as Python does it: full where the server can (PostgreSQL 18), else by letter and the German ß.
DO $$
BEGIN
  IF current_setting('server_version_num')::int >= 180000 THEN
    CREATE FUNCTION folded(text) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE sql
      AS 'SELECT casefold($1 COLLATE pg_unicode_fast)';
  ELSE
    CREATE FUNCTION folded(text) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE sql
      AS 'SELECT lower(replace(replace($1, ''ß'', ''ss''), ''ẞ'', ''ss''))';
  END IF;
END $$;

-- Whether a list of paths touches a path: it itself, anything under it, or a path that ends in it.
CREATE FUNCTION touches(paths text[], wanted text) RETURNS boolean IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
  SELECT EXISTS (SELECT FROM unnest(paths) path WHERE path = wanted
    OR starts_with(path, wanted || '/') OR right(path, length(wanted) + 1) = '/' || wanted)
$$;

DO $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['place', 'meta', 'memory', 'memory_term', 'session', 'turn', 'turn_term', 'tenant_stat',
    'topic', 'vec', 'vec_rest', 'unembedded', 'finding', 'evidence', 'thread', 'thread_memory', 'conflict', 'proposal', 'tombstone',
    'audit', 'access', 'spooled', 'alias', 'receipt']
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', one);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', one);
    EXECUTE format('CREATE POLICY of_tenant ON %I USING (tenant = current_setting(''holdfast.tenant'', true))
                    WITH CHECK (tenant = current_setting(''holdfast.tenant'', true))', one);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO holdfast_app, holdfast_gc', one);
  END LOOP;
END $$;

-- A part of a table is reached through the table only.
REVOKE ALL ON vec_rest FROM holdfast_app, holdfast_gc;

-- Who looks after the stores must know which there are; of a store itself it sees no more than anybody.
CREATE POLICY every_place ON place FOR SELECT TO holdfast_gc USING (true);
GRANT USAGE ON SEQUENCE arrival TO holdfast_app, holdfast_gc;
GRANT SELECT ON migration TO holdfast_app, holdfast_gc;

-- Events of the audit log can be added, and neither changed nor removed by those who add them. What the log itself
-- needs (a place in the chain, letting the oldest go) is done by two functions with the owner's rights, which do no more
-- than that. They are told whose log it is, so that on a cluster each of their statements goes to one node, and act only
-- for the tenant of the transaction: on a cluster their owner is not under row-level security.
REVOKE INSERT, UPDATE, DELETE ON audit FROM holdfast_app, holdfast_gc;
GRANT INSERT (tenant, place, seq, at, action, actor, ids, detail) ON audit TO holdfast_app, holdfast_gc;

-- Events that are not in the chain take their places in it; one that is in it stays as it is.
CREATE FUNCTION audit_seal(own text, store bigint, seqs bigint[], links bigint[], hashes text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  UPDATE audit a SET link = s.link, hash = s.hash
  FROM unnest(seqs, links, hashes) AS s (number, link, hash)
  WHERE a.tenant = own AND own = current_setting('holdfast.tenant', true)
    AND a.place = store AND a.seq = s.number AND a.link IS NULL
$$;

-- The oldest events of the chain go, all but the newest 4,000 (AUDIT_KEPT in model/limits.py); the last of those that
-- went is returned, as the rest hangs on its hash.
CREATE FUNCTION audit_trim(own text, store bigint) RETURNS TABLE (link bigint, hash text)
LANGUAGE sql SECURITY DEFINER SET search_path = holdfast, pg_temp AS $$
  WITH passed AS MATERIALIZED (
    SELECT a.link, a.hash FROM audit a
    WHERE a.tenant = own AND own = current_setting('holdfast.tenant', true) AND a.place = store AND a.link IS NOT NULL
    ORDER BY a.link DESC OFFSET 4000 LIMIT 1),
  gone AS (
    DELETE FROM audit a USING passed p
    WHERE a.tenant = own AND own = current_setting('holdfast.tenant', true) AND a.place = store AND a.link <= p.link)
  SELECT p.link, p.hash FROM passed p
$$;

REVOKE EXECUTE ON FUNCTION audit_seal(text, bigint, bigint[], bigint[], text[]), audit_trim(text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_seal(text, bigint, bigint[], bigint[], text[]), audit_trim(text, bigint)
  TO holdfast_app, holdfast_gc;
