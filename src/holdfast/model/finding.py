"""Findings: what was read from the turns of a session, before any of it is remembered."""

from msgspec import Struct

ASKED, ACCEPTED, LIKELY = LEARNT = ("asked", "accepted", "likely")
"""A person asked for it in so many words, took it over from an agent, or said what the judge finds lasting."""

AT_ONCE = "at-once"
"""Asked for in so many words ("remember that", "from now on"): remembered at the next checkpoint."""

WORKING, MUST = "working", "must"
"""The judge finds that it is a way of working; that the person would be annoyed to say it again."""

HYPOTHESIS = "hypothesis"
"""Only noted: it may be meant to last, but nothing shows it yet."""
RETRACTED = "retracted"
"""Taken back, or replaced by a later statement of the session."""
ERROR_RESOLUTION = "error-resolution"
NOTED = "noted"
"""What an agent noted, with these words of the user as proof."""

DECISIVE = frozenset({"decision", "preference", "warning"})
"""Kinds of findings that count when others find them, too."""

RULING = DECISIVE | {"architecture", "pattern", "fact"}
"""Kinds of findings that say how things are to be."""

REPEATED, AMENDS = "repeated", "amends"
LEGS = frozenset((ASKED, ACCEPTED, REPEATED, AMENDS))
"""By what a person wants something kept: asked for, taken over, said again, or a change of what is known."""

SAID = "said"
"""The tier of a memory that the judge alone found lasting: the user's words, unconfirmed."""

SIGNALS = (*LEARNT, AT_ONCE, WORKING, MUST, HYPOTHESIS, RETRACTED, ERROR_RESOLUTION, NOTED)


class Evidence(Struct, frozen=True, kw_only=True):
    """Where something was said: a turn, and the characters of it."""

    turn: str
    start: int
    end: int


class Finding(Struct, frozen=True, kw_only=True):
    """Something read from turns; records the memory that it became."""

    id: str
    session: str
    kind: str
    content: str
    fingerprint: str
    evidence: tuple[Evidence, ...]
    importance: float
    confidence: float
    signals: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    created_at: int
    memory: str | None = None

    @property
    def turn(self) -> str:
        """The turn it was read from first."""
        return self.evidence[0].turn

    @property
    def settled(self) -> bool:
        """Whether a person wants it to hold, and has not taken it back later."""
        return bool({*LEARNT} & set(self.signals)) and not {HYPOTHESIS, RETRACTED} & set(self.signals)


class Preset(Struct, frozen=True):
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


class CaptureOptions(Struct, frozen=True):
    """What is done with sessions by itself."""

    auto: bool = True
    """Whether turns are read and findings promoted."""
    preset: str = DEFAULT_PRESET
