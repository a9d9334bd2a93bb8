"""When a memory fades: hidden from default reads by its age, but kept.

One pure function over what a memory is and how many days its kind has. Stores write what it says with every row,
so that keyword, meaning and lists leave out the same without computing anything.
"""

from collections.abc import Mapping

from holdfast.model.kinds import FADES_AFTER_DAYS, IMPORTED, PINNED, USER
from holdfast.model.limits import DAY_MS, READS_KEEP
from holdfast.model.memory import Memory
from holdfast.model.value import Value, field

Days = Mapping[str, int | None]
"""Days by kind; None: never."""

PUT_THERE = frozenset((USER, IMPORTED))
"""What a person said, or had taken in from files, git or another tool, does not fade."""


def fades_at(memory: Memory, days: Days) -> int | None:
    """Return when a memory fades; None when it never does."""
    after = days.get(memory.kind)
    if after is None or memory.status == PINNED or memory.trust in PUT_THERE or memory.reads >= READS_KEEP:
        return None
    return memory.renewed_at + after * DAY_MS


class Fading(Value):
    """How many days each kind has, as configured."""

    days: Days = field(default_factory=lambda: FADES_AFTER_DAYS)

    @property
    def name(self) -> str:
        """What a store remembers of it, to see that another is in force."""
        return ",".join(f"{kind}:{days}" for kind, days in sorted(self.days.items()))

    def __call__(self, memory: Memory) -> int | None:
        return fades_at(memory, self.days)
