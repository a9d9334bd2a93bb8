"""Tokens known by their owner's name: found beside it, left alone without it."""

from __future__ import annotations

import random

from holdfast.capture.text.redact import redact
from holdfast.capture.text.redact.keys import OWNERS, Owner
from tests.capture.text.redact.token_formats import characters, uuid
from tests.table import table

LETTERS = {"hex": "H", "alnum": "L", "urlsafe": "L", "base64": "L", "digits": "N"}


def token_of(owner: Owner) -> str:
    """Make a token that fits this owner and none with a narrower alphabet."""
    name, _, alphabet, lengths = owner
    source = random.Random(name)
    if alphabet == "uuid":
        return uuid(source)
    extra = {"alnum": "zq", "urlsafe": "z_q", "base64": "z+q"}.get(alphabet, "")
    return extra + characters(LETTERS[alphabet], lengths[0] - len(extra), source)


@table("owner", OWNERS, ids=lambda owner: owner[0])
def test_token_beside_its_owners_name_is_redacted(owner: Owner) -> None:
    token = token_of(owner)
    text = f'{owner[1][0]}_token = "{token}"'
    assert redact(text) == (text.replace(token, f"[REDACTED:{owner[0]}]"), ((owner[0], 1),))


@table("owner", OWNERS, ids=lambda owner: owner[0])
def test_same_characters_without_the_owners_name_are_kept(owner: Owner) -> None:
    text = f'checksum = "{token_of(owner)}"'
    assert redact(text) == (text, ())


def test_placeholder_beside_an_owners_name_is_kept() -> None:
    text = "DATADOG_API_KEY=" + "x" * 32
    assert redact(text) == (text, ())
