"""Install holdfast for this user, and take it away again: `make install`, `make uninstall`.

    python -m scripts.user_install [install [PACKAGE] | uninstall]

It gets an environment of its own, so that it works where the system's Python belongs to the system (PEP 668), and
links in `~/.local/bin`. The environment is not in holdfast's data directory, which `holdfast uninstall --purge`
empties. Standard library only.
"""

import errno
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from scripts import environment

PROGRAMS = ("holdfast", "holdfast-hook")
TRIES, PAUSE_S = 50, 0.2
"""How often a folder is removed that another process still writes into: for ten seconds."""


def environment_place() -> Path:
    """Return where the environment is."""
    data = os.environ.get("XDG_DATA_HOME", "")
    return (Path(data) if os.path.isabs(data) else Path.home() / ".local" / "share") / "holdfast-program"


def links_place() -> Path:
    """Return where people's own programs are."""
    return Path.home() / ".local" / "bin"


def install(package: str) -> str:
    """Install, link, and return what to do next."""
    place, links = environment_place(), links_place()
    if strangers := [links / name for name in PROGRAMS if _is_strange(links / name, place)]:
        raise SystemExit(
            f"{strangers[0]} is there, and not from here: was it pip, pipx or uv? Remove it with that first "
            "(`pip uninstall holdfast`, `pipx uninstall holdfast`, `uv tool uninstall holdfast`)."
        )
    environment.install(place, ["--no-compile", package])  # most of 46 packages is never imported
    links.mkdir(parents=True, exist_ok=True)
    for name in PROGRAMS:
        (links / name).unlink(missing_ok=True)
        (links / name).symlink_to(environment.programs(place) / name)
    return _next(links)


def _is_strange(link: Path, place: Path) -> bool:
    """Say whether something is in the way that this did not put there."""
    return os.path.lexists(link) and not (link.is_symlink() and link.readlink().is_relative_to(place))


def _next(links: Path) -> str:
    """Say what one types now; a folder that the shell does not look into is named."""
    if str(links) in os.environ.get("PATH", "").split(os.pathsep):
        return "Now: holdfast install"
    return f'{links} is not on your PATH. Now: export PATH="{links}:$PATH" && holdfast install'


def uninstall() -> str:
    """Take holdfast out of every agent, then away. What is remembered stays."""
    place, links = environment_place(), links_place()
    program = environment.programs(place) / "holdfast"
    if not program.exists():
        return f"Nothing is installed in {place}."
    if subprocess.run([program, "uninstall"], check=False).returncode:
        raise environment.Failed(f"Nothing was removed, because `{program} uninstall` failed: see above.\n")
    for name in PROGRAMS:
        if (links / name).is_symlink() and not _is_strange(links / name, place):
            (links / name).unlink()
    remove(place)
    return f"Removed {place}. What is remembered stays."


def remove(place: Path, pause: Callable[[float], object] = time.sleep) -> None:
    """Remove a folder into which a process that was started from it, a worker say, may still write bytecode."""
    for _ in range(TRIES):
        try:
            return shutil.rmtree(place)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
        pause(PAUSE_S)
    return shutil.rmtree(place)


def main(words: list[str]) -> int:
    """Do what the command line says."""
    try:
        print(uninstall() if words[:1] == ["uninstall"] else install(words[1] if len(words) > 1 else "."))
    except environment.Failed as failure:
        sys.stderr.write(str(failure))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
