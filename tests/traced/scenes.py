"""What is traced: each way into holdfast with every verb of it, run by `python -m tests.traced.scenes NAME`.

The current directory is the project; home and environment are those of a new user.
"""

import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tests.traced.lines import LINES, Line
from tests.traced.trace import mark

if TYPE_CHECKING:
    from holdfast import Holdfast


def command_line() -> None:
    """Type every line. Each is a process of its own, for which the imports are done once."""
    from holdfast.interfaces.cli import entry

    mark("import")
    _import_commands()
    known = {"project": os.getcwd(), "home": os.environ["HOME"]}
    for line in LINES:
        words = shlex.split(line.words.format(**known))
        mark(line.words)
        code, said = _forked(lambda words=words: _program(entry.main, words), line)  # type: ignore[misc]  # a default
        assert code == 0, f"{line.words}: {said}"
        if line.keeps:
            found = line.told.search(said)
            assert found, said
            known[line.keeps] = found[1]


def _import_commands() -> None:
    import importlib

    from holdfast.interfaces.cli.main import COMMANDS

    for place, _ in COMMANDS.values():
        importlib.import_module(f"holdfast.interfaces.cli.commands.{place.partition(':')[0]}")
    for name in ("numpy", "holdfast.storage.open", "holdfast.storage.guard", "holdfast.service.briefs"):
        importlib.import_module(name)


def _program(main: Callable[[], None], words: list[str]) -> None:
    sys.argv = ["holdfast", *words]
    main()


def _forked(act: Callable[[], None], line: Line) -> tuple[int, str]:
    """Do something in a child; return its exit code and what it printed."""
    reading, writing = os.pipe()
    feeding, fed = os.pipe()
    child = os.fork()
    if child == 0:
        for handle, stream in ((feeding, 0), (writing, 1), (writing, 2)):
            os.dup2(handle, stream)
        os.closerange(3, 256)
        code = 1
        try:
            act()
        except SystemExit as end:
            code = int(str(end.code or 0))
        finally:
            sys.stdout.flush()
            os._exit(code)
    for handle in (writing, feeding):
        os.close(handle)
    with os.fdopen(fed, "w") as typing:
        typing.write(line.typed)
    with os.fdopen(reading, "rb") as printed:
        said = printed.read().decode("utf-8", "replace")
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def hooks() -> None:
    """Tell the hook of each client the events that it is told of, then wait for the workers."""
    from holdfast.agents import spool
    from tests.hooking import hook

    for client, event, payload in (*_recorded(), *_cursor()):
        mark(f"{client} {event}")
        done = hook(client, event, payload)
        assert (done.code, done.err) == (0, ""), done
    _wait(lambda: not spool.roots(), "the spool is not drained")


def _recorded() -> Iterator[tuple[str, str, object]]:
    """Payloads that the real clients sent, as if they had been here."""
    from tests.agents.test_hook_clients import module_of
    from tests.interfaces.hooks.recorded import SHOP, events, recorded

    for name in ("claude", "codex", "gemini", "opencode", "copilot", "copilot_user"):
        known = module_of(name).EVENTS
        for event in events(name):
            if event.removeprefix("event_") in known or name == "copilot_user":
                text = json.dumps(recorded(name, event)[0]).replace(SHOP, os.getcwd())
                yield name.removesuffix("_user"), event, json.loads(text)


def _cursor() -> Iterator[tuple[str, str, object]]:
    """Payloads as Cursor's makers document them."""
    common = {"conversation_id": "c1", "generation_id": "g1", "workspace_roots": [os.getcwd()]}
    own: dict[str, dict[str, object]] = {
        "sessionStart": {"session_id": "c1"},
        "beforeSubmitPrompt": {"prompt": "Never raise the limit without asking me."},
        "postToolUse": {"tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_output": "a"},
        "postToolUseFailure": {"tool_name": "Shell", "error_message": "no such file"},
        "afterAgentResponse": {"text": "Understood."},
        "preCompact": {},
        "sessionEnd": {"session_id": "c1", "reason": "completed"},
    }
    yield from (("cursor", event, common | fields) for event, fields in own.items())


def _wait(until: Callable[[], bool], problem: str) -> None:
    for _ in range(1_200):
        if until():
            return
        time.sleep(0.05)
    raise AssertionError(problem)


def mcp() -> None:
    """Call every tool of the server that agents start, and whatever else it offers."""
    from holdfast.interfaces.mcp.catalogue import TOOLS
    from tests.interfaces.mcp import talk

    with talk.started(Path.cwd()) as program:
        mark("initialize")
        program.ask(talk.greeting())
        program.send(talk.INITIALIZED)
        added = "?"
        assert {tool for tool, _ in _CALLS} == set(TOOLS)
        for number, (tool, arguments) in enumerate(_CALLS, 1):
            mark(tool)
            given = arguments(added) if callable(arguments) else arguments
            answer = program.ask(talk.request(number, "tools/call", {"name": tool, "arguments": given}))
            assert not answer["result"].get("isError"), answer
            added = answer["result"]["structuredContent"].get("id", added)
        for number, method in enumerate(("tools/list", "resources/list", "prompts/list"), 100):
            mark(method)
            assert "result" in program.ask(talk.request(number, method))
        mark("hang up")
        assert program.hang_up()[2] == 0


_Arguments = Mapping[str, object] | Callable[[str], Mapping[str, object]]
_CALLS: tuple[tuple[str, _Arguments], ...] = (
    ("memory_add", {"content": "We settled on LISTEN/NOTIFY for the job queue", "kind": "decision"}),
    ("memory_search", {"query": "which job queue"}),
    ("memory_recall", {"query": "how do jobs get to workers"}),
    ("memory_timeline", lambda added: {"id": added}),
    ("memory_get", lambda added: {"ids": [added]}),
    ("memory_update", lambda added: {"id": added, "title": "The queue"}),
    ("memory_prune", {"days": 30}),
    ("memory_delete", lambda added: {"id": added}),
    ("memory_stats", {}),
)
"""A call of every tool; where it needs an id, it is what was added."""


def python() -> None:
    """Tell the story that has every verb of the Python API, with the bundled model."""
    from holdfast import Holdfast

    with Holdfast.open(Path.cwd()) as memory:
        _tell(memory)


def _tell(memory: "Holdfast") -> None:
    from tests.parity.story import tell

    for name, _ in tell(memory, lambda _: None):
        mark(f"after {name}")


def server() -> None:
    """Tell the same story to `holdfast serve` over HTTP, then ask for what is no verb."""
    from holdfast import Holdfast
    from tests.interfaces.http.served import a_token, program
    from tests.interfaces.mcp import talk

    mark("serve")
    with program(Path.cwd()) as running:
        with Holdfast.open(running.asking.url, token=a_token(name="ada")) as memory:
            _tell(memory)
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/api/whoami"):
            mark(path)
            assert running.asking("GET", path).status_code == 200, path
        mark("/mcp")
        search = talk.call(1, "memory_search", query="job queue")
        for message in (talk.greeting(), search):
            accept = {"Accept": "application/json, text/event-stream"}
            assert running.asking("POST", "/mcp", json=message, headers=accept).status_code == 200
        mark("stop")


SCENES = {act.__name__: act for act in (command_line, hooks, mcp, python, server)}

if __name__ == "__main__":
    SCENES[sys.argv[1]]()
