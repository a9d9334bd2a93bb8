"""What counts as saying again what is forgotten, and what stays because it says something else."""

from holdfast.capture.derivation import mask_spans
from holdfast.capture.restatement import Wording, merge_spans, pieces
from holdfast.judge import Judge
from tests.judges import ScriptedJudge
from tests.table import table

CAP = "Uploads are capped at 25 MB, never more"
IMPORTER = "The Zanzibar importer must never run before the Quokka nightly job."


SILENT = ScriptedJudge()
"""Takes nothing for the same: words alone decide."""
ALL_SAME = ScriptedJudge(relations={("", ""): "same"})


def without(rule: str, text: str, judge: Judge = SILENT, *, loosely: bool = True) -> str:
    """Return a text as it is left when a rule is forgotten."""
    return mask_spans(text, Wording([rule], lambda: judge).spans(text, loosely=loosely))


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
    ],
)
def test_what_says_something_else_stays(rule: str, text: str) -> None:
    """Even where the judge is sure that it says the same."""
    assert without(rule, text, ALL_SAME) == text


RETRIES = "Retries stop after 5 attempts, the provider bans us otherwise."
GIVE_UP = "Give up retries at number 5, else the provider bans us."


@table(
    ("judge", "text", "left"),
    [
        (ALL_SAME, f"Sure. {GIVE_UP} Bye.", "Sure. [forgotten]. Bye."),
        (SILENT, f"Sure. {GIVE_UP} Bye.", f"Sure. {GIVE_UP} Bye."),
        (ALL_SAME, "Give up retries at number 7, else the provider bans us.", None),
        (ALL_SAME, "The provider never bans early users for 5 retries.", None),
        (ALL_SAME, "Does the provider bans users of 5 retries?", None),
        (ALL_SAME, "After lunch, read in provider.py about 5 retries and bans.", None),
        (ALL_SAME, "5 retries, said Bob at lunch in the canteen: the provider bans early birds and owls.", None),
        (ALL_SAME, "The provider answers 5 retries.", None),
    ],
)
def test_what_only_the_judge_takes_for_the_same_goes_where_enough_words_agree(
    judge: Judge, text: str, left: str | None
) -> None:
    """And no number, negation, name or question mark tells the two apart."""
    assert without(RETRIES, text, judge) == (text if left is None else left)


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
