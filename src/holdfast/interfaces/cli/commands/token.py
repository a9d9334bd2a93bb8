"""`holdfast token`: who may ask the server."""

import time
from dataclasses import asdict
from pathlib import Path

import click

from holdfast.compose.tenancy import own_tenant, tokens
from holdfast.interfaces.cli.base import Group, common, only_person
from holdfast.interfaces.cli.output import faint, note, print_json, print_table, shown
from holdfast.model.actor import SCOPES, WRITE, Token
from holdfast.model.times import day, parse_future


@click.group("token", cls=Group)
def command() -> None:
    """Make, list and revoke tokens for `holdfast serve`."""


@command.command("create")
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
    now = time.time_ns() // 1_000_000
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


@command.command("list")
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


@command.command("revoke")
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
