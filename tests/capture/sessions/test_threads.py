"""Talk cut into threads: where a subject ends, what a thread is called and holds, what a later one replaces."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.capture.sessions.threads import CUT_TO, cut, cut_all, title_of_talk
from holdfast.judge import Judge
from holdfast.model.session import Turn
from holdfast.model.thread import TITLE_CHARS, Thread
from holdfast.ports import Store
from tests.contract.builders import NOW, a_session, a_turn
from tests.embedded import service_behind
from tests.judges import KeywordJudge, ScriptedJudge, lasting
from tests.recall.brief.chats import record
from tests.table import table

HOUR = 3_600_000

LIMITER = (
    ("user", "The capture client must never make more than seven attempts at the acquirer."),
    ("assistant", "Seven attempts at the acquirer, then the capture client gives up."),
)
COLOURS = (
    ("user", "Warning toasts in the admin frontend are always amber on a pale background."),
    ("assistant", "Amber toasts, pale background."),
)
WORK = (("tool", "edited capture.py"),)


def cut_turns(
    *said: tuple[str, str], judge: Judge | None = None, minutes: float = 1
) -> tuple[list[Thread], list[Turn]]:
    """Cut a session of these turns, without findings."""
    session = a_session()
    turns = [
        a_turn(
            session,
            text,
            role=role,
            tool="edit" if role == "tool" else None,
            at=NOW + int(place * minutes * 60_000),
        )
        for place, (role, text) in enumerate(said)
    ]
    return cut(session, turns, (), judge or KeywordJudge()), turns


def words_of(threads: Sequence[Thread], turns: Sequence[Turn]) -> list[list[str]]:
    """Return what the statements of threads say."""
    texts = {turn.id: turn.text for turn in turns}
    return [[texts[one.turn or ""][one.start : one.end] for one in thread.statements] for thread in threads]


@table(
    ("said", "minutes", "threads"),
    [
        ((*LIMITER, *WORK, *COLOURS), 1, 2),
        ((*LIMITER, *WORK, *LIMITER), 1, 1),
        ((*LIMITER, *WORK, ("user", "Yes.")), 1, 1),
        ((*LIMITER, *LIMITER), 400, 2),
        ((*LIMITER, ("assistant", "Should toasts have a colour?"), *COLOURS), 1, 1),
    ],
)
def test_a_thread_begins_where_the_subject_changes(
    said: tuple[tuple[str, str], ...], minutes: float, threads: int
) -> None:
    """New words after work, or a pause; not the same words, an answer to a question, or a word or two."""
    assert len(cut_turns(*said, minutes=minutes)[0]) == threads


def test_a_thread_holds_what_lasts_and_what_ends_the_talk_in_the_person_s_words() -> None:
    threads, turns = cut_turns(("user", "Morning, did you see the acquirer's logs?"), *LIMITER)
    [said] = words_of(threads, turns)
    assert said == [LIMITER[0][1], LIMITER[1][1]]
    assert [one.trust for one in threads[0].statements] == ["user", "agent"]


@table(
    ("reply", "answer", "is_told"),
    [
        ("Seven attempts at the acquirer for the capture client.", "Right, ship it.", True),
        ("Seven attempts at the acquirer for the capture client.", "No, nine.", False),
        ("Should the capture client make seven attempts at the acquirer?", "Yes.", False),
        ("I'll make the capture client give up at the acquirer.", "", False),
        ("The capture client gives up at the acquirer:\n```\nLIMIT = 7\n```", "", False),
    ],
)
def test_a_summary_is_what_a_person_takes_or_leaves_as_the_end(reply: str, answer: str, is_told: bool) -> None:
    said = [LIMITER[0], ("assistant", reply), *([("user", answer)] if answer else [])]
    threads, turns = cut_turns(*said)
    assert (reply in words_of(threads, turns)[0]) is is_told


def test_what_an_agent_says_after_work_is_a_report_and_no_summary() -> None:
    threads, turns = cut_turns(LIMITER[0], *WORK, LIMITER[1])
    assert words_of(threads, turns) == [[LIMITER[0][1]]]


def test_a_remark_that_hardly_lasts_is_kept_with_how_surely_it_does() -> None:
    judge = ScriptedJudge({"staging": lasting(0.1)})
    threads, _ = cut_turns(("user", "The staging database is copied on Sundays. What a day."), judge=judge)
    assert [one.lasts for one in threads[0].statements] == [0.1]


def test_a_title_is_of_the_talk_s_own_names_and_words_and_short() -> None:
    _, turns = cut_turns(
        ("user", "merge_tags drops the casing of tags."), ("assistant", "I look at `merge_tags` in tags.py.")
    )
    assert title_of_talk(turns).startswith("merge_tags")
    long = " ".join(f"uncommonword{'x' * number}" for number in range(30))
    assert len(title_of_talk(cut_turns(("user", long))[1])) <= TITLE_CHARS


@pytest.fixture
def store(memory: Holdfast) -> Store:
    """The store behind a project memory."""
    return service_behind(memory)._scopes.project


@pytest.fixture
def memory(project: Path, keyword_judge: None) -> Holdfast:
    """An empty project memory."""
    return Holdfast.open(project)


def threads_of(store: Store, session: str) -> list[Thread]:
    return list(store.threads.of(session))


def test_a_session_is_cut_when_it_ends_and_its_memories_are_in_its_thread(memory: Holdfast, store: Store) -> None:
    with memory:
        session = record(memory, ("u", LIMITER[0][1]), ("a", LIMITER[1][1]))
        [thread] = threads_of(store, session)
        [kept] = memory.list()
        assert store.threads.of_memories([kept.id]) == {kept.id: thread.id}
        [hit, *_] = memory.search("attempts at the acquirer")
        assert hit.thread == thread.title
        assert [entry.thread for entry in memory.timeline(kept.id)] == [thread.title]


def test_a_later_session_s_statement_takes_the_place_of_an_earlier_one(memory: Holdfast, store: Store) -> None:
    with memory:
        first = record(memory, ("u", LIMITER[0][1]), days_ago=9)
        later = record(
            memory,
            ("u", "The capture client must never make more than nine attempts at the acquirer."),
            days_ago=3,
        )
        [old], [new] = threads_of(store, first), threads_of(store, later)
        assert [one.replaced_by for one in old.statements] == [new.id]
        text = memory.context("how many attempts does the capture client make at the acquirer?").text
        assert "nine attempts" in text
        assert "seven attempts" not in text


def test_an_agent_s_word_takes_no_person_s_place(memory: Holdfast, store: Store) -> None:
    with memory:
        first = record(memory, ("u", LIMITER[0][1]), days_ago=9)
        record(
            memory,
            ("u", "What of captures?"),
            ("a", "The capture client makes nine attempts at the acquirer, never more."),
            ("u", "Right."),
            days_ago=3,
        )
        assert [one.replaced_by for one in threads_of(store, first)[0].statements] == [None]


def test_a_memory_added_by_hand_joins_the_thread_on_its_subject_or_stands_alone(
    memory: Holdfast, store: Store
) -> None:
    with memory:
        session = record(memory, ("u", LIMITER[0][1]), ("a", LIMITER[1][1]))
        [thread] = threads_of(store, session)
        near = memory.add(f"On {thread.title}: the acquirer counts attempts by day.", trust="user")
        far = memory.add("Invoices are numbered without gaps.", trust="user")
        assert store.threads.of_memories([str(near.id), str(far.id)]) == {near.id: thread.id}


def test_forgetting_takes_the_words_out_of_the_thread_and_its_title(memory: Holdfast, store: Store) -> None:
    with memory:
        session = record(memory, ("u", "The walrus importer must never run on Sundays."))
        [kept] = memory.list()
        assert "walrus" in threads_of(store, session)[0].title
        memory.forget(kept.id)
        [thread] = threads_of(store, session)
        assert (thread.statements, "walrus" in thread.title) == ((), False)


def test_a_store_whose_threads_are_missing_is_cut_again_with_what_joined_them(
    memory: Holdfast, store: Store
) -> None:
    with memory:
        session = record(memory, ("u", LIMITER[0][1]))
        before = threads_of(store, session)
        with store.writing():
            store.threads.delete([thread.id for thread in before])
            store.upkeep.note(CUT_TO, "")
        assert cut_all(store, KeywordJudge(), 10) == 1
        assert threads_of(store, session) == before
