"""Values that stand where a secret would: `xxx`, `<your-key>`, `${VAR}`, `changeme`, `os.environ[...]`.

Decides only what is *not* a secret. Which values are looked at, and how sure a context is, is decided by the
callers. The vocabulary below is plain words that documentation uses; it must never hold a real value.
"""

from holdfast.capture.text.redact.shape import entropy, is_random, words_of

# One of these words anywhere makes the value a stand-in, whatever surrounds it.
_MARKERS = frozenset(
    """
    example examples placeholder changeme changeit yourself dummy fake redacted masked insert replace
    fixme todo lorem ipsum your yourapikey
    """.split()
)
# A value spelled only with these words (and short counting digits) is a stand-in.
_VOCABULARY = frozenset(
    """
    abc access account add admin an api app application arg argument at auth authentication
    authorization bar base basic baz bearer bool cert change client code config confirm consumer cred
    credential credentials custom data db default demo dev digest dummy empty encrypted env environment
    example fake false field file foo for from generated get given goes google has hash header hello
    here hidden id in input insert into is it jwt key keys label local login me mock must my name new
    nil no none nonce not null number oauth of ok old optional or param pass passphrase passwd password
    passwords path prod production prompt provided public private put pw pwd qux random real redacted
    refresh replace required reset response root salt sample secret secrets server service session set
    shared should sign signature some something staging static str string super test tested tester
    testing tests text that the this to token tokens true type undefined unknown unset url use user
    username val valid value values var variable wrong invalid with world xxx xyz yes your any boolean
    buffer function symbol utf byte bytes char dict float int integer list map object optional promise
    """.split()
)
_LONGEST_WORD = max(map(len, _VOCABULARY))
_COUNTING = "01234567890123456789"
_COUNTING_DOWN = "98765432109876543210"
_OPENERS = (
    "<",
    "${",
    "$(",
    "{{",
    "{%",
    "%(",
    "%{",
    "#{",
    "@{",
    "[REDACTED",
    "...",
    "***",
    "&lt;",
    "%3C",
    "(your",
    "{your",
)
_LOOKUPS = (
    "os.", "environ", "getenv", "process.env", "env.", "env[", "env(", "ENV[", "secrets.", "vars.", "var.",
    "config.", "self.", "this.", "data.", "local.", "module.", "params.", "settings.", "args.", "opts.",
    "options.", "props.", "request.", "System.", "arn:aws:", "file://", "http://", "https://", "ref+",
    "vault:", "kms:", "op://", "secret://",
)  # fmt: skip


def is_placeholder(value: str, key: str = "") -> bool:
    """Say whether the value only stands for a secret; `key` is the name that it was assigned to."""
    if value.startswith(_OPENERS) or "[REDACTED:" in value:
        return True
    if is_variable(value) or value.startswith(_LOOKUPS):
        return True
    return is_dull(value) or is_spelled_out(value, key)


def is_variable(value: str) -> bool:
    """Recognise `$NAME`, `%NAME%`, `{name}`, a template expression inside, and a string that a name interrupts."""
    if (core := value.strip("\"'` "))[:2] == "+ " and core[-2:] == " +":
        return True
    if value[:1] == "$" and value[1:].replace("_", "").isalnum() and not value[1:2].isdigit():
        return True
    if len(value) > 2 and value[0] + value[-1] in ("%%", "{}", "<>", "[]", "()", "__"):
        return not is_random(value[1:-1])
    return "${" in value and value.count("{") == value.count("}") == 1 and value.endswith("}")


def is_dull(value: str) -> bool:
    """Recognise masks, counting and alphabets: `xxxx`, `****`, `00000000-0000`, `123456`, `abcdefghij`."""
    core = value.strip("\"'`.,;").replace("-", "").replace("_", "").replace(" ", "")
    if len(core) < 2 or not any(c.isalnum() for c in core):
        return True
    if core.lower().count("x") * 2 > len(core) or core.count("*") * 2 > len(core) or "......" in value:
        return True
    if core.isdigit() and (core in _COUNTING or core in _COUNTING_DOWN):
        return True
    if "abcdefghij" in core.lower() or "0123456789" in core:
        return True
    return len(core) >= 3 and (len(set(core)) == 1 or (len(core) >= 16 and entropy(core) < 1.6))


def is_specimen(token: str) -> bool:
    """Recognise the stand-in for a token with a mark of its own: `ghp_xxxx...`, `AKIA...EXAMPLE`."""
    if "EXAMPLE" in token or "example" in token or "...." in token:
        return True
    core = token.replace("-", "").replace("_", "")
    return core.lower().count("x") * 2 > len(core) or core.count("*") * 3 > len(core) or entropy(token[4:]) < 2.0


def is_spelled_out(value: str, key: str = "") -> bool:
    """Say whether the value is made of the words that people write in place of a secret."""
    words = words_of(value)
    if not words:
        return value.isdigit() and len(value) < 6
    if not _MARKERS.isdisjoint(words):
        return True
    digits = "".join([c for c in value if c.isdigit()])
    if len(digits) > 1 and digits not in _COUNTING:
        return False
    own_words = frozenset(words_of(key))
    return all(word in own_words or _is_vocabulary(word) for word in words)


def _is_vocabulary(word: str) -> bool:
    """Try to cut a run of letters into words of the vocabulary: `apikeyvaluehere`."""
    if len(word) > 40:
        return False
    reachable = [0]
    for end in range(1, len(word) + 1):
        for start in reachable:
            if end - start <= _LONGEST_WORD and word[start:end] in _VOCABULARY:
                reachable.append(end)
                break
    return reachable[-1] == len(word)
