"""What the settings say to those that work by them: how much is kept, how hits are ranked, how briefs are made;
what makes vectors, has a second look, and reads sessions that are over. The only module that names those."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import convert
from msgspec.structs import replace

from holdfast.capture.text.clean import Cleaner
from holdfast.embedding.minilm import RECORD, MiniLM, damaged_files, missing_packages
from holdfast.errors import ConfigError
from holdfast.model.care import OK, PROBLEM, WARNING, Diagnosis
from holdfast.model.upkeep import StoreLimits
from holdfast.ports import Embedder, Extractor, Reranker
from holdfast.recall.ranking import Floor, MemoryRecipe, Ranking
from holdfast.settings.schema import BriefConfig, Config, EmbeddingConfig, ExtractorConfig
from holdfast.storage.workspace import Workspace
from holdfast.upkeep.asking import Encode, by_itself, by_model_or_table

if TYPE_CHECKING:
    from holdfast.service.briefs import BriefSettings


T = TypeVar("T")


def limits_of(config: Config) -> StoreLimits:
    """Return how much is kept, by the settings."""
    return convert(config.upkeep, StoreLimits, from_attributes=True)


def ranking_of(config: Config) -> Ranking:
    """Return how hits are ranked, by the settings."""
    search, plain = config.search, Ranking()
    return Ranking(
        floor=Floor(search.floor, search.vector_floor),
        static_floor=Floor(search.floor, search.static_floor, plain.static_floor.share_beside),
        fusion=search.fusion,
        memories=MemoryRecipe(vector=search.memories_vector),
        turns=replace(plain.turns, vector=search.turns_vector),
        sessions=replace(plain.sessions, vector=search.sessions_vector),
    )


def brief_settings_of(workspace: Workspace) -> "BriefSettings":
    """Return what briefs need to know, by the settings of a place."""
    from holdfast.service.briefs import BriefSettings  # most commands tell an agent nothing

    brief = workspace.config.brief
    return BriefSettings(
        root=workspace.root,
        label=Cleaner(workspace.config.redact.allow).label,
        ceiling=brief.ceiling,
        start_budget=brief.start_budget,
        nudge=brief.nudge,
        off=workspace.off,
        reranker=reranker_of(brief),
    )


def extractor_of(config: ExtractorConfig) -> Extractor:
    """Make the configured extractor; raise what is wrong with its settings, by name."""
    from holdfast.capture.sessions.chat_extractor import ChatExtractor
    from holdfast.machine.json_endpoint import Address  # hardly anybody has one

    if not config.model:
        raise ConfigError(key="extractor.model", problem="is needed with extractor.url", origin="the settings")
    key = _key(config)
    try:
        address = Address((config.url or "").rstrip("/"), key, config.timeout_ms / 1000)
    except ValueError as error:
        raise ConfigError(key="extractor.url", problem=str(error), origin="the settings") from None
    return ChatExtractor(address, config.model)


def _key(config: ExtractorConfig) -> str | None:
    """Return the key: from the environment, else from its file; None where neither is set."""
    key = os.environ.get(config.key_env, "").strip()
    if not key and config.key_file:
        try:
            key = Path(config.key_file).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            problem = f"cannot be read ({type(error).__name__})"
            raise ConfigError(key="extractor.key_file", problem=problem, origin="the settings") from None
    if key and not (key.isascii() and key.isprintable()):
        raise ConfigError(
            key=f"extractor.{'key_file' if config.key_file else 'key_env'}",
            problem="leads to something that is no key: it has several lines, or letters beyond ASCII",
            origin="the settings",
        )
    return key or None


def embedder_of(config: EmbeddingConfig, cores: int = 1) -> tuple[Embedder | None, str | None]:
    """Make the configured embedder. Where it cannot be, a notice says why: memory works without, by words.

    Where the bundled model cannot run, hashing stands in. It may keep so many cores busy.
    """
    match config.model:
        case "none":
            return None, None
        case "hashing":
            return _hashing(), None
        case "remote" | "fastembed":
            try:
                return _elsewhere(config), None
            except ValueError as error:
                return None, str(error)
        case _:
            missing_names = " and ".join(missing_packages())
            if missing_names:
                return (
                    _hashing(),
                    f"the bundled model needs {missing_names}, which is missing; word hashing stands in",
                )
            model = _minilm()
            model.cores = max(model.cores, cores)
            return model, None


def question_encoder(embedder: Embedder) -> Encode:
    """Return what makes the vectors of questions about texts that an embedder made the vectors of."""
    return by_model_or_table(embedder) if isinstance(embedder, MiniLM) else by_itself(embedder)


def reranker_of(config: BriefConfig) -> Reranker | None:
    """Make the configured reranker; None where nothing is to have a second look."""
    if config.reranker != "fastembed":
        return None
    from holdfast.embedding.fastembed import CrossEncoder  # few have a reranker

    return CrossEncoder(config.reranker_model)


def _hashing() -> Embedder:
    from holdfast.embedding.hashing import Hashing  # few do without the bundled model

    return Hashing()


@cache
def _minilm() -> MiniLM:
    """Return the bundled model, loaded once however many services a process has: it serves them all."""
    return MiniLM()


def _elsewhere(config: EmbeddingConfig) -> Embedder:
    model = _require("remote_model", config.remote_model)
    dimensions = _require("dimensions", config.dimensions)
    if config.model == "fastembed":
        from holdfast.embedding.fastembed import Fastembed

        return Fastembed(model, dimensions)
    from holdfast.embedding.remote import RemoteEmbedder  # few ask a server
    from holdfast.machine.json_endpoint import Address

    url = _require("url", config.url)
    key = os.environ.get(config.key_env, "").strip() or None
    try:
        address = Address(url, key, config.timeout_ms / 1000)
    except ValueError as error:
        raise ValueError(f"the embedding server cannot be asked: {error}") from error
    return RemoteEmbedder(address, model, dimensions, batch=config.batch)


def examine_model(config: EmbeddingConfig) -> Diagnosis:
    """Say for `doctor` whether what makes vectors can run; a server is not asked."""
    embedder, notice = embedder_of(config)
    if notice:
        advice = (
            "install what is missing" if embedder else "`holdfast config set` completes the embedding settings"
        )
        return Diagnosis(name="model", severity=WARNING, message=notice, advice=advice)
    damaged_files = _damaged_files() if isinstance(embedder, MiniLM) else []
    if damaged_files:
        message = f"{damaged_files[0]} of the bundled models is not what was shipped"
        return Diagnosis(name="model", severity=PROBLEM, message=message, advice="install holdfast again")
    message = (
        f"{embedder.model} makes vectors" if embedder else "embedding.model is none: words alone are searched"
    )
    return Diagnosis(name="model", severity=OK, message=message)


def _damaged_files() -> list[str]:
    """Name the files of the bundled models and of the table for questions that are not what was shipped."""
    from holdfast import judge
    from holdfast.embedding import static

    return [*damaged_files(RECORD), *damaged_files(Path(static.RECORD)), *judge.damaged_files()]


def _require(name: str, value: T | None) -> T:
    if value is None:
        raise ValueError(f"embedding.{name} is needed for the embedding.model that was chosen")
    return value
