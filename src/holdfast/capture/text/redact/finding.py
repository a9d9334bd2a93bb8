"""Run every finder that can match, the most specific first, and return what they find.

The finders' modules are imported when the prefilter lets them run: most texts need few of them, and a
short-lived process should not load the rest. Overlaps are settled in `engine`.
"""

from __future__ import annotations

from holdfast.capture.text.redact import prefilter
from holdfast.capture.text.redact.matching import Match, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.capture.text.redact.rules.notation import Rule


def candidates(data: bytes) -> list[Match]:
    """Return the match of every finder; an earlier match is a more specific one."""
    matches = _secrets(data)
    if prefilter.may_be_escaped(data):
        from holdfast.capture.text.redact import escapes

        matches += escapes.find(data, _secrets)
    if prefilter.may_hold_base64(data):
        from holdfast.capture.text.redact import wrapped

        matches += wrapped.find(data, _secrets)
    if prefilter.may_hold_email(data) or prefilter.may_hold_number(data):
        from holdfast.capture.text.redact import pii

        matches += _outside(pii.find(data), matches)
    return matches


def _secrets(data: bytes) -> list[Match]:
    matches: list[Match] = []
    if prefilter.may_hold_private_key(data):
        from holdfast.capture.text.redact import private_keys

        matches += private_keys.find(data)
    if rules := prefilter.formats_in(data):
        matches += _by_format(data, rules)
    lower_data = data.lower()
    if prefilter.may_carry(data, lower_data):
        from holdfast.capture.text.redact import carriers

        matches += carriers.find(data, lower_data)
    if prefilter.may_command(lower_data):
        from holdfast.capture.text.redact import commands

        matches += commands.find(data, lower_data)
    if prefilter.may_be_document(data, lower_data):
        from holdfast.capture.text.redact import documents

        matches += documents.find(data, lower_data)
    if prefilter.names_a_value(lower_data) or prefilter.names_a_value_before(lower_data):
        from holdfast.capture.text.redact import context

        matches += context.find(data)
    return matches


def _by_format(data: bytes, rules: list[Rule]) -> list[Match]:
    from holdfast.capture.text.redact.placeholders import is_specimen

    matches: list[Match] = []
    for name, _, pattern in rules:
        for start, end in scan(pattern, data):
            if not is_specimen(data[start:end].decode("latin-1")):
                matches.append((start, end, name))
    if b"\n" in data or b'"' in data or b"'" in data:
        from holdfast.capture.text.redact import split

        matches += split.find(data, rules, matches)
    return matches


def _outside(personal: list[Match], secret_matches: list[Match]) -> list[Match]:
    """Drop personal data that touches a secret: `password@host.example` in a URL is no address."""
    if not secret_matches or not personal:
        return personal
    outside: list[Match] = []
    secrets = sorted(secret_matches, reverse=True)
    reach = -1
    for item in sorted(personal):
        while secrets and secrets[-1][0] < item[1]:
            reach = max(reach, secrets.pop()[1])
        if reach <= item[0]:
            outside.append(item)
    return outside
