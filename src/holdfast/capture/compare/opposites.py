"""The word tables of opposition: which verbs undo each other, what negates, what limits, what hedges.

Constants only; how a sentence is read with them is in `statement`. Verbs are listed as
stems, in the form that `topic.stem` gives them; function words are listed as they are written.
"""


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


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
