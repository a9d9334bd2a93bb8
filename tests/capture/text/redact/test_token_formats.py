"""Every rule of the table finds its token and leaves half of it alone."""

from __future__ import annotations

from holdfast.capture.text.redact import redact
from holdfast.capture.text.redact.rules import RULES
from tests.capture.text.redact.token_formats import CASES, assembled
from tests.table import table

NAMES = sorted(CASES)
# Tokens whose own first character, not something in front of them, marks where they start.
UNDELIMITED = [name for name in NAMES if "<<" not in CASES[name] and CASES[name][0] not in "$"]


def test_every_rule_has_a_case_and_every_case_a_rule() -> None:
    assert set(CASES) == {rule[0] for rule in RULES}


def test_the_table_knows_at_least_120_token_types() -> None:
    assert len({rule[0] for rule in RULES}) >= 120


@table("name", NAMES)
def test_token_is_replaced_by_its_typed_placeholder(name: str) -> None:
    before, token, after = assembled(name, CASES[name])
    assert redact(f"see {before}{token}{after} there") == (
        f"see {before}[REDACTED:{name}]{after} there",
        ((name, 1),),
    )


@table("name", NAMES)
def test_token_alone_in_a_text_is_found(name: str) -> None:
    before, token, after = assembled(name, CASES[name])
    assert token not in redact(before + token + after)[0]


@table("name", NAMES)
def test_stub_of_a_token_is_not_reported_as_the_token(name: str) -> None:
    """The mark with six characters after it, or half of a token that carries its mark inside, is no token."""
    before, token, _ = assembled(name, CASES[name])
    mark = CASES[name].rpartition("<<")[2].partition("{")[0]
    stub = token[: len(mark) + 6] if mark else token[: len(token) // 2]
    assert name not in dict(redact(f"see {before}{stub} there")[1])


@table("name", UNDELIMITED)
def test_token_inside_a_longer_word_is_left_alone(name: str) -> None:
    """A run of letters that merely holds the mark, as base64 blobs do, is no token."""
    token = assembled(name, CASES[name])[1]
    assert name not in dict(redact(f"see Zq{token} there")[1])


@table("name", ["github-token", "aws-access-key", "slack-bot-token", "stripe-key", "npm-token"])
def test_masked_token_is_left_alone(name: str) -> None:
    """Documentation writes tokens as a mark followed by the letter x."""
    _, token, _ = assembled(name, CASES[name])
    mark = CASES[name].partition("{")[0]
    masked = mark + "x" * (len(token) - len(mark))
    assert redact(f"use {masked} here") == (f"use {masked} here", ())
