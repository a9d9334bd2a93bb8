"""Rules at the act, on the side of the store: which memories are rules, their guards, and how often they were
kept.

Sets guards, counts what hooks saw, offers a person what follows from the counts, tries rules on calls. Must not
live here: which memories are rules (`service.rules`), matching (`recall.act`), and what a client is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.permission import ask, propose, proposing
from holdfast.errors import InvalidInput
from holdfast.model import act as model
from holdfast.model.act import ASK, COUNTS, GUARD, STRENGTHS, TOUCH
from holdfast.model.ids import new_id
from holdfast.model.inbox import FORGET, Proposal
from holdfast.model.inbox import GUARD as GUARD_VERB
from holdfast.model.kinds import AGENT, CONFIRMED, PINNED, USER
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.model.requests import Draft
from holdfast.model.times import iso
from holdfast.ports import Store
from holdfast.recall.act import guards
from holdfast.recall.act.touch import POINT_CHARS
from holdfast.recall.act.verdict import RuleVerdict, verdicts_on
from holdfast.service.change import reread
from holdfast.service.rules import counts_of, guard_of
from holdfast.stores.retry import again

if TYPE_CHECKING:
    from holdfast.recall.act.match import Call
    from holdfast.service.parts import ServiceParts

OFFER_GUARD, OFFER_FORGETTING = 2, 6
"""Broken so often, a guard is offered; so often, and never missed by the person, forgetting."""


class TouchedRule(Struct, frozen=True, kw_only=True):
    """A rule that a call or a change touches."""

    id: str
    title: str
    line: str
    strength: str
    hard: bool
    where: str = ""
    """The file, or the message, of a change."""


class ActRules:
    """The rules of a project and of the person, at the act."""

    def __init__(self, parts: ServiceParts) -> None:
        self._parts = parts
        self._scopes = parts.scopes
        self._actor = parts.settings.actor

    # ── guards and touch points ────────────────────────────────────────────────────────────────────────────

    def add_guard(self, what: str, guard: dict[str, object]) -> Memory:
        """Guard a rule by its id, or a command by its pattern, which becomes a rule of its own."""
        checked_guard = check_guard(guard)
        if self._scopes.full_id(what) is None and not self._is_known(what):
            checked_guard = check_guard(
                {**checked_guard, "commands": [what, *guards.texts_at(checked_guard, "commands")]}
            )
            what = self._rule_for(what, checked_guard)
        return self.keep_guard(what, checked_guard)

    def _is_known(self, text: str) -> bool:
        return any(
            text in (memory.id, memory.id[-8:])
            for store in self._scopes.present
            for memory in self._parts.rules.memories(store)
        )

    def _rule_for(self, pattern: str, guard: dict[str, object]) -> str:
        """Remember a rule that says what a pattern guards."""
        verb = "Ask before" if guard["strength"] == ASK else "Do not run"
        draft = Draft(content=f"{verb} `{pattern}`", kind="warning", trust=USER if self._actor.person else AGENT)
        added = self._parts.intake.take([draft], self._parts.write_context())[0]
        if added.id is None:
            raise InvalidInput(
                field="pattern", problem="was forgotten before; say it as a rule with `holdfast add`."
            )
        return added.id

    @proposing
    @again
    def keep_guard(self, memory_id: str, guard: dict[str, object]) -> Memory:
        """Set or, with an empty one, remove the guard of a rule; an agent only proposes it."""
        checked_guard = check_guard(guard) if guard else {}
        return self._set(memory_id, GUARD, checked_guard, GUARD_VERB)

    def carry_out(self, memory_id: str, arguments: dict[str, object]) -> Memory:
        """Do what was proposed: a guard, or other touch points."""
        if TOUCH in arguments:
            return self.keep_touch(memory_id, guards.texts_at(arguments, TOUCH))
        return self.keep_guard(memory_id, arguments)

    @proposing
    @again
    def keep_touch(self, memory_id: str, points: Sequence[str]) -> Memory:
        """Put other touch points in place of a rule's; without any, those of its text hold again."""
        values = [self._parts.settings.cleaner.label(point)[:POINT_CHARS] for point in points if point.strip()]
        return self._set(memory_id, TOUCH, values, GUARD_VERB)

    def _set(self, memory_id: str, name: str, value: object, verb: str) -> Memory:
        store, memory = self._scopes.find(memory_id)
        now = self._parts.clock.now()
        with store.writing():
            memory = reread(store, memory.id)
            arguments = value if isinstance(value, dict) else {TOUCH: value}
            ask(self._actor, verb, memory, at=now, store=store, arguments=arguments)
            metadata = {key: kept for key, kept in memory.metadata.items() if key != name} | (
                {name: value} if value else {}
            )
            status = CONFIRMED if value and memory.status != PINNED else memory.status
            event = Event(
                action="update", actor=self._actor.name, at=now, ids=(memory.id,), detail={name: bool(value)}
            )
            store.audit.record(event)
            store.memories.replace(replace(memory, metadata=metadata, status=status, updated_at=now))
            return reread(store, memory.id)

    # ── what became of calls ───────────────────────────────────────────────────────────────────────────────

    def count(self, store: Store, ids: Sequence[str], fate: str, at: int) -> None:
        """Count what became of a call with the rules that it touched; inside the transaction of a drain."""
        for own_store in (store, *(other for other in self._scopes.present if other is not store)):
            for memory in own_store.memories.get(list(ids)):
                counts = model.counted(counts_of(memory), fate, at, iso(at)[:10])
                with own_store.writing():
                    counted_memory = replace(memory, metadata={**memory.metadata, COUNTS: counts})
                    own_store.memories.replace(counted_memory)
                    offer = _offer(counted_memory, counts) if fate == model.RAN else None
                    if offer:
                        _propose_once(own_store, counted_memory, *offer, at=at)

    # ── trying and checking ────────────────────────────────────────────────────────────────────────────────

    def touched_by(self, call: Call) -> list[TouchedRule]:
        """Return the rules that a call would be told of, asked about or refused for."""
        return self.touched_by_all([("", call)])

    def touched_by_all(self, calls: Sequence[tuple[str, Call]]) -> list[TouchedRule]:
        """Return the rules that calls touch, each with the name of its call, the strictest first."""
        from holdfast.recall.act.compile import compiled

        rules = [compiled(rule) for store in self._scopes.present for rule in self._parts.rules.compilable(store)]
        root = str(self._parts.settings.root or "")
        touched = [_touched(verdict, where) for where, call in calls for verdict in verdicts_on(rules, call, root)]
        return sorted(touched, key=lambda one: -STRENGTHS.index(one.strength))


def _touched(verdict: RuleVerdict, where: str) -> TouchedRule:
    rule = verdict.rule
    return TouchedRule(
        id=rule.id, title=rule.title, line=rule.line, strength=verdict.strength, hard=verdict.hard, where=where
    )


def check_guard(guard: dict[str, object]) -> dict[str, object]:
    """Return a guard as it is kept; a pattern that cannot work is refused with one that does."""
    strength = guard.get("strength", ASK)
    if strength not in STRENGTHS[1:]:
        raise InvalidInput(field="strength", problem=f"must be ask or deny, not {strength!r}.")
    checks = {"commands": guards.check_command, "paths": guards.check_path}
    for key, check in checks.items():
        for pattern in guards.texts_at(guard, key):
            problem = check(pattern)
            if problem:
                raise InvalidInput(field=key.removesuffix("s"), problem=problem)
    kept_guard: dict[str, object] = {"strength": strength, **({"hard": True} if guard.get("hard") else {})}
    return kept_guard | {key: texts for key in guards.KEYS[2:] if (texts := guards.texts_at(guard, key))}


def _offer(memory: Memory, counts: dict[str, object]) -> tuple[str, dict[str, object], str] | None:
    """Return what to offer a person about a rule that was broken again: verb, arguments and reason."""
    broken = model.broken_of(counts)
    first = model.number(counts, "first")
    if broken == OFFER_GUARD and not guard_of(memory):
        return GUARD_VERB, {"strength": ASK}, "it was broken twice: guard it?"
    if broken == OFFER_FORGETTING and memory.updated_at <= first and memory.renewed_at <= first:
        return FORGET, {}, "you let it pass six times: does it still hold?"
    return None


def _propose_once(
    store: Store, memory: Memory, verb: str, arguments: dict[str, object], why: str, *, at: int
) -> None:
    if any(proposal.verb == verb for proposal in store.proposals.about(memory.id)):
        return
    from holdfast.capture.permission import looks_of

    proposal = Proposal(
        id=new_id(at),
        verb=verb,
        memory=memory.id,
        arguments=arguments,
        actor="holdfast",
        at=at,
        why=why,
        seen=looks_of(memory),
    )
    propose(store, proposal)
