"""Touch points: the commands, paths, names and addresses that a rule names, and the words that it is about.

Read from the rule's text when the rules are compiled, or given by a person, who may edit them. Light.
"""

import re

from holdfast.model.act import TOUCH
from holdfast.recall.act.words import COMMAND, STOP
from holdfast.text.names import FILE

PATH, NAME, URL = "path", "name", "url"
MOST_POINTS, POINT_CHARS = 24, 120

PROGRAMS = frozenset(
    (
        "ansible apt aws az black brew bun bundle bunx cargo cmake composer conda curl deno docker dotnet "
        "eslint flake8 flyctl gcloud gem gh git go gradle helm heroku jest kubectl make mvn mypy mysql npm "
        "npx nx oxlint pdm php pip pip3 pipenv pipx playwright pnpm poetry prettier prisma psql pulumi "
        "pytest python python3 rails redis-cli rm rsync ruff rustup scp sqlite3 ssh sudo supabase svn "
        "terraform tox tsc turbo uv vercel vite vitest wget wrangler yarn"
    ).split()
)
"""Programs that a rule names as a command, in code marks or not ("never npm")."""

_PLAIN_WORDS = frozenset("go make black deno bundle rails helm jest tox rm python php vite".split())
"""Programs whose names are words or languages, too: commands in code marks only."""

_CODE = re.compile(r"`([^`\n]{2,120})`")
_URL = re.compile(r"https?://[^\s)>\]\"'`]+|\blocalhost:\d+\b")
_GLOB = re.compile(r"(?<![\w./@])(?:\.?[\w-]+/)+[\w.*@-]*|(?<!\w)\*+[./][\w.*/-]+|(?<![\w/])\.env[\w.]*")
_NAME = re.compile(
    r"@[a-z][\w-]*/[\w.-]+|--[a-z][\w-]+|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+"
    r"|\b\w*[a-zA-Z]\w*_\w+|\b[A-Za-z]\w*(?:\.[A-Za-z_]\w*)+(?:\(\))?|\b[a-z]+-[a-z]+-[a-z-]+"
)
_BRANCH = re.compile(r"\b(?:branch|onto|to|from)\s+(?:the\s+)?[\"']?(main|master|develop|release/[\w.*-]+)\b")
_COMMAND = re.compile(r"[a-z][\w.+-]*(?:\s+\S+)*")
_SUBCOMMAND = re.compile(r"[a-z][a-z-]{2,}")
_FORBIDS = re.compile(
    r"\b(?:never|not|no|don'?t|must ?n[o']t|avoid|without|stop|ban(?:ned)?|forbid(?:den)?|can't|cannot)\b",
    re.IGNORECASE,
)
Point = tuple[str, str]
"""Its sort, and its text."""


def points_of(text: str) -> list[Point]:
    """Return what a rule's text names, in order, once each."""
    points: dict[Point, None] = {}
    for mark in _CODE.findall(text):
        points.setdefault(sort_point(mark))
    plain = _CODE.sub(" ", text)
    points.update(((URL, url.rstrip(".,;")), None) for url in _URL.findall(plain))
    plain = _URL.sub(" ", plain)
    paths = [match[0] for match in FILE.finditer(plain)] + _GLOB.findall(plain)
    points.update(((PATH, path.rstrip(".,")), None) for path in paths if len(path) > 2)
    points.update(((COMMAND, command), None) for command in _plain_commands(plain))
    points.update(
        ((NAME, name.removesuffix("()")), None) for name in (*_NAME.findall(plain), *_BRANCH.findall(plain))
    )
    return [(sort, value[:POINT_CHARS]) for sort, value in points][:MOST_POINTS]


def sort_point(text: str) -> Point:
    """Return a touch point as it is typed or marked as code, with its sort."""
    text = " ".join(text.split())
    first = text.partition(" ")[0]
    if _URL.match(text):
        return URL, text
    if first in PROGRAMS or (" " in text and _COMMAND.fullmatch(text) and "(" not in text and ":" not in text):
        return COMMAND, text
    if "/" in text or "*" in text or FILE.fullmatch(text) or text.startswith(".env"):
        return PATH, text
    return NAME, text.removesuffix("()")


def _plain_commands(text: str) -> list[str]:
    """Return commands that a text names without code marks, with the word behind them where it is a subcommand."""
    words = text.replace(",", " , ").replace(".", " . ").split()
    commands = []
    for index, word in enumerate(words):
        if word in PROGRAMS and word not in _PLAIN_WORDS:
            after = words[index + 1] if index + 1 < len(words) else ""
            is_subcommand = (
                _SUBCOMMAND.fullmatch(after) and after not in STOP and word in ("git", "docker", "gh", "kubectl")
            )
            commands.append(f"{word} {after}" if is_subcommand else word)
    return commands


def forbids(text: str) -> bool:
    """Say whether a rule forbids something; else it demands."""
    return _FORBIDS.search(text.replace("\u2019", "'")) is not None


def kept_points(text: str, metadata: object) -> list[Point]:
    """Return a rule's touch points: those that a person gave, else those of its text."""
    given = metadata.get(TOUCH) if isinstance(metadata, dict) else None
    if isinstance(given, list):
        return [sort_point(point) for point in given if isinstance(point, str) and point.strip()][:MOST_POINTS]
    return points_of(text)
