"""Guards: what a person wants to be asked about, or refused. A pattern says which calls: a command, paths, tools.

A command pattern is words: the program, then the words that must stand behind it, in their order; options
anywhere; `*` and `?` as in a shell, `a|b` for either. `git push --force|-f` is no `git push --force-with-lease`,
and no text that only speaks of it. Light: what is here is also run in the hook.
"""

import os.path
import re
import shlex
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import pairwise

from holdfast.recall.act.shell import Command, commands_of, only_reads

SHELL = "shell"
"""The name, for every client, of the tool that runs a command line."""

KEYS = ("strength", "hard", "commands", "paths", "tools")

_VALUES = {
    "git": ("-C", "-c", "--git-dir", "--work-tree", "--namespace"),
    "npm": ("--prefix", "-w", "--workspace", "-C"), "pnpm": ("-C", "--dir", "--filter", "-F"),
    "yarn": ("--cwd",), "docker": ("-H", "--host", "-c", "--context", "-l", "--log-level", "--config"),
    "kubectl": ("-n", "--namespace", "--context", "--kubeconfig", "--cluster", "--user", "-s", "--server"),
    "helm": ("-n", "--namespace", "--kube-context", "--kubeconfig"), "terraform": (), "gh": ("-R", "--repo"),
    "aws": ("--profile", "--region", "--output"), "gcloud": ("--project",), "uv": ("--directory", "--project"),
    "make": ("-C", "-f", "-j"), "cargo": ("--manifest-path",), "go": ("-C",), "poetry": ("-C", "--directory"),
}  # fmt: skip
"""Options of whole programs that take a value, which is no sub-command."""

_ALIASES = {"pip3": "pip", "python3": "python", "nodejs": "node", "docker-compose": "docker"}
_EXAMPLES = "for example 'npm install', 'git push --force|-f', 'rm -rf', 'psql *DROP TABLE*'"


def check_command(pattern: str) -> str | None:
    """Return what is wrong with a command pattern, with one that works; None where nothing is."""
    try:
        words = shlex.split(pattern)
    except ValueError as error:
        return f"cannot be read ({error}): write words as in a shell, {_EXAMPLES}."
    if not words:
        return f"is empty: write {_EXAMPLES}."
    if any(word in ("&&", "||", ";", "|") for word in words):
        return f"names several commands: add a guard for each, {_EXAMPLES}."
    if words[0].startswith("-") or not words[0].strip("*?"):
        return f"must begin with a program: {_EXAMPLES}."
    return None


def check_path(pattern: str) -> str | None:
    """Return what is wrong with a path pattern, with one that works; None where nothing is."""
    if not pattern.strip() or not pattern.strip("*/?. "):
        return "would match every file: write 'seeds/**', '*.lock' or 'src/api/schema.py'."
    if os.path.isabs(pattern) or pattern.startswith(("~", "../")):
        return "must be relative to the project: write 'seeds/**', '*.lock' or 'src/api/schema.py'."
    return None


def matches_command(pattern: str, line: str) -> bool:
    """Say whether a command line runs what a pattern means."""
    return _any_command(pattern, commands_of(line))


def guard_matches(guard: dict[str, object], tool: str, line: str | None, files: Sequence[str], root: str) -> bool:
    """Say whether a call is one that a guard with patterns means: every sort that it names must fit."""
    commands, paths, tools = (texts_at(guard, key) for key in ("commands", "paths", "tools"))
    names = (tool.lower(), SHELL) if line is not None else (tool.lower(),)
    if tools and not any(fnmatchcase(name, pattern.lower()) for name in names for pattern in tools):
        return False
    parsed = commands_of(line) if line is not None else []
    if commands and not any(_any_command(pattern, parsed) for pattern in commands):
        return False
    return not paths or any(_touches_path(pattern, parsed, files, root) for pattern in paths)


def texts_at(guard: dict[str, object], key: str) -> list[str]:
    """Return the patterns of one sort."""
    value = guard.get(key)
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _any_command(pattern: str, commands: Iterable[Command]) -> bool:
    try:
        words = _joined_globs(shlex.split(pattern))
    except ValueError:
        return False
    return bool(words) and any(_fits(words, command) for command in commands)


def _joined_globs(words: Command) -> Command:
    """Take `*DROP TABLE*` for one word, although nobody put it in quotes."""
    joined: Command = []
    for word in words:
        if joined and joined[-1].startswith("*") and not joined[-1].endswith("*"):
            joined[-1] += " " + word
        else:
            joined.append(word)
    return joined


def _fits(pattern: Command, command: Command) -> bool:
    """Compare the words of a pattern with those of one command."""
    if not any(fnmatchcase(_program(command[0]), _program(name)) for name in pattern[0].split("|")):
        return False
    words = ["compose", *command[1:]] if command[0] == "docker-compose" else command[1:]
    pattern = _without_values(pattern, words)
    options = [word for word in pattern[1:] if _is_option(word)]
    globs = [word for word in pattern[1:] if not _is_option(word) and _is_glob(word)]
    plain = [word for word in pattern[1:] if not _is_option(word) and not _is_glob(word)]
    return (
        all(_has_option(option, words) for option in options)
        and all(any(_glob_fits(glob, word) for word in words) for glob in globs)
        and _in_order(plain, _positional(command[0], words))
    )


def _without_values(pattern: Command, words: Command) -> Command:
    """Return a pattern without the options whose value it names, where the command gives them just so."""
    rest: Command = []
    pairs = [(word, after) for word, after in pairwise(words) if _is_option(word)]
    skip = False
    for option, value in zip(pattern, [*pattern[1:], ""], strict=True):
        names, values = option.split("|"), value.split("|")
        if skip:
            skip = False
        elif _is_option(option) and any(word in names and after in values for word, after in pairs):
            skip = True
        else:
            rest.append(option)
    return rest


def _program(name: str) -> str:
    return _ALIASES.get(name, name)


def _is_option(word: str) -> bool:
    return word.startswith("-") and word != "-"


def _is_glob(word: str) -> bool:
    return "*" in word or "?" in word


def _glob_fits(glob: str, word: str) -> bool:
    """Compare without case: what is globbed is often SQL or a title."""
    text = re.sub(r"\s+", " ", word.lower())
    return any(fnmatchcase(text, one.lower()) for one in glob.split("|"))


def _has_option(wanted: str, words: Command) -> bool:
    """Say whether an option is given: in full, with a value behind `=`, or as letters of a cluster (`-rf`)."""
    given = words[: words.index("--")] if "--" in words else words
    for option in wanted.split("|"):
        if option.startswith("--"):
            name, equals, value = option.partition("=")
            pairs = zip(given, [*given[1:], ""], strict=True)
            if any(
                word == option or (not equals and word.startswith(name + "="))
                or (bool(equals) and word == name and after == value)
                for word, after in pairs
            ):  # fmt: skip
                return True
            continue
        letters = {letter for word in given if _is_cluster(word) for letter in word[1:]}
        if option in given or set(option[1:]) <= letters:
            return True
    return False


def _is_cluster(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and word[1] != "-" and word[1:].isalpha() and len(word) <= 6


def _positional(program: str, words: Command) -> Command:
    """Return a command's words that are no options, nor values of options that stand before a sub-command."""
    takes_value = _VALUES.get(_program(program))
    positional: Command = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif _is_option(word):
            skip = takes_value is not None and not positional and word in takes_value
        elif not word.startswith((">", "<<")):
            positional.append(word)
    return positional


def _in_order(wanted: Command, words: Command) -> bool:
    """Say whether the first word is the sub-command, and the others follow in their order."""
    if not wanted:
        return True
    if not words or words[0] not in wanted[0].split("|"):
        return False
    rest = iter(words[1:])
    return all(any(word in one.split("|") for word in rest) for one in wanted[1:])


def _touches_path(pattern: str, commands: Sequence[Command], files: Sequence[str], root: str) -> bool:
    """Say whether a call works on a path: the files of a tool, or what a command that changes things names."""
    names = [*files]
    for command in commands:
        words = command[1:] if not only_reads(command) else [word for word in command[1:] if word[0:1] == ">"]
        names += [word.lstrip(">") for word in words if word and not word.startswith(("-", "<<"))]
    return any(_path_fits(pattern, _relative(name, root)) for name in names if len(name) < 1_000)


def _relative(name: str, root: str) -> str:
    path = os.path.relpath(name, root) if os.path.isabs(name) and root else name
    return os.path.normpath(path).replace("\\", "/")


def _path_fits(pattern: str, path: str) -> bool:
    """Compare a path with a pattern: a folder means all that is in it, a name without folder means it anywhere."""
    pattern = pattern.removeprefix("./").rstrip("/")
    if "/" not in pattern and fnmatchcase(path.rpartition("/")[2], pattern):
        return True
    return fnmatchcase(path, pattern) or path == pattern.removesuffix("/**") or fnmatchcase(path, pattern + "/*")
