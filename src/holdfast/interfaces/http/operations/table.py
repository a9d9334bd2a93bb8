"""Every operation there is, by its name: whatever a module of the groups declares."""

from typing import Any

from holdfast.interfaces.http.operations import entries, inbox, memories, search, sessions, upkeep
from holdfast.interfaces.http.operations.operation import Operation

OPERATIONS: dict[str, Operation[Any]] = {
    value.name: value
    for group in (memories, search, inbox, sessions, upkeep, entries)
    for value in vars(group).values()
    if isinstance(value, Operation)
}
