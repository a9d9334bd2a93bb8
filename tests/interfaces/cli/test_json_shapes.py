"""What `--json` prints has the shapes that docs/cli.md promises."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast import Holdfast
from tests.ingest.git.repositories import Repository
from tests.interfaces.cli.conftest import FreshShell
from tests.interfaces.cli.shell import Shell
from tests.interfaces.cli.test_help import a_proposal_id

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "cli.md").read_text(encoding="utf-8")
ROWS = re.finditer(r"^\| `([^`]+)` \| (one|a list of) `([^`]+)`.*\|$", PAGE, re.MULTILINE)
PRINTS = {row[1]: (row[2], row[3]) for row in ROWS}
SHAPES = {
    row[1]: re.findall(r"`([^`]+)`", re.sub(r"\([^)]*\)", "", row[2]))
    for row in re.finditer(r"^\| `([^`]+)` \| (.*) \|$", PAGE[PAGE.index("| shape | keys |") :], re.M)
}
SERVER = "postgresql://db.example/holdfast"
"""Stands for a real one in the words below."""

STANDING = {"counts": "counts", "user": "store", "user_counts": "counts", "upkeep": "upkeep"}
INSIDE = {
    "page": {"session": "session", "findings": "finding", "turns": "turn"},
    "stats": {
        "project": "store",
        "counts": "counts",
        "user": "store",
        "user_counts": "counts",
        "upkeep": "upkeep",
    },
    "status": {
        "store": "store",
        "counts": "counts",
        "user": "store",
        "user_counts": "counts",
        "briefs": "health",
        "upkeep": "upkeep",
        "waits": "waits",
    },
    "inbox item": {"sides": "side"},
    "settings": {"settings": "setting"},
    "brief": {"items": "brief item", "conflicts": "conflict"},
    "receipt": {"items": "receipt item"},
}
"""Which keys hold values that have a shape of their own."""


class Story:
    """A project in which there is something of everything to print."""

    def __init__(self, shell: Shell) -> None:
        self.file = shell.project / "export.jsonl"
        self.file.write_text('{"content": "From elsewhere"}\n', encoding="utf-8")
        Repository(shell.project).commit("fix: handle an empty list in chunked")
        self.token = str(shell.json("token", "create", "--name", "x")["id"])
        self.first, self.second = shell.add("The queue is Redis"), shell.add("The queue is Postgres")
        shell.add("Prefer small commits", "--user")
        with Holdfast.open(shell.project) as memory:
            session = memory.start_session()
            session.record("user", "Why Redis?")
            session.record("user", "Settled: Redis for the queue, nothing else.")
            session.checkpoint()
        self.session = session.id
        self.kept = shell.add("Always squash commits before merging")
        shell.add("Never squash commits before merging")
        self.conflict = shell.json("conflicts")[0]["id"]
        self.proposal = a_proposal_id(shell)
        with Holdfast.open(shell.project) as memory:
            self.candidate = memory.add("Integration tests need the emulator").id or ""

    def change(self) -> str:
        """Write a change that touches a rule, and return where."""
        path = self.file.with_name("change.diff")
        path.write_text(
            "--- a/merge.md\n+++ b/merge.md\n+Squash commits before merging, never after\n", encoding="utf-8"
        )
        return str(path)


WORDS: dict[str, Callable[[Story], tuple[str, ...]]] = {
    "add": lambda story: ("Something new",),
    "search": lambda story: ("queue",),
    "search --all-projects": lambda story: ("queue",),
    "timeline": lambda story: (story.first,),
    "get": lambda story: (story.first,),
    "forget": lambda story: (story.first, "--yes"),
    "update": lambda story: (story.first, "--kind", "fact"),
    "pin": lambda story: (story.first,),
    "unpin": lambda story: (story.first,),
    "confirm": lambda story: (story.first,),
    "supersede": lambda story: (story.first, story.second),
    "conflicts resolve": lambda story: (story.conflict, "--keep", story.kept),
    "history": lambda story: (story.first,),
    "review accept": lambda story: (story.proposal,),
    "review drop": lambda story: (story.proposal,),
    "review show": lambda story: (story.conflict,),
    "review edit": lambda story: (story.conflict, "Squash what was never pushed"),
    "review keep": lambda story: (story.conflict, "both"),
    "guard add": lambda story: ("npm install",),
    "guard remove": lambda story: (story.kept,),
    "guard touch": lambda story: (story.kept, "git merge"),
    "guard test": lambda story: ("git merge --squash && git commit -m 'Squash commits before merging'",),
    "check": lambda story: (story.change(), "--fail-on", "never"),
    "context": lambda story: ("do we squash commits before merging?",),
    "alias add": lambda story: ("queue", "broker"),
    "alias remove": lambda story: ("queue",),
    "learn": lambda story: ("--again",),
    "watch": lambda story: ("--once",),
    "export --output": lambda story: (str(story.file),),
    "export --into": lambda story: (str(story.file.with_name("AGENTS.md")),),
    "import": lambda story: (str(story.file),),
    "session end": lambda story: (story.session,),
    "session checkpoint": lambda story: (story.session,),
    "session fork": lambda story: (story.session,),
    "session show": lambda story: (story.session,),
    "config get": lambda story: ("search.floor",),
    "config set": lambda story: ("search.floor", "0.2"),
    "config unset": lambda story: ("search.floor",),
    "config preset": lambda story: ("aggressive",),
    "restore": lambda story: ("--yes",),
    "install": lambda story: ("all",),
    "uninstall": lambda story: ("claude", "codex"),
    "slash": lambda story: ("/memory", "list"),
    "prune": lambda story: ("--older-than", "0", "--mine", "--yes"),
    "prune --all-tenants": lambda story: ("--url", SERVER),
    "migrate-store": lambda story: ("--to", SERVER, "--tenant", "acme"),
    "token create": lambda story: ("--name", "ci"),
    "token revoke": lambda story: (story.token,),
}
FIRST = {
    "guard list": ["guard", "add", "npm install"],
    "stats --rules": ["guard", "add", "npm install"],
    "log --receipts": ["context", "do we squash commits before merging?"],
    "restore": ["backup"],
    "restore --list": ["backup"],
    "backup --list": ["backup"],
    "review undo": ["review", "accept", "{candidate}"],
    "trust --config": ["config", "set", "search.floor", "0.2"],
}


def test_json_has_the_documented_keys(
    fresh_shell: FreshShell, subtests: pytest.Subtests, request: pytest.FixtureRequest
) -> None:
    for command in PRINTS:
        if command != "trust":
            with subtests.test(command=command):
                check_json(command, fresh_shell(), request)


def check_json(command: str, shell: Shell, request: pytest.FixtureRequest) -> None:
    """Check that each item that a command prints has the keys of its shape."""
    story = Story(shell)
    if command in FIRST:
        shell(*(word.replace("{candidate}", story.candidate) for word in FIRST[command]))
    more = WORDS[command](story) if command in WORDS else ()
    if SERVER in more:
        server = request.getfixturevalue("empty_postgres")
        more = tuple(server if word == SERVER else word for word in more)
    printed = shell.json(*command.split(), *more)
    many, shape = PRINTS[command]
    items = printed if many == "a list of" else [printed]
    assert items
    for item in items:
        fits(item, shape)


def fits(item: dict[str, Any], shape: str) -> None:
    """Check the keys of a value, and of the values in it that have a shape."""
    assert sorted(item) == sorted(SHAPES[shape])
    for key, inner in INSIDE.get(shape, {}).items():
        for one in item[key] if isinstance(item[key], list) else [item[key]]:
            fits(one, inner)


def test_every_command_that_prints_data_has_a_shape() -> None:
    from tests.interfaces.cli.test_help import every_command

    with_json = {
        name for name, command in every_command() if any("--json" in one.opts for one in command.params)
    } - {"remember", "save"}
    assert with_json == {name for name in PRINTS if " --" not in name and not name.startswith("help ")}
