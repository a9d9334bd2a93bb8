"""Which project a directory belongs to, in real git repositories."""

import subprocess
from pathlib import Path

import pytest

from holdfast.machine.project import Head, Project, find_project, normalise_remote, read_head


def git(place: Path, *arguments: str) -> str:
    """Run git, as its own person and with no settings but these."""
    settings = (
        "user.name=Ada",
        "user.email=ada@example.com",
        "init.defaultBranch=main",
        "protocol.file.allow=always",
    )
    options = [part for setting in settings for part in ("-c", setting)]
    done = subprocess.run(["git", *options, *arguments], cwd=place, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def repository(place: Path) -> Path:
    """Make a repository with one commit."""
    place.mkdir(parents=True)
    git(place, "init")
    git(place, "commit", "--allow-empty", "-m", "first")
    return place


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the repositories of a test lie, by its real name."""
    return tmp_path.resolve()


def test_without_git_the_directory_itself_is_the_project(place: Path) -> None:
    """By its path."""
    assert find_project(place) == Project(place, str(place), None)
    assert read_head(None) == Head()


def test_a_repository_is_found_from_any_directory_below(place: Path) -> None:
    """Its root, and its path as id while it has no remote."""
    root = repository(place / "shop")
    below = root / "src" / "deep"
    below.mkdir(parents=True)
    expected = Project(root, str(root), root / ".git")
    assert [find_project(here) for here in (root, below)] == [expected, expected]


def test_a_path_through_a_symlink_is_the_same_project(place: Path) -> None:
    """Two names, one memory."""
    root = repository(place / "shop")
    (place / "link").symlink_to(root)
    assert find_project(place / "link") == find_project(root)


def test_a_linked_worktree_shares_the_main_ones_root(place: Path) -> None:
    """But has its own checkout."""
    root = repository(place / "shop")
    git(root, "worktree", "add", "-b", "feature", str(place / "linked"))
    found = find_project(place / "linked")
    assert found == Project(root, str(root), root / ".git" / "worktrees" / "linked")
    commit = git(root, "rev-parse", "HEAD")
    assert read_head(found.git) == Head("feature", commit)
    assert read_head(root / ".git") == Head("main", commit)


def test_a_submodule_is_its_own_project(place: Path) -> None:
    """Not its parent's; its remote is where it came from."""
    library = repository(place / "library")
    root = repository(place / "shop")
    git(root, "submodule", "add", str(library), "vendor/library")
    found = find_project(root / "vendor" / "library")
    assert found == Project(
        root / "vendor" / "library", str(library), root / ".git" / "modules" / "vendor" / "library"
    )
    assert find_project(root).root == root


def test_a_worktree_of_a_submodule_shares_the_submodules_root(place: Path) -> None:
    """Through the submodule's own git directory."""
    library = repository(place / "library")
    root = repository(place / "shop")
    git(root, "submodule", "add", str(library), "library")
    git(root / "library", "worktree", "add", "-b", "feature", str(place / "linked"))
    assert find_project(place / "linked").root == root / "library"


def test_a_bare_repository_is_its_own_root(place: Path) -> None:
    """And so is it for the worktrees that hang on it."""
    bare = place / "shop.git"
    git(place, "clone", "--bare", str(repository(place / "seed")), str(bare))
    git(bare, "worktree", "add", "-b", "feature", str(place / "linked"))
    assert find_project(bare).root == bare
    assert find_project(bare / "refs").root == bare
    assert find_project(place / "linked").root == bare
    assert read_head(find_project(place / "linked").git).branch == "feature"


def test_a_repository_inside_another_is_its_own(place: Path) -> None:
    """The nearest one counts."""
    outer = repository(place / "outer")
    inner = repository(outer / "inner")
    assert find_project(inner).root == inner


def test_a_git_directory_elsewhere_leaves_the_root_where_the_files_are(place: Path) -> None:
    """`git init --separate-git-dir`."""
    root = place / "shop"
    root.mkdir()
    git(root, "init", "--separate-git-dir", str(place / "elsewhere"))
    assert find_project(root) == Project(root, str(root), place / "elsewhere")


def test_a_git_file_that_leads_nowhere_is_passed_over(place: Path) -> None:
    """A broken pointer makes no project."""
    for content in ("", "gitdir: nowhere", "not a pointer"):
        (place / ".git").write_text(content)
        assert (content, find_project(place)) == (content, Project(place, str(place), None))


def test_origin_names_the_project_and_so_does_an_only_remote(place: Path) -> None:
    """Of several without an origin none does."""
    root = repository(place / "shop")
    git(root, "remote", "add", "mirror", "git@mirror.example.com:acme/shop.git")
    assert find_project(root).id == "mirror.example.com/acme/shop"
    git(root, "remote", "add", "second", "git@second.example.com:acme/shop.git")
    assert find_project(root).id == str(root)
    git(root, "remote", "add", "origin", "https://ada:secret@example.com/acme/shop.git")
    assert find_project(root).id == "example.com/acme/shop"


def test_a_linked_worktree_has_the_remote_of_the_main_one(place: Path) -> None:
    """One id for all of them."""
    root = repository(place / "shop")
    git(root, "remote", "add", "origin", "https://example.com/acme/shop")
    git(root, "worktree", "add", "-b", "feature", str(place / "linked"))
    assert find_project(place / "linked").id == "example.com/acme/shop"


REMOTES = (
    ("https://example.com/acme/shop.git", "example.com/acme/shop"),
    ("https://example.com/acme/shop", "example.com/acme/shop"),
    ("https://Example.COM/acme/Shop.git/", "example.com/acme/Shop"),
    ("http://example.com:8080/acme/shop.git", "example.com/acme/shop"),
    ("https://ada@example.com/acme/shop.git", "example.com/acme/shop"),
    ("https://ada:secret@example.com/acme/shop.git", "example.com/acme/shop"),
    ("https://ada:se@cret@example.com/acme/shop.git", "example.com/acme/shop"),
    ("ssh://git@example.com/acme/shop.git", "example.com/acme/shop"),
    ("ssh://git@example.com:2222/acme/shop.git", "example.com/acme/shop"),
    ("git+ssh://git@example.com/acme/shop.git", "example.com/acme/shop"),
    ("git@example.com:acme/shop.git", "example.com/acme/shop"),
    ("example.com:acme/shop", "example.com/acme/shop"),
    ("git@example.com:/acme/shop.git", "example.com/acme/shop"),
    ("git://example.com/acme/shop.git", "example.com/acme/shop"),
    ("file:///srv/git/shop.git", "/srv/git/shop"),
    ("/srv/git/shop.git", "/srv/git/shop"),
    ("/srv/git/shop.git/", "/srv/git/shop"),
    ("C:/git/shop.git", "C:/git/shop"),
)


def test_every_form_of_a_remote_names_the_same_project() -> None:
    """Host and path, without credentials, port and ending."""
    assert [(url, normalise_remote(url)) for url, _ in REMOTES] == list(REMOTES)


def test_a_branch_is_read_loose_packed_and_before_its_first_commit(place: Path) -> None:
    """Names with slashes included."""
    root = repository(place / "shop")
    git(root, "switch", "-c", "feature/cart")
    commit = git(root, "rev-parse", "HEAD")
    assert read_head(root / ".git") == Head("feature/cart", commit)
    git(root, "pack-refs", "--all")
    assert not (root / ".git" / "refs" / "heads" / "feature" / "cart").exists()
    assert read_head(root / ".git") == Head("feature/cart", commit)
    git(root, "switch", "--orphan", "fresh")
    assert read_head(root / ".git") == Head("fresh", None)


def test_a_detached_head_has_a_commit_and_no_branch(place: Path) -> None:
    """As after a checkout of a tag."""
    root = repository(place / "shop")
    commit = git(root, "rev-parse", "HEAD")
    git(root, "checkout", "--detach")
    assert read_head(root / ".git") == Head(None, commit)


def test_a_planted_head_brings_no_foreign_text_in(place: Path) -> None:
    """A repository may ship a directory that looks like a bare one, with a HEAD that leads out of it."""
    (place / "secret").write_text("the password")
    planted = place / "planted"
    (planted / "objects").mkdir(parents=True)
    (planted / "refs").mkdir()
    (planted / "HEAD").write_text("ref: ../secret")
    assert read_head(find_project(planted).git).commit is None
    (planted / "HEAD").write_text("any text at all")
    assert read_head(find_project(planted).git) == Head(None, None)
