"""What `typing` has for type checkers alone, without its import, which takes a new process 4 ms. Light."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import cast as cast
else:

    def cast(kind, value):
        """Return the value: the kind is what a type checker is to take it for."""
        return value
