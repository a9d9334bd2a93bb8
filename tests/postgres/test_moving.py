"""`holdfast migrate-store`: to a server and back, interrupted anywhere, and nothing is lost or changed."""

import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import psycopg
import pytest
from msgspec.structs import replace

from holdfast import Holdfast
from holdfast.machine.environment import SystemClock
from holdfast.storage.open import open_end
from holdfast.stores.postgres.care import projects
from tests.contract.builders import NOW, a_memory
from tests.interfaces.cli.shell import PROGRAM, Shell

WORDS = "queue retry deploy order import stream jitter tenant cache index token branch schema worker".split()


def fill(project: Path, count: int) -> None:
    """Put so many memories into the file of a project, some with a past."""
    luck = random.Random(7)
    store = open_end(project, None, user=False, create=True, clock=SystemClock())
    assert store
    for begin in range(0, count, 5_000):
        memories = [
            a_memory(
                content=f"{place} {' '.join(luck.choices(WORDS, k=12))}",
                tags=tuple(luck.sample(WORDS, 2)),
                created_at=NOW + place,
                reads=place % 3,
                importance=luck.random(),
            )
            for place in range(begin, min(begin + 5_000, count))
        ]
        memories[1] = replace(memories[1], valid_until=NOW + 9, superseded_by=memories[0].id)
        with store.writing():
            store.memories.insert(memories)
    store.close()


def exported(shell: Shell, name: str) -> bytes:
    """Return what `holdfast export` writes, to the byte."""
    file = shell.project.parent / name
    shell("export", "--output", str(file))
    return file.read_bytes()


def there_and_back(shell: Shell, dsn: str, count: int) -> tuple[bytes, bytes, bytes]:
    """Move a project's memory to a server and into another file; return the three exports."""
    fill(shell.project, count)
    before = exported(shell, "before.jsonl")
    server = ["--tenant", "acme"]
    [moved] = shell.json("migrate-store", "--to", dsn, *server)["moved"]
    assert (moved["moved"], moved["scope"]) == (count, "project")
    os.environ.update(HOLDFAST_STORE_URL=dsn, HOLDFAST_STORE_TENANT="acme")
    try:
        on_server = exported(shell, "server.jsonl")
    finally:
        del os.environ["HOLDFAST_STORE_URL"], os.environ["HOLDFAST_STORE_TENANT"]
    other = Path(f"{shell.project}-again")
    other.mkdir()
    subprocess.run(["cp", "-r", shell.project / ".git", f"{other}/.git"], check=True)
    again = Shell(other, shell._capture)
    again("migrate-store", "--from", dsn, *server)
    return before, on_server, exported(again, "after.jsonl")


def test_500_memories_come_back_from_a_server_byte_for_byte(shell: Shell, empty_postgres: str) -> None:
    before, on_server, after = there_and_back(shell, empty_postgres, 500)
    assert before.count(b"\n") == 500
    assert (on_server, after) == (before, before)


@pytest.mark.soak
def test_100_000_memories_come_back_from_a_server_byte_for_byte(shell: Shell, empty_postgres: str) -> None:
    began, cpu = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
    before, on_server, after = there_and_back(shell, empty_postgres, 100_000)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_utime - cpu
    print(f"\n100,000 there and back, with exports: {time.monotonic() - began:.0f} s, {used:.0f} s of CPU here")
    assert before.count(b"\n") == 100_000
    assert (on_server, after) == (before, before)


def arrived(dsn: str) -> int:
    """Count what is on the server so far."""
    with psycopg.connect(dsn) as connection:
        row = connection.execute("SELECT count(*) FROM holdfast.memory").fetchone()
    return int(row[0]) if row else 0


def test_a_move_that_is_killed_goes_on_where_it_stopped(shell: Shell, empty_postgres: str) -> None:
    fill(shell.project, 4_000)
    command: list[str | Path] = [
        PROGRAM,
        "migrate-store",
        "--to",
        empty_postgres,
        "--tenant",
        "acme",
        "--project",
        shell.project,
    ]
    for least in (1, 1_500):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while arrived(empty_postgres) < least and process.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL, "it was done before it could be killed"
        assert 0 < arrived(empty_postgres) < 4_000
    before = arrived(empty_postgres)
    [moved] = shell.json("migrate-store", "--to", empty_postgres, "--tenant", "acme")["moved"]
    assert moved["moved"] == 4_000 - before
    assert moved["counts"]["memories"] + moved["counts"]["superseded"] == 4_000
    [again] = shell.json("migrate-store", "--to", empty_postgres, "--tenant", "acme")["moved"]
    assert again["moved"] == 0


def test_your_own_memories_go_too_when_asked_for(
    shell: Shell, empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_USER_NAME", "ada")
    shell.add("Of the project")
    shell.add("Of mine", "--user")
    shell("alias", "add", "mq", "queue")
    shell("migrate-store", "--to", empty_postgres, "--tenant", "acme")
    assert projects(empty_postgres, "acme") == ["github.com/acme/app"]
    out = shell("migrate-store", "--to", empty_postgres, "--tenant", "acme", "--user")
    assert projects(empty_postgres, "acme") == ["github.com/acme/app", "user:ada"]
    assert "your own memories" in out
    monkeypatch.setenv("HOLDFAST_STORE_URL", empty_postgres)
    monkeypatch.setenv("HOLDFAST_STORE_TENANT", "acme")
    assert {one["content"] for one in shell.json("list")} == {"Of the project", "Of mine"}
    assert shell.json("alias", "list") == {"own": {"mq": ["queue"]}}


def test_it_says_what_to_set_and_leaves_the_file_as_it_was(shell: Shell, empty_postgres: str) -> None:
    shell.add("Deploys happen on Tuesdays")
    out = shell(
        "migrate-store", "--to", empty_postgres.replace("postgres@", "postgres:hunter2@"), "--tenant", "acme"
    )
    assert "hunter2" not in out
    commands = [line.split()[1:] for line in out.splitlines() if line.startswith("  holdfast")]
    assert [command[:3] for command in commands] == [
        ["config", "set", "store.url"],
        ["config", "set", "store.tenant"],
    ]
    for command in commands:
        shell(*command)
    assert shell.json("status")["server"]["tenant"] == "acme"
    shell.add("Only on the server")
    for key in ("store.url", "store.tenant"):
        shell("config", "unset", key)
    assert [one["title"] for one in shell.json("list")] == ["Deploys happen on Tuesdays"]


def test_a_server_that_holds_something_else_is_refused(
    shell: Shell, empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.add("Mine")
    monkeypatch.chdir(shell.project)
    with Holdfast.open(empty_postgres, tenant="acme") as memory:
        memory.add("Of somebody else")
    shell("migrate-store", "--to", empty_postgres, "--tenant", "acme", code=2)
    assert "holds other memories already" in shell.err


def test_what_cannot_be_moved_is_named(shell: Shell) -> None:
    cases = [
        ([], "give one of --to and --from"),
        (["--to", "postgresql://h/x", "--from", "postgresql://h/x"], "give one of --to and --from"),
        (["--to", "postgresql://h/x"], "tenant"),
        (["--to", "memory.db", "--tenant", "acme"], "postgresql://"),
        (["--to", "postgresql://127.0.0.1:1/x", "--tenant", "acme"], "to move"),
    ]
    unsaid = []
    for options, says in cases:
        shell("migrate-store", *options, code=2)
        if says not in shell.err:
            unsaid.append((options, says, shell.err))
    assert unsaid == []
    assert not (shell.project / ".holdfast").exists()
