"""`cleanup`, `prune`, `stats` and `status` for people."""

import pytest

from holdfast import Holdfast
from holdfast.interfaces.cli.commands import upkeep
from tests.interfaces.cli.shell import Shell, at_terminal


def add_old(shell: Shell) -> None:
    """Remember two things that agents said."""
    with Holdfast.open(shell.project) as memory:
        memory.add("The walrus queue drains", kind="fact", source="web")
        memory.add("The lynx parser stalls", kind="decision", source="web")


def test_prune_shows_first_what_would_go_and_why(shell: Shell) -> None:
    add_old(shell)
    out = shell("prune", "--source", "web", "--dry-run")
    assert "1 memories would go:" in out
    assert "from web" in out
    assert "The walrus queue drains" in out
    assert "1 stay: a decision." in out
    assert "walrus" in shell("list")


def test_prune_asks_unless_told_not_to(shell: Shell) -> None:
    add_old(shell)
    shell("prune", "--source", "web", code=2)
    assert "--yes" in shell.err
    assert "went" in shell("prune", "--source", "web", "--yes")
    assert "walrus" not in shell("list")
    assert "Nothing to prune." in shell("prune", "--source", "web", "--yes")


@pytest.mark.parametrize(("keys", "left"), [("y\r", 1), ("n\r", 2)])
def test_prune_at_a_terminal_takes_an_answer(shell: Shell, keys: str, left: int) -> None:
    add_old(shell)
    code, screen = at_terminal("prune", "--source", "web", "--project", str(shell.project), keys=keys)
    assert code == 0, screen
    assert "Delete these 1?" in screen
    assert len(shell.json("list")) == left


def test_an_age_is_in_days_weeks_or_years(shell: Shell, subtests: pytest.Subtests) -> None:
    for age in ["0", "0d", "0w"]:
        with subtests.test(age=age):
            add_old(shell)
            assert len(shell.json("prune", "--older-than", age, "--dry-run")["gone"]) == 1
            assert shell.json("prune", "--older-than", "8w", "--dry-run")["gone"] == []
            shell("prune", "--older-than", "soon", code=2)
            assert "--older-than" in shell.err


def test_prune_needs_to_be_told_what(shell: Shell) -> None:
    shell("add", "Something")
    shell("prune", code=2)
    assert "an age in days, a score or a source" in shell.err


def test_cleanup_says_what_it_did_and_how_much_is_used(shell: Shell) -> None:
    add_old(shell)
    assert "Nothing would go." in shell("cleanup", "--dry-run")
    out = shell("cleanup")
    assert "Nothing had to go." in out
    assert "the limit is 500.0 MB" in out


def test_cleanup_merges_what_says_the_same_and_names_it(shell: Shell) -> None:
    with Holdfast.open(shell.project) as memory:
        first = memory.add("On startup the importer skips empty lines", kind="fact").id
        second = memory.add("The importer skips empty lines on startup", kind="fact").id
    assert first
    assert second
    out = shell("cleanup", "--dry-run")
    assert "1 memories would become history of one that says the same:" in out
    assert first[-8:] in out
    assert second[-8:] in out
    assert "1 memories became history" in shell("cleanup")
    assert len(shell.json("list")) == 1
    assert len(shell.json("list", "--all")) == 2
    shell("supersede", "--undo", second)
    assert len(shell.json("list")) == 2


def test_cleanup_says_how_many_mergers_it_does_not_show(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "MOST_MERGED", 1)
    with Holdfast.open(shell.project) as memory:
        memory.add("On startup the importer skips empty lines", kind="fact")
        memory.add("The importer skips empty lines on startup", kind="fact")
        memory.add("In production the gateway rejects unsigned tokens", kind="fact")
        memory.add("The gateway rejects unsigned tokens in production", kind="fact")
    assert "2 memories became history" in shell("cleanup")
    assert "… and 1 more such; --json names all of them." in shell.err


def test_stats_show_usage_index_and_totals(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    add_old(shell)
    out = shell("stats")
    assert "% of 500.0 MB" in out
    assert "2 of 2 rows by words" in out
    assert "0 promotions, 0 evictions, 0 reads" in out
    assert "0 of 3,000 by themselves" in out
    assert "size limit is used" not in out
    monkeypatch.setattr("holdfast.model.records.WARN_FROM", 0.0)
    assert "size limit is used" in shell("stats")
    assert "size limit is used" in shell("status")


def test_status_shows_usage_and_the_last_upkeep(shell: Shell) -> None:
    add_old(shell)
    out = shell("status")
    assert "░" in out
    assert "upkeep" in out
    assert "0 faded" in out
