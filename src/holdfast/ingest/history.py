"""From a branch's history to evidence and memories, in the order it was made; what is known is not read again.

A commit's message is a turn of a session that holds the commits of one month. One that states something is a
memory as well, tied to its commit. A revert takes the place of what it reverts, and a later commit that
contradicts an earlier one about the same file takes its place, too: on one branch the later word counts.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from holdfast.capture.adopt import AdoptionTerms
from holdfast.errors import InvalidInput
from holdfast.ingest.git import Commit, commit_ids, commits
from holdfast.model.ingest import Carried, Entry, GitIngested
from holdfast.model.kinds import COMMIT, HISTORY
from holdfast.model.memory import CONTRADICTORY, Memory
from holdfast.model.requests import Draft, Message
from holdfast.model.times import day
from holdfast.service.service import Service

_PREFIX = re.compile(r"(?P<type>[a-z]{2,12})(?:\((?P<scope>[^()]{1,60})\))?(?P<breaking>!)?:\s+", re.IGNORECASE)
_AREA = re.compile(r"(?:\[[^\]]{1,40}\]\s*)+|[\w./-]{1,40}:\s+(?=\S)")
_FIX = re.compile(r"(?:(?:bug|hot)?fix(?:e[sd]|ing)?|security|repair(?:s|ed)?|resolv(?:e|es|ed))\b", re.IGNORECASE)
_TRAILER = re.compile(
    r"(?:signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|reported-by|cc|change-id|reviewed-on|bug|"
    r"issue|closes|fixes|refs|see-also|pr-url|generated-by|gerrit-[\w-]+|git-svn-id|cherry-picked-from)\s*:.*",
    re.IGNORECASE,
)
_CHERRY_PICK = re.compile(r"\(cherry picked from commit [0-9a-f]{7,64}\)")
_REVERTS = re.compile(r"\bThis reverts commit (?P<id>[0-9a-f]{7,64})\b")
_REVERT = re.compile(r'(?:Revert|Reapply)\s+"(?P<what>.*)"$')
_BREAKING = re.compile(r"^BREAKING[ -]CHANGE:\s", re.MULTILINE)
_BOT = re.compile(
    r"\[bot\]|\b(?:dependabot|renovate|greenkeeper|pyup|snyk|mergify|bors|weblate|allcontributors|imgbot|depfu|"
    r"github-actions|gitlab-ci|pre-commit-ci|semantic-release|release-please|jenkins|travis)\b|\bbot@",
    re.IGNORECASE,
)
_FIXUP_PREFIX = re.compile(r"(?:fixup|squash|amend)!\s", re.IGNORECASE)
_CHORE = re.compile(
    r"(?:wip\b|minor\b|cosmetics?\b|comments?\b|cleanups?\b|typos?\b|"
    r"fix(?:ed|es)? (?:a )?typos?\b|lint(?:ing)?\b|format(?:ting)?\b|whitespace\b|"
    r"bump(?:ed|s)? (?:the )?(?:version|deps?|dependenc)|bump \S+ (?:from|to)\b|(?:prepare )?release\b|"
    r"v?\d+(?:\.\d+)+\b|version \d|update (?:the )?(?:changelog|readme|deps?|dependenc\w*|version)\b|"
    r"initial commit\b|merge (?:branch|pull|remote|tag|commit)\b)",
    re.IGNORECASE,
)
_LEAST_RULE_WEIGHT = 3.0
"""From this weight on a message states how things have to be, and not only what was done."""


def _cues(*rows: tuple[float, str]) -> tuple[tuple[float, re.Pattern[str]], ...]:
    return tuple((weight, re.compile(rf"(?<![\w-])(?:{cue})(?![\w-])", re.IGNORECASE)) for weight, cue in rows)


_RULES = _cues(
    (3, r"decided|decision|policy|policies|invariants?|agreed|we (?:now|chose|will)|from now on|by design"),
    (2, r"must|always|requires?|required|on purpose|deliberate(?:ly)?|intentional(?:ly)?|rules?|guarantees?"),
    (2, r"has to|have to|needs to|(?:at most|at least|no more than|exactly|up to) (?:\d+|one|two|the)"),
    (2, r"keep [\w.]+ (?:=|at|as|below|above|under)|caps? (?:at|it|them)|is \d+|stays?|only"),
    (1, r"should|except|unless|regardless|even (?:if|when)|rather than|instead of|not just"),
    (1, r"because|since|so that|otherwise|the reason|in order to|which (?:caused|broke|meant)|due to"),
    (1, r"e\.g\.|for example|i\.e\.|->|→|first|then|before|after"),
)
_FORBIDDEN = _cues(
    (2, r"(?<!was )(?<!were )(?<!we )(?<!has )(?<!have )(?<!is )never|must(?:n't| not)|do not"),
    (2, r"don't (?!need|know|have)|not allowed|forbidden|beware"),
    (1, r"careful|caution|unsafe|dangerous|should(?:n't| not)|cannot be|can't be|breaks if|deadlocks?"),
)

_WORD = re.compile(r"[^\W\d_]{2,}")
_FEW_WORDS = 3


class CommitMessage(Struct, frozen=True):
    """A commit, and what it has to say, in words that stand by themselves."""

    commit: Commit
    text: str
    """Subject and body, without trailers."""
    kind: str | None
    """The kind of memory it makes; None when it is evidence only."""
    importance: float
    reverts: str | None
    """The commit that it takes back."""


def by_machine(commit: Commit) -> bool:
    """Say whether a program made the commit."""
    return bool(_BOT.search(commit.author))


def is_trivial(commit: Commit) -> bool:
    """Say whether a message says nothing that anybody would look for."""
    if _FIXUP_PREFIX.match(commit.subject):
        return True
    subject = _bare(commit.subject)
    if prose(commit.body) or _REVERT.match(commit.subject):
        return False
    return bool(_CHORE.match(subject)) or len(_WORD.findall(subject)) < _FEW_WORDS


def read_message(commit: Commit) -> CommitMessage:
    """Tell what a commit says, and what sort of memory it is."""
    body = prose(commit.body)
    text = f"{commit.subject}\n\n{body}".strip()
    reverts = _REVERTS.search(commit.body)
    if reverts or _REVERT.match(commit.subject):
        reason = _REVERTS.sub("", body).strip(" .\n")
        is_explained = len(_WORD.findall(reason)) >= _FEW_WORDS
        taken_back = reverts["id"] if reverts else None
        kind, importance = ("decision", 0.6) if is_explained else ("change", 0.4)
        return CommitMessage(commit, text, kind, importance, taken_back)
    stated_kind = _kind(commit, body)
    return CommitMessage(commit, text, stated_kind, _importance(stated_kind, body), None)


def prose(body: str) -> str:
    """Return a message's body without trailers and notes of tools."""
    prose_lines = [
        line for line in body.split("\n") if not (_TRAILER.fullmatch(line.strip()) or _CHERRY_PICK.search(line))
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(prose_lines)).strip()


def _kind(commit: Commit, body: str) -> str | None:
    """Tell what a commit states: a rule, a warning, or only that something was put right."""
    prefix = _PREFIX.match(commit.subject)
    if _BREAKING.search(body) or (prefix and prefix["breaking"]):
        return "decision"
    text = f"{_bare(commit.subject)}. {body}"
    rules, forbidden = _weight(text, _RULES), _weight(body, _FORBIDDEN)
    if rules + forbidden >= _LEAST_RULE_WEIGHT:
        return "decision" if rules > forbidden else "warning"
    is_fix = (prefix and _FIX.fullmatch(prefix["type"])) or _FIX.match(_bare(commit.subject))
    return "bugfix" if is_fix else None


def _bare(subject: str) -> str:
    """Return a subject without the type or the area that stands before it."""
    rest = _PREFIX.sub("", subject, count=1)
    return _AREA.sub("", rest, count=1) or rest


def _weight(text: str, cues: tuple[tuple[float, re.Pattern[str]], ...]) -> float:
    return sum(weight for weight, cue in cues if cue.search(text))


def _importance(kind: str | None, body: str) -> float:
    """A reason given makes a statement worth more than the bare fact."""
    if kind in ("decision", "warning"):
        return 0.7 if body else 0.5
    return 0.5 if body else 0.3


SOURCE = HISTORY
BATCH = 100
"""Commits of one transaction: others want to write, too."""

MOST = 5_000
"""Commits that are read unless somebody asks for more: some years of a busy project."""

FILES = 50
"""Files that a memory names; a commit that touches more is about none of them."""

Step = Callable[[int], None]


class Bounds(Struct, frozen=True, kw_only=True):
    """How far back to read."""

    most: int = MOST
    since: int | None = None


class History(Struct):
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
                self._counts["memories"] += sum(message.kind is not None for message in batch)
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

    def _try(self, batch: Sequence[CommitMessage]) -> None:
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
            for message in batch:
                self._try([message])

    def _batches(self, read_commits: Iterator[Commit], step: Step) -> Iterator[list[CommitMessage]]:
        """Group commits; one that takes another back begins a batch, so that the other is written before it."""
        batch: list[CommitMessage] = []
        now = self.service.moment("0m", "now") or 0
        for raw_commit in read_commits:
            commit = replace(raw_commit, at=min(raw_commit.at, now))  # anybody may write any date into a commit
            step(1)
            reason = "made by a program" if by_machine(commit) else "says nothing" if is_trivial(commit) else None
            if reason:
                self._skipped[reason] += 1
                continue
            message = read_message(commit)
            if batch and (message.reverts or len(batch) >= BATCH):
                yield batch
                batch = []
            batch.append(message)
        if batch:
            yield batch

    def _take(self, batch: Sequence[CommitMessage]) -> None:
        """Write a batch whole: evidence, memories, and what they supersede."""
        exchange = self.service.exchange
        with exchange.together():
            self._state([message for message in batch if message.kind is not None])
            months: defaultdict[str, list[Message]] = defaultdict(list)
            for message in batch:
                months[day(message.commit.at)[:7]].append(_evidence(message))
            for month, messages in months.items():
                exchange.witness(SOURCE, f"{SOURCE}:{month}", messages)

    def _state(self, statements: Sequence[CommitMessage]) -> None:
        reverted_ids = [self._memory_of(message.reverts) for message in statements]
        entries = list(map(self._entry, statements, reverted_ids))
        adoption = self.service.exchange.adopt(entries, AdoptionTerms(confirmed=self.confirmed))
        for message, old, result in zip(statements, reverted_ids, adoption.results, strict=True):
            if result.id is None:
                continue
            self._memory_by_commit[message.commit.id] = result.id
            self._counts["memories"] += result.created
            self.new_ids += [result.id] if result.created else []
            self._counts["superseded"] += bool(old and self._is_gone(old))
            self._restore(old)
            if result.conflicts:
                self._settle(result.id)

    def _entry(self, message: CommitMessage, supersedes: str | None) -> Entry:
        commit = message.commit
        draft = Draft(
            content=message.text,
            kind=message.kind,
            title=commit.subject or None,
            files=commit.files if len(commit.files) <= FILES else (),
            importance=message.importance,
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


def _evidence(message: CommitMessage) -> Message:
    commit = message.commit
    return Message(role=COMMIT, text=message.text, at=commit.at, ref=commit.id, files=commit.files)
