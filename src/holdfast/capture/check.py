"""Refuse what cannot be kept, before anything is written: each error names the field and what to do. And paths as
a memory names them, with what the files held when it was captured.

An error shows a caller's value only through `echo`: it may be logged, and the value may be a secret.
"""

import json
import os
from collections.abc import Iterable

from holdfast.capture.text.clean import Cleaner, echo, quote
from holdfast.errors import InvalidInput, UnknownKind
from holdfast.model import limits
from holdfast.model.ids import digest_bytes
from holdfast.model.kinds import KINDS
from holdfast.model.requests import Changes, Draft

Root = str | os.PathLike[str]

_MOST_BYTES = 2_000_000
_DIGITS = 16


def check_draft(draft: Draft) -> None:
    """Check every field of a draft."""
    check_text("content", draft.content, limits.CONTENT_BYTES)
    check_number("importance", draft.importance)
    check_number("confidence", draft.confidence, required=True)
    check_name("source", draft.source)
    if draft.quote is not None:
        check_size("quote", draft.quote, limits.QUOTE_BYTES)
    _check_common(draft)


def check_changes(changes: Changes) -> None:
    """Check every field that is to change."""
    if changes.content is not None:
        check_text("content", changes.content, limits.CONTENT_BYTES)
    check_number("importance", changes.importance)
    check_number("confidence", changes.confidence)
    _check_common(changes)


def _check_common(fields: Draft | Changes) -> None:
    if fields.kind is not None:
        check_kind(fields.kind)
    if fields.title is not None:
        check_text("title", fields.title, limits.CONTENT_BYTES)
    if fields.context is not None:
        check_size("context", fields.context, limits.CONTEXT_BYTES)
    check_names("tags", fields.tags or (), limits.TAGS, limits.NAME_CHARS)
    check_names("files", fields.files or (), limits.FILES, limits.PATH_CHARS)
    if fields.metadata is not None:
        check_metadata(fields.metadata)


def check_kind(kind: object) -> None:
    """Check that a kind is one of ours, and suggest the nearest."""
    if kind not in KINDS:
        from holdfast.model.nearest import suggestion  # few make the mistake

        likely = suggestion(str(kind), KINDS, "'{}'")
        question = f" (did you mean {likely}?)" if likely else ""
        raise UnknownKind(kind=echo(kind), suggestion=question, kinds=", ".join(KINDS))


def check_choice(field: str, value: object, choices: Iterable[str]) -> None:
    """Check that a value is one of a closed set."""
    allowed_values = tuple(choices)
    if value not in allowed_values:
        raise InvalidInput(field=field, problem=f"{quote(value)} is none of: {', '.join(allowed_values)}.")


def check_text(field: str, value: object, most: int) -> None:
    """Check that a text says something and fits."""
    check_size(field, value, most)
    if not str(value).strip():
        raise InvalidInput(field=field, problem="is empty. Say what there is to remember.")


def visible(field: str, text: str) -> str:
    """Return what cleaning left of a filter; refuse it where that is nothing, which everything would fit."""
    if not text.strip():
        raise InvalidInput(field=field, problem="has nothing in it that can be looked for. Give a visible text.")
    return text


def check_size(field: str, value: object, most: int) -> None:
    """Check that a value is text and fits."""
    if not isinstance(value, str):
        raise InvalidInput(field=field, problem=f"must be text, not {type(value).__name__}.")
    size = len(value.encode(errors="replace"))
    if size > most:
        raise InvalidInput(
            field=field, problem=f"has {size:,} bytes, at most {most:,} fit. Shorten it or split it in two."
        )


def check_number(field: str, value: object, *, required: bool = False) -> None:
    """Check that a number, where there is one, lies from 0 to 1."""
    if value is None and not required:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(field=field, problem=f"must be a number from 0 to 1, not {quote(value)}.")
    if not 0 <= value <= 1:
        raise InvalidInput(field=field, problem=f"{value} is out of range. Give a number from 0 to 1.")


def check_count(field: str, value: object, least: int, most: int) -> None:
    """Check that a whole number lies in a range."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(field=field, problem=f"{quote(value)} is no whole number from {least} to {most:,}.")


def check_name(field: str, value: object) -> None:
    """Check a short label: a tag, a source, an agent, a ref."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidInput(field=field, problem=f"{quote(value)} is not a name. Give a short text.")
    if len(value) > limits.NAME_CHARS:
        raise InvalidInput(field=field, problem=f"has {len(value)} characters, at most {limits.NAME_CHARS} fit.")


def check_names(field: str, values: object, most: int, longest: int) -> None:
    """Check a list of labels or paths."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InvalidInput(field=field, problem="must be a list of texts, such as ['a', 'b'].")
    items = list(values)
    if len(items) > most:
        raise InvalidInput(field=field, problem=f"has {len(items)} entries, at most {most} fit.")
    for item in items:
        if not isinstance(item, str) or not item.strip() or len(item) > longest:
            raise InvalidInput(
                field=field, problem=f"{quote(item)} cannot be used. Give texts of 1 to {longest} characters."
            )


def check_metadata(metadata: object) -> None:
    """Check that metadata is a JSON object of reasonable size."""
    if not isinstance(metadata, dict):
        raise InvalidInput(field="metadata", problem="must be an object of names and JSON values.")
    if _depth(metadata) > limits.METADATA_DEPTH:
        raise InvalidInput(field="metadata", problem=f"is nested deeper than {limits.METADATA_DEPTH} levels.")
    try:
        size = len(json.dumps(metadata, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(field="metadata", problem=f"is not JSON ({echo(str(error))}).") from None
    if size > limits.METADATA_BYTES:
        raise InvalidInput(
            field="metadata", problem=f"has {size:,} bytes as JSON, at most {limits.METADATA_BYTES:,} fit."
        )


def _depth(value: object) -> int:
    """Return how deep a JSON value is nested, as far as it matters."""
    deepest, level = 0, [value]
    while level and deepest <= limits.METADATA_DEPTH:
        deepest += 1
        level = [
            item
            for container in level
            if isinstance(container, dict | list | tuple)
            for item in (container.values() if isinstance(container, dict) else container)
        ]
    return deepest


def project_paths(root: Root | None, files: tuple[str, ...]) -> tuple[str, ...]:
    """Return each path once, with forward slashes, relative to the project where it lies inside it."""
    return tuple(dict.fromkeys(project_path(root, file.strip()) for file in files))


def clean_paths(root: Root | None, files: Iterable[str], cleaner: Cleaner) -> tuple[str, ...]:
    """Return paths as they are kept: cleaned as they were given, and again as they are kept.

    Before, because an address that was taken for a path (`redis:/user:…`) no longer looks like one; after, because
    what is kept is what must be clean.
    """
    return cleaner.labels(project_paths(root, cleaner.labels(files)))


def project_path(root: Root | None, file: str) -> str:
    """Return one path as it is kept, whether given absolute, with backslashes or in a roundabout way."""
    path = file.replace("\\", "/")
    if root is not None and os.path.isabs(path):
        inside = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
        path = path if inside.startswith("..") else inside
    return os.path.normpath(path).replace(os.sep, "/") if path.strip("/") else path


def content_hashes(root: Root | None, files: tuple[str, ...]) -> dict[str, str]:
    """Return a short hash of each file that exists inside the project; others are passed over."""
    if root is None:
        return {}
    hashes = {file: _content_hash(root, file) for file in files}
    return {file: digest for file, digest in hashes.items() if digest}


def _content_hash(root: Root, file: str) -> str | None:
    """Hash a regular file below the root, reached without leaving it; anything else has no hash."""
    try:
        above, path = os.path.realpath(root), os.path.realpath(os.path.join(root, file))
        if os.path.commonpath((above, path)) != above or not os.path.isfile(path):
            return None
        if os.path.getsize(path) > _MOST_BYTES:
            return None
        with open(path, "rb") as stream:
            return digest_bytes(stream.read())[:_DIGITS]
    except (OSError, ValueError):
        return None
