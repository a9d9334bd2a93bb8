"""The few building blocks that rule patterns are written with; no rule of any vendor belongs here."""

# A token starts at the start of the text or after something that is not part of a longer run of characters. A
# percent-encoded character (`%3D`) ends in a letter or a digit and is no part of it.
START = r"(?:^|[^A-Za-z0-9]|%[0-9A-Fa-f]{2})"
ALNUM = "[A-Za-z0-9]"
URLSAFE = "[A-Za-z0-9_-]"
BASE64 = "[A-Za-z0-9+/]"
HEX = "[a-f0-9]"
UUID = "[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{4}-[a-fA-F0-9]{12}"

Rule = tuple[str, tuple[str, ...], str]


def prefix_rule(name: str, prefix: str, body: str) -> Rule:
    """Build the rule of a token that is a literal prefix followed by a body."""
    return name, (prefix,), START + "(" + _quote_literal(prefix) + body + ")"


def any_prefix(name: str, prefixes: tuple[str, ...], body: str) -> Rule:
    """Build the rule of a token with one of several literal prefixes."""
    return name, prefixes, START + "((?:" + "|".join(map(_quote_literal, prefixes)) + ")" + body + ")"


def shape_rule(name: str, literals: tuple[str, ...], pattern: str) -> Rule:
    """Build the rule of a token whose literal part is not at its start."""
    return name, literals, START + "(" + pattern + ")"


def _quote_literal(literal: str) -> str:
    return "".join(c if c.isalnum() or c in "_-~/:" else "\\" + c for c in literal)
