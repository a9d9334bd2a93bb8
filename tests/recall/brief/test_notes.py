"""What other sessions just said: what belongs into a brief, and whose word stands."""

from holdfast.model.kinds import AGENT, TOOL, USER
from holdfast.recall.brief.amendments import SettledStatement
from holdfast.recall.brief.notes import BriefNote, relevant_notes
from holdfast.recall.brief.prompt import analyse


def note(text: str, at: int, trust: str = USER, *, given: bool = False) -> BriefNote:
    """Return a note of a session that still runs."""
    return BriefNote(id=str(at), kind="turn", text=text, at=at, session="s1", trust=trust, given=given)


def told(notes: list[BriefNote], prompt: str | None = None) -> list[str]:
    """Return the texts of the notes that belong into a brief."""
    return [one.text for one in relevant_notes(notes, analyse(prompt) if prompt else None, (), [])]


FIRST = note("Decision: prices are stored in integer cents, never as floats.", 1)
AGREED = note("Agreed: every price is stored in integer cents from now on.", 2, AGENT)
CHANGED = note("From now on prices are stored in decimal columns, no longer in integer cents.", 3)


def test_a_person_s_word_is_not_left_out_because_an_agent_said_it_back() -> None:
    assert told([FIRST, AGREED]) == [AGREED.text, FIRST.text]


def test_a_person_s_later_word_takes_the_place_of_the_earlier() -> None:
    assert told([FIRST, CHANGED]) == [CHANGED.text]


def test_the_same_words_with_another_number_are_told_beside_what_is_told_already() -> None:
    limit = note("The size limit of uploads is 8 MB.", 5)
    told_already = SettledStatement("The size limit of uploads is 5 MB.", "", None, 1, 0)
    assert [one.text for one in relevant_notes([limit], None, (), [told_already])] == [limit.text]
    assert relevant_notes([note(told_already.text, 5)], None, (), [told_already]) == []


def test_an_entry_that_an_agent_said_leaves_no_person_s_note_out() -> None:
    said_back = SettledStatement(FIRST.text, "", None, 5, 0, by_person=False)
    assert relevant_notes([FIRST], None, (), [said_back]) == [FIRST]


def test_what_a_tool_said_is_no_note() -> None:
    assert told([note("Prices are floats from now on.", 1, TOOL)]) == []


def test_what_has_nothing_to_do_with_the_prompt_is_left_out_unless_the_caller_gave_it() -> None:
    other = "The walrus importer is frozen until Tuesday."
    assert told([note(other, 1), FIRST], "store the prices of the basket in integer cents") == [FIRST.text]
    assert told([note(other, 1, given=True)], "store the prices of the basket in integer cents") == [other]
