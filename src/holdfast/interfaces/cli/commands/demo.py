"""`holdfast demo`: the main job, end to end, on a project that is thrown away."""

import os
import tempfile
from pathlib import Path

import click

from holdfast.interfaces.cli.main import cli
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.open import open_service


@click.command("demo")
def command() -> None:
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
        service: Service = open_service(self._project, actor="cli")
        try:
            [memory] = service.list(Filters(contains=text))
            return service.short_id(memory.id)
        finally:
            service.close()
