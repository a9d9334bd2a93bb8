"""What a hook does at each moment of a session: record, brief, start the worker. Light."""

import os
import time

from holdfast.agents import events, spool
from holdfast.interfaces.hooks import marks, watchdog
from holdfast.interfaces.hooks.place import HookProject, load_settings
from holdfast.machine import failures, switch
from holdfast.settings.hooks import FIRST, NEVER, NEW

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from types import ModuleType

    from holdfast.agents.events import AgentEvent
    from holdfast.agents.spool import Entry
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

COMPILING_MS = 3_000
"""How long a hook may take in all, once, after the settings were changed."""

_AGAIN_S = 10
"""A client that is told twice (by settings and by a plugin) is told within this time."""

_DRAIN_PAUSE_S, _LEFT_OVER_S, _LARGE_BYTES = 300, 600, 1 << 20
"""How often a pause drains at most; how long a session may have been silent before another one's start drains
what it left; and how much waits before that is drained in the middle of a session."""


def respond(client: str, module: "ModuleType", moment: "AgentEvent", *, shows_sign: bool = False) -> "Response":
    """Do what a moment asks for; return the brief to hand to the agent and the sign for the person, or nothing."""
    place = HookProject(moment.cwd or os.getcwd())
    failures.describe_process(project=place.root)
    hook_settings = load_settings(place.root, _compile_settings)
    database = place.database(_text(hook_settings["store.path"]))
    store_path = place.home if hook_settings["store.url"] else database
    if (
        not hook_settings["project.enabled"]
        or not hook_settings[SWITCHES[moment.kind]]
        or not place.may_remember(store_path)
    ):
        return NOTHING
    if switch.off_because(place.root):
        return NOTHING
    folder, name = spool.prepare(place.root), spool.name_of(client, moment.session)
    has_record = _record(client, module.AGENT, moment, hook_settings, folder, name)
    if moment.kind == events.END:
        marks.clear(folder, name)
    _drain(moment, place.root, folder)
    if not has_record:
        return NOTHING
    if _briefs(moment, hook_settings, folder, name):
        signs = shows_sign and hook_settings["hooks.sign"] is True
        return _brief(client, module, moment, place, hook_settings, (folder, name), signs=signs)
    return _nudge(client, module, moment, place, hook_settings, (folder, name)), ""


def _record(
    client: str, agent: str, moment: "AgentEvent", hook_settings: "Settings", folder: str, name: str
) -> bool:
    """Put what happened into the spool; say whether there was anything to put."""
    from holdfast.agents.entry import entry_of, event_key, is_unrecorded
    from holdfast.capture.text.clean import Cleaner

    before = marks.depth_of(folder, name)
    echoes = marks.told_echoes(folder, name) if moment.kind == events.REPLY else frozenset()
    entry, depth = entry_of(client, agent, moment, Cleaner(_texts(hook_settings["redact.allow"])), before, echoes)
    if depth != before and marks.first(folder, name, f"{marks.DEPTH}-{event_key(moment)}"):
        marks.write(folder, name, marks.DEPTH, str(depth))  # once, however many hooks are told of it
    if entry is None or _forgetting(moment, entry, folder, name):
        return False
    watchdog.within(RECORDING_MS)
    spool.append(folder, name, entry)
    return not is_unrecorded(entry)


def _forgetting(moment: "AgentEvent", entry: "Entry", folder: str, name: str) -> bool:
    """Say whether an agent speaks or acts because the user had it forget something: its words are that, too."""
    from holdfast.agents.entry import is_unrecorded

    if moment.kind == events.PROMPT:
        if is_unrecorded(entry):
            marks.write(folder, name, marks.FORGETTING, "1")
        else:
            marks.drop(folder, name, marks.FORGETTING)
    return moment.kind in (events.REPLY, events.TOOL) and bool(marks.read(folder, name, marks.FORGETTING))


def _brief(
    client: str,
    module: "ModuleType",
    moment: "AgentEvent",
    place: HookProject,
    hook_settings: "Settings",
    told_to: "tuple[str, str]",
    *,
    signs: bool,
) -> "Response":
    """Make a brief, and note what the session was told; where there is a sign, what the person was shown."""
    from holdfast.agents.injected import without_additions
    from holdfast.capture.text.clean import Cleaner
    from holdfast.interfaces.hooks import brief, sign
    from holdfast.model.ids import session_ref
    from holdfast.model.requests import BriefRequest

    folder, name = told_to
    if moment.kind == events.START:
        marks.begin_anew(folder, name)
    if hook_settings["store.url"]:
        watchdog.extend(HOSTED_MS)  # the whole time again, at the pace of by now: imports cost most of it
        watchdog.within(HOSTED_MS)
    wish = BriefRequest(
        prompt=without_additions(moment.text) if moment.kind == events.PROMPT else None,
        agent=module.AGENT,
        session_ref=session_ref(client, moment.session),
        told=marks.told_ids(folder, name),
        later=_is_later(moment, hook_settings, folder, name),
    )
    span = sign.unshown_span(folder) if signs else None
    label = Cleaner(_texts(hook_settings["redact.allow"])).label
    hook_brief = brief.make(place, hook_settings, wish, label, span)
    items = hook_brief.brief.items
    if hook_brief.brief.text:
        marks.note_told(folder, name, [item.id.replace("-", "")[-8:] for item in items], hook_brief.contents)
    return hook_brief.brief.text, sign.show(folder, items, hook_brief.learnt, span[1]) if span else ""


def _nudge(
    client: str,
    module: "ModuleType",
    moment: "AgentEvent",
    place: HookProject,
    hook_settings: "Settings",
    told_to: "tuple[str, str]",
) -> str:
    """Ask the agent to note a prompt that gets no brief of its own and sounds as if it should last."""
    asks = hook_settings["brief.nudge"] and hook_settings["hooks.inject"] == FIRST and moment.kind == events.PROMPT
    if not asks:
        return ""
    from holdfast.agents.injected import without_additions
    from holdfast.model.ids import session_ref
    from holdfast.service.briefs import nudge_alone

    watchdog.within(BRIEFING_MS)
    ceiling = hook_settings["brief.ceiling"]
    text = nudge_alone(
        without_additions(moment.text),
        place.root,
        session_ref(client, moment.session),
        module.AGENT,
        ceiling if isinstance(ceiling, int) else None,
    )
    return text if text and marks.first(*told_to, f"{marks.PROMPTED}-{moment.key}"[:80], _AGAIN_S) else ""


def _drain(moment: "AgentEvent", root: str, folder: str) -> None:
    """Start the worker where it is time for it."""
    if not _due(moment, folder):
        return
    from holdfast.machine import detached

    detached.start_worker(root)


def _due(moment: "AgentEvent", folder: str) -> bool:
    if moment.kind in (events.COMPACT, events.END):
        return True
    if moment.kind == events.PAUSE:
        return marks.first(folder, "worker", "paused", _DRAIN_PAUSE_S)
    if moment.kind not in (events.START, events.REPLY):
        return False
    size, since = spool.extent(folder)
    left_over = moment.kind == events.START and since < time.time() - _LEFT_OVER_S
    return (left_over or size > _LARGE_BYTES) and marks.first(folder, "worker", "paused", _DRAIN_PAUSE_S)


def _briefs(moment: "AgentEvent", hook_settings: "Settings", folder: str, name: str) -> bool:
    """Say whether this moment hands out a brief, and is the first of its event to."""
    inject = hook_settings["hooks.inject"]
    if inject == NEVER or moment.kind not in (events.START, events.PROMPT):
        return False
    watchdog.within(BRIEFING_MS)
    if moment.kind == events.START:
        return marks.first(folder, name, f"{marks.STARTED}-{moment.source or 'startup'}"[:40], _AGAIN_S)
    if inject == FIRST and not marks.first(folder, name, marks.PROMPTED):
        return False
    return marks.first(folder, name, f"{marks.PROMPTED}-{moment.key}"[:80], _AGAIN_S)


def _is_later(moment: "AgentEvent", hook_settings: "Settings", folder: str, name: str) -> bool:
    """Say whether a prompt follows others, and only what is new and plainly applies is wanted then."""
    if moment.kind != events.PROMPT or hook_settings["hooks.inject"] != NEW:
        return False
    return not marks.first(folder, name, marks.PROMPTED)


def _compile_settings(root: str) -> "Settings":
    watchdog.extend(COMPILING_MS)
    from holdfast.interfaces.hooks.compiled import compile_settings

    return compile_settings(root)


def _text(value: object) -> "str | None":
    return value if isinstance(value, str) else None


def _texts(value: object) -> "tuple[str, ...]":
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
