"""Whether a request with a tab's key comes from the viewer's own page.

A page of another site cannot know a key, nor send these headers without asking first, which nobody answers. Each
of the three would do; together they hold where a browser, or we, get one wrong.
"""

from holdfast.interfaces.http.access import Headers
from holdfast.interfaces.http.problems import refusal

MARK = b"holdfast-viewer"
"""A header of our own: a form or an image of another site cannot send it."""


def check_same_origin(method: str, headers: Headers) -> None:
    """Refuse a request that another site's page may have made."""
    values = dict(headers)
    if values.get(MARK) != b"1":
        raise refusal(403, "the header Holdfast-Viewer: 1 is missing, which the viewer's own pages send.")
    if values.get(b"sec-fetch-site", b"same-origin") != b"same-origin":
        raise refusal(403, "the browser says that a page of another site asks.")
    if method != "GET" and _site(values.get(b"origin", b"")) != values.get(b"host", b"").lower():
        raise refusal(
            403, "the Origin header does not name this server: only the viewer's own pages change things."
        )


def _site(origin: bytes) -> bytes:
    return origin.lower().partition(b"://")[2]
