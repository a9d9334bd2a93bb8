"""`trust`, `backup`, `restore`, `doctor`, `reindex` and `init --fresh` as a person and a program use them."""

import io
import shutil
from pathlib import Path

import pytest

from tests.faults.hostile import change, plant
from tests.interfaces.cli.shell import Shell
from tests.secrets import GITHUB


def store(shell: Shell) -> Path:
    """Return the project's store."""
    return shell.project / ".holdfast" / "memory.db"


def test_a_foreign_store_ends_in_one_line_with_both_ways_on(shell: Shell) -> None:
    plant(shell.project)
    for arguments in (["list"], ["add", "x"], ["search", "x"], ["backup"], ["reindex"]):
        assert shell(*arguments, code=6) == ""
        assert "`holdfast trust`" in shell.err
        assert len(shell.err.strip().splitlines()) == 1


def test_trust_says_what_was_taken_and_what_was_left(shell: Shell) -> None:
    plant(shell.project)
    assert shell("trust", "--dry-run").startswith("Would take 3 memories as unconfirmed imports.\n")
    out = shell("trust")
    assert "Took 3 memories as unconfirmed imports." in out
    assert "Left 1: superseded there." in out
    assert "memory.db.untrusted-" in out
    assert "candidate" in shell("list")
    assert shell("trust") == "You made this store; there is nothing to take over.\n"
    assert shell.json("trust") is None


def test_trust_own_keeps_a_copy_as_it_is(shell: Shell, tmp_path: Path) -> None:
    shell("add", "My rule")
    copy = tmp_path / "copy"
    shutil.copytree(shell.project, copy)
    shell.project = copy
    assert "Took 1 memories, 0 sessions and 0 turns, as they are." in shell("trust", "--own")
    assert "confirmed" in shell("list")


def test_trust_config_obeys_the_file_and_says_which_keys(shell: Shell) -> None:
    file = shell.project / ".holdfast" / "config.toml"
    file.parent.mkdir()
    file.write_text('[user]\nname = "ada"\n')
    assert "obeyed as they stand: user.name" in shell("trust", "--config")
    assert shell.json("trust", "--config") == {"obeyed": []}
    shell("trust", "--config", "--own", code=2)
    assert "--config: goes alone." in shell.err


def test_backup_and_restore_for_people_and_programs(shell: Shell, tmp_path: Path) -> None:
    shell("add", "Keep me")
    assert "and checked" in shell("backup")
    made = shell.json("backup", "--output", str(tmp_path / "copy.db"))
    assert (made["path"], made["label"]) == (str(tmp_path / "copy.db"), "manual")
    [listed] = shell.json("backup", "--list")
    assert listed["path"] in shell("restore", "--list")
    shell("add", "Later")
    assert "Restored 1 memory from" in shell("restore", "--yes")
    assert "Later" not in shell("list")
    done = shell.json("restore", str(tmp_path / "copy.db"), "--yes")
    assert (done["memories"], done["backup"]) == (1, str(tmp_path / "copy.db"))


def test_restore_asks_before_it_replaces_a_store(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell("add", "Keep me")
    shell("backup")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    shell("restore", code=2)
    assert "--yes: is needed" in shell.err
    shutil.rmtree(shell.project / ".holdfast")
    shell("list", code=6)
    assert "`holdfast restore` brings it back" in shell.err
    assert "Restored 1 memory" in shell("restore")


def test_restore_without_any_standard_input_asks_for_yes(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.add("The importer skips empty lines")
    shell("backup")
    monkeypatch.setattr("sys.stdin", None)
    shell("restore", code=2)
    assert "--yes: is needed" in shell.err


def test_without_a_backup_restore_says_so(shell: Shell) -> None:
    shell("restore", "--list")
    assert "There is no backup yet." in shell.err
    shell("restore", "--yes", code=6)
    assert "There is no usable backup" in shell.err


def test_init_fresh_lets_a_lost_store_go(shell: Shell) -> None:
    shell("add", "Old")
    shell("backup")
    shutil.rmtree(shell.project / ".holdfast")
    shell("init", code=6)
    shell("init", "--fresh")
    assert shell("list") == ""
    shell("init", "--fresh", code=2)
    assert "a store is here, and it works" in shell.err


def test_doctor_answers_with_its_exit_code(shell: Shell) -> None:
    """0 when all is well, 8 when something is not, 0 again once it is repaired."""
    shell("add", "Something to index")
    assert "✓ integrity:" in shell("doctor")
    change(store(shell), "DELETE FROM change")
    out = shell("doctor", code=8)
    assert "✗ change-log: 1 rows" in out
    assert "→ `holdfast doctor --repair`" in out
    assert "Repaired: made the change log fit the rows." in shell("doctor", "--repair")
    found = shell.json("doctor")
    assert sorted(found) == ["diagnoses", "lost", "place", "repaired"]
    assert {tuple(sorted(one)) for one in found["diagnoses"]} == {("advice", "message", "name", "severity")}


def test_doctor_redacts_what_older_rules_let_through(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the project's store or of one's own, with a count of each sort; once done there is nothing left to do."""
    monkeypatch.setenv("HOLDFAST_REDACT_ALLOW", "/.*/")
    shell("add", f"The key is {GITHUB}")
    shell("add", f"My key is {GITHUB}", "--user")
    shell("search", GITHUB)
    monkeypatch.delenv("HOLDFAST_REDACT_ALLOW")
    assert GITHUB.encode() in store(shell).read_bytes()
    out = shell("doctor", "--scan-secrets")
    assert out.startswith("Redacted in 1 memories, 1 queries, of 1 rows: github-token 2×.\nBackups made before")
    assert not any(GITHUB.encode() in file.read_bytes() for file in store(shell).parent.iterdir())
    assert shell("doctor", "--scan-secrets") == "Looked through 1 rows: no secrets.\n"
    found = shell.json("doctor", "--scan-secrets", "--user")
    assert (found["memories"], found["found"]) == (1, {"github-token": 1})
    assert {one["title"] for one in shell.json("list")} == {
        "The key is [REDACTED:github-token]",
        "My key is [REDACTED:github-token]",
    }
    shell("doctor", "--scan-secrets", "--repair", code=2)
    assert "--scan-secrets: goes alone." in shell.err
    monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    shell("doctor", "--scan-secrets", code=7)


def test_reindex_says_how_many(shell: Shell) -> None:
    shell("add", "One")
    shell("add", "Two")
    assert shell("reindex") == "Indexed 2 rows anew.\nEvery memory and turn has its vectors.\n"
    found = shell.json("reindex")
    assert (found["rows"], sorted(found)) == (2, ["embedding", "rows"])
    assert shell("reindex", "--pending") == "Every memory and turn has its vectors.\n"
    assert shell("search", "two")


def test_reindex_replaces_the_vectors_of_the_store_it_names(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """And `--pending` none at all."""
    shell("add", "Here")
    shell("add", "Everywhere", "--user")
    shell("reindex")
    shell("add", "Waits")
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "minilm")
    assert "the vectors are of hashing-fnv1a-v1" in shell("reindex", "--pending", code=9)
    found = shell.json("reindex")["embedding"]
    assert (found["kept"], found["waiting"]) == ("all-MiniLM-L6-v2-int8", {"memory": 0, "turn": 0})
    assert "`holdfast reindex --user` makes those of all-MiniLM-L6-v2-int8" in shell("status")
    assert shell.json("reindex", "--user")["embedding"]["kept"] == "all-MiniLM-L6-v2-int8"


def test_searching_by_meaning_alone_where_it_cannot_be_has_its_own_exit_code(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shell("search", "x", "--mode", "vector") == ""
    shell("add", "Here")
    shell("reindex")
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "remote")
    shell("search", "here", "--mode", "vector", code=9)
    assert "no searching by meaning just now: embedding.remote_model is needed" in shell.err
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "none")
    shell("search", "here", "--mode", "vector", code=2)


def test_the_user_s_own_store_is_looked_after_as_well(shell: Shell) -> None:
    shell("add", "Everywhere", "--user")
    assert "and checked" in shell("backup", "--user")
    assert "✓ full-text: 1 rows are indexed" in shell("doctor", "--user")
    assert shell("reindex", "--user") == "Indexed 1 rows anew.\nEvery memory and turn has its vectors.\n"
    assert "Restored 1 memory" in shell("restore", "--user", "--yes")


def test_a_store_that_can_only_be_read_is_said_on_the_side(shell: Shell) -> None:
    shell("add", "From the future")
    change(store(shell), "PRAGMA user_version = 99")
    assert "From the future" in shell("list")
    assert "upgrade holdfast to write to it" in shell.err
    assert len(shell.json("list")) == 1
    shell("add", "No", code=6)


def test_commands_for_a_store_say_when_there_is_none(shell: Shell) -> None:
    for name in ("trust", "backup", "reindex"):
        shell(name, code=2)
        assert "there is no store at" in shell.err
        assert "`holdfast init` makes one" in shell.err
