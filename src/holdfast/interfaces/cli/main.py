"""The `holdfast` command: finds the subcommand, and turns every error into one line and an exit code."""

import difflib
import importlib
import sys

import click

import holdfast
from holdfast import errors
from holdfast.capture.clean import echo

COMMANDS = {
    "init": ("init", "Make a store for this project."),
    "add": ("add", "Remember something."),
    "remember": ("add", "The same as add."),
    "save": ("add", "The same as add."),
    "search": ("search", "Find memories, turns or sessions."),
    "timeline": ("timeline", "Show what was remembered around a memory."),
    "get": ("get", "Show memories in full."),
    "list": ("list", "Show the newest memories."),
    "supersede": ("supersede", "Let one memory take another's place."),
    "conflicts": ("conflicts", "Show memories that disagree, and settle it."),
    "forget": ("forget", "Remove memories for good."),
    "stats": ("stats", "Show counts and the state of the store."),
    "demo": ("demo", "Show the main job on a throw-away project."),
}
"""Every command: the module that holds it, and what it does."""

LONGEST_MESSAGE = 2_000

EXIT_CODES = {
    0: "done",
    1: "something unexpected went wrong",
    2: "a wrong argument or option",
    3: "no entry has that id",
    4: "a setting cannot be used",
    5: "the store is busy; try again",
    6: "the store cannot be used or written",
    130: "interrupted",
}

_CODES: tuple[tuple[type[errors.HoldfastError], int], ...] = (
    (errors.UnknownId, 3),
    (errors.ConfigError, 4),
    (errors.StoreBusy, 5),
    (errors.StoreError, 6),
    (errors.InvalidInput, 2),
    (errors.PinLimitReached, 2),
    (errors.HoldfastError, 1),
)


class Commands(click.Group):
    """The subcommands, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"holdfast.interfaces.cli.commands.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"Did you mean `holdfast {near[0]}`?" if near else "`holdfast --help` lists the commands."
            raise click.UsageError(f"{args[0]!r} is not a command. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Memory lives in .holdfast/ of the project; nothing leaves this machine.",
)
@click.version_option(holdfast.__version__, prog_name="holdfast", message="%(prog)s %(version)s")
def cli() -> None:
    """Persistent memory for AI coding agents: what was decided and learned is there in the next session."""


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; return its exit code."""
    try:
        result = cli.main(arguments, prog_name="holdfast", standalone_mode=False)
    except errors.HoldfastError as error:
        return _fail(str(error), next(code for kind, code in _CODES if isinstance(error, kind)))
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        return _fail(error.format_message(), 2)
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted; what was acknowledged is kept", 130)
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int) -> int:
    """Print an error. It may repeat what was typed, and terminals are recorded, so it is redacted."""
    click.echo(f"holdfast: {echo(message, LONGEST_MESSAGE)}", err=True)
    return code
