"""What switches memory off, in every way there is, and what then still works."""

import stat
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.errors import SwitchedOff
from holdfast.machine import environment


@pytest.fixture
def root(project: Path) -> str:
    return str(project)


def test_memory_is_on_unless_somebody_switched_it_off(root: str) -> None:
    assert environment.off_because(root) is None


SWITCHES = (
    ("1", True),
    ("yes", True),
    ("0", False),
    ("", False),
    ("FALSE", False),
)


def test_the_variable_switches_off_unless_it_says_no(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = []
    for value, off in SWITCHES:
        monkeypatch.setenv("HOLDFAST_DISABLE", value)
        if bool(environment.off_because(root)) is not off:
            wrong.append(value)
    assert wrong == []


def test_a_pause_holds_for_one_project_until_it_is_taken_back(root: str, tmp_path: Path) -> None:
    environment.pause(root)
    assert "paused for this project" in (environment.off_because(root) or "")
    assert environment.off_because(str(tmp_path)) is None
    environment.resume(root)
    environment.resume(root)
    assert environment.off_because(root) is None


def test_a_pause_everywhere_holds_for_every_project(root: str) -> None:
    environment.pause(None)
    assert "paused everywhere" in (environment.off_because(root) or "")
    environment.resume(root)
    assert environment.off_because(root)
    environment.resume(None)
    assert environment.off_because(root) is None


def test_a_pause_is_known_by_the_real_path(root: str, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(root)
    environment.pause(str(link))
    assert environment.off_because(root)


def test_a_pause_is_private(root: str, tmp_path: Path) -> None:
    environment.pause(root)
    [marker] = (tmp_path / "data" / "paused").iterdir()
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data", marker.parent, marker)]
    assert modes == [0o700, 0o700, 0o600]


def test_every_writing_verb_refuses_and_every_reading_one_works(project: Path) -> None:
    """The pause reaches a service that is open already, and reading leaves no trace while it lasts."""
    with Holdfast.open(project) as memory:
        kept = memory.add("The queue is Redis", kind="decision").id or ""
        session = memory.start_session()
        environment.pause(str(project))
        for write in (
            lambda: memory.add("x"),
            lambda: memory.add_many([{"content": "x"}]),
            lambda: memory.update(kept, title="x"),
            lambda: memory.pin(kept),
            lambda: memory.unpin(kept),
            lambda: memory.confirm(kept),
            lambda: memory.supersede(kept, kept),
            lambda: memory.forget(kept),
            memory.start_session,
            lambda: session.record("user", "x"),
            session.end,
        ):
            with pytest.raises(SwitchedOff, match="paused for this project"):
                write()
        assert [hit.id for hit in memory.search("queue")] == [kept]
        assert [one.reads for one in memory.get(kept)] == [0]
        assert memory.stats().counts.accesses == 0
        environment.resume(str(project))
        assert [one.reads for one in memory.get(kept)] == [1]


def test_opening_makes_no_store_while_memory_is_off(project: Path) -> None:
    environment.pause(str(project))
    with Holdfast.open(project) as memory:
        assert memory.list() == []
        with pytest.raises(SwitchedOff):
            memory.add("x")
    assert list(project.iterdir()) == []


def test_a_repository_may_switch_memory_off_but_not_on_again(project: Path, tmp_path: Path) -> None:
    """The user's own `false` stays, whatever a cloned file says."""
    (tmp_path / "config").mkdir()
    own = tmp_path / "config" / "config.toml"
    theirs = project / ".holdfast" / "config.toml"
    theirs.parent.mkdir()
    for mine, repository, off in (("true", "false", True), ("false", "true", True), ("true", "true", False)):
        own.write_text(f"[project]\nenabled = {mine}\n")
        theirs.write_text(f"[project]\nenabled = {repository}\n")
        with Holdfast.open(project) as memory:
            if off:
                with pytest.raises(SwitchedOff, match=r"project\.enabled is false"):
                    memory.add("x")
            else:
                assert memory.add("x").created
