"""A viewer to test: the real program on a real store, seeded and asked through the public API."""

import os
import re
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import httpx2

from holdfast.storage.tokens import TokenFile
from tests.background import wait_until
from tests.clients.installed import PROGRAM
from tests.hooking import HUNG_S

HEADERS = {"Holdfast-Viewer": "1"}


class Site:
    """`holdfast serve` for a project, and a person who may do everything there."""

    def __init__(self, directory: Path, env: Mapping[str, str]) -> None:
        self.directory = directory
        self.env = {**os.environ, **env}
        self.admin = self.token("ada", "admin")
        self._process = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0"],
            cwd=directory, env=self.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stderr
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, args=(self._process.stderr,), daemon=True)
        self._reader.start()
        self.url = self._address()
        self._client = httpx2.Client(base_url=self.url, timeout=HUNG_S, trust_env=False)
        wait_until(self._healthy, "it does not answer")

    def token(self, name: str, scope: str) -> str:
        """Make a token as whoever runs the server does."""
        tokens = TokenFile(Path(self.env["HOLDFAST_DATA_HOME"]) / "tokens.json")
        now = time.time_ns() // 1_000_000
        _, secret = tokens.create(name=name, tenant="local", scope=scope, project=None, expires=None, now=now)
        return secret

    def ask(self, method: str, path: str, body: object = None, token: str | None = None) -> Any:
        """Ask the server something; return the JSON of its answer."""
        headers = {"Authorization": f"Bearer {token or self.admin}"}
        answer = self._client.request(method, path, headers=headers, json=body)
        assert answer.status_code < 300, answer.text
        return answer.json()

    def remember(self, content: str, **fields: object) -> str:
        """Remember something as a person, unless the fields say otherwise; return its id."""
        added = self.ask("POST", "/api/memories", {"content": content, "kind": "fact", "trust": "user", **fields})
        return str(added["id"])

    def memory(self, id: str) -> dict[str, Any]:  # noqa: A002 - the API's word
        """Return a memory as it is now."""
        [memory] = self.ask("POST", "/api/memories/peek", {"ids": [id]})
        return dict(memory)

    def signing_in(self) -> str:
        """Return a script that lets every page of the site have the key of a new session."""
        return f"if (origin === {self.url!r}) sessionStorage.setItem('holdfast-session', {self._sign_in()!r});"

    def _sign_in(self) -> str:
        headers = {**HEADERS, "Origin": self.url}
        answer = self._client.post("/viewer/api/login", headers=headers, json={"token": self.admin})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["session"])

    def stop(self) -> None:
        """Let go of the server."""
        self._client.close()
        self._process.terminate()
        self._process.wait(HUNG_S)
        self._reader.join(HUNG_S)
        assert self._process.stderr
        self._process.stderr.close()

    def _read(self, stderr: IO[str]) -> None:
        for line in stderr:
            self._lines.append(line)

    def _address(self) -> str:
        def addresses() -> list[str]:
            assert self._process.poll() is None, "".join(self._lines)
            return [match[0] for line in self._lines if (match := re.search(r"http://[\d.:]+\d", line))]

        wait_until(addresses, "it says no address")
        return addresses()[0]

    def _healthy(self) -> bool:
        try:
            return bool(self._client.get("/healthz").status_code == 200)
        except httpx2.TransportError:
            return False
