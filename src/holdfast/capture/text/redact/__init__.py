"""Redaction: secrets and personal data leave a text before it is stored, searched, embedded or logged.

`redact` replaces them by typed placeholders such as `[REDACTED:aws-access-key]`; `cut` shortens a huge text
without cutting a secret in two. The hook process imports this package, so nothing here may import dataclasses,
typing, pathlib or anything else that is slow to load; google-re2 itself is imported only when a literal asks for
it.

`engine` runs the finders and rewrites the text. `rules` holds token formats by vendor, `keys` tokens known by
their owner's name, `private_keys`, `carriers`, `commands`, `documents`, `context` and `pii` the finders for
everything else; `hidden` lets them look inside strings and base64 and over breaks, `matching` past line numbers.
To add a token format, add one line to a file in `rules`.
"""

from holdfast.capture.text.redact.engine import cut, redact

__all__ = ["cut", "redact"]
