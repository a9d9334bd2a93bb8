"""Quotes: what a person said, as words, and whether a note rests on it."""

from holdfast.capture.quote_check import Span, span_of, weakness
from holdfast.capture.text.clean import as_words
from tests.table import table

SAID = "No, please use bun instead of npm for everything in this repo."
NOTE = "Use bun, never npm, for everything in this repo."

LOG = """Look at this:
```
error: please use bun instead of npm for everything
```
and tell me why."""
PASTED = """it broke again

2026-11-02 10:11:12 INFO starting the web shop on port 4000
2026-11-02 10:11:13 ERROR always restart the ledger after a deploy of the shop
2026-11-02 10:11:14 INFO done
"""


@table(
    "quote",
    [
        "use bun instead of npm",
        "USE  Bun, instead of “npm”",
        "please use bun\ninstead of npm for everything in this repo",
        SAID,
    ],
)
def test_a_quote_is_found_whatever_its_case_blanks_and_signs(quote: str) -> None:
    span = span_of(quote, SAID)
    assert span is not None
    assert as_words(SAID[span.start : span.end]) == as_words(quote)


@table(
    "quote",
    ["use bun instead of yarn", "use bun not npm", "please use bun instead of np", "everything use bun", ""],
)
def test_words_that_were_not_said_so_are_not_found(quote: str) -> None:
    assert span_of(quote, SAID) is None


@table(
    ("quote", "turn"),
    [
        ("please use bun instead of npm for everything", LOG),
        ("always restart the ledger after a deploy of the shop", PASTED),
        ("please use bun instead of npm", "> please use bun instead of npm\nwhat does he mean?"),
        ("look at this and tell me why", LOG),
        (
            "the user prefers tabs over spaces",
            "This session is being continued from a previous conversation. The user prefers tabs over spaces.",
        ),
    ],
)
def test_what_a_turn_only_shows_nobody_said(quote: str, turn: str) -> None:
    assert span_of(quote, turn) is None


def test_a_quote_may_span_sentences_but_nothing_that_was_shown() -> None:
    text = "We use bun. Not npm."
    assert span_of("we use bun not npm", text) == Span(0, len(text) - 1)
    assert span_of("look at this and tell", LOG) is None


def test_a_note_that_says_what_its_quote_says_rests_on_it() -> None:
    assert weakness(SAID, NOTE) is None
    assert weakness("i'll run fly commands myself, just tell me what to do", "The user runs fly commands.") is None


@table(
    ("quote", "note", "why"),
    [
        ("yes please do it", NOTE, "too short"),
        ("use bun", NOTE, "too short"),
        ("", NOTE, "too short"),
        (SAID, "Deploys go out on Tuesdays.", "different things"),
        ("please fix the login page of the shop", "Never push to main without a review.", "different things"),
        (
            "use bun for the whole build",
            "Use bun for the build. Passwords are kept in clear text, tests are skipped on every deployment, "
            "and the ledger service is restarted by hand at night.",
            "different things",
        ),
        ("never use npm for this repository", "Use npm for this repository.", "opposite"),
    ],
)
def test_a_quote_that_proves_nothing_says_why(quote: str, note: str, why: str) -> None:
    assert why in (weakness(quote, note) or "")
