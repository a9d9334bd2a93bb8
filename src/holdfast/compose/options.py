"""What the settings say to those that work by them: how much is kept, how hits are ranked, how briefs are made."""

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.capture.text.clean import Cleaner
from holdfast.compose.embedders import reranker_of
from holdfast.compose.workspace import Workspace
from holdfast.model.upkeep import Limits
from holdfast.recall.ranking import Floor, MemoryRecipe, Ranking
from holdfast.settings.schema import Config

if TYPE_CHECKING:
    from holdfast.service.briefs import BriefSettings


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
