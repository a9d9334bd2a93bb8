"""`holdfast serve`, `token`, `mcp`, `view`: memory for others, over HTTP or a pipe, and in the browser.

`entry` starts `mcp` before this is imported; here it has its help.
"""

from pathlib import Path

import click
from msgspec.structs import asdict, replace

from holdfast.interfaces.cli.base import Group, check_place, common, here_or_there, only_person, project_option
from holdfast.interfaces.cli.output import faint, note, print_json, print_table, shown
from holdfast.machine import environment
from holdfast.model.actor import SCOPES, WRITE, Token
from holdfast.model.times import day, parse_future
from holdfast.storage.tenancy import own_tenant, tokens
from holdfast.storage.workspace import find_workspace


@click.command("serve")
@click.option("--host", help="The address to listen on (default: server.host, 127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65_535), help="The port (default: server.port, 7420); 0: any.")
@project_option
def serve(host: str | None, port: int | None, project: Path) -> None:
    """Serve this project's memory over HTTP: REST at /api, described by /openapi.json, and MCP at /mcp.

    Whoever asks must show a token, which `holdfast token create` makes. It listens on this machine alone; for
    others, put a proxy with TLS before it (docs/server.md). SIGTERM or Ctrl-C ends it once requests under way are
    answered.

    \b
    Examples:
      holdfast token create --name laptop --scope write
      holdfast serve --port 7420
    """
    from holdfast.interfaces.http.serve import serve as serve_project

    check_place(project)
    config = find_workspace(project).config.server
    config = replace(config, host=host or config.host, port=config.port if port is None else port)
    if not tokens().all():
        note("There is no token yet, so nobody can ask anything. `holdfast token create` makes one.")
    serve_project(project, config, lambda address: note(f"Serving at {address} (REST: /api, MCP: /mcp)."))


@click.group("token", cls=Group)
def token() -> None:
    """Make, list and revoke tokens for `holdfast serve`."""


@token.command("create")
@click.option(
    "--name", required=True, help="Who it is for: their own memory hangs on it, and what they write shows it."
)
@click.option("--tenant", help="Whose memory (default: store.tenant; `local` where memory is kept in a file).")
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default=WRITE,
    show_default=True,
    help="read: look; write: also remember and forget; admin: also prune, import and the like.",
)
@click.option("--only", metavar="ID", help="The only project it is good for (default: all of the tenant's).")
@click.option("--expires", help="When it ends: a date, or a length such as 90d (default: never).")
@common
def create(
    name: str, tenant: str | None, scope: str, only: str | None, expires: str | None, project: Path, as_json: bool
) -> None:
    """Make a token. It is shown now and never again: only its hash is kept.

    \b
    Examples:
      holdfast token create --name laptop
      holdfast token create --name ci --scope read --expires 90d
      holdfast token create --name shop --scope write --only github.com/acme/shop
    """
    only_person("making a token")
    now = environment.now()
    token, text = tokens().create(
        name=name,
        tenant=tenant or own_tenant(project),
        scope=scope,
        project=only,
        expires=parse_future(expires, "expires", now),
        now=now,
    )
    if as_json:
        print_json({"token": text, **_shape(token)})
        return
    click.echo(text)
    note(f"Keep it: it is not shown again. `holdfast token revoke {token.id}` takes it back.")


@token.command("list")
@common
def listing(project: Path, as_json: bool) -> None:
    """Show the tokens there are, without their secrets.

    \b
    Examples:
      holdfast token list
    """
    every = tokens().all()
    if as_json:
        print_json([_shape(token) for token in every])
        return
    print_table([_row(token) for token in every])
    if not every:
        note("There is no token. `holdfast token create` makes one.")


@token.command("revoke")
@click.argument("id")
@common
def revoke(id: str, project: Path, as_json: bool) -> None:  # noqa: A002 - the argument's name
    """Let the token with this ID be good for nothing, from the next request on.

    \b
    Examples:
      holdfast token revoke 3f2a9c01d4e5
    """
    only_person("revoking a token")
    token = tokens().revoke(id)
    if as_json:
        print_json(_shape(token))
    else:
        note(f"Revoked {token.id} ({shown(token.name)}).")


def _shape(token: Token) -> dict[str, object]:
    return {name: value for name, value in asdict(token).items() if name != "digest"}


def _row(token: Token) -> tuple[str, ...]:
    ends = f"ends {day(token.expires)}" if token.expires else "never ends"
    where = token.tenant if token.project is None else f"{token.tenant}/{token.project}"
    return token.id, token.scope, shown(where), faint(ends), shown(token.name)


@click.command("mcp")
@project_option
def mcp(project: Path) -> int:
    """Serve this project's memory to an agent, over standard input and output, by the Model Context Protocol.

    An agent starts this by itself once it is told to, with `claude mcp add holdfast -s user -- holdfast mcp` say,
    and it ends when the agent does.

    \b
    Examples:
      holdfast mcp
      holdfast mcp --project ~/src/shop
    """
    from holdfast.interfaces.mcp.front import main

    if str(project).startswith("-") and not project.is_dir():  # an option was taken for the directory
        raise click.BadOptionUsage("--project", "Option '--project' requires an argument.")
    return main(str(project))


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
def view(port: int, no_open: bool, project: Path) -> None:
    """See what is remembered, why it was told, and settle what waits, in your browser.

    The pages are served on this machine alone, while this command runs: Ctrl-C or closing the terminal ends it.
    The address holds a code that lets one person in, once, within ten minutes.

    \b
    Examples:
      holdfast view
      holdfast view --no-open
    """
    from holdfast.interfaces.http.serve import view as show_project

    only_person("looking at memory in a browser")
    check_place(project)
    show_project(project, port, find_workspace(project).config.server, lambda address: _show(address, no_open))


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
