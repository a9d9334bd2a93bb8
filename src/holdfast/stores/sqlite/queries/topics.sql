-- name: topic_put
-- A word of a memory that holds, and how many it has.
INSERT INTO topic (word, memory, size) VALUES (:word, :memory, :size);

-- name: memory_number
-- The number of a memory's row.
SELECT seq FROM memory WHERE id = :id;

-- name: topic_drop
-- A memory is no longer found by these words.
DELETE FROM topic
WHERE word IN (SELECT value FROM json_each(:words)) AND memory = (SELECT seq FROM memory WHERE id = :id);

-- name: topics_of
-- The newest memories under each word, as tickets (`stores/topics.py`), in the order of the words; all in one value.
SELECT json_group_array(json((
  SELECT json_group_array(found.ticket) FROM (
    SELECT memory * :sizes + size AS ticket FROM topic WHERE topic.word = word.value
    ORDER BY memory DESC LIMIT :most) found)))
FROM json_each(:words) word;

-- name: topics_due
-- What memories that hold say, in order of arrival.
SELECT seq, content FROM memory WHERE seq > :after AND valid_until IS NULL ORDER BY seq LIMIT :limit;

-- name: topics_clear
-- Nothing is found by its words.
DELETE FROM topic;

-- name: memories_numbered
-- Memories by the numbers of their rows.
SELECT m.seq, /*memory_columns*/ FROM memory m WHERE m.seq IN (SELECT value FROM json_each(:numbers));
