"""Reading the settings as everything else does, for the copy that hooks read. Not light: once for every change."""

from pathlib import Path

from holdfast.errors import ConfigError
from holdfast.machine import server_url
from holdfast.machine.project import find_project
from holdfast.settings.hooks import DEFAULTS
from holdfast.settings.load import load, sources_of


def compile_settings(root: str) -> dict[str, object]:
    """Return the values in force of every setting that a hook reads, or why there are none."""
    try:
        config = load(sources_of(find_project(Path(root))))
    except ConfigError as error:
        return {"error": {name: str(fact) for name, fact in error.facts.items()}}
    values: dict[str, object] = {}
    for key in DEFAULTS:
        section, name = key.split(".")
        values[key] = getattr(getattr(config, section), name)
    if isinstance(values["store.url"], str):
        values["store.url"] = server_url.without_password(values["store.url"])  # a copy on disk holds no password
    return values
