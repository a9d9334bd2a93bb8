"""What other sessions just said: what belongs into a brief, and whose word stands."""

from holdfast.model.kinds import TOOL, USER
from holdfast.recall.brief.notes import BriefNote, relevant_notes
from holdfast.recall.brief.prompt import analyse


def note(text: str, at: int, trust: str = USER, *, given: bool = False) -> BriefNote:
    """Return a note of a session that still runs."""
    return BriefNote(id=str(at), kind="turn", text=text, at=at, session="s1", trust=trust, given=given)


def told(notes: list[BriefNote], prompt: str | None = None) -> list[str]:
    """Return the texts of the notes that belong into a brief."""
    return [one.text for one in relevant_notes(notes, analyse(prompt) if prompt else None, (), [])]


FIRST = note("Decision: prices are stored in integer cents, never as floats.", 1)
AGAIN = note("Prices are stored in integer cents, never as floats.", 3)


def test_of_two_that_say_the_same_the_newer_is_told() -> None:
    assert told([FIRST, AGAIN]) == [AGAIN.text]


def test_the_same_words_with_another_number_are_told_beside_what_is_told_already() -> None:
    limit, told_already = note("The size limit of uploads is 8 MB.", 5), "The size limit of uploads is 5 MB."
    assert [one.text for one in relevant_notes([limit], None, (), [told_already])] == [limit.text]
    assert relevant_notes([note(told_already, 5)], None, (), [told_already]) == []


def test_what_a_tool_said_is_no_note() -> None:
    assert told([note("Prices are floats from now on.", 1, TOOL)]) == []


def test_what_has_nothing_to_do_with_the_prompt_is_left_out_unless_the_caller_gave_it() -> None:
    other = "The walrus importer is frozen until Tuesday."
    assert told([note(other, 1), FIRST], "store the prices of the basket in integer cents") == [FIRST.text]
    assert told([note(other, 1, given=True)], "store the prices of the basket in integer cents") == [other]
