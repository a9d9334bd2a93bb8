"""`holdfast status`, `stats`: where one stands, counts, and how the store is doing."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import click

from holdfast.interfaces.cli.base import common, service_of
from holdfast.interfaces.cli.output import date_label, faint, megabytes, print_json, print_list, print_table, shown
from holdfast.model.care import ConfigFile, Status
from holdfast.model.records import AccessReport, Counts, EmbeddingState, RuleTotals, Stats, StoreState, UpkeepState
from holdfast.model.times import iso
from holdfast.service.rules import RuleRecord
from holdfast.storage.status import status_of

BAR = 24


@click.command("status")
@common
def status(project: Path, as_json: bool) -> None:
    """Show where one stands: project, store, counts, agents, whether memory is on, backups, settings, versions.

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
        ("branch", shown(" at ".join(filter(None, (status.branch, (status.commit or "")[:10]))))),
        *(("settings", click.style(shown(problem), fg="red")) for problem in status.settings_problems),
        ("store", _store(status)),
        ("hooks", _hooks(status)),
        ("server", _server(status)),
        ("memories", _counts_text(status.counts)),
        ("your own", _counts_text(status.user_counts)),
        ("inbox", _inbox(status)),
        ("rules", _rules(status.rules)),
        ("usage", usage_bar(status.upkeep) if status.upkeep else ""),
        ("upkeep", _tended(status.upkeep) if status.upkeep else ""),
        ("agents", ", ".join(status.agents) or "none connected; `holdfast install` finds those that are here"),
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
        *(("settings", click.style(shown(doubt), fg="yellow")) for doubt in status.settings_doubts),
        ("versions", ", ".join(f"{name} {version}" for name, version in status.versions.items())),
    ]
    print_table([(faint(name), text) for name, text in rows if text], cut=False)


def _hooks(status: Status) -> str:
    """Say that nothing is recorded here by itself, and what to do about it."""
    if status.hooks_off is None:
        return ""
    advice = "`holdfast init` makes one, and they record from then on"
    return click.style(f"make no store here, because {shown(status.hooks_off)}; {advice}", fg="yellow")


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


def _rules(totals: RuleTotals | None) -> str:
    """Say how rules were kept at the calls that they were told at."""
    if totals is None or not (totals.told or totals.guards):
        return ""
    guards = f"; {totals.guards:,} guarded" if totals.guards else ""
    return f"told at the act {totals.told:,}, kept {totals.kept:,}, broken {totals.broken:,}{guards}"


def _briefs(status: Status) -> str:
    if status.briefs is None or not status.briefs.samples:
        return ""
    if status.briefs.p95_ms is None:
        return f"{status.briefs.samples} so far"
    slow = "; less is looked at until they are fast again" if status.briefs.degraded else ""
    return f"95 of 100 within {status.briefs.p95_ms:,} ms (the latest {status.briefs.samples}){slow}"


def _tended(upkeep: UpkeepState) -> str:
    return f"last {iso(upkeep.totals.tended_at)}" if upkeep.totals.tended_at else "not yet"


def _backup(status: Status) -> str:
    if status.backup is None:
        return ""
    newest = status.backup.newest
    text = f"{iso(newest.taken_at)} ({newest.label})" if newest else "none"
    if status.backup.failure:
        text += f"; the last try failed: {status.backup.failure}"
    if status.backup.behind:
        text += f"; {status.backup.behind} from before something was forgotten, see `forget --backups`"
    return text


def _file(file: ConfigFile) -> str:
    return shown(file.path) + ("" if file.vouched else " (not yours: only harmless keys are obeyed)")


@click.command("stats")
@click.option("--accesses", is_flag=True, help="What was searched, found, never found and never read instead.")
@click.option("--rules", is_flag=True, help="How often each rule was told at a call, kept and broken instead.")
@click.option("--days", default=30, show_default=True, help="With --accesses: how far back.")
@common
def stats(accesses: bool, rules: bool, days: int, project: Path, as_json: bool) -> None:
    """Show what is remembered, by kind, status and trust, and the state of the store.

    \b
    Examples:
      holdfast stats --json
      holdfast stats --accesses --days 90
    """
    with service_of(project) as service:
        if accesses:
            _print_accesses(service.accesses(days), service.short_id, as_json=as_json)
            return
        if rules:
            nothing = "No rule was told at a call yet."
            print_list(service.rules.records(), _rule_row, nothing, as_json=as_json)
            return
        stats = service.stats()
    if as_json:
        print_json(stats)
        return
    _print_store("project", stats.project, stats.counts, stats.embedding, stats.upkeep)
    if stats.user and stats.user_counts:
        click.echo()
        _print_store("user", stats.user, stats.user_counts, stats.user_embedding, stats.user_upkeep)
    _print_warnings(stats)


def _rule_row(record: RuleRecord) -> Sequence[str]:
    counts = f"told {record.told:,}, kept {record.kept:,}, broken {record.broken:,}"
    more = [f"{name} {number}" for name, number in _fates(record).items() if number]
    return (record.short, counts, faint(", ".join(more)), shown(record.title))


def _fates(record: RuleRecord) -> dict[str, int]:
    return {"asked": record.asked, "refused": record.refused, "passed": record.passed}


def _print_accesses(report: AccessReport, short: Callable[[str], str], *, as_json: bool) -> None:
    if as_json:
        print_json(report)
        return
    click.echo(f"{report.searches:,} searches in {report.days:,} days, {report.memories:,} memories: ", nl=False)
    click.echo(f"{report.never_found:,} never found, {report.never_read:,} never read.")
    for head, queries in (("searched", report.searched), ("nothing found for", report.unanswered)):
        rows = [(f"{query.times:,}×", date_label(query.last), shown(query.query)) for query in queries]
        _print_part(head, rows)
    for head, memories in (("found most", report.found), ("never found or read, oldest", report.unfound)):
        rows = [
            (short(memory.id), f"found {memory.found:,}×, read {memory.reads:,}×", shown(memory.title))
            for memory in memories
        ]
        _print_part(head, rows)


def _print_part(head: str, rows: Sequence[tuple[str, str, str]]) -> None:
    if rows:
        click.echo(f"\n{click.style(head, bold=True)}")
        print_table(rows)


def _print_store(
    scope: str, state: StoreState, counts: Counts, embedding: EmbeddingState | None, upkeep: UpkeepState | None
) -> None:
    click.echo(click.style(f"{scope}: {state.project}", bold=True))
    rows = [
        ("store", f"{state.place} ({state.bytes / 1024:,.0f} KB, {state.journal}, schema {state.schema})"),
        ("memories", _memories(counts)),
        ("by kind", _group_text(counts.by_kind)),
        ("by status", _group_text(counts.by_status)),
        ("by trust", _group_text(counts.by_trust)),
        ("sessions", f"{counts.sessions:,} with {counts.turns:,} turns"),
        ("reads", f"{counts.reads:,}"),
        ("vectors", _vectors(embedding) if embedding else ""),
        *(_upkeep_rows(upkeep) if upkeep else ()),
    ]
    print_table([(faint(name), value) for name, value in rows if value])


def _memories(counts: Counts) -> str:
    hidden_counts = {"superseded": counts.superseded, "expired": counts.expired, "faded": counts.faded}
    return ", ".join(
        [f"{counts.memories:,} current", *(f"{number:,} {name}" for name, number in hidden_counts.items())]
    )


def _upkeep_rows(upkeep: UpkeepState) -> list[tuple[str, str]]:
    """Return how a store stands towards its limits, and what was done to it."""
    totals, health = upkeep.totals, upkeep.health
    totals_text = f"{totals.promotions:,} promotions, {totals.evictions:,} evictions, {totals.reads:,} reads"
    compaction = f", compacted {iso(totals.compacted_at)}" if totals.compacted_at else ""
    return [
        ("usage", usage_bar(upkeep)),
        ("promoted", f"{upkeep.promoted:,} of {upkeep.max_promoted:,} by themselves"),
        ("index", f"{health.indexed:,} of {health.rows:,} rows by words, {health.waiting:,} wait for vectors"),
        ("file", f"{megabytes(health.file_bytes)}, {megabytes(health.free_bytes)} of it free"),
        ("totals", totals_text + compaction),
        ("upkeep", _tended(upkeep)),
    ]


def usage_bar(upkeep: UpkeepState) -> str:
    """Return a bar of how much of the size limit is used; yellow where that is much."""
    full = min(BAR, round(upkeep.share * BAR))
    bar = "█" * full + "░" * (BAR - full)
    colour = "yellow" if upkeep.warning else "green"
    usage = f"{upkeep.share:.0%} of {megabytes(upkeep.max_bytes)}"
    many = f", {upkeep.memories:,} of {upkeep.max_memories:,} memories" if upkeep.max_memories else ""
    return f"{click.style(bar, fg=colour)} {usage}{many}"


def _vectors(embedding: EmbeddingState) -> str:
    """Say which model is in use, what waits for vectors, and why."""
    parts = [embedding.kept or embedding.model or "off"]
    waiting_counts = {f"{target} waiting": number for target, number in embedding.waiting.items() if number}
    parts += [_group_text(waiting_counts)] if waiting_counts else []
    return "; ".join(dict.fromkeys([*parts, *(text for text in (embedding.problem, embedding.notice) if text)]))


def _group_text(groups: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number:,}" for name, number in groups.items())


def warnings_of(*states: UpkeepState | None) -> list[str]:
    """Return what people should know of upkeep."""
    known_states = [state for state in states if state]
    warnings = [state.warning for state in known_states if state.warning]
    if any(state.doubted for state in known_states):
        warnings.append(
            "The clock jumped far ahead: nothing is deleted by it until it has stayed there for a day."
        )
    if any(state.health.indexed != state.health.rows for state in known_states):
        warnings.append("Not every row is found by its words: `holdfast reindex` puts that right.")
    return warnings


def _print_warnings(stats: Stats) -> None:
    for warning in warnings_of(stats.upkeep, stats.user_upkeep):
        click.echo(click.style(warning, fg="yellow"))
    if stats.project.mount:
        click.echo(f"The store lies on a shared folder ({stats.project.mount}): no write-ahead log there.")
    if stats.project.scrub_pending:
        click.echo("Bytes of something forgotten still wait for another process to stop reading.")
    if stats.user_error:
        click.echo(f"Your own memory is left out: {stats.user_error}")
    if stats.ignored_settings:
        click.echo(f"Not obeyed from this repository's config: {', '.join(stats.ignored_settings)}")
