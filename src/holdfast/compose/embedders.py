"""What makes vectors, and what has a second look, by the settings: the only module that names either."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from holdfast.embedding.fastembed import CrossEncoder, Fastembed
from holdfast.embedding.hashing import Hashing
from holdfast.embedding.minilm import RECORD, MiniLM, missing_packages
from holdfast.embedding.questions import by_itself, by_model_or_table
from holdfast.ports import Embedder, Reranker
from holdfast.settings.schema import EmbeddingConfig
from holdfast.settings.sections import BriefConfig

if TYPE_CHECKING:
    from holdfast.embedding.questions import Encode
    from holdfast.model.care import Diagnosis

T = TypeVar("T")


def embedder_of(config: EmbeddingConfig) -> tuple[Embedder | None, str | None]:
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
            missing_names = " and ".join(missing_packages())
            if missing_names:
                return (
                    Hashing(),
                    f"the bundled model needs {missing_names}, which is missing; word hashing stands in",
                )
            return _minilm(), None


def question_encoder(embedder: Embedder) -> "Encode":
    """Return what makes the vectors of questions about texts that an embedder made the vectors of."""
    return by_model_or_table(embedder) if isinstance(embedder, MiniLM) else by_itself(embedder)


def reranker_of(config: BriefConfig) -> Reranker | None:
    """Make the configured reranker; None where nothing is to have a second look."""
    return CrossEncoder(config.reranker_model) if config.reranker == "fastembed" else None


@cache
def _minilm() -> MiniLM:
    """Return the bundled model, loaded once however many services a process has: it serves them all."""
    return MiniLM()


def _elsewhere(config: EmbeddingConfig) -> Embedder:
    model = _require("remote_model", config.remote_model)
    dimensions = _require("dimensions", config.dimensions)
    if config.model == "fastembed":
        return Fastembed(model, dimensions)
    from holdfast.embedding.remote import Endpoint, RemoteEmbedder  # few ask a server

    url = _require("url", config.url)
    key = os.environ.get(config.key_env, "").strip() or None
    try:
        endpoint = Endpoint(url, model, dimensions, key, config.timeout_ms / 1000, batch=config.batch)
    except ValueError as error:
        raise ValueError(f"the embedding server cannot be asked: {error}") from error
    return RemoteEmbedder(endpoint)


def examine_model(config: EmbeddingConfig) -> "Diagnosis":
    """Say for `doctor` whether what makes vectors can run; a server is not asked."""
    from holdfast.model.care import OK, PROBLEM, WARNING, Diagnosis

    embedder, notice = embedder_of(config)
    if notice:
        advice = (
            "install what is missing" if embedder else "`holdfast config set` completes the embedding settings"
        )
        return Diagnosis(name="model", severity=WARNING, message=notice, advice=advice)
    damaged_files = _damaged_files() if isinstance(embedder, MiniLM) else []
    if damaged_files:
        message = f"{damaged_files[0]} of the bundled model is not what was shipped"
        return Diagnosis(name="model", severity=PROBLEM, message=message, advice="install holdfast again")
    message = (
        f"{embedder.model} makes vectors" if embedder else "embedding.model is none: words alone are searched"
    )
    return Diagnosis(name="model", severity=OK, message=message)


def _damaged_files() -> list[str]:
    """Name what of the bundled model and of its questions' table is not what was shipped."""
    from holdfast.embedding import static
    from holdfast.embedding.shipped import damaged_files

    return [*damaged_files(RECORD), *damaged_files(Path(static.RECORD))]


def _require(name: str, value: T | None) -> T:
    if value is None:
        raise ValueError(f"embedding.{name} is needed for the embedding.model that was chosen")
    return value
