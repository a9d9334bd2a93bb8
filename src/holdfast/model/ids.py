"""What things are called: ids (UUIDv7 strings) and the short form people see, refs, and the hash behind names.

The hash comes without OpenSSL, which takes a hook 4 ms to load. A ref names a turn that may arrive in more than
one way, by two hooks, or by a hook and a transcript: it is made of what the client itself calls the message or the
tool call, which both share, and hashed, because ids are other people's texts. Light: shared with hooks.
"""

import os

from holdfast.model.limits import SHORT_ID_DIGITS

try:
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found, unused-ignore]  # Python 3.12 and newer
except ImportError:
    try:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found, unused-ignore]  # Python 3.11
    except ImportError:  # another Python than CPython
        from hashlib import sha256 as _sha256

_HEX = frozenset("0123456789abcdef")


def new_id(now_ms: int) -> str:
    """Make a UUIDv7 for a moment in epoch milliseconds."""
    return id_from(now_ms, os.urandom(10))


def id_from(now_ms: int, random: bytes) -> str:
    """Make a UUIDv7 whose random part is taken from these bytes: the same for the same."""
    bits = int.from_bytes(random[:10], "big")
    value = (now_ms & (1 << 48) - 1) << 80
    value |= 0x7 << 76 | (bits >> 62 & 0xFFF) << 64 | 0b10 << 62 | bits & (1 << 62) - 1
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def ordered_id(now_ns: int) -> str:
    """Make a UUIDv7 for a moment in epoch nanoseconds; those of moments a microsecond apart sort as these do."""
    milliseconds, rest = divmod(now_ns, 1_000_000)
    fraction = rest * (1 << 12) // 1_000_000
    bits = fraction << 62 | int.from_bytes(os.urandom(8), "big") >> 2
    return id_from(milliseconds, bits.to_bytes(10, "big"))


def time_of(full: str) -> int:
    """Return the moment an id was made at, in epoch milliseconds."""
    return int(full.replace("-", "")[:12], 16)


def is_full_id(text: str) -> bool:
    """Say whether a text has the form of a whole id."""
    return len(text) == 36 and text.count("-") == 4 and set(text) - {"-"} <= _HEX


def tail_of(text: str) -> str | None:
    """Return the hex digits of a short id as a caller typed it ('#', case and dashes aside), or None."""
    digits = _typed_digits(text)
    return digits if len(digits) >= SHORT_ID_DIGITS and set(digits) <= _HEX else None


def slips(text: str) -> set[str]:
    """Return the tails that somebody who typed this may have meant: one digit wrong, missing, too many, or two
    swapped. What has no eight digits after that is no tail."""
    digits = _typed_digits(text)
    if not SHORT_ID_DIGITS - 1 <= len(digits) <= 32:
        return set()
    cuts = [(digits[:place], digits[place:]) for place in range(len(digits) + 1)]
    candidates = {head + digit + tail for head, tail in cuts for digit in _HEX}
    candidates |= {head + digit + tail[1:] for head, tail in cuts if tail for digit in _HEX}
    candidates |= {head + tail[1:] for head, tail in cuts if tail}
    candidates |= {head + tail[1] + tail[0] + tail[2:] for head, tail in cuts if len(tail) > 1}
    return {tail for tail in candidates if tail != digits and tail_of(tail)}


def _typed_digits(text: str) -> str:
    """Return what a caller typed without what people put around and between the digits of an id."""
    return text.strip().lstrip("#").replace("-", "").lower()


def short_id(full: str, other_ids: list[str]) -> str:
    """Return the shortest tail of an id, from 8 digits on, that none of the others ends with.

    The tail is the random part of a UUIDv7; the head is the clock, where neighbours collide.
    """
    digits = full.replace("-", "")
    rivals = [other_id.replace("-", "") for other_id in other_ids if other_id != full]
    for length in range(SHORT_ID_DIGITS, len(digits)):
        tail = digits[-length:]
        if not any(rival.endswith(tail) for rival in rivals):
            return tail
    return digits


def turn_ref(role: str, key: str, text: str = "") -> str:
    """Return a turn's ref: from the client's key alone for a tool call, whose answer is told in several forms; for
    what somebody said from the key of the exchange and the words, as one exchange can hold several messages."""
    return f"{role}:{digest(key)[:16]}" if not text else f"{role}:{digest(f'{key}{chr(0)}{text}')[:16]}"


def session_ref(client: str, session: str) -> str:
    """Return a session's ref: the client and its own id for the session."""
    return f"{client}:{session}"[:200]


def digest(text: str) -> str:
    """Return the SHA-256 of a text as hex digits; a path may hold bytes that are no UTF-8."""
    return digest_bytes(text.encode("utf-8", "surrogateescape"))


def digest_bytes(raw: bytes) -> str:
    """Return the SHA-256 of bytes as hex digits."""
    hex_digest: str = _sha256(raw).hexdigest()
    return hex_digest


def fingerprint(content: str) -> str:
    """Return the SHA-256 of what a text says: lower-cased, with white space collapsed."""
    return digest_bytes(" ".join(content.lower().split()).encode())
