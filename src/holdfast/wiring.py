"""The composition root: from a directory to a service. The only module that names a backend."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from holdfast import places, switch
from holdfast.briefs import BriefSettings
from holdfast.capture.clean import Cleaner, quote
from holdfast.capture.promotion import Habits
from holdfast.config import Config, EmbeddingConfig, Sources, choose, load
from holdfast.daybook import Daybook
from holdfast.embedding.cross_encoder import CrossEncoder
from holdfast.embedding.fastembed import Fastembed
from holdfast.embedding.hashing import Hashing
from holdfast.embedding.minilm import MiniLM, damaged_files, missing_packages
from holdfast.embedding.remote import Endpoint, Remote
from holdfast.errors import ConfigError, InvalidInput, StoreError
from holdfast.guard.admission import Admission
from holdfast.guard.backups import Backups
from holdfast.model.fading import Fading
from holdfast.model.kinds import USER_PROJECT
from holdfast.model.memory import Origin
from holdfast.model.upkeep import Limits
from holdfast.ports import Clock, Embedder, Rows, Store
from holdfast.project import Project, checkouts, contains, find_project, read_head
from holdfast.recall.ranking import Floor, MemoryRecipe, Ranking
from holdfast.registry import Exports, Stores
from holdfast.scopes import Elsewhere, Scopes
from holdfast.service import Service, Settings
from holdfast.sources import CONFIG, registry, sources_of
from holdfast.stores.sqlite import files
from holdfast.stores.sqlite.file import SqliteFile
from holdfast.stores.sqlite.store import Care, SqliteStore
from holdfast.upkeep.embed import Embeddings, Use

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from holdfast.guard.guard import Guard
    from holdfast.ingest.files.auto import AutoIndex
    from holdfast.ingest.files.index import Index
    from holdfast.ingest.transcripts.finding import Finder
    from holdfast.ingest.transcripts.seen import Seen
    from holdfast.model.care import Diagnosis
    from holdfast.model.ingest import Indexed
    from holdfast.share.sharing import Sharing

DIRECTORY = places.PROJECT_HOME
DATABASE = "memory.db"

T = TypeVar("T")


class SystemClock:
    """`ports.Clock` by the machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a directory means: its project, its configuration and where its store is."""

    project: Project
    config: Config
    database: Path
    sources: Sources

    @property
    def exists(self) -> bool:
        """Whether a store is there already."""
        return os.path.lexists(self.database)

    def off(self) -> str | None:
        """Say why memory is switched off here, None when it is on."""
        reason = switch.off_because(str(self.project.root))
        return reason if reason or self.config.project.enabled else switch.OPTED_OUT


def survey(directory: Path, environment: Mapping[str, str] | None = None) -> Surroundings:
    """Find out what a directory means, without making or opening anything."""
    if not directory.is_dir():
        raise InvalidInput(field="directory", problem=f"{quote(str(directory))} is not a directory.")
    project = find_project(directory)
    sources = sources_of(project, environment)
    config = load(sources)
    home = project.root / DIRECTORY
    database = project.root / os.path.expanduser(config.store.path) if config.store.path else home / DATABASE
    return Surroundings(project, config, database, sources)


def make_home(directory: Path) -> None:
    """Make a project's `.holdfast` for its owner alone, out of git's sight."""
    files.prepare_directory(directory)
    files.ignore_in_git(directory)


def store_versions() -> dict[str, str]:
    """Return the versions of what the embedded store runs on."""
    import apsw

    return {"sqlite": apsw.sqlite_lib_version(), "apsw": apsw.apsw_version()}


def exports() -> Exports:
    """Return the register of exports that this user made."""
    return Exports(Path(places.data_directory()) / "exports")


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
    embedder: Embedder | None = None,
    upkeep: bool = True,
) -> Service:
    """Open the service for a directory. Where there is no store one is made, or, without `create`, an empty
    one in memory stands in, so that looking leaves no trace. With `fresh` a store that was lost is let go. An
    embedder given replaces the configured one. Upkeep that is due begins, unless that is not wanted."""
    service, _ = _open_service(
        survey(directory),
        clock or SystemClock(),
        actor=actor,
        create=create,
        project_id=project_id,
        agent=agent,
        fresh=fresh,
        embed_on_add=embed_on_add,
        embedder=embedder,
    )
    if upkeep:
        service.tending.when_due()
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
    embedder: Embedder | None = None,
) -> tuple[Service, Store]:
    admission = _admission(found)
    if found.exists or not found.off():
        admission.admit(fresh=fresh)

    def guard() -> "Guard":
        return _guard(found, clock, actor, project_id)

    store: Store
    if found.exists or (create and not found.off()):
        store = _open_project_store(found, project_id, admission, clock.now(), guard)
    else:
        from holdfast.stores.reference.store import ReferenceStore  # rare: there is nothing to look at yet

        store = ReferenceStore(found.project.id)
    cleaner = Cleaner(found.config.redact.allow)
    named = cleaner.label(project_id or found.config.project.id or store.state().project)
    origin = _origin(found, named, agent)
    scopes = Scopes(
        store, lambda create: _open_user_store(found, clock, create), lambda: _look_elsewhere(found, admission)
    )
    settings = Settings(
        actor=actor,
        ranking=_ranking(found.config),
        embed_on_add=embed_on_add,
        root=found.project.root,
        cleaner=cleaner,
        habits=Habits(auto=found.config.capture.auto, preset=found.config.capture.preset),
        ignored_settings=found.config.ignored,
        limits=_limits(found.config),
        daybook=Daybook(found.project.root / DIRECTORY / "log" if found.config.log.daily else None),
        off=found.off,
    )

    def back_up_daily() -> None:
        for one in (guard(), _guard(found, clock, actor, user=True)):
            one.back_up_daily()

    made, notice = (embedder, None) if embedder else _embedder(found.config.embedding)
    use = Use(
        notice=notice,
        distant=isinstance(made, Remote),
        own=lambda store: store is not scopes.project,
        of_project=embedder is None and _project_embeds(found),
    )
    daily = back_up_daily if found.config.backup.auto else None
    # A brief's floor is set for the bundled model; whoever gives an embedder answers for it.
    brief = _brief_settings(found, meaning=embedder is not None or isinstance(made, MiniLM))
    return Service(scopes, clock, origin, settings, daily, Embeddings(made, clock, use), brief), store


def _limits(config: Config) -> Limits:
    upkeep = config.upkeep
    return Limits(
        auto=upkeep.auto,
        max_bytes=upkeep.max_bytes,
        max_memories=upkeep.max_memories,
        promoted=upkeep.promoted,
        turn_days=upkeep.turn_days,
        merge=upkeep.merge,
    )


def _ranking(config: Config) -> Ranking:
    search, plain = config.search, Ranking()
    return Ranking(
        floor=Floor(search.floor, search.vector_floor),
        fusion=search.fusion,
        memories=MemoryRecipe(vector=search.memories_vector),
        turns=replace(plain.turns, vector=search.turns_vector),
        sessions=replace(plain.sessions, vector=search.sessions_vector),
    )


def _brief_settings(found: Surroundings, *, meaning: bool) -> BriefSettings:
    brief = found.config.brief
    return BriefSettings(
        root=found.project.root,
        cleaner=Cleaner(found.config.redact.allow),
        ceiling=brief.ceiling,
        off=found.off,
        meaning=meaning,
        reranker=CrossEncoder(brief.reranker_model) if brief.reranker == "fastembed" else None,
    )


def _project_embeds(found: Surroundings) -> bool:
    """Whether the project's own file says what makes vectors here."""
    if not found.sources.project_file.exists():
        return False
    chosen, _ = choose(found.sources)
    return any(key.startswith("embedding.") and one.origin == "project" for key, one in chosen.items())


def _embedder(config: EmbeddingConfig) -> tuple[Embedder | None, str | None]:
    """Make the configured embedder. Where it cannot be, a notice says why: memory works without, by words.

    Where the bundled model cannot run, hashing stands in.
    """
    match config.model:
        case "none":
            return None, None
        case "hashing":
            return Hashing(), None
        case "remote" | "fastembed":
            try:
                return _elsewhere(config), None
            except ValueError as error:
                return None, str(error)
        case _:
            missing = " and ".join(missing_packages())
            if missing:
                return Hashing(), f"the bundled model needs {missing}, which is missing; word hashing stands in"
            return _minilm(), None


@cache
def _minilm() -> MiniLM:
    """Return the bundled model, loaded once however many services a process has: it serves them all."""
    return MiniLM()


def _elsewhere(config: EmbeddingConfig) -> Embedder:
    model = _needed("remote_model", config.remote_model)
    dimensions = _needed("dimensions", config.dimensions)
    if config.model == "fastembed":
        return Fastembed(model, dimensions)
    url = _needed("url", config.url)
    key = os.environ.get(config.key_env, "").strip() or None
    try:
        endpoint = Endpoint(url, model, dimensions, key, config.timeout_ms / 1000, batch=config.batch)
    except ValueError as error:
        raise ValueError(f"the embedding server cannot be asked: {error}") from error
    return Remote(endpoint)


def _examine_model(config: EmbeddingConfig) -> "Diagnosis":
    """Say for `doctor` whether what makes vectors can run; a server is not asked."""
    from holdfast.model.care import OK, PROBLEM, WARNING, Diagnosis

    made, notice = _embedder(config)
    if notice:
        advice = "install what is missing" if made else "`holdfast config set` completes the embedding settings"
        return Diagnosis(name="model", severity=WARNING, message=notice, advice=advice)
    damaged = damaged_files() if isinstance(made, MiniLM) else []
    if damaged:
        message = f"{damaged[0]} of the bundled model is not what was shipped"
        return Diagnosis(name="model", severity=PROBLEM, message=message, advice="install holdfast again")
    message = f"{made.model} makes vectors" if made else "embedding.model is none: words alone are searched"
    return Diagnosis(name="model", severity=OK, message=message)


def _needed(name: str, value: T | None) -> T:
    if value is None:
        raise ValueError(f"embedding.{name} is needed for the embedding.model that was chosen")
    return value


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
    from holdfast.ingest.transcripts.finding import Finder, Homes

    project = survey(directory).project
    return Finder(Homes.of_user(), partial(contains, project), checkouts(project), open_tables)


def seen_transcripts(service: Service) -> "Seen":
    """Return the record of which transcripts were read into a project's store."""
    from holdfast.ingest.transcripts.seen import Seen

    store_id = service.stats().project.store_id
    return Seen(Path(places.data_directory()) / "transcripts" / f"{store_id}.json")


def auto_index(
    directory: Path, *, actor: str, told: "Callable[[Indexed], None]" = lambda done: None
) -> "AutoIndex | None":
    """Return what indexes in the background while a server runs; None when the user did not ask for it.

    A server may be started anywhere: outside a repository nothing is indexed unless there is a store already.
    """
    found = survey(directory)
    if not found.config.index.auto or not (found.exists or found.project.git):
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
    """Return what looks after the store of a project, or after the user's own. Nothing is opened yet."""
    return _guard(survey(directory), clock or SystemClock(), actor, user=user)


def _admission(found: Surroundings, *, user: bool = False) -> Admission:
    home = Path(places.data_directory())
    path = home / DATABASE if user else found.database
    stores = Stores(home / "stores")
    busy_ms = found.config.store.busy_timeout_ms
    file = SqliteFile(path, lambda fresh, store_id: stores.claim(path, fresh, store_id), busy_ms)
    return Admission(file, stores, Backups(home / "backups"), by_place=user)


def _guard(
    found: Surroundings, clock: Clock, actor: str, project_id: str | None = None, *, user: bool = False
) -> "Guard":
    from holdfast.guard.guard import Guard, Rules  # most commands only ask whose store it is

    named = USER_PROJECT if user else _identity(found, project_id)
    rules = Rules(
        actor=actor,
        root=found.project.root,
        cleaner=Cleaner(found.config.redact.allow),
        keep=found.config.backup.keep,
        auto=found.config.backup.auto,
        ignored_settings=found.config.ignored,
        config_file=found.project.root / DIRECTORY / CONFIG,
        off=found.off,
        model=lambda: _examine_model(found.config.embedding),
    )
    return Guard(_admission(found, user=user), clock, _origin(found, named, None), registry(), rules)


def _origin(found: Surroundings, project: str, agent: str | None) -> Callable[[], Origin]:
    cleaner = Cleaner(found.config.redact.allow)

    @cache
    def user() -> str:
        return cleaner.label(found.config.user.name or _login())

    def origin() -> Origin:
        head = read_head(found.project.git)
        branch = cleaner.label(head.branch) if head.branch else None
        return Origin(project=project, tenant="local", user=user(), agent=agent, branch=branch, commit=head.commit)

    return origin


def _identity(found: Surroundings, project_id: str | None) -> str:
    """Return the project's id as it may be kept: a remote's address can hold a password."""
    named = project_id or found.config.project.id or found.project.id
    return Cleaner(found.config.redact.allow).label(named)


def _open_project_store(
    found: Surroundings, project_id: str | None, admission: Admission, now: int, guard: "Callable[[], Guard]"
) -> SqliteStore:
    if not found.exists and found.database.parent.name == DIRECTORY:
        make_home(found.database.parent)
    return _open(_identity(found, project_id), found.config, admission, now, guard)


def _open_user_store(found: Surroundings, clock: Clock, create: bool) -> Store | None:
    if not create and not os.path.exists(os.path.join(places.data_directory(), DATABASE)):
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


def _look_elsewhere(found: Surroundings, admission: Admission) -> list[Elsewhere]:
    """Open the stores that this user made in other projects, where memory is on there; nothing is written."""
    others = []
    for made in admission.stores.all():
        path = Path(made.path)
        root = path.parent.parent if path.parent.name == DIRECTORY else path.parent
        if path in (found.database, Path(places.data_directory()) / DATABASE) or not root.is_dir():
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


def _login() -> str:
    import getpass  # only who writes is asked for a name

    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
