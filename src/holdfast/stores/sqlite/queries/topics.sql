-- name: topic_put
-- The words of a memory that holds.
INSERT INTO topic (word, memory, size)
SELECT word.value, m.seq, json_array_length(:words) FROM memory m, json_each(:words) word WHERE m.id = :id;

-- name: topic_drop
-- A memory is no longer found by these words.
DELETE FROM topic
WHERE word IN (SELECT value FROM json_each(:words)) AND memory = (SELECT seq FROM memory WHERE id = :id);

-- name: topics_of
-- The newest memories under each word, as tickets (`stores/topics.py`).
SELECT word.value, (
  SELECT json_group_array(found.ticket) FROM (
    SELECT memory * :sizes + size AS ticket FROM topic WHERE topic.word = word.value
    ORDER BY memory DESC LIMIT :most) found)
FROM json_each(:words) word;

-- name: topics_clear
-- Nothing is found by its words.
DELETE FROM topic;

-- name: memories_numbered
-- Memories by the numbers of their rows.
SELECT m.seq, /*memory_columns*/ FROM json_each(:numbers) wanted CROSS JOIN memory m ON m.seq = wanted.value;
