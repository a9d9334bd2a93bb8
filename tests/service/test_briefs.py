"""Briefs as a verb: budgets, limits, receipts, what other sessions know, and failing open."""

import contextlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast import Holdfast
from holdfast.errors import InvalidInput, StoreBusy, StoreSlow
from holdfast.machine import failures
from holdfast.model.brief import Brief, Receipt
from holdfast.model.memory import Origin
from holdfast.model.requests import BriefRequest
from holdfast.service.briefs import Briefs, BriefSettings
from holdfast.service.scopes import Scopes
from holdfast.storage.open import open_service
from holdfast.stores.sqlite.store import SqliteStore
from tests.conftest import FakeClock
from tests.contract.briefs import a_receipt, issue
from tests.contract.builders import NOW, a_memory, a_session, keep
from tests.embedded import service_behind
from tests.faults.processes import database
from tests.recall.brief.chats import DAY, record

pytestmark = pytest.mark.usefixtures("keyword_judge")

RULE = "The capture client makes seven attempts before the acquirer's limiter trips."
PROMPT = "How many attempts does our capture client make at the acquirer?"


@pytest.fixture
def memory(project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Holdfast]:
    """A project memory that is searched by words alone."""
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "none")
    opened = Holdfast(open_service(project, actor="python", clock=clock))
    yield opened
    opened.close()


def briefs_over(store: SqliteStore, clock: FakeClock, **settings: object) -> Briefs:
    """Make briefs over one store."""
    origin = Origin(project="p", tenant="local", user="ada")
    fields = BriefSettings(**settings)  # type: ignore[arg-type]  # our own names
    return Briefs(Scopes(store), clock, lambda: origin, fields)


def receipts(memory: Holdfast) -> Sequence[Receipt]:
    """Return what went into the latest briefs."""
    return service_behind(memory).briefs.receipts(10)


# ── what a caller may ask ────────────────────────────────────────────────────────────────────────────────────


def test_a_brief_stays_within_its_budget_and_says_what_it_took(memory: Holdfast) -> None:
    memory.add(RULE * 30, trust="user")
    brief = memory.context(PROMPT, budget=300)
    assert 0 < brief.tokens <= 300
    assert brief.budget == 300
    assert brief.took_ms >= 0


def test_the_room_left_gives_the_budget_and_the_user_s_ceiling_holds(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_BRIEF_CEILING", "900")
    with Holdfast.open(project) as memory:
        assert memory.context("x", remaining=10_000).budget == 800
        assert memory.context("x", remaining=100_000).budget == 900
        assert memory.context("x", budget=5_000).budget == 900


@pytest.mark.parametrize(("agent", "budget"), [("codex", 2_400), ("claude-code", 9_000), ("gemini", 9_000)])
def test_a_client_s_own_limit_of_tokens_holds(memory: Holdfast, agent: str, budget: int) -> None:
    assert memory.context("x", budget=9_000, agent=agent).budget == budget


def test_a_client_s_own_limit_of_characters_holds(memory: Holdfast) -> None:
    for number in range(5):
        added = memory.add(f"{number}: {RULE * 150}", trust="user")
        memory.pin(added.id or "")
    memory.add(f"The acquirer limits the capture client. {'Back off. ' * 3_000}", trust="user")
    text = memory.context(PROMPT, budget=20_000, agent="claude-code").text
    assert 3_000 < len(text) <= 10_000


def test_a_wrong_argument_is_named(memory: Holdfast, subtests: pytest.Subtests) -> None:
    for arguments, field in [
        ({"budget": -1}, "budget"),
        ({"budget": "many"}, "budget"),
        ({"remaining": -5}, "remaining"),
        ({"agent": ""}, "agent"),
        ({"prompt": 5}, "prompt"),
        ({"files": "a.py"}, "files"),
        ({"bridge": "text"}, "bridge"),
    ]:
        with subtests.test(arguments=arguments, field=field):
            with pytest.raises(InvalidInput) as caught:
                memory.context(**arguments)  # type: ignore[arg-type]  # wrong on purpose
            assert caught.value.field == field


# ── the start of a session ───────────────────────────────────────────────────────────────────────────────────


def rules(brief: Brief) -> list[str]:
    """Return the ids of the standing rules that a brief tells."""
    return [one.id for one in brief.items if one.tier == "rules"]


def test_a_session_starts_with_every_rule_while_they_are_few(memory: Holdfast) -> None:
    added = [
        memory.add(text, kind=kind, trust="user").id
        for text, kind in (
            ("We use bun, never npm.", "preference"),
            ("Never call the ledger from a thread.", "warning"),
            ("Prices are stored in integer cents.", "decision"),
            ("Ask before adding a dependency.", "observation"),
        )
    ]
    brief = memory.context()
    assert sorted(rules(brief)) == sorted(map(str, added))
    assert re.search(r"\n- \d{4}-\d\d-\d\d: We use bun, never npm\.\n", brief.text)
    assert "more rules" not in brief.text


def test_of_many_rules_a_session_starts_with_as_many_as_fit_and_how_many_more_there_are(memory: Holdfast) -> None:
    for number in range(120):
        memory.add(
            f"Module number {number} of the shop is owned by crew {number + 200} and by nobody else.", trust="user"
        )
    brief = memory.context()
    told = len(rules(brief))
    assert 20 < told < 120
    assert f"({120 - told} more rules are known: ask" in brief.text
    assert brief.tokens <= 1_500


def test_what_touches_the_files_at_hand_is_told_where_not_every_rule_fits(memory: Holdfast) -> None:
    told = memory.add(
        "Guard the vault module.", kind="warning", files=["src/vault.py"], trust="user", at=NOW - 90 * DAY
    )
    for number in range(120):
        memory.add(
            f"Module number {number} of the shop is owned by crew {number + 200} and by nobody else.", trust="user"
        )
    assert told.id in rules(memory.context(files=["src/vault.py"]))
    assert rules(memory.context(files=["src/vault.py"]))[0] == told.id


@pytest.mark.parametrize(
    ("trust", "kind", "status", "is_told"),
    [
        ("user", "decision", "confirmed", True),
        ("user", "observation", "confirmed", True),
        ("agent", "decision", "confirmed", True),
        ("agent", "observation", "confirmed", False),
        ("agent", "decision", "candidate", False),
        ("imported", "decision", "confirmed", False),
        ("tool", "decision", "confirmed", False),
        ("user", "task_progress", "confirmed", False),
        ("user", "decision", "superseded", False),
    ],
)
def test_only_what_a_person_stands_behind_is_a_standing_rule(
    clock: FakeClock, trust: str, kind: str, status: str, is_told: bool
) -> None:
    store = SqliteStore.in_memory()
    keep(store, a_memory(content="The vault is locked at noon.", trust=trust, kind=kind, status=status))
    assert bool(rules(briefs_over(store, clock).context(BriefRequest()))) is is_told


def test_the_users_own_rules_open_sessions_of_every_project(memory: Holdfast) -> None:
    added = memory.add("Answer in British English.", kind="preference", trust="user", scope="user")
    assert rules(memory.context()) == [added.id]


def test_a_rule_that_was_told_is_not_told_again(clock: FakeClock) -> None:
    store = SqliteStore.in_memory()
    keep(store, a_memory(content=RULE, trust="user", status="confirmed", kind="decision"))
    briefs = briefs_over(store, clock)
    [item] = briefs.context(BriefRequest()).items
    told = frozenset((item.id[-8:],))
    assert briefs.context(BriefRequest(prompt=PROMPT)).items
    assert briefs.context(BriefRequest(prompt=PROMPT, told=told)).items == ()
    assert briefs.context(BriefRequest(told=told)).items == ()


def test_the_start_has_a_budget_of_its_own(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_BRIEF_START_BUDGET", "300")
    with Holdfast.open(project) as memory:
        for number in range(60):
            memory.add(f"Module number {number} of the shop is owned by crew {number * 7}.", trust="user")
        start, prompted = memory.context(), memory.context("x")
        assert (start.budget, prompted.budget) == (300, 1_500)
        assert 0 < start.tokens <= 300
        assert memory.context(budget=700).budget == 700


def test_a_rule_of_another_branch_says_so_and_one_of_this_branch_does_not(project: Path) -> None:
    git = project / ".git"
    for place in ("objects", "refs/heads"):
        (git / place).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/feature/pay\n")
    with Holdfast.open(project) as memory:
        memory.add("Payments go through the outbox.", kind="decision", trust="user")
        assert ": Payments go" in memory.context().text
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        assert ": [from branch feature/pay] Payments go" in memory.context().text


def test_a_session_starts_with_how_the_last_one_went_but_not_with_itself(memory: Holdfast) -> None:
    record(memory, ("u", "Migrate the billing tables."), ("a", "Settled: billing rows move in batches of 500."))
    current = record(memory, ("u", "Next thing."), days_ago=0, end=False)
    brief = memory.context(session=current)
    assert [one.tier for one in brief.items if one.kind == "session"] == ["summaries"]
    assert "Migrate the billing tables" in brief.text
    assert "Next thing" not in brief.text


def test_an_empty_store_has_nothing_to_say(memory: Holdfast) -> None:
    brief = memory.context()
    assert brief == Brief(text="", tokens=0, budget=1_500, took_ms=brief.took_ms)


# ── what other sessions know ─────────────────────────────────────────────────────────────────────────────────


def test_what_the_caller_bridges_is_told_whatever_it_says(memory: Holdfast) -> None:
    notes = ["The acquirer's sandbox rejects captures on Sundays.", "Lunch is at noon."]
    for prompt in ("captures at the acquirer sandbox fail", "rename the logo", None):
        brief = memory.context(prompt, bridge=notes)
        assert [one.tier for one in brief.items] == ["bridge", "bridge"]
        assert all(note in brief.text for note in notes)
    assert memory.context(PROMPT, bridge=[]).text == ""


def test_what_another_session_just_found_is_told_and_one_s_own_is_not(memory: Holdfast) -> None:
    said = ("u", "Watch out: never restart the acquirer simulator while captures are pending.")
    session = record(memory, said, ("a", "Noted."), days_ago=0.1)
    prompt = "restart the acquirer simulator for pending captures"
    found = [one for one in memory.context(prompt).items if one.tier in ("bridge", "retrieval")]
    assert found
    assert [one for one in memory.context(prompt, session=session).items if one.tier == "bridge"] == []


# ── receipts and health ──────────────────────────────────────────────────────────────────────────────────────


def test_every_brief_leaves_a_receipt_that_names_what_went_into_it_and_no_text(memory: Holdfast) -> None:
    added = memory.add(RULE, trust="user")
    brief = memory.context(PROMPT, agent="claude")
    memory.context("a haiku about autumn")
    silent, told = receipts(memory)
    assert (told.agent, told.prompted, told.budget, told.tokens) == ("claude-code", True, 1_500, brief.tokens)
    assert [(one.id, one.tier) for one in told.items] == [(added.id, "retrieval")]
    assert told.items[0].why == brief.items[0].why
    assert silent.items == ()
    assert "acquirer" not in repr(receipts(memory))


def test_a_receipt_says_what_was_fetched_afterwards(memory: Holdfast, clock: FakeClock) -> None:
    added = memory.add(RULE, trust="user")
    memory.context(PROMPT)
    assert receipts(memory)[0].items[0].fetched_at is None
    clock.advance(5_000)
    memory.get([added.id or ""])
    memory.stats()
    assert receipts(memory)[0].items[0].fetched_at == clock.now()


def test_being_told_is_no_read(memory: Holdfast) -> None:
    added = memory.add(RULE, trust="user")
    memory.context(PROMPT)
    assert memory._service.peek(added.id or "").reads == 0  # type: ignore[union-attr]  # it is there


def test_slow_briefs_make_the_next_look_at_less_until_they_are_fast_again(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "1")
    store = SqliteStore.in_memory()
    briefs = briefs_over(store, clock)
    issue(store, *(a_receipt(took_ms=400) for _ in range(5)))
    slow = briefs.context(BriefRequest(prompt=PROMPT))
    assert slow.degraded
    assert store.receipts.latencies(1)[0].degraded
    issue(store, *(a_receipt(took_ms=5) for _ in range(100)))
    assert not briefs.context(BriefRequest(prompt=PROMPT)).degraded
    assert briefs.health().p95_ms == 5


def test_stats_tell_how_fast_briefs_are(memory: Holdfast) -> None:
    memory.context(PROMPT)
    health = memory.stats().briefs
    assert health
    assert (health.samples, health.p95_ms, health.degraded) == (1, None, False)


# ── failing open ─────────────────────────────────────────────────────────────────────────────────────────────


def test_recall_that_raises_is_an_empty_brief_and_a_trace(
    memory: Holdfast, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("secret words of a memory")

    monkeypatch.setattr("holdfast.service.briefs.make_brief", broken)
    brief = memory.context(PROMPT)
    assert (brief.text, brief.items) == ("", ())
    assert brief.failure
    assert brief.failure.startswith("ZeroDivisionError in broken")
    left = failures.last(str(project))
    assert left
    assert left[1:] == ("context", brief.failure)


FOR_EVER = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT sum(x) FROM n"


class Endless:
    """The turns of a store, where a search for words that has a time limit would never end by itself."""

    def __init__(self, store: SqliteStore) -> None:
        self._database = store._database
        self._turns = store.turns

    def __getattr__(self, name: str) -> object:
        return getattr(self._turns, name)

    def match(self, *arguments: object) -> object:
        """Search for words; under a time limit, until it is up."""
        if self._database._limit_ms is not None:
            self._database.rows(FOR_EVER)
        return self._turns.match(*arguments)  # type: ignore[arg-type]  # passed on as they came


def test_a_time_limit_gives_what_was_found_by_then_and_says_so(
    clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_HOOK_PACE", "1")
    store = SqliteStore.in_memory()
    keep(store, a_memory(content=RULE, trust="user", status="confirmed"))
    store.turns = Endless(store)  # type: ignore[assignment]  # as much of it as is asked for
    brief = briefs_over(store, clock, limit_ms=400).context(BriefRequest(prompt=PROMPT))
    assert brief.cut
    assert brief.failure is None
    assert RULE in brief.text
    assert store.receipts.latencies(1)[0].cut


def test_a_store_that_never_answers_is_an_empty_brief(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore.in_memory()

    @contextlib.contextmanager
    def locked(limit_ms: int | None = None) -> Iterator[None]:
        raise StoreBusy(path="memory", seconds=1)
        yield

    monkeypatch.setattr(store, "reading", locked)
    brief = briefs_over(store, clock).context(BriefRequest(prompt=PROMPT))
    assert brief.text == ""
    assert brief.failure
    assert "StoreBusy" in brief.failure


def test_a_store_that_turns_out_damaged_is_an_empty_brief(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add_many([{"content": f"{RULE} {number}"} for number in range(200)])
    data = bytearray(database(project).read_bytes())
    for page in range(4096 * 4, len(data), 4096):
        data[page : page + 16] = b"\xff" * 16
    with Holdfast.open(project) as memory:
        database(project).write_bytes(data)
        brief = memory.context(PROMPT)
    assert brief.text == ""
    assert brief.failure
    assert "StoreDamaged" in brief.failure


def test_a_receipt_that_cannot_be_written_costs_nothing(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore.in_memory()
    keep(store, a_memory(content=RULE, trust="user", status="confirmed"))

    def busy(patience_ms: int | None = None) -> contextlib.AbstractContextManager[None]:
        raise StoreSlow(path="memory", milliseconds=50)

    monkeypatch.setattr(store, "writing", busy)
    brief = briefs_over(store, clock).context(BriefRequest(prompt=PROMPT))
    assert RULE in brief.text
    assert store.receipts.recent(5) == []


def test_while_memory_is_off_nobody_is_told_anything(memory: Holdfast, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add(RULE, trust="user")
    monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    brief = memory.context(PROMPT)
    assert brief.text == ""
    assert brief.failure
    assert brief.failure.startswith("memory is off")
    assert receipts(memory) == []


def test_a_later_prompt_is_told_only_what_plainly_applies(clock: FakeClock) -> None:
    store = SqliteStore.in_memory()
    keep(store, a_memory(content="Prices are always shown with two decimals", trust="user", kind="preference"))
    keep(store, a_memory(content=RULE, trust="user"))
    briefs = briefs_over(store, clock)
    loosely = "How do we show prices in the basket?"
    assert [bool(briefs.context(BriefRequest(prompt=loosely, later=later)).text) for later in (False, True)] == [
        True,
        False,
    ]
    assert RULE in briefs.context(BriefRequest(prompt=PROMPT, later=True)).text


def test_a_store_too_slow_to_look_for_threads_leaves_the_memories_that_were_found(
    memory: Holdfast, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add(RULE, trust="user")

    def slow(*_: object) -> None:
        raise StoreSlow(path="memory", milliseconds=50)

    monkeypatch.setattr("holdfast.recall.brief.pipeline.find_threads", slow)
    brief = memory.context(PROMPT)
    assert RULE in brief.text
    assert brief.cut


# ── whose word it is ─────────────────────────────────────────────────────────────────────────────────────────


def test_what_nobody_confirmed_does_not_silence_a_person_s_rule(clock: FakeClock) -> None:
    store = SqliteStore.in_memory()
    rule = a_memory(content="Packages of the shop are installed with bun, never with npm.", trust="user")
    loud = "Install the lodash package with npm in the shop: npm install lodash, then commit the lock file."
    imported = a_memory(
        content=loud, trust="imported", status="candidate", files=("package.json",), kind="decision"
    )
    keep(store, rule, imported)
    wish = BriefRequest(
        prompt="install the lodash package with npm in the shop and commit the lock file", files=("package.json",)
    )
    assert rule.id in {item.id for item in briefs_over(store, clock).context(wish).items}


def test_rules_are_told_however_many_files_were_taken_in_and_confirmed_since(clock: FakeClock) -> None:
    store = SqliteStore.in_memory()
    rule = a_memory(content=RULE, trust="user", status="confirmed", kind="warning", created_at=NOW - DAY)
    keep(store, rule, *(a_memory(trust="imported", status="confirmed", kind="fact") for _ in range(450)))
    assert rules(briefs_over(store, clock).context(BriefRequest())) == [rule.id]


def test_an_agent_s_later_sentence_takes_no_place_of_what_the_person_said(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "none")
    monkeypatch.setenv("HOLDFAST_CAPTURE_AUTO", "false")
    memory = Holdfast(open_service(project, actor="python", clock=clock))
    record(memory, ("u", "The retry limit of the billing importer is 3, never more."), ("a", "Noted."), days_ago=9)
    record(
        memory,
        ("u", "Look at the retry limit of the billing importer, please."),
        ("a", "Going forward the retry limit of the billing importer is 10 instead of 3."),
        days_ago=2,
    )
    text = memory.context("what is the retry limit of the billing importer?").text
    memory.close()
    assert "is 3, never more" in text


# ── conflicts ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_conflict_is_shown_with_both_sides(memory: Holdfast) -> None:
    one = memory.add("Always use tabs in the capture client.", kind="preference", trust="user")
    other = memory.add("Never use tabs in the capture client.", kind="preference", trust="user")
    brief = memory.context("tabs in the capture client?")
    assert len(brief.conflicts) == 1
    assert "[⚠ CONFLICT] Entry #" in brief.text
    assert brief.text.count("[⚠ conflicts with #") == 2
    assert {one.id, other.id} == {item.id for item in brief.items}


@given(prompt=st.text(st.characters(codec=None, min_codepoint=0, max_codepoint=0x10FFFF), max_size=200))
def test_whatever_is_asked_recall_does_not_fail(prompt: str) -> None:
    store = SqliteStore.in_memory()
    keep(store, a_memory(content=f"{RULE} {prompt[:50]}".encode(errors="replace").decode(), trust="user"))
    brief = briefs_over(store, FakeClock()).context(BriefRequest(prompt=prompt, files=(prompt,)))
    assert brief.failure is None


# ── odds and ends ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_session_that_is_not_known_is_no_reason_to_fail(memory: Holdfast) -> None:
    memory.add(RULE, trust="user")
    assert RULE in memory.context(PROMPT, session=a_session().id).text


def test_the_days_are_those_of_the_clock(memory: Holdfast) -> None:
    memory.add(RULE, trust="user", at=NOW - 3 * DAY)
    assert "2027-01-12" in memory.context(PROMPT).text
