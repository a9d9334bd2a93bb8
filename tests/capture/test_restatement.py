"""What counts as saying again what is forgotten, and what stays because it says something else."""

from holdfast.capture.derivation import mask_spans
from holdfast.capture.restatement import Wording, merge_spans, pieces
from tests.table import table

CAP = "Uploads are capped at 25 MB, never more"
IMPORTER = "The Zanzibar importer must never run before the Quokka nightly job."


def without(rule: str, text: str, *, loosely: bool = True) -> str:
    """Return a text as it is left when a rule is forgotten."""
    return mask_spans(text, Wording([rule]).spans(text, loosely=loosely))


@table(
    ("rule", "text", "left"),
    [
        (
            CAP,
            "Please note: uploads are  capped at 25 MB, never more. Bye.",
            "Please note: [forgotten]. Bye.",
        ),
        (CAP, "- Cap uploads at 25 MB (never more)\n- Rename foo", "[forgotten]\n- Rename foo"),
        (CAP, "Got it: **uploads** are capped at `25 MB`, never more", "Got it: [forgotten]"),
        ("Never push to main", "Understood, I'll never push to main.", "Understood, [forgotten]."),
        ("Never push to main", "Rename the file and never push to main.", "Rename the file and [forgotten]."),
        (IMPORTER, "Why did the Zanzibar importer run before the Quokka nightly job again?", "[forgotten]?"),
        (IMPORTER, "Before the Quokka nightly job the Zanzibar importer never runs.", "[forgotten]."),
    ],
)
def test_another_wording_goes_and_what_stands_around_it_stays(rule: str, text: str, left: str) -> None:
    assert without(rule, text) == left


@table(
    ("rule", "text"),
    [
        (CAP, "Uploads are capped at 30 MB."),
        (CAP, "Uploads are slow today, and the 25 tests of the cap fail."),
        ("Never push to main", "ok, now push to main"),
        ("Run the tests", "Please run the tests and tell me."),
        (IMPORTER, "The nightly job of the importer is green."),
        ("Start a session for each task", "Stores the task in the session record"),
        ("Errors go to stderr", "Errors go to stdout"),
        ("Errors go to stderr, always", "Errors go to stdout, always"),
        ("Use the staging key for load tests", "Use the production key for load tests"),
        ("Logs are written as JSON lines", "Logs are written as plain text lines"),
        ("Secrets of the build come from the environment", "Secrets of the build come from the vault"),
    ],
)
def test_what_says_something_else_stays(rule: str, text: str) -> None:
    assert without(rule, text) == text


def test_of_what_a_tool_said_only_the_very_words_go() -> None:
    said = "1: Uploads are capped at 25 MB, never more\n2: Cap uploads at 25 MB (never more)"
    assert without(CAP, said, loosely=False) == "1: [forgotten]\n2: Cap uploads at 25 MB (never more)"


def test_of_a_long_text_only_sentences_with_words_of_their_own_are_looked_for() -> None:
    rule = "Run the tests before. The invoice ledger mints gapless numbers for every tenant."
    assert Wording([rule]).texts == ["The invoice ledger mints gapless numbers for every tenant."]


def test_pieces_are_the_sentences_and_clauses_that_are_ones_own_words() -> None:
    text = "Yes. Deploys go out on Tuesdays, and nobody deploys on a Friday evening! Thanks."
    assert [text[start:end] for start, end in pieces(text)] == [
        "Deploys go out on Tuesdays",
        "and nobody deploys on a Friday evening",
        "Deploys go out on Tuesdays, and nobody deploys on a Friday evening",
    ]


def test_spans_that_overlap_are_one() -> None:
    assert merge_spans([(5, 9), (0, 3), (2, 4), (9, 10)]) == [(0, 4), (5, 9), (9, 10)]
