"""`holdfast guard`, `check`: which calls a person wants to be asked about, and which rules a change touches."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from holdfast.errors import GitFailed, InvalidInput
from holdfast.interfaces.cli.base import Group, common, service_of
from holdfast.interfaces.cli.output import faint, print_list, print_result, shown
from holdfast.model.act import ASK, DENY, TELL
from holdfast.service.act import TouchedRule
from holdfast.service.rules import RuleRecord

EXIT_BROKEN = 16
"""A change breaks what `--fail-on` names."""

FAIL_GUARD, FAIL_RULE, FAIL_NEVER = FAIL_ON = ("guard", "rule", "never")


@click.group("guard", cls=Group)
def guard() -> None:
    """Have yourself asked before calls that break a rule, or have them refused.

    \b
    Examples:
      holdfast guard add 'git push --force|-f'
      holdfast guard add 1f2e3d4c --deny --path 'db/seeds/**'
      holdfast guard test 'npm install left-pad'
    """


@guard.command("list")
@common
def list_guards(project: Path, as_json: bool) -> None:
    """Show the guards, and the rules that were told at a call, with how often they were kept and broken.

    \b
    Example:
      holdfast guard list
    """
    nothing = "No guards yet. `holdfast guard add RULE` sets one for a rule, or for a command."
    with service_of(project) as service:
        records = [record for record in service.rules.records() if record.guard]
        print_list(records, _row, nothing, as_json=as_json)


@guard.command("add")
@click.argument("rule", metavar="RULE|PATTERN")
@click.option("--ask/--deny", "asks", default=True, help="Ask me before such a call (default), or refuse it.")
@click.option("--hard", is_flag=True, help="With --deny: refuse the call also when it is said again.")
@click.option("--command", "commands", multiple=True, metavar="PATTERN", help="Calls that run such a command.")
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Calls that change such a file.")
@click.option("--tool", "tools", multiple=True, metavar="NAME", help="Calls of such a tool.")
@common
def add_guard(
    rule: str,
    asks: bool,
    hard: bool,
    commands: tuple[str, ...],
    paths: tuple[str, ...],
    tools: tuple[str, ...],
    project: Path,
    as_json: bool,
) -> None:
    """Guard a RULE by its id, or a command by a PATTERN, which becomes a rule of its own.

    A pattern is words: the program, the sub-command and what must follow it; options match wherever they stand,
    `a|b` is either, `*` is anything. Without a pattern, a rule is guarded at every call that it touches. An agent
    that runs this only proposes it.

    \b
    Examples:
      holdfast guard add 'npm install|i'
      holdfast guard add 1f2e3d4c --deny --hard --path 'db/seeds/**'
    """
    wanted = {"strength": ASK if asks else DENY, "hard": hard}
    wanted |= {"commands": list(commands), "paths": list(paths), "tools": list(tools)}
    with service_of(project, create=True) as service:
        service.check_on()
        memory = service.acts.add_guard(rule, wanted)
        record = service.rules.record(memory)
    print_result(record, f"Guarded {record.short}: {_describe(record)}", as_json=as_json)


@guard.command("remove")
@click.argument("rule", metavar="RULE")
@common
def remove_guard(rule: str, project: Path, as_json: bool) -> None:
    """Take the guard of a RULE away; the rule stays.

    \b
    Example:
      holdfast guard remove 1f2e3d4c
    """
    with service_of(project) as service:
        service.check_on()
        record = service.rules.record(service.acts.keep_guard(rule, {}))
    print_result(record, f"No longer guarded: {shown(record.title)}", as_json=as_json)


@guard.command("touch")
@click.argument("rule", metavar="RULE")
@click.argument("points", nargs=-1, metavar="[POINT]...")
@common
def touch(rule: str, points: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Say what a RULE touches: commands, paths, names, addresses. Without any, what its text names.

    \b
    Examples:
      holdfast guard touch 1f2e3d4c 'npm install' package-lock.json
      holdfast guard touch 1f2e3d4c
    """
    with service_of(project) as service:
        service.check_on()
        record = service.rules.record(service.acts.keep_touch(rule, points))
    print_result(
        record, f"{record.short} touches: {shown(', '.join(record.points)) or 'nothing by name'}", as_json=as_json
    )


@guard.command("test")
@click.argument("text", metavar="COMMAND|TEXT")
@click.option("--tool", default="Bash", show_default=True, help="The tool that is called.")
@click.option("--path", "path", default="", metavar="FILE", help="The file that TEXT would be written into.")
@common
def test_guard(text: str, tool: str, path: str, project: Path, as_json: bool) -> None:
    """Show what an agent would be told, or be refused, at a call. Nothing is run or counted.

    \b
    Examples:
      holdfast guard test 'npm install left-pad'
      holdfast guard test 'console.log(token)' --tool Edit --path src/auth.ts
    """
    from holdfast.recall.act.match import call_of

    arguments: dict[str, object] = {"file_path": path, "new_string": text} if path else {"command": text}
    with service_of(project) as service:
        touched = service.acts.touched_by(call_of(tool, arguments))
    print_list(touched, _verdict_row, "No rule is touched: nothing would be said.", as_json=as_json)


@click.command("check")
@click.argument("diff", required=False, metavar="[DIFF]")
@click.option("--staged", is_flag=True, help="Check what is staged in git.")
@click.option("--message", type=click.Path(path_type=Path), metavar="FILE", help="Check a commit message, too.")
@click.option("--fail-on", type=click.Choice(FAIL_ON), default=FAIL_GUARD, show_default=True, help="Fail on this.")
@common
def check(
    diff: str | None, staged: bool, message: Path | None, fail_on: str, project: Path, as_json: bool
) -> None:
    """Say which rules a change touches, and which guards it breaks: a DIFF (`-`: standard input), or --staged.

    \b
    Examples:
      holdfast check --staged
      git diff main... | holdfast check - --fail-on rule
    """
    from holdfast.recall.act.change import MESSAGE, call_of_message, calls_of_diff

    texts = [_read_diff(diff)] if diff else []
    texts += [_staged(project)] if staged else []
    if not texts and message is None:
        raise InvalidInput(field="DIFF", problem="is missing: give a file, `-`, --staged or --message FILE.")
    calls = [pair for text in texts for pair in calls_of_diff(text)]
    if message:
        calls.append((MESSAGE, call_of_message(_read(message))))
    with service_of(project) as service:
        touched = service.acts.touched_by_all(calls)
    print_list(touched, _change_row, "No rule is touched.", as_json=as_json)
    broken = {
        FAIL_GUARD: any(one.strength != TELL for one in touched),
        FAIL_RULE: bool(touched),
        FAIL_NEVER: False,
    }
    if broken[fail_on]:
        raise click.exceptions.Exit(EXIT_BROKEN)


def _read_diff(name: str) -> str:
    return sys.stdin.read() if name == "-" else _read(Path(name))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InvalidInput(field="file", problem=f"cannot be read: {error.strerror or error}.") from error


def _staged(project: Path) -> str:
    import subprocess

    command = ["git", "-C", str(project), "diff", "--cached", "--no-color", "--no-ext-diff", "-U0"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise GitFailed(problem=done.stderr.decode(errors="replace").strip())
    return done.stdout.decode(errors="replace")


def _row(record: RuleRecord) -> Sequence[str]:
    counts = f"told {record.told}, kept {record.kept}, broken {record.broken}" if record.told else ""
    return (record.short, _describe(record), faint(counts), shown(record.title))


def _describe(record: RuleRecord) -> str:
    """Say what a guard does, and at which calls."""
    guard_fields = record.guard or {}
    hard = ", hard" if guard_fields.get("hard") else ""
    sorts = [
        f"{name} {', '.join(map(str, patterns))}"
        for name in ("commands", "paths", "tools")
        if isinstance(patterns := guard_fields.get(name), list)
    ]
    return shown(
        f"{guard_fields.get('strength', TELL)}{hard}: {'; '.join(sorts) or 'calls that the rule touches'}"
    )


def _verdict_row(touched: TouchedRule) -> Sequence[str]:
    return (touched.strength + (", hard" if touched.hard else ""), shown(touched.line))


def _change_row(touched: TouchedRule) -> Sequence[str]:
    verb = "touches" if touched.strength == TELL else "breaks the guard of"
    return (shown(touched.where), verb, shown(touched.line))
