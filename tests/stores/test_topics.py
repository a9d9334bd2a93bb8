"""What an entry is about, and which entries share most of it."""

from holdfast.stores.topics import ASKED_WORDS, KEPT_WORDS, MOST_TICKETS, SIZES, nearest, ticket, topic_of


def test_a_topic_is_the_words_that_say_something_in_one_form() -> None:
    assert topic_of("We use Redis for the job queues") == topic_of("redis JOB queue, 42 of them")
    assert topic_of("It is what it is, and don't you forget it") == topic_of("forget")
    assert topic_of("") == topic_of("the 42") == ()


def test_of_a_long_text_the_first_words_are_kept_and_the_same_ones_of_the_rest() -> None:
    """So that two long texts that share their end share part of their topic."""
    words = [f"word{letter}{other}" for letter in "abcdef" for other in "abcdefgh"]
    topic = topic_of(" ".join(words))
    assert len(topic) == KEPT_WORDS < SIZES
    assert topic[: KEPT_WORDS // 2] == topic_of(" ".join(words[: KEPT_WORDS // 2]))
    shuffled = topic_of(" ".join([*words[: KEPT_WORDS // 2], *reversed(words[KEPT_WORDS // 2 :])]))
    assert len(set(topic) & set(shuffled)) >= KEPT_WORDS - 6
    assert len(topic_of(" ".join(words), ASKED_WORDS)) == ASKED_WORDS


def numbered(*texts: str) -> dict[int, list[int]]:
    """Return the tickets of texts by word, the newest first."""
    tickets: dict[int, list[int]] = {}
    for number, text in reversed(list(enumerate(texts))):
        topic = topic_of(text)
        for word in topic:
            tickets.setdefault(word, []).append(ticket(number, topic))
    return tickets


def test_entries_that_share_most_come_first_and_a_quarter_is_needed() -> None:
    tickets = numbered(
        "redis", "walrus ocelot lynx badger otter redis", "redis job queue", "redis job", "walrus lynx"
    )
    assert nearest(topic_of("redis job queue worker pool"), tickets, 9) == [2, 3, 0]
    assert nearest(topic_of("redis job queue worker pool"), tickets, 1) == [2]
    assert nearest(topic_of("nothing known"), tickets, 9) == []


def test_a_word_of_more_than_are_known_is_no_reason_to_leave_an_entry_out() -> None:
    """The tests of a project are many: who is not among the newest of them may still be about the same."""
    common, rare, unknown = topic_of("test unit vitest")
    tickets = {common: [ticket(number, (1, 2, 3)) for number in range(100, 100 + MOST_TICKETS)]}
    tickets[rare] = [ticket(7, (1, 2, 3))]
    assert nearest((common, rare, unknown), tickets, 1) == [7]
