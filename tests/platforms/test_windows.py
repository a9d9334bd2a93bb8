"""What Windows refuses, and what it lacks: each is waited for, worked around or said."""

import json
import textwrap

from tests.platforms.fakes import FakeMachine

SLOW_READER = """
    import types
    from holdfast.machine import disk
    open("kept", "w").close()
    reader = open("kept", "rb")
    moments = iter(range(100))
    disk.time = types.SimpleNamespace(
        monotonic=lambda: next(moments) * STEP, sleep=lambda seconds: CLOSE, time=lambda: 0
    )
"""


def run(windows: FakeMachine, code: str) -> str:
    """Run a few lines there; return what they print."""
    return windows.python("-c", textwrap.dedent(code)).decode().strip()


def slow_reader(step: float, close: str) -> str:
    """Return lines that open a file; `close` happens while somebody waits, and each look at it takes so long."""
    return textwrap.dedent(SLOW_READER.replace("STEP", str(step)).replace("CLOSE", close))


def test_a_file_is_replaced_as_soon_as_who_reads_it_is_done(windows: FakeMachine) -> None:
    code = slow_reader(0.01, "reader.close()")
    assert run(windows, code + "disk.replace_file('kept', 'new'); print(open('kept').read())") == "new"


def test_a_file_that_stays_open_is_an_error_and_stays_as_it_is(windows: FakeMachine) -> None:
    code = slow_reader(0.3, "None") + textwrap.dedent("""
        import os
        try:
            disk.replace_file("kept", "new")
        except PermissionError:
            print(sorted(os.listdir()))
    """)
    assert run(windows, code) == "['.git', 'kept']"


def test_lines_are_written_as_they_are(windows: FakeMachine) -> None:
    """Handles are opened as bytes: the fake refuses any other."""
    code = """
        from holdfast.agents import spool
        folder = spool.prepare(".")
        for number in range(3):
            spool.append(folder, "claude-1", {"text": f"line {number}\\x1a"})
        [sealed] = spool.seal(folder)
        print([entry["text"] for _, entry in spool.entries(sealed)])
    """
    assert run(windows, code) == str([f"line {number}\x1a" for number in range(3)])


def test_what_is_being_appended_to_is_sealed_afterwards(windows: FakeMachine) -> None:
    code = """
        import os, types
        from holdfast.agents import spool
        from holdfast.machine import disk
        folder = spool.prepare(".")
        handle, _ = spool._open_locked(os.path.join(folder, "claude-1.open"))
        def finish(seconds):
            os.write(handle, b'{"text": "late"}\\n')
            os.close(handle)
        disk.time = types.SimpleNamespace(monotonic=lambda: 0.0, sleep=finish, time=lambda: 0)
        [sealed] = spool.seal(folder)
        print([entry for _, entry in spool.entries(sealed)])
    """
    assert run(windows, code) == str([{"text": "late"}])


def test_a_lock_is_held_by_one_at_a_time(windows: FakeMachine) -> None:
    code = """
        import os
        from holdfast.agents import spool
        folder = spool.prepare(".")
        first = spool.hold(folder, spool.DRAINING)
        second = spool.hold(folder, spool.DRAINING)
        os.close(first)
        print(second, spool.hold(folder, spool.DRAINING) is not None)
    """
    assert run(windows, code) == "None True"


def test_a_file_that_cannot_be_locked_is_an_error_and_not_waited_for(windows: FakeMachine) -> None:
    code = """
        import errno, os
        from holdfast.machine import disk
        def refuse(*words):
            raise OSError(errno.EINVAL, "Invalid argument")
        disk.msvcrt.locking = refuse
        disk.LOOK_S = -1  # no time to sleep: who waits fails
        handle = os.open(".", os.O_RDONLY)
        for lock in (disk.take, disk.wait_for):
            try:
                print(lock(handle))
            except OSError as error:
                print(error.strerror)
    """
    assert run(windows, code).split("\n") == ["Invalid argument"] * 2


def test_a_store_that_somebody_has_open_is_not_replaced_and_it_is_said_what_to_do(windows: FakeMachine) -> None:
    code = """
        import contextlib, io
        from holdfast import Holdfast
        from holdfast.interfaces.cli.main import run
        complaints = io.StringIO()
        with Holdfast.open(".") as memory:
            memory.add("Deploys happen on Tuesdays")
            with contextlib.redirect_stderr(complaints), contextlib.redirect_stdout(io.StringIO()):
                run(["backup"])
                code = run(["restore", "--yes"])
            print(code, "end the agents and servers that use it" in complaints.getvalue())
            print([hit.title for hit in memory.list()])
    """
    assert run(windows, code).split("\n") == ["6 True", "['Deploys happen on Tuesdays']"]


def test_an_address_is_taken_for_one_server_alone(windows: FakeMachine) -> None:
    code = """
        from holdfast.interfaces.http.serve import listen
        listen("127.0.0.1", 0).close()
        print("taken")
    """
    assert run(windows, code) == "taken"


def test_a_place_on_a_server_is_a_shared_mount(windows: FakeMachine) -> None:
    places = [
        r"\\server\share\shop",
        r"\\?\UNC\server\share",
        r"C:\shop",
        r"\\?\C:\shop",
        r"\\.\pipe\x",
        "/home/a",
    ]
    code = f"from holdfast.machine.disk import _is_share; print([_is_share(place) for place in {places!r}])"
    assert run(windows, code) == "[True, True, False, False, False, False]"


def test_hooks_are_written_for_the_shell_that_runs_them(windows: FakeMachine) -> None:
    """Bash wants quotes around a path, PowerShell its own way of calling one; a name alone suits all."""
    code = f"""
        import json, os
        from holdfast.agents import targets as shell
        plain, blank = "C:\\\\bin\\\\holdfast-hook.exe", "C:\\\\Jo's PC\\\\holdfast-hook.exe"
        pairs = [(path, agent) for path in (plain, blank) for agent in ("claude", "codex")]
        place = lambda hook: shell.InstallScope("user", None, None, hook, "")
        commands = [place(path).command(agent, "Stop") for path, agent in pairs]
        own = [shell.names_program(command, "holdfast-hook") for command in commands]
        os.chmod({str(windows.programs / "holdfast-hook.exe")!r}, 0o755)
        os.environ["PATH"] = {str(windows.programs)!r}
        commands.append(place({str(windows.programs / "holdfast-hook.exe")!r}).command("codex", "Stop"))
        print(json.dumps([commands, own]))
    """
    commands, own = json.loads(run(windows, code))
    assert commands == [
        r"'C:\bin\holdfast-hook.exe' claude Stop 2>/dev/null || true",
        r"C:\bin\holdfast-hook.exe codex Stop",
        r"""'C:\Jo'"'"'s PC\holdfast-hook.exe' claude Stop 2>/dev/null || true""",
        r"& 'C:\Jo''s PC\holdfast-hook.exe' codex Stop",
        "holdfast-hook.exe codex Stop",
    ]
    assert own == [True] * 4
