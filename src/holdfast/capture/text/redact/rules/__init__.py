"""Token formats by vendor group: the table of rules whose tokens can be recognised by themselves.

A rule is a plain tuple `(name, literals, pattern)`. `literals` are exact substrings, one of which occurs in
every match: a rule is compiled only when one of its literals is in the text. In `pattern` (RE2 syntax,
matched on bytes) group 1 is the secret. Tokens that need the name of their owner next to them live in
`owners`.

Only facts about formats (prefix, length, alphabet) belong here; nothing in this package matches or decides.
"""

from holdfast.capture.text.redact.rules.ai import RULES as AI
from holdfast.capture.text.redact.rules.chat import RULES as CHAT
from holdfast.capture.text.redact.rules.cloud import RULES as CLOUD
from holdfast.capture.text.redact.rules.data import RULES as DATA
from holdfast.capture.text.redact.rules.forges import RULES as FORGES
from holdfast.capture.text.redact.rules.observability import RULES as OBSERVABILITY
from holdfast.capture.text.redact.rules.packages import RULES as PACKAGES
from holdfast.capture.text.redact.rules.payments import RULES as PAYMENTS
from holdfast.capture.text.redact.rules.saas import RULES as SAAS
from holdfast.capture.text.redact.rules.vaults import RULES as VAULTS

__all__ = ["RULES"]

RULES = CLOUD + FORGES + PACKAGES + AI + CHAT + PAYMENTS + OBSERVABILITY + SAAS + VAULTS + DATA
