"""What is to stand in a file of an agent (entries, hooks in groups, whole files such as slash commands), where
that is, the user's home or a project, and how it is put there and taken out again.

On Windows the command of a hook depends on the shell, which is the agent's choice: Claude Code has Git Bash, most
others have PowerShell, some cmd.exe. What all three understand is a name without a path, so it is used wherever it
leads to this very program. A path stands in Bash in quotes, in the others bare, or, where it holds a blank, as
PowerShell calls it.
"""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path

from msgspec import Struct, field

from holdfast.agents import documents
from holdfast.errors import AgentFileUnusable

USER, PROJECT = SCOPES = ("user", "project")
MARK = "holdfast-hook"
"""What every hook of ours has in its command, whatever path leads to it."""
_PROGRAM = re.compile(
    r"""(?:&[ ])?(?:
    '[^'\n]*holdfast(?:-hook)?(?:\.exe)?'
    | "[^"'\n]*holdfast-hook(?:\.exe)?"
    | [^\s'"]*holdfast(?:-hook)?(?:\.exe)?
    )""",
    re.VERBOSE,
)
"""A program of ours by its path, in quotes or without."""
SECONDS = 10
"""How long a client waits for a hook at most. Ours ends long before; by itself SessionEnd gets about a second."""
SILENT = " 2>/dev/null || true"
"""What lets a hook succeed in silence where the program is gone; the shells of Windows do not share such words."""

_BASH = ("claude",)
"""Agents that run commands in Bash on every system."""

_BARE_PATH = re.compile(r"[\w.:\\/-]+", re.ASCII)

CALL = "holdfast slash"
"""How the files call the program; an installation names it by its path, which need not be on the agent's."""

_BEGIN = "<!-- holdfast-tools:begin (written by `holdfast install`, taken out by `holdfast uninstall`) -->"
_END = "<!-- holdfast-tools:end -->"
_SECTION = re.compile(
    r"(?:(?<=\n)\r?\n)?^<!-- holdfast-tools:begin\b[^\n]*-->\r?\n.*?^<!-- holdfast-tools:end -->(?:\r?\n)?",
    re.DOTALL | re.MULTILINE,
)
_STRAY = re.compile(r"^<!-- holdfast-tools:(?:begin|end)\b", re.MULTILINE)
"""A section of ours, and half of one. `holdfast export --into` has marks of its own."""


def configured_folder(variable: str, usual: Path) -> Path:
    """Return the folder that a variable names, if it does so by its whole path; else the usual one."""
    folder = os.environ.get(variable, "") if variable else ""
    return Path(folder) if os.path.isabs(folder) else usual


class InstallScope(Struct, frozen=True):
    """One scope of one user on one machine."""

    scope: str
    home: Path
    root: Path
    hook: str
    server: str

    def folder(self, name: str, variable: str = "") -> Path:
        """Return an agent's folder: in the project, or in the home, which a variable of the agent may move."""
        if self.scope == PROJECT:
            return self.root / name
        return configured_folder(variable, self.home / name)

    def command(self, client: str, event: str) -> str:
        """Return the shell command of a hook; where the shell can, it succeeds in silence without the program."""
        words = f"{program_word(self.hook, client)} {client} {event}"
        return words if sys.platform == "win32" and client not in _BASH else words + SILENT

    def stdio(self) -> dict[str, object]:
        """Return the MCP server as most agents write it."""
        return {"command": self.server, "args": ["mcp"]}


def surroundings(scope: str, root: Path) -> InstallScope:
    """Find the programs, and where this user's files are."""
    return InstallScope(scope, Path.home(), root, _program("holdfast-hook"), _program("holdfast"))


def _program(name: str) -> str:
    """Return the full path of one of our programs: beside the one that runs, or wherever it is found."""
    for folder in (Path(sys.argv[0]).absolute().parent, Path(sys.executable).absolute().parent):
        place = folder / (f"{name}.exe" if sys.platform == "win32" else name)
        if place.is_file():
            return str(place)
    executable = shutil.which(name)
    if executable is None:
        raise AgentFileUnusable(path=name, problem="the program is not installed")
    return executable


def program_word(program: str, agent: str) -> str:
    """Return a program as the shell of an agent is to read it."""
    if sys.platform != "win32":
        return shlex.quote(program)
    if _is_on_path(program):
        return _base(program)
    if agent in _BASH:
        return shlex.quote(program)
    if _BARE_PATH.fullmatch(program):
        return program
    escaped_path = program.replace("'", "''")
    return f"& '{escaped_path}'"


def names_program(command: str, name: str) -> bool:
    """Say whether a command begins with a program of that name, whichever path leads to it and however quoted."""
    words = command.removeprefix("& ")
    try:
        first_words = {*shlex.split(words)[:1], *words.split(maxsplit=1)[:1]}
    except ValueError:
        return False
    return name in {_base(word).removesuffix(".exe") for word in first_words}


def _is_on_path(program: str) -> bool:
    there = shutil.which(_base(program))
    try:
        return there is not None and os.path.samefile(there, program)
    except OSError:
        return False


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


class Edit(Struct, frozen=True):
    """A member of an object, or, as an item, one more in a list."""

    path: tuple[str, ...]
    value: object
    item: bool = False
    only_if_missing: bool = False
    """Something the file needs besides: set where it is missing, and never taken out of a file of others."""


class JsonFile(Struct, frozen=True):
    """Entries of ours in a JSON file that is shared with others; comments are allowed."""

    path: Path
    edits: Sequence[Edit] = field(default_factory=tuple)

    def added(self, text: str) -> str:
        """Return the text with our entries in it, once each."""
        for edit in self.edits:
            if edit.item:
                if edit.value not in list(documents.items(text, edit.path)):
                    text = documents.with_item(_without_hooks(text, edit.path), edit.path, edit.value)
            elif not (edit.only_if_missing and documents.find(text, edit.path)):
                text = _with_member(text, edit)
        return text

    def removed(self, text: str, before: str, *, is_recorded: bool) -> str:
        """Return the text without our entries, nor what was made to hold them and holds nothing else now.

        An entry of our name that we put ours in the place of comes back; where nothing is recorded, one that says
        something else than ours is somebody's own.
        """
        for edit in self.edits:
            if edit.item:
                remaining_text, holder = _without_hooks(text, edit.path), edit.path
            elif edit.only_if_missing or not (is_recorded or is_own(_member(text, edit.path), edit.value)):
                continue
            else:
                remaining_text, holder = _with_member_before(text, before, edit), edit.path[:-1]
            text = _prune_holders(remaining_text, holder, before) if remaining_text != text else text
        return text

    def replaces_others(self, text: str) -> bool:
        """Say whether a text without us has an entry of our name, which ours takes the place of."""
        members = [edit for edit in self.edits if not (edit.item or edit.only_if_missing)]
        return any(_member(text, edit.path) is not None for edit in members)

    def nothing_left(self, text: str) -> bool:
        """Say whether a text holds no more than what the file needs besides."""
        needed_keys = {edit.path[0] for edit in self.edits if edit.only_if_missing}
        value = documents.loads(text)
        return isinstance(value, dict) and set(value) <= needed_keys


class TomlFile(Struct, frozen=True):
    """A table of ours in a TOML file that is shared with others."""

    path: Path
    section: str
    name: str
    values: dict[str, object]

    def added(self, text: str) -> str:
        """Return the text with our table in it."""
        return documents.with_table(text, self.section, self.name, self.values)

    def removed(self, text: str, before: str, *, is_recorded: bool) -> str:
        """Return the text without our table, and with the one that it took the place of."""
        if not (is_recorded or is_own(documents.table(text, self.section, self.name), self.values)):
            return text
        rest = documents.without_table(text, self.section, self.name)
        table_before = documents.table(before, self.section, self.name)
        if rest == text or table_before is None or is_own(table_before, self.values):
            return rest
        return documents.with_table(rest, self.section, self.name, table_before)

    def replaces_others(self, text: str) -> bool:
        """Say whether a text without us has a table of our name, which ours takes the place of."""
        return documents.table(text, self.section, self.name) is not None

    def nothing_left(self, text: str) -> bool:
        """Say whether a text says nothing."""
        return not text.strip()


class WholeFile(Struct, frozen=True):
    """A file that is ours from its first letter to its last."""

    path: Path
    text: str

    def added(self, text: str) -> str:
        """Return our text; another's file of the same name is not ours to change."""
        if text and not self._is_ours(text):
            raise documents.Unreadable("somebody else's file has that name")
        return self.text

    def removed(self, text: str, before: str, *, is_recorded: bool) -> str:
        """Return what was there before, unless somebody else put a file there or made ours their own."""
        return before if self._is_ours(text) else text

    def nothing_left(self, text: str) -> bool:
        """Say whether the file can go."""
        return not text

    def _is_ours(self, text: str) -> bool:
        """Say whether a text is ours, wherever the program was then; naming holdfast makes no file ours."""
        return _PROGRAM.sub("", text) == _PROGRAM.sub("", self.text)


class SectionFile(Struct, frozen=True):
    """A section of ours, between marks, in a text that belongs to others."""

    path: Path
    text: str

    def added(self, text: str) -> str:
        """Return the text with our section at its end."""
        rest = _without_section(text)
        line = "\r\n" if "\r\n" in rest else "\n"
        gap = "" if not rest else line if rest.endswith("\n") else line * 2
        return rest + gap + f"{_BEGIN}\n{self.text}{_END}\n".replace("\n", line)

    def removed(self, text: str, before: str, *, is_recorded: bool) -> str:
        """Return the text without our section."""
        return _without_section(text)

    def nothing_left(self, text: str) -> bool:
        """Say whether a text says nothing."""
        return not text.strip()

    @staticmethod
    def is_in(path: Path) -> bool:
        """Say whether a file has a section of ours."""
        try:
            return bool(_SECTION.search(path.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError):
            return False


Target = JsonFile | TomlFile | WholeFile | SectionFile


class Installation(Struct, frozen=True, kw_only=True):
    """What is installed for an agent, and what shows that the agent is on this machine."""

    name: str
    """For people."""
    programs: tuple[str, ...]
    folder: tuple[str, str]
    """In the home, and the variable that moves it."""
    targets: Callable[[InstallScope], list[Target]]
    """Lists its files."""
    to_do: str
    """What only the user can do."""
    to_do_in_project: str = ""
    """The same for a project, where it differs."""
    extension: str = ""
    """The name of an agent that runs in an editor."""
    settings_folder: Callable[[InstallScope], Path] | None = None
    """Where its settings are, if that depends on the platform."""

    def to_do_in(self, scope: str) -> str:
        """Return what only the user can do in a scope."""
        return (self.to_do_in_project if scope == PROJECT else "") or self.to_do


def _without_section(text: str) -> str:
    """Take our section out, with the blank line that leads to it."""
    rest = _SECTION.sub("", text)
    if _STRAY.search(rest):
        raise documents.Unreadable("a mark of holdfast stands there without its other half; remove it by hand")
    return rest


def _with_member(text: str, edit: Edit) -> str:
    node = documents.find(text, edit.path)
    if node is not None and documents.loads(text[node.start : node.end]) == edit.value:
        return text
    return documents.with_member(text, edit.path, edit.value)


def _member(text: str, path: tuple[str, ...]) -> object:
    """Return what stands at a path; None where nothing does."""
    node = documents.find(text, path)
    return None if node is None else documents.loads(text[node.start : node.end])


def _with_member_before(text: str, before: str, edit: Edit) -> str:
    """Take our member out, unless it was taken out by hand, and put back the one that it took the place of."""
    if _member(text, edit.path) is None:
        return text
    value_before = _member(before, edit.path)
    if value_before is None or is_own(value_before, edit.value):
        return documents.without_member(text, edit.path)
    return documents.with_member(text, edit.path, value_before)


def is_own(value: object, own_value: object) -> bool:
    """Say whether an entry says what ours does, wherever the program was then."""
    return _without_folder(value) == _without_folder(own_value)


def _without_folder(value: object) -> object:
    """Return a value in which our program, by whatever path, is called by its name."""
    match value:
        case str():
            name = re.split(r"[/\\]", value)[-1].removesuffix(".exe")
            return name if name == "holdfast" else value
        case list():
            return [_without_folder(item) for item in value]
        case dict():
            return {key: _without_folder(item) for key, item in value.items()}
    return value


def _without_hooks(text: str, path: tuple[str, ...]) -> str:
    """Remove our hooks, be they in the list itself or in its groups; a group of others keeps theirs."""
    return documents.without_nested(documents.without_items(text, path, _is_own_hook), path, "hooks", _is_own_hook)


def _is_own_hook(hook: object) -> bool:
    """Say whether a hook runs our program: a command that only speaks of it is somebody else's."""
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and names_program(command, MARK)


def _prune_holders(text: str, path: tuple[str, ...], before: str) -> str:
    """Remove empty holders along a path, from the inside out, that were not there before."""
    while path and documents.empty(documents.find(text, path)) and documents.find(before, path) is None:
        text = documents.without_member(text, path)
        path = path[:-1]
    return text


def server_file(path: Path, holder: str, server: Mapping[str, object]) -> JsonFile:
    """Return a JSON file with the MCP server in one of its objects."""
    return JsonFile(path, [Edit((holder, "holdfast"), server)])


def hook_groups_for(
    place: InstallScope,
    client: str,
    events: Iterable[str],
    timeout: int = SECONDS,
    matchers: Mapping[str, str] | None = None,
    **more: object,
) -> list[Edit]:
    """Return one group with one hook for each event; a matcher says for which tools it is run."""
    named = {event: {"matcher": matcher} for event, matcher in (matchers or {}).items()}
    return [
        Edit(
            ("hooks", event),
            {
                **named.get(event, {}),
                "hooks": [
                    {**more, "type": "command", "command": place.command(client, event), "timeout": timeout}
                ],
            },
            item=True,
        )
        for event in events
    ]


def commands(agent: str, folder: Path, program: str) -> list[WholeFile]:
    """Return an agent's command files, to be put into a folder."""
    with resources.as_file(resources.files(f"holdfast.agents.{agent}").joinpath("commands")) as source:
        return [
            WholeFile(
                folder / path.relative_to(source),
                path.read_text(encoding="utf-8").replace(CALL, f"{program_word(program, agent)} slash"),
            )
            for path in sorted(source.rglob("*"))
            if path.is_file()
        ]
