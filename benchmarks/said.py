"""Short statements typed in passing, through the real hooks: `python -m benchmarks.said [--show]`.

Thirty-five statements that should last and twenty that should not, each as the first and as the second prompt of a
session, each in a project of its own: session start, prompts and replies through `holdfast-hook`, then the end of
the session and the worker that it starts. Counted are the memories of the project then, rules and said apart.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.hooked import told

LASTING = (
    ("", "We use pnpm here, npm breaks the workspace links."),
    ("", "Add a retry to the invoice upload. Retries stop after five attempts, always: the bank locks us out."),
    ("", "all timestamps in the db are UTC, convert only in the UI"),
    ("I stored the total as a float.", "no, money is integer cents everywhere"),
    ("", "never push to main, open a PR even for typos"),
    ("", "please answer in German from now on, comments in code stay English"),
    ("", "don't touch the files in vendor/, they come from upstream"),
    ("Shall I write the migration by hand?", "no, migrations are always generated with alembic, never by hand"),
    ("", "the staging database gets wiped every night at 2"),
    ("", "ich meine: feature flags live in flags.yaml, not in code"),
    ("", "run the linter before you say you're done"),
    ("", "Customers in Switzerland pay in CHF, no conversion."),
    ("", "Remember that the API key for maps is rotated on the first of each month."),
    ("I used a class component.", "we only write function components with hooks"),
    ("", "keep the public API stable, mobile clients in the field can't be updated"),
    ("", "tests must not hit the network"),
    ("I put the helper in utils.py.", "we don't do utils modules, name things by what they are"),
    ("", "log user ids, never e-mail addresses, legal insists"),
    ("", "let's settle it: sessions expire after 30 minutes of inactivity"),
    ("Which queue should I use, Redis or RabbitMQ?", "RabbitMQ, for everything new"),
    ("", "the orders service owns the price, nobody else computes it"),
    ("", "I want commit messages in the imperative, max 72 chars"),
    ("", "Fix the header. And the brand color is #0A7F5A, the old green is gone for good."),
    ("", "deploys only Tuesday to Thursday"),
    ("", "if you need a new dependency ask me first"),
    ("", "our minimum supported Python is 3.9, so no match statements"),
    ("I added a JSON column.", "we avoid JSON columns, reporting can't query them"),
    ("", "for dates we use dayjs, moment is being phased out"),
    ("", "the CSV export must keep the column order, an accountant's macro depends on it"),
    ("", "stop explaining what you did in long paragraphs, three lines are enough"),
    ("", "error messages shown to users must not contain stack traces"),
    ("", "screens are designed for 390 px first"),
    ("", "use the existing Button component instead of styling your own"),
    ("", "we're a two person team, don't propose microservices"),
    ("", "rate limit is 100 requests a minute per tenant, agreed with sales"),
)

PASSING = (
    "Never mind, I found it.",
    "We decided to go for lunch, back in an hour.",
    "not that file, the other one.",
    "can you run the tests again?",
    "hm, that looks better, thanks!",
    "what does this function do?",
    "TypeError: Cannot read properties of undefined (reading 'map')",
    "rename the variable to total and push",
    "I'm not sure yet whether we should use Kafka, let me think about it",
    "always the same error, what is going on?",
    "wait, let me check something first",
    "commit this and open a draft PR please",
    "my colleague said they never use Redis at his old job, funny",
    "just for this run set the timeout to 5 seconds",
    "the build is red again on CI, have a look",
    "make it three",
    "ok go ahead with option B for now, we'll see",
    "it must have been the cache, it works now",
    "should we always validate on the client too? what do you think",
    "add a test for the empty list",
)

NEUTRAL = "Have a look at the README and tell me in one sentence what this project is."
REPLY = "It is a small web shop."
WAIT_S = 60.0


def main() -> None:
    """Print the counts."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.said")
    options.add_argument("--show", action="store_true", help="print each statement with what became of it")
    given = options.parse_args()
    for place in ("first", "second"):
        lasting = [outcome(agent, text, place) for agent, text in LASTING]
        passing = [outcome("", text, place) for text in PASSING]
        rows = [
            *zip(LASTING, lasting, strict=True),
            *((("", text), one) for text, one in zip(PASSING, passing, strict=True)),
        ]
        for (_, text), one in rows if given.show else ():
            print(f"{place:<7}{one or '-':<6}{text}")
        kept = f"{sum(map(bool, lasting))} of {len(LASTING)} kept ({lasting.count('rule')} as rules)"
        wrong = f"{sum(map(bool, passing))} of {len(PASSING)} wrongly ({passing.count('rule')} as rules)"
        print(f"as the {place} prompt: {kept}; {wrong}", flush=True)


def outcome(agent: str, text: str, place: str) -> str:
    """Return what a statement became in the next session's store: rule, said, or nothing."""
    with tempfile.TemporaryDirectory(prefix="said-", ignore_cleanup_errors=True) as folder:
        project = Path(folder, "project")
        project.mkdir()
        for name in ("home", "data", "config"):
            Path(folder, name).mkdir()
        os.environ |= {
            "HOME": str(Path(folder, "home")),
            "HOLDFAST_DATA_HOME": str(Path(folder, "data")),
            "HOLDFAST_CONFIG_HOME": str(Path(folder, "config")),
        }
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        for event, fields in _events(agent, text, place):
            told(project, event, "s1", **fields)
        return _kept(project, text)


def _events(agent: str, text: str, place: str) -> Iterator[tuple[str, dict[str, str]]]:
    yield "SessionStart", {"source": "startup"}
    prompts = [NEUTRAL, text] if place == "second" else [text]
    replies = [agent or REPLY, "Done."] if place == "second" else ["Done."]
    for number, (prompt, reply) in enumerate(zip(prompts, replies, strict=True)):
        yield "UserPromptSubmit", {"prompt": prompt, "prompt_id": str(number)}
        yield "Stop", {"last_assistant_message": reply, "prompt_id": str(number)}
    yield "SessionEnd", {"reason": "exit"}


def _kept(project: Path, text: str) -> str:
    """Wait until the session was read; return the status of a memory that holds words of the statement."""
    program = Path(sys.executable).with_name("holdfast")
    limit = time.monotonic() + WAIT_S
    while time.monotonic() < limit:
        done = subprocess.run(
            [program, "session", "list", "--json"], cwd=project, capture_output=True, text=True, check=False
        )
        if done.returncode == 0 and any(
            one.get("status") == "completed" for one in json.loads(done.stdout or "[]")
        ):
            break
        time.sleep(0.3)
    listed = subprocess.run([program, "list", "--json"], cwd=project, capture_output=True, text=True, check=True)
    words = set(text.lower().split())
    statuses = [
        memory["status"]
        for memory in json.loads(listed.stdout)
        if len(words & set(memory["content"].lower().split())) >= 2
    ]
    if not statuses:
        return ""
    return "said" if all(status == "candidate" for status in statuses) else "rule"


if __name__ == "__main__":
    main()
