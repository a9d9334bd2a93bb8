"""Where one stands in a directory: gathered without making or changing anything."""

import sys
from pathlib import Path

import holdfast
from holdfast import judge
from holdfast.agents.ledger import connected_agents
from holdfast.errors import StoreError
from holdfast.machine import failures
from holdfast.machine.paths import objection_to_store
from holdfast.machine.project import read_head
from holdfast.model.care import ConfigFile, Server, Status
from holdfast.model.inbox import Waits
from holdfast.model.records import EmbeddingState, RuleTotals, Stats
from holdfast.model.times import iso
from holdfast.settings.load import Sources, vouched
from holdfast.storage.open import STATUS, WITHOUT_MODEL, open_service, store_versions
from holdfast.storage.workspace import Workspace, find_workspace, open_keeper


def status_of(directory: Path) -> Status:
    """Gather everything; a store that cannot be opened is part of the answer, not an error."""
    workspace = find_workspace(directory, anyway=True)
    stats: Stats | None = None
    waits: Waits | None = None
    rules: RuleTotals | None = None
    problem = None
    try:
        stats, waits, rules = _stats(directory)
    except StoreError as error:
        problem = str(error)
    head = read_head(workspace.project.git)
    return Status(
        project=stats.project.project if stats else workspace.config.project.id or workspace.project.id,
        root=str(workspace.project.root),
        branch=head.branch,
        commit=head.commit,
        place=workspace.place,
        server=_server(workspace, stats),
        store=stats.project if stats and workspace.exists else None,
        counts=stats.counts if stats and workspace.exists else None,
        waits=waits if workspace.exists else None,
        user=stats.user if stats else None,
        user_counts=stats.user_counts if stats else None,
        problem=problem,
        off=workspace.off(),
        backup=open_keeper(directory, actor="status", anyway=True).backup_state(),
        pending=_pending_work(workspace, stats),
        config_files=_files(workspace.sources),
        ignored_settings=workspace.config.ignored,
        settings_problems=workspace.config.problems,
        settings_doubts=workspace.config.doubts,
        hooks_off=_hooks_off(workspace),
        upkeep=stats.upkeep if stats and workspace.exists else None,
        user_upkeep=stats.user_upkeep if stats else None,
        versions={"holdfast": holdfast.__version__, "python": _python(), **store_versions(workspace.host)},
        briefs=stats.briefs if stats else None,
        extractor=workspace.config.extractor.url,
        last_failure=_last_failure(workspace, directory),
        agents=connected_agents(str(workspace.project.root)),
        rules=rules if workspace.exists else None,
    )


def _hooks_off(workspace: Workspace) -> str | None:
    """Say why hooks bring about no store here; None where they do, or one is there."""
    git = workspace.project.git
    return None if workspace.begun else objection_to_store(str(workspace.project.root), str(git) if git else None)


def _server(workspace: Workspace, stats: Stats | None) -> Server | None:
    if workspace.host is None:
        return None
    schema = stats.project.schema if stats else None
    return Server(
        url=workspace.host.shown, tenant=workspace.host.tenant, reachable=stats is not None, schema=schema or None
    )


def _last_failure(workspace: Workspace, directory: Path) -> str | None:
    failure = failures.last(str(workspace.project.root), str(directory.resolve()))
    return f"{iso(failure[0])} {failure[1]}: {failure[2]}" if failure else None


def _stats(directory: Path) -> tuple[Stats, Waits, RuleTotals]:
    service = open_service(directory, STATUS)
    try:
        stats = service.stats()
        waits = service.review.waits([counts for counts in (stats.counts, stats.user_counts) if counts])
        return stats, waits, service.rules.totals()
    finally:
        service.close()


def _pending_work(workspace: Workspace, stats: Stats | None) -> tuple[str, ...]:
    if stats is None or not workspace.exists:
        return ()
    states = [state for state in (stats.project, stats.user) if state]
    bytes_left = [
        f"the last bytes of what was forgotten wait for a reader of {state.place} to leave"
        for state in states
        if state.scrub_pending
    ]
    embedding = workspace.config.embedding
    soon = embedding.background and embedding.model != "remote"
    backlog_lines = [_embedding_backlog(state, soon) for state in (stats.embedding, stats.user_embedding)]
    return (*bytes_left, *(line for line in (*backlog_lines, _judge_notice(embedding.model)) if line))


def _judge_notice(model: str) -> str | None:
    """Say why sessions are not read by both judges, where that is so."""
    has_model = model not in WITHOUT_MODEL
    if names := judge.damaged_files(full=has_model):
        return f"{names[0]} of the judge of talk is missing or damaged; install holdfast again"
    return None if has_model else f"sessions are read by the light judge alone, as embedding.model is {model}"


def _embedding_backlog(embedding: EmbeddingState | None, soon: bool) -> str | None:
    """Say what is found by its words only, and why."""
    if embedding is None:
        return None
    backlog = ", ".join(f"{number:,} {target}" for target, number in embedding.waiting.items() if number)
    reason = embedding.problem or embedding.notice
    if not backlog:
        return reason
    message = f"found by words only until vectors are made: {backlog}"
    if reason:
        return f"{message} ({reason})"
    by_hand = "`holdfast reindex --pending` makes them"
    return f"{message} (soon, in the background; {by_hand} at once)" if soon else f"{message} ({by_hand})"


def _files(sources: Sources) -> tuple[ConfigFile, ...]:
    user, project = sources.user_file, sources.project_file
    return (
        ConfigFile(origin="user", path=str(user), exists=user.is_file(), vouched=True),
        ConfigFile(origin="project", path=str(project), exists=project.is_file(), vouched=vouched(sources)),
    )


def _python() -> str:
    return ".".join(map(str, sys.version_info[:3]))
