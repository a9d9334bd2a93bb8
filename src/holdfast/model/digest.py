"""A hash for names and keys, without OpenSSL: loading that costs a hook 4 ms. Light: shared with hooks."""

try:
    from _sha2 import sha256 as _sha256  # type: ignore[import-not-found, unused-ignore]  # Python 3.12 and newer
except ImportError:
    try:
        from _sha256 import sha256 as _sha256  # type: ignore[import-not-found, unused-ignore]  # Python 3.11
    except ImportError:  # another Python than CPython
        from hashlib import sha256 as _sha256


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
