"""The recorded transcripts, put where their agents would have left them; and the hooks that were told the same."""

import hashlib
import importlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from holdfast.agents import spool
from holdfast.agents.events import entry_of
from holdfast.capture.text.clean import Cleaner
from holdfast.ingest.locate import CLIENTS
from holdfast.ingest.transcripts import AGENTS, Transcripts
from holdfast.model.ingest import TranscriptsIngested
from holdfast.service.service import Service
from holdfast.storage.drain import drain
from holdfast.storage.ingest import seen_transcripts, transcripts_of

FIXTURES = Path(__file__).parents[2] / "clients" / "fixtures"
RECORDED = FIXTURES / "transcripts"
WHERE = "/".join(("", "home", "dev", "shop"))
CLAUDE = "8e7d9560-971f-4eb6-a4df-d74f394c631b"
HELPER = "a40a4bcda112f844e"
GEMINI_HASH = "05b4ee58e2f16d274a854f40c3b795693b6fb9bc83a596d366df62d2082ec9c0"

_ORDER = {
    "claude": ("UserPromptSubmit", "PostToolUse", "SubagentStop", "Stop"),
    "codex": ("UserPromptSubmit", "PostToolUse", "Stop"),
    "gemini": ("BeforeAgent", "AfterTool", "AfterAgent"),
    "opencode": ("chat.message", "tool.execute.after", "experimental.text.complete"),
    "copilot": ("userPromptSubmitted", "postToolUse"),
}


class Recordings:
    """A home with the transcripts of sessions in one project."""

    def __init__(self, home: Path, project: Path) -> None:
        self.home = home
        self.project = project

    @property
    def claude(self) -> Path:
        return self.home / ".claude" / "projects" / "-home-dev-shop" / f"{CLAUDE}.jsonl"

    @property
    def codex(self) -> Path:
        return self.home / ".codex" / "sessions" / "2026" / "11" / "15" / "rollout-x.jsonl"

    @property
    def gemini(self) -> Path:
        return self.home / ".gemini" / "tmp" / "shop" / "chats" / "session-x.jsonl"

    @property
    def copilot(self) -> Path:
        return self.home / ".copilot" / "session-state" / "x" / "events.jsonl"

    @property
    def opencode(self) -> Path:
        return self.home / ".local" / "share" / "opencode" / "opencode.db"

    def put(self, where: Path | None = None) -> None:
        """Put every recording into its place, as if it had happened in a directory: the project's, or another."""
        place = str(where or self.project)
        helper = self.claude.with_suffix("") / "subagents" / f"agent-{HELPER}.jsonl"
        hashed = hashlib.sha256(place.encode()).hexdigest()
        for path, name in (
            (self.claude, "claude-session.jsonl"),
            (helper, "claude-subagent.jsonl"),
            (self.codex, "codex-rollout.jsonl"),
            (self.gemini, "gemini-chat.jsonl"),
            (self.copilot, "copilot-events.jsonl"),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            text = (RECORDED / name).read_text("utf-8")
            path.write_text(text.replace(WHERE, place).replace(GEMINI_HASH, hashed), "utf-8")
        self.opencode.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(RECORDED / "opencode.db", self.opencode)
        with sqlite3.connect(self.opencode) as database:
            database.execute("UPDATE session SET directory = ?", (place,))
        database.close()

    def say(self, text: str, session: Path | None = None, **more: object) -> None:
        """Let a person go on in Claude's session."""
        line = {
            "type": "user",
            "sessionId": CLAUDE,
            "cwd": str(self.project),
            "promptId": f"p-{text}",
            "uuid": f"u-{text}",
            "timestamp": "2026-11-15T07:00:00.000Z",
            "message": {"role": "user", "content": text},
        }
        path = session or self.claude
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line | more) + "\n")

    def touch(self, file: str) -> None:
        """Let an agent work on a file in Claude's session."""
        used = {"type": "tool_use", "id": f"t-{len(file)}", "name": "Edit", "input": {"file_path": file}}
        answered = {"type": "tool_result", "tool_use_id": f"t-{len(file)}", "content": "done"}
        self.say("", type="assistant", message={"role": "assistant", "content": [used]}, uuid="u-used")
        self.say("", message={"role": "user", "content": [answered]}, uuid="u-answered")

    def hear(self, client: str) -> None:
        """Let hooks be told of the recorded session, and take in what they spooled."""
        module = importlib.import_module(f"holdfast.agents.{client}")
        moment: Callable[[str, object], object] = module.moment
        wanted = self._session(client)
        folder = spool.prepare(str(self.project))
        for event in _ORDER[client]:
            for payload in json.loads((FIXTURES / client / f"{event}.json").read_text("utf-8")):
                found = moment(event, payload)
                if found is None or found.session != wanted:  # type: ignore[attr-defined]  # a Moment
                    continue
                entry, _ = entry_of(client, AGENTS[client], found, Cleaner(), 0)  # type: ignore[arg-type]  # as above
                if entry:
                    spool.append(folder, spool.name_of(client, wanted), entry)
        drain(str(self.project))

    def _session(self, client: str) -> str:
        return {
            "claude": CLAUDE,
            "codex": "01a1dded-4577-7a60-a314-8196c26c4b49",
            "gemini": "6bb5a9fc-abf6-47bb-aac4-a2a8870a6f5e",
            "opencode": "ses_e2210e7f1ffeLmQPQx6ntcKGcr",
            "copilot": "65127904-edbc-4848-8a7b-7b30f644484e",
        }[client]


def ingest(service: Service, project: Path, *clients: str, dry_run: bool = False) -> TranscriptsIngested:
    """Read what agents left."""
    with ExitStack() as stack:
        sources = list(transcripts_of(project).of_project(clients or CLIENTS, stack))
        return Transcripts(service, seen_transcripts(service), dry_run).ingest(sources)


def age(path: Path, seconds: int) -> None:
    """Let a file be as old as that."""
    now = path.stat().st_mtime
    os.utime(path, (now - seconds, now - seconds))
