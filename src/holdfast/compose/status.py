"""Where one stands in a directory: gathered without making or changing anything."""

import sys
from pathlib import Path

import holdfast
from holdfast.compose.open import open_keeper, open_service, store_versions
from holdfast.compose.workspace import Surroundings, survey
from holdfast.errors import StoreError
from holdfast.machine import failures
from holdfast.machine.project import read_head
from holdfast.model.inbox import Waits
from holdfast.model.records import EmbeddingState, Stats
from holdfast.model.status import ConfigFile, Server, Status
from holdfast.model.times import iso
from holdfast.settings.schema import Sources, vouched


def status_of(directory: Path) -> Status:
    """Gather everything; a store that cannot be opened is part of the answer, not an error."""
    found = survey(directory)
    stats: Stats | None = None
    waits: Waits | None = None
    problem = None
    try:
        stats, waits = _stats(directory)
    except StoreError as error:
        problem = str(error)
    head = read_head(found.project.git)
    return Status(
        project=stats.project.project if stats else found.config.project.id or found.project.id,
        root=str(found.project.root),
        branch=head.branch,
        commit=head.commit,
        place=found.place,
        server=_server(found, stats),
        store=stats.project if stats and found.exists else None,
        counts=stats.counts if stats and found.exists else None,
        waits=waits if found.exists else None,
        user=stats.user if stats else None,
        user_counts=stats.user_counts if stats else None,
        problem=problem,
        off=found.off(),
        backup=open_keeper(directory, actor="status").backup_state(),
        pending=_pending(found, stats),
        config_files=_files(found.sources),
        ignored_settings=found.config.ignored,
        upkeep=stats.upkeep if stats and found.exists else None,
        user_upkeep=stats.user_upkeep if stats else None,
        versions={"holdfast": holdfast.__version__, "python": _python(), **store_versions(found.host)},
        briefs=stats.briefs if stats else None,
        extractor=found.config.extractor.url,
        last_failure=_last_failure(found, directory),
    )


def _server(found: Surroundings, stats: Stats | None) -> Server | None:
    if found.host is None:
        return None
    schema = stats.project.schema if stats else None
    return Server(
        url=found.host.shown, tenant=found.host.tenant, reachable=stats is not None, schema=schema or None
    )


def _last_failure(found: Surroundings, directory: Path) -> str | None:
    failure = failures.last(str(found.project.root), str(directory.resolve()))
    return f"{iso(failure[0])} {failure[1]}: {failure[2]}" if failure else None


def _stats(directory: Path) -> tuple[Stats, Waits]:
    service = open_service(directory, actor="status", create=False, upkeep=False)
    try:
        stats = service.stats()
        return stats, service.review.waits([one for one in (stats.counts, stats.user_counts) if one])
    finally:
        service.close()


def _pending(found: Surroundings, stats: Stats | None) -> tuple[str, ...]:
    if stats is None or not found.exists:
        return ()
    states = [state for state in (stats.project, stats.user) if state]
    bytes_left = [
        f"the last bytes of what was forgotten wait for a reader of {state.place} to leave"
        for state in states
        if state.scrub_pending
    ]
    embedding = found.config.embedding
    soon = embedding.background and embedding.model != "remote"
    unembedded = [_unembedded(state, soon) for state in (stats.embedding, stats.user_embedding)]
    return (*bytes_left, *(line for line in unembedded if line))


def _unembedded(embedding: EmbeddingState | None, soon: bool) -> str | None:
    """Say what is found by its words only, and why."""
    if embedding is None:
        return None
    waiting = ", ".join(f"{number:,} {target}" for target, number in embedding.waiting.items() if number)
    reason = embedding.problem or embedding.notice
    if not waiting:
        return reason
    told = f"found by words only until vectors are made: {waiting}"
    if reason:
        return f"{told} ({reason})"
    by_hand = "`holdfast reindex --pending` makes them"
    return f"{told} (soon, in the background; {by_hand} at once)" if soon else f"{told} ({by_hand})"


def _files(sources: Sources) -> tuple[ConfigFile, ...]:
    user, project = sources.user_file, sources.project_file
    return (
        ConfigFile(origin="user", path=str(user), exists=user.is_file(), vouched=True),
        ConfigFile(origin="project", path=str(project), exists=project.is_file(), vouched=vouched(sources)),
    )


def _python() -> str:
    return ".".join(map(str, sys.version_info[:3]))
