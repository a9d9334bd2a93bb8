"""Forgetting follows what was derived from what: turn → finding → memory, summary, fork."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.capture.derivation import mask_spans
from holdfast.interfaces.python import SessionHandle
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.faults.processes import raw_bytes
from tests.judges import ScriptedJudge, lasting

pytestmark = pytest.mark.usefixtures("keyword_judge")

WORD = "Zanzibarquokka"
RULE = f"Settled: {WORD} uploads are capped at 25 MB, never more."
OTHER = "Final policy: sessions end after eight hours, whatever happens."


@pytest.fixture
def memory(project: Path) -> Iterator[Holdfast]:
    """An open project."""
    with Holdfast.open(project) as opened:
        yield opened


def ended(memory: Holdfast, *texts: str) -> SessionHandle:
    session = memory.start_session()
    for text in texts:
        session.record("user", text)
    session.end()
    return session


def the(memory: Holdfast, content: str) -> str:
    return next(one.id for one in memory.list() if one.content == content)


def holds(project: Path, word: str = WORD) -> bool:
    return word.lower().encode() in raw_bytes(project).lower()


def test_the_evidence_is_masked_the_finding_goes_and_the_summary_is_made_anew(
    memory: Holdfast, project: Path
) -> None:
    session = ended(memory, f"Some words first. {RULE} And some after.", OTHER)
    gone = memory.forget(the(memory, RULE))
    assert gone.masked_turns == 1
    assert [turn.text for turn in session.turns()] == ["Some words first. [forgotten] And some after.", OTHER]
    assert [one.content for one in session.findings()] == [OTHER]
    assert session.session.summary == f"Goal: Some words first.\nDecided: {OTHER}"
    assert not holds(project)


def test_what_was_forgotten_is_not_found_again_in_another_session(memory: Holdfast, project: Path) -> None:
    ended(memory, RULE)
    memory.forget(the(memory, RULE))
    session = ended(memory, f"{OTHER}\n\n{RULE}")
    assert [one.content for one in session.findings()] == [OTHER]
    assert [one.content for one in memory.list()] == [OTHER]


def test_a_forks_copy_goes_with_it(memory: Holdfast, project: Path) -> None:
    session = memory.start_session()
    session.record("user", RULE)
    child = session.fork()
    session.end()
    child.end()
    memory.forget(the(memory, RULE))
    assert (session.findings(), child.findings()) == ([], [])
    assert (session.session.summary, child.session.summary) == ("", "")
    assert not holds(project)


def test_a_finding_of_the_same_turn_points_to_where_its_words_stand_now(memory: Holdfast) -> None:
    """So that forgetting it later masks the right characters."""
    session = ended(memory, f"{RULE}\n\nA note in between.\n\n{OTHER}")
    memory.forget(the(memory, RULE))
    [finding] = session.findings()
    [turn] = session.turns()
    [place] = finding.evidence
    assert turn.text[place.start : place.end] == OTHER
    memory.forget(the(memory, OTHER))
    assert [turn.text for turn in session.turns()] == ["[forgotten]\n\nA note in between.\n\n[forgotten]"]


def test_what_a_person_added_by_hand_takes_the_findings_that_hold_it(memory: Holdfast, project: Path) -> None:
    session = ended(memory, f"Settled: {WORD} uploads are capped at 25 MB, on all plans.")
    words = f"{WORD} uploads are capped at 25 MB"
    memory.add(words, trust="user")
    memory.forget(the(memory, words))
    assert session.findings() == []
    [promoted] = memory.list()
    assert promoted.content == "Settled: [forgotten], on all plans."
    assert not holds(project)


def test_an_error_takes_the_fix_that_quotes_it(memory: Holdfast, project: Path) -> None:
    session = memory.start_session()
    session.record("tool", f"KeyError: the {WORD} importer read a row without a country", tool="Bash")
    session.record("user", "The root cause was the summary row of the importer without a country.")
    session.end()
    [fixed] = memory.list()
    assert fixed.kind == "bugfix"
    memory.forget(fixed.id)
    assert [turn.text for turn in session.turns()] == ["[forgotten]", "[forgotten]"]
    assert session.findings() == []
    assert not holds(project)


def test_a_session_takes_its_findings_and_what_its_forks_made_of_them(memory: Holdfast, project: Path) -> None:
    session = memory.start_session()
    session.record("user", RULE)
    child = session.fork()
    child.record("user", OTHER)
    child.end()
    assert len(memory.list()) == 2
    gone = memory.forget_where(session=session.id)
    assert len(gone.ids) == 1
    assert [one.content for one in memory.list()] == [OTHER]
    assert [one.content for one in child.findings()] == [OTHER]
    assert not holds(project)


def test_a_repetition_in_other_words_goes_with_the_rule_that_it_made(project: Path, clock: FakeClock) -> None:
    """Neither is kept alone; the judge knows that both say the same."""
    doubtful = {"provider": lasting(0.5, working=0.9), "After": lasting(0.5)}
    judge = ScriptedJudge(doubtful, {("provider", "give up"): "same"})
    with Holdfast(open_service(project, actor="python", clock=clock, judge=lambda: judge)) as memory:
        first = ended(memory, f"Give up after the fifth {WORD} retry, since the provider bans us.")
        second = ended(memory, f"After the fifth {WORD} retry we give up.")
        [rule] = memory.list()
        assert rule.status == "confirmed"
        memory.forget(rule.id)
        assert [turn.text for one in (first, second) for turn in one.turns()] == ["[forgotten]", "[forgotten]"]
        assert not holds(project)


def test_masks_take_the_place_of_the_characters() -> None:
    assert mask_spans("abcdef", [(1, 2), (4, 6)]) == "a[forgotten]cd[forgotten]"
    assert mask_spans("abc", []) == "abc"
