"""From nothing to a session that is told a rule: in an empty home, a bare environment, by what the README says.

Nothing is fetched: dependencies are those of the environment that tests run in. The same walk with what each
installer fetches by itself is a soak test, and `benchmarks/way_in.py` says what it costs.
"""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from scripts import way_in
from tests.docs.blocks import blocks
from tests.packaging.distributions import ROOT, Archives, environment_with, show_dependencies

OFFLINE = {
    "PIP_NO_INDEX": "1",
    "PIP_NO_DEPS": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # pip reads the value as that of `build isolation`
    "PIP_NO_COMPILE": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}
PIP = """#!{python}
import sys
from pip._internal.cli.main import main
sys.exit(main())
"""
"""The program of an environment whose pip is that of the tests, which is quicker to have than its own."""
SYSTEM_PYTHON = """
import sys
import sysconfig

if sys.prefix == sys.base_prefix:
    own = sysconfig.get_path
    sysconfig.get_path = lambda name, *rest, **more: {marker!r} if name == "stdlib" else own(name, *rest, **more)
"""
"""Has a Python find the marker of a system that owns it, as Debian's and Homebrew's do."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home in which Claude Code was started before."""
    return tmp_path / "home"


@pytest.fixture
def project(home: Path) -> Path:
    """A repository in it."""
    return way_in.make_home(home)


def readme_commands() -> list[str]:
    """Return the commands of the README's first block: ways to install, and the one that connects."""
    lines = blocks(ROOT / "README.md")[0].commands.splitlines()
    return [
        command.strip() for line in lines for command in re.split(r"#(?: or:)?|\bor:", line) if command.strip()
    ]


def environment_with_pip(place: Path) -> Path:
    """Make an environment that has pip and sees our dependencies; return where its programs are."""
    venv.create(place)
    show_dependencies(place)
    pip = place / "bin" / "pip"
    pip.write_text(PIP.format(python=place / "bin" / "python"), encoding="utf-8")
    pip.chmod(0o755)
    return pip.parent


def quietly(environment: dict[str, str]) -> dict[str, str]:
    """Add what keeps a process from outliving the test, and a busy machine from mattering."""
    return {**environment, "HOLDFAST_EMBEDDING_BACKGROUND": "false", "HOLDFAST_HOOK_PACE": "1000"}


def run(words: list[str], environment: dict[str, str], cwd: Path = ROOT) -> str:
    """Run a program that succeeds; return all that it said."""
    result = subprocess.run(
        words, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_a_rule_of_the_first_session_is_told_to_the_second(
    archives: Archives, home: Path, project: Path, tmp_path: Path
) -> None:
    """By the commands in Claude Code's settings, word for word; and nothing of ours is left in the end."""
    before = sorted((home / ".claude").iterdir())
    environment = quietly(
        way_in.bare_environment(home, environment_with(archives.wheel, tmp_path / "environment"))
    )
    assert "Claude Code" in way_in.connect(project, environment)
    assert way_in.RULE in way_in.second_session(project, environment)
    assert "Claude Code" in way_in.leave(project, environment)
    assert (before, sorted((home / ".claude").iterdir())) == ([], [])


@pytest.mark.skipif(os.name == "nt", reason="asks on a terminal of POSIX")
def test_the_two_commands_of_the_readme_connect_claude_code(home: Path, project: Path, tmp_path: Path) -> None:
    """As they stand there, the second one on a terminal, where one is asked once and says yes."""
    *alternatives, connecting = readme_commands()
    [installing] = [command for command in alternatives if command.startswith("pip ")]
    programs = environment_with_pip(tmp_path / "environment")
    environment = quietly(way_in.bare_environment(home, programs))
    run(installing.split(), environment | OFFLINE)
    person, terminal = os.openpty()
    os.write(person, b"y\n")
    result = subprocess.run(
        connecting.split(), cwd=project, env=environment, stdin=terminal, capture_output=True, text=True
    )
    os.close(person)
    os.close(terminal)
    assert result.returncode == 0, result.stderr
    assert "Connect? [Y/n]" in result.stderr
    assert len((result.stdout + result.stderr).splitlines()) <= 10
    assert way_in.RULE in way_in.second_session(project, environment)
    way_in.leave(project, environment)


def test_the_readme_names_every_installer_that_is_tried() -> None:
    *alternatives, connecting = readme_commands()
    assert alternatives == [f"{command} ." for command in way_in.INSTALLERS.values()]
    assert connecting == way_in.CONNECT.removesuffix(" --yes")


@pytest.mark.skipif(os.name == "nt", reason="make is not at home there")
def test_make_install_works_where_the_system_owns_python(
    archives: Archives, home: Path, project: Path, tmp_path: Path
) -> None:
    """pip refuses to install there; `make install` does not, and `make uninstall` leaves nothing behind."""
    marker = tmp_path / "system"
    marker.mkdir()
    (marker / "EXTERNALLY-MANAGED").write_text("[externally-managed]\nError=the system's\n", encoding="utf-8")
    (marker / "sitecustomize.py").write_text(SYSTEM_PYTHON.format(marker=str(marker)), encoding="utf-8")
    python = Path(sys.base_prefix) / "bin" / "python3"
    environment = quietly(way_in.bare_environment(home, home / ".local" / "bin"))
    system = {**environment, **OFFLINE, "PYTHONPATH": str(marker)}
    refused = subprocess.run(
        [python, "-m", "pip", "install", "--user", archives.wheel], env=system, capture_output=True, text=True
    )
    assert "externally-managed-environment" in refused.stderr

    said = run(["make", "install", f"PYTHON={python}", f"PACKAGE={archives.wheel}"], system)
    assert said.splitlines()[-1] == "Now: holdfast install"
    show_dependencies(home / ".local" / "share" / "holdfast-program")
    way_in.connect(project, environment)
    assert f"{home}/.local/bin/holdfast-hook" in (home / way_in.SETTINGS).read_text(encoding="utf-8")
    assert way_in.RULE in way_in.second_session(project, environment)
    run(["make", "uninstall", f"PYTHON={python}"], system)
    assert list((home / ".claude").iterdir()) == list((home / ".local" / "bin").iterdir()) == []
    assert [path.name for path in (home / ".local" / "share").iterdir()] == ["holdfast"]  # what is remembered


def test_make_install_leaves_the_programs_of_others_alone(home: Path, archives: Archives) -> None:
    links = home / ".local" / "bin"
    links.mkdir(parents=True)
    (links / "holdfast").write_text("#!/bin/sh\n", encoding="utf-8")
    environment = way_in.bare_environment(home, links)
    words = ["make", "install", f"PYTHON={sys.executable}", f"PACKAGE={archives.wheel}"]
    result = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode != 0
    assert f"{links}/holdfast is there, and not from here" in result.stderr
    assert (links / "holdfast").read_text(encoding="utf-8") == "#!/bin/sh\n"


@pytest.mark.soak
@pytest.mark.parametrize("installer", way_in.INSTALLERS)
def test_the_way_in_works_with_what_an_installer_fetches_by_itself(installer: str, tmp_path: Path) -> None:
    from benchmarks.way_in import walk_with  # counts CPU as POSIX does

    walk_with(installer, tmp_path)
