"""Which finders can match at all, told by literal substrings alone.

Substring search costs a fraction of importing re2 and compiling a pattern, so a short-lived process that
meets no literal pays for neither. Every answer here may be a false yes, never a false no. Nothing here
matches or decides.
"""

from holdfast.capture.text.redact.rules import RULES, START, Rule

Index = dict[bytes, list[tuple[bytes, int]]]

# The word for a password in languages other than English, in small letters. Cyrillic and Greek words go without
# their first letter, which may be a capital. What English is a part of (Passwort) the fragments below find.
PASSWORD_WORDS = (
    "kennwort", "mot de passe", "contrase\u00f1a", "contrasena", "senha", "parola",  # de fr es pt it
    "wachtwoord", "l\u00f6senord", "losenord", "adgangskode", "salasana", "jelsz",  # nl sv da fi hu
    "has\u0142o", "haslo", "heslo", "lozinka", "zaporka", "\u015fifre", "\u015eifre",  # pl cs hr tr
    "\u0430\u0440\u043e\u043b\u044c", "\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2",  # ru uk, el
    "\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4",  # zh
    "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638",  # ja ko
    "m\u1eadt kh\u1ea9u", "kata sandi",  # vi id
    "\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631", "\u05e1\u05d9\u05e1\u05de",  # ar he
)  # fmt: skip
# The fragments that bring a name to attention at all.
FRAGMENTS = (
    "pass", "pw", "secret", "token", "key", "auth", "cred", "nonce", "salt", "signature", "session",
    *PASSWORD_WORDS,
)  # fmt: skip

# Literals inside tokens are searched only in words long enough to hold the token; very short literals occur
# everywhere, so for them the word must be longer still.
_LONG_WORD = 20
_SHORT_LITERAL = 2
_VERY_LONG_WORD = 32
_HEAD = 4
# Literals that white space may part from the token; inside a long word; too short to tell much.
_ANYWHERE, _INSIDE, _EVERYWHERE = b"anywhere", b"inside", b"everywhere"
_OPENING = START + "("
_TO_SPACES = bytes(byte if bytes((byte,)).isalnum() else 32 for byte in range(256))

_NAMES = tuple(word.encode() for word in FRAGMENTS)
_NAME_CHARACTERS = b"abcdefghijklmnopqrstuvwxyz0123456789_.-"
_LETTERS = b"abcdefghijklmnopqrstuvwxyz_*"
_OPERATORS = frozenset(b"=:>(\"'`]|~?!+)\\[<-.\xef")  # the last begins the wide colon of East Asian text
_FLAGS = tuple(
    opening + b"-" for opening in (b" ", b"\n", b"\t", b"\r", b"\f", b"\v", b'"', b"'", b"`", b"(", b"[", b",")
)
# What stands between a name and its value in prose, in a few languages.
VERBS = ("is", "was", "to", "ist", "lautet", "est", "es", "jest", "\u00e4r")
_VERBS = (*(verb.encode() + b" " for verb in VERBS), b"value", b",")
_GUTTER = b"L0123456789 \t|:>)\xe2\x86\x92"
_MOST_OCCURRENCES = 40
_PGPASS_COLONS = 4
_CELL_ENDS = (b",", b"|", b";", b"\t")
# What the finders look for; they share these literals to decide which of their patterns to try.
PRIVATE_KEYS = (b"PRIVATE KEY", b"Private-Lines:", b"b3BlbnNzaC1rZXktdjEA", b"LS0tLS1CRUdJTi")
SCHEMES = (b"bearer ", b"basic ", b"uthorization", b"ssws ", b"negotiate ")
SQL = b"identified "
COOKIES = (b"sid=", b"session", b"sess=", b"auth", b"csrf", b"xsrf")
COMMANDS = (
    b"curl", b"-pass", b"sshpass", b"login", b"mysql", b"mongo", b"redis-cli", b"psexec", b"ldap", b"sqlcmd",
    b"bcp", b"zip", b"htpasswd", b"net user", b" -u ", b"chpasswd", b"-stdin", b"sudo -", b"securestring",
    b"b64encode(", b"btoa(", b"requirepass", b"masterauth",
)  # fmt: skip
SETTERS = (b"env ", b"arg ", b"setx ", b"setenv ", b"set ")
# One of these is in every text that is inside a string and has a line end or a quote of its own.
ESCAPES = (b"\\n", b'\\"', b"&quot;", b"\\u0022")
# Words that may follow a value in prose: "... as the password".
NAMED_AFTER = (b"password", b"passphrase", b"passcode", b"token", b"secret")
# Words in the heading of a column that holds secrets.
COLUMNS = (b"pass", b"pwd", b"secret", b"token", b"key")


def formats_in(data: bytes) -> list[Rule]:
    """Return the rules one of whose literals occurs.

    Most literals start a token, so their first letters start a run of letters and digits: one set of those
    heads answers for all of them at once. The other literals are searched one by one.
    """
    indexes: set[int] = set()
    heads = _heads(data)
    for head in _BY_HEAD.keys() & heads:
        indexes.update([index for literal, index in _BY_HEAD[head] if literal in data])
    indexes.update([index for literal, index in _SINGLY[_ANYWHERE] if literal in data])
    words = [word for word in data.split() if len(word) >= _LONG_WORD]
    if words:
        long_words = b" ".join(words)
        indexes.update([index for literal, index in _SINGLY[_INSIDE] if literal in long_words])
        if len(max(words, key=len)) >= _VERY_LONG_WORD:
            indexes.update([index for literal, index in _SINGLY[_EVERYWHERE] if literal in long_words])
    return [RULES[index] for index in sorted(indexes)]


def _heads(data: bytes) -> set[bytes]:
    """Return how runs of letters and digits start; behind a percent-encoded character they start later."""
    words = data.translate(_TO_SPACES).split()
    heads = {word[:_HEAD] for word in words}
    if b"%" in data:
        heads.update([word[2 : _HEAD + 2] for word in words])
    return heads


def _index_literals() -> tuple[Index, Index]:
    """Sort the literals of all rules by how they are searched: by their head, or one by one."""
    by_head: Index = {}
    singly: Index = {_ANYWHERE: [], _INSIDE: [], _EVERYWHERE: []}
    for index, rule in enumerate(RULES):
        for literal in rule[1]:
            entry = (literal.encode("ascii"), index)
            if len(literal) <= _SHORT_LITERAL:
                singly[_EVERYWHERE].append(entry)
            elif _leads(rule, literal):
                by_head.setdefault(_head(literal)[:_HEAD].encode("ascii"), []).append(entry)
            else:
                singly[_ANYWHERE if "\\s" in rule[2] else _INSIDE].append(entry)
    return by_head, singly


def _leads(rule: Rule, literal: str) -> bool:
    """Say whether the literal's first letters are the first of a run of letters and digits in every match."""
    head = _head(literal)
    if not head or len(literal) == len(head) < _HEAD or not rule[2].startswith(_OPENING):
        return False
    return rule[2].startswith((head[:_HEAD], "(?:"), len(_OPENING))


def _head(literal: str) -> str:
    for place, character in enumerate(literal):
        if not character.isalnum():
            return literal[:place]
    return literal


_BY_HEAD, _SINGLY = _index_literals()


def may_hold_private_key(data: bytes) -> bool:
    """Say whether the header of a private key, or the start of an encoded one, occurs."""
    return any(literal in data for literal in PRIVATE_KEYS)


def may_carry(data: bytes, lower_data: bytes) -> bool:
    """Say whether a header, a URL with credentials, a cookie or an SQL statement may carry a secret."""
    if b":/" in data and b"@" in data:
        return True
    if SQL in lower_data or any(literal in lower_data for literal in SCHEMES):
        return True
    return b"=" in data and any(literal in lower_data for literal in COOKIES)


def may_command(lower_data: bytes) -> bool:
    """Say whether a command that takes a secret may be called."""
    return any(literal in lower_data for literal in COMMANDS) or any(literal in lower_data for literal in SETTERS)


def may_be_document(data: bytes, lower_data: bytes) -> bool:
    """Say whether this may be a file, or a part of one, in which a place says what is secret."""
    if b"password" in data and b"login" in data:
        return True
    if b"Secret" in data and b"kind" in data:
        return True
    if data.count(b":") >= _PGPASS_COLONS and any(word.count(b":") >= _PGPASS_COLONS for word in data.split()):
        return True
    return (
        b"\n" in data and any(mark in data for mark in _CELL_ENDS) and any(word in lower_data for word in COLUMNS)
    )


def names_a_value(lower_data: bytes) -> bool:
    """Say whether a name that may hold a secret is followed by something that may give it a value."""
    has_flags = lower_data.startswith(b"-") or any(opening in lower_data for opening in _FLAGS)
    for name in _NAMES:
        position = lower_data.find(name)
        if position >= 0 and has_flags:
            return True
        occurrences = 0
        while position >= 0:
            occurrences += 1
            position += len(name)
            if occurrences > _MOST_OCCURRENCES or _gives_a_value(lower_data[position : position + 96]):
                return True
            position = lower_data.find(name, position)
    return False


def names_a_value_before(lower_data: bytes) -> bool:
    """Say whether a value may stand before the word that says what it is: `use this as the password`."""
    has_verb = b" as " in lower_data or b" is " in lower_data
    return has_verb and any(name in lower_data for name in NAMED_AFTER)


def _gives_a_value(after: bytes) -> bool:
    rest = after.lstrip(_NAME_CHARACTERS)
    if not rest:
        return len(after) == 96
    if rest[0] in _OPERATORS:
        return True
    word = rest.lstrip()
    if (word[:1] and word[0] in _OPERATORS) or word.startswith(_VERBS):
        return True
    if word.lstrip(_GUTTER).startswith(b"value"):
        return True
    return word.lstrip(_LETTERS).lstrip()[:1] in (b"=", b":")


def may_be_escaped(data: bytes) -> bool:
    """Say whether there may be a text inside a string."""
    return any(mark in data for mark in ESCAPES)


def may_hold_base64(data: bytes) -> bool:
    """Say whether there is a word as long as the base64 of a secret."""
    return any(len(word) >= _LONG_WORD for word in data.split())


def may_hold_email(data: bytes) -> bool:
    """Say whether an at sign occurs."""
    return b"@" in data


def may_hold_number(data: bytes) -> bool:
    """Say whether there are nine digits: the fewest that a card, a social security number or an IBAN has."""
    return len(data) - len(data.translate(None, b"0123456789")) >= 9
