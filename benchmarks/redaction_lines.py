"""The labelled lines that the redactor is measured on, and what counts as found or hit."""

import json
from pathlib import Path

from holdfast.capture.text.redact import redact

Row = dict[str, object]
NOT_CREDENTIALS = frozenset({"UUID", "API", "Nonce", "Salt", "AWS Multi", "Auth:Nonce"})
"""Labels of lines that hold nothing one would have to change if it leaked."""


def load(place: Path, name: str) -> list[Row]:
    """Read one file of the data; an absent file gives no rows."""
    path = place / f"{name}.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def text_of(row: Row) -> str:
    """Return the text of a row."""
    return str(row["text"])


def changed(row: Row) -> bool:
    """Say whether redaction changes the row's text."""
    return redact(text_of(row))[0] != text_of(row)


def values_gone(row: Row) -> tuple[bool, bool]:
    """Say whether all, and whether any, of the row's labelled values are gone from the redacted text."""
    clean = redact(text_of(row))[0]
    values = row["values"]
    assert isinstance(values, list)
    gone = [str(value).strip() not in clean for value in values]
    return all(gone), any(gone)


def share(hits: list[bool]) -> float:
    """Return the share of hits, rounded; nothing to count gives 0."""
    return round(sum(hits) / len(hits), 4) if hits else 0.0


def labelled(rows: list[Row], label: str) -> list[Row]:
    """Return the rows with one label."""
    return [row for row in rows if row["label"] == label]


def hard_secrets(rows: list[Row]) -> list[Row]:
    """Return the rows with a secret that would have to be changed if it leaked."""
    return [row for row in labelled(rows, "secret") if row["rule"] not in NOT_CREDENTIALS]
