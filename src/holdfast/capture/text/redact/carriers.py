"""Secrets recognised by what carries them: HTTP headers, URLs, cookies, SQL statements and command lines.

The form alone says that a secret is meant, so weaker values are accepted than behind a mere name (`context`).
"""

from holdfast.capture.text.redact.matching import Match, regex, scan
from holdfast.capture.text.redact.prefilter import COOKIES, SCHEMES, SETTERS, SQL
from holdfast.capture.text.redact.shape import is_gibberish, is_placeholder, is_random, is_uuid, kinds_of
from holdfast.capture.text.redact.values import rule_for

NAMES = ("authorization-header", "url-credential", "sql-password", "session-cookie")

_SCHEME = r"(?i)\b((?:bearer|basic|ssws|negotiate)[ \t]+[\"']?[A-Za-z0-9_.~+/%|-]{6,}={0,2})"
_HEADER = (
    r"(?i)\b(?:proxy-)?authorization\b[\"'\]]{0,2}[ \t]*[:=,][ \t]*[\"'`]?"
    r"(?:(?:token|apikey|api-key|api-token|key)[ \t]+)?([A-Za-z0-9_.~+/-]{12,}={0,2})"
)
# One slash is what is left of two where an address was taken for a path.
_URL = r"[A-Za-z][A-Za-z0-9+.-]{1,30}:/{1,3}[^\s/:@\"'`<>()\[\]{}]*:([^\s/\"'`<>]+@)"
_URL_USER = r"https?:/{1,2}([A-Za-z0-9_-]{20,}(?::x-oauth-basic|:)?@)"
_SQL = r"(?i)\bidentified[ \t]+(?:with[ \t]+\S+[ \t]+)?by[ \t]+(?:password[ \t]+)?[\"']([^\"'\n]+)"
_COOKIE = r"(?i)\b[a-z0-9_.-]*(?:session|sess|sid|auth|csrf|xsrf)[a-z0-9_.-]*=([A-Za-z0-9%+/._~-]{20,}={0,2})"

_HEADER_REACH = 400
# What a server says of a cookie behind its value
_ATTRIBUTES = r"(?i)[\"']?;[ \t]*(?:(?:path|domain|expires|max-age|samesite)=|(?:httponly|secure|partitioned)\b)"
# What documentation writes for a password in a URL, and ports.
_PORTS_AND_WORDS = ("pass", "password", "pw", "port", "pwd")


def find(data: bytes, lower_data: bytes) -> list[Match]:
    """Return the spans of secrets inside headers, URLs, cookies and SQL."""
    spans: list[Match] = []
    if any(literal in lower_data for literal in SCHEMES):
        spans += _authorization(data)
    if b":/" in data and b"@" in data:
        spans += _urls(data)
    if SQL in lower_data:
        spans += [(*span, "sql-password") for span in scan(_SQL, data) if not is_placeholder(_text(data, span))]
    if b"=" in data and any(literal in lower_data for literal in COOKIES):
        spans += _cookies(data)
    return spans


def _authorization(data: bytes) -> list[Match]:
    spans: list[Match] = []
    for start, end in scan(_SCHEME, data):
        scheme, value = _text(data, (start, end)).split(None, 1)
        value = value.lstrip("\"'")
        if _is_credential(scheme.lower(), value):
            spans.append((end - len(value), end, "authorization-header"))
    for span in scan(_HEADER, data):
        value = _text(data, span)
        if is_random(value) and not is_placeholder(value):
            spans.append((*span, "authorization-header"))
    return spans


def _is_credential(scheme: str, value: str) -> bool:
    if is_placeholder(value) or value.startswith(("realm", "qop")):
        return False
    if scheme == "basic":
        return is_basic(value)
    digits, small, capitals = kinds_of(value)
    if scheme == "bearer":
        return len(value) >= 10 and (is_random(value) or (digits and (small or capitals) and len(value) >= 16))
    return len(value) >= 16 and digits and is_random(value)


def is_basic(value: str) -> bool:
    """Say whether the value is the base64 of `user:password` in printable characters."""
    from binascii import Error, a2b_base64

    try:
        plain = a2b_base64(value + "=" * (-len(value) % 4))
    except Error:
        return False
    return b":" in plain[:-1] + b" " and all(31 < byte < 127 for byte in plain)


def _urls(data: bytes) -> list[Match]:
    spans: list[Match] = []
    for span in scan(_URL, data):
        value = _text(data, span).rpartition("@")[0]
        if not is_placeholder(value) and value.lower() not in _PORTS_AND_WORDS and len(value) > 2:
            spans.append((span[0], span[0] + len(value), "url-credential"))
    for span in scan(_URL_USER, data):
        value = _text(data, span).rstrip("@:").partition(":")[0]
        if is_random(value):
            spans.append((span[0], span[0] + len(value), "url-credential"))
    return spans


def _cookies(data: bytes) -> list[Match]:
    spans: list[Match] = []
    for span in scan(_COOKIE, data):
        value = _text(data, span)
        has_attributes = regex(_ATTRIBUTES).match(data, span[1]) is not None
        if (
            is_uuid(value)
            and not has_attributes
            and b"ookie" not in data[max(span[0] - _HEADER_REACH, 0) : span[0]]
        ):
            continue  # the id of a session that nobody can enter with it
        if (
            is_random(value)
            and (has_attributes or len(value) >= 32 or is_gibberish(value))
            and not is_placeholder(value)
        ):
            spans.append((*span, "session-cookie"))
    return spans


def _text(data: bytes, span: tuple[int, int]) -> str:
    return data[span[0] : span[1]].decode("latin-1")


COMMAND = "command-line-password"

_VALUE = r"[\"']?([^\s\"'$<|;&-][^\s\"'|;&]{3,})"
_REST = r"[^\n|;&]*?[ \t]"
_COMMANDS = (
    # curl --user name:password
    (
        (b"curl",),
        r"\bcurl\b(?:[^\n]|\\\r?\n)*?[ \t](?:-u|--user|--proxy-user)[ \t=]*[\"']?[^\s:\"'$<{]*:([^\s\"']+)",
    ),
    # openssl -passin pass:password
    ((b"-pass",), r"-pass(?:in|out)?[ \t]+[\"']?pass:([^\s\"']+)"),
    # sshpass -p password, docker login -p password, mysql -ppassword
    (
        (b"sshpass", b"psexec", b"login", b"mysql", b"mongo"),
        r"(?i)\b(?:sshpass|psexec(?:\.exe)?|(?:docker|podman|helm|oc|az|cf)[ \t]+(?:registry[ \t]+)?login"
        r"|mysql(?:dump|admin)?|mongo(?:sh|dump|restore|export|import)?)\b" + _REST + "-p[ \t]*" + _VALUE,
    ),
    # redis-cli -a password
    ((b"redis-cli",), r"\bredis-cli\b" + _REST + "-a[ \t]+" + _VALUE),
    # ldapsearch -w password; sqlcmd -P password, zip -P password
    ((b"ldap",), r"\bldap(?:search|modify|add|delete|whoami|passwd|compare)\b" + _REST + "-w[ \t]+" + _VALUE),
    ((b"sqlcmd", b"bcp", b"zip"), r"\b(?:sqlcmd|bcp|(?:un)?zip)\b" + _REST + "-P[ \t]*" + _VALUE),
    # htpasswd -b file user password, htpasswd -nb user password
    ((b"htpasswd",), r"\bhtpasswd[ \t]+-[a-zA-Z]*(?:n[a-zA-Z]*b|b[a-zA-Z]*n)[a-zA-Z]*[ \t]+\S+[ \t]+" + _VALUE),
    ((b"htpasswd",), r"\bhtpasswd(?:[ \t]+-[a-zA-Z0-9]+)+[ \t]+\S+[ \t]+[A-Za-z0-9_.@-]+[ \t]+" + _VALUE),
    # net user name password, smbclient -U name%password
    ((b"net user",), r"(?i)\bnet user[ \t]+(?:\"[^\"]+\"|\S+)[ \t]+([^\s/\"'*]\S{3,})"),
    ((b" -u ",), r"(?i)[ \t]-U[ \t]+[\"']?[A-Za-z0-9_.\\/-]+%([^\s\"'|;&]{4,})"),
    # echo name:password | chpasswd, echo password | … --password-stdin
    ((b"chpasswd",), r"\becho[ \t]+[\"']?[A-Za-z0-9_.-]+:([^\s\"'|]+)[\"']?[ \t]*\|[^\n]*\bchpasswd\b"),
    (
        (b"-stdin", b"sudo -"),
        r"\b(?:echo|printf)(?:[ \t]+-n)?[ \t]+[\"']?([^\s\"'|$]{6,})[\"']?[ \t]*\|[^\n]*"
        r"(?:--(?:password|token|with)[a-z-]*-stdin|\bsudo -[a-zA-Z]*S)",
    ),
    # ConvertTo-SecureString password
    (
        (b"securestring",),
        r"(?i)\bConvertTo-SecureString(?:[ \t]+-(?:String|AsPlainText|Force))*[ \t]+[\"']?([^\s\"'$(-][^\s\"']*)",
    ),
    # redis.conf
    ((b"requirepass", b"masterauth"), r"(?m)\b(?:requirepass|masterauth)[ \t]+[\"']?([^\s\"']{4,})[\"']?[ \t]*$"),
    # b64encode(b"user:password"), btoa("user:password")
    ((b"b64encode(", b"btoa("), r"(?:b64encode|btoa)\([ \t]*b?[\"'][A-Za-z0-9_.@-]+:([^\"'\s{}:]+)[\"']"),
)  # fmt: skip
# ENV NAME value, setx NAME value, set NAME value
_SETTING = r"(?:^|[\s\"'`;&|])(?:ENV|ARG|setx|setenv|\\?set|config[ \t]+set)[ \t]+"
_NAME_AND_VALUE = r"([A-Za-z0-9_.-]+)[ \t]+[\"']?([^\s\"'`]{4,})"


def find_in_commands(data: bytes, lower_data: bytes) -> list[Match]:
    """Return the spans of secrets on command lines."""
    spans: list[Match] = []
    for literals, pattern in _COMMANDS:
        if any(literal in lower_data for literal in literals):
            spans += [(*span, COMMAND) for span in scan(pattern, data) if _is_literal(data, span)]
    if any(word in lower_data for word in SETTERS):
        for match in regex(_SETTING + _NAME_AND_VALUE).finditer(data):
            name, value = match.group(1).decode("latin-1"), match.group(2).decode("latin-1")
            if rule := rule_for(name, "=", value, quoted=False):
                spans.append((*match.span(2), rule))
    return spans


def _is_literal(data: bytes, span: tuple[int, int]) -> bool:
    value = data[span[0] : span[1]].decode("latin-1")
    return not is_placeholder(value) and not value.startswith(("[", "{", "`", "@"))
