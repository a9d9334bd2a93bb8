"""What differs between systems has one home: nobody else opens handles, locks files or renames them."""

import ast
import re
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "holdfast"
HOMES = {
    r"\bos\.open\(": {"machine/disk.py"},
    r"\b(?:import|from) (?:msvcrt|_winapi|winreg)\b": {"machine/disk.py"},
    r"\b(?:import|from) (?:grp|pty|resource|termios|tty)\b": set(),
    r"\b(?:import|from) pwd\b": {"machine/paths.py"},
    r"\b(?:import|from) fcntl\b": {
        "machine/disk.py",  # locks, and the drive's own flush
        "machine/paths.py",  # a directory's true name
    },
    r"\bos\.(?:replace|rename)\(": {
        "machine/disk.py",
        "machine/failures.py",  # which waits for nobody
        "stores/sqlite/files.py",  # where Windows' own way of renaming is wanted
    },
}
"""What is looked for, and where it may stand."""


def test_what_differs_between_systems_stands_in_its_home() -> None:
    places = {
        pattern: {
            path.relative_to(SOURCE).as_posix()
            for path in SOURCE.rglob("*.py")
            if re.search(pattern, path.read_text(encoding="utf-8"))
        }
        for pattern in HOMES
    }
    assert places == HOMES


def test_a_checkout_has_the_bytes_that_were_committed() -> None:
    """Git for Windows would write other ends of lines, and what has a digest would be damaged."""
    notice = SOURCE / "embedding" / "minilm" / "NOTICE"
    said = subprocess.run(
        ["git", "check-attr", "text", "--", notice.name], cwd=notice.parent, capture_output=True, text=True
    )
    assert said.stdout == "NOTICE: text: unset\n", said.stderr


def test_every_text_file_is_opened_with_its_encoding() -> None:
    """Without it Windows takes its code page."""
    careless = [
        f"{path.relative_to(SOURCE)}:{call.lineno}"
        for path in SOURCE.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and _opens_text(call) and not _says_encoding(call)
    ]
    assert careless == []


def _opens_text(call: ast.Call) -> bool:
    """Say whether a call opens or reads a file as text."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in ("read_text", "write_text")
    words = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    is_binary = any(isinstance(word, ast.Constant) and "b" in str(word.value) for word in words)
    return isinstance(call.func, ast.Name) and call.func.id == "open" and not is_binary


def _says_encoding(call: ast.Call) -> bool:
    by_name = any(keyword.arg == "encoding" for keyword in call.keywords)
    return by_name or any(isinstance(word, ast.Constant) and word.value == "utf-8" for word in call.args)
