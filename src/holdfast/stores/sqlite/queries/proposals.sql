-- name: proposal_columns
-- The columns of a proposal in the order rows.py reads them; put in place of /*proposal_columns*/.
p.id, p.verb, p.memory, p.other, p.arguments, p.actor, p.agent, p.at, p.why, p.settled_at, p.outcome, p.seen

-- name: proposal_get
-- A proposal by full id.
SELECT /*proposal_columns*/ FROM proposal p WHERE p.id = :id;

-- name: proposals_ending
-- Ids by their last eight digits; the caller compares the rest of a longer tail.
SELECT id FROM proposal WHERE substr(id, -8) = :tail;

-- name: proposals_walk
-- Proposals in order of arrival, from after one of them on.
SELECT /*proposal_columns*/ FROM proposal p
WHERE p.seq > coalesce((SELECT seq FROM proposal WHERE id = :after), 0) ORDER BY p.seq LIMIT :limit;

-- name: proposals_waiting
-- What nobody has decided yet, in order of arrival.
SELECT /*proposal_columns*/ FROM proposal p WHERE p.outcome IS NULL ORDER BY p.seq;

-- name: proposals_about
-- The proposals that name a memory.
SELECT /*proposal_columns*/ FROM proposal p WHERE p.memory = :memory OR p.other = :memory ORDER BY p.seq;

-- name: proposal_put
-- A new proposal, or what became of one.
INSERT INTO proposal (id, verb, memory, other, arguments, actor, agent, at, why, settled_at, outcome, seen)
VALUES (:id, :verb, :memory, :other, :arguments, :actor, :agent, :at, :why, :settled_at, :outcome, :seen)
ON CONFLICT (id) DO UPDATE SET arguments = excluded.arguments, agent = excluded.agent,
  settled_at = excluded.settled_at, outcome = excluded.outcome, seen = excluded.seen;

-- name: proposals_delete
-- Proposals go with the memories that they are about.
DELETE FROM proposal WHERE memory IN (SELECT value FROM json_each(:ids))
  OR other IN (SELECT value FROM json_each(:ids));
