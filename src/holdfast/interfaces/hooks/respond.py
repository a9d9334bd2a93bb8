"""What a hook does at each moment of a session: record, brief, start the worker. Light."""

import os
import time

from holdfast.agents import events, spool
from holdfast.interfaces.hooks import watchdog
from holdfast.interfaces.hooks.place import (
    DEPTH,
    FORGETTING,
    PROMPTED,
    STARTED,
    HookProject,
    Marks,
    load_settings,
)
from holdfast.machine import failures, switch
from holdfast.settings.hooks import FIRST, NEVER, NEW

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from types import ModuleType

    from holdfast.agents.events import AgentEvent
    from holdfast.interfaces.hooks.place import Settings

    Response = tuple[str, str]

NOTHING = ("", "")
"""No brief for the agent, and no sign for the person."""

SWITCHES = {
    events.START: "hooks.session_start",
    events.PROMPT: "hooks.prompt",
    events.TOOL: "hooks.tool",
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


def respond(client: str, module: "ModuleType", event: "AgentEvent", *, shows_sign: bool = False) -> "Response":
    """Do what an event asks for; return the brief to hand to the agent and the sign for the person, or nothing."""
    project = HookProject(event.cwd or os.getcwd())
    failures.describe_process(project=project.root)
    settings = load_settings(project.root)
    database = project.database(_text(settings["store.path"]))
    store_path = project.home if settings["store.url"] else database
    if (
        not settings["project.enabled"]
        or not settings[SWITCHES[event.kind]]
        or not project.may_remember(store_path)
        or switch.off_because(project.root)
    ):
        return NOTHING
    call = _Call(client, module.AGENT, event, project, settings)
    has_record = call.record()
    if event.kind == events.END:
        call.marks.clear()
    call.drain()
    if not has_record:
        return NOTHING
    if call.briefs():
        return call.brief(signs=shows_sign and settings["hooks.sign"] is True)
    return call.nudge(), ""


class _Call:
    """One call of a hook: an event of a session, and where and with which settings it happened."""

    __slots__ = ("agent", "client", "event", "marks", "project", "settings")

    def __init__(
        self, client: str, agent: str, event: "AgentEvent", project: HookProject, settings: "Settings"
    ) -> None:
        self.client = client
        self.agent = agent
        self.event = event
        self.project = project
        self.settings = settings
        self.marks = Marks(spool.prepare(project.root), spool.name_of(client, event.session))

    def record(self) -> bool:
        """Put what happened into the spool; say whether there was anything to put."""
        from holdfast.agents.entry import entry_of, event_key, is_unrecorded
        from holdfast.capture.text.clean import Cleaner

        event, marks = self.event, self.marks
        before = marks.number(DEPTH) or 0
        echoes = marks.told_echoes() if event.kind == events.REPLY else frozenset()
        cleaner = Cleaner(_texts(self.settings["redact.allow"]))
        entry, depth = entry_of(self.client, self.agent, event, cleaner, before, echoes)
        if depth != before and marks.first(f"{DEPTH}-{event_key(event)}"):
            marks.write(DEPTH, str(depth))  # once, however many hooks are told of it
        if entry is None or self._is_forgetting(is_command=is_unrecorded(entry)):
            return False
        watchdog.within(RECORDING_MS)
        spool.append(marks.folder, marks.name, entry)
        return not is_unrecorded(entry)

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

    def brief(self, *, signs: bool) -> "Response":
        """Make a brief, and note what the session was told; where there is a sign, what the person was shown."""
        from holdfast.agents.injected import without_additions
        from holdfast.capture.text.clean import Cleaner
        from holdfast.interfaces.hooks import brief
        from holdfast.model.ids import session_ref
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
        span = brief.unshown_span(marks.folder) if signs else None
        label = Cleaner(_texts(settings["redact.allow"])).label
        hook_brief = brief.make(self.project, settings, request, label, span)
        items = hook_brief.brief.items
        if hook_brief.brief.text:
            marks.note_told([item.id.replace("-", "")[-8:] for item in items], hook_brief.contents)
        sign = brief.show(marks.folder, items, hook_brief.learnt, span[1]) if span else ""
        return hook_brief.brief.text, sign

    def nudge(self) -> str:
        """Ask the agent to note a prompt that gets no brief of its own and sounds as if it should last."""
        event, settings = self.event, self.settings
        if not settings["brief.nudge"] or settings["hooks.inject"] != FIRST or event.kind != events.PROMPT:
            return ""
        from holdfast.agents.injected import without_additions
        from holdfast.model.ids import session_ref
        from holdfast.service.briefs import nudge_alone

        watchdog.within(BRIEFING_MS)
        ceiling = settings["brief.ceiling"]
        text = nudge_alone(
            without_additions(event.text),
            self.project.root,
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

        detached.start_worker(self.project.root)

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


def _text(value: object) -> "str | None":
    return value if isinstance(value, str) else None


def _texts(value: object) -> "tuple[str, ...]":
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
