"""What the settings say to those that work by them: how much is kept, how hits are ranked, how briefs are made,
and what reads sessions that are over. The only module that names an extractor."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.capture.text.clean import Cleaner
from holdfast.compose.embedders import reranker_of
from holdfast.compose.workspace import Workspace
from holdfast.errors import ConfigError
from holdfast.machine import detached, failures
from holdfast.model.upkeep import Limits
from holdfast.ports import Extractor
from holdfast.recall.ranking import Floor, MemoryRecipe, Ranking
from holdfast.settings.schema import Config
from holdfast.settings.sections import ExtractorConfig

if TYPE_CHECKING:
    from holdfast.service.briefs import BriefSettings

LEARNER = "holdfast.compose.extraction_worker"
"""The process that lets the extractor read what is due."""


def limits_of(config: Config) -> Limits:
    """Return how much is kept, by the settings."""
    upkeep = config.upkeep
    return Limits(
        auto=upkeep.auto,
        max_bytes=upkeep.max_bytes,
        max_memories=upkeep.max_memories,
        promoted=upkeep.promoted,
        turn_days=upkeep.turn_days,
        merge=upkeep.merge,
    )


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


def after_session(
    config: ExtractorConfig, root: Path | None, daily: Callable[[], None] | None
) -> Callable[[], None] | None:
    """Return what is done when a session has ended: a backup, and the user's extractor, which nobody waits for."""
    if not config.url or root is None:
        return daily

    def act() -> None:
        if daily:
            daily()
        try:
            detached.start(LEARNER, str(root))
        except OSError as error:
            failures.leave("extract", str(root), error)

    return act


def extractor_of(config: ExtractorConfig) -> Extractor:
    """Make the configured extractor; raise what is wrong with its settings, by name."""
    from holdfast.capture.sessions.chat_extractor import ChatExtractor
    from holdfast.machine.json_endpoint import Address, check_address  # hardly anybody has one

    if not config.model:
        raise ConfigError(key="extractor.model", problem="is needed with extractor.url", origin="the settings")
    url = (config.url or "").rstrip("/")
    try:
        check_address(url)
    except ValueError as error:
        raise ConfigError(key="extractor.url", problem=str(error), origin="the settings") from None
    return ChatExtractor(Address(url, _key(config), config.timeout_ms / 1000), config.model)


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
