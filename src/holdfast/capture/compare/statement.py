"""What a text says, sentence by sentence: topic, condition, negation, numbers, and whether it is said in earnest.

Reading one text; comparing two is the business of `conflict`, `revision` and `same`. A text is read once and
compared often, and no further than a comparison asks: most end at the topic. At most the first 8,000 characters,
24 sentences and 200 words a sentence are read.

The word tables say which verbs undo each other, what negates, what limits, what hedges. Verbs are listed as stems,
in the form that `stem` gives them; function words are listed as they are written.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from msgspec import Struct

from holdfast.model.patterns import regex
from holdfast.text.names import FILE

EXAMINED_CHARS = 8000
"""Characters of a text that are read for its topic; a rule is stated early, and time stays bounded."""


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


STOP_WORDS = _word_set(
    """a about above across actually after again against all already also always am an and another any anyway
    are around as at back be because been before being below between both but by can cannot could did do
    does doing done down during each either else enough especially etc even ever every everything few
    first for from further get gets getting give gives go goes going good got great had has have having
    he her here hers him his how however i if in instead into is it its itself just keep last least less
    let like long longer look make makes making many may maybe me mean means might more most much must
    my need needs never new no nor not nothing now of off often ok okay old on once only onto or other
    our ours out over own perhaps please possible probably quite rather really right same see shall she
    should since so some something sometimes still stay such sure than that the their them then there
    these they thing things think this those though through thus to together too under until up upon us
    use used useful uses using usually very via want was way we well were what when where whether which
    while who whole whom why will with within without won would yes yet you your yours case cases eg ie
    currently simply exactly totally rule rules policy amendment know knows known sense specifically
    basically essentially primarily definitely pretty quick quickly look looks looking looked seem seems
    feel feels correction decision decided agreed everyone anything bit lot kind sort start starting
    forward onwards one two three four five six seven eight nine ten dozen
    avoid avoids avoiding avoided stop stops stopped stopping quit"""
)

_TOKEN = regex(r"\d+(?:[.:]\d+)*|[^\W\d]\w*(?:[./]\w+)*|[,;:]")
_COMMIT = regex(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b")
DIGIT = regex(r"\d")
_CONTRACTIONS = (("can't", "can not"), ("won't", "will not"), ("shan't", "shall not"), ("n't", " not"))
_POSSESSIVE = regex(r"'(?:s|re|ve|ll|d|m)\b")
_SHORTEST_STEM = 3


class Overlap(Struct, frozen=True):
    """What two sets of words have in common."""

    shared: frozenset[str]
    of_smaller: float  # share of the smaller set
    of_union: float


def tokens(text: str) -> list[str]:
    """Return the words, numbers and pauses (`, ; :`) of `text`, lower case, contractions written out.

    Commit hashes are left out: they are neither words nor numbers.
    """
    text = text[:EXAMINED_CHARS].replace("’", "'").lower()
    if "'" in text:
        for short, full in _CONTRACTIONS:
            text = text.replace(short, full)
        text = _POSSESSIVE.sub(" ", text)
    return _TOKEN.findall(_COMMIT.sub(" ", text) if DIGIT.search(text) else text)


def content(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of the words that carry a topic: no stop words, numbers or pauses."""
    return frozenset(
        stem(word) for word in words if len(word) > 1 and word not in STOP_WORDS and word[0].isalpha()
    )


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return the form that all inflections of an English word share; other words unchanged."""
    if len(word) <= _SHORTEST_STEM or not (word.isascii() and word.isalpha()):
        return word
    for ending, replacement in (
        ("ies", "y"),
        ("ied", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ):
        if word.endswith(ending) and _may_lose(word, ending):
            return _root(word[: -len(ending)] + replacement, doubled=ending in ("ing", "ed"))
    return _root(word, doubled=False)


def _may_lose(word: str, ending: str) -> bool:
    rest = word[: -len(ending)]
    if ending == "es":
        return rest.endswith(("s", "x", "z", "ch", "sh"))
    if ending == "s":
        return not rest.endswith(("s", "u", "i"))
    if ending in ("ing", "ed"):
        return len(rest) >= _SHORTEST_STEM and any(vowel in rest for vowel in "aeiouy") and not rest.endswith("e")
    return len(rest) >= 2


def _root(word: str, *, doubled: bool) -> str:
    if doubled and len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_STEM else word


def files_in(text: str) -> frozenset[str]:
    """Return the file names and paths that `text` mentions."""
    return frozenset(match.group().removeprefix("./") for match in FILE.finditer(text[:EXAMINED_CHARS]))


def overlap(left: frozenset[str], right: frozenset[str]) -> Overlap:
    """Measure what two sets of content words share."""
    shared_words = left & right
    if not shared_words:
        return Overlap(shared_words, 0.0, 0.0)
    return Overlap(
        shared_words, len(shared_words) / min(len(left), len(right)), len(shared_words) / len(left | right)
    )


USE = frozenset({"use", "used", "uses", "using", "utilise", "utilize", "adopt", "adopts", "employ", "employs"})
"""Every form of the commonest verb of a rule, as written; all count as `use`."""

AXES: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = tuple(
    (name, frozenset(positive.split()), frozenset(negative.split()))
    for name, positive, negative in (
        ("enable", "enabl activat reenabl", "disabl deactivat"),
        ("allow", "allow permit accept whitelist allowlist",
         "forbid forbad forbidden prohibit ban disallow deny reject refus block blacklist"),
        ("add", "add includ insert append creat introduc install",
         "remov delet drop exclud omit strip uninstall eliminat"),
        ("keep", "keep kept retain preserv", "discard delet drop remov purg"),
        ("require", "requir mandatory compulsory obligatory", "optional unnecessary"),
        ("show", "show display expos", "hid hide hidden conceal suppress"),
        ("lock", "lock freez", "unlock unfreez"),
        ("sync", "synchronou synchronously sync", "asynchronou asynchronously async"),
        ("automatic", "automatic automatically", "manual manually"),
        ("eager", "eager eagerly", "lazy lazily"),
        ("mutable", "mutabl", "immutabl"),
        ("before", "befor", "after"),
        ("merge", "merg squash", "unmerg"),
        ("commit", "commit track", "gitignor untrack"),
        ("support", "support", "unsupport"),
    )
)  # fmt: skip
"""Name, stems of one side, stems of the other."""

SIDES: dict[str, list[tuple[str, int]]] = {}
"""The axes of a verb and the side it is on, by stem; an axis is written with a sign, to tell it from a verb."""
for _name, _positive, _negative in AXES:
    for _verb in _positive:
        SIDES.setdefault(_verb, []).append((f"±{_name}", 1))
    for _verb in _negative - _positive:
        SIDES.setdefault(_verb, []).append((f"±{_name}", -1))

NEGATORS = frozenset(
    {
        "not",
        "never",
        "no",
        "avoid",
        "avoids",
        "avoiding",
        "stop",
        "stops",
        "stopped",
        "stopping",
        "quit",
        "neither",
        "nobody",
        "don",
    }
)
"""Words that turn the next verb round."""

BYSTANDERS = _word_set(
    """a an the any be been being to ever even longer more really just have has had always also only directly
    yet we you they it its their our your should must may can will do does is are ,"""
)
"""Words that stand between a negator and its verb."""

PROHIBITIONS = AXES[1][2] - {"block", "reject", "refus", "deny"}
PERMISSIONS = frozenset({"always", "must", "should", "may", "can", "use", "please", "prefer"})
"""Words of a rule that tells people to do something."""

CONDITIONS = _word_set(
    """in on for when whenever if unless during while within under outside inside except at from before after
    until only between against per where once"""
)
"""Words that open a condition or a scope."""

MEANS = frozenset({"through", "via", "by", "with"})
"""Words that open the means by which something is done."""

REASONS = frozenset({"because", "since", "so", "otherwise", "therefore", "it", "they", "this", "that", "which"})
"""Words that, after a pause (the first two anywhere), open an explanation, not another part of the rule."""

HEDGES = _word_set(
    """might maybe perhaps could would wonder wondering suppose suspect guess probably possibly consider
    considering hypothetically ideally wish hope thinking curious remember recall hey thanks thank
    imagine"""
)
"""Words of somebody who is thinking aloud, recollecting or chatting: what they say settles nothing."""

PHRASES = (
    ("turn on", "enable"), ("turned on", "enabled"), ("turning on", "enabling"),
    ("switch on", "enable"), ("switched on", "enabled"), ("opt in to", "enable"),
    ("turn off", "disable"), ("turned off", "disabled"), ("turning off", "disabling"),
    ("switch off", "disable"), ("switched off", "disabled"), ("opt out of", "disable"),
    ("get rid of", "remove"), ("leave out", "omit"), ("rather than", "instead of"),
    ("not only", "also"), ("thanks to", "because"),
)  # fmt: skip
"""Words that act as one verb."""

PHRASE_OPENERS = frozenset(phrase.split()[0] for phrase, _ in PHRASES)

LABEL_NOUNS = _word_set(
    """number note item entry step phase part issu ticket bug task pr pull commit sprint week day chapter section
    pag lin row cas test worker writer reader process thread nod server host shard replica room team user fact
    index chunk batch modul experiment run job build"""
)
"""Nouns, as stems, that a number behind them tells apart from others of their sort."""

VERSION_NOUNS = frozenset({"nod"})
"""Those of them, as stems, that are names of software as well."""

SENTENCES = 24
WORDS = 200
REACH = 6
"""How far behind a negator its verb may stand."""

_BREAK = regex(r"(?<=[.!?;])\s+|\n+")
NUMBER_WORDS = {
    "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
_PAUSES = frozenset(",;:")


class ParsedSentence:
    """One sentence: its words and topic are read at once, the rest when a comparison comes to need it."""

    def __init__(self, text: str) -> None:
        self.text = text
        words = join_phrases(tokens(text))[:WORDS]
        self.words = tuple(_join_labels(words) if _may_hold_digits(text) else words)
        self.topic = content(self.words)
        """All content words."""

    @property
    def core(self) -> frozenset[str]:
        """The content words outside any condition."""
        return self._parts[0]

    @property
    def condition(self) -> frozenset[str]:
        """Those inside: "in production", "when …", "for …"."""
        return self._parts[1]

    @property
    def manner(self) -> frozenset[str]:
        """Those that say by what means: "through the client", "with -x"."""
        return self._parts[2]

    @cached_property
    def stance(self) -> dict[str, int]:
        """Verb or axis: +1 said, -1 negated or its opposite said."""
        return _stance(self.words)

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The numbers, in digits."""
        return tuple(
            NUMBER_WORDS.get(word, word) for word in self.words if word[0].isdigit() or word in NUMBER_WORDS
        )

    @cached_property
    def earnest(self) -> bool:
        """Neither a question nor thinking aloud."""
        return not self.text.rstrip().endswith("?") and HEDGES.isdisjoint(self.words)

    @cached_property
    def _parts(self) -> list[frozenset[str]]:
        return [self.topic & set(map(stem, part)) for part in _split_parts(self.words)]


class ReadText:
    """A text as it is compared: each part of the reading is made when it is first asked for, and once."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def sentences(self) -> tuple[ParsedSentence, ...]:
        """Its first sentences."""
        return tuple(map(ParsedSentence, self._pieces))

    @cached_property
    def topic(self) -> frozenset[str]:
        """All content words of the sentences."""
        return frozenset().union(*(sentence.topic for sentence in self.sentences))

    @cached_property
    def files(self) -> frozenset[str]:
        """The files that it mentions."""
        return files_in(self.text)

    @property
    def length(self) -> int:
        """How many sentences are read."""
        return len(self._pieces)

    @cached_property
    def _pieces(self) -> list[str]:
        return [piece for piece in _BREAK.split(self.text[:EXAMINED_CHARS])[:SENTENCES] if piece.strip()]


class Statement:
    """A text with what is known about it, ready to be compared; files that it mentions count as its own."""

    def __init__(self, read_text: ReadText, kind: str, files: Iterable[str] = (), *, firm: bool = False) -> None:
        self.text = read_text.text
        self.kind = kind
        self.firm = firm
        """The kind was chosen by the caller, not guessed from the text."""
        self._read_text = read_text
        self._named_files = files

    @property
    def sentences(self) -> tuple[ParsedSentence, ...]:
        """What is said, sentence by sentence."""
        return self._read_text.sentences

    @property
    def topic(self) -> frozenset[str]:
        """All content words."""
        return self._read_text.topic

    @property
    def length(self) -> int:
        """How many sentences it has, which can be told without reading them."""
        return self._read_text.length

    @property
    def files(self) -> frozenset[str]:
        """The files that it is about."""
        return self._read_text.files.union(self._named_files)


def state(text: str, kind: str, files: Iterable[str] = (), *, firm: bool = False) -> Statement:
    """Read a text."""
    return Statement(ReadText(text), kind, files, firm=firm)


def _may_hold_digits(text: str) -> bool:
    """Say whether a word may begin with a digit; outside ASCII there are more than a pattern knows."""
    return not text.isascii() or DIGIT.search(text) is not None


def _join_labels(words: Sequence[str]) -> list[str]:
    """Join a number to the noun it names: "worker 3" is another worker than "worker 4", not another value."""
    return [
        f"{stem(before)}_{word}" if word[0].isdigit() and _is_label(stem(before), word) else word
        for before, word in zip(["", *words], words, strict=False)
    ]


def _is_label(noun: str, number: str) -> bool:
    """Whether a number names one of many; of what has versions too, only a small one does."""
    return noun in LABEL_NOUNS and not ("." in number or (noun in VERSION_NOUNS and len(number) > 1))


def join_phrases(words: list[str]) -> list[str]:
    """Write phrases that act as one verb as that verb."""
    if PHRASE_OPENERS.isdisjoint(words):
        return words
    sentence = f" {' '.join(words)} "
    for phrase, verb in PHRASES:
        sentence = sentence.replace(f" {phrase} ", f" {verb} ")
    return sentence.split()


def _split_parts(words: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    """Split into what is said, under which condition and by what means; leave out a closing explanation."""
    parts: tuple[list[str], list[str], list[str]] = ([], [], [])
    part = core = parts[0]
    leading = bool(words) and words[0] in CONDITIONS
    for position, word in enumerate(words):
        after_pause = position > 0 and words[position - 1] in _PAUSES
        if word in ("because", "since") or (after_pause and word in REASONS):
            break
        if word in _PAUSES:
            part, leading = (core if leading else part), False
        elif word in CONDITIONS and not (word == "from" and _takes_away(words[:position])):
            part = parts[1]
        elif word in MEANS:
            part = parts[2]
        part.append(word)
    return parts


def _takes_away(words: Sequence[str]) -> bool:
    """Whether what follows "from" is what something is removed from: no condition, as little as "add to"."""
    return any(axis == "±add" and side < 0 for word in words for axis, side in SIDES.get(stem(word), ()))


def _stance(words: Sequence[str]) -> dict[str, int]:
    negated_positions = set(_negated_positions(words))
    stance: dict[str, int] = {}
    for position, word in enumerate(words):
        sign = -1 if position in negated_positions else 1
        verb = "use" if word in USE else stem(word)
        stance[verb] = min(sign, stance.get(verb, 1))
        for axis, side in SIDES.get(verb, ()):
            stance.setdefault(axis, sign * side)
        if word.startswith("avoid"):
            stance["use"] = -1
    return stance


def _negated_positions(words: Sequence[str]) -> Iterator[int]:
    """Yield the position of the word that each negator turns round."""
    for position, word in enumerate(words):
        if word in NEGATORS or (
            word == "skip" and words[position + 1 : position + 2] and words[position + 1].endswith("ing")
        ):
            following = range(position + 1, min(position + REACH, len(words)))
            yield from [at for at in following if not _stands_between(words[at])][:1]


def _stands_between(word: str) -> bool:
    return word in BYSTANDERS or word.endswith("ly")
