"""The brief that a hook hands out, from the pipeline of every brief, over stores opened as they are; and the line
that a person is shown of it.

A process of its own for each: what is imported here is paid for while an agent waits. The line counts what the
agent was told and names what was learnt, with the command that removes it, so that a person can object in time.
Each is shown once: up to when it was shown is kept beside the spool.
"""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.interfaces.hooks import watchdog
from holdfast.machine import environment, failures, paths
from holdfast.model.brief import Brief, BriefItem
from holdfast.model.kinds import KINDS
from holdfast.model.memory import Origin
from holdfast.model.requests import BriefRequest
from holdfast.service.briefs import Briefs, BriefSettings

if TYPE_CHECKING:
    from holdfast.service.audit import LearntCount, LearntMemory

TEXT_CHARS = 60
"""Characters that a person is shown of a memory."""

RULE_TIERS = ("always", "rules")
"""The parts of a brief that hold whatever is being worked on: what is pinned, and the standing rules."""

MEMORY_TIERS = ("said", "bridge", "retrieval")
"""The parts that are about the work at hand. How the last session ended is neither: that opens every session."""


class HookBrief(Struct, frozen=True):
    """A brief as a hook needs it."""

    brief: Brief
    contents: list[str]
    """What its entries say: an agent that repeats it says nothing new."""
    learnt: "LearntCount | None" = None
    """What was learnt in the span that was asked about."""


def make(
    checkout: tuple[str, str | None],
    hook_settings: dict[str, object],
    request: BriefRequest,
    label: Callable[[str], str],
    span: tuple[int, int] | None = None,
) -> HookBrief:
    """Return a brief, and what was learnt in a span of time where one is given and there is time to ask.

    `checkout` is the root of the project and its git directory.
    """
    with _briefs(checkout, hook_settings, label) as (briefs, contents):
        brief = briefs.context(request)
        ids = [item.id for item in brief.items if item.kind in KINDS]
        # a store that gave no brief is not waited for again, and a count takes no time that the brief needs
        asks = span if brief.failure is None and watchdog.has_half_left() else None
        return HookBrief(brief, contents(ids) if ids else [], _learnt(briefs, asks, checkout[0]) if asks else None)


def _learnt(briefs: Briefs, span: tuple[int, int], root: str) -> "LearntCount | None":
    """Return what was learnt; whatever breaks costs that, not the brief."""
    try:
        return briefs.learnt(*span)
    except Exception as error:
        failures.leave("sign", root, error)
        return None


@contextlib.contextmanager
def _briefs(
    checkout: tuple[str, str | None], hook_settings: dict[str, object], label: Callable[[str], str]
) -> Iterator[tuple[Briefs, Callable[[list[str]], list[str]]]]:
    """Open what a brief is made from: the stores of this machine, or a server's."""
    root, git = checkout
    if hook_settings["store.url"]:
        from pathlib import Path

        from holdfast.storage.open import BRIEF, open_service

        with contextlib.closing(open_service(Path(root), BRIEF)) as service:
            yield (
                service.briefs,
                lambda ids: [memory.content for memory_id in ids if (memory := service.peek(memory_id))],
            )
        return
    from holdfast.storage.brief_stores import open_stores_for_brief

    scopes = open_stores_for_brief(root, paths.project_database(root, _text(hook_settings["store.path"])))

    def contents(ids: list[str]) -> list[str]:
        return [memory.content for store in scopes.present for memory in store.memories.get(ids)]

    @cache
    def origin() -> Origin:
        project = scopes.project.state().project
        return Origin(
            project=project, tenant="local", user="", agent=None, branch=paths.branch_of(git), commit=None
        )

    settings = BriefSettings(
        root=root,
        label=label,
        ceiling=_number(hook_settings["brief.ceiling"]),
        start_budget=_number(hook_settings["brief.start_budget"]) or 0,
        nudge=hook_settings["brief.nudge"] is True,
    )
    try:
        yield Briefs(scopes, environment.SystemClock(), origin, settings), contents
    finally:
        scopes.close()


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def sign_of(items: Sequence[BriefItem], learnt: "LearntCount | None", label: Callable[[str], str]) -> str:
    """Return the line for a person, cleaned by `label`; nothing where nothing was told and nothing learnt."""
    rules = sum(item.tier in RULE_TIERS for item in items)
    memories = sum(item.tier in MEMORY_TIERS for item in items)
    entries = [_count(rules, "rule", "rules"), _count(memories, "memory", "memories")]
    entry_text = " and ".join(filter(None, entries))
    parts = [
        *([f": {entry_text} told"] if entry_text else []),
        *(_learnt_parts(learnt, label) if learnt else []),
    ]
    return "holdfast" + ";".join(parts) if parts else ""


def _learnt_parts(learnt: "LearntCount", label: "Callable[[str], str]") -> list[str]:
    """Name what was learnt and what was only heard, and count the rest."""
    parts = [_named(memory, label) for memory in learnt.named]
    rest = learnt.count - len(parts)
    return [*parts, f" {rest}{'+' if learnt.at_least else ''} more"] if rest > 0 else parts


def _named(memory: "LearntMemory", label: "Callable[[str], str]") -> str:
    """Return a memory's first words and how to remove it: clean, on one line, with today's rules on secrets."""
    text = label(memory.title).replace('"', "'")
    if len(text) > TEXT_CHARS:
        text = text[:TEXT_CHARS].rpartition(" ")[0].rstrip(" ,;:.…") or text[: TEXT_CHARS - 1]
        text += "…"
    return f' {"heard" if memory.waits else "learnt"}: "{text}" · /forget {memory.short}'


def _count(number: int, noun: str, plural: str) -> str:
    return f"{number} {noun if number == 1 else plural}" if number else ""
