"""A draft becomes a memory: checked, normalised, titled, fingerprinted. Pure but for reading named files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from holdfast.capture.check import check_changes, check_choice, check_draft
from holdfast.capture.files import content_hashes, project_paths
from holdfast.capture.fingerprint import fingerprint
from holdfast.capture.normalise import normalise, normalise_json, normalise_names
from holdfast.capture.standing import first_status, rewritten_by
from holdfast.errors import InvalidInput
from holdfast.model.ids import new_id
from holdfast.model.kinds import OBSERVATION, SCOPES, TRUSTS, USER_PROJECT
from holdfast.model.limits import TITLE_CHARS
from holdfast.model.memory import Changes, Draft, Memory, Origin
from holdfast.model.times import parse_future, parse_past
from holdfast.model.title import shorten, title_of

IMPORTANCE = 0.5
NEVER = "never"
"""What to give for `expires` in an update to let a memory stay for good."""


def prepare_all(drafts: Sequence[Draft], origin: Origin, root: Path | None, now: int) -> list[Memory]:
    """Prepare every draft before any is written; an error says which of several it is about."""
    memories = []
    for place, draft in enumerate(drafts):
        with named_item(place, len(drafts)):
            memories.append(prepare(draft, origin, root, now))
    return memories


@contextmanager
def named_item(place: int, of: int) -> Iterator[None]:
    """Let an error about one of several items say which."""
    try:
        yield
    except InvalidInput as error:
        if of == 1:
            raise
        raise InvalidInput(field=f"items[{place}].{error.field}", problem=_problem(error)) from error


def prepare(draft: Draft, origin: Origin, root: Path | None, now: int) -> Memory:
    """Turn a draft into the memory it would be."""
    check_draft(draft)
    check_choice("trust", draft.trust, TRUSTS)
    check_choice("scope", draft.scope, SCOPES)
    content = _said(draft.content)
    files = project_paths(root, normalise_names(tuple(draft.files)))
    said_at = parse_past(draft.at, "at", now)
    created_at = now if said_at is None else said_at
    return Memory(
        id=new_id(now),
        project=USER_PROJECT if draft.scope == "user" else origin.project,
        tenant=origin.tenant,
        user=origin.user,
        kind=draft.kind or OBSERVATION,
        title=shorten(normalise(draft.title), TITLE_CHARS) if draft.title else title_of(content),
        content=content,
        context=normalise(draft.context or ""),
        tags=normalise_names(tuple(draft.tags)),
        files=files,
        file_hashes=content_hashes(root, files),
        importance=float(IMPORTANCE if draft.importance is None else draft.importance),
        confidence=float(draft.confidence),
        status=first_status(draft.trust),
        trust=draft.trust,
        sources=(normalise(draft.source),),
        session=draft.session,
        agent=origin.agent,
        branch=origin.branch,
        commit=origin.commit,
        created_at=created_at,
        updated_at=now,
        renewed_at=now,
        valid_from=created_at,
        expires=parse_future(draft.expires, "expires", now),
        fingerprint=fingerprint(content),
        metadata=normalise_json(draft.metadata or {}),
    )


def apply_changes(memory: Memory, changes: Changes, root: Path | None, now: int) -> Memory:
    """Return a memory with its new values; a title that was made from the content follows the content."""
    check_changes(changes)
    check_choice("trust", changes.trust, TRUSTS)
    content = memory.content if changes.content is None else _said(changes.content)
    files = memory.files
    hashes = memory.file_hashes
    if changes.files is not None:
        files = project_paths(root, normalise_names(tuple(changes.files)))
        hashes = content_hashes(root, files)
    said = (changes.content, changes.title, changes.context, changes.expires)
    rewritten = any(given is not None for given in said)
    trust, status = rewritten_by(memory, changes.trust) if rewritten else (memory.trust, memory.status)
    return replace(
        memory,
        trust=trust,
        status=status,
        content=content,
        fingerprint=fingerprint(content),
        title=_new_title(memory, changes, content),
        kind=memory.kind if changes.kind is None else changes.kind,
        context=memory.context if changes.context is None else normalise(changes.context),
        tags=memory.tags if changes.tags is None else normalise_names(tuple(changes.tags)),
        files=files,
        file_hashes=hashes,
        importance=memory.importance if changes.importance is None else float(changes.importance),
        confidence=memory.confidence if changes.confidence is None else float(changes.confidence),
        expires=_new_expiry(memory, changes, now),
        metadata=memory.metadata if changes.metadata is None else normalise_json(changes.metadata),
        updated_at=now,
    )


def _said(content: str) -> str:
    text = normalise(content)
    if not text:
        raise InvalidInput(field="content", problem="is empty. Say what there is to remember.")
    return text


def _new_expiry(memory: Memory, changes: Changes, now: int) -> int | None:
    if changes.expires is None:
        return memory.expires
    return None if changes.expires == NEVER else parse_future(changes.expires, "expires", now)


def _new_title(memory: Memory, changes: Changes, content: str) -> str:
    if changes.title is not None:
        return shorten(normalise(changes.title), TITLE_CHARS)
    return title_of(content) if memory.title == title_of(memory.content) else memory.title


def _problem(error: InvalidInput) -> str:
    return str(error).removeprefix(f"{error.field}: ")
