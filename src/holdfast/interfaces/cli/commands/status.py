"""`holdfast status`: where one stands, on one screen."""

from pathlib import Path

import click

from holdfast.compose.status import status_of
from holdfast.interfaces.cli.base import common
from holdfast.interfaces.cli.commands.stats import usage_bar, warnings_of
from holdfast.interfaces.cli.output import faint, print_json, print_table, shown
from holdfast.model.care import ConfigFile, Status
from holdfast.model.records import Counts
from holdfast.model.times import iso


@click.command("status")
@common
def command(project: Path, as_json: bool) -> None:
    """Show where one stands: project, store, counts, whether memory is on, backups, settings, versions.

    \b
    Examples:
      holdfast status
      holdfast status --json
    """
    status = status_of(project)
    if as_json:
        print_json(status)
        return
    rows = [
        ("project", shown(status.project)),
        ("root", shown(status.root)),
        ("branch", shown(_checked_out(status))),
        ("store", _store(status)),
        ("server", _server(status)),
        ("memories", _counts_text(status.counts)),
        ("your own", _counts_text(status.user_counts)),
        ("inbox", _inbox(status)),
        ("usage", usage_bar(status.upkeep) if status.upkeep else ""),
        ("upkeep", _upkeep(status)),
        ("memory", click.style(f"off: {status.off}", fg="yellow") if status.off else "on"),
        ("last backup", _backup(status)),
        *(("pending", text) for text in status.pending),
        ("briefs", _briefs(status)),
        (
            "extractor",
            f"what is said in sessions is read by {shown(status.extractor)}" if status.extractor else "",
        ),
        ("last failure", shown(status.last_failure or "")),
        *(
            ("warning", click.style(warning, fg="yellow"))
            for warning in warnings_of(status.upkeep, status.user_upkeep)
        ),
        *(("settings", _file(file)) for file in status.config_files if file.exists),
        ("not obeyed", ", ".join(map(shown, status.ignored_settings))),
        ("versions", ", ".join(f"{name} {version}" for name, version in status.versions.items())),
    ]
    print_table([(faint(name), text) for name, text in rows if text])


def _checked_out(status: Status) -> str:
    commit = (status.commit or "")[:10]
    return f"{status.branch} at {commit}" if status.branch and commit else status.branch or commit


def _store(status: Status) -> str:
    if status.problem:
        return click.style(shown(status.problem), fg="red")
    if status.store is None or (status.server and status.server.schema is None):
        return f"none yet; the first `holdfast add` makes {shown(status.place)}"
    more = ", read-only" if status.store.read_only else ""
    return f"{shown(status.place)} ({status.store.bytes / 1024:,.0f} KB{more})"


def _server(status: Status) -> str:
    if status.server is None:
        return ""
    answers = "answers" if status.server.reachable else click.style("does not answer", fg="red")
    schema = f", schema {status.server.schema}" if status.server.schema else ""
    return f"{shown(status.server.url)}, tenant {shown(status.server.tenant)}{schema}: {answers}"


def _counts_text(counts: Counts | None) -> str:
    if counts is None:
        return ""
    candidates = counts.by_status.get("candidate", 0)
    parts = [
        f"{counts.memories:,} current",
        f"{counts.by_status.get('pinned', 0):,} pinned",
        f"{candidates:,} unconfirmed",
        f"{counts.superseded:,} superseded",
        f"{counts.expired:,} expired",
        f"{counts.faded:,} faded",
    ]
    sessions = f"; {counts.sessions:,} sessions with {counts.turns:,} turns" if counts.sessions else ""
    return ", ".join(parts) + sessions


def _inbox(status: Status) -> str:
    if status.waits is None or not status.waits.total:
        return ""
    parts = {
        "conflict": status.waits.conflicts,
        "proposal": status.waits.proposals,
        "candidate": status.waits.candidates,
    }
    of_what = ", ".join(
        f"{number:,} {name}{'' if number == 1 else 's'}" for name, number in parts.items() if number
    )
    total = status.waits.total
    return f"{total:,} {'waits' if total == 1 else 'wait'} for you: holdfast review ({of_what})"


def _briefs(status: Status) -> str:
    if status.briefs is None or not status.briefs.samples:
        return ""
    if status.briefs.p95_ms is None:
        return f"{status.briefs.samples} so far"
    slow = "; less is looked at until they are fast again" if status.briefs.degraded else ""
    return f"95 of 100 within {status.briefs.p95_ms:,} ms (the latest {status.briefs.samples}){slow}"


def _upkeep(status: Status) -> str:
    if status.upkeep is None:
        return ""
    last = status.upkeep.totals.tended_at
    return f"last {iso(last)}" if last else "not yet"


def _backup(status: Status) -> str:
    if status.backup is None:
        return ""
    newest = status.backup.newest
    text = f"{iso(newest.taken_at)} ({newest.label})" if newest else "none"
    stale_count = status.backup.behind
    return "; ".join(
        (
            text,
            *([f"the last try failed: {status.backup.failure}"] if status.backup.failure else []),
            *(
                [f"{stale_count} from before something was forgotten, see `forget --backups`"]
                if stale_count
                else []
            ),
        )
    )


def _file(file: ConfigFile) -> str:
    return shown(file.path) + ("" if file.vouched else " (not yours: only harmless keys are obeyed)")
