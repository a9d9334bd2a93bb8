"""What a string looks like: random, written by a person, or a stand-in for a secret (`xxx`, `<your-key>`,
`${VAR}`, `changeme`, `os.environ[...]`).

Pure functions over short strings, used only behind a keyword, an assignment or a known prefix. Entropy alone
cannot tell a hex key (at most 4.0 bits a character) from a file path, so letters are also judged by the pairs they
form: "kz", "qf" and "xj" hardly occur in English or in identifiers, random letters are full of them.

Of stand-ins it is decided only what is *not* a secret; which values are looked at, and how sure a context is, is
decided by the callers. The vocabulary is plain words that documentation uses; it must never hold a real value. No
rule, keyword or token format belongs here.
"""

# For each letter, the letters that follow it at least three times in 10,000 pairs, counted over the distinct
# words of the standard library's source and documentation.
_USUAL_PAIRS = {
    "a": "bcdfgiklmnprstuvwxy", "b": "acdeijloprsuy", "c": "acdehiklmoprstuvy", "d": "abcdefilnoprstu",
    "e": "abcdefghiklmnopqrstuvwxy", "f": "adefilorstuy", "g": "aeghilmnorstu", "h": "aeilorstu",
    "i": "abcdefglmnoprstvxz", "j": "eou", "k": "aegilsw", "l": "acdefilnopstuvy", "m": "abdeilmopstu",
    "n": "acdefgiklmnopstuvy", "o": "abcdefgiklmnoprstuvwx", "p": "acdefhiloprstuy", "q": "u",
    "r": "abcdefgiklmnoprstuvy", "s": "acdefghiklmnoprstuwy", "t": "abcdefhilmnoprstuvwyz",
    "u": "abcdefgilmnoprst", "v": "aeio", "w": "aehinors", "x": "acefipt", "y": "eimnpst", "z": "aeio",
}  # fmt: skip
_ODD = frozenset(a + b for a in _USUAL_PAIRS for b in _USUAL_PAIRS if b not in _USUAL_PAIRS[a])
_SMALL = frozenset("abcdefghijklmnopqrstuvwxyz")
_CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_LETTERS = _SMALL | _CAPITALS
_DIGITS = frozenset("0123456789")
_TO_SPACES = {code: " " for code in range(256) if chr(code) not in _LETTERS}
# Every character as its kind: 9 for a digit, a for a letter, - for the rest.
_KINDS = (
    dict.fromkeys(_TO_SPACES, "-") | dict.fromkeys(map(ord, _DIGITS), "9") | dict.fromkeys(map(ord, _LETTERS), "a")
)
_HEX = frozenset("0123456789abcdefABCDEF")
_UUID_DASHES = (8, 13, 18, 23)


def entropy(text: str) -> float:
    """Return the Shannon entropy of the text's characters, in bits per character."""
    from math import log2

    size = len(text)
    return -sum(n / size * log2(n / size) for n in map(text.count, set(text))) if size else 0.0


def words_of(text: str) -> list[str]:
    """Split an identifier into lower-case words; a capital after a small letter starts a new one."""
    words = text.translate(_TO_SPACES).split()
    if text.islower() or text.isupper():
        return [word.lower() for word in words]
    return [part.lower() for word in words for part in _humps(word)]


def _humps(word: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for place in range(1, len(word)):
        if word[place] in _CAPITALS and word[place - 1] in _SMALL:
            parts.append(word[start:place])
            start = place
    return [*parts, word[start:]]


def odd_pairs(word: str) -> tuple[int, int]:
    """Count the letter pairs of a lower-case word that people hardly ever write, and all its pairs."""
    pairs = list(map(str.__add__, word, word[1:]))
    return len([pair for pair in pairs if pair in _ODD]), len(pairs)


def is_gibberish(text: str) -> bool:
    """Say whether the letters of the text look drawn at random rather than written."""
    odd = pairs = 0
    for word in words_of(text):
        word_odd, word_pairs = odd_pairs(word)
        odd, pairs = odd + word_odd, pairs + word_pairs
    return odd >= 2 and odd * 4 >= pairs


def is_word(text: str) -> bool:
    """Say whether there are letters only; bytes beyond ASCII, decoded one by one, are parts of letters."""
    return all(c in _LETTERS or c > "\x7f" for c in text)


def is_hex(text: str) -> bool:
    """Say whether only hexadecimal digits occur."""
    return _HEX.issuperset(text)


def is_uuid(text: str) -> bool:
    """Say whether the text has the 8-4-4-4-12 form of a UUID."""
    return len(text) == 36 and all(text[i] == "-" for i in _UUID_DASHES) and is_hex(text.replace("-", ""))


def kinds_of(text: str) -> tuple[bool, bool, bool]:
    """Report whether digits, small letters and capitals occur."""
    return not _DIGITS.isdisjoint(text), not _SMALL.isdisjoint(text), not _CAPITALS.isdisjoint(text)


def is_random(text: str) -> bool:
    """Say whether the text looks generated: hex, a UUID, digits mixed into letters, or gibberish."""
    digits, small, capitals = kinds_of(text)
    if is_uuid(text):
        return entropy(text) > 2.5
    if is_hex(text) and len(text) >= (12 if digits and (small or capitals) else 16):
        return entropy(text) > 2.5
    if digits and (small or capitals):
        return _digits_are_mixed_in(text) and entropy(text) > 2.7
    if small and capitals and len(text) >= 20 and entropy(text) > 3.8:
        return is_gibberish(text)
    return len(text) >= 8 and is_gibberish(text)


def _digits_are_mixed_in(text: str) -> bool:
    """Tell `x7fq2z` from `version2`, `utf8_test` and `2024-01-02T10`."""
    kinds = text.translate(_KINDS)
    turns = kinds.replace("9a", "9 a").replace("a9", "a 9").count(" ")
    return turns >= 3 or is_gibberish(text) or (turns == 2 and entropy(text) > 3.2)


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
