"""The hashes that every backend keeps: the audit log's chain, and the marks of what was forgotten.

Each event's hash covers the one before it. A mark is a fingerprint under a store's own key, which reveals nothing.
"""

import json
from collections.abc import Mapping, Sequence

from holdfast.model.ids import digest_bytes

ROOT = "0" * 64
"""What the first event's hash covers."""


def link(previous: str, action: str, actor: str, at: int, ids: Sequence[str], detail: Mapping[str, object]) -> str:
    """Return the hash of an event that follows the one with hash `previous`."""
    body = json.dumps(
        [action, actor, at, list(ids), detail], sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return digest_bytes(f"{previous}\n{body}".encode())


def mark_of(key: bytes, fingerprint: str) -> bytes:
    """Return the mark of a fingerprint; without the key nobody can check a guess at the text."""
    import hmac  # OpenSSL comes with it, and most processes forget nothing

    return hmac.digest(key, fingerprint.encode(), "sha256")
