"""Addresses of servers: which texts are one, and how one may be shown. A password never is."""

import re

from holdfast.model.patterns import regex

SCHEMES = ("postgresql://", "postgres://")

_PASSWORD = regex(r"(?<=[?&])(?:ssl)?password=[^&]*&?", re.IGNORECASE)


def is_address(text: str) -> bool:
    """Say whether a text is the address of a server, and no directory."""
    return text.lower().startswith(SCHEMES)


def without_password(url: str) -> str:
    """Return an address without its password, however it was typed: up to the last `@` all is who asks."""
    scheme, _, rest = url.partition("://")
    place, _, options = rest.partition("?")
    if "@" in place:
        user, _, place = place.rpartition("@")
        place = f"{user.partition(':')[0]}@{place}"
    options = _PASSWORD.sub("", f"?{options}").rstrip("?&") if options else ""
    return f"{scheme}://{place}{options}"


def problem_with(url: str) -> str | None:
    """Say what is wrong with the address of a server, without repeating it."""
    if not is_address(url):
        return "must begin with postgresql://"
    from urllib.parse import urlsplit  # few commands are given an address

    try:
        place = urlsplit(url)
        readable = "," in place.netloc or place.port != 0  # several servers are the driver's business
    except ValueError:
        readable = False
    return None if readable else "is no address that can be read; write postgresql://USER@HOST:PORT/NAME"
