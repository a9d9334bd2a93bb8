"""Run one headless session of a real coding client against the scripted model.

    python drive.py CLIENT --clients DIR --home HOME --project DIR --script steps.json --prompt TEXT

CLIENT is one of claude, codex, gemini, opencode, copilot, cline, installed in DIR by install.sh. HOME is
a scratch home into which the project under test has already installed its hooks and its MCP
server. That configuration is kept: what a client needs to reach the mock (provider, key, trust,
no questions asked) goes in through its environment, its command line and files under
HOME/.mock-model; only Gemini needs a setting merged into a file of its own. One JSON line, a
`SessionResult`, is printed.

From a test: ``from drive import run_session``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.clients.mock_model import MockModel, load_script, read_requests
from tests.clients.model_apis import Json, all_text

TAIL = 4000
DEFAULT_TIMEOUT = 180.0


class DriveError(Exception):
    """The session could not be started."""


# ---------------------------------------------------------------------------- the result


@dataclass
class SessionResult:
    """What came out of a session, and what the model was sent during it."""

    client: str
    exit_code: int | None
    timed_out: bool
    seconds: float
    requests_file: str
    transcript_paths: list[str]
    first_request_tools: list[str]
    first_request_deferred_tools: list[str]
    unplayed_tools: list[str]
    stdout_tail: str
    stderr_tail: str

    def to_json(self) -> str:
        """The result as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    def requests(self) -> list[Json]:
        """Every request of the conversation, oldest first (titles and routing left out)."""
        return conversation(self.requests_file)

    def first_request_text(self) -> str:
        """All text of the first request: what was injected before the model said anything."""
        requests = self.requests()
        return all_text(requests[0]["body"]) if requests else ""

    def sent_text(self) -> str:
        """All text that was sent in any request."""
        return all_text([request["body"] for request in self.requests()])

    def tool_results(self) -> list[Json]:
        """The tool results in the fullest history sent, each {"tool": name, "text": text}."""
        histories = [request["tool_results"] for request in self.requests()]
        return max(histories, key=len, default=[])

    def tool_calls(self) -> list[str]:
        """The tools that the model called, in order."""
        called = [request["reply"]["tool"] for request in self.requests()]
        return [name for name in called if name]


def conversation(requests_file: Path | str) -> list[Json]:
    """The recorded model requests that belong to the conversation."""
    return [r for r in read_requests(requests_file) if r["api"] and not r["side"]]


# --------------------------------------------------------------------------- the clients


@dataclass(frozen=True)
class Setup:
    """What a client is prepared from."""

    binary: Path
    home: Path
    project: Path
    prompt: str
    url: str
    mcp_servers: Json

    def own_file(self, name: str, value: Any) -> str:
        """Write a file of the kit's own, outside the client's configuration; return its path."""
        path = scratch_of(self.home) / name
        write_json(path, value)
        return str(path)


@dataclass(frozen=True)
class Launch:
    """How to start a client."""

    argv: list[str]
    env: dict[str, str] = field(default_factory=dict)


def launch_claude(setup: Setup) -> Launch:
    """Claude Code: address and key from the environment; servers of .mcp.json are approved."""
    settings = {"enableAllProjectMcpServers": True}
    argv = [str(setup.binary), "-p", setup.prompt, "--output-format", "json"]
    argv += ["--dangerously-skip-permissions", "--settings", json.dumps(settings)]
    if setup.mcp_servers:
        config = {"mcpServers": setup.mcp_servers}
        argv += ["--mcp-config", setup.own_file("claude-mcp.json", config)]
    env = {
        "ANTHROPIC_BASE_URL": setup.url,
        "ANTHROPIC_API_KEY": "mock",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",  # or it refuses to skip permissions for root
    }
    return Launch(argv, env)


def toml_value(value: Any) -> str:
    """Write strings, lists and tables as inline TOML."""
    if isinstance(value, Mapping):
        pairs = (f"{toml_value(str(k))} = {toml_value(v)}" for k, v in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    return json.dumps(value)


def launch_codex(setup: Setup) -> Launch:
    """Codex: the provider and the project's trust as -c overrides of config.toml."""
    provider = {"name": "mock", "base_url": f"{setup.url}/v1", "wire_api": "responses"}
    overrides: Json = {
        "model": "mock",
        "model_provider": "mock",
        "model_providers": {"mock": provider},
        "projects": {str(setup.project): {"trust_level": "trusted"}},
        "check_for_update_on_startup": False,
    }
    overrides |= {f"mcp_servers.{name}": spec for name, spec in setup.mcp_servers.items()}
    argv = [str(setup.binary), "exec", "--json", "--skip-git-repo-check"]
    argv += ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
    for key, value in overrides.items():
        argv += ["-c", f"{key}={toml_value(value)}"]
    return Launch([*argv, setup.prompt])


def launch_gemini(setup: Setup) -> Launch:
    """Gemini CLI: address, key and trust from the environment.

    The kind of login can only be said in settings.json, so it is merged into the user's. (A
    system settings file is refused when any folder above it is writable by others, as the
    system's temporary folder is.)
    """
    path = setup.home / ".gemini" / "settings.json"
    settings = read_settings(path)
    settings.setdefault("security", {}).setdefault("auth", {})["selectedType"] = "gemini-api-key"
    settings.setdefault("privacy", {}).setdefault("usageStatisticsEnabled", False)
    if setup.mcp_servers:
        settings["mcpServers"] = setup.mcp_servers | settings.get("mcpServers", {})
    write_json(path, settings)
    env = {
        "GEMINI_API_KEY": "mock",
        "GOOGLE_GEMINI_BASE_URL": setup.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",  # or MCP servers and extensions are off
    }
    return Launch([str(setup.binary), "-y", "-p", setup.prompt, "--output-format", "json"], env)


def read_settings(path: Path) -> Json:
    """Read a client's JSON settings; none are the same as empty ones."""
    if not path.exists():
        return {}
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise DriveError(f"{path} is not plain JSON, so nothing can be merged into it") from error


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def launch_opencode(setup: Setup) -> Launch:
    """OpenCode: one more layer of configuration, merged over the files."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "mock",
        "options": {"baseURL": f"{setup.url}/v1", "apiKey": "mock"},
        "models": {"mock": {"name": "mock", "tool_call": True}},
    }
    config: Json = {
        "model": "mock/mock",
        "provider": {"mock": provider},
        "permission": "allow",
        "autoupdate": False,
        "share": "disabled",
        "mcp": {name: opencode_server(spec) for name, spec in setup.mcp_servers.items()},
    }
    env = {
        "OPENCODE_CONFIG_CONTENT": json.dumps(config),
        "OPENCODE_DISABLE_AUTOUPDATE": "true",
        "OPENCODE_DISABLE_MODELS_FETCH": "true",
        "npm_config_offline": "true",  # its npm install of the plugin API then fails at once
    }
    return Launch([str(setup.binary), "run", "--format", "json", setup.prompt], env)


def opencode_server(spec: Json) -> Json:
    """Turn a standard MCP server entry into OpenCode's."""
    command = [spec["command"], *spec.get("args", [])]
    return {
        "type": "local",
        "command": command,
        "environment": spec.get("env", {}),
        "enabled": True,
    }


def launch_copilot(setup: Setup) -> Launch:
    """Copilot CLI: its documented offline mode with a provider of one's own."""
    argv = [str(setup.binary), "-p", setup.prompt, "--allow-all-tools", "--no-auto-update"]
    if setup.mcp_servers:
        config = {
            "mcpServers": {
                n: {"type": "local", "tools": ["*"], "args": [], **spec} for n, spec in setup.mcp_servers.items()
            }
        }
        argv += ["--additional-mcp-config", "@" + setup.own_file("copilot-mcp.json", config)]
    env = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{setup.url}/v1",
        "COPILOT_MODEL": "gpt-5",
        "COPILOT_ALLOW_ALL": "true",
    }
    return Launch(argv, env)


def launch_cline(setup: Setup) -> Launch:
    """Cline: the provider in a file of the kit's own; without a daemon, which would outlive the session."""
    if setup.mcp_servers:
        raise DriveError("cline takes its servers from its settings only: install them into HOME first")
    settings = {"provider": "openai-compatible", "apiKey": "mock", "model": "mock", "baseUrl": f"{setup.url}/v1"}
    provider = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    providers = {"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}}
    env = {
        "CLINE_PROVIDER_SETTINGS_PATH": setup.own_file(
            "cline-providers.json", {**providers, "providers": {"openai-compatible": provider}}
        ),
        "CLINE_SESSION_BACKEND_MODE": "local",
        "CLINE_NO_AUTO_UPDATE": "1",
    }
    return Launch([str(setup.binary), "--json", "--auto-approve", "true", setup.prompt], env)


@dataclass(frozen=True)
class Client:
    """A client: how it is started, and where it leaves its transcripts under HOME."""

    launch: Callable[[Setup], Launch]
    transcripts: str


CLIENTS: dict[str, Client] = {
    "claude": Client(launch_claude, ".claude/projects/**/*.jsonl"),
    "codex": Client(launch_codex, ".codex/sessions/**/*.jsonl"),
    "gemini": Client(launch_gemini, ".gemini/tmp/*/chats/**/*.json*"),
    "opencode": Client(launch_opencode, ".local/share/opencode/opencode.db"),
    "copilot": Client(launch_copilot, ".copilot/session-state/*/events.jsonl"),
    "cline": Client(launch_cline, ".cline/data/sessions/*/*.messages.json"),
}
HOOKED = [name for name in CLIENTS if name != "cline"]
"""Who is briefed and recorded by hooks of ours."""


# ----------------------------------------------------------------------------- running


def find_binary(clients: Path, client: str) -> Path:
    """Return the client's command, as install.sh leaves it."""
    binary = clients / client / "node_modules" / ".bin" / client
    if not binary.exists():
        raise DriveError(f"{client} is not installed in {clients}: run install.sh {clients}")
    return binary


def base_env(clients: Path, home: Path) -> dict[str, str]:
    """A bare environment: nothing of the caller's but PATH and TMPDIR."""
    path = os.environ.get("PATH", os.defpath)
    node = clients / "node" / "node_modules" / ".bin"
    env = {"HOME": str(home), "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1"}
    env["PATH"] = f"{node}{os.pathsep}{path}" if node.is_dir() else path
    return env | {k: os.environ[k] for k in ("TMPDIR",) if k in os.environ}


def require_node(env: Mapping[str, str]) -> None:
    """Most of the clients are started by a Node script."""
    if shutil.which("node", path=env["PATH"]) is None:
        raise DriveError("node is missing: install Node.js 22, or run install.sh where one exists")


def load_mcp_servers(path: Path | str | None) -> Json:
    """Read the servers from a file in the standard {"mcpServers": {…}} form."""
    if path is None:
        return {}
    servers = json.loads(Path(path).read_text(encoding="utf-8")).get("mcpServers")
    if not isinstance(servers, dict):
        raise DriveError(f'{path} has no "mcpServers" object')
    return servers


def scratch_of(home: Path) -> Path:
    """The folder in HOME that is the kit's own."""
    return home / ".mock-model"


def fresh_requests_file(home: Path, client: str) -> Path:
    """Create a file not used yet, so that sessions in one home do not overwrite each other."""
    scratch_of(home).mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        path = scratch_of(home) / f"{client}-{number}.jsonl"
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        return path
    raise AssertionError("unreachable")


def run_bounded(
    launch: Launch, env: Mapping[str, str], cwd: Path, timeout: float, log: Path
) -> tuple[int | None, str, str]:
    """Run to the end or to the time limit; return the exit code (None: time limit) and output.

    Output goes to files, not pipes: a process that a hook left behind could hold a pipe open.
    """
    out, err = log.with_suffix(".stdout"), log.with_suffix(".stderr")
    with out.open("wb") as out_file, err.open("wb") as err_file:
        process = subprocess.Popen(
            launch.argv, env={**env}, cwd=cwd, stdin=subprocess.DEVNULL,
            stdout=out_file, stderr=err_file, start_new_session=True,
        )  # fmt: skip
        try:
            code: int | None = process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            stop_group(process)
    return code, tail(out), tail(err)


def stop_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a client that is still running, with everything in its process group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def tail(path: Path) -> str:
    """The end of a text file."""
    return path.read_text(encoding="utf-8", errors="replace")[-TAIL:]


def transcript_stamps(home: Path, pattern: str) -> dict[str, list[int]]:
    """When each transcript (or its SQLite write-ahead log) was last written."""
    both = {path: (path, Path(f"{path}-wal")) for path in home.glob(pattern)}
    return {str(p): [f.stat().st_mtime_ns for f in files if f.exists()] for p, files in both.items()}


def run_session(
    client: str,
    *,
    clients: Path | str,
    home: Path | str,
    project: Path | str,
    script: Any,
    prompt: str,
    mcp_config: Path | str | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    requests_file: Path | str | None = None,
    env: Mapping[str, str] | None = None,
    extra_args: Iterable[str] = (),
) -> SessionResult:
    """Run one session and say what happened.

    `script` is a list of steps or the path of a file with one. `mcp_config` names servers that
    the project under test has not installed itself. `env` and `extra_args` are handed to the
    client on top of what it needs.
    """
    if client not in CLIENTS:
        raise DriveError(f"unknown client {client!r} (known: {', '.join(CLIENTS)})")
    clients, home, project = (Path(p).resolve() for p in (clients, home, project))
    steps = load_script(script) if isinstance(script, (str, Path)) else script
    servers = load_mcp_servers(mcp_config)
    binary = find_binary(clients, client)
    full_env = base_env(clients, home)
    require_node(full_env)
    requests = Path(requests_file).resolve() if requests_file else fresh_requests_file(home, client)
    pattern = CLIENTS[client].transcripts
    before = transcript_stamps(home, pattern)
    start = time.monotonic()
    with MockModel(steps, requests) as model:
        launch = CLIENTS[client].launch(Setup(binary, home, project, prompt, model.url, servers))
        launch = Launch([*launch.argv, *extra_args], launch.env)
        full_env |= launch.env | dict(env or {})
        code, out, err = run_bounded(launch, full_env, project, timeout, requests)
        unplayed = model.unplayed_tools
    seconds = time.monotonic() - start
    after = transcript_stamps(home, pattern)
    nothing: Json = {"tools": [], "deferred_tools": []}
    first = next(iter(conversation(requests)), nothing)
    return SessionResult(
        client=client,
        exit_code=code,
        timed_out=code is None,
        seconds=round(seconds, 2),
        requests_file=str(requests),
        transcript_paths=sorted(p for p in after if after[p] != before.get(p)),
        first_request_tools=first["tools"],
        first_request_deferred_tools=first["deferred_tools"],
        unplayed_tools=unplayed,
        stdout_tail=out,
        stderr_tail=err,
    )


def parse_args(argv: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Run one client session against the mock model.")
    parser.add_argument("client", choices=list(CLIENTS))
    parser.add_argument("--clients", required=True, help="where install.sh put the clients")
    parser.add_argument("--home", required=True, help="scratch HOME of the session")
    parser.add_argument("--project", required=True, help="directory the client works in")
    parser.add_argument("--script", required=True, help="JSON file: the model's steps")
    parser.add_argument("--prompt", required=True)
    parser.add_argument("--mcp-config", help='{"mcpServers": {…}} that is not installed in HOME')
    parser.add_argument("--requests", help="where to record (default: a new file under HOME)")
    parser.add_argument("--timeout", type=float, default=DEFAULT_TIMEOUT, help="seconds")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--arg", action="append", default=[], help="further client argument")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Run a session from the command line."""
    options = parse_args(argv)
    try:
        result = run_session(
            options.client,
            clients=options.clients,
            home=options.home,
            project=options.project,
            script=options.script,
            prompt=options.prompt,
            mcp_config=options.mcp_config,
            timeout=options.timeout,
            requests_file=options.requests,
            env=dict(pair.split("=", 1) for pair in options.env),
            extra_args=options.arg,
        )
    except (DriveError, OSError, ValueError) as error:
        print(f"drive.py: {error}", file=sys.stderr)
        return 2
    print(result.to_json())
    return 0 if result.exit_code == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
