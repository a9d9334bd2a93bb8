"""What was said beside the memories that were made of it."""

from holdfast.model.finding import Evidence
from holdfast.model.memory import Memory
from holdfast.model.search import Filters, Query
from holdfast.model.session import Session, Turn
from holdfast.recall.channels import Question
from holdfast.recall.ranking import Ranking
from holdfast.recall.search import search
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_finding, a_memory, a_session, a_turn, keep, keep_turns

OLD = "Use Google style docstrings."
NEW = "Use NumPy style docstrings."


def become(store: SqliteStore, session: Session, turn: Turn, memory: Memory) -> None:
    """Let a memory have been made of a turn."""
    evidence = (Evidence(turn=turn.id, start=0, end=len(turn.text)),)
    with store.writing():
        store.findings.put([a_finding(session, content=memory.content, evidence=evidence, memory=memory.id)])


def said(store: SqliteStore, memory: Memory, text: str) -> Turn:
    """Keep a memory and the turn that it was made of."""
    session = a_session()
    turn = a_turn(session, text)
    keep(store, memory)
    keep_turns(store, session, turn)
    become(store, session, turn, memory)
    return turn


def ask(store: SqliteStore, text: str) -> list[str]:
    """Return the ids of what is found by words, best first."""
    query = Query(text=text, mode="keyword", filters=Filters(current_at=NOW))
    return [hit.id for hit in search(Question(query), [store], Ranking())]


def test_what_a_memory_says_is_not_told_again_as_a_turn(store: SqliteStore) -> None:
    rule = a_memory(content=NEW, title="Use NumPy style docstrings")
    said(store, rule, NEW)
    assert ask(store, "docstrings style") == [rule.id]


def test_a_turn_that_says_more_than_its_memory_is_told_beside_it(store: SqliteStore) -> None:
    rule = a_memory(content=NEW, title="Use NumPy style docstrings")
    turn = said(store, rule, f"{NEW} And the docstrings of tests are sentences.")
    assert set(ask(store, "docstrings style")) == {rule.id, turn.id}


def test_words_that_were_given_up_come_after_what_took_their_place(store: SqliteStore) -> None:
    new = a_memory(content=NEW, title="Use NumPy style docstrings")
    keep(store, new)
    old = said(
        store,
        a_memory(content=OLD, title="Use Google style docstrings", superseded_by=new.id, valid_until=NOW - 1),
        OLD,
    )
    assert ask(store, "Google style docstrings") == [new.id, old.id]


def test_words_that_were_given_up_are_not_told_where_what_took_their_place_is_not(store: SqliteStore) -> None:
    new = a_memory(content="NumPy from now on", title="NumPy from now on")
    keep(store, new)
    said(
        store,
        a_memory(content=OLD, title="Use Google style docstrings", superseded_by=new.id, valid_until=NOW - 1),
        OLD,
    )
    assert ask(store, "Google style docstrings") == []


def test_words_that_were_taken_back_or_have_run_out_answer_nothing(store: SqliteStore) -> None:
    taken_back = a_memory(content=OLD, title=OLD, valid_until=NOW - 1)
    expired = a_memory(content="Tabs in the kernel module.", title="Tabs", expires=NOW - 1)
    said(store, taken_back, f"Remember: {OLD}")
    said(store, expired, "Until Friday: Tabs in the kernel module.")
    assert ask(store, "docstrings style") == []
    assert ask(store, "tabs in the kernel module") == []


def test_words_that_were_taken_back_before_they_were_remembered_answer_nothing(store: SqliteStore) -> None:
    session = a_session()
    turn = a_turn(session, OLD)
    keep_turns(store, session, turn)
    evidence = (Evidence(turn=turn.id, start=0, end=len(OLD)),)
    with store.writing():
        store.findings.put([a_finding(session, content=OLD, evidence=evidence, signals=("retracted",))])
    assert ask(store, "docstrings style") == []
