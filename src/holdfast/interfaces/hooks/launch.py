"""Starting the worker that drains the spool: a process of its own that outlives the hook and holds nothing of it.

Light.
"""

from holdfast.machine import detached

WORKER = "holdfast.interfaces.hooks.worker"


def launch(root: str) -> None:
    """Start the worker for a project."""
    detached.start(WORKER, root)
