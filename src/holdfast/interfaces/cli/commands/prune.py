"""`holdfast prune`: delete by age, by weight, by source."""

import re
from pathlib import Path

import click

from holdfast.errors import InvalidInput
from holdfast.interfaces.cli.base import common, only_person, service_of
from holdfast.interfaces.cli.options import can_ask
from holdfast.interfaces.cli.output import print_json
from holdfast.interfaces.cli.progress import progress
from holdfast.interfaces.cli.tenants import tend_tenants
from holdfast.interfaces.cli.upkeep_report import print_going, print_kept
from holdfast.model.requests import PruneRequest
from holdfast.model.upkeep import Prune
from holdfast.model.value import replace
from holdfast.service.service import Service

_AGE = re.compile(r"(\d{1,5})\s*(d|w|y)?")
_DAYS = {"d": 1, "w": 7, "y": 365}


@click.command("prune")
@click.option("--older-than", metavar="AGE", help="Neither read nor confirmed for so long: 30, 30d, 8w, 1y.")
@click.option("--below-score", metavar="WEIGHT", type=float, help="Decayed importance of at most this, 0 to 1.")
@click.option("--source", help="Said by this source and by no other.")
@click.option("--mine", is_flag=True, help="Also what a person asked to remember.")
@click.option("--all-tenants", is_flag=True, help="Look after every store of every tenant on a server instead.")
@click.option("--url", metavar="URL", help="With --all-tenants: the server, instead of your store.url.")
@click.option("--dry-run", "-n", is_flag=True, help="Only show what would go, and why.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@common
def command(
    older_than: str | None,
    below_score: float | None,
    source: str | None,
    mine: bool,
    all_tenants: bool,
    url: str | None,
    dry_run: bool,
    yes: bool,
    project: Path,
    as_json: bool,
) -> int:
    """Delete memories by age, by weight or by source; given several, all must be met.

    A memory's weight is its importance as time and neglect left it. Pinned memories, decisions, what an active
    session said and what was read in the last 24 hours stay.

    With --all-tenants it is what a server needs from time to time, by a login with the role holdfast_gc: of every
    store, what expired or faded goes, limits are kept, what says the same is merged, statistics are summed up, the
    log is sealed, and large stores get a graph for their vectors. A tenant that is broken is named (exit code 8),
    and holds up no other.

    \b
    Examples:
      holdfast prune --older-than 90d --dry-run
      holdfast prune --below-score 0.1 --yes
      holdfast prune --source web
      holdfast prune --all-tenants --url postgresql://db.example/holdfast --dry-run
    """
    if all_tenants or url:
        if not all_tenants or any((older_than, source, mine)) or below_score is not None:
            raise InvalidInput(field="--all-tenants", problem="goes alone, or with --url and --dry-run.")
        only_person("pruning for all tenants")
        return tend_tenants(project, url, dry_run=dry_run, as_json=as_json)
    request = PruneRequest(days=_days(older_than), max_score=below_score, source=source, mine=mine)
    with service_of(project) as service:
        service.check_on()
        result = service.prune(replace(request, dry_run=True))
        if not dry_run and result.gone and (yes or _confirm_pruning(service, result)):
            with progress("Pruning", service.upkeep.extent()) as step:
                result = service.prune(request, step)
        if as_json:
            print_json(result)
        else:
            _print(service, result, dry_run=dry_run)
    return 0


def _days(age: str | None) -> int | None:
    if age is None:
        return None
    age_match = _AGE.fullmatch(age.strip())
    if not age_match:
        raise InvalidInput(field="--older-than", problem="is not an age. Give days, or 30d, 8w, 1y.")
    return int(age_match[1]) * _DAYS[age_match[2] or "d"]


def _confirm_pruning(service: Service, result: Prune) -> bool:
    if not can_ask():
        raise InvalidInput(field="--yes", problem="is needed when there is no terminal to ask at.")
    print_going(service, result.gone, dry_run=True)
    return click.confirm(f"Delete these {len(result.gone):,}?")


def _print(service: Service, result: Prune, *, dry_run: bool) -> None:
    if not result.gone:
        click.echo("Nothing to prune.")
    elif result.dry_run and not dry_run:
        click.echo("Kept.")
    else:
        print_going(service, result.gone, dry_run=result.dry_run)
    print_kept(result.kept)
