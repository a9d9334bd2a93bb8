"""A draft becomes a memory: checked, cleaned, classified, fingerprinted. Pure but for reading named files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.capture.check import check_changes, check_choice, check_draft, clean_paths, content_hashes
from holdfast.capture.classify import classify
from holdfast.capture.precedence import first_status, rewritten_by
from holdfast.capture.relations import OpenJudge
from holdfast.capture.text.clean import Cleaner, normalise
from holdfast.errors import InvalidInput
from holdfast.judge import light_judge
from holdfast.model.act import KEPT
from holdfast.model.actor import PYTHON, Actor
from holdfast.model.finding import SAID
from holdfast.model.ids import fingerprint, new_id
from holdfast.model.kinds import CANDIDATE, IMPORTED, PROMOTED, SCOPES, TIER, TRUSTS, USER, USER_PROJECT
from holdfast.model.limits import TITLE_CHARS
from holdfast.model.memory import Json, Memory, Origin, shorten, title_of
from holdfast.model.requests import Changes, Draft
from holdfast.model.times import parse_future, parse_past

IMPORTANCE = 0.5
NEVER = "never"
"""What to give for `expires` in an update to let a memory stay for good."""


class WriteContext(Struct, frozen=True, kw_only=True):
    """Where drafts come in: who writes, on whose behalf, when, and how texts are cleaned."""

    origin: Origin
    now: int
    actor: Actor = PYTHON
    root: Path | None = None
    cleaner: Cleaner = field(default_factory=Cleaner)
    judge: OpenJudge = light_judge
    """Opens the judge that pairs of memories are put to; it is opened where there is something to compare."""


@contextmanager
def named_item(place: int, of: int) -> Iterator[None]:
    """Let an error about one of several items say which."""
    try:
        yield
    except InvalidInput as error:
        if of == 1:
            raise
        raise InvalidInput(field=f"items[{place}].{error.field}", problem=_problem(error)) from None


def prepare(draft: Draft, desk: WriteContext) -> Memory | None:
    """Turn a draft into the memory it would be; None when all that it says is private."""
    check_draft(draft)
    check_choice("trust", draft.trust, TRUSTS)
    check_choice("scope", draft.scope, SCOPES)
    clean = _clean_draft(draft, desk)  # strip → normalise → redact
    if not clean.content:
        return None
    kind, sure = (clean.kind, None) if clean.kind else classify(clean.content)
    said_at = parse_past(draft.at, "at", desk.now)
    created_at = desk.now if said_at is None else said_at
    origin = desk.origin
    return Memory(
        id=new_id(desk.now),
        project=USER_PROJECT if clean.scope == "user" else origin.project,
        tenant=origin.tenant,
        user=origin.user,
        kind=kind,
        title=shorten(clean.title, TITLE_CHARS) if clean.title else title_of(clean.content),
        content=clean.content,
        context=clean.context or "",
        tags=clean.tags,
        files=clean.files,
        file_hashes=content_hashes(desk.root, clean.files),
        importance=float(IMPORTANCE if clean.importance is None else clean.importance),
        confidence=float(clean.confidence),
        status=CANDIDATE if _is_only_said(clean) else first_status(clean.trust),
        trust=clean.trust,
        sources=(clean.source,),
        session=clean.session,
        agent=origin.agent,
        branch=origin.branch,
        commit=origin.commit,
        created_at=created_at,
        updated_at=desk.now,
        renewed_at=desk.now,
        valid_from=created_at,
        expires=parse_future(draft.expires, "expires", desk.now),
        fingerprint=fingerprint(clean.content),
        metadata=clean.metadata or {},
        kind_confidence=sure,
    )


def _is_only_said(draft: Draft) -> bool:
    """Return whether the judge alone found lasting what a person said: it waits for the person's yes."""
    return draft.source == PROMOTED and (draft.metadata or {}).get(TIER) == SAID


def _clean_draft(draft: Draft, desk: WriteContext) -> Draft:
    """Take every text of a draft through the cleaner."""
    clean = desk.cleaner
    return replace(
        draft,
        content=_clean_content(draft.content, clean),
        title=clean.text(draft.title) if draft.title else None,
        context=clean.text(draft.context) if draft.context else None,
        tags=clean.labels(draft.tags),
        files=clean_paths(desk.root, draft.files, clean),
        source=clean.label(draft.source) or "manual",
        metadata=_without_kept(clean.json(draft.metadata), draft.trust) if draft.metadata else None,
    )


def _without_kept(metadata: Json, trust: str) -> Json:
    """Return metadata without a guard and the like, which have verbs of their own; an import brings its own, to be
    counted once a person has confirmed it."""
    return metadata if trust == IMPORTED else {name: value for name, value in metadata.items() if name not in KEPT}


def _new_metadata(memory: Memory, metadata: Json) -> Json:
    """Return other metadata with the guard and the like that a memory has."""
    kept_values = {name: memory.metadata[name] for name in KEPT if name in memory.metadata}
    return {**_without_kept(metadata, memory.trust if memory.trust != IMPORTED else USER), **kept_values}


def _clean_content(content: str, clean: Cleaner) -> str:
    """Clean what is to be remembered; invisible characters alone say nothing, and that is the caller's mistake."""
    text = clean.text(content)
    if not text and not normalise(content).strip():
        raise InvalidInput(field="content", problem="is empty. Say what there is to remember.")
    return text


def apply_changes(memory: Memory, changes: Changes, desk: WriteContext) -> Memory:
    """Return a memory with its new values; a title and a kind that came from the content follow the content."""
    check_changes(changes)
    check_choice("trust", changes.trust, TRUSTS)
    clean = desk.cleaner
    content = memory.content if changes.content is None else _clean_content(changes.content, clean)
    if not content:
        raise InvalidInput(field="content", problem="is private as a whole, so there is nothing to remember.")
    files, hashes = memory.files, memory.file_hashes
    if changes.files is not None:
        files = clean_paths(desk.root, changes.files, clean)
        hashes = content_hashes(desk.root, files)
    kind, sure = _new_kind(memory, changes, content)
    new_memory = replace(
        memory,
        content=content,
        fingerprint=fingerprint(content),
        title=_new_title(memory, changes, content, clean),
        kind=kind,
        kind_confidence=sure,
        context=memory.context if changes.context is None else clean.text(changes.context),
        tags=memory.tags if changes.tags is None else clean.labels(changes.tags),
        files=files,
        file_hashes=hashes,
        importance=memory.importance if changes.importance is None else float(changes.importance),
        confidence=memory.confidence if changes.confidence is None else float(changes.confidence),
        expires=_new_expiry(memory, changes, desk.now),
        metadata=memory.metadata
        if changes.metadata is None
        else _new_metadata(memory, clean.json(changes.metadata)),
        updated_at=desk.now,
    )
    if not _is_vouched_for(memory, new_memory, changes):
        return new_memory
    trust, status = rewritten_by(memory, changes.trust)
    return replace(new_memory, trust=trust, status=status)


def _is_vouched_for(memory: Memory, new_memory: Memory, changes: Changes) -> bool:
    """Say whether somebody vouches for what it says now: a person by saying anything, others by what differs."""
    words = ("content", "title", "context", "expires")
    if changes.trust == USER:
        return any(getattr(changes, name) is not None for name in words)
    return any(getattr(new_memory, name) != getattr(memory, name) for name in words)


def _new_kind(memory: Memory, changes: Changes, content: str) -> tuple[str, float | None]:
    if changes.kind is not None:
        return changes.kind, None
    is_guess = memory.kind_confidence is not None
    return classify(content) if is_guess and content != memory.content else (memory.kind, memory.kind_confidence)


def _new_expiry(memory: Memory, changes: Changes, now: int) -> int | None:
    if changes.expires is None:
        return memory.expires
    return None if changes.expires == NEVER else parse_future(changes.expires, "expires", now)


def _new_title(memory: Memory, changes: Changes, content: str, clean: Cleaner) -> str:
    if changes.title is not None:
        return shorten(clean.text(changes.title), TITLE_CHARS) or title_of(content)
    return title_of(content) if memory.title == title_of(memory.content) else memory.title


def _problem(error: InvalidInput) -> str:
    return str(error).removeprefix(f"{error.field}: ")
