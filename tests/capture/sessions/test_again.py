"""Past sessions judged again: by another judge other statements last."""

from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.capture.sessions.again import rejudge, replace_findings
from holdfast.errors import SwitchedOff
from holdfast.judge import Judge
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.embedded import service_behind
from tests.judges import ScriptedJudge, lasting

RULE, CHATTER = "Invoices are never deleted from the archive.", "The lunch menu of today is on the archive page."
LATER = "Refunds are never paid in cash."


def opened(project: Path, clock: FakeClock, judge: Judge) -> Holdfast:
    return Holdfast(open_service(project, actor="python", clock=clock, judge=lambda: judge))


def kept(memory: Holdfast) -> set[str]:
    return {one.content for one in memory.list()}


def test_what_lasts_no_more_goes_and_what_is_new_comes_after_a_dry_run(project: Path, clock: FakeClock) -> None:
    with opened(project, clock, ScriptedJudge({"lunch": lasting()})) as memory:
        for text in (RULE, CHATTER):
            session = memory.start_session()
            session.record("user", text)
            session.end()
        assert kept(memory) == {CHATTER}
    with opened(project, clock, ScriptedJudge({"Invoices": lasting()})) as memory:
        service = memory._service
        dry = service.learn_again(dry_run=True)
        assert (dry.sessions, tuple(dry.gone.values()), dry.new, kept(memory)) == (
            2,
            (CHATTER,),
            (RULE,),
            {CHATTER},
        )
        done = service.learn_again()
        assert (tuple(done.gone.values()), done.new, kept(memory)) == ((CHATTER,), (RULE,), {RULE})
        assert service.learn_again() == type(done)(sessions=2, gone={}, new=(), dry_run=False)


def test_what_a_person_confirmed_stays(project: Path, clock: FakeClock) -> None:
    with opened(project, clock, ScriptedJudge({"lunch": lasting()})) as memory:
        session = memory.start_session()
        session.record("user", CHATTER)
        session.end()
        memory.confirm(memory.list()[0].id)
    with opened(project, clock, ScriptedJudge()) as memory:
        assert memory._service.learn_again().gone == {}
        assert kept(memory) == {CHATTER}


def test_what_was_said_while_reading_was_off_stays_unread(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = ScriptedJudge({"never": lasting(), "lunch": lasting()})
    off_rule = "Passwords are never logged by the gateway."
    for is_on, text in (("true", RULE), ("false", CHATTER), ("false", off_rule), ("true", LATER)):
        monkeypatch.setenv("HOLDFAST_CAPTURE_AUTO", is_on)
        with opened(project, clock, judge) as memory:
            memory.start_session(ref="one run").record("user", text)
            if is_on == "false":
                with memory.start_session() as session:
                    session.record("user", off_rule)
    with opened(project, clock, judge) as memory:
        memory.start_session(ref="one run").end()
        assert kept(memory) == {RULE, LATER}
        learnt = memory._service.learn_again()
        assert (learnt.sessions, learnt.gone, learnt.new, kept(memory)) == (3, {}, (), {RULE, LATER})


def test_nothing_is_judged_again_while_reading_is_off(
    project: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_CAPTURE_AUTO", "false")
    with opened(project, clock, ScriptedJudge()) as memory:
        for dry_run in (True, False):
            with pytest.raises(SwitchedOff, match=r"capture\.auto"):
                memory._service.learn_again(dry_run=dry_run)


def test_what_is_forgotten_between_judging_and_writing_does_not_come_back(project: Path, clock: FakeClock) -> None:
    with opened(project, clock, ScriptedJudge({"lunch": lasting()})) as memory:
        session = memory.start_session()
        session.record("user", RULE)
        session.record("user", CHATTER)
        session.end()
        store = service_behind(memory)._scopes.project
        rejudged = rejudge(
            store, service_behind(memory).session(session.id), ScriptedJudge({"Invoices": lasting()})
        )
        assert ([one.content for one in rejudged.gone], [one.content for one in rejudged.new]) == (
            [CHATTER],
            [RULE],
        )
        for text in (RULE, CHATTER):
            memory_id = memory.add(text, trust="user").id
            assert memory_id
            memory.forget(memory_id)
        replace_findings(store, rejudged, "test", clock.now())
        assert [
            one.content for one in store.findings.of(session.id, None, 9) if one.content in (RULE, CHATTER)
        ] == []
