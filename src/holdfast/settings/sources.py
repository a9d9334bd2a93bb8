"""Where a project's settings come from: the user's file, the project's, and whether the user vouches for that one.

Apart from `compose.open`, so that whoever only wants a setting does not pay for stores and embedders.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from holdfast.guard.registry import Registry
from holdfast.machine import paths
from holdfast.machine.project import Project
from holdfast.settings.load import Sources

CONFIG = "config.toml"


def sources_of(project: Project, environment: Mapping[str, str] | None = None) -> Sources:
    """Return where a project's settings come from."""
    file = project.root / paths.PROJECT_HOME / CONFIG
    return Sources(
        user_file=Path(paths.config_directory()) / CONFIG,
        project_file=file,
        vouched=lambda text: registry().vouches_for_config(file, text),
        environment=os.environ if environment is None else environment,
    )


def vouch_for_config(file: Path) -> None:
    """Let a project's settings file count as the user's own, as it stands."""
    registry().vouch_for_config(file)


def registry() -> Registry:
    """Return what this user vouches for."""
    return Registry(Path(paths.data_directory()) / "vouched")
