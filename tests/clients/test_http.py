"""The Inspector and the protocol's conformance suite against `/mcp`. `make test-clients` runs this."""

import contextlib
import http.client
import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from holdfast.interfaces.mcp.tools import tools
from tests.clients.drive import base_env
from tests.clients.test_inspector import INSPECTOR
from tests.clients.test_mcp import PLACE
from tests.interfaces.http.served import Asking, served_here

pytestmark = pytest.mark.clients

CONFORMANCE = PLACE / "conformance" / "node_modules" / ".bin" / "conformance"
SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
)
"""Those that need no tools, prompts or resources of their own."""


@contextlib.contextmanager
def with_token(ask: Asking) -> Iterator[str]:
    """Serve the same at another port, for programs that cannot be told of a token: it is added on the way.

    A client that has what it wanted may hang up before the rest of an answer is written: that is its right.
    """

    class Passing(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            own, there = f":{server.server_port}", f":{ask.port}"
            headers = {name: value.replace(own, there) for name, value in self.headers.items()}
            connection = http.client.HTTPConnection("127.0.0.1", ask.port, timeout=30)
            with contextlib.closing(connection), contextlib.suppress(BrokenPipeError, ConnectionResetError):
                headers["Authorization"] = f"Bearer {ask.token}"
                connection.request(self.command, self.path, body, headers)
                self.pass_on(connection.getresponse())

        def pass_on(self, response: http.client.HTTPResponse) -> None:
            content = response.read()
            self.send_response(response.status)
            for name, value in response.getheaders():
                if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_DELETE = do_OPTIONS = do_POST  # noqa: N815 - the names that the library looks for

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Passing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


@pytest.fixture
def ask(project: Path) -> Iterator[Asking]:
    """A client of a server."""
    with served_here(project) as asking:
        yield asking


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_conformance_suite_is_content(ask: Asking, tmp_path: Path, scenario: str) -> None:
    with with_token(ask) as url:
        command = [str(CONFORMANCE), "server", "--url", f"{url}/mcp", "--scenario", scenario]
        env = base_env(PLACE, tmp_path)
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=90)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_inspector_lists_and_calls_tools(ask: Asking, tmp_path: Path) -> None:
    def inspect(method: str, *words: str) -> dict[str, object]:
        command = [str(INSPECTOR), "--cli", f"{ask.url}/mcp", "--transport", "http"]
        command += ["--header", f"Authorization: Bearer {ask.token}", "--method", method, *words]
        env = base_env(PLACE, tmp_path)
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        found: dict[str, object] = json.loads(done.stdout)
        return found

    listed = inspect("tools/list")["tools"]
    assert isinstance(listed, list)
    assert [tool["name"] for tool in listed] == [tool.name for tool in tools()]
    inspect("tools/call", "--tool-name", "memory_add", "--tool-arg", "content=The ledger mints invoice numbers")
    assert ask("GET", "/api/memories").json()[0]["content"] == "The ledger mints invoice numbers"
