"""Every operation there is, by its name."""

from holdfast.interfaces.http.operations import exchange, looking, memories, sessions, tending
from holdfast.interfaces.http.operations.operation import Operation

OPERATIONS: dict[str, Operation] = {
    one.name: one for group in (memories, looking, sessions, tending, exchange) for one in group.OPERATIONS
}
