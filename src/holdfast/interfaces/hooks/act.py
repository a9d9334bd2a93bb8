"""Before a tool call: rules that it touches are told, guards asked about or enforced; after it, what became of it.

No store is opened: the rules are read from the file that they were compiled into, what happened goes to the spool,
and what the session was told stands in a mark of it, line by line:

    told RULE              it was told so far, since the context was last compacted
    file PATH              what is known of it was told
    call KEY REF RULE…     rules that were told, asked about or enforced at a call
    refused KEY            the call was refused once: said again it passes
    say KEY TEXT           told after the call, where the client takes nothing before it
    ran KEY N              so many rules' call ran as it was proposed

The hook never answers "allow": what a client refuses by itself stays refused. Light.
"""

import json
import os
import time
from collections.abc import Mapping, Sequence
from types import ModuleType

from holdfast.agents import spool
from holdfast.agents.events import OWN_TOOLS, AgentEvent, plain_id
from holdfast.interfaces.hooks import watchdog
from holdfast.interfaces.hooks.respond import ACTS, Marks
from holdfast.machine import failures
from holdfast.model.act import ASK, ASKED, CHANGED, DENY, PASSED, RAN, REFUSED, TELL, TOLD
from holdfast.model.ids import digest
from holdfast.recall.act import match
from holdfast.recall.act.verdict import RuleVerdict, verdicts_on

ACT = "act"
"""The kind of an entry in the spool."""

ACTING_MS = 500
MOST_CHARS = 480
"""Of what is said about a file: about 120 tokens."""

_AGAIN = "Said again unchanged, the same call passes and is counted."
_LEADS = ("told ", "file ")


def before_call(
    client: str, module: ModuleType, event: AgentEvent, root: str, settings: Mapping[str, object]
) -> str:
    """Return what the client is to be answered before a call; nothing where no rule is touched."""
    compiled_files = [path for path in (match.file_of(root), match.file_of(None)) if os.path.exists(path)]
    if not compiled_files or event.tool.replace("-", "_").endswith(tuple(OWN_TOOLS)):
        return ""
    watchdog.within(ACTING_MS)
    rules, known = _load(compiled_files, root)
    call = match.call_of(event.tool, dict(event.arguments))
    verdicts = verdicts_on(rules, call, root)
    file_notes = _file_notes(known, call.files, root) if settings["hooks.files"] else {}
    if not verdicts and not file_notes:
        return ""
    session = _ActSession(client, module, event, root)
    return session.enforce(verdicts) or session.tell(verdicts, file_notes)


def _load(compiled_files: Sequence[str], root: str) -> tuple[list[match.CompiledRule], dict[str, list[str]]]:
    """Read the compiled rules; a damaged file leaves a trace, and the call passes."""
    rules: list[match.CompiledRule] = []
    known: dict[str, list[str]] = {}
    for path in compiled_files:
        try:
            more_rules, more_files = match.load(path)
        except (ValueError, KeyError, TypeError) as error:
            failures.leave(ACT, root, error)
            continue
        rules += more_rules
        known.update(more_files)
    return rules, known


def _file_notes(known: dict[str, list[str]], files: Sequence[str], root: str) -> dict[str, str]:
    """Return what is known about the very files of a call, by path."""
    notes = {}
    for name in files[:4]:
        path = os.path.relpath(name, root) if os.path.isabs(name) else os.path.normpath(name)
        lines = known.get(path.replace("\\", "/"))
        if lines:
            notes[path] = f"Project memory on {path}: " + " · ".join(lines)
    return notes


class _ActSession:
    """A session that is about to run a call, and what it was told so far."""

    def __init__(self, client: str, module: ModuleType, event: AgentEvent, root: str) -> None:
        self._module, self._event = module, event
        self._marks = Marks(spool.prepare(root), spool.name_of(client, event.session))
        self._client = client
        self._lines = set(self._marks.read(ACTS).splitlines())
        self._key = key_of(event)

    def enforce(self, verdicts: Sequence[RuleVerdict]) -> str:
        """Return a question or a refusal where a guard is met; nothing where the call may pass."""
        strict = [verdict for verdict in verdicts if verdict.strength != TELL]
        if not strict:
            return ""
        strongest = strict[0]
        asks = strongest.strength == ASK
        if asks and self._module.ASKS:
            self._note([strongest], ASKED)
            return self._decide(ASK, f"{strongest.rule.line} Run it all the same?")
        if not strongest.hard and f"refused {self._key}" in self._lines:
            self._note([strongest], PASSED)
            return ""
        self._note([strongest], REFUSED, f"refused {self._key}")
        advice = "Ask the user first. " if asks else ""
        return self._decide(DENY, f"{strongest.rule.line} {advice}{'' if strongest.hard else _AGAIN}".rstrip())

    def tell(self, verdicts: Sequence[RuleVerdict], file_notes: Mapping[str, str]) -> str:
        """Return the lines that the session was not told yet, or keep them until the call has run."""
        untold = [one for one in verdicts if one.strength == TELL and f"told {one.rule.id}" not in self._lines]
        told_ids = [f"#{verdict.rule.id[-8:]}" for verdict in verdicts]
        notes = [
            path
            for path, note in file_notes.items()
            if f"file {path}" not in self._lines and not any(short in note for short in told_ids)
        ]
        if not untold and not notes:
            return ""
        lines = [verdict.rule.line for verdict in untold] + [file_notes[path][:MOST_CHARS] for path in notes]
        text = "\n".join(lines)
        later = [] if self._module.TELLS_BEFORE else [f"say {self._key} {json.dumps(text)}"]
        marks = [*(f"told {one.rule.id}" for one in untold), *(f"file {path}" for path in notes), *later]
        self._note(untold, TOLD, *marks)
        return self._decide(TELL, text) if self._module.TELLS_BEFORE else ""

    def _decide(self, strength: str, text: str) -> str:
        return str(self._module.decide(self._event_name(), strength, text))

    def _event_name(self) -> str:
        return next(str(name) for name, kind in self._module.EVENTS.items() if kind == self._event.kind)

    def _note(self, verdicts: Sequence[RuleVerdict], fate: str, *marks: str) -> None:
        """Write down what was said, for this session and for the store."""
        ids = [verdict.rule.id for verdict in verdicts]
        lines = [*marks, *([f"call {self._key} {self._event.ref or '-'} {' '.join(ids)}"] if ids else [])]
        self._marks.write(ACTS, "".join(f"{line}\n" for line in lines), "a")
        if ids:
            _record(self._client, self._module.AGENT, self._event, self._marks, ids, fate)


def after_call(client: str, agent: str, event: AgentEvent, marks: Marks) -> str:
    """Note that a call ran that rules were told about; return what its client could not be told before it."""
    lines = marks.read(ACTS).splitlines()
    key = key_of(event)
    said = next((line for line in lines if line.startswith(f"say {key} ")), "")
    for line in lines:
        lead, call_key, *rest = line.split(" ")
        if lead != "call" or f"ran {call_key} {len(rest) - 1}" in lines:
            continue
        same_ref = bool(event.ref) and rest[0] == event.ref
        if call_key != key and not same_ref:
            continue
        ids = rest[1:]
        marks.write(ACTS, f"ran {call_key} {len(ids)}\n" if call_key == key else "", "a")
        _record(client, agent, event, marks, ids, RAN if call_key == key else CHANGED)
        break
    if not said or f"said {key}" in lines:
        return ""
    marks.write(ACTS, f"said {key}\n", "a")
    return str(json.loads(said.split(" ", 2)[2]))


def begin_anew(marks: Marks) -> None:
    """Forget what the session was told: its context was compacted or cleared."""
    kept_lines = [line for line in marks.read(ACTS).splitlines() if not line.startswith(_LEADS)]
    marks.write(ACTS, "".join(f"{line}\n" for line in kept_lines))


def summary(marks: Marks) -> str:
    """Return the line for a person at a session's end."""
    lines = [line.split(" ") for line in marks.read(ACTS).splitlines()]
    told = sum(len(line) - 3 for line in lines if line[0] == "call")
    broken = sum(int(line[2]) for line in lines if line[0] == "ran")
    return f"holdfast: {told} told at the act, {max(0, told - broken)} kept, {broken} broken" if told else ""


def key_of(event: AgentEvent) -> str:
    """Return what is the same for a call said again, and for its result."""
    return digest(json.dumps([event.tool, event.arguments], sort_keys=True, default=str))[:16]


def _record(client: str, agent: str, event: AgentEvent, marks: Marks, ids: Sequence[str], fate: str) -> None:
    entry: spool.Entry = {
        "kind": ACT,
        "client": client,
        "agent": agent,
        "session": plain_id(event.session),
        "at": event.at or int(time.time() * 1_000),
        "rules": list(ids),
        "fate": fate,
    }
    spool.append(marks.folder, marks.name, entry)
