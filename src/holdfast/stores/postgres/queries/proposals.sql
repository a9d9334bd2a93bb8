-- name: proposal_columns
-- The columns of a proposal in the order rows.py reads them; put in place of /*proposal_columns*/.
p.id, p.verb, p.memory, p.other, p.arguments, p.actor, p.agent, p.at, p.why, p.settled_at, p.outcome, p.seen

-- name: proposal_get
-- A proposal by full id.
SELECT /*proposal_columns*/ FROM proposal p
WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND p.id = %(id)s::uuid /*hold*/;

-- name: proposals_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail.
SELECT p.id FROM proposal p
WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND p.tail = %(tail)s;

-- name: proposals_walk
-- Proposals in order of arrival, from after one of them on.
SELECT /*proposal_columns*/ FROM proposal p
WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND p.seq > coalesce(
  (SELECT a.seq FROM proposal a WHERE a.tenant = %(tenant)s AND a.place = %(place)s AND a.id = %(after)s::uuid), 0)
ORDER BY p.seq LIMIT %(limit)s;

-- name: proposals_waiting
-- What nobody has decided yet, in order of arrival.
SELECT /*proposal_columns*/ FROM proposal p
WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND p.outcome IS NULL ORDER BY p.seq;

-- name: proposals_about
-- The proposals that name a memory.
SELECT /*proposal_columns*/ FROM proposal p
WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND (p.memory = %(memory)s::uuid OR p.other = %(memory)s::uuid)
ORDER BY p.seq;

-- name: proposal_put
-- A new proposal, or what became of one.
INSERT INTO proposal (tenant, place, seq, id, verb, memory, other, arguments, actor, agent, at, why, settled_at, outcome,
                      seen)
VALUES (%(tenant)s, %(place)s, nextval('arrival'), %(id)s, %(verb)s, %(memory)s, %(other)s, %(arguments)s, %(actor)s,
        %(agent)s, %(at)s, %(why)s, %(settled_at)s, %(outcome)s, %(seen)s)
ON CONFLICT (tenant, id) DO UPDATE SET arguments = excluded.arguments, agent = excluded.agent,
  settled_at = excluded.settled_at, outcome = excluded.outcome, seen = excluded.seen;

-- name: proposals_delete
-- Proposals go with the memories that they are about.
DELETE FROM proposal p WHERE p.tenant = %(tenant)s AND p.place = %(place)s AND p.id IN (
  SELECT o.id FROM proposal o WHERE o.tenant = %(tenant)s AND o.place = %(place)s
    AND (o.memory = ANY (%(ids)s::uuid[]) OR o.other = ANY (%(ids)s::uuid[])) ORDER BY o.id FOR UPDATE);
