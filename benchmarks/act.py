"""Rules at the act: at how many calls that break a rule it is told, first or at all; how often calls of no concern
get a line; and what the hook costs with 300 rules. Everything goes through the compiled file that hooks read.

    HOLDFAST_BENCH_DATA=… python -m benchmarks.act [--said] [--hook]

Half of the projects of `judge/rules.jsonl` were used to fit the weights and the threshold in
`recall/act/match.py`; figures are of the other half, and of all. A project's rules are loaded together;
`judge/calls.jsonl` runs against 25 rules of one project at a time, each told once a session.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from zlib import crc32

from benchmarks.hooks import PROGRAM
from holdfast import Holdfast
from holdfast.recall.act import match
from holdfast.recall.act.compile import Rule, compile_rules
from holdfast.recall.act.match import Call, CompiledRule, call_of
from holdfast.recall.act.touch import points_of
from holdfast.recall.act.verdict import verdicts_on

LOADED, LEAST_RULES = 25, 20
HOOK_RULES, ROUNDS = 300, 60

DATA = Path(os.environ.get("HOLDFAST_BENCH_DATA", "data"))

Rows = list[dict[str, object]]


def is_left_out(project: object) -> bool:
    """Say whether a project was not used for fitting."""
    return crc32(str(project).encode()) % 2 == 1


def compiled_rules(rows: Rows, field: str) -> list[CompiledRule]:
    """Write rules into a file as the product does, and read them back as its hook does."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.bin")
        texts = [str(row[field]) for row in rows]
        rules = [
            Rule(str(row["id"]), "", text, "", 0, points_of(text), {})
            for row, text in zip(rows, texts, strict=True)
        ]
        compile_rules(rules, {}, path)
        return match.load(path)[0]


def act_call(act: Mapping[str, object]) -> Call:
    """Return a labelled act as a client would propose it."""
    tool = str(act["tool"])
    if "command" in act:
        return call_of("Bash", {"command": act["command"]})
    if tool == "mcp":
        return call_of(f"mcp__server__{act.get('name', 'tool')}", {"text": json.dumps(act.get("args", ""))})
    names = {"new": "new_string" if tool == "Edit" else "content", "file": "file_path"}
    return call_of(
        tool, {names.get(name, name): value for name, value in act.items() if name not in ("tool", "breaks")}
    )


def judge_acts(rows: Rows, field: str) -> Counter[str]:
    """Count, for the acts of one project's rules, at how many their rule is told, and told first."""
    counts: Counter[str] = Counter()
    rules = compiled_rules(rows, field)
    for row in rows:
        acts = row["acts"]
        for act in acts if isinstance(acts, list) else []:
            sort = "breaking" if act["breaks"] else "keeping"
            told = [verdict.rule.id for verdict in verdicts_on(rules, act_call(act), "")]
            counts[sort] += 1
            counts[f"{sort} told"] += row["id"] in told
            counts[f"{sort} first"] += told[:1] == [row["id"]]
    return counts


def false_alarms(rows: Rows, field: str, calls: Iterable[tuple[str, Call]]) -> float:
    """Return the share of calls of no concern that get a line, each rule once a session."""
    rules = compiled_rules(rows[:LOADED], field)
    lines, number = 0, 0
    told: set[tuple[str, str]] = set()
    for session, call in calls:
        new = {(session, verdict.rule.id) for verdict in verdicts_on(rules, call, "")} - told
        told |= new
        lines += bool(new)
        number += 1
    return lines / number


def report(field: str) -> None:
    """Print the figures of one form of the rules: the note, or the words as they were said."""
    by_project: defaultdict[object, Rows] = defaultdict(list)
    for row in read("rules.jsonl"):
        by_project[row["project"]].append(row)
    counts = {project: judge_acts(rows, field) for project, rows in by_project.items()}
    calls = [
        (str(row["session"]), call_of(str(row["tool"]), _arguments(row["input"]))) for row in read("calls.jsonl")
    ]
    alarms = {
        project: false_alarms(rows, field, calls)
        for project, rows in by_project.items()
        if len(rows) >= LEAST_RULES
    }
    for name, chosen in (("left out", is_left_out), ("all", lambda project: True)):
        total: Counter[str] = sum((counts[project] for project in counts if chosen(project)), Counter())
        shares = [share for project, share in alarms.items() if chosen(project)]
        breaking, keeping, told = total["breaking"], total["keeping"], total["breaking told"]
        print(f"{field}, projects {name}:")
        first = total["breaking first"] / told
        print(f"  {breaking} breaking acts: told {told / breaking:.3f}, first {first:.3f} of these")
        print(f"  {keeping} keeping acts: told {total['keeping told'] / keeping:.3f}")
        mean = sum(shares) / len(shares)
        print(f"  calls with a line: mean {mean:.4f}, worst {max(shares):.4f} of {len(shares)} projects")


def measure_hook() -> None:
    """Print the CPU time of the hook over a bare interpreter, with 300 rules."""
    rows = read("rules.jsonl")[:HOOK_RULES]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("HOLDFAST_DATA_HOME", "HOLDFAST_CONFIG_HOME"):
            os.environ[name] = str(Path(folder) / "own")
        os.environ["HOLDFAST_EMBEDDING_MODEL"] = "none"
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        project = Path(folder) / "project"
        project.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        with Holdfast.open(project) as memory:
            memory.add_many([{"content": row["note"], "kind": "preference", "trust": "user"} for row in rows])
        command = {"command": "npm install left-pad && git push --force origin main"}
        payload = {"session_id": "s1", "cwd": str(project), "tool_name": "Bash", "tool_input": command}
        bare = [sys.executable, "-I", "-S", "-c", "pass"]
        runs = [
            (cpu_of([PROGRAM, "claude", "PreToolUse"], json.dumps(payload)), cpu_of(bare, ""))
            for _ in range(ROUNDS)
        ]
    hooks, bares = (sorted(times) for times in zip(*runs, strict=True))
    for name, place in (("p50", ROUNDS // 2), ("p95", int(ROUNDS * 0.95))):
        over = hooks[place] - bares[place]
        print(f"hook before a call, {len(rows)} rules: {name} {over:.1f} ms of CPU over bare Python")


def cpu_of(command: list[str], text: str) -> float:
    """Return the milliseconds of CPU that a process took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1_000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def read(name: str) -> Rows:
    """Return the rows of a file of labels."""
    with (DATA / "judge" / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _arguments(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {"text": str(value)}


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.act", description=__doc__)
    parser.add_argument("--said", action="store_true", help="also with the rules in the words that were said")
    parser.add_argument("--hook", action="store_true", help="also what the hook costs")
    options = parser.parse_args()
    for field in ("note", "said") if options.said else ("note",):
        report(field)
    if options.hook:
        measure_hook()


if __name__ == "__main__":
    main()
