"""The answers of `holdfast`, a process a command, on one project; and of `holdfast-hook`, through sessions.

Commands that serve, start an editor, go to a server or answer with figures of this machine are left out.
"""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

from scripts.golden.answers import Mask, Plain, lines_of
from scripts.golden.checkout import NOW, Checkout, environment, run
from scripts.golden.story import without_varying

COMMANDS = """
init
add "We settled on Postgres LISTEN/NOTIFY for the job queue" --kind decision --tags db --json > queue
remember "Never edit the generated client by hand" --kind warning --file src/client.py --json > client
save "Prefer small commits" --user --json > own
add "Deploys go out on Tuesdays" --json > deploys
add "Always squash commits before merging" --json > squash
add "Never squash commits before merging" --json > merge
add "We settled on Postgres LISTEN/NOTIFY for the job queue"
add "   "
add "text" --kind sort
ad "text"
review --json
review
conflicts
conflicts --json > conflict
review show {conflict}
review keep {conflict} older
review undo
review edit {conflict} "Squash commits that are not shared"
review undo {conflict}
conflicts resolve {conflict} --keep {squash}
search "how do jobs get to workers"
search "how do jobs get to workers" --json
search "queue" --within all --all-projects --json
search "nothing of the sort at all"
context "which queue do we use"
context "which queue do we use" --json
context --json
timeline {queue}
get {queue} {client}
get {queue} --json
get ffffffff
list
list --json
update {client} --title Client --json
pin {queue} --json
list --json --kind decision
unpin {queue}
confirm {client}
supersede {client} {queue}
history {client}
history {client} --json
session start --agent tester --json > session
session checkpoint {session}
session fork {session} --json
session list --json
session show {session}
session end {session}
alias add mq queue
alias list
search mq --json
alias remove mq queue
ingest git --json
ingest files --json
share --json
export --json
export --output out.jsonl
export --format markdown
export --into AGENTS.md
import out.jsonl --json
log --json
log --verify
status --json
help
help briefs
help brief.start_budget
stats --json
auto off
pause on
add "while it is paused"
pause off
config list
config get search.floor
config set backup.keep 3
config set search.floor 7
config set brief.ceiling 900 --user
config unset backup.keep
config preset balanced
trust --dry-run
reindex
backup
restore --yes
doctor
doctor --scan-secrets
cleanup --json
prune --older-than 90d --yes --json
forget {deploys} --dry-run --json
forget {deploys} --yes --json
forget --backups
search "deploys on Tuesdays" --json
slash "/memory search queue"
slash "/memory status"
completion bash
--version
--help
"""

_VARYING = re.compile(
    r"\d+(?:[.,]\d+)* ?(?:ms|MB|KB|kB|GB|bytes|B)\b|in \d+(?:\.\d+)? s\b|\d+(?:\.\d+)? (?:seconds|percent)"
)
_TIMES = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d[:-]\d\d(?:[:-]\d\d(?:[.,]\d+)?)?Z?|\b\d{8}T\d{6}Z?")
_TOKENS = re.compile(r"~?\d+ tokens")
PROMPTS = 24
ASKED = 1_777_000_000_000
"""When hooks are asked: some days after the last session of the decisions."""


def answers(checkout: Checkout, place: Path) -> dict[str, Plain]:
    """Run the commands in their order, each a minute after the one before."""
    project = place / "commands"
    project.mkdir()
    (project / "README.md").write_text("# Shop\n\nPrices are stored in integer cents.\n", encoding="utf-8")
    variables = environment(place) | {"HOLDFAST_EMBEDDING_MODEL": "hashing", "HOLDFAST_PROJECT_ID": "acme/app"}
    _git(project, variables)
    mask = Mask({str(place): "<place>", str(checkout.folder): "<checkout>"})
    known: dict[str, str] = {}
    recorded: dict[str, Plain] = {}
    for number, line in enumerate(COMMANDS.strip().splitlines()):
        words, _, keeps = line.partition(" > ")
        typed = [word.format(**known) for word in shlex.split(words)]
        moment = {"GOLDEN_CLOCK": str(NOW + number * 60_000)}
        done = run([checkout.program("holdfast"), *typed], variables | moment, project)
        if keeps:
            known[keeps] = _identifier(done.out)
        answer: Plain = {"code": done.code, "out": _shown(done.out), "err": _shown(done.err)}
        recorded[f"{number:02} {words}"] = mask.cover(f"{number:02}", answer)
    return recorded


def hook_answers(checkout: Checkout, place: Path, prompts: list[str]) -> dict[str, Plain]:
    """Ask `holdfast-hook` as a client does, over the store of decisions: a start and a prompt, then a new session.

    What waits to be moved into the store is removed after each session, so that no later one hears of it.
    """
    project = place / "decisions"
    recorded: dict[str, Plain] = {}
    for number, prompt in enumerate(prompts):
        variables = environment(place, ASKED + number * 60_000) | {"HOLDFAST_PROJECT_ID": "decisions"}
        payload = {"session_id": f"golden-{number}", "cwd": str(project), "prompt_id": "1", "prompt": prompt}
        events: dict[str, dict[str, str]] = {"SessionStart": {"source": "startup"}, "UserPromptSubmit": {}}
        for event, fields in events.items():
            typed = json.dumps(payload | {"hook_event_name": event} | fields)
            done = run([checkout.program("holdfast-hook"), "claude", event], variables, project, typed)
            text = str(json.loads(done.out)["hookSpecificOutput"]["additionalContext"]) if done.out else ""
            recorded[f"{number} {event}"] = Mask().cover("", {"code": done.code, "text": lines_of(text)})
        shutil.rmtree(place / "data" / "spool", ignore_errors=True)
    return recorded


def _shown(output: str) -> Plain:
    """Return an output as JSON without what varies, or line by line."""
    try:
        return without_varying(json.loads(output))
    except ValueError:
        pass
    return list(_lines(output))


def _lines(output: str) -> Iterator[Plain]:
    for line in lines_of(output):
        yield _TOKENS.sub("<tokens>", _TIMES.sub("<time>", _VARYING.sub("<figure>", str(line))))


def _identifier(output: str) -> str:
    """Return the id that a command printed as JSON."""
    found = re.search(r'"id": "([^"]+)"', output)
    return found[1] if found else "00000000"


def _git(project: Path, variables: dict[str, str]) -> None:
    """Make the project a work tree with a commit whose hash is always the same."""
    who = {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in _PERSON.items()}
    for words in (["init", "-q", "-b", "main"], ["add", "README.md"], ["commit", "-qm", "Store prices in cents"]):
        run(["git", *words], variables | who, project, check=True)


_PERSON = {"NAME": "Ada", "EMAIL": "ada@example.com", "DATE": "2026-01-02T03:04:05Z"}
