"""From a branch's history to evidence and memories, in the order it was made; what is known is not read again.

A commit's message is a turn of a session that holds the commits of one month. One that states something is a
memory as well, tied to its commit. A revert takes the place of what it reverts, and a later commit that
contradicts an earlier one about the same file takes its place, too: on one branch the later word counts.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from holdfast.capture.adopt import AdoptionTerms
from holdfast.errors import InvalidInput
from holdfast.ingest.git.log import Commit, commit_ids, commits
from holdfast.ingest.git.message import CommitMessage, by_machine, is_trivial, read_message
from holdfast.model.ingest import Carried, Entry, GitIngested
from holdfast.model.kinds import COMMIT
from holdfast.model.memory import CONTRADICTORY, Memory
from holdfast.model.requests import Draft, Message
from holdfast.model.times import day
from holdfast.service.service import Service

SOURCE = "git"
BATCH = 100
"""Commits of one transaction: others want to write, too."""

MOST = 5_000
"""Commits that are read unless somebody asks for more: some years of a busy project."""

FILES = 50
"""Files that a memory names; a commit that touches more is about none of them."""

Step = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How far back to read."""

    most: int = MOST
    since: int | None = None


@dataclass(frozen=True, slots=True)
class CommitStatement:
    """A commit, and what it says."""

    commit: Commit
    statement: CommitMessage


@dataclass(slots=True)
class History:
    """The history of the branch that is checked out in a directory."""

    service: Service
    directory: Path
    branch: str | None
    confirmed: bool = False
    new_ids: list[str] = field(default_factory=list)
    """The memories that came of it."""
    _unread: dict[str, str] = field(default_factory=dict)
    _memory_by_commit: dict[str, str] = field(default_factory=dict)
    """The memory that each commit became."""
    _counts: Counter[str] = field(default_factory=Counter)
    _skipped: Counter[str] = field(default_factory=Counter)

    def unread(self, bounds: Bounds) -> tuple[list[str], int]:
        """Return the commits that are not known yet, oldest first, and how many are."""
        all_ids = commit_ids(self.directory, bounds.most, bounds.since, self._note_unread)
        known_ids = self.service.exchange.witnessed(SOURCE).intersection(all_ids)
        return [commit_id for commit_id in all_ids if commit_id not in known_ids], len(known_ids)

    def ingest(self, ids: Sequence[str], known_count: int, step: Step, *, dry_run: bool = False) -> GitIngested:
        """Take in commits; `step` is told as they are done."""
        memories = self.service.exchange.said_by(SOURCE)
        self._memory_by_commit = {memory.commit: memory.id for memory in memories if memory.commit}
        for batch in self._batches(commits(self.directory, ids, self._note_unread), step):
            if dry_run:
                self._counts["evidence"] += len(batch)
                self._counts["memories"] += sum(
                    commit_statement.statement.kind is not None for commit_statement in batch
                )
            else:
                self._try(batch)
        return GitIngested(
            branch=self.branch,
            dry_run=dry_run,
            commits=len(ids),
            known=known_count,
            evidence=self._counts["evidence"],
            memories=self._counts["memories"],
            superseded=self._counts["superseded"],
            skipped=dict(self._skipped.most_common()),
            unread=dict(self._unread),
        )

    def _note_unread(self, subject: str, why: str) -> None:
        self._unread[subject] = why

    def _try(self, batch: Sequence[CommitStatement]) -> None:
        """Take in a batch; a commit that cannot be kept holds back itself and no other."""
        before = Counter(self._counts), list(self.new_ids), dict(self._memory_by_commit)
        try:
            self._take(batch)
            self._counts["evidence"] += len(batch)
        except (InvalidInput, UnicodeError) as error:
            self._counts, self.new_ids, self._memory_by_commit = before
            if len(batch) == 1:
                self._note_unread(batch[0].commit.id, str(error))
                return
            for commit_statement in batch:
                self._try([commit_statement])

    def _batches(self, read_commits: Iterator[Commit], step: Step) -> Iterator[list[CommitStatement]]:
        """Group commits; one that takes another back begins a batch, so that the other is written before it."""
        batch: list[CommitStatement] = []
        now = self.service.moment("0m", "now") or 0
        for raw_commit in read_commits:
            commit = replace(raw_commit, at=min(raw_commit.at, now))  # anybody may write any date into a commit
            step(1)
            reason = "made by a program" if by_machine(commit) else "says nothing" if is_trivial(commit) else None
            if reason:
                self._skipped[reason] += 1
                continue
            commit_statement = CommitStatement(commit, read_message(commit))
            if batch and (commit_statement.statement.reverts or len(batch) >= BATCH):
                yield batch
                batch = []
            batch.append(commit_statement)
        if batch:
            yield batch

    def _take(self, batch: Sequence[CommitStatement]) -> None:
        """Write a batch whole: evidence, memories, and what they supersede."""
        exchange = self.service.exchange
        with exchange.together():
            self._state(
                [commit_statement for commit_statement in batch if commit_statement.statement.kind is not None]
            )
            months: dict[str, list[Message]] = {}
            for commit_statement in batch:
                months.setdefault(day(commit_statement.commit.at)[:7], []).append(_message(commit_statement))
            for month, messages in months.items():
                exchange.witness(SOURCE, f"{SOURCE}:{month}", messages)

    def _state(self, commit_statements: Sequence[CommitStatement]) -> None:
        reverted_ids = {
            commit_statement.commit.id: self._memory_of(commit_statement.statement.reverts)
            for commit_statement in commit_statements
        }
        entries = [
            self._entry(commit_statement, reverted_ids[commit_statement.commit.id])
            for commit_statement in commit_statements
        ]
        adoption = self.service.exchange.adopt(entries, AdoptionTerms(confirmed=self.confirmed))
        for commit_statement, result in zip(commit_statements, adoption.results, strict=True):
            old = reverted_ids[commit_statement.commit.id]
            if result.id is None:
                continue
            self._memory_by_commit[commit_statement.commit.id] = result.id
            self._counts["memories"] += result.created
            self.new_ids += [result.id] if result.created else []
            self._counts["superseded"] += bool(old and self._is_gone(old))
            self._restore(old)
            if result.conflicts:
                self._settle(result.id)

    def _entry(self, commit_statement: CommitStatement, supersedes: str | None) -> Entry:
        commit, statement = commit_statement.commit, commit_statement.statement
        draft = Draft(
            content=statement.text,
            kind=statement.kind,
            title=commit.subject or None,
            files=commit.files if len(commit.files) <= FILES else (),
            importance=statement.importance,
            source=SOURCE,
            supersedes=supersedes,
            at=commit.at,
        )
        carried_fields = Carried(branch=self.branch, commit=commit.id)
        return Entry(draft=draft, carried=carried_fields, where=f"commit {commit.id[:10]}")

    def _memory_of(self, commit_id: str | None) -> str | None:
        """Return the memory of a commit, whose id may be shortened."""
        if commit_id is None:
            return None
        memory_id = self._memory_by_commit.get(commit_id)
        return memory_id or next(
            (stated_id for whole, stated_id in self._memory_by_commit.items() if whole.startswith(commit_id)), None
        )

    def _is_gone(self, memory_id: str) -> bool:
        memory = self.service.peek(memory_id)
        return memory is not None and memory.superseded

    def _restore(self, reverted_id: str | None) -> None:
        """When a revert is taken back, what it had taken back holds again."""
        if reverted_id is None or not self._is_gone(reverted_id):
            return
        for before in self.service.history(reverted_id):
            if before.superseded_by == reverted_id and before.source == SOURCE:
                self.service.reinstate(before.id)
                self._counts["superseded"] -= 1

    def _settle(self, memory_id: str) -> None:
        """Let the later of two commits that contradict each other about a file hold."""
        for conflict in self.service.conflicts([memory_id]):
            sides = [self.service.peek(side_id) for side_id in (conflict.first, conflict.second)]
            if conflict.kind == CONTRADICTORY and _about_one_file(sides):
                later = max((side for side in sides if side), key=lambda memory: memory.valid_from)
                self.service.resolve(conflict, later.id)
                self._counts["superseded"] += 1


def _about_one_file(sides: Sequence[Memory | None]) -> bool:
    """Say whether two memories hold, are git's alone, and name a file in common."""
    first, second = sides
    return (
        first is not None
        and second is not None
        and not (first.superseded or second.superseded)
        and first.sources == second.sources == (SOURCE,)
        and not set(first.files).isdisjoint(second.files)
    )


def _message(commit_statement: CommitStatement) -> Message:
    commit = commit_statement.commit
    return Message(
        role=COMMIT, text=commit_statement.statement.text, at=commit.at, ref=commit.id, files=commit.files
    )
