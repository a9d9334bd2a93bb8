"""A browser's tab, as far as a server can tell: its key, and the headers that the viewer's own pages send."""

from typing import Any

import httpx2

from tests.interfaces.http.served import Asking, a_token


class Tab:
    """Somebody who signed in with a token."""

    def __init__(self, ask: Asking, token: str | None = None) -> None:
        self._ask = ask
        self.headers = {"Origin": ask.url, "Holdfast-Viewer": "1", "Sec-Fetch-Site": "same-origin"}
        answer = ask.bare("POST", "/viewer/api/login", json={"token": token or a_token()}, headers=self.headers)
        assert answer.status_code == 200, answer.text
        self.signed_in = answer.json()
        self.headers["Authorization"] = f"Bearer {self.signed_in['session']}"

    def __call__(self, method: str, path: str, **options: Any) -> httpx2.Response:
        """Ask something as a page does."""
        headers = self.headers | options.pop("headers", {})
        return self._ask.bare(method, path, headers={k: v for k, v in headers.items() if v is not None}, **options)

    def page(self, path: str, **parameters: Any) -> Any:
        """Return what a page is told."""
        answer = self("GET", f"/viewer/api/{path}", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def add(self, content: str, **fields: Any) -> str:
        """Remember something; return its id."""
        answer = self("POST", "/api/memories", json={"content": content, "trust": "user", **fields})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["id"])
