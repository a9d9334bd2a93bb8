"""Sessions from the first turn to the last: every rule of how they are read, summed up, promoted and forked."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.capture.sessions.harvest import harvest
from holdfast.capture.sessions.promote import promote
from holdfast.interfaces.python import SessionHandle
from holdfast.judge import Relation, Verdict
from holdfast.model.limits import DAY_MS
from holdfast.service.sessions import CHECKPOINT
from holdfast.settings.load import load
from holdfast.storage.open import open_service
from holdfast.storage.workspace import find_workspace
from holdfast.stores.sqlite.store import SqliteStore
from tests.conftest import FakeClock
from tests.judges import KeywordJudge, lasting

RULE = "Settled: uploads are capped at 25 MB after decompression, never more."
OTHER = "Final policy: sessions end after eight hours, whatever the activity."


@pytest.fixture
def memory(project: Path, clock: FakeClock) -> Iterator[Holdfast]:
    """An open project on a clock that stands still."""
    with Holdfast(open_service(project, actor="python", clock=clock, judge=KeywordJudge)) as opened:
        yield opened


def opened(project: Path, clock: FakeClock) -> Holdfast:
    return Holdfast(open_service(project, actor="python", clock=clock, judge=KeywordJudge))


def chat(session: SessionHandle, *texts: str) -> SessionHandle:
    for place, text in enumerate(texts):
        session.record(("user", "assistant")[place % 2], text)
    return session


def kept(memory: Holdfast) -> list[str]:
    return [one.content for one in memory.list()]


# ── turns ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_same_turn_by_two_ways_is_one_turn(memory: Holdfast) -> None:
    session = memory.start_session(ref="run")
    first = session.record("user", "Use tabs.", ref="m1")
    again = memory.start_session(ref="run").record("user", "Use tabs.", ref="m1")
    assert (again, len(session.turns())) == (first, 1)


def test_turns_carry_tools_and_files_and_tool_calls_are_counted(memory: Holdfast) -> None:
    session = memory.start_session()
    session.record("user", "Fix it.")
    turn = session.record("tool", "done", tool="Edit", files=["src/a.py"])
    session.record("tool", "done", tool="Bash")
    assert (turn.tool, turn.files) == ("Edit", ("src/a.py",))
    assert session.end().tool_calls == 2
    assert [one.files for one in session.findings() if one.kind == "file_change"] == [("src/a.py",)]


def test_what_memory_and_clients_inject_is_not_captured_again(memory: Holdfast) -> None:
    session = memory.start_session()
    injected = f"<project_memory>\n{RULE}\n</project_memory>"
    mixed = session.record("user", f"{injected}\nFix the export.")
    alone = session.record("user", injected)
    reminded = session.record("user", f"<system-reminder>{RULE}</system-reminder>")
    assert [one.text for one in (mixed, alone, reminded)] == ["Fix the export.", *["[added by the client]"] * 2]
    session.end()
    assert kept(memory) == []


# ── checkpoints ──────────────────────────────────────────────────────────────────────────────────────────


def test_every_ten_messages_a_session_is_read(memory: Holdfast) -> None:
    session = memory.start_session()
    chat(session, *["Hello there."] * (CHECKPOINT - 2), RULE)
    assert session.findings() == []
    session.record("assistant", "Noted.")
    assert [one.content for one in session.findings()] == [RULE]
    assert session.session.turns_read == CHECKPOINT


def test_before_compaction_a_session_is_read(memory: Holdfast) -> None:
    session = chat(memory.start_session(), RULE)
    assert session.checkpoint().turns_read == 1
    assert [one.content for one in session.findings()] == [RULE]


ASKED = "Remember that the CI cache must be cleared after each Node upgrade."
CACHE = "the CI cache must be cleared after each Node upgrade."


def test_what_is_asked_for_in_so_many_words_is_a_memory_before_the_session_ends(memory: Holdfast) -> None:
    session = memory.start_session()
    session.record("user", ASKED)
    [learnt] = memory.list()
    assert (learnt.content, learnt.trust, learnt.status) == (CACHE, "user", "confirmed")
    session.end()
    assert kept(memory) == [CACHE], "once"


def test_a_rule_that_only_sounds_lasting_waits_for_the_end_of_its_session(memory: Holdfast) -> None:
    session = chat(memory.start_session(), "Please never commit directly to the release branch.")
    session.checkpoint()
    assert kept(memory) == []
    session.end()
    assert kept(memory) == ["never commit directly to the release branch."]


def test_what_was_asked_for_and_is_taken_back_later_is_no_memory(memory: Holdfast) -> None:
    session = memory.start_session()
    chat(session, "From now on we use yarn for installing packages.", "OK.")
    assert kept(memory) == ["From now on we use yarn for installing packages."]
    chat(session, "Forget what I said about yarn for installing packages, that was wrong.", "OK.")
    session.end()
    assert "From now on we use yarn for installing packages." not in kept(memory)


def test_what_only_an_agent_or_a_tool_asks_to_remember_is_no_memory(memory: Holdfast) -> None:
    session = memory.start_session()
    session.record("assistant", ASKED)
    session.record("tool", ASKED, tool="Bash")
    session.checkpoint()
    assert kept(memory) == []


def test_at_the_end_a_session_is_read_summed_up_and_promoted(memory: Holdfast) -> None:
    session = chat(memory.start_session("codex"), "Uploads kill the worker.", "How large are they?", RULE)
    ended = session.end()
    assert ended.summary == f"Goal: Uploads kill the worker.\nDecided: {RULE}"
    [promoted] = memory.list()
    [finding] = session.findings()
    assert finding.memory == promoted.id
    assert (promoted.kind, promoted.status, promoted.trust, promoted.source) == (
        "decision",
        "candidate",
        "user",
        "promoted",
    )
    assert (promoted.session, promoted.agent) == (session.id, "codex")
    assert promoted.metadata == {
        "finding": finding.id,
        "signals": ["settled", "high-importance"],
        "points": 3,
        "judged": {"lasts": 0.95},
        "tier": "said",
    }


def test_ending_twice_changes_nothing(memory: Holdfast) -> None:
    session = chat(memory.start_session(), RULE)
    ended = session.end()
    before = memory.list()
    assert session.end() == ended
    assert memory.list() == before


def test_a_session_that_is_resumed_is_read_on_from_where_it_was(memory: Holdfast) -> None:
    chat(memory.start_session(ref="run"), RULE).end()
    again = chat(memory.start_session(ref="run"), OTHER)
    again.end()
    assert [one.content for one in again.findings()] == [RULE, OTHER]
    assert sorted(kept(memory)) == sorted([RULE, OTHER])
    assert {one.importance for one in memory.list()} == {0.7}


def test_what_is_said_while_a_session_ends_is_not_left_out(
    memory: Holdfast, project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process speaks after the last turn was read and before the session is closed."""
    session = chat(memory.start_session(ref="run"), RULE)
    late = [OTHER]

    def promote_late(*arguments: object) -> Iterator[list[str]]:
        if late:
            with opened(project, clock) as another:
                chat(another.start_session(ref="run"), late.pop())
        return promote(*arguments)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr("holdfast.service.sessions.promote", promote_late)
    session.end()
    assert [one.content for one in session.findings()] == [RULE, OTHER]
    assert sorted(kept(memory)) == sorted([RULE, OTHER])


def test_findings_and_where_reading_stopped_are_kept_together_or_not_at_all(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened(project, clock)
    session = chat(memory.start_session(), RULE, "OK.", OTHER)
    store = SqliteStore.open(project / ".holdfast" / "memory.db", project="p", now=1)

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(store.sessions, "replace", fail)
    with pytest.raises(ZeroDivisionError):
        harvest(store, session.id, "test", 1, KeywordJudge())
    assert session.findings() == []
    monkeypatch.undo()
    harvest(store, session.id, "test", 1, KeywordJudge())
    harvest(store, session.id, "test", 1, KeywordJudge())
    assert [one.content for one in session.findings()] == [RULE, OTHER]
    store.close()
    memory.close()


# ── promotion ────────────────────────────────────────────────────────────────────────────────────────────


def test_hypotheses_and_what_was_taken_back_are_not_promoted(memory: Holdfast) -> None:
    chat(memory.start_session(), "How?", "I'd cap uploads at 25 MB, never more.", "Let me think.").end()
    chat(memory.start_session(), "How?", RULE, "Scrap that, uploads are not capped.").end()
    assert kept(memory) == []


DEMANDS = "use the session repository for that change", "make sure that the change is in the session repository"
"""The same demand in two ways; each alone is likely to last, which is too little to be kept."""


def test_a_demand_that_is_said_again_in_another_session_is_a_rule(memory: Holdfast) -> None:
    chat(memory.start_session("codex"), DEMANDS[0]).end()
    assert kept(memory) == []
    chat(memory.start_session("gemini"), DEMANDS[1]).end()
    [promoted] = memory.list()
    assert (promoted.content, promoted.trust, promoted.status) == (DEMANDS[1], "user", "confirmed")
    assert promoted.metadata["signals"] == ["settled", "repeated"]


def test_the_same_words_with_another_number_are_no_repetition(memory: Holdfast) -> None:
    chat(memory.start_session("codex"), "use port 8080 of the session repository for that change").end()
    chat(memory.start_session("gemini"), "use port 9090 of the session repository for that change").end()
    assert kept(memory) == []


def test_a_question_that_is_asked_in_every_session_is_no_rule(memory: Holdfast) -> None:
    for agent in ("codex", "gemini", "claude-code"):
        chat(memory.start_session(agent), "Which session repository is used for that change?").end()
    assert kept(memory) == []


def test_both_findings_know_the_memory_they_became(memory: Holdfast) -> None:
    first = chat(memory.start_session("codex"), DEMANDS[0])
    first.end()
    second = chat(memory.start_session("gemini"), DEMANDS[0])
    second.end()
    [promoted] = memory.list()
    assert [one.memory for one in (*first.findings(), *second.findings())] == [promoted.id] * 2


def test_a_new_word_on_a_rule_takes_its_place(memory: Holdfast, clock: FakeClock) -> None:
    chat(memory.start_session(), "From now on the coverage gate is 80 percent for the api.").end()
    clock.advance(DAY_MS)
    chat(memory.start_session(), "the coverage gate of the api must be 85").end()
    assert kept(memory) == ["the coverage gate of the api must be 85"]
    [current] = memory.list()
    assert (current.trust, current.status, current.metadata["signals"][-1]) == ("user", "confirmed", "amends")


def test_what_a_person_asked_for_and_takes_back_later_is_history(memory: Holdfast) -> None:
    session = chat(memory.start_session(ref="run"), "From now on we only deploy to production on Mondays.")
    session.end()
    assert len(kept(memory)) == 1
    chat(memory.start_session(ref="run"), "Scrap that, deploy to production whenever you like.").end()
    assert kept(memory) == []


def test_what_a_person_takes_over_is_confirmed_and_stays_the_agents_words(memory: Holdfast) -> None:
    chat(
        memory.start_session(),
        "Which format do you use for the docstrings of the pricing package?",
        "Options: (1) Google style, (2) NumPy style. Which?",
        "2",
    ).end()
    [taken] = memory.list()
    assert (taken.trust, taken.status) == ("agent", "confirmed")
    assert "NumPy style" in taken.content
    assert "(answered: 2)" in taken.content


class DoubtfulJudge(KeywordJudge):
    """Half sure of one sentence, sure of another."""

    def _weigh(self, text: str) -> Verdict:
        return lasting(0.5) if text == OTHER else super()._weigh(text)


@pytest.mark.parametrize(("preset", "promoted"), [("conservative", 0), ("balanced", 1), ("aggressive", 2)])
def test_the_preset_decides_how_sure_the_judge_must_be(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, preset: str, promoted: int
) -> None:
    """A sentence that surely lasts has three points, a likely one two; what a person asked for needs none."""
    monkeypatch.setenv("HOLDFAST_CAPTURE_PRESET", preset)
    with Holdfast(open_service(project, actor="python", clock=clock, judge=DoubtfulJudge)) as memory:
        chat(memory.start_session(), RULE, "OK.", OTHER).end()
        assert len(kept(memory)) == promoted


def test_an_amendment_in_a_later_session_supersedes_the_rule(memory: Holdfast, clock: FakeClock) -> None:
    chat(memory.start_session(), "Settled: the backoff of the retry client is capped at 60 seconds.").end()
    clock.advance(DAY_MS)
    later = "Amended rule, superseding the 60 seconds: the backoff of the retry client is capped at 30 seconds."
    chat(memory.start_session(), later).end()
    assert kept(memory) == [later]


def test_auto_off_stops_extraction_and_promotion_but_not_remember(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_CAPTURE_AUTO", "false")
    memory = opened(project, clock)
    session = memory.start_session(ref="run")
    chat(session, *[RULE] * CHECKPOINT)
    ended = session.end()
    memory.add("Tabs, not spaces.", trust="user")
    assert (session.findings(), ended.summary, kept(memory)) == ([], "", ["Tabs, not spaces."])
    memory.close()
    monkeypatch.delenv("HOLDFAST_CAPTURE_AUTO")
    memory = opened(project, clock)
    again = chat(memory.start_session(ref="run"), OTHER)
    again.end()
    assert [one.content for one in again.findings()] == [OTHER]
    memory.close()


def test_auto_is_on_and_balanced_by_default(project: Path) -> None:
    capture = load(find_workspace(project).sources).capture
    assert (capture.auto, capture.preset) == (True, "balanced")


def test_what_a_person_asks_to_remember_passes_every_filter_and_is_confirmed_at_once(memory: Holdfast) -> None:
    added = memory.add("Tabs.", trust="user", importance=0.0)
    [tabs] = memory.get([str(added.id)])
    assert (tabs.status, tabs.trust) == ("confirmed", "user")


# ── quarantine ───────────────────────────────────────────────────────────────────────────────────────────


def waiting(memory: Holdfast) -> dict[str, tuple[str, float]]:
    """Return the memories that the judge alone found lasting, with status and importance."""
    return {one.content: (one.status, one.importance) for one in memory.list()}


def test_after_24_hours_a_saying_that_was_read_is_still_one_and_the_rest_loses_a_fifth_once(
    memory: Holdfast, clock: FakeClock
) -> None:
    chat(memory.start_session(), RULE).end()
    chat(memory.start_session(), OTHER).end()
    by_content = {one.content: one.id for one in memory.list()}
    memory.get([by_content[RULE]])
    clock.advance(DAY_MS - 1)
    memory.flush()
    assert {status for status, _ in waiting(memory).values()} == {"candidate"}
    clock.advance(1)
    for _ in range(2):
        memory.flush()
        assert waiting(memory) == {RULE: ("candidate", 0.7), OTHER: ("candidate", 0.56)}
        clock.advance(DAY_MS)


def test_starting_a_session_judges_what_waits(memory: Holdfast, clock: FakeClock) -> None:
    chat(memory.start_session(), RULE).end()
    clock.advance(DAY_MS)
    memory.start_session()
    assert waiting(memory) == {RULE: ("candidate", 0.56)}


# ── silence ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_session_silent_for_24_hours_is_completed_with_all_that_an_end_does(
    memory: Holdfast, clock: FakeClock
) -> None:
    session = chat(memory.start_session(), RULE)
    spoken = clock.now()
    clock.advance(DAY_MS)
    memory.start_session()
    assert session.session.status == "active"
    clock.advance(1)
    memory.start_session()
    ended = session.session
    assert (ended.status, ended.ended_at) == ("completed", spoken)
    assert ended.summary.endswith(f"Decided: {RULE}")
    assert kept(memory) == [RULE]


def test_an_old_transcript_that_is_read_now_is_not_silent(memory: Holdfast) -> None:
    session = memory.start_session(at="2020-01-01T00:00:00Z")
    session.record("user", "Hello there.", at="2020-01-01T00:00:01Z")
    memory.start_session()
    assert session.session.status == "active"


def test_a_session_that_is_resumed_is_not_silent(memory: Holdfast, clock: FakeClock) -> None:
    memory.start_session(ref="run").end()
    clock.advance(2 * DAY_MS)
    again = memory.start_session(ref="run")
    memory.start_session()
    assert again.session.status == "active"


def test_a_session_that_goes_on_after_a_long_silence_is_not_ended_first(
    memory: Holdfast, clock: FakeClock
) -> None:
    """Nothing of it is promoted before it is over: what was said may still be taken back."""
    chat(memory.start_session(ref="run"), RULE)
    clock.advance(2 * DAY_MS)
    again = memory.start_session(ref="run")
    assert kept(memory) == []
    chat(again, "Scrap that, uploads are not capped at 25 MB after decompression.").end()
    assert kept(memory) == []


def test_a_session_that_is_spoken_in_is_not_silent(memory: Holdfast, clock: FakeClock) -> None:
    session = memory.start_session()
    clock.advance(DAY_MS)
    session.record("user", "Still here.")
    clock.advance(DAY_MS)
    memory.start_session()
    assert session.session.status == "active"


# ── forks ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_fork_gets_a_copy_of_what_was_found_and_remembers_its_parent(memory: Holdfast) -> None:
    parent = chat(memory.start_session("codex"), RULE)
    child = parent.fork()
    assert (child.session.parent, child.session.agent, child.session.status) == (parent.id, "codex", "active")
    assert [(one.content, one.evidence) for one in child.findings()] == [
        (one.content, one.evidence) for one in parent.findings()
    ]
    assert {one.id for one in child.findings()}.isdisjoint(one.id for one in parent.findings())


def test_parent_and_fork_go_their_own_ways(memory: Holdfast) -> None:
    parent = chat(memory.start_session(), RULE)
    child = parent.fork()
    chat(child, "Scrap that, uploads are not capped at 25 MB after decompression.")
    child.checkpoint()
    assert [one.settled for one in child.findings() if one.content == RULE] == [False]
    assert [one.settled for one in parent.findings()] == [True]


def test_both_may_promote_and_duplicates_merge(memory: Holdfast) -> None:
    parent = chat(memory.start_session(), RULE)
    child = chat(parent.fork(), OTHER)
    child.end()
    parent.end()
    assert sorted(kept(memory)) == sorted([RULE, OTHER])


def test_a_fork_says_nothing_that_its_parent_has_not_said(memory: Holdfast) -> None:
    """Its copies do not make two sessions of one, which would be enough here."""
    parent = chat(memory.start_session(), DEMANDS[0])
    parent.fork().end()
    parent.end()
    assert kept(memory) == []
    chat(memory.start_session(), DEMANDS[0]).end()
    assert kept(memory) == [DEMANDS[0]]


def test_a_fork_understands_its_first_turn_from_what_its_parent_said(memory: Holdfast) -> None:
    rule = "The client is limited to 3 requests a second, never more."
    parent = chat(memory.start_session(), "The partner takes three requests a second.", rule)
    child = chat(parent.fork(), "Yes, keep it that way.")
    child.end()
    assert kept(memory) == [f"{rule} (answered: Yes, keep it that way.)"]


# ── journal ──────────────────────────────────────────────────────────────────────────────────────────────


def test_end_and_promotion_stand_in_the_log(project: Path, clock: FakeClock) -> None:
    memory = opened(project, clock)
    session = chat(memory.start_session(), RULE)
    session.end()
    promoted = memory.list()[0].id
    memory.close()
    store = SqliteStore.open(project / ".holdfast" / "memory.db", project="p", now=1)
    events = [(event.action, event.ids) for event in store.audit.events(10)]
    store.close()
    assert events == [("finalise", (session.id,)), ("promote", (promoted,)), ("add", (promoted,))]


def test_nothing_found_nothing_promoted(memory: Holdfast) -> None:
    session = chat(memory.start_session(), "Hi!", "Hello!")
    ended = session.end()
    assert (session.findings(), ended.summary, kept(memory)) == ([], "", [])


class _LockWatchingJudge(KeywordJudge):
    """Notes for each pair whether it was asked about while a transaction was open."""

    def __init__(self, open_transactions: list[None]) -> None:
        super().__init__()
        self._open_transactions = open_transactions
        self.asked_in_transaction: list[bool] = []

    def relates(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        """Weigh pairs of statements."""
        self.asked_in_transaction += [bool(self._open_transactions) for _ in pairs]
        return super().relates(pairs)


def test_no_pair_is_judged_while_others_wait_for_the_lock(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_transactions: list[None] = []
    writing = SqliteStore.writing

    @contextmanager
    def tracked(store: SqliteStore, *args: int) -> Iterator[None]:
        with writing(store, *args):
            open_transactions.append(None)
            yield
            open_transactions.pop()

    monkeypatch.setattr(SqliteStore, "writing", tracked)
    judge = _LockWatchingJudge(open_transactions)
    with Holdfast(open_service(project, actor="python", clock=clock, judge=lambda: judge)) as memory:
        chat(memory.start_session(), RULE).end()
        later = "Amended: uploads are capped at 50 MB after decompression, never more."
        chat(memory.start_session(), later).end()
        assert kept(memory) == [later]
    assert set(judge.asked_in_transaction) == {False}
