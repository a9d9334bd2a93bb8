"""Learning from the history on the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import Holdfast
from holdfast.judge import Judge
from tests.ingest.git.repositories import Repository
from tests.interfaces.cli.shell import Shell, at_terminal
from tests.judges import ScriptedJudge, lasting

RETRIES = "fix: cap the retries\n\nMAX_ATTEMPTS is exactly 7, because an eighth attempt trips the limiter."


@pytest.fixture
def repository(shell: Shell) -> Repository:
    return Repository(shell.project)


def test_the_history_is_read_once_and_told(shell: Shell, repository: Repository) -> None:
    first = repository.commit(RETRIES)
    repository.commit("wip")
    repository.commit(f'Revert "fix: cap the retries"\n\nThis reverts commit {first}.')
    assert shell("ingest", "git", "--dry-run").splitlines()[0] == "Would read 3 commits of main (0 known already)."
    assert not (shell.project / ".holdfast").exists()
    assert shell("ingest", "git").splitlines() == [
        "Read 3 commits of main (0 known already).",
        "2 are evidence, 2 became memories.",
        "1 took the place of what earlier ones said.",
        "Passed over 1: says nothing.",
        "Learnt: 1 change.",
        '  Revert "fix: cap the retries"',
        "1 of it unconfirmed: `holdfast review --imported` goes through it.",
    ]
    told = shell.json("ingest", "git")
    assert (told["known"], told["evidence"], told["memories"]) == (2, 0, 0)


def test_bounds_are_obeyed_and_wrong_ones_named(shell: Shell, repository: Repository) -> None:
    for number in range(3):
        repository.commit(f"fix: handle case number {number} of many")
    assert shell.json("ingest", "git", "--max", "2")["commits"] == 2
    assert shell.json("ingest", "git", "--since", "2099-01-01")["commits"] == 0
    shell("ingest", "git", "--max", "0", code=2)
    assert "--max" in shell.err
    shell("ingest", "git", "--since", "whenever", code=2)
    assert "--since" in shell.err


def test_a_branch_of_a_linked_worktree_is_the_one_read(
    shell: Shell, repository: Repository, tmp_path: Path
) -> None:
    """The memory is the project's, the branch that of the checkout."""
    repository.commit("fix: what is on the main branch")
    repository.git("branch", "topic")
    repository.commit("fix: what is on the topic branch", branch="topic")
    repository.git("worktree", "add", "-q", str(tmp_path / "linked"), "topic")
    from holdfast.interfaces.cli.main import run

    assert run(["ingest", "git", "--project", str(tmp_path / "linked")]) == 0
    titles = {one["title"]: one["branch"] for one in shell.json("list")}
    assert titles == {"fix: what is on the main branch": "topic", "fix: what is on the topic branch": "topic"}


def test_a_folder_without_git_is_a_mistake_and_a_broken_repository_a_failure(shell: Shell) -> None:
    shell("ingest", "git", code=2)
    assert "is in no git repository" in shell.err
    Repository(shell.project)
    (shell.project / ".git" / "HEAD").write_text("ref: nonsense\n")
    shell("ingest", "git", code=12)
    assert "Git could not be asked" in shell.err


def test_a_person_at_a_terminal_sees_progress(shell: Shell, repository: Repository) -> None:
    repository.commit(RETRIES)
    code, screen = at_terminal("ingest", "git", "--project", str(shell.project))
    assert code == 0
    assert "Reading commits" in screen


def test_files_are_read_once_and_again_when_they_change(shell: Shell) -> None:
    (shell.project / "guide.md").write_text("# Retries\n\nSeven attempts.\n")
    (shell.project / "large.md").write_bytes(b"x" * 102_401)
    assert shell("ingest", "files").splitlines() == [
        "Read 1 of 2 files: 1 sections added.",
        "Left out large.md: is larger than 100 KB.",
        "Learnt: 1 fact.",
        "  guide.md › Retries",
        "1 of it unconfirmed: `holdfast review --imported` goes through it.",
    ]
    assert shell("watch", "--once").splitlines()[0] == "Read 0 of 2 files: nothing new."
    (shell.project / "guide.md").unlink()
    assert shell("watch", "--once").splitlines()[0] == "Read 1 of 2 files: 1 hidden, their file is gone."
    assert shell.json("search", "seven attempts") == []


def test_folders_can_be_left_out_by_a_setting(shell: Shell) -> None:
    (shell.project / "drafts").mkdir()
    (shell.project / "drafts" / "a.md").write_text("Not ready.\n")
    shell("config", "set", "index.exclude", "drafts/")
    assert shell.json("ingest", "files")["files"] == 0


def test_past_sessions_are_read_once_and_told(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.ingest.transcripts.recordings import Recordings, age

    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    recordings = Recordings(tmp_path / "home", shell.project)
    recordings.put()
    assert shell("ingest", "transcripts", "--dry-run").splitlines()[:2] == [
        "Would read 5 transcripts: 5 sessions and 1 of helpers with something new.",
        "25 turns are evidence.",
    ]
    assert not (shell.project / ".holdfast").exists()
    age(recordings.codex, 3_600)
    assert shell.json("ingest", "transcripts", "--since", "30m", "--agent", "codex")["transcripts"] == 0
    assert shell.json("ingest", "transcripts", "--agent", "codex")["agents"] == {"codex": 1}
    assert shell.json("ingest", "transcripts")["turns"] == 21
    assert shell("ingest", "transcripts").splitlines() == ["Read 5 transcripts: 0 sessions with something new."]
    assert "claude-code/general-purpose" in shell("session", "list")


def test_named_transcripts_are_read_and_anything_else_is_named(shell: Shell, tmp_path: Path) -> None:
    from tests.ingest.transcripts.recordings import RECORDED

    files = [str(RECORDED / name) for name in ("codex-rollout.jsonl", "claude-subagent.jsonl", "opencode.db")]
    assert shell.json("ingest", "transcripts", *files)["agents"] == {
        "codex": 1,
        "claude-code/general": 1,
        "opencode": 1,
    }
    other = tmp_path / "notes.jsonl"
    other.write_text('{"content": "no transcript"}\n')
    shell("ingest", "transcripts", str(other), code=2)
    assert "is no transcript" in shell.err
    shell("ingest", "transcripts", str(tmp_path / "none.jsonl"), code=2)
    assert "is no file" in shell.err


def test_one_bad_thing_is_named_and_holds_up_nothing(
    shell: Shell, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.ingest.transcripts.recordings import Recordings

    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (shell.project / "good.md").write_text("# Retries\n\nSeven attempts.\n")
    (shell.project / "bad.md").write_bytes(b"# Bad\n\n\xff\xfe\n")
    assert "1 sections added" in shell("ingest", "files", code=15)
    assert "bad.md: is not UTF-8 (byte 7)." in shell.err
    assert shell.json("ingest", "files", code=15)["unread"] == {"bad.md": "is not UTF-8 (byte 7)"}
    repository.commit(RETRIES)
    broken = repository.commit("fix: what cannot be read any more")
    repository.commit("fix: what can be read again")
    repository.lose(f"{broken}^{{tree}}")
    assert "1 are evidence" in shell("ingest", "git", code=15)
    assert f"{broken}: fatal: unable to read tree" in shell.err
    recordings = Recordings(tmp_path / "home", shell.project)
    recordings.put()
    recordings.touch("x/" * 700 + "f.py")
    assert shell.json("ingest", "transcripts")["skipped"] == {}
    other = tmp_path / "notes.jsonl"
    other.write_text('{"content": "no transcript"}\n')
    told = shell.json("ingest", "transcripts", str(recordings.codex), str(other), code=15)
    assert list(told["skipped"]) == [str(other)]


def test_what_was_taken_in_is_embedded_at_once_unless_told_otherwise(shell: Shell, repository: Repository) -> None:
    repository.commit(RETRIES)
    assert shell.json("ingest", "git", "--no-embed")["learnt"]["unembedded"] == 2
    (shell.project / "good.md").write_text("# Retries\n\nSeven attempts.\n")
    learnt = shell.json("ingest", "files")["learnt"]
    assert (learnt["embedded"], learnt["unembedded"]) == (3, 0)
    assert shell.json("stats")["embedding"]["waiting"] == {"memory": 0, "turn": 0}


def test_only_the_first_of_many_bad_things_are_named(shell: Shell) -> None:
    for number in range(7):
        (shell.project / f"bad{number}.md").write_bytes(b"\xff\n")
    shell("ingest", "files", code=15)
    assert shell.err.count("is not UTF-8") == 5
    assert "and 2 more" in shell.err


def test_what_judging_again_took_comes_back_by_the_id_that_is_printed(
    shell: Shell, use_judge: Callable[[Judge], None]
) -> None:
    use_judge(ScriptedJudge({"lunch": lasting()}))
    with Holdfast.open(shell.project) as memory, memory.start_session() as session:
        session.record("user", "The lunch menu of today is on the archive page.")
    use_judge(ScriptedJudge())
    line, summary = shell("learn", "--again", "--yes").splitlines()
    sign, short_id, text = line.split(maxsplit=2)
    assert (sign, text) == ("-", "The lunch menu of today is on the archive page.")
    assert summary == "1 sessions: 1 memories gone, 0 new."
    assert json.loads(shell("supersede", short_id, "--undo", "--json"))["valid_until"] is None
