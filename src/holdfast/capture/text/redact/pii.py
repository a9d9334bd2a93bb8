"""Personal data with a form that can be checked: e-mail address, payment card, US social security number,
IBAN.

Names, street addresses and telephone numbers are not looked for: without a model they cannot be told from
other text, and nothing is promised about them.
"""

from holdfast.capture.text.redact.matching import Match, scan
from holdfast.capture.text.redact.prefilter import may_hold_email, may_hold_number

NAMES = ("email", "payment-card", "us-ssn", "iban")

_EMAIL = (
    r"([A-Za-z0-9][A-Za-z0-9._%+-]*@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+(?:xn--[a-z0-9-]+|[A-Za-z]{2,}))\b"
)
_DIGITS_AHEAD = r"(?:^|[^0-9A-Za-z.+/_-])"
_CARD = (
    _DIGITS_AHEAD + r"([2-6][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{1,4}(?:[ -]?[0-9]{1,3})?"
    r"|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}|3[0689][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{4})\b"
)
_SSN = _DIGITS_AHEAD + r"([0-9]{3}[-. ][0-9]{2}[-. ][0-9]{4})\b"
_NAMED_SSN = r"(?i)\b(?:ssn|social security)[^0-9\n]{1,24}([0-9]{9})\b"
_IBAN = r"(?:^|[^0-9A-Za-z+/=_-])([A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?)\b"
# After one of these, a number goes on as something else.
_GOES_ON = (b"_", b"/", b"+", b"-", b"=")

# Endings that are files or units rather than domains, and hosts in the names of SSH algorithms.
_NOT_DOMAINS = frozenset(
    b"""
    py js ts go rs rb java cpp c h hpp cs php json yaml yml toml ini cfg conf md txt rst html css xml
    png jpg jpeg svg gif service timer socket target local lock sh bash so dll exe class jar test
    example invalid localhost
    """.split()
)
_ALGORITHM_HOSTS = (b"openssh.com", b"libssh.org", b"lysator.liu.se")
_NOBODY = (b"git", b"noreply", b"no-reply", b"donotreply")
# Visa, American Express, Diners, Discover, UnionPay, Maestro; then those whose prefixes form a range.
_NETWORKS = ("4", "34", "37", "36", "38", "39", "65", "6011", "62", "50", "56", "57", "58", "63", "67")
_NETWORK_RANGES = (("5100", "5599"), ("2221", "2720"), ("3000", "3059"), ("6440", "6499"), ("3528", "3589"))
# Numbers printed on sample cards, and counting.
_SPECIMENS = (b"123456789", b"078051120", b"219099999", b"987654321")
_CARD_LENGTHS = {"34": (15,), "37": (15,), "30": (14,), "36": (14,), "38": (14,), "39": (14,)}
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29,
    "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29,
    "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28,
    "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20,
    "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22,
    "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25,
    "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SV": 28,
    "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip


def find(data: bytes) -> list[Match]:
    """Return the spans of personal data; each kind is searched only when its necessary characters occur."""
    spans: list[Match] = []
    if may_hold_email(data):
        spans += [(start, end, "email") for start, end in scan(_EMAIL, data) if _is_address(data, start, end)]
    if may_hold_number(data):
        spans += [(start, end, "payment-card") for start, end in scan(_CARD, data) if _is_card(data, start, end)]
        spans += [(start, end, "us-ssn") for start, end in scan(_SSN, data) if _is_ssn(data, start, end)]
        spans += [(start, end, "us-ssn") for start, end in scan(_NAMED_SSN, data)]
        spans += _ibans(data)
    return spans


def passes_luhn(digits: str) -> bool:
    """Check the last digit of a payment card number."""
    total = 0
    for place, char in enumerate(reversed(digits)):
        value = int(char) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def passes_mod_97(iban: str) -> bool:
    """Check the two check digits of an IBAN."""
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


def _is_address(data: bytes, start: int, end: int) -> bool:
    """Leave `scheme://user:pw@host`, `git@host`, package versions and SSH algorithm names alone."""
    user, _, host = data[start:end].lower().partition(b"@")
    if host.rpartition(b".")[2] in _NOT_DOMAINS or host.endswith(_ALGORITHM_HOSTS) or user in _NOBODY:
        return False
    return data[start - 1 : start] not in (b":", b"/", b"@") and data[end : end + 1] not in (
        b"@",
        b"/",
        b"_",
        b"-",
    )


def _is_card(data: bytes, start: int, end: int) -> bool:
    digits = _compact(data, start, end)
    lengths = _CARD_LENGTHS.get(digits[:2], (13, 16, 19) if digits[0] == "4" else (16,))
    if len(digits) not in lengths or data[end : end + 1] in _GOES_ON:
        return False
    return len(set(digits)) > 1 and _is_issued(digits) and passes_luhn(digits)


def _is_issued(digits: str) -> bool:
    """Keep to the ranges that card networks use; most other digit runs are identifiers."""
    if digits.startswith(_NETWORKS):
        return True
    return any(low <= digits[:4] <= high for low, high in _NETWORK_RANGES)


def _is_ssn(data: bytes, start: int, end: int) -> bool:
    number = data[start:end]
    area, group, serial = number[:3], number[4:6], number[7:]
    has_issued_parts = area not in (b"000", b"666") and area < b"900" and group != b"00" and serial != b"0000"
    same_dash = number[3] == number[6]
    return (
        has_issued_parts
        and same_dash
        and area + group + serial not in _SPECIMENS
        and data[end : end + 1] not in _GOES_ON
    )


def _ibans(data: bytes) -> list[Match]:
    spans: list[Match] = []
    for start, end in scan(_IBAN, data):
        compact = _compact(data, start, end)
        size = _IBAN_LENGTHS.get(compact[:2], 0)
        if size and len(compact) >= size and passes_mod_97(compact[:size]):
            spans.append((start, _after(data, start, size), "iban"))
    return spans


def _compact(data: bytes, start: int, end: int) -> str:
    return data[start:end].translate(None, b" -").decode("ascii")


def _after(data: bytes, start: int, size: int) -> int:
    """Return the position behind `size` letters and digits, spaces and dashes not counted."""
    position = start
    while size:
        size -= data[position : position + 1] not in (b" ", b"-")
        position += 1
    return position
