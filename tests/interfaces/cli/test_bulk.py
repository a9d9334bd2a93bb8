"""Taking in many entries: stored and found by words at once, their vectors follow, and who stops loses nothing."""

import json
import os
import pty
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.hooking import HUNG_S
from tests.interfaces.cli.shell import PROGRAM, Shell, at_terminal, program

MANY = 300


class SlowEmbedder:
    """A server of vectors that answers when it is let."""

    def __init__(self) -> None:
        self.asked, self.answers = threading.Event(), threading.Event()
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())

    @property
    def settings(self) -> dict[str, str]:
        """What has a program ask it."""
        return {
            "HOLDFAST_EMBEDDING_MODEL": "remote",
            "HOLDFAST_EMBEDDING_URL": f"http://127.0.0.1:{self.http.server_port}/v1",
            "HOLDFAST_EMBEDDING_REMOTE_MODEL": "slow",
            "HOLDFAST_EMBEDDING_DIMENSIONS": "3",
            "HOLDFAST_EMBEDDING_TIMEOUT_MS": "600000",
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        embedder = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
                embedder.asked.set()
                embedder.answers.wait()
                data = [{"index": at, "embedding": [len(text), 1, 0]} for at, text in enumerate(texts)]
                body = json.dumps({"data": data}).encode()
                with suppress(ConnectionError):  # whoever was interrupted has gone
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                pass

        return Handler


@pytest.fixture
def slow_embedder() -> Iterator[SlowEmbedder]:
    embedder = SlowEmbedder()
    thread = threading.Thread(target=embedder.http.serve_forever, args=(0.01,))
    thread.start()
    yield embedder
    embedder.answers.set()
    embedder.http.shutdown()
    thread.join()
    embedder.http.server_close()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A file of many entries."""
    file = tmp_path / "notes.jsonl"
    texts = [f"Note {number}: the walrus queue of region {number} drains at night." for number in range(MANY)]
    file.write_text("".join(json.dumps({"content": text}) + "\n" for text in texts))
    return file


def waiting(project: Path) -> int:
    """Return how many memories have no vector yet."""
    stats = json.loads(program("stats", "--json", "--project", str(project)).stdout)
    return int(stats["embedding"]["waiting"]["memory"])


def test_an_import_makes_the_vectors_of_what_came_in(shell: Shell, notes: Path) -> None:
    """The answer for programs is the same as ever."""
    imported = shell.json("import", str(notes))
    assert imported["created"] == MANY
    assert "embedded" not in imported
    assert waiting(shell.project) == 0


def test_an_import_can_leave_vectors_to_the_background(shell: Shell, notes: Path) -> None:
    shell("config", "set", "embedding.background", "false")
    shell("import", str(notes), "--no-embed")
    assert waiting(shell.project) == MANY


def test_where_nothing_makes_vectors_none_are_promised(shell: Shell, notes: Path) -> None:
    shell("config", "set", "embedding.model", "none")
    shell("import", str(notes))
    assert "vectors" not in shell.err


def test_a_terminal_sees_how_far_an_import_is(project: Path, notes: Path) -> None:
    code, screen = at_terminal("import", str(notes), "--project", str(project), COLUMNS="140")
    assert code == 0
    for label in ("Checking", "Storing", "Vectors"):
        assert f"{label} {'█' * 20} {MANY}/{MANY}" in screen
    assert "search by words works meanwhile" in screen
    assert screen.index("Imported") < screen.index("Vectors")


def test_words_are_found_meanwhile_and_an_interrupted_import_goes_on_later(
    project: Path, notes: Path, slow_embedder: SlowEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real program waits for vectors; another one searches; then Ctrl-C, and later the rest."""
    for name, value in slow_embedder.settings.items():
        monkeypatch.setenv(name, value)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "import", str(notes), "--project", str(project)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "140"},
        start_new_session=True,
    )
    os.close(theirs)
    patience = threading.Timer(HUNG_S, process.kill)
    patience.start()
    screen = b""
    while b"Vectors" not in screen:
        screen += os.read(ours, 65_536)
    assert slow_embedder.asked.wait(HUNG_S)
    words = program("search", "walrus region 7", "--mode", "keyword", "--json", "--project", str(project))
    assert "the walrus queue of region 7 " in words.stdout
    process.send_signal(signal.SIGINT)
    screen += _rest(ours)
    assert process.wait() == 130
    patience.cancel()
    os.close(ours)
    text = screen.decode()
    assert f"Imported {MANY} of {MANY} entries" in text
    assert f"{MANY} rows are found by words only until" in text
    assert "Traceback" not in text
    assert waiting(project) == MANY
    slow_embedder.answers.set()
    assert program("reindex", "--pending", "--project", str(project)).returncode == 0
    assert waiting(project) == 0


def _rest(terminal: int) -> bytes:
    """Return all that is still shown."""
    screen = b""
    try:
        while part := os.read(terminal, 65_536):
            screen += part
    except OSError:  # the other end is closed: the program is gone
        pass
    return screen
