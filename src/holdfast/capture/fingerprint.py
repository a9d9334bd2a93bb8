"""When two texts say the same thing: equal but for case and white space. Light: shared with hooks."""

import hashlib


def fingerprint(content: str) -> str:
    """Return the SHA-256 of the content, lower-cased, with white space collapsed."""
    return hashlib.sha256(" ".join(content.lower().split()).encode()).hexdigest()
