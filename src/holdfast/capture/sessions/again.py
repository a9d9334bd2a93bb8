"""Judge sessions that are over again, by today's judge: which findings it takes back, and which are new.

Memories that a person confirmed, pinned or added stay; only those that came by themselves can go. Must not live
here: promotion, which follows as after every end of a session.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.sessions.harvest import came_by_itself, demote, skipped_turns
from holdfast.capture.sessions.learn import CONTEXT_TURNS, learn
from holdfast.judge import Judge
from holdfast.model.finding import NOTED, RETRACTED, RULING, Finding
from holdfast.model.kinds import COMPLETED
from holdfast.model.session import Session, Turn
from holdfast.ports import Store
from holdfast.stores.retry import again

PAGE = 100
"""Sessions that are read at a time."""


class Rejudged(Struct, frozen=True):
    """A session's findings that today's judge does not find lasting, and those that it finds anew."""

    gone: tuple[Finding, ...]
    new: tuple[Finding, ...]
    turns: tuple[Turn, ...]
    """The turns that were read, as they were then."""


def ended_sessions(store: Store) -> Iterator[Session]:
    """Yield the sessions that are over, in the order of their beginning."""
    last: str | None = None
    while page := store.sessions.walk(last, PAGE):
        last = page[-1].id
        yield from (session for session in page if session.status == COMPLETED)


def rejudge(store: Store, session: Session, judge: Judge) -> Rejudged:
    """Compare what a session left with what today's judge finds in its turns. Nothing is written."""
    old_findings = [
        finding for finding in store.findings.of(session.id, None, PAGE * PAGE) if _is_statement(finding)
    ]
    turns = store.turns.of(session.id)
    fresh = [finding for finding in _read(store, session, turns, judge) if _is_statement(finding)]
    fresh_ids = {finding.id for finding in fresh}
    return Rejudged(
        gone=tuple(finding for finding in old_findings if finding.id not in fresh_ids),
        new=tuple(_unknown(store, fresh)),
        turns=tuple(turns),
    )


def _read(store: Store, session: Session, turns: Sequence[Turn], judge: Judge) -> Iterator[Finding]:
    """Read a session's turns from the first; those that were passed over are context, as they were then."""
    skipped_ids = skipped_turns(store, session.id, turns)
    findings: dict[str, Finding] = {}
    for is_skipped, run in groupby(enumerate(turns), lambda numbered_turn: numbered_turn[1].id in skipped_ids):
        places = [place for place, _ in run]
        before = turns[max(0, places[0] - CONTEXT_TURNS) : places[0]]
        if not is_skipped:
            step = learn(turns[places[0] : places[-1] + 1], before, list(findings.values()), judge)
            findings |= {finding.id: finding for finding in (*step.changed, *step.new)}
    yield from findings.values()


def _unknown(store: Store, findings: Sequence[Finding]) -> list[Finding]:
    """Leave out what stands in the store, and what a person had removed."""
    stored_findings = store.findings.get([finding.id for finding in findings])
    known_keys = {finding.id for finding in stored_findings if _is_statement(finding)}
    known_keys |= set(store.tombstones.standing([finding.fingerprint for finding in findings]))
    return [finding for finding in findings if not {finding.id, finding.fingerprint} & known_keys]


@again
def replace_findings(store: Store, rejudged: Rejudged, actor: str, now: int) -> None:
    """Take back what does not last any more, with the memories that nothing else speaks for; keep what is new.

    Judging was done outside the transaction: what was changed or forgotten meanwhile is left as it is.
    """
    with store.writing():
        stored_findings = set(store.findings.get([finding.id for finding in rejudged.gone]))
        gone_findings = [finding for finding in rejudged.gone if finding in stored_findings]
        retracted_findings = [replace(finding, signals=(*finding.signals, RETRACTED)) for finding in gone_findings]
        has_changed = store.turns.get([turn.id for turn in rejudged.turns]) != list(rejudged.turns)
        new_findings = [] if has_changed else _unknown(store, rejudged.new)
        store.findings.put([*retracted_findings, *new_findings])
        demote(store, retracted_findings, actor, now)


def memories_of(store: Store, findings: Sequence[Finding]) -> dict[str, str]:
    """Return the contents, by id, of the memories that would go with these findings."""
    ids = {finding.id for finding in findings}
    memory_ids = sorted({finding.memory for finding in findings if finding.memory})
    standing = {
        finding.memory
        for finding in store.findings.behind(memory_ids)
        if finding.id not in ids and RETRACTED not in finding.signals
    }
    memories = store.memories.get([memory_id for memory_id in memory_ids if memory_id not in standing])
    return {memory.id: memory.content for memory in memories if came_by_itself(memory)}


def _is_statement(finding: Finding) -> bool:
    return finding.kind in RULING and not {NOTED, RETRACTED} & set(finding.signals)
