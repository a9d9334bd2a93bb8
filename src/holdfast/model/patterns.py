"""Regular expressions that are compiled when they are first used. Light: shared with hooks.

Compiling one takes a process a quarter of a millisecond, and the modules of one command or brief define some two
hundred, of which it uses a few.
"""

import re
from typing import AnyStr, cast


def regex(expression: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` would, compiled when it is first asked something."""
    return cast("re.Pattern[AnyStr]", _Later(expression, flags))


class _Later:
    """Stands in for a compiled pattern, whose methods become its own when they are first called."""

    def __init__(self, expression: str | bytes, flags: int) -> None:
        self._expression = expression
        self._flags = flags

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)  # whoever copies it or looks for a protocol gets what it is
        method: object = getattr(re.compile(self._expression, self._flags), name)
        setattr(self, name, method)
        return method
