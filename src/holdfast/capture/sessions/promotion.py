"""Which findings become memories: points for what speaks for them, after filters that nothing automatic passes.

Pure judgement; writing the memories is done by `promote`. What a person asked for, took over, said again in
another session or changed is no matter of points: it is kept unless it was taken back. What a person asked to
remember by a command is not judged at all.
"""

from holdfast.model.finding import (
    ACCEPTED,
    ASKED,
    DECISIVE,
    ERROR_RESOLUTION,
    HYPOTHESIS,
    RECAPPED,
    RETRACTED,
    Finding,
)
from holdfast.model.value import Value

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


REPEATED, AMENDS = "repeated", "amends"
LEGS = frozenset((ASKED, ACCEPTED, REPEATED, AMENDS))
"""By what a person wants something kept: asked for, taken over, said again, or a change of what is known."""


class Preset(Value):
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


class CaptureOptions(Value):
    """What is done with sessions by itself."""

    auto: bool = True
    """Whether turns are read and findings promoted."""
    preset: str = DEFAULT_PRESET


class Sightings(Value):
    """In how many sessions, by how many agents the same was found, this one counted; and who wanted it kept."""

    sessions: int = 1
    agents: int = 1
    remembered: bool = False
    """Whether a person asked to remember just this."""
    pinned: bool = False
    repeated: bool = False
    """Whether a person demanded the same, in whatever words, in another session."""
    amends: str | None = None
    """The memory that it changes, where it changes one."""
    disputes: str | None = None
    """The memory that it may change, where that is too doubtful to be done."""


class Judgement(Value):
    """Whether a finding is promoted, and what was counted for it."""

    promoted: bool
    points: int
    signals: tuple[str, ...]


def judge(finding: Finding, sightings: Sightings, preset: Preset) -> Judgement:
    """Say whether a finding is promoted by itself."""
    signals = _signals(finding, sightings)
    points = sum(POINTS[signal] for signal in signals)
    earns_promotion = _passes(finding, preset) and points >= preset.points
    is_disputed = sightings.disputes is not None and not {RETRACTED, RECAPPED} & set(finding.signals)
    return Judgement(
        earns_promotion or is_disputed or by_a_person(finding, sightings) is not None, points, signals
    )


def by_a_person(finding: Finding, sightings: Sightings) -> str | None:
    """Return by what a person wants a finding kept, None where that is not clear or was taken back."""
    if {RETRACTED, RECAPPED} & set(finding.signals):
        return None
    legs = {
        ASKED: ASKED in finding.signals,
        ACCEPTED: ACCEPTED in finding.signals,
        REPEATED: sightings.repeated,
        AMENDS: sightings.amends is not None,
    }
    return next((leg for leg, stands in legs.items() if stands), None)


def _signals(finding: Finding, sightings: Sightings) -> tuple[str, ...]:
    is_telling = finding.kind in DECISIVE or ERROR_RESOLUTION in finding.signals
    present = {
        "user-intent": sightings.remembered,
        "explicit-pin": sightings.pinned,
        "settled": finding.settled,
        "multi-session": is_telling and sightings.sessions >= 2,
        "multi-agent": is_telling and sightings.agents >= 2,
        "error-resolution": ERROR_RESOLUTION in finding.signals,
        "high-importance": finding.importance >= HIGH_IMPORTANCE,
    }
    return tuple(signal for signal in POINTS if present.get(signal))


def _passes(finding: Finding, preset: Preset) -> bool:
    """Say whether a finding passes the filters that no points make up for: doubt, retraction, triviality."""
    if {HYPOTHESIS, RETRACTED, RECAPPED} & set(finding.signals):
        return False
    return finding.importance >= preset.importance and len(finding.content) >= preset.characters
