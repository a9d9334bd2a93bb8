"""What a hook does at each moment of a session: record, brief, start the worker; the project and settings that it
works by, and what hooks remember of a session from one process to the next. Light.

Settings are read from a compiled copy, because reading TOML takes longer than a hook has. The copy is named after
the very bytes it was made from (both files, whether the user vouches for the project's, the environment) and the
version that made it, so it is never out of date: when anything changes there is no copy of that name, and one is
made. Most users have no file at all, and get the defaults at once.

Marks are small files beside the session's spool. What a session was told is one of them: it is not told twice, nor
taken for the agent's own words when repeated. Losing one costs a second brief or the like, so none of this is
written to the disk with care.
"""

import contextlib
import json
import os
import time
from types import ModuleType

from holdfast import __version__
from holdfast.agents import events, spool
from holdfast.agents.events import AgentEvent, entry_of, event_key, is_unrecorded, sentences, without_additions
from holdfast.errors import ConfigError
from holdfast.interfaces.hooks import watchdog
from holdfast.machine import disk, environment, failures, paths
from holdfast.machine.disk import NO_WAIT, open_handle
from holdfast.machine.paths import find_checkout, objection_to_store
from holdfast.model.ids import digest, digest_bytes, session_ref
from holdfast.settings import DEFAULTS, FIRST, NEVER, NEW, SETTINGS_FOLDER

Settings = dict[str, object]
Response = tuple[str, str]

NOTHING = ("", "")
"""No brief for the agent, and no sign for the person."""

SWITCHES = {
    events.START: "hooks.session_start",
    events.PROMPT: "hooks.prompt",
    events.TOOL: "hooks.tool",
    events.CALL: "hooks.act",
    events.REPLY: "hooks.reply",
    events.PAUSE: "hooks.session_end",
    events.COMPACT: "hooks.compaction",
    events.END: "hooks.session_end",
}

RECORDING_MS, BRIEFING_MS = 50, 500
"""How long writing to the spool may take, and making a brief."""

HOSTED_MS = 1_000
"""How long a brief may take that comes from a server: all that a hook has."""

_AGAIN_S = 10
"""A client that is told twice (by settings and by a plugin) is told within this time."""

_DRAIN_PAUSE_S, _LEFT_OVER_S, _LARGE_BYTES = 300, 600, 1 << 20
"""How often a pause drains at most; how long a session may have been silent before another one's start drains
what it left; and how much waits before that is drained in the middle of a session."""

_FILE = "config.toml"
_VARIABLES = tuple("HOLDFAST_" + key.replace(".", "_").upper() for key in DEFAULTS)

COMPILING_MS = 3_000
"""How long a hook may take in all, once, after the settings were changed."""

DEPTH, TOLD, PROMPTED, STARTED, SHOWN = "depth", "told", "prompted", "started", "shown"
ACTS = "acts"
"""Which rules a session was told at which of its calls."""

FORGETTING = "forgetting"
"""Set from a command to forget to the next prompt."""

MOST_TOLD = 65_536


def respond(client: str, module: ModuleType, event: AgentEvent, *, shows_sign: bool = False) -> Response:
    """Do what an event asks for; return the brief to hand to the agent and the sign for the person, or nothing."""
    # a payload may name a directory that is gone
    root, git = find_checkout(event.cwd if os.path.isdir(event.cwd) else os.getcwd())
    failures.describe_process(project=root)
    settings = load_settings(root)
    if (
        not settings["project.enabled"]
        or not settings[SWITCHES[event.kind]]
        or not _may_remember(root, git, settings)
        or environment.off_because(root)
    ):
        return NOTHING
    if event.kind == events.CALL:
        from holdfast.interfaces.hooks import act

        return act.before_call(client, module, event, root, settings), ""
    call = _Call(client, module.AGENT, event, (root, git), settings)
    has_record = call.record()
    act_text, act_sign = call.follow_acts()
    if event.kind == events.END:
        call.marks.clear()
    call.drain()
    if act_text or act_sign:
        return act_text, act_sign if shows_sign and settings["hooks.sign"] is True else ""
    if not has_record:
        return NOTHING
    if call.briefs():
        return call.brief(signs=shows_sign and settings["hooks.sign"] is True)
    return call.nudge(), ""


def _may_remember(root: str, git: str | None, settings: Settings) -> bool:
    """Say whether a hook may bring about a store: one is there, or this is a work tree and nobody's home.

    Where a server keeps memory, the project's own directory of holdfast says that it is wanted.
    """
    database = paths.project_database(root, _text(settings["store.path"]))
    store_path = os.path.join(root, paths.PROJECT_HOME) if settings["store.url"] else database
    return os.path.lexists(store_path) or objection_to_store(root, git) is None


class _Call:
    """One call of a hook: an event of a session, and where and with which settings it happened."""

    __slots__ = ("agent", "checkout", "client", "event", "marks", "root", "settings")

    def __init__(
        self, client: str, agent: str, event: AgentEvent, checkout: tuple[str, str | None], settings: Settings
    ) -> None:
        self.client = client
        self.agent = agent
        self.event = event
        self.checkout = checkout
        self.root = checkout[0]
        self.settings = settings
        self.marks = Marks(spool.prepare(self.root), spool.name_of(client, event.session))

    def record(self) -> bool:
        """Put what happened into the spool; say whether there was anything to put."""
        event, marks = self.event, self.marks
        before = marks.number(DEPTH) or 0
        echoes = marks.told_echoes() if event.kind == events.REPLY else frozenset()
        from holdfast.capture.text.clean import Cleaner  # a hook before a call records nothing

        cleaner = Cleaner(_texts(self.settings["redact.allow"]))
        entry, depth = entry_of(self.client, self.agent, event, cleaner, before, echoes)
        if depth != before and marks.first(f"{DEPTH}-{event_key(event)}"):
            marks.write(DEPTH, str(depth))  # once, however many hooks are told of it
        if entry is None or self._is_forgetting(is_command=is_unrecorded(entry)):
            return False
        watchdog.within(RECORDING_MS)
        spool.append(marks.folder, marks.name, entry)
        return not is_unrecorded(entry)

    def follow_acts(self) -> Response:
        """Note what became of a call that a rule was told about; say at the end how rules were kept."""
        marks, kind = self.marks, self.event.kind
        if kind not in (events.TOOL, events.COMPACT, events.END) or not marks.read(ACTS):
            return NOTHING
        from holdfast.interfaces.hooks import act

        if kind == events.COMPACT:
            act.begin_anew(marks)
        elif kind == events.END:
            return "", act.summary(marks)
        return (act.after_call(self.client, self.agent, self.event, marks) if kind == events.TOOL else ""), ""

    def _is_forgetting(self, *, is_command: bool) -> bool:
        """Say whether an agent speaks or acts because it was told to forget something: its words are that, too."""
        if self.event.kind == events.PROMPT:
            if is_command:
                self.marks.write(FORGETTING, "1")
            else:
                self.marks.drop(FORGETTING)
        return self.event.kind in (events.REPLY, events.TOOL) and bool(self.marks.read(FORGETTING))

    def briefs(self) -> bool:
        """Say whether this event hands out a brief, and this call is the first that is told of it."""
        inject, kind = self.settings["hooks.inject"], self.event.kind
        if inject == NEVER or kind not in (events.START, events.PROMPT):
            return False
        watchdog.within(BRIEFING_MS)
        if kind == events.START:
            return self.marks.first(f"{STARTED}-{self.event.source or 'startup'}"[:40], _AGAIN_S)
        if inject == FIRST and not self.marks.first(PROMPTED):
            return False
        return self._is_new_prompt()

    def _is_new_prompt(self) -> bool:
        return self.marks.first(f"{PROMPTED}-{self.event.key}"[:80], _AGAIN_S)

    def brief(self, *, signs: bool) -> Response:
        """Make a brief, and note what the session was told; where there is a sign, what the person was shown."""
        from holdfast.capture.text.clean import Cleaner
        from holdfast.interfaces.hooks import brief
        from holdfast.model.requests import BriefRequest

        event, marks, settings = self.event, self.marks, self.settings
        if event.kind == events.START:
            marks.begin_anew()
        if settings["store.url"]:
            watchdog.extend(HOSTED_MS)  # the whole time again, at the pace of by now: imports cost most of it
            watchdog.within(HOSTED_MS)
        is_prompt = event.kind == events.PROMPT
        request = BriefRequest(
            prompt=without_additions(event.text) if is_prompt else None,
            agent=self.agent,
            session_ref=session_ref(self.client, event.session),
            told=marks.told_ids(),
            # of a prompt that follows others only what is new and plainly applies is wanted
            later=is_prompt and settings["hooks.inject"] == NEW and not marks.first(PROMPTED),
        )
        span = self._unshown_span() if signs else None
        label = Cleaner(_texts(settings["redact.allow"])).label
        hook_brief = brief.make(self.checkout, settings, request, label, span)
        items = hook_brief.brief.items
        if hook_brief.brief.text:
            marks.note_told([item.id.replace("-", "")[-8:] for item in items], hook_brief.contents)
        if span and hook_brief.learnt is not None:
            self._own_marks().write(SHOWN, str(span[1]))
        return hook_brief.brief.text, brief.sign_of(items, hook_brief.learnt, label) if span else ""

    def _own_marks(self) -> "Marks":
        return Marks(self.marks.folder, "sign")

    def _unshown_span(self) -> tuple[int, int]:
        """Return the span of which nobody was shown what was learnt in a project; to begin with, an empty one."""
        now = environment.now()
        last_shown = self._own_marks().number(SHOWN)
        return (now if last_shown is None else last_shown), now

    def nudge(self) -> str:
        """Ask the agent to note a prompt that gets no brief of its own and sounds as if it should last."""
        event, settings = self.event, self.settings
        if not settings["brief.nudge"] or settings["hooks.inject"] != FIRST or event.kind != events.PROMPT:
            return ""
        from holdfast.service.briefs import nudge_alone

        watchdog.within(BRIEFING_MS)
        ceiling = settings["brief.ceiling"]
        text = nudge_alone(
            without_additions(event.text),
            self.root,
            session_ref(self.client, event.session),
            self.agent,
            ceiling if isinstance(ceiling, int) else None,
        )
        return text if text and self._is_new_prompt() else ""

    def drain(self) -> None:
        """Start the worker where it is time for it."""
        if not self._is_drain_due():
            return
        from holdfast.machine import detached

        detached.start_worker(self.root)

    def _is_drain_due(self) -> bool:
        kind, worker = self.event.kind, Marks(self.marks.folder, "worker")
        if kind in (events.COMPACT, events.END):
            return True
        if kind == events.PAUSE:
            return worker.first("paused", _DRAIN_PAUSE_S)
        if kind not in (events.START, events.REPLY):
            return False
        size, since = spool.extent(self.marks.folder)
        left_over = kind == events.START and since < time.time() - _LEFT_OVER_S
        return (left_over or size > _LARGE_BYTES) and worker.first("paused", _DRAIN_PAUSE_S)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def load_settings(root: str) -> Settings:
    """Return the settings in force in a project; raise `ConfigError` when they cannot be used."""
    sources = _sources(root)
    if not any(sources):
        return dict(DEFAULTS)
    name = digest_bytes(b"\0".join((__version__.encode(), *sources)))[:32]
    path = os.path.join(paths.data_directory(), SETTINGS_FOLDER, f"{name}.json")
    values = _read_values(path)
    if values is None:
        watchdog.extend(COMPILING_MS)
        values = compile_settings(root)
        _write(path, values)
    if isinstance(facts := values.get("error"), dict):
        raise ConfigError(**facts)
    return DEFAULTS | values


def compile_settings(root: str) -> Settings:
    """Read the settings as everything else does, once for every change; return what hooks read, or the error."""
    from pathlib import Path

    from holdfast.machine import server_url
    from holdfast.machine.project import find_project
    from holdfast.settings.load import load, sources_of

    try:
        config = load(sources_of(find_project(Path(root))))
    except ConfigError as error:
        return {"error": {name: str(fact) for name, fact in error.facts.items()}}
    values: Settings = {}
    for key in DEFAULTS:
        section, name = key.split(".")
        values[key] = getattr(getattr(config, section), name)
    if isinstance(values["store.url"], str):
        values["store.url"] = server_url.without_password(values["store.url"])  # a copy on disk holds no password
    return values


def _sources(root: str) -> list[bytes]:
    project = os.path.join(root, paths.PROJECT_HOME, _FILE)
    vouch_file = os.path.join(paths.data_directory(), "vouched", digest(os.path.realpath(project))[:32] + ".json")
    own = _bytes(project)
    environment = "\n".join(f"{name}={os.environ[name]}" for name in _VARIABLES if os.environ.get(name))
    return [
        _bytes(os.path.join(paths.config_directory(), _FILE)),
        own,
        _bytes(vouch_file) if own else b"",
        environment.encode("utf-8", "surrogateescape"),
    ]


def _bytes(path: str) -> bytes:
    """Return a file's first bytes; a clone may have put a pipe there."""
    try:
        with os.fdopen(open_handle(path, os.O_RDONLY | NO_WAIT), "rb") as file:
            return file.read(65_537)
    except OSError:
        return b""


def _read_values(path: str) -> Settings | None:
    try:
        with open(path, encoding="utf-8") as file:
            values = json.load(file)
    except (OSError, ValueError):
        return None
    is_usable = isinstance(values, dict) and isinstance(values.get("error", {}), dict)
    return values if is_usable else None


def _write(path: str, values: Settings) -> None:
    """Keep the copy, if that can be; it appears whole or not at all."""
    with contextlib.suppress(OSError):
        paths.make_private(os.path.dirname(path))
        disk.replace_file(path, json.dumps(values))


class Marks:
    """What hooks remember under one name (a session's, or their own) in a project's spool."""

    __slots__ = ("folder", "name")

    def __init__(self, folder: str, name: str) -> None:
        self.folder = folder
        self.name = name

    def first(self, mark: str, within: float | None = None) -> bool:
        """Set a mark; say whether this process is the first to, ever or within the last so many seconds."""
        path = self._path(mark)
        try:
            os.close(open_handle(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            pass
        else:
            return True
        if within is None:
            return False
        try:
            old = time.time() - os.stat(path).st_mtime > within
            if old:
                os.utime(path)
        except OSError:
            return False
        return old

    def read(self, mark: str) -> str:
        """Return what a mark says; empty where there is none."""
        try:
            with open(self._path(mark), encoding="utf-8") as file:
                return file.read(MOST_TOLD)
        except (OSError, UnicodeDecodeError):
            return ""

    def number(self, mark: str) -> int | None:
        """Return the number that a mark says; None where it says none."""
        text = self.read(mark)
        return int(text) if text.isdigit() else None

    def write(self, mark: str, text: str, how: str = "w") -> None:
        """Let a mark say something else or, with `a`, something more."""
        with open(self._path(mark), how, encoding="utf-8", opener=_open_mark) as file:
            file.write(text)

    def drop(self, mark: str) -> None:
        """Take a mark away."""
        with contextlib.suppress(OSError):
            os.unlink(self._path(mark))

    def clear(self) -> None:
        """Forget the session."""
        for entry in os.listdir(self.folder):
            owner, _, mark = entry.partition(".")
            if owner == self.name and not entry.endswith(spool.OPEN):
                self.drop(mark)

    def note_told(self, ids: list[str], texts: list[str]) -> None:
        """Remember that the session was told these entries."""
        lines = [f"id {entry_id}" for entry_id in ids]
        lines += [f"said {sentence}" for text in texts for sentence in sentences(text)]
        self.write(TOLD, "".join(f"{line}\n" for line in lines), "a")

    def begin_anew(self) -> None:
        """Forget what the session was told: its context was cleared or compacted. What it may repeat stays.

        Its next prompt is a first one again, for the agent as for the floors of a brief.
        """
        self.write(TOLD, "".join(f"said {text}\n" for text in sorted(self.told_echoes())))
        if self.read(ACTS):
            from holdfast.interfaces.hooks import act

            act.begin_anew(self)
        self.drop(PROMPTED)

    def told_ids(self) -> frozenset[str]:
        """Return the short ids of what the session was told."""
        return self._told_lines("id ")

    def told_echoes(self) -> frozenset[str]:
        """Return the fingerprints of the sentences that the session was told."""
        return self._told_lines("said ")

    def _told_lines(self, lead: str) -> frozenset[str]:
        lines = self.read(TOLD).splitlines()
        return frozenset(line.removeprefix(lead) for line in lines if line.startswith(lead))

    def _path(self, mark: str) -> str:
        return os.path.join(self.folder, f"{self.name}.{mark}")


def _open_mark(path: str, flags: int) -> int:
    return open_handle(path, flags)  # whatever the umask: what was told is nobody else's
