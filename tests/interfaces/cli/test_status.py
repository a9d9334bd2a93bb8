"""Status: one screen that says where one stands."""

import shutil
from pathlib import Path

import pytest

from holdfast import judge
from tests.interfaces.cli.shell import Shell


def test_status_before_there_is_a_store_makes_none(shell: Shell) -> None:
    text = shell("status")
    assert "none yet; the first `holdfast add` makes" in text
    assert shell.json("status")["store"] is None
    assert list(shell.project.iterdir()) == []


def test_status_counts_both_stores_and_names_the_checkout(shell: Shell) -> None:
    git = shell.project / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/topic\n")
    short = shell.add("Here")
    shell("pin", short)
    shell.add("Everywhere", "--user")
    text = shell("status")
    assert "branch       topic\n" in text
    assert "memories     1 current, 1 pinned, 0 unconfirmed, 0 superseded, 0 expired, 0 faded\n" in text
    assert "your own     1 current, 0 pinned" in text
    assert "memory       on\n" in text
    assert "last backup  none\n" in text


def test_status_names_the_last_backup(shell: Shell) -> None:
    shell.add("Kept")
    shell("backup")
    assert "(manual)" in shell("status")
    assert shell.json("status")["backup"]["count"] == 1


def test_status_says_what_switched_memory_off(shell: Shell) -> None:
    shell("pause")
    assert "off: it is paused for this project" in shell("status")
    assert "paused" in shell.json("status")["off"]


def test_status_names_the_settings_files_and_what_is_not_obeyed(shell: Shell) -> None:
    place = shell.project / ".holdfast"
    place.mkdir()
    (place / "config.toml").write_text('[user]\nname = "mallory"\n[search]\nfloor = 0.2\n')
    text = shell("status")
    assert "config.toml (not yours: only harmless keys are obeyed)" in text
    assert "not obeyed" in text
    status = shell.json("status")
    assert status["ignored_settings"] == ["user.name"]
    assert [(one["origin"], one["exists"], one["vouched"]) for one in status["config_files"]] == [
        ("user", False, True),
        ("project", True, False),
    ]


def test_status_says_that_hooks_make_no_store_without_git(shell: Shell, project: Path) -> None:
    why = f"{project.resolve()} is no git work tree"
    assert shell.json("status")["hooks_off"] == why
    line = f"make no store here, because {why}; `holdfast init` makes one, and they record from then on"
    assert line in shell("status")
    shell("init")
    assert shell.json("status")["hooks_off"] is None
    assert "hooks  " not in shell("status")


def test_status_says_nothing_of_hooks_in_a_work_tree(shell: Shell) -> None:
    (shell.project / ".git").mkdir()
    (shell.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert shell.json("status")["hooks_off"] is None


def test_a_settings_file_of_a_clone_that_cannot_be_used_is_named_with_its_line(shell: Shell) -> None:
    place = shell.project / ".holdfast"
    place.mkdir(mode=0o700)
    (place / "config.toml").write_text("[search\n")
    [doubt] = shell.json("status")["settings_doubts"]
    assert f"(in {place.resolve()}/config.toml, line 1" in doubt
    assert doubt in shell("status")
    assert doubt in shell("doctor")


def test_a_misspelt_variable_is_named(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_SERCH_FLOOR", "0.3")
    assert "did you mean HOLDFAST_SEARCH_FLOOR?" in shell("status")


def test_a_store_that_cannot_be_opened_is_part_of_the_answer(shell: Shell) -> None:
    place = shell.project / ".holdfast"
    place.mkdir()
    (place / "memory.db").write_text("my diary")
    assert "is not a holdfast store" in shell("status")
    assert "is not a holdfast store" in shell.json("status")["problem"]


def test_status_names_versions(shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert list(shell.json("status")["versions"]) == ["holdfast", "python", "sqlite", "apsw"]


def test_status_says_what_waits_for_a_vector_and_why(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.add("Not embedded yet")
    assert "1 memory (`holdfast reindex --pending` makes them)" in shell("status")
    settings = {"MODEL": "remote", "URL": "http://127.0.0.1:9/v1", "REMOTE_MODEL": "x", "DIMENSIONS": "8"}
    for name, value in settings.items():
        monkeypatch.setenv(f"HOLDFAST_EMBEDDING_{name}", value)
    monkeypatch.setattr("holdfast.embedding.remote.RemoteEmbedder._wait", lambda *waited: 0.0)
    assert "did not answer" in shell("reindex", "--pending", code=9)
    assert "1 memory (since " in shell("status")
    assert "http://127.0.0.1:9/v1 did not answer" in shell("status")
    assert "did not answer" in shell.json("reindex", code=9)["embedding"]["problem"]


def test_status_says_what_an_embedder_lacks(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "remote")
    shell.add("Found by its words")
    assert "Found by its words" in shell("search", "words")
    assert shell("status").count("embedding.remote_model is needed") == 1
    assert shell("stats").count("embedding.remote_model is needed") == 1
    shell("reindex", code=9)
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", "none")
    shell("reindex")


def test_status_names_a_damaged_file_of_the_judge(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.add("Here")
    records = [shutil.copy(record, tmp_path) for record in judge.RECORDS]
    (tmp_path / "light.bin").write_bytes(b"flipped")
    monkeypatch.setattr(judge, "RECORDS", records)
    assert "light.bin of the judge of talk is missing or damaged; install holdfast again" in shell("status")


@pytest.mark.parametrize("model", ["none", "hashing", "minilm"])
def test_status_says_that_without_a_model_the_light_judge_reads_alone(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    monkeypatch.setenv("HOLDFAST_EMBEDDING_MODEL", model)
    shell.add("Here")
    notice = f"sessions are read by the light judge alone, as embedding.model is {model}"
    assert (notice in shell.json("status")["pending"]) == (model != "minilm")
