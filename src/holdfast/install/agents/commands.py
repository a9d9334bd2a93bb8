"""Slash commands: files in the package, one folder for each agent that has custom commands."""

from importlib import resources
from pathlib import Path

from holdfast.install.targets import WholeFile


def commands(agent: str, folder: Path) -> list[WholeFile]:
    """Return an agent's command files, to be put into a folder; none where it has no custom commands."""
    source = resources.files("holdfast.slash").joinpath("commands", agent)
    if not source.is_dir():
        return []
    files = sorted(source.iterdir(), key=lambda one: one.name)
    return [WholeFile(folder / one.name, one.read_text(encoding="utf-8")) for one in files]
