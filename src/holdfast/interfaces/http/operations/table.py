"""Every operation there is, by its name."""

from holdfast.interfaces.http.operations import entries, inbox, memories, search, sessions, upkeep
from holdfast.interfaces.http.operations.operation import Operation

OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for group in (memories, search, inbox, sessions, upkeep, entries)
    for operation in group.OPERATIONS
}
