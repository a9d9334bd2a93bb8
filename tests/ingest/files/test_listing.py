"""Which files count: Markdown that git does not ignore, outside our own folders."""

from pathlib import Path

import pytest

from holdfast.ingest.files import MarkdownFiles
from tests.ingest.git.repositories import Repository

FILES = (
    "README.md",
    "docs/guide.MD",
    "docs/old.markdown",
    "docs/x.txt",
    "build/out.md",
    ".github/help.md",
    ".holdfast/log/2026-01-01.md",
    "node_modules/pkg/README.md",
    "private/secret.md",
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_text("x")
    (tmp_path / "outside.md").write_text("outside")
    (tmp_path / "p" / "link.md").symlink_to(tmp_path / "outside.md")
    return tmp_path / "p"


def test_in_git_what_is_ignored_does_not_count_and_our_log_never_does(root: Path) -> None:
    repository = Repository(root)
    (root / ".gitignore").write_text("build/\nprivate/*.md\n")
    listing = MarkdownFiles(root, in_git=True)
    assert listing.all() == [".github/help.md", "README.md", "docs/guide.MD", "docs/old.markdown"]
    repository.git("add", "-f", "private/secret.md")
    assert "private/secret.md" in listing.all(), "what is tracked is not ignored"
    (root / "README.md").unlink()
    assert "README.md" not in listing.all()


def test_without_git_hidden_folders_and_those_of_packages_do_not_count(root: Path) -> None:
    found = MarkdownFiles(root, in_git=False).all()
    assert found == ["README.md", "build/out.md", "docs/guide.MD", "docs/old.markdown", "private/secret.md"]


def test_folders_and_files_can_be_left_out(root: Path) -> None:
    assert MarkdownFiles(root, in_git=False, exclude=("docs", "private/secret.md")).all() == [
        "README.md",
        "build/out.md",
    ]


def test_of_named_files_those_that_count_are_told_whether_or_not_they_are_there(root: Path) -> None:
    Repository(root)
    (root / ".gitignore").write_text("build/\n")
    asked = ["README.md", "gone.md", "build/out.md", "docs/x.txt", ".holdfast/x.md", "odd\nname.md"]
    assert MarkdownFiles(root, in_git=True).wanted(asked) == {"README.md", "gone.md", "odd\nname.md"}
    assert MarkdownFiles(root, in_git=True).wanted([]) == set()
