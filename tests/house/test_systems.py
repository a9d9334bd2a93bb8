"""What is left out on other systems is what could not run there, and no more."""

import pytest

from tests.systems import TESTS, can_run, has_what_it_uses

SYSTEMS = ("linux", "darwin", "win32")


def test_what_a_system_has_not_is_known_by_its_name(subtests: pytest.Subtests) -> None:
    for line, systems in [
        ("import fcntl", {"darwin"}),
        ("place.symlink_to(other)", {"darwin"}),
        ('Path("/proc/self/fd")', set()),
        ("from tests.background import processes, wait_for_none, wait_until", set()),
        ("from tests.background import wait_until", {"darwin", "win32"}),
        ("assert search(store) == [memory]", {"darwin", "win32"}),
    ]:
        with subtests.test(line=line, systems=systems):
            assert {platform for platform in ("darwin", "win32") if has_what_it_uses(line, platform)} == systems


def test_a_file_runs_where_it_and_what_it_imports_find_what_they_use(subtests: pytest.Subtests) -> None:
    for place, systems in [
        ("model", {"linux", "darwin", "win32"}),
        ("test_errors.py", {"linux", "darwin", "win32"}),
        ("interfaces/cli", {"linux", "darwin"}),  # its fixtures import a terminal
        ("interfaces/cli/test_help.py", {"linux", "darwin"}),
        ("faults/test_imports.py", {"linux"}),  # imports what counts system calls
        ("traced/test_no_surprises.py", {"linux"}),
        ("traced/test_judge.py", {"linux"}),
        ("postgres/test_replica.py", {"linux"}),  # starts a server of its own
        ("interfaces/http/test_tenants.py", {"linux"}),
    ]:
        with subtests.test(place=place, systems=systems):
            assert {platform for platform in SYSTEMS if can_run(TESTS / place, platform)} == systems


def test_most_files_run_everywhere() -> None:
    files = list(TESTS.rglob("test_*.py"))
    counts = {platform: sum(can_run(path, platform) for path in files) for platform in SYSTEMS}
    assert counts["linux"] == len(files)
    assert counts["darwin"] > 0.85 * len(files)
    assert counts["win32"] > 0.55 * len(files)
