"""Upkeep over the stores of a service: a little of it when due, all of it when asked, and what it would do.

The rows that wait for vectors are counted here, and left to a process in the background.
Lives here: which rules there are, their order, and how long they may take. The rules themselves are in `upkeep`;
what says the same is told in `capture`. Must never run inside a hook.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from holdfast.agents import spool
from holdfast.capture.check import check_count, check_number, visible
from holdfast.capture.text.clean import normalise
from holdfast.errors import InvalidInput, StoreBusy, StoreError, StoreRaced
from holdfast.machine import detached, failures
from holdfast.model.limits import DAY_MS, PATIENCE_MS
from holdfast.model.records import UpkeepState
from holdfast.model.requests import PruneRequest
from holdfast.model.upkeep import LEFT, SHRINKING, Cleanup, Prune, StoreLimits
from holdfast.ports import Clock, Progress, Store
from holdfast.service.scopes import Scopes
from holdfast.upkeep import TrustedTime, note_trusted, trusted_before, trusted_now

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.upkeep.embed import Embeddings
    from holdfast.upkeep.round import Ledger, Round, Steps

    Rule = Callable[[Round], Steps]

STEP = "upkeep"
"""What a failure of a slice is called in the log of failures."""

EMBED_STEP = "embed"
"""What the start of the worker is called there."""

_HOPELESS_FILE = "embedding.left"
"""How many rows waited in each store when a try ended without making any vector: `project 3`, `user 1`."""

_RETRY_SECONDS = 600.0
"""How long rows that could not be embedded are left alone, unless more have come."""

OPENING_MS = 250
READING_MS = 100
"""How long a slice may go on while somebody waits for something else; the step begun last is finished."""

TRIES = 10
"""How often a cleanup lets a store that is busy pass before it gives up."""

SHORTEST_REST = 0.01
LONGEST_REST = 0.2
"""Seconds; a writer that waits looks every few milliseconds whether it is its turn."""

READS = 50
"""Reads after which a slice is due."""

RESTING_MS = 10_000
"""How long there is none after the last: where many read all the time, it would cost every one of them."""


class UpkeepOptions(Struct, frozen=True):
    """How upkeep is done: by which limits, in whose name, and what is to be seen to besides."""

    limits: StoreLimits
    actor: str
    sessions: Callable[[], None] = lambda: None
    """Ends sessions that fell silent and judges what was promoted a day ago."""
    off: Callable[[], str | None] = lambda: None
    person: bool = True
    """Whether it is a person's program; an agent's takes nothing that a person said, whatever the limits."""
    timer: Callable[[], float] = time.monotonic
    rest: Callable[[float], None] = time.sleep
    root: Path | None = None
    """The project's directory, for a note of what failed while somebody waited for something else."""


class UpkeepRunner:
    """What keeps stores in order."""

    def __init__(self, scopes: Scopes, clock: Clock, care: UpkeepOptions) -> None:
        self._scopes = scopes
        self._clock = clock
        self._care = care

    # ── by itself ────────────────────────────────────────────────────────────────────────────────────────

    def when_due(self) -> None:
        """Do a slice of upkeep if a day has passed, something is left, or the store is too big."""
        if self.is_due():
            self._slice(OPENING_MS)

    def is_due(self) -> bool:
        """Say whether a day has passed, something is left, or the store is too big, and upkeep may be done."""
        return self._care.limits.auto and self._due(self._scopes.project) and self._may()

    def after_reads(self, store: Store, reads: int) -> None:
        """Do a slice of upkeep when so many reads made another fifty of a store's, and the last is a while ago."""
        if not reads:
            return
        totals = store.upkeep.totals()
        another = totals.reads // READS != (totals.reads - reads) // READS
        if another and self._has_passed(totals.tended_at, RESTING_MS) and self._may():
            self._slice(READING_MS)

    def _may(self) -> bool:
        care = self._care
        return care.limits.auto and not care.off() and self._scopes.project.state().read_only is None

    def _due(self, store: Store) -> bool:
        upkeep = store.upkeep
        if upkeep.totals().tended_at is None and self._is_new(store):
            self._begin(store)
            return False
        work_left = upkeep.fact(LEFT) or upkeep.fact(SHRINKING) or not upkeep.refaded()
        return (
            self._has_passed(upkeep.totals().tended_at, DAY_MS)
            or bool(work_left)
            or upkeep.used() > self._care.limits.max_bytes
        )

    def _is_new(self, store: Store) -> bool:
        return not store.upkeep.memories() and not store.sessions.silent(self._clock.now(), 1)

    def _begin(self, store: Store) -> None:
        """Note on a new store that its first upkeep is due in a day, and which time it trusts until then."""
        now = self._clock.now()
        with self._traced(), store.writing(PATIENCE_MS):
            store.upkeep.refade(0, 1)
            store.upkeep.note("tended_at", now)
            note_trusted(store, TrustedTime(now))

    def _has_passed(self, last: int | None, milliseconds: int) -> bool:
        """Say whether so long has passed since; a moment that is yet to come was another clock's."""
        return last is None or not last <= self._clock.now() < last + milliseconds

    def _slice(self, milliseconds: int) -> None:
        """Do what fits into the time; a store that is busy is left alone. Who asked for something else gets it."""
        end = self._care.timer() + milliseconds / 1_000
        with self._traced():
            self._care.sessions()
            for store in self._scopes.present:
                is_complete = self._run(self._round(store, patience_ms=PATIENCE_MS), _rules(), end)
                with store.writing(PATIENCE_MS):
                    store.upkeep.note("tended_at", self._clock.now())
                    store.upkeep.note(LEFT, int(not is_complete))

    @contextlib.contextmanager
    def _traced(self) -> Iterator[None]:
        """Pass over a store that fails, and note that once a day."""
        try:
            yield
        except (StoreBusy, StoreRaced):
            return  # the next slice goes on
        except StoreError as error:
            failures.leave_once(STEP, str(self._care.root or ""), failures.describe(error))

    def _run(self, round_: Round, rules: Iterable[Rule], end: float) -> bool:
        """Follow the rules until the time is over; say whether they were done before."""
        for rule in rules:
            for _ in rule(round_):
                if self._care.timer() >= end:
                    return False
        return True

    # ── when asked ───────────────────────────────────────────────────────────────────────────────────────

    def cleanup(self, *, dry_run: bool = False, progress: Progress | None = None) -> Cleanup:
        """Apply every limit, delete what expired or faded, merge what says the same, give room back."""
        if not dry_run:
            self._care.sessions()
        stores = self._scopes.present
        before = sum(store.upkeep.used() for store in stores)
        ledgers = [
            self._follow(self._round(store, dry=dry_run), _rules(cleaning=True), progress) for store in stores
        ]
        for store in () if dry_run else stores:
            with store.writing():
                store.upkeep.note("tended_at", self._clock.now())
                store.upkeep.note(LEFT, 0)
        after = sum(store.upkeep.used() for store in stores) - sum(ledger.freed for ledger in ledgers)
        return Cleanup(
            dry_run=dry_run,
            gone=tuple(departure for ledger in ledgers for departure in ledger.gone),
            merged=tuple(merger for ledger in ledgers for merger in ledger.merged),
            turns=sum(ledger.turns for ledger in ledgers),
            accesses=sum(ledger.accesses for ledger in ledgers),
            bytes_before=before,
            bytes_after=after,
            max_bytes=self._care.limits.max_bytes,
            kept=_together(ledgers),
        )

    def prune(self, wish: PruneRequest, progress: Progress | None = None) -> Prune:
        """Delete what was not used for so long, weighs so little, or came from a source."""
        from holdfast.upkeep.rules import compact, prune

        _check(wish)

        def pruning(round_: Round) -> Steps:
            return prune(round_, wish)

        rules = (pruning, compact)
        ledgers = [
            self._follow(self._round(store, dry=wish.dry_run), rules, progress) for store in self._scopes.present
        ]
        return Prune(
            dry_run=wish.dry_run,
            gone=tuple(departure for ledger in ledgers for departure in ledger.gone),
            kept=_together(ledgers),
        )

    def state(self, store: Store) -> UpkeepState:
        """Say how a store stands towards its limits."""
        upkeep, limits = store.upkeep, self._care.limits
        return UpkeepState(
            used=upkeep.used(),
            max_bytes=limits.max_bytes,
            memories=upkeep.memories(),
            max_memories=limits.max_memories,
            promoted=upkeep.promoted(),
            max_promoted=limits.promoted,
            totals=upkeep.totals(),
            health=upkeep.health(),
            doubted=trusted_now(trusted_before(store), self._clock.now()).doubted_since is not None,
        )

    def extent(self) -> int:
        """Return about how many steps a cleanup has, for a progress bar."""
        return sum(store.upkeep.memories() for store in self._scopes.present)

    def _follow(self, round_: Round, rules: Iterable[Rule], progress: Progress | None) -> Ledger:
        for rule in rules:
            for tries_left in reversed(range(TRIES)):
                kept_counts = Counter(round_.ledger.kept)
                try:
                    for step in self._resting(rule(round_), rest=not round_.dry):
                        if progress:
                            progress(step)
                    break
                except (StoreBusy, StoreRaced):  # by others, who come first; what was done so far stays done
                    if not tries_left:
                        raise
                    round_.ledger.kept = kept_counts
        return round_.ledger

    def _resting(self, steps: Steps, *, rest: bool) -> Steps:
        """Rest after each step for as long as it took: who waits to write would find no gap otherwise."""
        care = self._care
        began = care.timer()
        for step in steps:
            yield step
            if rest:
                care.rest(min(LONGEST_REST, max(SHORTEST_REST, care.timer() - began)))
            began = care.timer()

    def _round(self, store: Store, *, dry: bool = False, patience_ms: int | None = None) -> Round:
        """Begin a round; the time that the store trusts is brought up to date."""
        from holdfast.upkeep.round import Round, protection

        now = self._clock.now()
        before = trusted_before(store)
        moment = trusted_now(before, now)
        if not dry and moment != before:
            with store.writing(patience_ms):
                note_trusted(store, moment)
        care = self._care
        return Round(
            store=store,
            now=now,
            believed=moment.at,
            protection=protection(self._scopes.project, moment.at, for_person=care.person),
            limits=care.limits,
            actor=care.actor,
            dry=dry,
            patience_ms=patience_ms,
        )


def _rules(*, cleaning: bool = False) -> tuple[Rule, ...]:
    """Return what upkeep does, in its order. Nothing is deleted for its age unless somebody asks for a cleaning.

    Imported here: whoever opens a store asks whether anything is due, and it seldom is.
    """
    from holdfast.capture.combine import combine
    from holdfast.upkeep.rules import compact, drop_outdated, limit_promoted, limit_size, limit_turns, refade

    cleaning_rules = (drop_outdated,) if cleaning else ()
    return (refade, *cleaning_rules, limit_turns, limit_promoted, limit_size, combine, compact)


def _check(wish: PruneRequest) -> None:
    if wish.days is None and wish.max_score is None and wish.source is None:
        raise InvalidInput(field="prune", problem="needs an age in days, a score or a source.")
    if wish.days is not None:
        check_count("days", wish.days, 0, 36_500)
    check_number("max_score", wish.max_score)
    if wish.source is not None:
        visible("source", normalise(wish.source))


def _together(ledgers: Sequence[Ledger]) -> dict[str, int]:
    return {
        name: sum(ledger.kept[name] for ledger in ledgers)
        for name in sorted({n for ledger in ledgers for n in ledger.kept})
    }


def leave_to_worker(root: str, backlog: dict[str, int]) -> None:
    """Start the worker for a project in whose opened stores so many rows wait; never raises."""
    try:
        if any(backlog.values()) and not is_hopeless(spool.prepare(root), backlog):
            detached.start_worker(root)
    except OSError as error:
        failures.leave(EMBED_STEP, root, error)


def is_hopeless(folder: str, backlog: dict[str, int]) -> bool:
    """Say whether nothing waits but rows that could not be embedded a short while ago.

    Each store is compared with itself: what cannot be embedded in one holds up nothing in the other.
    """
    hopeless = _hopeless(folder)
    return all(rows <= hopeless.get(store, 0) for store, rows in backlog.items())


def note_hopeless(folder: str, backlog: dict[str, int]) -> None:
    """Note in a project's folder how many rows of each store could not be embedded."""
    with open(os.path.join(folder, _HOPELESS_FILE), "w", encoding="ascii") as file:
        file.writelines(f"{store} {rows}\n" for store, rows in backlog.items())


def note_success(folder: str) -> None:
    """Note that vectors can be made: what could not be embedded before is tried again."""
    try:
        os.unlink(os.path.join(folder, _HOPELESS_FILE))
    except FileNotFoundError:
        return  # nothing was noted


def _hopeless(folder: str) -> dict[str, int]:
    """Return how many rows of each store could not be embedded a short while ago."""
    path = os.path.join(folder, _HOPELESS_FILE)
    try:
        if os.stat(path).st_mtime < time.time() - _RETRY_SECONDS:
            return {}
        with open(path, encoding="ascii") as file:
            return {store: int(rows) for store, rows in map(str.split, file)}
    except (OSError, ValueError):
        return {}


class VectorBacklog:
    """Rows without vectors that may be made in the background."""

    def __init__(
        self, root: Path | None, scopes: Scopes, embeddings: Embeddings, off: Callable[[], str | None]
    ) -> None:
        self._root = root
        self._scopes = scopes
        self._embeddings = embeddings
        self._off = off

    @property
    def can_be_made(self) -> bool:
        """Whether there is anything that makes vectors."""
        return self._embeddings.model is not None

    def by_store(self) -> dict[str, int]:
        """Count them in every store there is, each by itself."""
        return self._count(self._scopes.present)

    def leave(self) -> None:
        """Let a process in the background see to those in the stores that were needed so far.

        Who was quick must not open another store for this.
        """
        if self._root is not None:
            leave_to_worker(str(self._root), self._count(self._scopes.opened))

    def work_off(self, go_on: Callable[[], bool]) -> int:
        """Make their vectors, newest first, as long as that goes on; return of how many rows."""
        counts: list[int] = []
        for store in self._unfinished_stores(self._scopes.present):
            self._embeddings.catch_up(store, go_on, counts.append)
        return sum(counts)

    def make_now(self, go_on: Callable[[], bool], progress: Progress) -> None:
        """Make vectors of what waits in the stores that were needed, here and now, as long as that goes on."""
        for store in self._scopes.opened if not self._off() else ():
            if store.state().read_only is None:
                self._embeddings.catch_up(store, go_on, progress)

    def _count(self, stores: list[Store]) -> dict[str, int]:
        return {
            self._name(store): sum(store.vectors.waiting().values()) for store in self._unfinished_stores(stores)
        }

    def _name(self, store: Store) -> str:
        return "project" if store is self._scopes.project else "user"

    def _unfinished_stores(self, stores: list[Store]) -> list[Store]:
        if self._off():
            return []
        return [store for store in stores if store.state().read_only is None and self._embeddings.left(store)]
