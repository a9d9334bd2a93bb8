"""`holdfast view`: memory in the browser."""

from pathlib import Path

import click

from holdfast.interfaces.cli.base import check_place, here_or_there, only_person
from holdfast.interfaces.cli.output import note
from holdfast.interfaces.http.serve import view
from holdfast.storage.workspace import find_workspace


@click.command("view")
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="The port (default: any that is free).")
@click.option("--no-open", is_flag=True, help="Print the address instead of opening the browser.")
@click.option(
    "--project",
    metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    callback=here_or_there,
    help="The project's directory, or one inside it (default: here).",
)
def command(port: int, no_open: bool, project: Path) -> None:
    """See what is remembered, why it was told, and settle what waits, in your browser.

    The pages are served on this machine alone, while this command runs: Ctrl-C or closing the terminal ends it.
    The address holds a code that lets one person in, once, within ten minutes.

    \b
    Examples:
      holdfast view
      holdfast view --no-open
    """
    only_person("looking at memory in a browser")
    check_place(project)
    view(project, port, find_workspace(project).config.server, lambda address: _show(address, no_open))


def _show(address: str, no_open: bool) -> None:
    """Open the browser, or say where to go."""
    if not no_open:
        import threading
        import webbrowser  # only here: it looks for every browser there is

        try:
            browser = webbrowser.get()
        except webbrowser.Error:
            pass
        else:  # not waited for: one in the terminal runs until it is left, and asks a server that is not there yet
            threading.Thread(target=browser.open, args=(address,), daemon=True).start()
            note("Your memory opens in the browser; with --no-open the address is printed. Ctrl-C ends it.")
            return
    click.echo(address)
    note("Open this address in your browser; it works once. Ctrl-C ends it.")
