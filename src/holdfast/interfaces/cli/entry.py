"""Where the `holdfast` program begins: light, so that Ctrl-C is answered from the first moment on."""

import sys


def main() -> None:
    """Run the command line and exit."""
    try:
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            if stream is not None:  # a caller may have closed it
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # text files, all three
        from holdfast.interfaces.cli.main import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        sys.stderr.write("holdfast: interrupted; what was acknowledged is kept\n")
        code = 130
    sys.exit(code)
