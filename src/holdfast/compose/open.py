"""The composition root: from a directory to a service."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture.text.clean import Cleaner, echo
from holdfast.compose import postgres
from holdfast.compose.guards import SystemClock, admission_of, guard_of, origin_of
from holdfast.compose.options import (
    after_session,
    brief_settings_of,
    embedder_of,
    limits_of,
    question_encoder,
    ranking_of,
    reranker_of,
)
from holdfast.compose.postgres import ServerStore
from holdfast.compose.workspace import (
    DATABASE,
    DIRECTORY,
    EMBEDDED_TENANT,
    Workspace,
    find_server_workspace,
    find_workspace,
    identity,
    person,
    written_by,
)
from holdfast.errors import ConfigError, InvalidInput, StoreError, UnknownId
from holdfast.guard.admission import Admission
from holdfast.machine import paths
from holdfast.machine.cores import usable_cores
from holdfast.model.actor import Actor
from holdfast.model.finding import CaptureOptions
from holdfast.model.kinds import EXTRACTOR_ACTOR, HOOKS_ACTOR, USER_PROJECT
from holdfast.model.memory import Fading, Memory
from holdfast.ports import Clock, Embedder, Reranker, Store
from holdfast.service.daily_log import DailyLog
from holdfast.service.parts import Settings
from holdfast.service.scopes import Elsewhere, Scopes
from holdfast.service.service import Service
from holdfast.settings.load import choose, load
from holdfast.settings.schema import Config
from holdfast.stores.sqlite import files
from holdfast.stores.sqlite.store import Care, SqliteStore
from holdfast.upkeep.embed import Embeddings, Use

if TYPE_CHECKING:
    from holdfast.guard.copies import StoreCopies
    from holdfast.guard.guard import Guard
    from holdfast.service.extraction import Extracting

FOREGROUND = ("cli", "python")
"""Who has somebody waiting for what it does: it may keep every core busy. Beside the others an agent works."""


def make_home(directory: Path) -> None:
    """Make a project's `.holdfast` for its owner alone, out of git's sight."""
    files.prepare_directory(directory)
    files.ignore_in_git(directory)


def store_versions(host: ServerStore | None = None) -> Mapping[str, str]:
    """Return the versions of what the store runs on."""
    if host:
        return postgres.versions(host)
    import apsw

    return {"sqlite": apsw.sqlite_lib_version(), "apsw": apsw.apsw_version()}


def open_service(
    directory: Path,
    *,
    actor: str,
    create: bool = True,
    project_id: str | None = None,
    agent: str | None = None,
    clock: Clock | None = None,
    fresh: bool = False,
    embed_on_add: bool = True,
    short: bool = False,
    embedder: Embedder | None = None,
    upkeep: bool = True,
    tenant: str | None = None,
    person: bool = True,
    reranker: Reranker | None = None,
    anyway: bool = False,
) -> Service:
    """Open the service for a directory, for a person or for an agent.

    Where there is no store one is made, or, without `create`, an empty one in memory stands in, so that looking
    leaves no trace. With `fresh` a store that was lost is let go. An embedder or a reranker given replaces the
    configured one. A `short` process lives for one command, and loads no model to search. Upkeep that is due
    begins, unless that is not wanted. A tenant, if one is named, must be the one that the settings mean. Settings
    that cannot be used are an error, unless it is to be opened `anyway`.
    """
    workspace = find_workspace(directory, anyway=anyway)
    _check_tenant(workspace, tenant)
    service, _ = _open_service(
        workspace,
        clock or SystemClock(),
        actor=actor,
        create=create,
        project_id=project_id,
        agent=agent,
        fresh=fresh,
        embed_on_add=embed_on_add,
        short=short,
        embedder=embedder,
        person=person,
        reranker=reranker,
    )
    if upkeep:
        service.upkeep.when_due()
    return service


def _check_tenant(workspace: Workspace, tenant: str | None) -> None:
    own_tenant = workspace.host.tenant if workspace.host else EMBEDDED_TENANT
    if tenant not in (None, own_tenant):
        subject = "the settings name" if workspace.host else "an embedded store has"
        raise InvalidInput(field="tenant", problem=f"{subject} the tenant {own_tenant!r} only.")


def open_on_server(
    url: str, *, tenant: str | None, project_id: str | None, actor: str, reranker: Reranker | None = None
) -> Service:
    """Open the service of a project on a server; without a name it is the one of the current directory."""
    host = postgres.named_server(url, tenant)
    workspace = find_server_workspace(host, project_id)
    service, _ = _open_service(workspace, SystemClock(), actor=actor, project_id=project_id, reranker=reranker)
    service.upkeep.when_due()
    return service


def open_for_person(
    directory: Path,
    host: ServerStore,
    project_id: str,
    name: str,
    *,
    actor: str,
    create: bool,
    clock: Clock | None = None,
) -> Service:
    """Open the service of a project on a server for somebody whom another program asks for.

    Without `create` a project that is not there is an error: nobody shall be answered by an empty memory.
    """
    workspace = written_by(find_server_workspace(host, project_id, directory), name or actor)
    clock = clock or SystemClock()
    if not create:
        store = _open_hosted(host, workspace, project_id, clock, create=False)
        if store is None:
            raise UnknownId(noun="project", id=echo(project_id))
        store.close()
    service, _ = _open_service(workspace, clock, actor=actor, project_id=project_id)
    service.upkeep.when_due()
    return service


def open_end(directory: Path, host: ServerStore | None, *, user: bool, create: bool, clock: Clock) -> Store | None:
    """Open one end of a move: a project's memory, or the user's own, on a server or, without one, in a file.

    None where nothing is there and nothing is to be made.
    """
    workspace = find_workspace(directory)
    end = replace(workspace, named=host) if host else workspace.embedded
    if user:
        return _open_user_store(end, clock, create)
    if host:
        return _open_hosted(host, end, identity(end, None), clock, create)
    return _open_embedded(end, None, clock, "cli", create=create, fresh=False)


def open_for_brief(directory: Path) -> Service:
    """Open the service that makes a brief by words alone, where a server keeps memory: no model is loaded."""
    workspace = find_workspace(directory)
    plain = replace(workspace.config.embedding, model="none")
    workspace = replace(workspace, config=replace(workspace.config, embedding=plain))
    service, _ = _open_service(workspace, SystemClock(), actor=HOOKS_ACTOR, create=False)
    return service


def open_for_spool(directory: Path, clock: Clock | None = None) -> tuple[Service, Store]:
    """Open the service that takes in what hooks spooled, and the store in whose transactions it does.

    Every commit waits for the disk: what is committed here is removed from the spool.
    """
    workspace = find_workspace(directory)
    workspace = replace(
        workspace, config=replace(workspace.config, store=replace(workspace.config.store, synchronous="full"))
    )
    return _open_service(workspace, clock or SystemClock(), actor=HOOKS_ACTOR)


def _open_service(
    workspace: Workspace,
    clock: Clock,
    *,
    actor: str,
    create: bool = True,
    project_id: str | None = None,
    agent: str | None = None,
    fresh: bool = False,
    embed_on_add: bool = True,
    short: bool = False,
    embedder: Embedder | None = None,
    person: bool = True,
    reranker: Reranker | None = None,
) -> tuple[Service, Store]:
    create = create and not workspace.off()
    if workspace.host:
        store = _open_hosted(workspace.host, workspace, identity(workspace, project_id), clock, create)
    else:
        store = _open_embedded(workspace, project_id, clock, actor, create=create, fresh=fresh)
    if store is None:
        from holdfast.stores.reference.store import ReferenceStore  # rare: there is nothing to look at yet

        store = ReferenceStore(workspace.project.id)
    cleaner = Cleaner(workspace.config.redact.allow)
    project_name = cleaner.label(project_id or workspace.config.project.id or store.state().project)
    origin = origin_of(workspace, project_name, agent)
    sharing_connections = (
        replace(workspace, named=postgres.beside(workspace.host, store)) if workspace.host else workspace
    )
    scopes = Scopes(
        store,
        lambda create: _open_user_store(sharing_connections, clock, create),
        lambda: _look_elsewhere(sharing_connections, project_name),
    )
    settings = _service_settings(workspace, clock, cleaner, Actor(actor, person, agent))
    settings = replace(settings, embed_on_add=embed_on_add, reranker=reranker or settings.reranker)

    def back_up_daily() -> None:
        for user in (False, True):
            guard_of(workspace, clock, actor, project_id, user=user).back_up_daily()

    daily = back_up_daily if workspace.config.backup.auto and not workspace.host else None
    after = after_session(workspace.config.extractor, workspace.root, daily)
    brief = cache(lambda: brief_settings_of(workspace))
    cores = usable_cores() if actor in FOREGROUND else 1
    embeddings = _embeddings(workspace, clock, scopes, embedder, short=short, cores=cores)
    return Service(scopes, clock, origin, settings, after, embeddings, brief), store


def _service_settings(workspace: Workspace, clock: Clock, cleaner: Cleaner, actor: Actor) -> Settings:
    config = workspace.config
    return Settings(
        actor=actor,
        ranking=ranking_of(config),
        root=workspace.root,
        cleaner=cleaner,
        habits=CaptureOptions(auto=config.capture.auto, preset=config.capture.preset),
        ignored_settings=config.ignored,
        limits=limits_of(config),
        daily_log=DailyLog(workspace.root and workspace.root / DIRECTORY / "log", writes=config.log.daily),
        copies=None if workspace.host else _Copies(workspace, clock),
        reranker=reranker_of(config.brief),
        off=workspace.off,
    )


def _embeddings(
    workspace: Workspace,
    clock: Clock,
    scopes: Scopes,
    embedder: Embedder | None,
    *,
    short: bool,
    cores: int,
) -> Embeddings:
    config = workspace.config.embedding
    chosen_embedder, notice = (embedder, None) if embedder else embedder_of(config, cores)
    use = Use(
        notice=notice,
        distant=embedder is None and config.model == "remote",
        own=lambda store: store is not scopes.project,
        of_project=embedder is None and _project_embeds(workspace),
        background=config.background,
        short=short,
    )
    return Embeddings(chosen_embedder, clock, use, question_encoder(chosen_embedder) if chosen_embedder else None)


@contextlib.contextmanager
def open_extracting(directory: Path, clock: Clock | None = None) -> "Iterator[tuple[Extracting | None, int]]":
    """Open what lets the user's extractor read sessions, and say how many at a time; None where there is none."""
    workspace, clock = find_workspace(directory), clock or SystemClock()
    if not workspace.config.extractor.url or workspace.off():
        yield None, 0
        return
    from holdfast.compose.options import extractor_of
    from holdfast.service.extraction import Extracting

    extractor = extractor_of(workspace.config.extractor)
    service, store = _open_service(
        workspace, clock, actor=EXTRACTOR_ACTOR, create=False, embed_on_add=False, person=False
    )
    with contextlib.closing(service):
        yield (
            Extracting(service, store, extractor, Cleaner(workspace.config.redact.allow), clock),
            (workspace.config.extractor.calls),
        )


class _Copies:
    """`forgetting.Copies` of the project's store and the user's own, made when somebody forgets."""

    def __init__(self, workspace: Workspace, clock: Clock) -> None:
        self._workspace = workspace
        self._clock = clock

    @cached_property
    def _copies(self) -> "StoreCopies":
        from holdfast.guard.copies import StoreCopies  # few commands forget

        return StoreCopies([admission_of(self._workspace, user=user) for user in (False, True)], self._clock)

    def holding(self, memories: Sequence[Memory], turns: Sequence[str]) -> list[str]:
        return self._copies.holding(memories, turns)

    def clean(self, memories: Sequence[Memory]) -> tuple[list[str], list[str]]:
        return self._copies.clean(memories)


def _project_embeds(workspace: Workspace) -> bool:
    """Whether the project's own file says what makes vectors here."""
    if not workspace.sources.project_file.exists():
        return False
    choices, _ = choose(workspace.sources)
    return any(key.startswith("embedding.") and choice.origin == "project" for key, choice in choices.items())


def _open_hosted(host: ServerStore, workspace: Workspace, name: str, clock: Clock, create: bool) -> Store | None:
    if create and workspace.root and workspace.project.git is None:
        make_home(
            workspace.project.root / DIRECTORY
        )  # outside a repository, hooks know by it that memory is wanted
    return postgres.open_store(host, postgres.check_project(name), workspace.config, clock.now(), create=create)


def _open_embedded(
    workspace: Workspace, project_id: str | None, clock: Clock, actor: str, *, create: bool, fresh: bool
) -> SqliteStore | None:
    admission, there = admission_of(workspace), os.path.lexists(workspace.database)
    if there or not workspace.off():
        admission.admit(fresh=fresh)
    if not there and not create:
        return None
    if not there and workspace.database.parent.name == DIRECTORY:
        make_home(workspace.database.parent)

    def guard() -> "Guard":
        return guard_of(workspace, clock, actor, project_id)

    return _open(identity(workspace, project_id), workspace.config, admission, clock.now(), guard)


def _open_user_store(workspace: Workspace, clock: Clock, create: bool) -> Store | None:
    if workspace.host:
        name = postgres.personal(person(workspace))
        return postgres.open_store(workspace.host, name, _own_config(workspace), clock.now(), create=create)
    if not create and not os.path.exists(os.path.join(paths.data_directory(), DATABASE)):
        return None
    admission = admission_of(workspace, user=True)
    if not admission.file.path.parent.exists():
        files.prepare_directory(admission.file.path.parent)

    def guard() -> "Guard":
        return guard_of(workspace, clock, "user", user=True)

    return _open(USER_PROJECT, _own_config(workspace), admission, clock.now(), guard)


def _own_config(workspace: Workspace) -> Config:
    """Return the settings of the user's own store: when its memories fade is no project's business."""
    if not workspace.sources.project_file.exists():
        return workspace.config
    own = load(replace(workspace.sources, project_file=workspace.sources.user_file))
    return replace(workspace.config, fading=own.fading)


def _look_elsewhere(workspace: Workspace, own: str) -> list[Elsewhere]:
    """Open the stores that this user made in other projects, where memory is on there; nothing is written.

    On a server those are the tenant's other projects.
    """
    if workspace.host:
        return postgres.open_other_projects(workspace.host, own, workspace.config)
    admission = admission_of(workspace)
    other_projects = []
    for record in admission.stores.all():
        path = Path(record.path)
        root = path.parent.parent if path.parent.name == DIRECTORY else path.parent
        if path in (workspace.database, Path(paths.data_directory()) / DATABASE) or not root.is_dir():
            continue
        with contextlib.suppress(StoreError, ConfigError):
            there = find_workspace(root)
            usable = os.path.realpath(there.database) == record.path and not there.off()
            if usable and admission.stores.objection(path) is None and (store := SqliteStore.look(path)):
                other_projects.append(Elsewhere(str(root), store))
    return other_projects


def _open(
    project: str, config: Config, admission: Admission, now: int, guard: "Callable[[], Guard]"
) -> SqliteStore:
    path = admission.file.path

    def keep_marks(store_id: str, marks: Sequence[tuple[bool, bytes]]) -> None:
        """What was forgotten is forgotten already; marks that cannot be kept here, `doctor` finds missing."""
        with contextlib.suppress(OSError, StoreError):
            admission.backups.add_marks(store_id, marks)

    care = Care(
        claim=lambda fresh, store_id: admission.stores.claim(path, fresh, store_id),
        before_migration=lambda database: guard().back_up_before_migration(database),
        forgotten=keep_marks,
        fading=Fading(config.fading.days),
    )
    return SqliteStore.open(
        path,
        project=project,
        now=now,
        care=care,
        busy_ms=config.store.busy_timeout_ms,
        synchronous=config.store.synchronous,
        postings_budget=config.search.postings_budget,
        hnsw_from=config.vectors.hnsw_from,
    )
