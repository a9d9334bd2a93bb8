"""How much a name promises: does `db_password`, `apiKey` or `oauth_nonce` hold a secret, and how surely?

Only names are judged here; the values they hold are judged in `context`.
"""

from holdfast.capture.text.redact.prefilter import PASSWORD_WORDS
from holdfast.capture.text.redact.shape import words_of

# How sure a name makes us that its value is secret.
STRONG, LIKELY, WEAK, NONE = 3, 2, 1, 0

# A name that ends so describes a secret instead of holding one.
_DESCRIBING = frozenset(
    """
    id ids name names path paths file filename files url uri type types length len size count policy
    policies field fields label labels prompt hint hints regex pattern expiry expires expiration expired
    ttl enabled disabled required error errors message msg arn dir directory env var variable header
    headers format prefix suffix fingerprint algorithm alg version index endpoint host hostname region
    mode method status scope scopes class provider providers store manager service server handler
    function func callback text title description desc limit limits usage budget at time date timestamp
    word words board boards press down up frame frames space failed failure changed changes missing
    incorrect invalid success mismatch strength rules rule help input visible placeholder column table
    schema ref refs reference source kind attr attribute attributes issuer audience authority flow grant
    strategy middleware plugin module package config configs options option settings params args mapping
    map list validator validation generator factory provider user username email login page form button
    icon doc docs documentation test tests flag interval timeout port
    """.split()
)
_PASSWORDS = frozenset(
    """
    pass passwd password passphrase passcode pwd pw pswd passw userpass passwords passwort passord passe
    """.split()
)
_PASSWORD_ENDINGS = ("password", "passwd", "passphrase", "pwd", "passwort")
# What may follow the word for a password in the name of one: which of several it is, or how it is written. Behind
# any other word (`password_scheme`) a value must look issued.
_STILL_PASSWORDS = frozenset(
    """
    value val raw plain plaintext cleartext clear hash hashed encrypted enc base64 b str string bytes old new
    current again repeat confirm confirmation default initial temp prod production staging stage dev local admin
    root db database master main primary backup a b c x y
    """.split()
)
# The name of a password that starts so is the text of a user interface.
_SHOWN = frozenset(
    """
    label lbl msg message text title hint placeholder prompt tooltip caption button btn menu error err help
    """.split()
)
_GLUED_KEYS = (
    "apikey",
    "apikeys",
    "accesskey",
    "authkey",
    "secretkey",
    "privatekey",
    "sshkey",
    "licensekey",
    "appkey",
)
_OPEN = frozenset(
    """
    public pub primary foreign sort partition cache object lookup dict map row column index
    """.split()
)
_SESSIONS = frozenset(
    """
    nonce salt signature session sid verifier auth oauth authorization authentication
    """.split()
)
_KEY_OWNERS = frozenset(
    """
    api access secret private auth consumer encryption encrypt signing sign license client master
    service account deploy ssh subscription app application admin management storage shared tsig hmac
    aes root user webhook
    """.split()
)


_judged: dict[str, tuple[int, str]] = {}
_MOST_JUDGED = 2_000


def strength(key: str) -> tuple[int, str]:
    """Return how surely the name holds a secret, and the rule name for such a secret."""
    verdict = _judged.get(key)
    if verdict is None:
        if len(_judged) >= _MOST_JUDGED:
            _judged.clear()
        verdict = _judged[key] = _strength(key, words_of(key))
    return verdict


def _strength(key: str, words: list[str]) -> tuple[int, str]:
    if any(word in key.lower() for word in PASSWORD_WORDS):
        return STRONG, "password"
    if not words or words[-1] in _DESCRIBING or _OPEN.intersection(words):
        return NONE, ""
    places = [place for place, word in enumerate(words) if word in _PASSWORDS or word.endswith(_PASSWORD_ENDINGS)]
    if places:
        if words[0] in _SHOWN:
            return NONE, ""
        return (STRONG if _STILL_PASSWORDS.issuperset(words[places[-1] + 1 :]) else LIKELY), "password"
    if any(word.startswith(("secret", "clientsecret", "apisecret")) or word.endswith("secret") for word in words):
        return (
            (NONE, "") if any(word.startswith(("secretar", "secretsm")) for word in words) else (STRONG, "secret")
        )
    return _by_role(words)


def _by_role(words: list[str]) -> tuple[int, str]:
    if any(word.endswith(("token", "tokens")) for word in words):
        return LIKELY, "token"
    if any(word.startswith("cred") for word in words):
        return LIKELY, "credential"
    if words[-1] in ("key", "keys"):
        return (LIKELY if _KEY_OWNERS.intersection(words) else WEAK), "api-key"
    if words[-1].endswith(_GLUED_KEYS):
        return LIKELY, "api-key"
    if "key" in words and _KEY_OWNERS.intersection(words):
        return LIKELY, "api-key"
    if _SESSIONS.intersection(words):
        return WEAK, "auth-value"
    return NONE, ""
