"""How a turn is called that may arrive in more than one way: by two hooks, or by a hook and a transcript. Light.

The name is made of what the client itself calls the message or the tool call, which its hooks and its transcript
share. A hash, because ids are other people's texts.
"""

from holdfast.model.digest import digest


def turn_ref(role: str, key: str, text: str = "") -> str:
    """Return a turn's ref: from the client's key alone for a tool call, whose answer is told in several forms; for
    what somebody said from the key of the exchange and the words, as one exchange can hold several messages."""
    return f"{role}:{digest(key)[:16]}" if not text else f"{role}:{digest(f'{key}{chr(0)}{text}')[:16]}"


def session_ref(client: str, session: str) -> str:
    """Return a session's ref: the client and its own id for the session."""
    return f"{client}:{session}"[:200]
