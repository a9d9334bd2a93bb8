"""Git is asked safely: nothing of a repository is run, and nothing of the surroundings leads astray."""

import stat
from pathlib import Path

import psutil
import pytest

from holdfast.errors import GitFailed
from holdfast.ingest.git import commit_ids, commits, git, lines
from tests.ingest.git.repositories import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def read(repository: Repository) -> list[str]:
    """Return the subjects of a repository's commits."""
    ids = commit_ids(repository.path, 100, None)
    return [one.subject for one in commits(repository.path, ids)]


def test_nothing_that_a_repository_configures_is_run(repository: Repository, tmp_path: Path) -> None:
    """Pagers, hooks, external diffs, text converters, monitors, signature checks: each would leave a trace."""
    trace = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\necho $0 $@ >> {trace}\ncat\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    for key in (
        "core.pager", "pager.log", "core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command",
        "gpg.program", "core.sshCommand", "core.askPass", "credential.helper", "core.editor", "alias.log",
    ):  # fmt: skip
        repository.git("config", key, str(script))
    repository.git("config", "log.showSignature", "true")
    repository.git("config", "core.hooksPath", str(tmp_path))
    (repository.path / ".gitattributes").write_text("*.txt diff=evil\n")
    for hook in ("post-index-change", "reference-transaction"):
        (tmp_path / hook).symlink_to(script)
    repository.commit("One thing that was done")
    trace.unlink(missing_ok=True)
    assert read(repository) == ["One thing that was done"]
    assert not trace.exists()


def test_hostile_messages_and_names_are_data(repository: Repository) -> None:
    """Whatever stands in them ends neither a record nor a field."""
    subject = "$(touch /tmp/x) `id` --exec=evil \x1b[31m %H%x00 \u202e"
    repository.commit(
        f"{subject}\n\n\x01abc\ncommit 1234\nAuthor: nobody", "a b.txt", "-n", "$(id).md", "n\ttab.md"
    )
    [commit] = commits(repository.path, commit_ids(repository.path, 10, None))
    assert commit.subject == subject
    assert commit.body == "\x01abc\ncommit 1234\nAuthor: nobody"
    assert commit.files == ("$(id).md", "-n", "a b.txt", "n\ttab.md")


def test_bytes_that_are_no_utf_8_are_replaced(repository: Repository) -> None:
    repository.commit("latin \udce9 text says something")
    assert read(repository) == ["latin � text says something"]


def test_variables_of_the_surroundings_lead_to_no_other_repository(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a git hook, where GIT_DIR is set."""
    other = Repository(tmp_path / "other")
    other.commit("From the other repository")
    repository.commit("From this repository")
    monkeypatch.setenv("GIT_DIR", str(other.path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.path))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "false")
    assert read(repository) == ["From this repository"]


def test_a_repository_without_commits_has_none(repository: Repository) -> None:
    assert commit_ids(repository.path, 10, None) == []


def test_asked_for_no_commits_git_is_not_asked(repository: Repository) -> None:
    """It would take an empty list for HEAD."""
    repository.commit("One thing that was done")
    assert list(commits(repository.path, [])) == []


def test_merges_are_left_out_and_the_oldest_comes_first(repository: Repository) -> None:
    repository.commit("First of all things")
    repository.git("branch", "topic")
    repository.commit("On the topic branch", branch="topic")
    repository.commit("Meanwhile on main")
    tree = repository.git("rev-parse", "main^{tree}")
    merge = repository.git(
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit-tree",
        tree,
        "-p",
        "main",
        "-p",
        "topic",
        "-m",
        "Merge",
    )
    repository.git("update-ref", "refs/heads/main", merge)
    subjects = read(repository)
    assert subjects[0] == "First of all things"
    assert set(subjects) == {"First of all things", "On the topic branch", "Meanwhile on main"}


def test_only_as_many_and_as_new_as_asked(repository: Repository) -> None:
    ids = [repository.commit(f"Commit number {number}") for number in range(5)]
    assert commit_ids(repository.path, 2, None) == ids[-2:]
    [third] = commits(repository.path, ids[2:3])
    assert commit_ids(repository.path, 100, third.at) == ids[2:]


def test_a_refusal_of_git_is_an_error_with_gits_own_words(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="not a git repository"):
        lines(tmp_path, "log")


def test_a_missing_git_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(GitFailed, match="cannot be started"):
        lines(tmp_path, "log")


def test_git_does_not_outlive_a_reader_that_gives_up(repository: Repository) -> None:
    """A pipe nobody reads would keep it waiting for ever."""
    for number in range(3):
        repository.commit(f"Commit {number}\n\n" + "x" * 60_000)

    def give_up() -> None:
        with git(repository.path, "log", "-p") as output:
            output.read(1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        give_up()
    assert not [child for child in psutil.Process().children() if child.name() == "git"]


def test_messages_are_read_whatever_encoding_the_repository_prints_its_log_in(repository: Repository) -> None:
    repository.git("config", "i18n.logOutputEncoding", "ISO-8859-1")
    repository.commit("Grüße aus Köln")
    assert read(repository) == ["Grüße aus Köln"]


def test_a_commit_that_cannot_be_read_is_told_of_and_passed_over(repository: Repository) -> None:
    ids = [repository.commit(f"fix: number {number} of four", f"file{number}") for number in range(4)]
    repository.lose(f"{ids[1]}^{{tree}}")
    unread: dict[str, str] = {}
    read = [one.id for one in commits(repository.path, ids, unread.__setitem__)]
    assert read == [ids[0], ids[3]], "the third is compared with the second, whose files are gone"
    assert list(unread) == [ids[1], ids[2]]
    assert "unable to read tree" in unread[ids[1]]


def test_a_history_with_a_hole_is_read_up_to_it(repository: Repository) -> None:
    ids = [repository.commit(f"fix: number {number} of four") for number in range(4)]
    repository.lose(ids[1])
    unread: dict[str, str] = {}
    assert commit_ids(repository.path, 100, None, unread.__setitem__) == ids[3:], "git names no child of a hole"
    assert list(unread) == [f"what came before {ids[3][:10]}"]


def test_a_repository_in_which_nothing_can_be_read_is_a_failure(repository: Repository) -> None:
    for number in range(3):
        repository.commit(f"fix: number {number} of three")
    repository.lose("main")
    with pytest.raises(GitFailed):
        commit_ids(repository.path, 100, None)
