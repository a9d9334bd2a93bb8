"""The `holdfast` command: finds the subcommand, and turns every error into one line and an exit code."""

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from holdfast import __version__, errors
from holdfast.interfaces.cli.base import Group
from holdfast.interfaces.cli.entry import VERSION
from holdfast.interfaces.cli.output import note

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Begin": {
        "install": ("install:install", "Connect coding agents: hooks, server, commands."),
        "status": ("status:status", "Show where you stand: project, store, inbox, settings."),
        "help": ("help:help_on", "Read the docs, or what a command or a setting does."),
        "demo": ("help:demo", "Show the main job on a throw-away project."),
        "init": ("store:init", "Make a store for this project."),
        "uninstall": ("install:uninstall", "Take everything out of the agents again."),
    },
    "Remember": {
        "add": ("memories:add", "Remember something."),
        "remember": ("memories:add", "The same as add."),
        "save": ("memories:add", "The same as add."),
        "update": ("memories:update", "Change fields of a memory."),
        "supersede": ("memories:supersede", "Let one memory take another's place."),
        "forget": ("memories:forget", "Remove memories for good."),
    },
    "Find": {
        "search": ("find:search", "Find memories, turns or sessions."),
        "list": ("find:list_memories", "Show the newest memories."),
        "get": ("find:get", "Show memories in full."),
        "timeline": ("find:timeline", "Show what was remembered around a memory."),
        "history": ("find:history", "Show what a memory superseded and what superseded it."),
        "alias": ("find:alias", "Let words find each other."),
        "view": ("serve:view", "See memory in the browser, on this machine."),
    },
    "Decide": {
        "review": ("review:review", "Go through what waits for you, and settle it."),
        "conflicts": ("memories:conflicts", "Show memories that disagree, and settle it."),
        "confirm": ("memories:confirm", "Say that a memory holds."),
        "guard": ("act:guard", "Be asked before calls that break a rule, or refuse them."),
        "check": ("act:check", "Say which rules a change of files touches."),
        "pin": ("memories:pin", "Put a memory into every brief."),
        "unpin": ("memories:unpin", "Take a memory out of every brief."),
    },
    "Follow agents": {
        "context": ("follow:context", "Print the brief that an agent gets."),
        "session": ("follow:session", "Start, end, fork and show sessions."),
        "log": ("follow:log", "Show who did what, and verify the record of it."),
        "slash": ("follow:slash", "Run a slash command, such as /memory search auth."),
    },
    "Learn and share": {
        "learn": ("ingest:learn", "Judge past sessions again, by today's judge."),
        "ingest": ("ingest:ingest", "Learn from the project's history and documents."),
        "watch": ("ingest:watch", "Keep memory in step with the project's Markdown files."),
        "import": ("exchange:import_files", "Read exports, ours and those of other tools."),
        "export": ("exchange:export", "Write memories to a file, or into one that agents read."),
        "share": ("exchange:share", "Share what is confirmed, through the repository."),
    },
    "Look after": {
        "doctor": ("store:doctor", "Check everything, and repair what can be repaired."),
        "backup": ("store:backup", "Copy the store."),
        "restore": ("store:restore", "Bring the store back from a backup."),
        "trust": ("store:trust", "Take over a store, or settings, that came with a clone."),
        "stats": ("status:stats", "Show counts and the state of the store."),
        "cleanup": ("upkeep:cleanup", "Keep the limits: delete what is over, merge what is double."),
        "prune": ("upkeep:prune", "Delete memories by age, by weight or by source."),
        "reindex": ("store:reindex", "Make the indexes anew, of words and of meaning."),
    },
    "Serve": {
        "mcp": ("serve:mcp", "Serve memory to an agent over standard input and output."),
        "serve": ("serve:serve", "Serve memory over HTTP, to those who have a token."),
        "token": ("serve:token", "Make, list and revoke tokens for the server."),
        "migrate-store": ("store:migrate_store", "Move memories to a server, or back into a file."),
    },
    "Settings": {
        "config": ("config:config", "Show and change settings."),
        "auto": ("config:auto", "Turn findings and promotion from sessions on or off."),
        "pause": ("config:pause", "Stop remembering for a while, here or everywhere."),
        "completion": ("completion:completion", "Print the completion script for a shell."),
    },
}
"""Every command under its purpose: its module, its name there, and a summary. What is needed first comes first."""

COMMANDS = {name: entry for commands in GROUPS.values() for name, entry in commands.items()}

OTHER_WORDS = {
    **dict.fromkeys(("delete", "remove", "rm", "erase"), "forget"),
    **dict.fromkeys(("find", "query", "grep", "recall"), "search"),
    **dict.fromkeys(("show", "cat", "read"), "get"),
    **dict.fromkeys(("note", "store"), "add"),
    **dict.fromkeys(("settings", "set"), "config"),
    **dict.fromkeys(("brief", "prompt"), "context"),
    **dict.fromkeys(("fix", "repair", "verify"), "doctor"),
    **dict.fromkeys(("guards", "deny", "forbid"), "guard"),
    **dict.fromkeys(("inbox", "proposals"), "review"),
    **dict.fromkeys(("edit", "change"), "update"),
    **dict.fromkeys(("ui", "web", "viewer", "dashboard", "browse"), "view"),
    **dict.fromkeys(("setup", "connect"), "install"),
    **dict.fromkeys(("docs", "man", "topics"), "help"),
    **dict.fromkeys(("resume", "off", "disable"), "pause"),
    "ls": "list",
    "replace": "supersede",
    "server": "serve",
}
"""What people type who know other tools."""

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
    16: "a change breaks a guard, or what `check --fail-on` names",
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

    other_words = OTHER_WORDS

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Make the context with what the environment says of colour: `--help` is answered before any command."""
        return super().make_context(*args, **{"color": colour(), **extra})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(f"{__package__}.commands.{module}"), name)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands before the options: they are what is looked for."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by group, all in the same columns."""
        width = max(map(len, COMMANDS))
        for title, commands in GROUPS.items():
            with formatter.section(click.style(title, bold=True)):
                formatter.write_dl([(f"{name:<{width}}", summary) for name, summary in _rows(commands)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete from the table: to import every command would keep the shell waiting."""
        from click.shell_completion import CompletionItem

        names = [name for name in COMMANDS if name.startswith(incomplete)]
        own = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=COMMANDS[name][1]) for name in names), *own]


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
holdfast COMMAND --help   its options, with examples
holdfast help             the pages of the docs; holdfast help TOPIC prints one

Memory lives in .holdfast/ of the project; nothing leaves this machine unless you name a server.""",
)
@click.option(
    "--project",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="The project's directory, or one inside it (default: here); every command takes it, too.",
)
@click.version_option(__version__, message=VERSION)
def cli(project: Path | None) -> None:
    """Persistent memory for AI coding agents: what was decided and learned is there in the next session."""


def _rows(commands: Mapping[str, tuple[str, str]]) -> list[tuple[str, str]]:
    """Return a group's commands with what they do, and what else they are called."""
    names_by_place: dict[str, list[str]] = {}
    for name, (place, _) in commands.items():
        names_by_place.setdefault(place, []).append(name)
    return [
        (name, commands[name][1] + (f" Also: {', '.join(aliases)}." if aliases else ""))
        for name, *aliases in names_by_place.values()
    ]


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
