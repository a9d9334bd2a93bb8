"""The few forms that are read by words: asking for memory, taking back, going on."""

from holdfast.capture.sessions.asked import (
    asks_for_memory,
    goes_on,
    lead_of,
    may_ask,
    points_back,
    takes_back,
)

ASKS = """\
Remember that we deploy on Tuesdays.
please remember: invoices are immutable
ok, and don't forget that the API is versioned
From now on, write commit messages in English.
Use tabs here from now on.
keep in mind the bank closes at noon
Tests first, then code. Remember that!
new rule: no default exports"""

MAY_ASK = """\
for the record: the staging key is rotated monthly
Going forward no more default exports.
note that prices are in cents
remember our users are offline half of the time
please answer in German from now on, comments stay English"""

DOES_NOT_ASK = """\
do you remember what we said about prices?
I remember that this was slow.
did you forget to push?
The cache remembers the last query.
What do we do from now on?
note the typo in line 3
make a note field in the invoice form
I forgot to run the tests
forget it
not needed, don't note it"""


def wrong(lines: str, *, expected: bool) -> list[str]:
    return [line for line in lines.splitlines() if asks_for_memory(line) is not expected]


def test_asking_for_memory_is_told_from_talking_about_it() -> None:
    assert wrong(ASKS, expected=True) == []
    assert wrong(DOES_NOT_ASK, expected=False) == []
    assert wrong(MAY_ASK, expected=False) == []
    assert [line for line in MAY_ASK.splitlines() if not may_ask(line)] == []
    assert [line for line in DOES_NOT_ASK.splitlines() if may_ask(line)] == []


def test_taking_back_is_told_from_talking_about_something() -> None:
    back = ("never mind, I found it", "Scrap that.", "ok forget it", "on second thought, B", "no, ignore that")
    other = ("never push to main", "forget about the tests", "scrap the old importer", "drop that column")
    assert [takes_back(text) for text in back] == [True] * len(back)
    assert [takes_back(text) for text in other] == [False, False, False, False]


def test_a_sentence_that_points_back_goes_on() -> None:
    assert [goes_on(text) for text in ("Because it breaks.", "otherwise we pay twice", "It's slow")] == [True] * 3
    assert [goes_on(text) for text in ("Use bun.", "Because", "no lodash")] == [False, True, False]


def test_asking_to_remember_what_was_just_said_is_told_from_what_follows() -> None:
    back = ("keep that in mind, it will bite us again", "please remember this", "ok, remember that.")
    forward = ("remember that prices are in cents", "remember this: prices are in cents", "keep it in cents")
    assert [points_back(text) for text in (*back, *forward)] == [True] * 3 + [False] * 3


def test_what_leads_up_to_a_statement_is_left_out() -> None:
    """Never its own words: "no lodash" keeps its no, and a lead that is most of the sentence stays."""
    texts = ("ok, please remember that invoices are never deleted", "no lodash", "no, in cents", "so, ok: done")
    assert [text[lead_of(text) :] for text in texts] == [
        "invoices are never deleted",
        "no lodash",
        "in cents",
        "so, ok: done",
    ]
