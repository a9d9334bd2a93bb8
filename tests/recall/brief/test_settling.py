"""How much a turn settles, by a judge that knows a handful of sentences, and what is told of it."""

from collections.abc import Iterator, Sequence

import pytest

from holdfast.judge import Relation, Sentence, Verdict
from holdfast.model.session import Turn
from holdfast.recall.brief import settling as module
from holdfast.recall.brief.settling import DECIDING, PASSAGE_CHARS, passage, settling, statement, statements
from tests.table import table

LASTING = ("cents", "exactly seven", "budget would be", "digits", "database", "docstring", "kept")


class FakeJudge:
    """Thinks that a sentence lasts which holds one of a few words."""

    name = "fake"

    def __init__(self) -> None:
        self.judged: list[Sentence] = []

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        """Weigh sentences."""
        self.judged += sentences
        lasts = [0.8 if any(word in one.text for word in LASTING) else 0.02 for one in sentences]
        return [Verdict(value, value / 2, 0.5, 0.1) for value in lasts]

    def relates(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        """Weigh pairs: none has to do with each other."""
        return [Relation(0.0, 0.0, 0.0, 1.0) for _ in pairs]


@pytest.fixture(autouse=True)
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeJudge]:
    """The judge that is asked."""
    fake = FakeJudge()
    monkeypatch.setattr(module, "light_judge", lambda: fake)
    module.probabilities.cache_clear()
    yield fake
    module.probabilities.cache_clear()


def turns(*said: tuple[str, str]) -> list[Turn]:
    """Make a session of who said what."""
    return [
        Turn(id=str(place), session="s", role={"u": "user", "a": "assistant"}[who], text=text, at=place)
        for place, (who, text) in enumerate(said)
    ]


@table(
    ("text", "settles"),
    [
        ("Prices are stored in cents.", True),
        ("Hello there. Prices are stored in cents.", True),
        ("Are prices stored in cents?", False),
        ("I looked at the parser.", False),
        ("Prices are stored in cents. " + "I looked at the parser for a while, and then again. " * 9, False),
        ("", False),
        ("```\ncents = 1\n```", False),
    ],
)
def test_a_text_settles_as_its_sentences_last_and_less_the_longer_it_is(text: str, settles: bool) -> None:
    assert (statement(text) >= DECIDING) is settles


def test_a_person_s_turn_is_judged_with_the_agent_s_words_before_it(judge: FakeJudge) -> None:
    settling(turns(("u", "Hi there."), ("a", "Which unit do prices have?"), ("u", "Whole cents, please.")))
    assert [(one.text, one.agent) for one in judge.judged if one.agent] == [
        ("Whole cents, please.", "Which unit do prices have?")
    ]


def test_a_turn_is_judged_once_in_a_process_and_only_so_far(judge: FakeJudge) -> None:
    statement("Prices are stored in cents. " * 200)
    statement("Prices are stored in cents. " * 200)
    assert len(judge.judged) == module.MOST_SENTENCES


LEFT_OPEN, SETTLED = ("a", "It is up to you."), ("a", "Settled: seven attempts at most.")
ATTEMPTS = ("u", "At most exactly seven attempts.")


@table(
    ("said", "place", "outcome"),
    [
        ([("a", "I'd drop all digits."), ("u", "Careful, years must stay.")], 0, {"refused"}),
        ([("a", "I'd drop all digits.")], 0, {"settles"}),
        ([LEFT_OPEN, ("u", "Right, leave it at 7.")], 0, {"accepted", "settles"}),
        ([LEFT_OPEN, ("u", "Right, leave it at 7.")], 1, set()),
        ([LEFT_OPEN, ("u", "Right, and then I went on to the other module, " * 3)], 0, set()),
        ([("u", "Into the database."), ("a", "That is 8 GB."), ("u", "Oh. Object storage then.")], 0, {"refused"}),
        ([("u", "Go on."), SETTLED], 1, {"recaps", "settles"}),
        ([("u", "Go on."), SETTLED, ("u", "Ship it.")], 1, {"accepted", "recaps", "settles"}),
        ([ATTEMPTS, ("a", "So exactly seven attempts it is.")], 1, {"recaps", "settles"}),
        ([ATTEMPTS, ("a", "I read the file on attempts, seven of them.")], 1, set()),
        ([("u", "Go on."), ("a", "Settled: " + "seven attempts at most. " * 60)], 1, set()),
    ],
)
def test_what_becomes_of_a_turn_is_read_from_what_is_said_to_it(
    said: list[tuple[str, str]], place: int, outcome: set[str]
) -> None:
    weight = settling(turns(*said))[place]
    flags = {name for name in ("refused", "accepted", "recaps") if getattr(weight, name)}
    assert flags | ({"settles"} if weight.settles >= DECIDING else set()) == outcome


@table(
    ("text", "by_agent", "told"),
    [
        ("Prices are stored in cents. Let me look around first.", False, ["Prices are stored in cents."]),
        ("Prices are stored in cents. Ties go to the older one.", True,
         ["Prices are stored in cents.", "Ties go to the older one."]),
        ("Should prices be in cents?\n\nHere are the cents that we know:", False, []),
        ("", False, []),
    ],
)  # fmt: skip
def test_of_a_person_s_turn_the_sentences_that_may_last_are_told(
    text: str, by_agent: bool, told: list[str]
) -> None:
    assert [sentence.text for sentence in statements(text, by_agent=by_agent)] == told


def test_where_the_judge_is_unusable_briefs_are_made_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "light_judge", lambda: None)
    assert statement("Prices are stored in cents.") >= DECIDING
    assert [one.text for one in statements("Prices are stored in cents.")] == ["Prices are stored in cents."]


def test_a_passage_is_one_line_of_whole_sentences_around_the_best() -> None:
    sentences = statements("\n".join(f"Rule number {number} of the shop is to be kept." for number in range(16)))
    text = passage(sentences, 8)
    assert "Rule number 8 of the shop is to be kept." in text
    assert "\n" not in text
    assert len(text) <= PASSAGE_CHARS
    assert text.startswith("Rule number ")
    assert text.endswith(" is to be kept.")


def test_the_marks_of_a_format_are_left_out() -> None:
    [one] = statements("**Decision:** keep `prices` in __integer cents__ always.")
    assert passage([one], 0) == "Decision: keep `prices` in integer cents always."


def test_what_is_kept_of_a_long_turn_is_what_was_read_of_it() -> None:
    long_text = "Prices are stored in cents. " * 1_000
    for end in ("Yes.", "No."):
        statement(long_text + end, end + long_text)
        statements(long_text + end)
    assert module.probabilities.cache_info().currsize == 2
