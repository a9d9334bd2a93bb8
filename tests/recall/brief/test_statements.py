"""The sentences of a turn that make sense to whoever was not there."""

from holdfast.recall.brief.deciding import PASSAGE_CHARS, passage, statements
from tests.table import table


def told(text: str, *, by_agent: bool = False) -> list[str]:
    """Return the sentences of a turn that can be told."""
    return [one.text for one in statements(text, by_agent=by_agent)]


@table(
    "text",
    [
        "Should we keep the prices in cents?",
        "Here is what has to be done next:",
        "Okay.",
        "yes, option 2",
        "Sounds good, do that please.",
        "Option B it is then.",
        "Thanks, looks good to me!",
        "Continue with the plan.",
        "Just do it.",
    ],
)
def test_a_question_a_label_and_a_nod_say_nothing_alone(text: str) -> None:
    assert told(text) == []


@table(
    "text",
    [
        "Prices are stored in integer cents.",
        "No commits to main without a review by somebody else.",
        "I want every module to have a docstring.",
        "Never call the ledger from a thread.",
    ],
)
def test_a_statement_is_told(text: str) -> None:
    assert told(text) == [text]


@table("text", ["Let me look at the ledger module first.", "Great, I'll update the importer and its tests now."])
def test_what_an_agent_tells_of_its_own_doings_is_not_told_but_a_person_may_begin_so(text: str) -> None:
    assert told(text, by_agent=True) == []
    assert told(text) == [text]


def test_a_passage_is_one_line_of_whole_sentences_around_the_best() -> None:
    sentences = statements("\n".join(f"Rule number {number} of the shop is to be kept." for number in range(40)))
    text = passage(sentences, 20)
    assert "Rule number 20 of the shop is to be kept." in text
    assert "\n" not in text
    assert len(text) <= PASSAGE_CHARS
    assert text.startswith("Rule number ")
    assert text.endswith(" is to be kept.")


def test_the_marks_of_a_format_are_left_out() -> None:
    [one] = statements("**Decision:** keep `prices` in __integer cents__ always.")
    assert passage([one], 0) == "Decision: keep `prices` in integer cents always."
