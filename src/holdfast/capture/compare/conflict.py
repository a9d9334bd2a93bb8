"""Find out whether two memories contradict each other.

The judgement on two statements. Not here: reading a text and its word tables (`statement`), amendments
that announce themselves (`revision`), and what is done about it (`reconcile`).

Sharing a topic is no conflict. Two statements conflict when they stand on common ground and one pair of
their sentences

- says and denies the same (use / don't use, always / never, enable / disable, add / remove, should /
  shouldn't …), or puts two choices in opposite order ("tabs over spaces"): `contradictory`, and `ambiguous`
  where the condition or scope differs;
- is the same sentence with another number: `contradictory`;
- gives another value to what has only one ("the default branch is …", "use … for X"): `ambiguous`.

The rest of the two sentences has to agree, the means included ("through the client"): opposed verbs about
different things are two rules, not a conflict. Questions and thinking aloud never conflict.

Common ground is a shared file or kind. Two kinds that callers chose are taken at their word. A kind that
was guessed is not: "always" makes a text a pattern and "never" makes it a warning, and these two must be
able to meet.
"""

import re
from itertools import product

from msgspec import Struct

from holdfast.capture.compare.statement import (
    AXES,
    NUMBER_WORDS,
    PERMISSIONS,
    PROHIBITIONS,
    STOP_WORDS,
    ParsedSentence,
    Statement,
    content,
    overlap,
    stem,
)
from holdfast.model.memory import AMBIGUOUS, CONTRADICTORY
from holdfast.model.patterns import regex

LOGS = frozenset({"file_change", "task_progress"})
"""Kinds that only record what was done: they meet their own kind, never a rule."""

LASTING = frozenset(
    {"decision", "architecture", "preference", "pattern", "warning", "fact", "observation", "discovery"}
)
"""Kinds that tell what holds, not what happened: only they are contradicted by another number or value."""

COMMON_VERBS = frozenset({"use", "keep", "need", "go", "make", "want", "like", "start", "get", "give", "let"})
"""Verbs that carry no topic but can be opposed all the same."""

SAME_MATTER = 0.6
SAME_CONDITION = 0.5
SAME_FRAME = 0.8
SHORT = 30
"""Words of a sentence up to which it is searched for a value; a longer one is no plain rule."""

_VALUE_FRAMES = (
    regex(r"^(?:we |always |please )*(?:use|uses|using) (?P<value>\S+(?: \S+)?) (?:for|as) (?P<frame>.+)$"),
    regex(r"^(?P<frame>.+?) every (?P<value>.+)$"),
    regex(
        r"^(?P<frame>.*\b(?:default|minimum|maximum|main|primary|preferred|official|only|base|current)\b.*?)"
        r" (?:is|are) (?P<value>\S+(?: \S+){0,2})$"
    ),
)


class Disagreement(Struct, frozen=True):
    """Two memories that cannot both be followed, and why. The kind is one of `CONFLICT_KINDS`."""

    kind: str
    reasons: tuple[str, ...]
    by_number: bool = False  # nothing but a number differs


def detect_conflict(new: Statement, old: Statement) -> Disagreement | None:
    """Return the conflict between two statements, the clearest if there are several, in any order."""
    if not _common_ground(new, old):
        return None
    lasting = new.kind in LASTING and old.kind in LASTING
    unclear = None
    for left, right in product(_earnest(new), _earnest(old)):
        disagreement = _opposition(left, right) or (_value_disagreement(left, right) if lasting else None)
        if disagreement and disagreement.kind == CONTRADICTORY:
            return disagreement
        unclear = unclear or disagreement
    return unclear


def _earnest(statement: Statement) -> list[ParsedSentence]:
    return [sentence for sentence in statement.sentences if sentence.earnest and sentence.topic]


def _common_ground(new: Statement, old: Statement) -> bool:
    is_guess = not (new.firm and old.firm)
    if new.kind == old.kind or (is_guess and LOGS.isdisjoint((new.kind, old.kind))):
        return True
    return any(_same_file(left, right) for left, right in product(new.files, old.files))


def _same_file(left: str, right: str) -> bool:
    return left == right or left.endswith(f"/{right}") or right.endswith(f"/{left}")


def _opposition(left: ParsedSentence, right: ParsedSentence) -> Disagreement | None:
    if left.topic.isdisjoint(right.topic):
        return None
    if _has_swapped_choices(left, right):
        return Disagreement(CONTRADICTORY, ("the same two choices in opposite order",))
    verbs = {verb for verb in left.stance.keys() & right.stance.keys() if _disagree(verb, left, right)}
    verbs |= {"forbidden"} if _forbids(left, right) or _forbids(right, left) else set()
    if not verbs:
        return None
    pair = frozenset(verb for verb in left.stance.keys() | right.stance.keys() if _belongs(verb, verbs))
    return _compare(left, right, pair, f"opposed: {', '.join(sorted({verb.lstrip('±') for verb in verbs}))}")


def _disagree(verb: str, left: ParsedSentence, right: ParsedSentence) -> bool:
    return left.stance[verb] != right.stance[verb] and (verb in COMMON_VERBS or verb not in STOP_WORDS)


def _belongs(verb: str, verbs: set[str]) -> bool:
    return verb in verbs or any(
        f"±{name}" in verbs and (verb in positive or verb in negative) for name, positive, negative in AXES
    )


def _forbids(first: ParsedSentence, second: ParsedSentence) -> bool:
    """Whether one forbids what the other asks for in other words ("force-pushing is forbidden")."""
    return any(first.stance.get(verb) == 1 for verb in PROHIBITIONS) and not PERMISSIONS.isdisjoint(second.words)


def _compare(
    left: ParsedSentence, right: ParsedSentence, pair: frozenset[str], reason: str
) -> Disagreement | None:
    matter = overlap(left.core - pair, right.core - pair)
    condition = overlap(left.condition - pair, right.condition - pair)
    if not matter.shared or matter.of_union < SAME_MATTER or left.manner - pair != right.manner - pair:
        return None
    common_topic = f"both about {', '.join(sorted(matter.shared | condition.shared))}"
    if (
        left.topic - pair == right.topic - pair
        or condition.of_union >= SAME_CONDITION
        or not (left.condition | right.condition) - pair
    ):
        return Disagreement(CONTRADICTORY, (reason, common_topic))
    return Disagreement(AMBIGUOUS, (reason, common_topic, "under different conditions"))


def _has_swapped_choices(left: ParsedSentence, right: ParsedSentence) -> bool:
    return any((second, first) in _choices(right) for first, second in _choices(left))


def _choices(sentence: ParsedSentence) -> set[tuple[str, str]]:
    words = sentence.words
    choices = set()
    for position, word in enumerate(words[1:-1], start=1):
        if word == "over" or words[position : position + 2] == ("instead", "of"):
            after = position + (1 if word == "over" else 2)
            before = next((stem(w) for w in reversed(words[:position]) if w not in STOP_WORDS), "")
            behind = next((stem(w) for w in words[after:] if w not in STOP_WORDS), "")
            choices.add((before, behind))
    return choices


def _value_disagreement(left: ParsedSentence, right: ParsedSentence) -> Disagreement | None:
    frame = overlap(left.topic, right.topic)
    if not frame.shared:
        return None
    if left.numbers != right.numbers and len(left.numbers) == len(right.numbers):
        is_same_frame = frame.of_union >= SAME_FRAME and (
            len(frame.shared) > 1 or _words_but_numbers(left) == _words_but_numbers(right)
        )
        reason = f"numbers {left.numbers} and {right.numbers}"
        return Disagreement(CONTRADICTORY, (reason,), by_number=True) if is_same_frame else None
    for pattern in _VALUE_FRAMES if max(len(left.words), len(right.words)) <= SHORT else ():
        first, second = pattern.match(" ".join(left.words)), pattern.match(" ".join(right.words))
        if first and second and _other_value(first, second):
            return Disagreement(AMBIGUOUS, (f"another value: {first['value']} and {second['value']}",))
    return None


def _words_but_numbers(sentence: ParsedSentence) -> list[str]:
    """Return the words of a sentence but its numbers: "use node 20" and "use node 22" differ in nothing else."""
    return [word for word in sentence.words if not word[0].isdigit() and word not in NUMBER_WORDS]


def _other_value(first: re.Match[str], second: re.Match[str]) -> bool:
    values = content(first["value"].split()), content(second["value"].split())
    frames = overlap(content(first["frame"].split()), content(second["frame"].split()))
    return all(values) and values[0].isdisjoint(values[1]) and frames.of_union >= SAME_FRAME
