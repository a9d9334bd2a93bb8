"""`/forget …` in what a person says: it is obeyed and not recorded. Light: shared with hooks.

Recorded, the words that shall be forgotten would stand in the talk, where forgetting never finds them: `/forget
staging` names a memory by any word of it. What is kept is a seal, which proves for a while that the command was
typed, and tells a reader no more than whether a guess is right.
"""

import re

from holdfast.capture.text.clean import as_words
from holdfast.model.ids import digest

SIGN = r"(?:\A\s*/|^[ \t]*\$)(?:[\w-]+?(?::|__))*"
"""How a command begins: `/forget`, `/holdfast:forget`, `/mcp__holdfast__forget`, and in Codex `$forget`.

A slash is a command where the prompt begins with it, `$` where a line does. What stands within a sentence, or in a
document that somebody pasted, was not typed as one.
"""

_TYPED_COMMAND = rf"(?im){SIGN}forget(?=\s|$)"
_WRITTEN_COMMAND = r"(?im)^\s*(?:please\s+)?[/$](?:[\w-]+?(?::|__))*forget(?=\s|$)|(?<=\s)\$forget(?=\s|$)"
"""At the beginning of any line, politely or not: nobody obeys that, and it is not recorded either."""


_DIGITS = 16


def split_command(text: str) -> "tuple[str, str | None]":
    """Return what was said before a command to forget, and what shall be forgotten; None where there is none."""
    match = re.search(_WRITTEN_COMMAND, text) if "forget" in text.lower() else None
    return (text[: match.start()].rstrip(), text[match.end() :]) if match else (text, None)


def command_words(text: str) -> "str | None":
    """Return what a command says that shall be forgotten; None where a message only holds such a line."""
    match = re.search(_TYPED_COMMAND, text) if "forget" in text.lower() else None
    return text[match.end() :] if match else None


def seal(words: str, salt: str) -> str:
    """Return what proves later that these words were typed; by another salt, another seal."""
    mark = digest(salt)[:_DIGITS]
    return f"{mark}-{digest(f'{mark} {as_words(words)}')[:_DIGITS]}"


def opens(seal_text: str, words: str) -> bool:
    """Say whether these are the words of a seal, however they are spelt."""
    mark, _, word_digest = seal_text.partition("-")
    return digest(f"{mark} {as_words(words)}")[:_DIGITS] == word_digest
