"""The composition root: from a directory to a service."""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from holdfast.capture.text.clean import Cleaner, echo
from holdfast.errors import ConfigError, InvalidInput, StoreError, UnknownId
from holdfast.machine import detached, paths
from holdfast.machine.environment import SystemClock, usable_cores
from holdfast.model.actor import Actor
from holdfast.model.finding import CaptureOptions
from holdfast.model.kinds import EXTRACTOR_ACTOR, HOOKS_ACTOR, MCP_ACTOR, USER_PROJECT
from holdfast.model.memory import Fading
from holdfast.ports import Clock, Embedder, Reranker, Store
from holdfast.service.parts import Settings
from holdfast.service.scopes import Elsewhere, Scopes
from holdfast.service.service import Service
from holdfast.settings.load import choose, load
from holdfast.settings.schema import Config
from holdfast.storage import postgres
from holdfast.storage.admission import Admission
from holdfast.storage.options import (
    brief_settings_of,
    embedder_of,
    extractor_of,
    limits_of,
    question_encoder,
    ranking_of,
    reranker_of,
)
from holdfast.storage.postgres import ServerStore
from holdfast.storage.workspace import (
    DIRECTORY,
    EMBEDDED_TENANT,
    Workspace,
    admission_of,
    find_server_workspace,
    find_workspace,
    guard_of,
    identity,
    origin_of,
    person,
    written_by,
)
from holdfast.stores.sqlite import files
from holdfast.stores.sqlite.store import Care, SqliteStore
from holdfast.upkeep.embed import Embeddings, Use

if TYPE_CHECKING:
    from holdfast.judge import Judge
    from holdfast.service.extraction import Extracting
    from holdfast.storage.copies import StoreCopies
    from holdfast.storage.guard import Guard


class Profile(Struct, frozen=True, kw_only=True):
    """What one sort of caller lets happen while it opens memory, and while it has it open."""

    actor: str = "python"
    person: bool = True
    """Whether a person acts, or an agent."""
    create: bool = True
    """Make a store where there is none; without, an empty one in memory stands in and looking leaves no trace."""
    upkeep: bool = True
    """Do a slice of the upkeep that is due."""
    embed_on_add: bool = True
    short: bool = False
    """The process lives for one command, and loads no model to search."""
    every_core: bool = False
    """Keep every core busy: somebody waits. In the background an agent works beside it."""
    vectors: bool = True
    """Search by meaning as well; without, no model is loaded."""
    full_sync: bool = False
    """Every commit waits for the disk."""
    tolerant: bool = False
    """Go on without the settings that cannot be used."""
    starts_worker: bool = True
    """Start the background worker where there is something for it; the worker itself starts no other."""


WITHOUT_MODEL = ("none", "hashing")
"""Values of embedding.model under which no model is loaded."""

PYTHON = Profile(every_core=True)
CLI = Profile(actor="cli", every_core=True, embed_on_add=False, short=True)
MCP = Profile(actor=MCP_ACTOR, person=False, embed_on_add=False)
HTTP = Profile(actor="http")
STATUS = Profile(actor="status", create=False, upkeep=False, tolerant=True)
BRIEF = Profile(actor=HOOKS_ACTOR, create=False, upkeep=False, vectors=False)
"""A hook's brief where a server keeps memory; for a file `brief_stores` opens less."""
SPOOL = Profile(actor=HOOKS_ACTOR, upkeep=False, full_sync=True)
"""What is committed here is removed from the spool."""
WORKER_SPOOL = replace(SPOOL, starts_worker=False)
WORKER = Profile(actor="worker", create=False, upkeep=False, starts_worker=False)
EXTRACTOR = Profile(
    actor=EXTRACTOR_ACTOR, person=False, create=False, upkeep=False, embed_on_add=False, starts_worker=False
)


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
    profile: Profile = PYTHON,
    *,
    project_id: str | None = None,
    agent: str | None = None,
    clock: Clock | None = None,
    fresh: bool = False,
    embedder: Embedder | None = None,
    tenant: str | None = None,
    reranker: Reranker | None = None,
    judge: "Callable[[], Judge] | None" = None,
    **changes: Any,
) -> Service:
    """Open the service for a directory, as a profile says; single fields of it can be given by name.

    With `fresh` a store that was lost is let go. An embedder, reranker or judge given replaces the configured one.
    A tenant, if one is named, must be the one that the settings mean.
    """
    profile = replace(profile, **changes)
    workspace = find_workspace(directory, anyway=profile.tolerant)
    _check_tenant(workspace, tenant)
    service, _ = open_workspace(
        workspace,
        profile,
        project_id=project_id,
        agent=agent,
        clock=clock,
        fresh=fresh,
        embedder=embedder,
        reranker=reranker,
        judge=judge,
    )
    return service


def _check_tenant(workspace: Workspace, tenant: str | None) -> None:
    own_tenant = workspace.host.tenant if workspace.host else EMBEDDED_TENANT
    if tenant not in (None, own_tenant):
        subject = "the settings name" if workspace.host else "an embedded store has"
        raise InvalidInput(field="tenant", problem=f"{subject} the tenant {own_tenant!r} only.")


def open_on_server(
    url: str, *, tenant: str | None, project_id: str | None, reranker: Reranker | None = None
) -> Service:
    """Open the service of a project on a server; without a name it is the one of the current directory."""
    workspace = find_server_workspace(postgres.named_server(url, tenant), project_id)
    return open_workspace(workspace, PYTHON, project_id=project_id, reranker=reranker)[0]


def open_for_person(
    directory: Path, host: ServerStore, project_id: str, name: str, *, create: bool, clock: Clock | None = None
) -> Service:
    """Open the service of a project on a server for the person who shows a token of this name.

    Without `create` a project that is not there is an error: nobody shall be answered by an empty memory.
    """
    workspace = written_by(find_server_workspace(host, project_id, directory), name or HTTP.actor)
    if not create:
        store = _open_hosted(host, workspace, project_id, clock or SystemClock(), create=False)
        if store is None:
            raise UnknownId(noun="project", id=echo(project_id))
        store.close()
    return open_workspace(workspace, HTTP, project_id=project_id, clock=clock)[0]


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


def open_for_spool(directory: Path, profile: Profile = SPOOL, clock: Clock | None = None) -> tuple[Service, Store]:
    """Open the service that takes in what hooks spooled, and the store in whose transactions it does."""
    return open_workspace(find_workspace(directory), profile, clock=clock)


@contextlib.contextmanager
def open_extracting(directory: Path, clock: Clock | None = None) -> "Iterator[tuple[Extracting | None, int]]":
    """Open what lets the user's extractor read sessions, and say how many at a time; None where there is none."""
    workspace, clock = find_workspace(directory), clock or SystemClock()
    config = workspace.config.extractor
    if not config.url or workspace.off():
        yield None, 0
        return
    from holdfast.service.extraction import Extracting

    extractor = extractor_of(config)
    service, store = open_workspace(workspace, EXTRACTOR, clock=clock)
    with contextlib.closing(service):
        cleaner = Cleaner(workspace.config.redact.allow)
        yield Extracting(service, store, extractor, cleaner, clock), config.calls


def open_workspace(
    workspace: Workspace,
    profile: Profile,
    *,
    project_id: str | None = None,
    agent: str | None = None,
    clock: Clock | None = None,
    fresh: bool = False,
    embedder: Embedder | None = None,
    reranker: Reranker | None = None,
    judge: "Callable[[], Judge] | None" = None,
) -> tuple[Service, Store]:
    """Open what a directory means, as a profile says: the service, and the project's store."""
    clock = clock or SystemClock()
    judge = judge or partial(_open_judge, workspace.config.embedding.model)
    workspace, is_new = _with_profile(workspace, profile), not workspace.exists
    store = _open_project(workspace, profile, project_id, clock, fresh=fresh)
    cleaner = Cleaner(workspace.config.redact.allow)
    project_name = cleaner.label(project_id or workspace.config.project.id or store.state().project)
    origin = origin_of(workspace, project_name, agent)
    beside = replace(workspace, named=postgres.beside(workspace.host, store)) if workspace.host else workspace
    scopes = Scopes(
        store,
        lambda create: _open_user_store(beside, clock, create),
        lambda: _look_elsewhere(beside, project_name),
    )
    settings = _service_settings(workspace, clock, cleaner, Actor(profile.actor, profile.person, agent))
    settings = replace(
        settings,
        embed_on_add=profile.embed_on_add,
        reranker=reranker or settings.reranker,
        judge=judge,
    )
    after = _after_session(workspace, profile, clock, project_id)
    brief = cache(lambda: brief_settings_of(workspace))
    embeddings = _embeddings(workspace, clock, scopes, embedder, profile)
    service = Service(scopes, clock, origin, settings, after, embeddings, brief)
    if profile.upkeep:
        _see_to_upkeep(service, workspace, profile, is_new=is_new)
    return service, store


def _open_judge(embedding_model: str) -> "Judge":
    """Open the full judge, or the light one where the settings want no model to be loaded."""
    from holdfast import judge

    return judge.open_checked_light() if embedding_model in WITHOUT_MODEL else judge.best()


def _with_profile(workspace: Workspace, profile: Profile) -> Workspace:
    config = workspace.config
    if profile.full_sync:
        config = replace(config, store=replace(config.store, synchronous="full"))
    if not profile.vectors:
        config = replace(config, embedding=replace(config.embedding, model="none"))
    return replace(workspace, config=config)


def _open_project(
    workspace: Workspace, profile: Profile, project_id: str | None, clock: Clock, *, fresh: bool
) -> Store:
    create = profile.create and not workspace.off()
    store: Store | None
    if workspace.host:
        store = _open_hosted(workspace.host, workspace, identity(workspace, project_id), clock, create)
    else:
        store = _open_embedded(workspace, project_id, clock, profile.actor, create=create, fresh=fresh)
    return store or SqliteStore.in_memory(workspace.project.id, clock.now())


def _see_to_upkeep(service: Service, workspace: Workspace, profile: Profile, *, is_new: bool) -> None:
    """Do the upkeep that is due; a command leaves it to the worker, and a new store needs none yet."""
    if not (profile.short and workspace.root and workspace.config.embedding.background):
        service.upkeep.when_due()
    elif not is_new and service.upkeep.is_due():
        detached.start_worker(str(workspace.root))


def _after_session(
    workspace: Workspace, profile: Profile, clock: Clock, project_id: str | None
) -> Callable[[], None]:
    """Return what is done when a session has ended: the daily backup, and the start of the user's extractor."""

    def act() -> None:
        if workspace.config.backup.auto and not workspace.host:
            for user in (False, True):
                guard_of(workspace, clock, profile.actor, project_id, user=user).back_up_daily()
        if workspace.config.extractor.url and workspace.root and profile.starts_worker:
            detached.start_worker(str(workspace.root))

    return act


def _service_settings(workspace: Workspace, clock: Clock, cleaner: Cleaner, actor: Actor) -> Settings:
    config = workspace.config
    return Settings(
        actor=actor,
        ranking=lambda: ranking_of(config),
        root=workspace.root,
        cleaner=cleaner,
        habits=CaptureOptions(auto=config.capture.auto, preset=config.capture.preset),
        ignored_settings=config.ignored,
        limits=limits_of(config),
        log_directory=workspace.root and workspace.root / DIRECTORY / "log",
        writes_log=config.log.daily,
        copies=None if workspace.host else lambda: _copies_of(workspace, clock),
        reranker=reranker_of(config.brief),
        off=workspace.off,
    )


def _embeddings(
    workspace: Workspace,
    clock: Clock,
    scopes: Scopes,
    embedder: Embedder | None,
    profile: Profile,
) -> Embeddings:
    config = workspace.config.embedding
    cores = usable_cores() if profile.every_core else 1
    chosen_embedder, notice = (embedder, None) if embedder else embedder_of(config, cores)
    use = Use(
        notice=notice,
        distant=embedder is None and config.model == "remote",
        own=lambda store: store is not scopes.project,
        of_project=embedder is None and _project_embeds(workspace),
        background=config.background,
        short=profile.short,
    )
    return Embeddings(chosen_embedder, clock, use, question_encoder(chosen_embedder) if chosen_embedder else None)


def _copies_of(workspace: Workspace, clock: Clock) -> "StoreCopies":
    """Open the backups of the project's store and of the user's own."""
    from holdfast.storage.copies import StoreCopies  # few commands forget

    return StoreCopies([admission_of(workspace, user=user) for user in (False, True)], clock)


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
    if not create and not os.path.exists(paths.user_database()):
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
        if path in (workspace.database, Path(paths.user_database())) or not root.is_dir():
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
