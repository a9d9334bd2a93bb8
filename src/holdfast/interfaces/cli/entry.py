"""Where the `holdfast` program begins: light, so that Ctrl-C is answered from the first moment on."""

import atexit
import gc
import os
import sys
from typing import TextIO

from holdfast import __version__

COLLECTING = (20_000, 20, 20)
"""When the collector looks for garbage: a command mostly makes what it keeps, and looking costs it a tenth."""

VERSION = f"holdfast {__version__}"


def main() -> None:
    """Run the command line and exit."""
    gc.set_threshold(*COLLECTING)
    try:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            if stream is not None:  # a caller may have closed it
                _set_encoding(stream)
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:
        _say("holdfast: interrupted; what was acknowledged is kept", sys.stderr)
        code = 130
    _leave(code if _flush(sys.stdout) else code or 1)


def _set_encoding(stream: TextIO) -> None:
    """Let a stream take whatever there is; where Windows would write in a code page of its own, as UTF-8.

    What goes into a file or a pipe there has the same bytes as anywhere; what comes out may begin with a mark.
    """
    options = {"errors": "replace"}
    if sys.platform == "win32":
        options["encoding"] = "utf-8-sig" if stream is sys.stdin else "utf-8"
        if stream is not sys.stdin and not stream.isatty():
            options["newline"] = "\n"
    stream.reconfigure(**options)  # type: ignore[attr-defined]  # text files, all three


def _run(arguments: list[str]) -> int:
    """Run a command; the server for agents goes past the command line, whose import its client would wait for.

    So does the question that installers and scripts ask before anything else.
    """
    if arguments == ["--version"] and _say(VERSION, sys.stdout):
        return 0
    directory = _served_directory(arguments)
    if directory is not None:
        from holdfast.interfaces.mcp.front import main as serve

        return serve(directory)
    from holdfast.interfaces.cli.main import run

    return run(arguments)


def _served_directory(arguments: list[str]) -> str | None:
    """Return the directory that `mcp` plainly asks for; whatever else is said is the command line's to read."""
    match arguments:
        case ["mcp"]:
            return "."
        case ["mcp", "--project", directory] if not directory.startswith("-"):
            return directory
    return None


def _say(line: str, stream: TextIO | None) -> bool:
    """Write a line, and say whether that could be."""
    try:
        return stream is not None and bool(stream.write(line + "\n"))
    except OSError:
        return False


def _leave(code: int) -> None:
    """End the process at once: to take apart what vanishes anyway costs a command 15 ms.

    Who asked to be told of the end is told; where a thread still works, the interpreter waits for it as ever.
    """
    threading = sys.modules.get("threading")
    if threading is None or threading.active_count() == 1:
        atexit._run_exitfuncs()
        _flush(sys.stderr)
        os._exit(code)
    _flush(sys.stderr)
    sys.exit(code)


def _flush(stream: TextIO | None) -> bool:
    """Write out what is still held back; when that fails, keep the interpreter from trying again at its end."""
    if stream is None:  # a caller may have closed it
        return True
    try:
        stream.flush()
    except OSError:
        from holdfast.machine.disk import open_handle

        os.dup2(open_handle(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True
