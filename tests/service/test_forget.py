"""Forgetting reaches the talk: where it was learnt, said again, and where it waits to be recorded."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.errors import InvalidInput, Proposed, SpoolBusy, SpoolUnwritable
from holdfast.judge import Judge
from holdfast.model.actor import Actor
from holdfast.model.requests import Draft, Message, Reach
from holdfast.model.search import Filters
from holdfast.service.forget import Forgetter
from holdfast.storage.drain import drain
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.faults.processes import raw_bytes
from tests.judges import ScriptedJudge

pytestmark = pytest.mark.usefixtures("keyword_judge")

RULE = "Remember that the Zanzibar importer must never run before the Quokka nightly job."
LEARNT = "the Zanzibar importer must never run before the Quokka nightly job."
AGAIN = "Understood: the Zanzibar importer never runs before the Quokka nightly job. I renamed foo."
COMPLAINT = "Why did the Zanzibar importer run before the Quokka nightly job again? The tests are red."
OTHER = "Never deploy on a Friday evening, whatever the reason is."


@pytest.fixture
def memory(project: Path) -> Iterator[Holdfast]:
    with Holdfast.open(project) as opened:
        yield opened


def said(memory: Holdfast, *messages: tuple[str, str]) -> str:
    """Record a session and end it; return its id."""
    session = memory.start_session()
    for role, text in messages:
        session.record(role, text)
    session.end()
    return session.id


def talk(project: Path) -> list[str]:
    """Return everything that is recorded, oldest first."""
    with closing(open_service(project, actor="cli")) as service:
        sessions = sorted(service.sessions(), key=lambda one: one.id)
        return [turn.text for session in sessions for turn in service.turns(session.id)]


def the(memory: Holdfast, content: str) -> str:
    return next(one.id for one in memory.list() if one.content == content)


def spooled(project: Path, role: str, text: str, session: str = "s9") -> None:
    """Leave something where hooks do."""
    entry = {"kind": "prompt", "client": "claude", "agent": "claude-code", "session": session, "at": 1}
    spool.append(spool.prepare(str(project)), f"claude-{session}", {**entry, "role": role, "text": text})


def in_spool(project: Path) -> set[object]:
    return {entry.get("text") for entry in spool.waiting_entries(str(project))}


def test_what_was_said_again_in_other_sessions_goes_too(memory: Holdfast, project: Path) -> None:
    said(memory, ("user", RULE), ("assistant", AGAIN))
    said(memory, ("user", COMPLAINT), ("user", OTHER))
    gone = memory.forget(the(memory, LEARNT))
    assert (gone.sentences, gone.sessions, gone.account) == (3, 2, "1 memory, 3 sentences in 2 sessions")
    assert talk(project) == [
        "[forgotten]",
        "Understood: [forgotten]. I renamed foo.",
        "[forgotten]? The tests are red.",
        OTHER,
    ]
    assert [one.content for one in memory.list()] == [OTHER]
    assert b"zanzibar" not in raw_bytes(project).lower()


def test_what_waits_to_be_recorded_goes_and_is_not_learnt_later(memory: Holdfast, project: Path) -> None:
    said(memory, ("user", RULE))
    spooled(project, "user", f"{COMPLAINT}\n{OTHER}")
    spool.seal(spool.folder_of(str(project)))
    spooled(project, "assistant", AGAIN)
    gone = memory.forget(the(memory, LEARNT))
    assert (gone.sentences, gone.sessions) == (3, 2)
    assert in_spool(project) == {
        f"[forgotten]? The tests are red.\n{OTHER}",
        "Understood: [forgotten]. I renamed foo.",
    }
    assert drain(str(project)) == 2
    assert [one.content for one in memory.list()] == []
    assert "Zanzibar" not in " ".join(talk(project))


def test_a_line_that_a_kill_tore_goes_from_the_spool(memory: Holdfast, project: Path) -> None:
    said(memory, ("user", RULE))
    spooled(project, "user", OTHER)
    [path] = spool.paths(spool.folder_of(str(project)))
    whole = Path(path).read_bytes()
    Path(path).write_bytes(b'{"text":"the Zanzibar imp\n' + whole)
    memory.forget(the(memory, LEARNT))
    [sealed] = spool.paths(spool.folder_of(str(project)))
    assert Path(sealed).read_bytes() == b"\n" + whole


@pytest.mark.parametrize("name", ["refused.jsonl", "refused.jsonl.1", "01.sealed.refused"])
def test_what_was_refused_and_set_aside_is_forgotten_as_well(memory: Holdfast, project: Path, name: str) -> None:
    said(memory, ("user", RULE))
    path = Path(spool.prepare(str(project))) / name
    path.write_bytes(spool.line_of({"role": "user", "text": RULE}) + b"\n" + b"[" * 100_000 + b"\n")
    memory.forget(the(memory, LEARNT))
    assert b"Zanzibar" not in path.read_bytes()


def test_a_spool_that_cannot_be_changed_is_an_error_that_says_so(memory: Holdfast, project: Path) -> None:
    said(memory, ("user", RULE))
    (Path(spool.prepare(str(project))) / "refused.jsonl").mkdir()
    with pytest.raises(SpoolUnwritable, match="nothing was forgotten"):
        memory.forget(the(memory, LEARNT))
    assert the(memory, LEARNT)


def test_nothing_is_forgotten_while_the_spool_is_taken_in(
    memory: Holdfast, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.service.forget.SPOOL_SECONDS", 0.0)
    said(memory, ("user", RULE))
    spooled(project, "user", OTHER)
    draining = spool.hold(spool.folder_of(str(project)), spool.DRAINING)
    assert draining is not None
    with pytest.raises(SpoolBusy):
        memory.forget(the(memory, LEARNT))
    os.close(draining)
    assert memory.forget(the(memory, LEARNT)).sentences == 1


def test_a_dry_run_shows_the_words_and_changes_nothing(memory: Holdfast, project: Path) -> None:
    said(memory, ("user", RULE), ("assistant", AGAIN))
    spooled(project, "user", COMPLAINT)
    would = memory.forget(the(memory, LEARNT), dry_run=True)
    assert [(one.role, one.text) for one in would.excerpts] == [
        ("user", RULE),
        ("assistant", AGAIN.partition(": ")[2].partition(". ")[0]),
        ("user", COMPLAINT.partition("?")[0]),
    ]
    assert (would.dry_run, would.sentences, would.sessions) == (True, 3, 2)
    assert (talk(project), in_spool(project)) == ([RULE, AGAIN], {COMPLAINT})
    gone = memory.forget(the(memory, LEARNT))
    assert (gone.ids, gone.sentences, gone.sessions) == (would.ids, 3, 2)
    assert gone.excerpts == (), "the words are not given back once they are gone"


def test_a_dry_run_by_session_and_by_text_changes_nothing(memory: Holdfast, project: Path) -> None:
    session = said(memory, ("user", RULE), ("user", OTHER))
    assert memory.forget_where(session=session, dry_run=True).account == "2 memories, 2 sentences in 1 session"
    assert memory.forget_where(matching="Quokka", dry_run=True).account == "1 memory, 1 sentence in 1 session"
    assert talk(project) == [RULE, OTHER]


def test_what_was_said_again_is_not_learnt_again(memory: Holdfast) -> None:
    demand = "Always run the Zanzibar importer after the Quokka nightly job."
    said(memory, ("user", demand))
    said(memory, ("user", demand))
    memory.forget(the(memory, demand))
    said(memory, ("user", demand))
    assert memory.list() == []


def test_a_sentence_that_another_memory_rests_on_stays(
    memory: Holdfast, project: Path, use_judge: Callable[[Judge], None]
) -> None:
    """It is a memory of its own, and the answer names it."""
    use_judge(ScriptedJudge())  # nothing replaces anything: both are kept
    other = "Remember that the Zanzibar importer may run before the Quokka nightly job on Sundays."
    said(memory, ("user", RULE))
    said(memory, ("user", other))
    kept = next(one for one in memory.list() if "Sundays" in one.content)
    gone = memory.forget(the(memory, LEARNT))
    assert gone.similar == (kept.id,)
    assert talk(project) == ["[forgotten]", other]
    assert [one.content for one in memory.list()] == [kept.content]


def test_history_that_says_the_same_goes_and_other_history_stays(project: Path) -> None:
    texts = (
        "The gate for coverage of the invoice service is 80 percent",
        "The gate for coverage of the invoice service is 85 percent",
        "The coverage gate for the invoice service stays at 85 percent",
    )
    with closing(open_service(project, actor="cli")) as service:
        first, second, third = (service.add(Draft(content=text, trust="user")).id or "" for text in texts)
        for older, newer in ((first, second), (second, third)):
            if not service.peek(older).superseded:  # type: ignore[union-attr]  # it was just added
                service.supersede(older, newer)
        assert set(service.forget(third).ids) == {second, third}
        assert [one.id for one in service.list(Filters(), everything=True)] == [first]


def test_what_an_agent_may_not_cut_out_of_the_talk_is_proposed(project: Path, clock: FakeClock) -> None:
    with closing(open_service(project, actor="cli", clock=clock)) as service:
        session = service.start_session("claude-code").id
        service.record(session, Message(role="user", text=COMPLAINT))
        agent = service.acting_as(Actor("mcp", person=False, agent="claude-code"))
        noted = agent.add(Draft(content=LEARNT, trust="agent")).id or ""
        with pytest.raises(Proposed):
            agent.forget(noted)
        assert service.turns(session)[0].text == COMPLAINT
        assert service.forget(noted).sentences == 1


def test_a_service_without_backups_of_its_own_refuses_to_clean_them(memory: Holdfast, project: Path) -> None:
    with closing(open_service(project, actor="cli")) as service:
        hosted = Forgetter(service._scopes, service._settings.cleaner)
        with pytest.raises(InvalidInput, match="administrator"):
            hosted.one("1f2e3d4c", Actor("cli"), 0, Reach(backups=True))
