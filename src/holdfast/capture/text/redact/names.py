"""The names of all rules: what may stand in a placeholder."""

from holdfast.capture.text.redact import carriers, commands, context, documents, pii, private_keys
from holdfast.capture.text.redact.owners import OWNERS
from holdfast.capture.text.redact.rules import RULES

RULE_NAMES = frozenset(
    {rule[0] for rule in RULES}
    | {owner[0] for owner in OWNERS}
    | {private_keys.NAME, commands.NAME, *carriers.NAMES, *documents.NAMES, *context.NAMES, *pii.NAMES}
)
