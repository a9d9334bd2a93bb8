"""The `holdfast` command: finds the subcommand, and turns every error into one line and an exit code."""

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from holdfast import __version__, errors
from holdfast.interfaces.cli.base import Group
from holdfast.interfaces.cli.entry import VERSION
from holdfast.interfaces.cli.output import note

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS = {
    "init": ("store:init", "Make a store for this project."),
    "add": ("add", "Remember something."),
    "remember": ("add", "The same as add."),
    "save": ("add", "The same as add."),
    "search": ("search", "Find memories, turns or sessions."),
    "context": ("context", "Print the brief that an agent gets."),
    "timeline": ("show:timeline", "Show what was remembered around a memory."),
    "get": ("show:get", "Show memories in full."),
    "list": ("show:list_memories", "Show the newest memories."),
    "forget": ("forget", "Remove memories for good."),
    "status": ("status:status", "Show where one stands: project, store, settings, versions."),
    "cleanup": ("upkeep:cleanup", "Keep the limits, delete what is over, merge what says the same."),
    "prune": ("upkeep:prune", "Delete memories by age, by weight or by source."),
    "stats": ("status:stats", "Show counts and the state of the store."),
    "update": ("change:update", "Change fields of a memory."),
    "pin": ("change:pin", "Put a memory into every brief."),
    "unpin": ("change:unpin", "Take a memory out of every brief."),
    "confirm": ("change:confirm", "Say that a memory holds."),
    "supersede": ("change:supersede", "Let one memory take another's place."),
    "conflicts": ("change:conflicts", "Show memories that disagree, and settle it."),
    "review": ("review", "Go through what waits for you, and settle it."),
    "history": ("show:history", "Show what a memory superseded and what superseded it."),
    "session": ("session", "Start, end, fork and show sessions."),
    "alias": ("alias", "Let words find each other."),
    "ingest": ("ingest:ingest", "Learn from the project's history and documents."),
    "watch": ("ingest:watch", "Keep memory in step with the project's Markdown files."),
    "share": ("exchange:share", "Share what is confirmed with others, through the repository."),
    "export": ("exchange:export", "Write memories to a file, or into one that agents read."),
    "import": ("exchange:import_files", "Read exports, ours and those of other tools."),
    "log": ("log", "Show who did what, and verify the record of it."),
    "auto": ("config:auto", "Turn findings and promotion from sessions on or off."),
    "pause": ("config:pause", "Stop remembering for a while, here or everywhere."),
    "config": ("config:config", "Show and change settings."),
    "trust": ("store:trust", "Take over a store, or obey settings, that came with a repository."),
    "backup": ("store:backup", "Copy the store."),
    "restore": ("store:restore", "Bring the store back from a backup."),
    "doctor": ("doctor:doctor", "Check everything, and repair what can be repaired."),
    "reindex": ("doctor:reindex", "Make the indexes anew, of words and of meaning."),
    "migrate-store": ("store:migrate_store", "Move memories to a server, or back into a file."),
    "install": ("install:install", "Install into coding agents: hooks, server, commands."),
    "uninstall": ("install:uninstall", "Take all of that out again."),
    "mcp": ("serve:mcp", "Serve memory to an agent over standard input and output."),
    "serve": ("serve:serve", "Serve memory over HTTP, to those who have a token."),
    "token": ("serve:token", "Make, list and revoke tokens for the server."),
    "slash": ("slash", "Run a slash command, such as /memory search auth."),
    "completion": ("completion", "Print the completion script for a shell."),
    "demo": ("demo", "Show the main job on a throw-away project."),
}
"""Every command: the module that holds it, with its name there unless that is `command`, and what it does."""

LONGEST_MESSAGE = 2_000
LONGEST_TRACE = 50_000

EXIT_CODES = {
    0: "done",
    1: "something unexpected went wrong",
    2: "a wrong argument or option",
    3: "no entry has that id",
    4: "a setting cannot be used",
    5: "the store is busy; try again",
    6: "the store cannot be used or written",
    7: "memory is switched off here",
    8: "doctor found problems",
    9: "no vectors could be made",
    10: "a text could not be checked for secrets; nothing was stored",
    11: "a file of an agent cannot be changed",
    12: "git could not be asked",
    13: "the server cannot listen there, or refused",
    14: "it is for the user, and an agent asked",
    15: "some of what was to be read could not be; the rest was",
    130: "interrupted",
}

_CODES: tuple[tuple[type[errors.HoldfastError], int], ...] = (
    (errors.UnknownId, 3),
    (errors.ConfigError, 4),
    (errors.StoreBusy, 5),
    (errors.StoreRaced, 5),
    (errors.ServerError, 13),
    (errors.StoreError, 6),
    (errors.SwitchedOff, 7),
    (errors.Proposed, 0),
    (errors.PersonNeeded, 14),
    (errors.EmbeddingFailed, 9),
    (errors.ExtractorFailed, 13),
    (errors.GitFailed, 12),
    (errors.NotRedacted, 10),
    (errors.AgentFileUnusable, 11),
    (errors.InvalidInput, 2),
    (errors.PinLimitReached, 2),
    (errors.HoldfastError, 1),
)


class Commands(Group):
    """The subcommands, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        place, _, name = COMMANDS[cmd_name][0].partition(":")
        module = importlib.import_module(f"holdfast.interfaces.cli.commands.{place}")
        command: click.Command = getattr(module, name or "command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete from the table: to import every command would keep the shell waiting."""
        from click.shell_completion import CompletionItem

        names = [name for name in COMMANDS if name.startswith(incomplete)]
        own = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=COMMANDS[name][1]) for name in names), *own]


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Memory lives in .holdfast/ of the project; nothing leaves this machine unless you name a server.",
)
@click.option(
    "--project",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="The project's directory, or one inside it (default: here); every command takes it, too.",
)
@click.version_option(__version__, message=VERSION)
@click.pass_context
def cli(context: click.Context, project: Path | None) -> None:
    """Persistent memory for AI coding agents: what was decided and learned is there in the next session."""
    context.color = colour()


def colour() -> bool | None:
    """Say whether the environment wants colour; None leaves it to the terminal."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return True if os.environ.get("FORCE_COLOR", "0") not in ("", "0") else None


def run(arguments: list[str]) -> int:
    """Run one command; return its exit code."""
    try:
        result = cli.main(arguments, prog_name="holdfast", standalone_mode=False)
    except errors.HoldfastError as error:
        return _fail(str(error), next(code for kind, code in _CODES if isinstance(error, kind)))
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return _fail(_wrong_usage(error), 2)
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted; what was acknowledged is kept", 130)
    except OSError as error:
        return _fail(_refusal_text(error), 1)
    except Exception as error:  # the last line of defence: a person gets a line, never a traceback
        return _fail_unexpected(error)
    return result if isinstance(result, int) else 0


def _wrong_usage(error: click.ClickException) -> str:
    """Say on one line what was wrong, and where the right form is shown."""
    message = " ".join(error.format_message().split())
    context = error.ctx if isinstance(error, click.UsageError) else None
    return message if context is None or "`" in message else f"{message} See `{context.command_path} --help`."


def _refusal_text(error: OSError) -> str:
    """Say what the system refused: a directory that may not be written, an output that is full."""
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}. Check permissions and free space there."


def _fail_unexpected(error: Exception) -> int:
    if os.environ.get("HOLDFAST_DEBUG"):
        import traceback

        from holdfast.capture.text.clean import echo

        note(str(echo("".join(traceback.format_exception(error)), LONGEST_TRACE)))
    description = " ".join(f"{type(error).__name__}: {error}".split())
    return _fail(
        f"unexpected {description}. This is a mistake of holdfast; HOLDFAST_DEBUG=1 shows where it is.", 1
    )


def _fail(message: str, code: int) -> int:
    """Print an error. It may repeat what was typed, and terminals are recorded, so it is redacted."""
    from holdfast.capture.text.clean import echo  # most commands succeed

    note(f"holdfast: {echo(message, LONGEST_MESSAGE)}")
    return code
