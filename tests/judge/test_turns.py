"""A turn as sentences, each with the words around it."""

from holdfast.judge import Sentence
from holdfast.judge.turns import AFTER_READ, AGENT_READ, BEFORE_READ, sentences_of


def test_each_sentence_carries_its_neighbours_and_the_agents_last_words() -> None:
    assert sentences_of("No. Keep it in cents. Then go on.", agent="Shall  I\nuse floats?") == [
        Sentence("No.", "", "Keep it in cents. Then go on.", "Shall I use floats?", 0),
        Sentence("Keep it in cents.", "No.", "Then go on.", "Shall I use floats?", 1),
        Sentence("Then go on.", "No. Keep it in cents.", "", "Shall I use floats?", 2),
    ]


def test_what_stands_around_is_capped() -> None:
    long = "We keep it as it is. " * 200
    middle = sentences_of(long, agent="word " * 1_000)[100]
    assert (len(middle.before), len(middle.after), len(middle.agent)) == (BEFORE_READ, AFTER_READ, AGENT_READ)


def test_pasted_code_is_no_sentence() -> None:
    assert [sentence.text for sentence in sentences_of("Fix this:\n```\nnever();\n```")] == ["Fix this:"]
