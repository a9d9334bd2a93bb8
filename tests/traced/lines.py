"""A line for every command of the command line, in the order of a day's work; or why a command has none."""

import re
from typing import NamedTuple

_ADDED = re.compile(r"as ([0-9a-f]{8,})")
_ID = re.compile(r"\b([0-9a-f]{8})\b")
_WHOLE_ID = re.compile(r'"id": "([^"]+)"')


class Line(NamedTuple):
    """A command as it is typed, the name under which later lines know an id it prints, and how to tell that id.

    It may write besides: to these files, by patterns from the project or from the home directory.
    """

    words: str
    keeps: str = ""
    told: re.Pattern[str] = _ADDED
    writes: tuple[str, ...] = ()
    typed: str = ""


LINES = (
    Line("init"),
    Line('add "We settled on Postgres LISTEN/NOTIFY for the job queue" --kind decision --tags db', "queue"),
    Line('remember "Never edit the generated client by hand" --kind warning --file src/client.py', "client"),
    Line('save "Prefer small commits" --user', "own"),
    Line("add -", "piped", typed="Deploys go out on Tuesdays"),
    Line('add "Always squash commits before merging"', "squash"),
    Line('add "Never squash commits before merging"', "merge"),
    Line("review --json"),
    Line("conflicts --json", "conflict", _WHOLE_ID),
    Line("review show {conflict}"),
    Line("review keep {conflict} older"),
    Line("review undo"),
    Line('review edit {conflict} "Squash commits that nobody else has"'),
    Line("review undo {conflict}"),
    Line("review drop {conflict}"),
    Line("review undo"),
    Line("conflicts resolve {conflict} --keep {squash}"),
    Line('search "how do jobs get to workers"'),
    Line('search "queue" --within all --all-projects --json'),
    Line('context "which queue do we use"'),
    Line("timeline {queue}"),
    Line("get {queue} {client}"),
    Line("list --json"),
    Line("update {client} --title Client"),
    Line("guard add {client} --path 'src/client.py'"),
    Line("guard list"),
    Line("guard test 'rm src/client.py'"),
    Line("guard touch {client}"),
    Line("guard remove {client}"),
    Line("check -", typed="--- a/notes.md\n+++ b/notes.md\n@@ -0,0 +1 @@\n+a line\n"),
    Line("pin {queue}"),
    Line("unpin {queue}"),
    Line("confirm {client}"),
    Line("supersede {client} {queue}"),
    Line("history {client}"),
    Line("session start --agent tester --json", "session", _WHOLE_ID),
    Line("session checkpoint {session}"),
    Line("session fork {session}"),
    Line("session list"),
    Line("session show {session}"),
    Line("session end {session}"),
    Line("alias add mq queue"),
    Line("alias list"),
    Line("alias remove mq queue"),
    Line("learn --again"),
    Line("learn --again --yes"),
    Line("ingest git"),
    Line("ingest files"),
    Line("ingest transcripts"),
    Line("watch --once"),
    Line("share", writes=("{project}/project-memory", "{project}/project-memory/*")),
    Line("export --output {project}/out.jsonl", writes=("{project}/out.jsonl", "{project}/.out.jsonl.*")),
    Line("export --into AGENTS.md", writes=("{project}/AGENTS.md", "{project}/.AGENTS.md.*")),
    Line("import {project}/out.jsonl"),
    Line("log --verify"),
    Line("status"),
    Line("help"),
    Line("help briefs"),
    Line("help brief.start_budget"),
    Line("stats"),
    Line("auto off"),
    Line("pause on"),
    Line("pause off"),
    Line("config list"),
    Line("config get search.floor"),
    Line("config path"),
    Line("config set backup.keep 3"),
    Line("config set brief.ceiling 900 --user"),
    Line("config unset backup.keep"),
    Line("config preset balanced"),
    Line("trust --dry-run"),
    Line("reindex"),
    Line("backup"),
    Line("backup --output {project}/copy.db", writes=("{project}/copy.db*", "{project}/.copy.db*")),
    Line("restore --yes"),
    Line("doctor --repair"),
    Line("doctor --scan-secrets"),
    Line("cleanup"),
    Line("prune --older-than 90d --yes"),
    Line("forget {piped} --dry-run"),
    Line("forget {piped} --yes"),
    Line("forget --backups"),
    Line("token create --name laptop --json", "token", _WHOLE_ID),
    Line("token list"),
    Line("token revoke {token}"),
    Line('slash "/memory search queue"'),
    Line("completion bash", writes=("/var/run/nscd/socket",)),  # bash looks up its user there
    Line("demo"),
    Line("install all", writes=("{home}/.[!l]*", "{home}/.config/opencode", "{home}/.config/opencode/*")),
    Line("uninstall all --purge --yes", writes=("{home}/.[!l]*",)),
)

NONE = {
    "config edit": "it starts the editor that the user names, on a file that `config path` names",
    "mcp": "it is talked to in a scene of its own",
    "review accept": "a person has no proposals; what it carries out is each a line of its own",
    "serve": "it is asked in a scene of its own",
    "view": "it serves until it is ended, on this machine alone; its server is that of `serve`",
    "migrate-store": "it goes to a server that the user names, and nowhere else",
}
"""Commands without a line, and why."""
