"""Which findings become memories: points for what speaks for them, after filters that nothing automatic passes.

Pure judgement; writing the memories is done by `promote`. What a person asked to remember is not judged.
"""

from dataclasses import dataclass

from holdfast.model.finding import ERROR_RESOLUTION, HYPOTHESIS, RECAPPED, RETRACTED, Finding

HIGH_IMPORTANCE = 0.7
POINTS = {
    "user-intent": 5,
    "explicit-pin": 5,
    "multi-session": 2,
    "error-resolution": 2,
    "settled": 2,
    "multi-agent": 1,
    "high-importance": 1,
}
"""What each signal is worth."""


@dataclass(frozen=True, slots=True)
class Preset:
    """How much must speak for a finding before it is promoted by itself."""

    points: int
    importance: float
    characters: int


PRESETS = {
    "conservative": Preset(points=4, importance=0.4, characters=50),
    "balanced": Preset(points=3, importance=0.25, characters=30),
    "aggressive": Preset(points=2, importance=0.15, characters=20),
}
DEFAULT_PRESET = "balanced"


@dataclass(frozen=True, slots=True)
class Habits:
    """What is done with sessions by itself."""

    auto: bool = True
    """Whether turns are read and findings promoted."""
    preset: str = DEFAULT_PRESET


@dataclass(frozen=True, slots=True)
class Sightings:
    """In how many sessions, and by how many agents, the same was found; this one counted."""

    sessions: int = 1
    agents: int = 1


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a finding is promoted, and what was counted for it."""

    promoted: bool
    points: int
    signals: tuple[str, ...]
    held_back: str | None = None
    """The filter that it did not pass."""


def judge(finding: Finding, sightings: Sightings, preset: Preset) -> Judgement:
    """Say whether a finding is promoted by itself."""
    signals = _signals(finding, sightings)
    points = sum(POINTS[signal] for signal in signals)
    held_back = _held_back(finding, preset)
    return Judgement(held_back is None and points >= preset.points, points, signals, held_back)


def _signals(finding: Finding, sightings: Sightings) -> tuple[str, ...]:
    present = {
        "settled": finding.settled,
        "multi-session": sightings.sessions >= 2,
        "multi-agent": sightings.agents >= 2,
        "error-resolution": ERROR_RESOLUTION in finding.signals,
        "high-importance": finding.importance >= HIGH_IMPORTANCE,
    }
    return tuple(signal for signal in POINTS if present.get(signal))


def _held_back(finding: Finding, preset: Preset) -> str | None:
    """Return the filter that keeps a finding back whatever its points: doubt, retraction, triviality."""
    for signal in (HYPOTHESIS, RETRACTED, RECAPPED):
        if signal in finding.signals:
            return signal
    if finding.importance < preset.importance:
        return "importance"
    if len(finding.content) < preset.characters:
        return "length"
    return None
