"""`holdfast help`, `demo`: pages of the docs, and the main job shown on a project that is thrown away."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import click

from holdfast.interfaces.cli.base import Word, common
from holdfast.interfaces.cli.commands.config import origin_label, setting_shape
from holdfast.interfaces.cli.main import COMMANDS, EXIT_CODES, cli, colour
from holdfast.interfaces.cli.output import faint, print_json, shown
from holdfast.interfaces.cli.topics import HelpTopic, find_topic, page_of, render, topics, wrap
from holdfast.model.nearest import suggestion
from holdfast.model.search import Filters
from holdfast.settings.files import kind_text
from holdfast.settings.schema import Setting, settings
from holdfast.storage import settings as configure
from holdfast.storage.open import open_service

WIDEST = 100
"""Longer lines are hard to read."""

WORD = Word(
    "topic", lambda: (*(topic.name for topic in topics()), *COMMANDS, *(option.key for option in settings()))
)


@click.command("help")
@click.argument("words", nargs=-1, type=WORD, metavar="[TOPIC]")
@common
def help_on(words: tuple[str, ...], project: Path, as_json: bool) -> None:
    """Read a page of the docs, or what a command or a setting does; without TOPIC, list the pages.

    A page longer than the screen is shown by your pager.

    \b
    Examples:
      holdfast help
      holdfast help briefs
      holdfast help brief.start_budget
      holdfast help config set
    """
    if not words:
        _list_topics(as_json=as_json)
    elif command := _command_of(words):
        _show_command(*command, as_json=as_json)
    else:
        _show(" ".join(words), project, as_json=as_json)


def _show(word: str, project: Path, *, as_json: bool) -> None:
    """Show a setting, a topic, or the settings of a section; say what may have been meant."""
    options = {option.key: option for option in settings()}
    topic = find_topic(word.lower())
    section = [option for option in options.values() if option.key.startswith(f"{word.lower()}.")]
    if word.lower() in options:
        _show_setting(options[word.lower()], project, as_json=as_json)
    elif topic:
        _show_page(topic, as_json=as_json)
    elif section:
        _show_section(word.lower(), section, as_json=as_json)
    else:
        names = (*COMMANDS, *(topic.name for topic in topics()), *options)
        likely = suggestion(word, names, "`holdfast help {}`")
        advice = f"Did you mean {likely}?" if likely else "`holdfast help` lists the pages."
        raise click.UsageError(f"{word!r} is no topic, command or setting. {advice}")


def _list_topics(*, as_json: bool) -> None:
    help_topics = topics()
    if as_json:
        print_json([_shape(topic) for topic in help_topics])
        return
    width = max(len(topic.name) for topic in help_topics)
    for group in dict.fromkeys(topic.group for topic in help_topics):
        click.echo(click.style(f"{group}:", bold=True))
        for topic in help_topics:
            if topic.group == group:
                click.echo(f"  {topic.name:<{width}}  {topic.summary}")
        click.echo()
    click.echo("holdfast help TOPIC     prints one of these pages")
    click.echo("holdfast help COMMAND   what a command takes, with examples; holdfast --help lists them")
    click.echo("holdfast help SETTING   what a setting does and who set it; holdfast config list shows them")


def _shape(topic: HelpTopic) -> dict[str, object]:
    return {"topic": topic.name, "group": topic.group, "summary": topic.summary, "commands": topic.commands}


def _command_of(words: tuple[str, ...]) -> tuple[click.Command, click.Context] | None:
    """Return the command that words name, with the context that its help is written in."""
    context = click.Context(cli, info_name="holdfast", color=colour(), **cli.context_settings)
    found: click.Command = cli
    for word in words:
        part = found.get_command(context, word) if isinstance(found, click.Group) else None
        if part is None:
            return None
        found, context = part, click.Context(part, info_name=word, parent=context)
    return found, context


def _show_command(command: click.Command, context: click.Context, *, as_json: bool) -> None:
    name = context.command_path.split()[1]
    guides = [topic.name for topic in topics() if name in topic.commands]
    text = command.get_help(context)
    if as_json:
        print_json({"topic": context.command_path, "text": text})
        return
    more = "\n\n" + wrap(
        f"See also: {', '.join(f'holdfast help {guide}' for guide in guides)}", _width(), "", "  "
    )
    _print_long(text + (more if guides else ""))


def _show_page(topic: HelpTopic, *, as_json: bool) -> None:
    page = page_of(topic) if topic.page else _exit_codes()
    if as_json:
        print_json({"topic": topic.name, "text": page})
    else:
        _print_long(render(page, _width(), coloured=_is_coloured()))


def _show_setting(option: Setting, project: Path, *, as_json: bool) -> None:
    choice, problem = configure.in_force_anyway(project, option.key)
    if as_json:
        print_json(setting_shape(choice))
        return
    rows = {
        "type": kind_text(option.rules),
        "default": configure.as_text(option.default) or "none",
        "now": f"{shown(configure.as_text(choice.shown)) or 'none'} ({choice.where or origin_label(choice)})",
        "variable": option.variable,
        "set it": f"holdfast config set {option.key} VALUE, with --user for every project",
        "wrong": shown(problem),
    }
    click.echo(click.style(option.key, bold=True))
    click.echo(wrap(option.doc.replace("`", ""), _width(), "  ", "  ") + "\n")
    for name, text in rows.items():
        if text:
            click.echo(f"  {faint(f'{name:<8}')}  {text}")


def _show_section(section: str, options: list[Setting], *, as_json: bool) -> None:
    if as_json:
        print_json([{"topic": option.key, "text": option.doc} for option in options])
        return
    click.echo(click.style(f"Settings of {section}", bold=True))
    width = max(len(option.key) for option in options)
    for option in options:
        click.echo(wrap(option.doc.replace("`", ""), _width(), f"  {option.key:<{width}}  ", " " * (width + 4)))


def _exit_codes() -> str:
    rows = [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    more = "Which error gives which code: `holdfast help errors`."
    return "\n".join(["# Exit codes", "", "| code | meaning |", "|---|---|", *rows, "", more])


def _width() -> int:
    return min(WIDEST, shutil.get_terminal_size().columns)


def _is_coloured() -> bool:
    return colour() if colour() is not None else sys.stdout.isatty()  # type: ignore[return-value]  # told apart


def _print_long(text: str) -> None:
    """Print a text; at a terminal whose screen it does not fit on, with a pager."""
    if sys.stdout.isatty() and text.count("\n") >= shutil.get_terminal_size().lines:
        click.echo_via_pager(text, color=_is_coloured())
    else:
        click.echo(text.rstrip("\n"))


@click.command("demo")
def demo() -> None:
    """Show the main job on a throw-away project: remember, find, look around, read, supersede, forget.

    \b
    Example:
      holdfast demo
    """
    with tempfile.TemporaryDirectory(prefix="holdfast-demo-") as place:
        settings = {name: value for name, value in os.environ.items() if name.startswith("HOLDFAST_")}
        for name in settings:
            del os.environ[name]
        own = {name: os.path.join(place, name.lower()) for name in ("HOLDFAST_DATA_HOME", "HOLDFAST_CONFIG_HOME")}
        own["HOLDFAST_EMBEDDING_BACKGROUND"] = "false"  # nothing works on a place that is gone in a moment
        os.environ.update(own)
        try:
            _story(Path(place) / "shop")
        finally:
            for name in own:
                del os.environ[name]
            os.environ.update(settings)


def _story(project: Path) -> None:
    project.mkdir()
    story = _Teller(project)
    story.say("Monday. A session ends; what it settled is remembered.")
    story.run("init")
    redis = "We use Redis lists for the job queue, one list per priority"
    story.run("add", redis, "--kind", "decision", "--tags", "queue", "--file", "src/queue.py")
    story.run("add", "Never call parseOrderLine on untrusted input; it evaluates formulas", "--kind", "warning")
    story.run("add", "Prices are integers in cents everywhere", "--kind", "fact", "--tags", "money")
    story.run("add", "Prefer small commits", "--kind", "preference", "--user")

    story.say("Tuesday, a new session. Layer 1: what do we know? Titles only, a few tokens a hit.")
    story.run("search", "job queue priorities")
    story.say("Words inside identifiers are found too.")
    story.run("search", "order line")

    story.say("The decision changes. The amendment takes the old one's place, which stays in history.")
    amendment = "Amendment: the job queue moved to Postgres LISTEN/NOTIFY; Redis is gone"
    story.run("add", amendment, "--kind", "decision", "--tags", "queue")
    story.run("search", "job queue")

    story.say("A secret stays out of the file, and rules that oppose each other are shown.")
    story.run("add", "Staging is postgres://app:tulip-9-harbour@db.internal/shop", "--kind", "fact")
    story.run("add", "Always squash commits before merging")
    story.run("add", "Never squash commits before merging")

    story.say("Layer 2: what was remembered around it. Layer 3: one memory in full.")
    story.run("timeline", story.short("Amendment"), "--window", "2")
    story.run("get", story.short("Amendment"))

    story.say("Something should not be remembered. Its bytes leave the file.")
    price_id = story.short("cents")
    story.run("forget", price_id, "--yes")
    story.run("search", "prices in cents")
    story.run("stats")


class _Teller:
    """Shows each command as a person would type it, then runs it."""

    def __init__(self, project: Path) -> None:
        self._project = project

    def say(self, text: str) -> None:
        click.echo(f"\n{click.style(text, bold=True)}")

    def run(self, *arguments: str) -> None:
        command_line = " ".join(f'"{word}"' if " " in word else word for word in arguments)
        click.echo(click.style(f"$ holdfast {command_line}", fg="blue"))
        cli.main([*arguments, "--project", str(self._project)], prog_name="holdfast", standalone_mode=False)

    def short(self, text: str) -> str:
        """Return the short id of the one memory that says this."""
        service = open_service(self._project, actor="cli")
        try:
            [memory] = service.list(Filters(contains=text))
            return service.short_id(memory.id)
        finally:
            service.close()
