"""Findings: what was read from the turns of a session by rule, before any of it is remembered."""

from holdfast.model.value import Value

RECAP, DECIDED, CONFIRMED_BY_USER = SETTLING = ("recap", "decided", "confirmed")
"""What settles a decision: it was recapped, a person decided it in so many words, or confirmed it."""

CORRECTION = "correction"
AMENDMENT = "amendment"
HYPOTHESIS = "hypothesis"
RETRACTED = "retracted"
RECAPPED = "recapped"
"""Said again, more fully, in a later recap of the session: that one speaks for it."""
ERROR_RESOLUTION = "error-resolution"

DECISIVE = frozenset({"decision", "preference", "warning"})
"""Kinds of findings that say how things are to be."""

SIGNALS = (*SETTLING, CORRECTION, AMENDMENT, HYPOTHESIS, RETRACTED, RECAPPED, ERROR_RESOLUTION)


class Evidence(Value, kw_only=True):
    """Where something was said: a turn, and the characters of it."""

    turn: str
    start: int
    end: int


class Finding(Value, kw_only=True):
    """Something extracted from turns by rule; records the memory that it became."""

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
        """Whether it was recapped, decided or confirmed, and not taken back later."""
        return not ({HYPOTHESIS, RETRACTED} & set(self.signals)) and any(one in self.signals for one in SETTLING)
