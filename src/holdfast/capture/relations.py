"""How two memories stand to each other: one repeats, replaces or contradicts the other, or none of these.

Lives here: the announcements of a change, numbers, near-duplicates, and how they are weighed together with the
verdict of the judge on the pair. Must not live here: opposed words (`opposed`), and what is done about it
(`reconcile`, `combine`). The judge decides what no rule decides; opposed words, an announcement or another number
lower what its verdict must reach, and what differs in a number, a negation or a name is never the same.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from holdfast.capture.opposed import clauses, opposition, share
from holdfast.errors import ModelUnusable
from holdfast.judge import light_judge
from holdfast.model.kinds import HISTORY, IMPORTED
from holdfast.model.memory import AMBIGUOUS, SUPERSEDED, Memory
from holdfast.model.patterns import regex
from holdfast.text.names import FILE
from holdfast.text.sentences import sentences
from holdfast.text.words import forms, numbers, quantities, topic

if TYPE_CHECKING:
    from holdfast.judge import Judge, Relation

OpenJudge = Callable[[], "Judge | None"]

SAME = "same"
JUDGED = "judged"
NUMBER = "number"
"""Nothing but a number differs: a conflict, unless there are many of them."""

SURE = 0.9
"""What the judge's `replaces` must reach by itself."""

EVIDENT = 0.85
"""What it must reach where words are opposed, a change is announced or a number differs."""

SURELY_SAME = 0.8
"""What the judge's `same` must reach."""

ANCHOR_WORDS = 2
"""Telling words that a pair shares before the judge is believed. A pair that shares one must give another number
or oppose a word, and the judge be SURE: fewer rules that can both be followed conflict, no amendment is missed."""

ANCHORED = 0.65
SAME_SHARE = 0.3
"""In talk the judge takes 2.3 % of the pairs of one project that share a telling word for a replacement at .6,
and .4 % where they share two such words and it reaches .65, or reaches SURE. What is said again shares this much
of the words of both."""

LOGS = frozenset({"file_change", "task_progress"})
"""Kinds that record what was done: they meet their own kind, never a rule."""

LASTING = frozenset(
    {"decision", "architecture", "preference", "pattern", "warning", "fact", "observation", "discovery"}
)
"""Kinds of what holds, not of what happened: another number contradicts only these."""

ANNOUNCEMENTS = (
    ("amendment", regex(r"\bamend(?:s|ed|ing|ments?)?\b|\bsupersed(?:e|es|ed|ing)\b|\bcorrection:"), 0.3, 0.15),
    ("change of mind", regex(r"\bchanged (?:our|my) minds?\b|\bsecond thoughts?\b|\bafter all\b"), 0.5, 0.25),
    ("back to", regex(r"\b(?:back|revert(?:ed|ing)?) to\b"), 0.4, 0.2),
    ("no longer", regex(r"\bno longer\b|\bany ?more\b"), 0.6, 0.4),
    ("instead of", regex(r"\binstead\b|\bin favou?r of\b|\brather than\b"), 0.5, 0.3),
    ("switched", regex(r"\b(?:switch|migrat|mov|chang|replac)(?:es?|ed|ing)? .*(?:to|from|off|by) "), 0.5, 0.3),
    ("from now on", regex(r"\bfrom now on\b|\bfrom today\b|\bgoing forward\b|\bas of (?:now|today)\b"), 0.5, 0.3),
    ("we now", regex(r"\bnow\b"), 0.5, 0.45),
)  # fmt: skip
"""Words that announce a change, and the topic that must be shared before they are believed without the judge: of
the smaller one of both, and of both together."""

COVERED = 0.25
COVERED_OF_MANY = 0.5
"""Share of an older topic that the newer text must touch to stand in for it: up to two sentences, more."""

FEW = 2
"""Sentences of a rule; more is a section."""

SAME_FRAME = 0.8
"""Topic that two statements share of which one gives another number."""

ALIKE = 0.85
"""Topic that two near-duplicates share."""

LONGEST = 600
"""Characters; longer texts have too many places to differ in to be one memory."""

MOVABLE = 4
"""Words from which on a phrase may stand in front or behind: "deploy the fix" is not "the fix is deployed"."""

_FILLERS = frozenset(
    forms(
        "a an the this that these our we i you it its please always all just really actually basically simply "
        "note remember reminder fyi here there for the record by way so know is are be get do does did must ll "
        "zero one two three four five six seven eight nine ten eleven twelve"
    )
)
"""Words that may be there or not; numbers are compared by themselves."""

_LIMITS = frozenset(forms("max maximum min minimum limit cap most least total"))
_LABEL = regex(
    r"\b(?:number|note|item|entry|step|phase|part|issue|ticket|bug|task|pr|pull|commit|sprint|week|day|chapter|section"
    r"|page|line|row|case|fact|rule|point|option|module|test|worker|process|thread|server|host|shard|replica|room|team"
    r"|user|index|chunk|batch|build|run|job)s? #?\d+",
)
"""A number that is a name: "worker 3" is another worker than "worker 4"."""

_OPERATOR = regex(r"[<>=≠≤≥+*%$€£^~|&@\\#]|(?<!\w)-(?=\d)")
_IDENTIFIER = regex(r"\w*(?:[a-z]\d|[a-z][A-Z]|_|/|\.(?=\w))[\w./-]*")


class Stand(NamedTuple):
    """How a newer memory stands to an older one: `same`, `number`, or a kind of conflict."""

    relation: str
    cue: str = ""
    """The words that announce a revision, or `judged` where only the judge says so."""
    whole: bool = False
    """Whether the newer one may stand in for the older one."""


def ask(pairs: Sequence[tuple[str, str]], open_judge: OpenJudge = light_judge) -> "list[Relation | None]":
    """Put pairs of older and newer texts to the judge, all at once; without a usable judge return None each."""
    if not pairs:
        return []
    try:
        reader = open_judge()
        return list(reader.relates(pairs)) if reader else [None] * len(pairs)
    except (ModelUnusable, ImportError):
        return [None] * len(pairs)


def is_judged(older: Memory, newer: Memory) -> bool:
    """Say whether the judge is asked about two memories: documents and commits stand side by side."""
    return not (older.trust == newer.trust == IMPORTED)


def stand(older: Memory, newer: Memory, relation: "Relation | None") -> Stand | None:
    """Return how the newer of two memories stands to the older one; None where they only share a topic."""
    if _are_documents(older, newer):
        return Stand(SAME) if _are_alike(older.content, newer.content, None) else None
    cue = announcement(older.content, newer.content)
    if cue:
        return Stand(SUPERSEDED, cue, whole=_covers(older.content, newer.content))
    contrast = opposition(older.content, newer.content) if _meet(older, newer) else None
    announcement_name = _announcement_name(newer.content)
    if contrast and contrast.kind:
        return (
            Stand(SUPERSEDED, announcement_name, whole=is_rule(older))
            if announcement_name
            else Stand(contrast.kind)
        )
    revalues = _revalues(older.content, newer.content)
    is_lasting = older.kind in LASTING and newer.kind in LASTING
    if revalues and is_lasting and share(_frame(older.content), _frame(newer.content)) >= SAME_FRAME:
        return Stand(NUMBER)
    if (
        relation
        and LOGS.isdisjoint((older.kind, newer.kind))
        and not (_asks(newer.content) or _are_apart(older.content, newer.content))
    ):
        differs = contrast is not None or revalues
        is_anchored = len(topic(older.content) & topic(newer.content)) >= ANCHOR_WORDS
        least = EVIDENT if differs or announcement_name else SURE
        if _replacing(relation, differs) >= least if is_anchored else differs and relation.replaces >= SURE:
            return Stand(SUPERSEDED, JUDGED, whole=is_rule(older))
    return Stand(SAME) if _are_alike(older.content, newer.content, relation) else None


def _replacing(relation: "Relation", differs: bool) -> float:
    """Return how surely a pair is a replacement; two texts that differ are never the same."""
    return relation.replaces / max(1 - relation.same, relation.replaces, 0.01) if differs else relation.replaces


def _announcement_name(text: str) -> str:
    """Name the words by which a text announces a change, empty where there are none."""
    return next((name for name, form, _, _ in ANNOUNCEMENTS if form.search(text.lower())), "")


def says_again(older: str, newer: str, relation: "Relation") -> bool:
    """Return whether a statement of talk repeats an earlier one: one of them says no word that the other lacks.

    The judge takes "errors go to stdout" for the same as "errors go to stderr", and "don't" for "do".
    """
    words, other_words = topic(older), topic(newer)
    return (
        relation.same >= SURELY_SAME
        and len(words & other_words) >= ANCHOR_WORDS
        and share(words, other_words) >= SAME_SHARE
        and (words <= other_words or other_words <= words)
        and not differ(older, newer)
    )


def takes_the_place(older: str, newer: str, relation: "Relation", *, noted: bool = False) -> bool:
    """Return whether a statement of talk replaces an earlier one.

    One that is only `noted` must give another number, deny the earlier one or announce the change. A question
    replaces nothing, nor does what is said of another thing of a series ("team 2" after "team 1").
    """
    if _asks(newer) or _are_apart(older, newer):
        return False
    shared_words = len(topic(older) & topic(newer))
    contrast = opposition(older, newer)
    differs = _revalues(older, newer) or contrast is not None
    if contrast and contrast.kind and shared_words:
        return True
    if shared_words < ANCHOR_WORDS:
        return differs and not noted and shared_words > 0 and relation.replaces >= SURE
    if differs or _announcement_name(newer):
        return _replacing(relation, differs) >= (EVIDENT if noted else ANCHORED)
    return not noted and relation.replaces >= ANCHORED


def narrows(older: str, newer: str) -> bool:
    """Return whether a statement opposes an earlier one under another condition only: both may hold."""
    contrast = opposition(older, newer)
    return contrast is not None and contrast.kind == AMBIGUOUS


def announcement(older: str, newer: str) -> str | None:
    """Return the words by which a newer text announces that it revises an older one."""
    topics = [topic(older), *(topic(text) for text in _sentences(older))]
    for text in (newer, *_sentences(newer)):
        about = topic(text)
        for name, form, of_smaller, of_union in ANNOUNCEMENTS:
            if _asks(text) or not form.search(text.lower()):
                continue
            if any(_shares(about, part, of_smaller, of_union) for part in topics) and not form.search(
                older.lower()
            ):
                return name
    return None


def _shares(first: frozenset[str], second: frozenset[str], of_smaller: float, of_union: float) -> bool:
    shared_count = len(first & second)
    return (
        shared_count >= 2
        and shared_count >= of_smaller * min(len(first), len(second))
        and shared_count >= of_union * len(first | second)
    )


def _covers(older: str, newer: str) -> bool:
    """Say whether a revision touches enough of an older text to stand in for it."""
    least = COVERED if len(_sentences(older)) <= FEW else COVERED_OF_MANY
    return len(topic(older) & topic(newer)) >= least * len(topic(older))


def _are_documents(older: Memory, newer: Memory) -> bool:
    """Say whether both were taken in from one file, or from files or history and one is more than a rule.

    Sections of one project's documents and its commits stand side by side: what they say of one topic in passing
    is no revision of each other, whatever words of change they hold. Short commits on one file are compared.
    """
    is_of_one_file = HISTORY not in newer.sources and not set(older.files).isdisjoint(newer.files)
    return not is_judged(older, newer) and (is_of_one_file or not (is_rule(older) and is_rule(newer)))


def _meet(older: Memory, newer: Memory) -> bool:
    """Say whether opposed words of two memories mean a conflict: of one kind, or about one file.

    A kind that was guessed is not taken at its word: "always" makes a text a pattern and "never" makes it a
    warning, and these two must be able to meet.
    """
    is_guess = older.kind_confidence is not None or newer.kind_confidence is not None
    if older.kind == newer.kind or (is_guess and LOGS.isdisjoint((older.kind, newer.kind))):
        return True
    return any(
        f"/{older_file}".endswith(f"/{newer_file}") or f"/{newer_file}".endswith(f"/{older_file}")
        for older_file in _files(older)
        for newer_file in _files(newer)
    )


def is_rule(memory: Memory) -> bool:
    """Say whether a memory is short enough to be replaced as a whole."""
    return len(_sentences(memory.content)) <= FEW


def _frame(text: str) -> frozenset[str]:
    """Return the topic of a text without the words that only introduce a number."""
    return topic(text) - _LIMITS


def _files(memory: Memory) -> set[str]:
    return {match[0].removeprefix("./") for match in FILE.finditer(memory.content[:8_192])} | set(memory.files)


def _revalues(older: str, newer: str) -> bool:
    """Say whether a newer text gives another number to something that both name."""
    if not topic(older) & topic(newer) or _LABEL.search(older.lower()) or _LABEL.search(newer.lower()):
        return False
    before, after = quantities(older), quantities(newer)
    if any(before[unit].isdisjoint(after[unit]) for unit in before.keys() & after.keys()):
        return True
    return bool(before and after) and numbers(older).isdisjoint(numbers(newer))


def _asks(text: str) -> bool:
    return text.rstrip().endswith("?")


def _are_apart(older: str, newer: str) -> bool:
    """Return True where each names a thing by a number that the other does not name."""
    labels, other_labels = ({match[0] for match in _LABEL.finditer(text.lower())} for text in (older, newer))
    return bool(labels - other_labels and other_labels - labels)


def differ(first: str, second: str) -> bool:
    """Say whether two texts differ in a number, a sign, a negation, a name or a question mark: then they are not
    the same, however alike they look."""
    return (
        numbers(first) != numbers(second)
        or _OPERATOR.findall(first) != _OPERATOR.findall(second)
        or _denied(first) != _denied(second)
        or _names(first) != _names(second)
        or first.rstrip().endswith("?") != second.rstrip().endswith("?")
    )


def say_the_same(first: str, second: str, relation: "Relation | None" = None) -> bool:
    """Say whether one text can stand for both: the same words in one order, a phrase moved to the front apart;
    or the same words in any order and a judge who is sure."""
    words, other_words = _content(first), _content(second)
    if max(len(first), len(second)) > LONGEST or sorted(words) != sorted(other_words) or differ(first, second):
        return False
    cuts = range(len(words) if len(words) >= MOVABLE else 1)
    if words and any(words[at:] + words[:at] == other_words for at in cuts):
        return True
    return relation is not None and relation.same >= SURELY_SAME


def _are_alike(first: str, second: str, relation: "Relation | None") -> bool:
    """Say whether two texts say nearly the same, to be reported and not merged."""
    shorter, longer = sorted((len(first), len(second)))
    if longer > 2 * shorter or differ(first, second):
        return False
    return share(topic(first), topic(second)) >= ALIKE or (relation is not None and relation.same >= SURELY_SAME)


@lru_cache(maxsize=2_048)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(sentence.text for sentence in sentences(text)) or (text,)


def _content(text: str) -> list[str]:
    """Return the words that count, in order."""
    written_out = text.replace("’", "'").replace("n't", " not").replace("cannot", "can not")
    return [form for form in forms(written_out) if form not in _FILLERS and not form[0].isdigit()]


def _denied(text: str) -> set[str]:
    return {form for clause in clauses(text) for form in clause.denied}


def _names(text: str) -> set[str]:
    """Return the paths and identifiers of a text."""
    return {match[0].rstrip(".").lower() for match in _IDENTIFIER.finditer(text)}
