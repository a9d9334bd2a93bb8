"""Every operation there is, by its name."""

from holdfast.interfaces.http.operations import exchange, looking, memories, reviewing, sessions, tending
from holdfast.interfaces.http.operations.operation import Operation

OPERATIONS: dict[str, Operation] = {
    one.name: one
    for group in (memories, looking, reviewing, sessions, tending, exchange)
    for one in group.OPERATIONS
}
