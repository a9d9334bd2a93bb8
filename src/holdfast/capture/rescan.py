"""Looking through a store again with today's rules, and redacting in place what older ones let through."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from holdfast.capture.precedence import merge
from holdfast.capture.text.clean import Cleaner
from holdfast.errors import StoreRaced
from holdfast.model.finding import Evidence, Finding
from holdfast.model.ids import fingerprint
from holdfast.model.inbox import Proposal
from holdfast.model.limits import ACCESS_ROWS, BATCH, NO_LIMIT
from holdfast.model.memory import Memory, title_of
from holdfast.model.records import Event, Rescan
from holdfast.model.session import Session, Turn
from holdfast.ports import Progress, Store
from holdfast.stores.retry import again

T = TypeVar("T")
Row = TypeVar("Row", Memory, Turn)


def rescan_all(
    stores: Sequence[Store], cleaner: Cleaner, *, actor: str, now: int, progress: Progress | None = None
) -> Rescan:
    """Look through several stores; return what was found in all of them together."""
    reports = [rescan(store, cleaner, actor=actor, now=now, progress=progress) for store in stores]
    return Rescan(
        checked=sum(report.checked for report in reports),
        memories=sum(report.memories for report in reports),
        turns=sum(report.turns for report in reports),
        sessions=sum(report.sessions for report in reports),
        queries=sum(report.queries for report in reports),
        proposals=sum(report.proposals for report in reports),
        briefs=sum(report.briefs for report in reports),
        found=dict(sum((Counter(report.found) for report in reports), Counter())),
        pending=any(report.pending for report in reports),
    )


def rescan(store: Store, cleaner: Cleaner, *, actor: str, now: int, progress: Progress | None = None) -> Rescan:
    """Redact every row that still holds a secret; return how many there were, and what was found.

    Works in slices, each one transaction, so that others may write meanwhile; running it again finishes what was
    cut off. At the end the old bytes are driven out of the files.
    """
    work = _Rescan(store, cleaner, actor, now, progress)
    memories = sum(work.memories([row.id for row in rows]) for rows in _slices(store.memories.walk))
    turns = sum(work.turns([row.id for row in rows]) for rows in _slices(store.turns.walk))
    sessions = work.sessions()
    queries = work.queries()
    proposals = work.proposals()
    briefs = work.briefs()
    changed_rows = memories + turns + sessions + queries + proposals + briefs
    return Rescan(
        checked=work.checked,
        memories=memories,
        turns=turns,
        sessions=sessions,
        queries=queries,
        proposals=proposals,
        briefs=briefs,
        found=dict(work.found.most_common()),
        pending=store.scrub() if changed_rows else False,
    )


def _slices(walk: Callable[[str | None, int], list[Row]]) -> Iterator[list[Row]]:
    """Yield all rows; the next slice is read first, because the last row of this one may go."""
    rows = walk(None, BATCH)
    while rows:
        following = walk(rows[-1].id, BATCH)
        yield rows
        rows = following


class _Rescan:
    """One look through one store: each step is a transaction, and what was found is counted."""

    def __init__(
        self, store: Store, cleaner: Cleaner, actor: str, now: int, progress: Progress | None = None
    ) -> None:
        self.found: Counter[str] = Counter()
        self.checked = 0
        self._progress = progress
        self._store = store
        self._actor = actor
        self._now = now
        self._cleaner = Cleaner(redactor=self._counting(cleaner))

    def memories(self, ids: list[str]) -> int:
        """Redact memories in one transaction."""
        changed_count = self._in_one(lambda: self._memories(ids))
        self._step(len(ids))
        return changed_count

    def _memories(self, ids: list[str]) -> int:
        changed_memories = _changed(self._store.memories.get(ids), self._clean_memory)
        self._journal(changed_memories)
        for memory in changed_memories:
            self._replace(memory)
        return len(changed_memories)

    def turns(self, ids: list[str]) -> int:
        """Redact turns in one transaction."""
        changed_count = self._in_one(lambda: self._turns(ids))
        self._step(len(ids))
        return changed_count

    def _turns(self, ids: list[str]) -> int:
        changed_turns = _changed(self._store.turns.get(ids), self._clean_turn)
        self._journal(changed_turns)
        for turn in changed_turns:
            self._store.turns.replace(turn)
            self._findings(turn)
        return len(changed_turns)

    def _findings(self, turn: Turn) -> None:
        """Redact what was read from a turn, and let it point to where its words stand now."""
        findings = self._store.findings.from_turns([turn.id])
        self._store.findings.put([self._clean_finding(finding, turn) for finding in findings])

    def sessions(self) -> int:
        """Redact what sessions say of themselves."""
        checked_count, changed_count = self._in_one(self._sessions)
        self._step(checked_count)
        return changed_count

    def _sessions(self) -> tuple[int, int]:
        sessions = self._store.sessions.newest(None, NO_LIMIT)
        changed_sessions = _changed(sessions, self._clean_session)
        for session in changed_sessions:
            self._store.sessions.replace(session)
        return len(sessions), len(changed_sessions)

    def queries(self) -> int:
        """Redact the queries of the access log."""
        return self._in_one(self._queries)

    def _queries(self) -> int:
        queries = {access.query for access in self._store.accesses.recent(ACCESS_ROWS) if access.query}
        pairs = {query: self._cleaner.redacted(query) for query in queries}
        changed_queries = {before: after for before, after in pairs.items() if before != after}
        if changed_queries:
            self._store.accesses.reword(changed_queries)
        return len(changed_queries)

    def proposals(self) -> int:
        """Redact what agents asked for."""
        return self._in_one(self._proposals)

    def _proposals(self) -> int:
        changed_proposals = _changed(self._store.proposals.walk(None, NO_LIMIT), self._clean_proposal)
        self._journal(changed_proposals)
        self._store.proposals.put(changed_proposals)
        return len(changed_proposals)

    def briefs(self) -> int:
        """Redact what briefs said."""
        return self._in_one(self._briefs)

    def _briefs(self) -> int:
        pairs = {
            receipt_id: (text, self._cleaner.redacted(text))
            for receipt_id, text in self._store.receipts.texts().items()
        }
        changed_texts = {receipt_id: after for receipt_id, (before, after) in pairs.items() if before != after}
        self._store.receipts.reword(changed_texts)
        return len(changed_texts)

    @again
    def _in_one(self, act: Callable[[], T]) -> T:
        """Do something in one transaction; what was found in one that lost a race does not count."""
        counts_before = Counter(self.found)
        try:
            with self._store.writing():
                return act()
        except StoreRaced:
            self.found = counts_before
            raise

    def _step(self, rows: int) -> None:
        self.checked += rows
        if self._progress:
            self._progress(rows)

    def _counting(self, cleaner: Cleaner) -> Callable[..., tuple[str, tuple[tuple[str, int], ...]]]:
        def redactor(text: str, _: tuple[str, ...]) -> tuple[str, tuple[tuple[str, int], ...]]:
            clean, rule_counts = cleaner.found(text)
            self.found.update(dict(rule_counts))
            return clean, rule_counts

        return redactor

    def _clean_memory(self, memory: Memory) -> Memory:
        clean = self._cleaner
        content = clean.redacted(memory.content)
        title_follows = memory.title == title_of(memory.content)
        files = self._texts(memory.files)
        return replace(
            memory,
            content=content,
            fingerprint=fingerprint(content) if content != memory.content else memory.fingerprint,
            title=title_of(content) if title_follows else clean.redacted(memory.title),
            context=clean.redacted(memory.context),
            tags=self._texts(memory.tags),
            files=files,
            file_hashes={file: digest for file, digest in memory.file_hashes.items() if file in files},
            sources=self._texts(memory.sources),
            user=clean.redacted(memory.user),
            agent=memory.agent and clean.redacted(memory.agent),
            branch=memory.branch and clean.redacted(memory.branch),
            metadata=clean.json(memory.metadata) if memory.metadata else memory.metadata,
        )

    def _clean_turn(self, turn: Turn) -> Turn:
        clean = self._cleaner
        return replace(
            turn,
            text=clean.redacted(turn.text),
            role=clean.redacted(turn.role),
            tool=turn.tool and clean.redacted(turn.tool),
            ref=turn.ref and clean.ref(turn.ref),
            files=self._texts(turn.files),
        )

    def _clean_finding(self, finding: Finding, turn: Turn) -> Finding:
        content = self._cleaner.redacted(finding.content)
        return replace(
            finding,
            content=content,
            fingerprint=fingerprint(content),
            files=self._texts(finding.files),
            evidence=tuple(_relocate(place, turn, content) for place in finding.evidence),
        )

    def _clean_session(self, session: Session) -> Session:
        clean = self._cleaner
        return replace(
            session,
            user=clean.redacted(session.user),
            agent=clean.redacted(session.agent),
            ref=session.ref and clean.ref(session.ref),
            summary=clean.redacted(session.summary),
        )

    def _clean_proposal(self, proposal: Proposal) -> Proposal:
        clean = self._cleaner
        return replace(
            proposal,
            arguments=clean.json(proposal.arguments),
            agent=proposal.agent and clean.redacted(proposal.agent),
        )

    def _texts(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self._cleaner.redacted, texts)))

    def _replace(self, memory: Memory) -> None:
        """Write a memory; two that differed in a secret only are one now."""
        memories = self._store.memories
        twin = memories.saying(memory.project, [memory.fingerprint]).get(memory.fingerprint)
        if twin and twin.id != memory.id and not memory.superseded:
            memories.delete([memory.id])
            memories.replace(merge(twin, memory, self._now))
        else:
            memories.replace(memory)

    def _journal(self, rows: Sequence[Memory | Turn | Proposal]) -> None:
        if rows:
            ids, detail = tuple(row.id for row in rows), {"redacted": len(rows)}
            self._store.audit.record(
                Event(action="update", actor=self._actor, at=self._now, ids=ids, detail=detail)
            )


def _changed(rows: Iterable[T], clean: Callable[[T], T]) -> list[T]:
    """Return the rows that are no longer as they were once they are clean."""
    return [after for row in rows if (after := clean(row)) != row]


def _relocate(place: Evidence, turn: Turn, content: str) -> Evidence:
    """Return where something stands in a turn whose text has changed; all of it, when it cannot be told."""
    if place.turn != turn.id:
        return place
    start = turn.text.find(content)
    return (
        replace(place, start=start, end=start + len(content))
        if start >= 0
        else replace(place, start=0, end=len(turn.text))
    )
