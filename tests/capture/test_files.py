"""Paths as a memory names them, and what the files held."""

import hashlib
from pathlib import Path

import pytest

from holdfast.capture.check import clean_paths, content_hashes, project_paths
from holdfast.capture.text.clean import Cleaner


def digest(content: bytes) -> str:
    """Return the hash of a content as it is kept."""
    return hashlib.sha256(content).hexdigest()[:16]


@pytest.mark.parametrize(
    ("given_as", "kept"),
    [
        ("src/app.py", "src/app.py"),
        ("./src/app.py", "src/app.py"),
        ("src//app.py", "src/app.py"),
        (" src/app.py ", "src/app.py"),
        ("src\\app.py", "src/app.py"),
        ("src/", "src"),
        ("/etc/hosts", "/etc/hosts"),
        ("../other/app.py", "../other/app.py"),
    ],
)
def test_paths_have_one_form(tmp_path: Path, given_as: str, kept: str) -> None:
    """Forward slashes, no needless parts; outside of the project as they are."""
    assert project_paths(tmp_path, (given_as,)) == (kept,)
    assert project_paths(None, (given_as,)) == (kept,)


def test_absolute_paths_inside_the_project_become_relative_and_each_stands_once(tmp_path: Path) -> None:
    """The same file by two names is one."""
    given_as = (str(tmp_path / "src" / "app.py"), "src/app.py", str(tmp_path.parent / "other.py"))
    assert project_paths(tmp_path, given_as) == ("src/app.py", (tmp_path.parent / "other.py").as_posix())


def test_files_of_the_project_are_hashed_and_others_passed_over(tmp_path: Path) -> None:
    """Missing ones, directories, what lies or leads outside, and what is too large."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_bytes(b"print()\n")
    (root / "empty").write_bytes(b"")
    (root / "large").write_bytes(b"x" * 2_000_001)
    (tmp_path / "secret").write_bytes(b"s")
    (root / "escape").symlink_to(tmp_path / "secret")
    (root / "inside").symlink_to(root / "empty")
    wanted = (
        "src/app.py",
        "empty",
        "inside",
        "src",
        "large",
        "escape",
        "../secret",
        str(tmp_path / "secret"),
        "gone",
    )
    assert content_hashes(root, wanted) == {
        "src/app.py": digest(b"print()\n"),
        "empty": digest(b""),
        "inside": digest(b""),
    }
    assert content_hashes(None, ("src/app.py",)) == {}


def test_paths_are_redacted_as_they_were_given_and_as_they_are_kept() -> None:
    """Made into a path, an address no longer looks like one; and what is kept is what must be clean."""
    seen: list[str] = []

    def redactor(text: str, _: tuple[str, ...]) -> tuple[str, tuple[tuple[str, int], ...]]:
        seen.append(text)
        return text, ()

    assert clean_paths(None, ["redis://cache/0"], Cleaner(redactor=redactor)) == ("redis:/cache/0",)
    assert seen == ["redis://cache/0", "redis:/cache/0"]
