"""A message of a session as it is kept: checked, normalised, and cut where it is too long to keep whole."""

from collections.abc import Sequence
from pathlib import Path

from holdfast.capture.check import check_name, check_names
from holdfast.capture.files import project_paths
from holdfast.capture.normalise import normalise, normalise_names
from holdfast.errors import InvalidInput
from holdfast.model.ids import new_id
from holdfast.model.limits import FILES, PATH_CHARS, TURN_BYTES
from holdfast.model.session import Session, Turn
from holdfast.model.times import Moment, parse_past


def prepare_turn(
    session: Session,
    role: str,
    text: str,
    *,
    root: Path | None,
    at: Moment | None,
    ref: str | None,
    tool: str | None,
    files: Sequence[str],
    now: int,
) -> Turn:
    """Turn a message into the turn it would be."""
    check_name("role", role)
    for field, name in (("ref", ref), ("tool", tool)):
        if name is not None:
            check_name(field, name)
    check_names("files", files, FILES, PATH_CHARS)
    if not isinstance(text, str) or not normalise(text):
        raise InvalidInput(field="text", problem="is empty. Record what was said.")
    said_at = parse_past(at, "at", now)
    return Turn(
        id=new_id(now),
        session=session.id,
        role=normalise(role),
        text=cap(normalise(text)),
        at=now if said_at is None else said_at,
        ref=ref and normalise(ref),
        tool=tool and normalise(tool),
        files=project_paths(root, normalise_names(tuple(files))),
    )


def cap(text: str) -> str:
    """Cut a text to what is kept of one turn, with a mark that says how much is missing."""
    if len(text) * 4 <= TURN_BYTES:
        return text
    raw = text.encode()
    if len(raw) <= TURN_BYTES:
        return text
    mark = f"\n… [cut: {len(raw):,} bytes in all]"
    return raw[: TURN_BYTES - len(mark.encode())].decode(errors="ignore") + mark
