"""What holds for every text: placeholders stay, allowed text stays, nothing raises, time is bounded."""

from __future__ import annotations

import random
import time

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from holdfast.capture.text.redact import redact
from tests.capture.text.redact.token_formats import CASES, assembled, characters, filled
from tests.table import table

TOKENS = [assembled(name, CASES[name])[1] for name in ("github-token", "aws-access-key", "jwt", "stripe-key")]
PIECES = [
    *TOKENS, "password", "token", "api_key", "secret", "Authorization", "Bearer ", "Basic ", "=", ":",
    " = ", '": "', '"', "'", "`", "\n", "\\n", "\\", " ", "{", "}", "[", "]", "<", ">", "&", "?", "--",
    "@", "://", "user", "a.b@c.de", ".", ",", ";", "[REDACTED:", "[REDACTED:token]", "]",
    "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----", "+", "curl -u ",
    "x7Fq2Zk9Lm4Rt8Vb1Nc6", "é", "\ud800",
    "\x00", "4111" + " 1111" * 3, "DE89" + "3704" + "0044" + "0532" + "013000",
    "value", "is", "pass:",
]  # fmt: skip
ASSEMBLED_TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
texts = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=30).map("".join))


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(texts)
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)[0]
    assert redact(once) == (once, ())


@settings(max_examples=200, deadline=None)
@given(texts, st.integers(0, 3))
def test_a_token_never_survives_among_other_text(text: str, which: int) -> None:
    assume(TOKENS[which] not in text)
    assert TOKENS[which] not in redact(f"{text} {TOKENS[which]} {text}")[0]


@table("text", ["", "\x00", "\ud800", "\udfff\ud800", "a\x00b\ud83d", "\N{PILE OF POO}" * 3, "\r\n\u2028"])
def test_text_without_secrets_comes_back_unchanged(text: str) -> None:
    assert redact(text) == (text, ())


def test_secret_between_odd_characters_is_found() -> None:
    text = f"\ud800é password = '{TOKENS[0]}é'\x00\udfff"
    clean = "\ud800é password = '[REDACTED:github-token]'\x00\udfff"
    assert redact(text) == (clean, (("github-token", 1),))


def test_counts_are_reported_by_rule_in_order() -> None:
    text = f"{TOKENS[0]} {TOKENS[1]} {TOKENS[0]}"
    clean = "[REDACTED:github-token] [REDACTED:aws-access-key] [REDACTED:github-token]"
    assert redact(text) == (clean, (("aws-access-key", 1), ("github-token", 2)))


def test_allowed_string_is_kept() -> None:
    text = f"mail bot@corp.io or eve@corp.io, key {TOKENS[0]}"
    clean = redact(text, allow=["bot@corp.io", TOKENS[0]])
    assert clean == (f"mail bot@corp.io or [REDACTED:email], key {TOKENS[0]}", (("email", 1),))


def test_allowed_surroundings_keep_the_value_inside() -> None:
    url = "postgres://app:" + "local7dev" + "@localhost/app"
    assert redact(f"use {url} here", allow=[url]) == (f"use {url} here", ())


def test_the_most_specific_rule_names_an_overlap() -> None:
    assert redact(f'token = "{TOKENS[0]}"')[1] == (("github-token", 1),)


def test_unknown_rule_in_a_placeholder_protects_nothing() -> None:
    hidden = characters("H", 40, random.Random(1))
    clean = redact(f"password=[REDACTED:{hidden}] token: [REDACTED:{TOKENS[0]}]")[0]
    assert TOKENS[0] not in clean


SIZE = 1_000_000
HARD = {
    "one line": "a" * SIZE,
    "base64": filled("{B1000}", random.Random(2)) * (SIZE // 1000),
    "equals": "=" * SIZE,
    "quotes": "\"'" * (SIZE // 2),
    "names": "password=" * (SIZE // 9),
    "open strings": 'password="' * (SIZE // 10),
    "secrets": "token: x7f9q2zz81 " * (SIZE // 18),
    "key headers": ("-----BEGIN RSA PRIVATE " + "KEY-----\n") * (SIZE // 32),
    "addresses": "a.b@c.de " * (SIZE // 9),
    "urls": "http://a:b@" * (SIZE // 11),
    "marks": "ghp_ sk- xoxb- AKIA glpat- " * (SIZE // 27),
    "surrogates": "\x00\ud800" * (SIZE // 4),
}


@table("name", HARD)
def test_a_megabyte_built_to_be_slow_takes_bounded_time(name: str) -> None:
    """CPU time, with room for a loaded machine; the benchmark prints the figures (well under one second)."""
    start = time.process_time()
    redact(HARD[name])
    assert time.process_time() - start < 8


def test_time_grows_with_the_text_and_not_with_its_square() -> None:
    def seconds(repeats: int) -> float:
        start = time.process_time()
        redact('secret="' * repeats)
        return time.process_time() - start

    seconds(1_000)
    small = min(seconds(10_000) for _ in range(3))
    assert seconds(80_000) < small * 8 * 4
