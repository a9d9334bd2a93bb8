"""The audit log's chain: each event's hash covers the one before it. Shared by every backend."""

import json
from collections.abc import Mapping, Sequence

from holdfast.model.digest import digest_bytes

ROOT = "0" * 64
"""What the first event's hash covers."""


def link(previous: str, action: str, actor: str, at: int, ids: Sequence[str], detail: Mapping[str, object]) -> str:
    """Return the hash of an event that follows the one with hash `previous`."""
    body = json.dumps(
        [action, actor, at, list(ids), detail], sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return digest_bytes(f"{previous}\n{body}".encode())
