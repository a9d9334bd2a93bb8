"""Token formats by vendor group: the table of rules whose tokens can be recognised by themselves.

A rule is a plain tuple `(name, literals, pattern)`. `literals` are exact substrings, one of which occurs in
every match: a rule is compiled only when one of its literals is in the text. In `pattern` (RE2 syntax,
matched on bytes) group 1 is the secret. Tokens that need the name of their owner next to them live in
`keys`.

Only facts about formats (prefix, length, alphabet) belong here; nothing in this package matches or decides.
"""

from holdfast.capture.text.redact.rules.infrastructure import CLOUD, DATA, FORGES, PACKAGES, VAULTS
from holdfast.capture.text.redact.rules.services import AI, CHAT, OBSERVABILITY, PAYMENTS, SAAS

__all__ = ["RULES"]

RULES = CLOUD + FORGES + PACKAGES + AI + CHAT + PAYMENTS + OBSERVABILITY + SAAS + VAULTS + DATA
