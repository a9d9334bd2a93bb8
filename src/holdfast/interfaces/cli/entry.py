"""Where the `holdfast` program begins: light, so that Ctrl-C is answered from the first moment on."""

import os
import sys


def main() -> None:
    """Run the command line and exit."""
    try:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            if stream is not None:  # a caller may have closed it
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # text files, all three
        code = _run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("holdfast: interrupted; what was acknowledged is kept\n")
        code = 130
    sys.exit(code if _written() else code or 1)


def _run(arguments: list[str]) -> int:
    """Run a command; the server for agents goes past the command line, whose import its client would wait for."""
    if arguments[:1] == ["mcp"] and arguments[1:] in ([], ["--project", *arguments[2:3]]):
        from holdfast.interfaces.mcp.front import main as serve

        return serve(arguments[2] if arguments[2:] else ".")
    from holdfast.interfaces.cli.main import run

    return run(arguments)


def _written() -> bool:
    """Write out what is still held back; when that fails, keep the interpreter from trying again at its end."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True
