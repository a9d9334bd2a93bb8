"""The clock of this process, where the shim is on the path: sections run in it set the time by these."""

from importlib import import_module


def advance(milliseconds: int) -> None:
    """Let time pass."""
    import_module("sitecustomize").advance(milliseconds)


def set_to(moment: int) -> None:
    """Set the clock to a moment in epoch milliseconds."""
    import_module("sitecustomize").set_to(moment)
