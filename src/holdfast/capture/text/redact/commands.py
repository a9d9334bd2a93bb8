"""Secrets given to a command: behind a short flag, as an argument, piped into it, or set as a variable.

Each entry is the tool's own way to take a password, as its manual gives it. Flags that say what they hold
(`--password`) are the business of `context`.
"""

from holdfast.capture.text.redact.matching import Match, regex, scan
from holdfast.capture.text.redact.prefilter import SETTERS
from holdfast.capture.text.redact.shape import is_placeholder
from holdfast.capture.text.redact.values import rule_for

NAME = "command-line-password"

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


def find(data: bytes, lower_data: bytes) -> list[Match]:
    """Return the spans of secrets on command lines."""
    spans: list[Match] = []
    for literals, pattern in _COMMANDS:
        if any(literal in lower_data for literal in literals):
            spans += [(*span, NAME) for span in scan(pattern, data) if _is_literal(data, span)]
    if any(word in lower_data for word in SETTERS):
        for match in regex(_SETTING + _NAME_AND_VALUE).finditer(data):
            name, value = match.group(1).decode("latin-1"), match.group(2).decode("latin-1")
            if rule := rule_for(name, "=", value, quoted=False):
                spans.append((*match.span(2), rule))
    return spans


def _is_literal(data: bytes, span: tuple[int, int]) -> bool:
    value = data[span[0] : span[1]].decode("latin-1")
    return not is_placeholder(value) and not value.startswith(("[", "{", "`", "@"))
