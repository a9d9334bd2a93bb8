"""Cut a text that is too long to keep, without cutting a secret in two.

Half a token is no longer recognised as one, so a text is cut before redaction only where no token can be
open.
"""

_INSIDE_TOKENS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-.~%:"
_FARTHEST_BACK = 8_192


def cut(text: str, limit: int) -> tuple[str, bool]:
    """Return at most `limit` characters, ending at a token boundary, and whether anything was cut off.

    A run of token characters longer than 8 Ki characters is no single token, and is cut where the limit
    falls.
    """
    if len(text) <= limit:
        return text, False
    floor = max(limit - _FARTHEST_BACK, 0)
    window = text[floor:limit]
    if text[limit].isspace():
        return text[:limit], True
    for separators in ("\n \t\r", None):
        place = _last_boundary(window, separators)
        if place >= 0:
            return text[: floor + place], True
    return text[: floor if floor == 0 else limit], True


def _last_boundary(text: str, separators: str | None) -> int:
    """Return the place after the last separator (or, without any, the last non-token character), or -1."""
    if separators is not None:
        return max(map(text.rfind, separators)) + 1 or -1
    return len(text.rstrip(_INSIDE_TOKENS)) or -1
