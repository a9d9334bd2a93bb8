"""How many requests a token may make: a bucket each, in a file that all workers of a server share."""

import hashlib
import mmap
import os
import struct
import time
from collections.abc import Callable
from pathlib import Path

from holdfast.errors import ServerBusy

_SLOTS = 65_536
_SLOT = struct.Struct("<16sdd")
_NOBODY = bytes(16)
_BURST_S = 2.0
"""How many seconds' worth a token may ask for at once."""


class Rates:
    """The buckets. A slot holds whose it is, how much is left, and when that was; one that is nobody's is full."""

    def __init__(self, path: Path, rate: float, timer: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._timer = timer
        self._file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        os.ftruncate(self._file, _SLOTS * _SLOT.size)
        self._slots = mmap.mmap(self._file, _SLOTS * _SLOT.size)

    def take(self, token_id: str) -> None:
        """Count one request; raise when the token has asked too often lately."""
        own = hashlib.blake2b(token_id.encode(), digest_size=16).digest()
        home = int.from_bytes(own[:4], "big")
        for step in range(_SLOTS):  # another token's slot is passed by
            if self._took((home + step) % _SLOTS * _SLOT.size, own):
                return
        raise ServerBusy(problem="More tokens ask than the server can count.", seconds=60)

    def _took(self, offset: int, own: bytes) -> bool:
        """Count one request in a slot; False where it is another's."""
        self._lock(offset, True)
        try:
            owner, allowance, at = _SLOT.unpack_from(self._slots, offset)
            if owner not in (own, _NOBODY):
                return False
            now, most = self._timer(), self._rate * _BURST_S
            allowance = most if owner == _NOBODY else min(most, allowance + (now - at) * self._rate)
            if allowance < 1.0:
                seconds = max(1, round((1.0 - allowance) / self._rate + 0.5))
                raise ServerBusy(
                    problem=f"This token may make {self._rate:g} requests a second.", seconds=seconds, status=429
                )
            _SLOT.pack_into(self._slots, offset, own, allowance - 1.0, now)
            return True
        finally:
            self._lock(offset, False)

    def close(self) -> None:
        """Let go of the file."""
        self._slots.close()
        os.close(self._file)

    def _lock(self, offset: int, on: bool) -> None:
        try:
            import fcntl
        except ImportError:  # one process serves there
            return
        fcntl.lockf(self._file, fcntl.LOCK_EX if on else fcntl.LOCK_UN, _SLOT.size, offset, os.SEEK_SET)
