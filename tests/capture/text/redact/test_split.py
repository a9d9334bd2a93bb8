"""Tokens broken over lines or string literals."""

from __future__ import annotations

from holdfast.capture.text.redact import redact
from tests.capture.text.redact.token_formats import CASES, assembled
from tests.table import table

BREAKS = ["\n", "\r\n", "\n    ", "\\\n", '" +\n    "', '" + "', "\n> ", "\n# ", '"\n    "', "\\n"]
SPLIT = ["github-token", "anthropic-key", "stripe-key", "slack-bot-token", "gitlab-token", "npm-token"]


@table("seam", BREAKS)
@table("name", SPLIT)
def test_token_wrapped_once_is_taken_whole(name: str, seam: str) -> None:
    token = assembled(name, CASES[name])[1]
    middle = len(token) * 2 // 5
    clean = redact(f'x = "{token[:middle]}{seam}{token[middle:]}"\nnext line')[0]
    assert clean == f'x = "[REDACTED:{name}]"\nnext line'


def test_token_wrapped_twice_is_taken_whole() -> None:
    token = assembled("anthropic-key", CASES["anthropic-key"])[1]
    clean = redact("\n".join([token[:20], token[20:35], token[35:]]) + "\nnext")[0]
    assert token[:12] not in clean
    assert token[-12:] not in clean
    assert clean.endswith("\nnext")


def test_words_after_a_whole_token_are_kept() -> None:
    token = assembled("github-token", CASES["github-token"])[1]
    assert redact(f"{token}\nfollowing words") == (
        "[REDACTED:github-token]\nfollowing words",
        (("github-token", 1),),
    )


@table("text", ["tokens start with ghp_\nand are long", "prefix: sk-ant-\n\nNext paragraph", "'npm_' + name"])
def test_mark_at_the_end_of_a_line_is_no_token(text: str) -> None:
    assert redact(text) == (text, ())
