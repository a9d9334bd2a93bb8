"""The composition root: from a directory to a service. The only module that names a backend."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture.sessions.promotion import Habits
from holdfast.capture.text.clean import Cleaner, echo
from holdfast.compose import postgres
from holdfast.compose.embedders import embedder_of, examine_model, question_encoder, reranker_of
from holdfast.compose.extractors import after_session
from holdfast.compose.options import brief_settings_of, limits_of, ranking_of
from holdfast.compose.postgres import Host
from holdfast.compose.workspace import (
    DATABASE,
    DIRECTORY,
    EMBEDDED,
    Surroundings,
    identity,
    person,
    survey,
    survey_server,
    written_by,
)
from holdfast.errors import ConfigError, InvalidInput, StoreError, UnknownId
from holdfast.guard.admission import Admission
from holdfast.guard.backups import Backups
from holdfast.guard.registry import Exports, Stores
from holdfast.guard.vouching import Vouching
from holdfast.machine import paths
from holdfast.machine.project import checkouts, contains, read_head
from holdfast.model.actor import Actor
from holdfast.model.fading import Fading
from holdfast.model.kinds import USER_PROJECT
from holdfast.model.memory import Memory, Origin
from holdfast.ports import Clock, Embedder, Reranker, Rows, Store
from holdfast.service.daily_log import Daybook
from holdfast.service.scopes import Elsewhere, Scopes
from holdfast.service.service import Service, Settings
from holdfast.settings.schema import Config, choose, load, reserved
from holdfast.settings.sources import CONFIG, registry
from holdfast.stores.sqlite import files
from holdfast.stores.sqlite.file import SqliteFile
from holdfast.stores.sqlite.store import Care, SqliteStore
from holdfast.upkeep.embed import Embeddings, Use

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from holdfast.guard.copies import StoreCopies
    from holdfast.guard.guard import Guard
    from holdfast.guard.hosted import HostedGuard
    from holdfast.ingest.files.auto import AutoIndex
    from holdfast.ingest.files.index import Index
    from holdfast.ingest.transcripts.locate import Finder
    from holdfast.ingest.transcripts.read_marks import Seen
    from holdfast.model.care import Diagnosis
    from holdfast.model.ingest import Indexed
    from holdfast.service.extraction import Extracting
    from holdfast.share.sharing import Sharing


class SystemClock:
    """`ports.Clock` by the machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


def make_home(directory: Path) -> None:
    """Make a project's `.holdfast` for its owner alone, out of git's sight."""
    files.prepare_directory(directory)
    files.ignore_in_git(directory)


def store_versions(host: Host | None = None) -> Mapping[str, str]:
    """Return the versions of what the store runs on."""
    if host:
        return postgres.versions(host)
    import apsw

    return {"sqlite": apsw.sqlite_lib_version(), "apsw": apsw.apsw_version()}


def exports() -> Exports:
    """Return the register of exports that this user made."""
    return Exports(Path(paths.data_directory()) / "exports")


def read_table(path: Path, table: str) -> Iterator[Mapping[str, object]]:
    """Hand out the rows of one table of another program's SQLite file, which is not touched."""
    from holdfast.stores.sqlite.tables import read_table as rows  # rare: only such files are imported this way

    return rows(path, table)


def open_tables(path: Path) -> "AbstractContextManager[Rows]":
    """Open another program's SQLite file, which is not touched, to read its tables one by one."""
    from holdfast.stores.sqlite.tables import open_tables as opened

    return opened(path, seconds=600)


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
) -> Service:
    """Open the service for a directory, for a person or for an agent.

    Where there is no store one is made, or, without `create`, an empty one in memory stands in, so that looking
    leaves no trace. With `fresh` a store that was lost is let go. An embedder or a reranker given replaces the
    configured one. A `short` process lives for one command, and loads no model to search. Upkeep that is due
    begins, unless that is not wanted. A tenant, if one is named, must be the one that the settings mean.
    """
    found = survey(directory)
    _check_tenant(found, tenant)
    service, _ = _open_service(
        found,
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
        service.tending.when_due()
    return service


def _check_tenant(found: Surroundings, tenant: str | None) -> None:
    meant = found.host.tenant if found.host else EMBEDDED
    if tenant not in (None, meant):
        what = "the settings name" if found.host else "an embedded store has"
        raise InvalidInput(field="tenant", problem=f"{what} the tenant {meant!r} only.")


def open_on_server(
    url: str, *, tenant: str | None, project_id: str | None, actor: str, reranker: Reranker | None = None
) -> Service:
    """Open the service of a project on a server; without a name it is the one of the current directory."""
    host = postgres.named(url, tenant)
    found = survey_server(host, project_id)
    service, _ = _open_service(found, SystemClock(), actor=actor, project_id=project_id, reranker=reranker)
    service.tending.when_due()
    return service


def open_for_person(
    directory: Path,
    host: Host,
    project_id: str,
    who: str,
    *,
    actor: str,
    create: bool,
    clock: Clock | None = None,
) -> Service:
    """Open the service of a project on a server for somebody whom another program asks for.

    Without `create` a project that is not there is an error: nobody shall be answered by an empty memory.
    """
    found = written_by(survey_server(host, project_id, directory), who or actor)
    clock = clock or SystemClock()
    if not create:
        store = _open_hosted(host, found, project_id, clock, create=False)
        if store is None:
            raise UnknownId(noun="project", id=echo(project_id))
        store.close()
    service, _ = _open_service(found, clock, actor=actor, project_id=project_id)
    service.tending.when_due()
    return service


def open_end(directory: Path, host: Host | None, *, user: bool, create: bool, clock: Clock) -> Store | None:
    """Open one end of a move: a project's memory, or the user's own, on a server or, without one, in a file.

    None where nothing is there and nothing is to be made.
    """
    found = survey(directory)
    end = replace(found, named=host) if host else found.embedded
    if user:
        return _open_user_store(end, clock, create)
    if host:
        return _open_hosted(host, end, identity(end, None), clock, create)
    return _open_embedded(end, None, clock, "cli", create=create, fresh=False)


def open_for_brief(directory: Path) -> Service:
    """Open the service that makes a brief by words alone, where a server keeps memory: no model is loaded."""
    found = survey(directory)
    plain = replace(found.config.embedding, model="none")
    found = replace(found, config=replace(found.config, embedding=plain))
    service, _ = _open_service(found, SystemClock(), actor="hooks", create=False)
    return service


def open_for_spool(directory: Path, clock: Clock | None = None) -> tuple[Service, Store]:
    """Open the service that takes in what hooks spooled, and the store in whose transactions it does.

    Every commit waits for the disk: what is committed here is removed from the spool.
    """
    found = survey(directory)
    found = replace(found, config=replace(found.config, store=replace(found.config.store, synchronous="full")))
    return _open_service(found, clock or SystemClock(), actor="hooks")


def _open_service(
    found: Surroundings,
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
    create = create and not found.off()
    if found.host:
        store = _open_hosted(found.host, found, identity(found, project_id), clock, create)
    else:
        store = _open_embedded(found, project_id, clock, actor, create=create, fresh=fresh)
    if store is None:
        from holdfast.stores.reference.store import ReferenceStore  # rare: there is nothing to look at yet

        store = ReferenceStore(found.project.id)
    cleaner = Cleaner(found.config.redact.allow)
    named = cleaner.label(project_id or found.config.project.id or store.state().project)
    origin = _origin(found, named, agent)
    near = replace(found, named=postgres.beside(found.host, store)) if found.host else found
    scopes = Scopes(
        store, lambda create: _open_user_store(near, clock, create), lambda: _look_elsewhere(near, named)
    )
    settings = Settings(
        actor=Actor(actor, person, agent),
        ranking=ranking_of(found.config),
        embed_on_add=embed_on_add,
        root=found.root,
        cleaner=cleaner,
        habits=Habits(auto=found.config.capture.auto, preset=found.config.capture.preset),
        ignored_settings=found.config.ignored,
        limits=limits_of(found.config),
        daybook=Daybook(found.root / DIRECTORY / "log" if found.root and found.config.log.daily else None),
        copies=None if found.host else _Copies(found, clock),
        reranker=reranker or reranker_of(found.config.brief),
        off=found.off,
    )

    def back_up_daily() -> None:
        for user in (False, True):
            _guard(found, clock, actor, project_id, user=user).back_up_daily()

    made, notice = (embedder, None) if embedder else embedder_of(found.config.embedding)
    use = Use(
        notice=notice,
        distant=embedder is None and found.config.embedding.model == "remote",
        own=lambda store: store is not scopes.project,
        of_project=embedder is None and _project_embeds(found),
        background=found.config.embedding.background,
        short=short,
    )
    daily = back_up_daily if found.config.backup.auto and not found.host else None
    after = after_session(found.config.extractor, found.root, daily)
    brief = cache(lambda: brief_settings_of(found))
    embeddings = Embeddings(made, clock, use, question_encoder(made) if made else None)
    return Service(scopes, clock, origin, settings, after, embeddings, brief), store


@contextlib.contextmanager
def open_extracting(directory: Path, clock: Clock | None = None) -> "Iterator[tuple[Extracting | None, int]]":
    """Open what lets the user's extractor read sessions, and say how many at a time; None where there is none."""
    found, clock = survey(directory), clock or SystemClock()
    if not found.config.extractor.url or found.off():
        yield None, 0
        return
    from holdfast.compose.extractors import extractor_of
    from holdfast.service.extraction import Extracting

    extractor = extractor_of(found.config.extractor)
    service, store = _open_service(found, clock, actor="extractor", create=False, embed_on_add=False, person=False)
    with contextlib.closing(service):
        yield (
            Extracting(service, store, extractor, Cleaner(found.config.redact.allow), clock),
            (found.config.extractor.calls),
        )


class _Copies:
    """`forgetting.Copies` of the project's store and the user's own, made when somebody forgets."""

    def __init__(self, found: Surroundings, clock: Clock) -> None:
        self._found = found
        self._clock = clock

    @cached_property
    def _copies(self) -> "StoreCopies":
        from holdfast.guard.copies import StoreCopies  # few commands forget

        return StoreCopies([_admission(self._found, user=user) for user in (False, True)], self._clock)

    def holding(self, memories: Sequence[Memory], turns: Sequence[str]) -> list[str]:
        return self._copies.holding(memories, turns)

    def clean(self, memories: Sequence[Memory]) -> tuple[list[str], list[str]]:
        return self._copies.clean(memories)


def _project_embeds(found: Surroundings) -> bool:
    """Whether the project's own file says what makes vectors here."""
    if not found.sources.project_file.exists():
        return False
    chosen, _ = choose(found.sources)
    return any(key.startswith("embedding.") and one.origin == "project" for key, one in chosen.items())


def index_of(directory: Path, service: Service) -> "Index":
    """Return what keeps a project's memory in step with its Markdown files, shared memories among them."""
    from holdfast.ingest.files.index import Index  # few commands read files
    from holdfast.ingest.files.listing import Listing

    found = survey(directory)
    exclude = tuple(one.strip("/") for one in found.config.index.exclude)
    listing = Listing(found.project.root, found.project.git is not None, exclude)
    return Index(service.exchange, listing, sharing_of(directory, service))


def sharing_of(directory: Path, service: Service) -> "Sharing":
    """Return what shares a project's memory through its repository."""
    from holdfast.share.folder import Folder
    from holdfast.share.sharing import Sharing

    found = survey(directory)
    return Sharing(service, Folder(found.project.root, found.config.share.folder.rstrip("/")))


def transcripts_of(directory: Path) -> "Finder":
    """Return what finds the sessions that this user's agents had in a project."""
    from holdfast.ingest.transcripts.locate import Finder, Homes

    project = survey(directory).project
    return Finder(Homes.of_user(), partial(contains, project), checkouts(project), open_tables)


def seen_transcripts(service: Service) -> "Seen":
    """Return the record of which transcripts were read into a project's store."""
    from holdfast.ingest.transcripts.read_marks import Seen

    store_id = service.stats().project.store_id
    return Seen(Path(paths.data_directory()) / "transcripts" / f"{store_id}.json")


def auto_index(
    directory: Path, *, actor: str, told: "Callable[[Indexed], None]" = lambda done: None
) -> "AutoIndex | None":
    """Return what indexes in the background while a server runs; None when the user did not ask for it.

    A server may be started anywhere: outside a repository nothing is indexed unless there is a store already.
    """
    found = survey(directory)
    if not found.config.index.auto or not (found.begun or found.project.git):
        return None
    from holdfast.ingest.files.auto import AutoIndex

    @contextlib.contextmanager
    def opened() -> "Iterator[Index]":
        service = open_service(directory, actor=actor, embed_on_add=False)
        try:
            yield index_of(directory, service)
        finally:
            service.close()

    return AutoIndex(opened, told)


def open_guard(directory: Path, *, actor: str, user: bool = False, clock: Clock | None = None) -> "Guard":
    """Return what looks after the file of a project, or the user's own. Nothing is opened yet."""
    return _guard(survey(directory), clock or SystemClock(), actor, user=user)


def open_keeper(directory: Path, *, actor: str, user: bool = False) -> "Guard | HostedGuard":
    """Return what looks after memory, wherever it is kept: in a file, or on a server."""
    found = survey(directory)
    if found.host:
        return _hosted_guard(found.host, found, SystemClock(), user)
    return _guard(found, SystemClock(), actor, user=user)


def _hosted_guard(host: Host, found: Surroundings, clock: Clock, user: bool) -> "HostedGuard":
    from holdfast.guard.doctor import diagnose_failures
    from holdfast.guard.hosted import HostedGuard

    name = postgres.personal(person(found)) if user else identity(found, None)

    def examined() -> "Iterator[Diagnosis]":
        yield from postgres.examine(host, name, clock.now())
        yield examine_model(found.config.embedding)
        yield diagnose_failures(found.project.root, clock.now())

    return HostedGuard(host.place, examined, registry(), _vouching(found))


def _vouching(found: Surroundings) -> "Vouching":
    file = found.project.root / DIRECTORY / CONFIG
    return Vouching(file, found.config.ignored, reserved(found.config.ignored))


def _admission(found: Surroundings, *, user: bool = False) -> Admission:
    home = Path(paths.data_directory())
    path = home / DATABASE if user else found.database
    stores = Stores(home / "stores")
    busy_ms = found.config.store.busy_timeout_ms
    file = SqliteFile(path, lambda fresh, store_id: stores.claim(path, fresh, store_id), busy_ms)
    return Admission(file, stores, Backups(home / "backups"), by_place=user)


def _guard(
    found: Surroundings, clock: Clock, actor: str, project_id: str | None = None, *, user: bool = False
) -> "Guard":
    from holdfast.guard.guard import Guard, Rules  # most commands only ask whose store it is

    named = USER_PROJECT if user else identity(found, project_id)
    rules = Rules(
        actor=actor,
        root=found.project.root,
        cleaner=Cleaner(found.config.redact.allow),
        keep=found.config.backup.keep,
        auto=found.config.backup.auto,
        vouching=_vouching(found),
        off=found.off,
        model=lambda: examine_model(found.config.embedding),
    )
    return Guard(_admission(found, user=user), clock, _origin(found, named, None), registry(), rules)


def _origin(found: Surroundings, project: str, agent: str | None) -> Callable[[], Origin]:
    cleaner = Cleaner(found.config.redact.allow)
    tenant = found.host.tenant if found.host else EMBEDDED

    @cache
    def user() -> str:
        return person(found)

    def origin() -> Origin:
        head = read_head(found.project.git)
        branch = cleaner.label(head.branch) if head.branch else None
        return Origin(project=project, tenant=tenant, user=user(), agent=agent, branch=branch, commit=head.commit)

    return origin


def _open_hosted(host: Host, found: Surroundings, name: str, clock: Clock, create: bool) -> Store | None:
    if create and found.root and found.project.git is None:
        make_home(found.project.root / DIRECTORY)  # outside a repository, hooks know by it that memory is wanted
    return postgres.open_store(host, postgres.check_project(name), found.config, clock.now(), create=create)


def _open_embedded(
    found: Surroundings, project_id: str | None, clock: Clock, actor: str, *, create: bool, fresh: bool
) -> SqliteStore | None:
    admission, there = _admission(found), os.path.lexists(found.database)
    if there or not found.off():
        admission.admit(fresh=fresh)
    if not there and not create:
        return None
    if not there and found.database.parent.name == DIRECTORY:
        make_home(found.database.parent)

    def guard() -> "Guard":
        return _guard(found, clock, actor, project_id)

    return _open(identity(found, project_id), found.config, admission, clock.now(), guard)


def _open_user_store(found: Surroundings, clock: Clock, create: bool) -> Store | None:
    if found.host:
        name = postgres.personal(person(found))
        return postgres.open_store(found.host, name, _own_config(found), clock.now(), create=create)
    if not create and not os.path.exists(os.path.join(paths.data_directory(), DATABASE)):
        return None
    admission = _admission(found, user=True)
    if not admission.file.path.parent.exists():
        files.prepare_directory(admission.file.path.parent)

    def guard() -> "Guard":
        return _guard(found, clock, "user", user=True)

    return _open(USER_PROJECT, _own_config(found), admission, clock.now(), guard)


def _own_config(found: Surroundings) -> Config:
    """Return the settings of the user's own store: when its memories fade is no project's business."""
    if not found.sources.project_file.exists():
        return found.config
    own = load(replace(found.sources, project_file=found.sources.user_file))
    return replace(found.config, fading=own.fading)


def _look_elsewhere(found: Surroundings, own: str) -> list[Elsewhere]:
    """Open the stores that this user made in other projects, where memory is on there; nothing is written.

    On a server those are the tenant's other projects.
    """
    if found.host:
        return postgres.others(found.host, own, found.config)
    admission = _admission(found)
    others = []
    for made in admission.stores.all():
        path = Path(made.path)
        root = path.parent.parent if path.parent.name == DIRECTORY else path.parent
        if path in (found.database, Path(paths.data_directory()) / DATABASE) or not root.is_dir():
            continue
        with contextlib.suppress(StoreError, ConfigError):
            there = survey(root)
            usable = os.path.realpath(there.database) == made.path and not there.off()
            if usable and admission.stores.objection(path) is None and (store := SqliteStore.look(path)):
                others.append(Elsewhere(str(root), store))
    return others


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
