"""Secrets inside something else: a string in a string, an attribute, base64."""

from __future__ import annotations

import json
import random
from base64 import b64encode, urlsafe_b64encode

from hypothesis import given
from hypothesis import strategies as st

from holdfast.capture.text.redact import redact
from tests.capture.text.redact.token_formats import characters
from tests.secrets import GITHUB
from tests.table import table

WORD = characters("A", 14, random.Random("layers"))


def wrapped(text: str, layers: int) -> str:
    """Put a text into as many JSON objects."""
    for _ in range(layers):
        text = json.dumps({"said": text})
    return text


@table("layers", [1, 2, 3])
@table(
    ("text", "secret"),
    [
        (f"first\n{GITHUB}\nlast", GITHUB),
        (f"first\nDB_PASSWORD={WORD}\nlast", WORD),
        (f'{{"password": "{WORD}"}}', WORD),
        (f"postgresql://joe:{WORD}@db.example/shop", WORD),
    ],
)
def test_secret_in_strings_is_taken_and_the_strings_stay_readable(text: str, secret: str, layers: int) -> None:
    """What is taken is the secret alone, so every layer still reads as JSON."""
    clean = redact(wrapped(text, layers))[0]
    assert secret not in clean
    for _ in range(layers):
        clean = json.loads(clean)["said"]
    assert clean.partition("[REDACTED:")[0] == text.partition(secret)[0]
    assert clean.rpartition("]")[2] == text.rpartition(secret)[2]


def test_secret_in_an_attribute_is_taken() -> None:
    text = f'<div data-config="{{&quot;password&quot;: &quot;{WORD}&quot;}}">'
    assert redact(text)[0] == text.replace(WORD, "[REDACTED:password]")


@given(st.text(alphabet='ab\\n"u0/ \t&;', max_size=40))
def test_text_full_of_escapes_is_kept(text: str) -> None:
    assert redact(text) == (text, ())


@table("encode", [b64encode, urlsafe_b64encode])
@table("text", [GITHUB, f"token={GITHUB}", f'{{"user": "joe", "password": "{WORD}"}}'])
def test_secret_in_base64_goes_with_all_of_it(text: str, encode: type[object]) -> None:
    coded = encode(text.encode()).decode()  # type: ignore[call-arg,attr-defined]  # one function or the other
    clean, found = redact(f"payload {coded} end")
    assert clean == f"payload [REDACTED:{found[0][0]}] end"


@table("text", ["The quick brown fox jumps over it", '{"alg": "HS256", "typ": "JWT"}', "a@b.example" * 3])
def test_other_text_in_base64_is_kept(text: str) -> None:
    coded = f"payload {b64encode(text.encode()).decode()} end"
    assert redact(coded) == (coded, ())
