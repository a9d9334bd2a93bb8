"""The mark of something that was forgotten: its fingerprint under a store's own key, which reveals nothing."""


def mark_of(key: bytes, fingerprint: str) -> bytes:
    """Return the mark of a fingerprint; without the key nobody can check a guess at the text."""
    import hmac  # OpenSSL comes with it, and most processes forget nothing

    return hmac.digest(key, fingerprint.encode(), "sha256")
