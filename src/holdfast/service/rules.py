"""Rules of a person as they stand: which memories they are, what hooks read of them, and how they were kept.

Light enough for `status` and for every command that writes. Must not live here: changing a rule (`service.act`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from holdfast.model import act as model
from holdfast.model.act import COUNTS, GUARD
from holdfast.model.kinds import AGENT, CONFIRMED, IMPORTED, PINNED, USER
from holdfast.model.memory import Memory, clean, line, shorten
from holdfast.model.records import RuleTotals
from holdfast.model.search import Filters
from holdfast.model.times import iso
from holdfast.ports import Store

if TYPE_CHECKING:
    from holdfast.recall.act.compile import Rule
    from holdfast.service.parts import ServiceParts

RULE_KINDS = (
    "decision", "warning", "preference", "architecture", "pattern", "fact", "observation", "discovery", "feature",
)  # fmt: skip
"""Kinds of what a person says that holds; `recall.brief.parts` tells the same at a session's start."""

LOOKED_AT = 1_000
LINE_CHARS = 300
TITLES_OF_A_FILE, FILE_TITLE_CHARS = 4, 90


class RuleRecord(Struct, frozen=True, kw_only=True):
    """A rule with its guard and with what became of the calls that it was told at."""

    id: str
    short: str
    title: str
    told: int = 0
    kept: int = 0
    broken: int = 0
    refused: int = 0
    passed: int = 0
    asked: int = 0
    guard: dict[str, object] | None = None
    points: tuple[str, ...] = ()
    days: dict[str, list[int]] = field(default_factory=dict)


class RuleBook:
    """The rules of a project and of the person."""

    def __init__(self, parts: ServiceParts) -> None:
        self._parts = parts
        self._scopes = parts.scopes

    def refresh(self) -> None:
        """Compile the rules that changed into the files that hooks read."""
        root = self._parts.settings.root
        if root is None:
            return
        from holdfast.recall.act import match
        from holdfast.recall.act.compile import compile_rules

        stores = self._scopes.present
        compile_rules(self.compilable(stores[0]), self._known_files(stores[0]), match.file_of(str(root)))
        if len(stores) > 1:
            compile_rules(self.compilable(stores[1]), {}, match.file_of(None))

    def compilable(self, store: Store) -> list[Rule]:
        from holdfast.recall.act.compile import Rule
        from holdfast.recall.act.touch import kept_points

        return [
            Rule(
                id=memory.id,
                title=memory.title,
                text=memory.content,
                line=line_of(memory),
                at=memory.created_at,
                points=kept_points(memory.content, dict(memory.metadata)),
                guard=guard_of(memory),
            )
            for memory in self.memories(store)
        ]

    def memories(self, store: Store) -> list[Memory]:
        """Return the rules of a store, newest first: a person's, and whatever a person confirmed with a guard."""
        filters = Filters(
            statuses=(CONFIRMED, PINNED), trusts=(USER, AGENT, IMPORTED), current_at=self._parts.clock.now()
        )
        return [
            memory
            for memory in store.memories.newest(filters, LOOKED_AT)
            if (memory.trust == USER and memory.kind in RULE_KINDS) or guard_of(memory)
        ]

    def _known_files(self, store: Store) -> dict[str, list[str]]:
        """Return what is known by file: warnings first, then titles, newest first."""
        filters = Filters(statuses=(CONFIRMED, PINNED), trusts=(USER, AGENT), current_at=self._parts.clock.now())
        memories = [memory for memory in store.memories.newest(filters, LOOKED_AT) if memory.files]
        known: dict[str, list[str]] = {}
        for memory in sorted(memories, key=lambda memory: memory.kind != "warning"):
            for path in memory.files:
                titles = known.setdefault(path, [])
                if len(titles) < TITLES_OF_A_FILE:
                    mark = "⚠ " if memory.kind == "warning" else ""
                    titles.append(f"{mark}{_shown(memory.title, FILE_TITLE_CHARS)} (#{memory.id[-8:]})")
        return known

    def records(self, *, everything: bool = False) -> list[RuleRecord]:
        """Return the rules that were told at a call or have a guard, the most broken first; or all of them."""
        memories = [memory for store in self._scopes.present for memory in self.memories(store)]
        records = [
            self.record(memory) for memory in memories if everything or counts_of(memory) or guard_of(memory)
        ]
        return sorted(records, key=lambda record: (-record.broken, -record.told))

    def record(self, memory: Memory) -> RuleRecord:
        """Return what is known of one rule at the act."""
        from holdfast.recall.act.touch import kept_points

        counts = counts_of(memory)
        told, broken = model.told_of(counts), model.broken_of(counts)
        days = counts.get("days")
        return RuleRecord(
            id=memory.id,
            short=memory.id[-8:],
            title=memory.title,
            told=told,
            kept=told - broken,
            broken=broken,
            refused=model.number(counts, model.REFUSED),
            passed=model.number(counts, model.PASSED),
            asked=model.number(counts, model.ASKED),
            guard=guard_of(memory) or None,
            points=tuple(f"{sort} {value}" for sort, value in kept_points(memory.content, dict(memory.metadata))),
            days=dict(days) if isinstance(days, dict) else {},
        )

    def totals(self, day: str | None = None) -> RuleTotals:
        """Add up all rules, or what happened on one day."""
        records = self.records()
        told = sum(record.days.get(day, [0, 0])[0] if day else record.told for record in records)
        broken = sum(record.days.get(day, [0, 0])[1] if day else record.broken for record in records)
        return RuleTotals(
            told=told, kept=max(0, told - broken), broken=broken, guards=sum(bool(one.guard) for one in records)
        )


def line_of(memory: Memory) -> str:
    """Return a rule as one line of a client's context, as data: escaped, and without invisible characters."""
    text = _shown(memory.content, LINE_CHARS)
    stop = "" if text.endswith((".", "!", "?", "…")) else "."
    return f"Rule of {iso(memory.created_at)[:10]} (#{memory.id[-8:]}): {text}{stop}"


def _shown(text: str, most: int) -> str:
    return shorten(line(clean(text)), most).replace("&", "&amp;").replace("<", "&lt;")


def guard_of(memory: Memory) -> dict[str, object]:
    """Return a memory's guard; empty where it has none."""
    value = memory.metadata.get(GUARD)
    return dict(value) if isinstance(value, dict) else {}


def counts_of(memory: Memory) -> dict[str, object]:
    """Return what became of the calls that a rule was told at."""
    value = memory.metadata.get(COUNTS)
    return dict(value) if isinstance(value, dict) else {}


def act_details(memory: Memory) -> dict[str, str]:
    """Return for people what a rule touches, how it is guarded, and how it was kept; empty parts are left out."""
    from holdfast.recall.act.guards import KEYS, texts_at
    from holdfast.recall.act.touch import forbids, kept_points

    guard, counts = guard_of(memory), counts_of(memory)
    is_rule = (memory.trust == USER and memory.kind in RULE_KINDS) or bool(guard)
    points = kept_points(memory.content, dict(memory.metadata)) if is_rule else []
    verb = "forbids" if forbids(memory.content) else "asks for"
    patterns = [text for key in KEYS[2:] for text in texts_at(guard, key)]
    hard = ", hard" if guard.get("hard") else ""
    told, broken = model.told_of(counts), model.broken_of(counts)
    details = {
        "touches": f"{verb}: {', '.join(f'{sort} {value}' for sort, value in points)}" if points else "",
        "guard": f"{guard['strength']}{hard}: {', '.join(patterns) or 'calls that it touches'}" if guard else "",
        "at the act": f"told {told}, kept {told - broken}, broken {broken}" if told else "",
    }
    return {name: text for name, text in details.items() if text}
