"""Slash commands: the folder `commands` of each agent that has custom commands."""

import shlex
from importlib import resources
from pathlib import Path

from holdfast.agents.editors.targets import WholeFile

CALL = "holdfast slash"
"""How the files call the program; an installation names it by its path, which need not be on the agent's."""


def commands(agent: str, folder: Path, program: str) -> list[WholeFile]:
    """Return an agent's command files, to be put into a folder."""
    with resources.as_file(resources.files(f"holdfast.agents.{agent}").joinpath("commands")) as source:
        return [
            WholeFile(folder / path.relative_to(source), _calling(program, path.read_text(encoding="utf-8")))
            for path in sorted(source.rglob("*"))
            if path.is_file()
        ]


def _calling(program: str, text: str) -> str:
    return text.replace(CALL, f"{shlex.quote(program)} slash")
