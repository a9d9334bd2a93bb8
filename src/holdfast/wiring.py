"""The composition root: from a directory to a service. The only module that names a backend."""

import getpass
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from holdfast import places
from holdfast.config import Config, EmbeddingConfig, load
from holdfast.embedding.fastembed import Fastembed
from holdfast.embedding.hashing import Hashing
from holdfast.embedding.minilm import MiniLM, missing_packages
from holdfast.embedding.remote import Endpoint, Remote
from holdfast.errors import ConfigError, InvalidInput
from holdfast.model.kinds import USER_PROJECT
from holdfast.model.memory import Origin
from holdfast.ports import Clock, Embedder, Store
from holdfast.project import Project, find_project, read_head
from holdfast.recall.ranking import Floor, MemoryRecipe, Ranking
from holdfast.registry import Registry
from holdfast.scopes import Scopes
from holdfast.service import Service, Settings
from holdfast.stores.reference.store import ReferenceStore
from holdfast.stores.sqlite import files
from holdfast.stores.sqlite.store import SqliteStore
from holdfast.upkeep.embed import Embeddings

DIRECTORY = ".holdfast"
DATABASE = "memory.db"
CONFIG = "config.toml"

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

    @property
    def exists(self) -> bool:
        """Whether a store is there already."""
        return self.database.exists()


def survey(directory: Path, environment: Mapping[str, str] | None = None) -> Surroundings:
    """Find out what a directory means, without making or opening anything."""
    if not directory.is_dir():
        raise InvalidInput(field="directory", problem=f"{str(directory)!r} is not a directory.")
    project = find_project(directory)
    registry = Registry(Path(places.data_directory()) / "vouched")
    home = project.root / DIRECTORY
    config = load(
        user_file=Path(places.config_directory()) / CONFIG,
        project_file=home / CONFIG,
        project_trusted=registry.vouches_for_config(home / CONFIG),
        environment=os.environ if environment is None else environment,
    )
    database = project.root / Path(config.store.path).expanduser() if config.store.path else home / DATABASE
    return Surroundings(project, config, database)


def open_service(
    directory: Path,
    *,
    actor: str,
    create: bool = True,
    project_id: str | None = None,
    agent: str | None = None,
    clock: Clock | None = None,
    embed_on_add: bool = True,
    embedder: Embedder | None = None,
) -> Service:
    """Open the service for a directory. Where there is no store one is made, or, without `create`, an empty
    one in memory stands in, so that looking leaves no trace. An embedder given replaces the configured one."""
    found = survey(directory)
    clock = clock or SystemClock()
    store: Store
    if found.exists or create:
        store = _open_project_store(found, project_id, clock)
    else:
        store = ReferenceStore(found.project.id)
    named = project_id or found.config.project.id or store.state().project
    user = found.config.user.name or _login()

    def origin() -> Origin:
        head = read_head(found.project.git)
        return Origin(
            project=named, tenant="local", user=user, agent=agent, branch=head.branch, commit=head.commit
        )

    scopes = Scopes(store, lambda create: _open_user_store(found.config, clock, create))
    settings = Settings(
        actor=actor,
        ranking=_ranking(found.config),
        embed_on_add=embed_on_add and found.config.embedding.model != "remote",
        root=found.project.root,
        ignored_settings=found.config.ignored,
    )
    made, notice = (embedder, None) if embedder else _embedder(found.config.embedding)
    return Service(scopes, clock, origin, settings, Embeddings(made, clock, notice))


def _ranking(config: Config) -> Ranking:
    search, plain = config.search, Ranking()
    return Ranking(
        floor=Floor(search.floor, search.vector_floor),
        fusion=search.fusion,
        memories=MemoryRecipe(vector=search.memories_vector),
        turns=replace(plain.turns, vector=search.turns_vector),
        sessions=replace(plain.sessions, vector=search.sessions_vector),
    )


def _embedder(config: EmbeddingConfig) -> tuple[Embedder | None, str | None]:
    """Make the configured embedder; where the bundled model cannot run, hashing stands in, with a notice."""
    match config.model:
        case "none":
            return None, None
        case "hashing":
            return Hashing(), None
        case "remote":
            return Remote(_endpoint(config)), None
        case "fastembed":
            model = _needed("remote_model", config.remote_model)
            return Fastembed(model, _needed("dimensions", config.dimensions)), None
        case _:
            missing = " and ".join(missing_packages())
            if missing:
                return Hashing(), f"the bundled model needs {missing}, which is missing; word hashing stands in"
            return MiniLM(), None


def _endpoint(config: EmbeddingConfig) -> Endpoint:
    url = _needed("url", config.url)
    try:
        return Endpoint(
            url=url,
            model=_needed("remote_model", config.remote_model),
            dimensions=_needed("dimensions", config.dimensions),
            key=os.environ.get(config.key_env) or None,
            timeout=config.timeout_ms / 1000,
            batch=config.batch,
        )
    except ValueError as error:
        raise ConfigError(key="embedding.url", problem=str(error), origin="the configuration") from error


def _needed(name: str, value: T | None) -> T:
    if value is None:
        problem = "is needed for the embedding.model that was chosen"
        raise ConfigError(key=f"embedding.{name}", problem=problem, origin="the configuration")
    return value


def _open_project_store(found: Surroundings, project_id: str | None, clock: Clock) -> SqliteStore:
    if not found.exists and found.database.parent.name == DIRECTORY:
        files.prepare_directory(found.database.parent)
        files.ignore_in_git(found.database.parent)
    identity = project_id or found.config.project.id or found.project.id
    return _open(found.database, identity, found.config, clock)


def _open_user_store(config: Config, clock: Clock, create: bool) -> Store | None:
    path = Path(places.data_directory()) / DATABASE
    if not create and not path.exists():
        return None
    files.prepare_directory(path.parent)
    return _open(path, USER_PROJECT, config, clock)


def _open(path: Path, project: str, config: Config, clock: Clock) -> SqliteStore:
    return SqliteStore.open(
        path,
        project=project,
        now=clock.now(),
        busy_ms=config.store.busy_timeout_ms,
        synchronous=config.store.synchronous,
        postings_budget=config.search.postings_budget,
        hnsw_from=config.vectors.hnsw_from,
    )


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "unknown"
