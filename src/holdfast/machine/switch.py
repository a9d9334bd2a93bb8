"""Whether memory is switched off, and by whom: one place that every interface asks. Light: shared with hooks.

Three things switch it off: `HOLDFAST_DISABLE` in the environment, a pause (a small file in the user's data
directory, for one project or for all), and `project.enabled = false` in the user's or the project's settings.
"""

import contextlib
import os

from holdfast.machine import durable, paths
from holdfast.model.ids import digest

VARIABLE = "HOLDFAST_DISABLE"
EVERYWHERE = "everywhere"
OPTED_OUT = "project.enabled is false. `holdfast config list` shows where; set it to true there to go on."
_NO = ("", "0", "false", "no", "off")


def off_because(root: str, config_files: "tuple[str, ...]" = ()) -> "str | None":
    """Say why memory is off for a project, and how to switch it on; None when it is on.

    A caller that has read the configuration gives no files.
    """
    if os.environ.get(VARIABLE, "").strip().lower() not in _NO:
        return f"{VARIABLE} is set. Unset it to go on."
    if os.path.exists(_marker(None)):
        return "it is paused everywhere. `holdfast pause off --all` goes on."
    if os.path.exists(_marker(root)):
        return "it is paused for this project. `holdfast pause off` goes on."
    for file in config_files:
        if _opts_out(file):
            return OPTED_OUT
    return None


def pause(root: "str | None") -> None:
    """Switch memory off for a project, or everywhere."""
    marker = _marker(root)
    paths.make_private(os.path.dirname(marker))
    durable.replace_file(marker, f"{root or EVERYWHERE}\n")


def resume(root: "str | None") -> None:
    """Take a pause back; where there is none, nothing happens."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(_marker(root))


def _marker(root: "str | None") -> str:
    name = EVERYWHERE
    if root is not None:
        name = digest(os.path.realpath(root))[:32]
    return os.path.join(paths.data_directory(), "paused", name)


def _opts_out(file: str) -> bool:
    """Whether a settings file holds `project.enabled = false`; TOML is parsed only where the word stands."""
    try:
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError):
        return False
    if "enabled" not in text:
        return False
    import tomllib  # most files do not hold the word, and a hook has no time for the parser

    try:
        project = tomllib.loads(text).get("project")
    except tomllib.TOMLDecodeError:
        return False
    return isinstance(project, dict) and project.get("enabled") in (False, "false", "off", "no", "0")
