"""A rule that is taken back after it was promoted, or said again more fully in a recap, which speaks for it then:
the memory that nothing else speaks for becomes history.

Only what came by itself or by an agent's note: from a person's own words, which the person takes back, or from
others' and nobody has confirmed it since. What a person added or confirmed is theirs to forget.
"""

from collections.abc import Sequence
from dataclasses import replace

from holdfast.capture.sessions.promotion import LEGS
from holdfast.capture.sessions.quoted_note import quote_of
from holdfast.model.finding import RECAPPED, RETRACTED, Finding
from holdfast.model.kinds import CANDIDATE, PINNED, PROMOTED
from holdfast.model.memory import Memory
from holdfast.model.records import Event
from holdfast.ports import Store

_OVER = {RETRACTED, RECAPPED}


def demote(store: Store, changed_findings: Sequence[Finding], actor: str, now: int) -> None:
    """Retire the memories of findings that were taken back; call it inside a transaction, after keeping those."""
    ids = {finding.memory for finding in changed_findings if finding.memory and _OVER & set(finding.signals)}
    standing_ids = {
        finding.memory for finding in store.findings.behind(sorted(ids)) if not _OVER & set(finding.signals)
    }
    retired_memories = [
        memory for memory in store.memories.get(sorted(ids - standing_ids)) if _came_by_itself(memory)
    ]
    if retired_memories:
        ids_gone = tuple(memory.id for memory in retired_memories)
        store.audit.record(
            Event(action="update", actor=actor, at=now, ids=ids_gone, detail={"retracted": len(retired_memories)})
        )
    for memory in retired_memories:
        store.memories.replace(replace(memory, valid_until=max(memory.valid_from, now), updated_at=now))


def _came_by_itself(memory: Memory) -> bool:
    if memory.superseded or memory.status == PINNED:
        return False
    if quote_of(memory):
        return True
    if set(memory.sources) != {PROMOTED}:
        return False
    return memory.status == CANDIDATE or bool(LEGS & set(_signals(memory)))


def _signals(memory: Memory) -> list[str]:
    signals = memory.metadata.get("signals")
    return signals if isinstance(signals, list) else []
