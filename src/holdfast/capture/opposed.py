"""Sentences that say and deny the same: use / don't use, always / never, enable / disable, add / remove.

Lives here: the table of opposed words, and what two texts must share beside them. Must not live here: revisions
and equal texts (`relations`), and what becomes of two memories that disagree (`reconcile`).

A negated word is opposed to the same word without negation; a pair of the table to each other. The rest of the two
sentences must agree, the means included ("through the client"): sharing a topic alone is no conflict.
"""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from holdfast.model.memory import AMBIGUOUS, CONTRADICTORY
from holdfast.model.patterns import regex
from holdfast.text.sentences import sentences
from holdfast.text.words import forms, is_telling

PAIRS = (
    ("enable activate reenable", "disable deactivate"),
    ("allow permit accept fine ok okay whitelist", "forbid forbidden prohibit ban disallow deny reject refuse"),
    ("add include insert append create introduce install", "remove delete drop exclude omit strip uninstall"),
    ("keep kept retain preserve", "discard delete drop remove purge"),
    ("require mandatory compulsory", "optional unnecessary"),
    ("show display expose", "hide hidden conceal suppress"),
    ("lock freeze", "unlock unfreeze"),
    ("synchronous synchronously sync", "asynchronous asynchronously async"),
    ("automatic automatically", "manual manually"),
    ("eager eagerly", "lazy lazily"),
    ("mutable", "immutable"),
    ("before", "after"),
    ("merge squash", "unmerge"),
    ("commit track", "gitignore untrack"),
    ("support", "unsupported"),
)
"""Opposed words; every inflection counts."""

NEGATORS = "not no never t dont avoid stop quit without neither nobody"
"""Words that turn the next telling word round; `t` is what the analyser leaves of "don't" and its like."""

VERBS = "use keep need go make want get start give let"
"""Verbs that carry no topic but can be opposed all the same."""

BETWEEN = (
    "a an the any be been being to ever even longer more really just have has had always also directly yet we you "
    "they it its their our your should must may can will do does is are"
)
"""Words between a negator and the word that it turns round."""

PERMISSIONS = "fine ok okay allowed permitted may"
PRESCRIPTIONS = "use using with prefer"
"""Words that allow what was forbidden, and that ask for a thing by its name."""

CONDITIONS = (
    "in on for when whenever if unless during while within under outside inside except at from before after until "
    "only between against per where once"
)
MEANS = "through via by with"
REASONS = "because since so otherwise"
"""Words that open a condition, the means, and an explanation that is no part of the rule."""

HEDGES = (
    "might maybe perhaps could would wonder guess probably possibly consider wish hope remember recall imagine"
)
"""Words of thinking aloud: it settles nothing."""

REACH = 5
"""Words behind a negator among which the negated one stands."""

MOST_SENTENCES = 12
MOST_FORMS = 120
SAME_MATTER = 0.6
SAME_CONDITION = 0.5

_TURNED = regex(
    r"\b(?:turn|switch)(?:s|es|ed|ing)? (on|off)\b|\bget(?:ting)? (rid) of\b|\bleave (out)\b|\bnot only\b"
)
_LEAD = regex(r"^\W*(?:(?:and|also|please|always|must|do) )*remember(?: that| to|[:,]) ")
"""Words that ask to keep what follows, which is no thinking aloud."""
_VERB_OF = {"on": "enable", "off": "disable", "rid": "remove", "out": "omit", None: "also"}
_PAUSE = regex(r"[,;:]\s")
_EXCLUSION = regex(r"(?:^|[,;:(] ?)(?:and |but )?(?:no|not|never) (\w+)(?=[\s.,;!)]|$)")
"""A thing that is ruled out by its name: "tabs, not spaces", "no print statements"."""


class Clause(NamedTuple):
    """What one sentence says: its telling words, by the part they stand in, and which of them it denies."""

    signs: dict[str, int]
    """+1 or -1 for every telling word, verb and pair (by its number) of the sentence."""
    matter: frozenset[str]
    condition: frozenset[str]
    means: frozenset[str]
    choices: frozenset[tuple[str, str]]
    """What is put over what ("tabs over spaces")."""
    excluded: frozenset[str]
    asked_for: frozenset[str]
    """Things that are ruled out, and that are asked for, by their names."""
    permits: bool

    @property
    def topic(self) -> frozenset[str]:
        """All telling words."""
        return self.matter | self.condition | self.means

    @property
    def denied(self) -> frozenset[str]:
        """The words that are turned round."""
        return frozenset(form for form, sign in self.signs.items() if sign < 0)


class Opposition(NamedTuple):
    """How two texts oppose each other: the kind of conflict, or None where little else is shared."""

    kind: str | None


def opposition(first: str, second: str) -> Opposition | None:
    """Return the clearest opposition between two texts, whichever comes first; None where nothing is opposed."""
    clearest: Opposition | None = None
    for clause, other_clause in product(clauses(first), clauses(second)):
        contrast = _opposed(clause, other_clause)
        if contrast and contrast.kind == CONTRADICTORY:
            return contrast
        clearest = max(
            clearest, contrast, key=lambda candidate: (candidate is not None) + bool(candidate and candidate.kind)
        )
    return clearest


@lru_cache(maxsize=2_048)
def clauses(text: str) -> tuple[Clause, ...]:
    """Read the sentences of a text that state something; questions and thinking aloud settle nothing."""
    return tuple(_clauses([sentence.text for sentence in sentences(text)[:MOST_SENTENCES]] or [text]))


def _clauses(texts: Sequence[str]) -> Iterator[Clause]:
    for text in texts:
        lower_text = _TURNED.sub(lambda match: _VERB_OF[next(filter(None, match.groups()), None)], text.lower())
        lower_text = lower_text[lead.end() :] if (lead := _LEAD.match(lower_text)) else lower_text
        if not text.rstrip().endswith("?") and _words(HEDGES).isdisjoint(forms(lower_text)):
            yield _read(lower_text)
            opening = _PAUSE.split(lower_text, maxsplit=1)
            if len(opening) > 1 and len([form for form in forms(opening[0]) if is_telling(form)]) > 0:
                yield _read(opening[0])


def _read(text: str) -> Clause:
    pieces = [forms(piece)[:MOST_FORMS] for piece in _PAUSE.split(text)]
    parts: tuple[set[str], set[str], set[str]] = (set(), set(), set())
    signs: dict[str, int] = {}
    for number, piece in enumerate(pieces):
        part, place = parts[0], 0
        if number and piece and (piece[0] in _words(REASONS) or piece[0] == "it"):
            break
        for form in piece:
            if form in _words(REASONS):
                break
            part = parts[1] if form in _words(CONDITIONS) else parts[2] if form in _words(MEANS) else part
            part.update([form] if is_telling(form) else [])
            place += 1
        _sign(piece[:place], signs)
    words = forms(text)
    exclusions = frozenset(form for match in _EXCLUSION.finditer(text) for form in forms(match[1]))
    asked_for = frozenset(_asked_for(words) if signs.get("us") != -1 else ()) - exclusions
    permits = not _words(PERMISSIONS).isdisjoint(words)
    matter, condition, means = map(frozenset, parts)
    return Clause(signs, matter, condition, means, frozenset(_choices(words)), exclusions, asked_for, permits)


def _sign(piece: Sequence[str], signs: dict[str, int]) -> None:
    """Add the signs of one piece between two pauses."""
    negated_places = set(_negated(piece))
    for place, form in enumerate(piece):
        sign = -1 if place in negated_places else 1
        if is_telling(form) or form in _words(VERBS):
            signs[form] = min(sign, signs.get(form, 1))
        for number, side in _sides().get(form, ()):
            signs.setdefault(number, sign * side)
        if form == "avoid":
            signs["us"] = -1


def _negated(piece: Sequence[str]) -> Iterator[int]:
    for place, form in enumerate(piece):
        if form in _words(NEGATORS):
            following = range(place + 1, min(place + REACH + 1, len(piece)))
            yield from [at for at in following if piece[at] not in _words(BETWEEN)][:1]


def _choices(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for place, form in enumerate(words[1:-1], start=1):
        if form in ("over", "instead"):
            before = next((word for word in reversed(words[:place]) if is_telling(word)), "")
            behind = next((word for word in words[place + 1 :] if is_telling(word)), "")
            yield before, behind


def _asked_for(words: Sequence[str]) -> Iterator[str]:
    """Yield the telling word behind each word that asks for a thing by its name."""
    for place, form in enumerate(words):
        if form in _words(PRESCRIPTIONS):
            yield from [word for word in words[place + 1 : place + 3] if is_telling(word)][:1]


def _allows(permit: Clause, ban: Clause) -> bool:
    """Say whether one clause asks for what the other rules out by its name, or allows what the other denies."""
    if permit.asked_for & ban.excluded:
        return True
    permitted_forms = {form for form in permit.topic & ban.denied if permit.signs.get(form) == 1}
    least_shared = min(2, len(permit.matter - _words(PERMISSIONS)))
    return permit.permits and bool(permitted_forms) and len(permit.topic & ban.topic) >= least_shared


def _opposed(clause: Clause, other_clause: Clause) -> Opposition | None:
    if any((refused, picked) in other_clause.choices for picked, refused in clause.choices):
        return Opposition(CONTRADICTORY)
    if _allows(clause, other_clause) or _allows(other_clause, clause):
        has_condition = clause.condition ^ other_clause.condition
        return Opposition(AMBIGUOUS if has_condition else CONTRADICTORY)
    keys = {
        key
        for key in clause.signs.keys() & other_clause.signs.keys()
        if clause.signs[key] != other_clause.signs[key]
    }
    if not keys:
        return None
    pair = keys | {form for form, sides in _sides().items() if any(number in keys for number, _ in sides)}
    rest, other_rest = clause.topic - pair, other_clause.topic - pair
    matter, condition = (
        share(clause.matter - pair, other_clause.matter - pair),
        share(clause.condition - pair, other_clause.condition - pair),
    )
    if rest == other_rest and (rest or len(clause.topic & pair) > 0):
        return Opposition(CONTRADICTORY if rest or keys - _words(VERBS) else None)
    if matter < SAME_MATTER or clause.means - pair != other_clause.means - pair:
        return Opposition(None) if (keys & clause.topic) or rest & other_rest else None
    is_same = condition >= SAME_CONDITION or not (clause.condition | other_clause.condition) - pair
    return Opposition(CONTRADICTORY if is_same else AMBIGUOUS)


def share(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of two sets of words that both hold."""
    return len(first & second) / len(first | second) if first and second else 0.0


@cache
def _words(words: str) -> frozenset[str]:
    return frozenset(forms(words))


@cache
def _sides() -> dict[str, list[tuple[str, int]]]:
    """Return the pairs of a word with the side it stands on."""
    sides: dict[str, list[tuple[str, int]]] = {}
    for number, (positive, negative) in enumerate(PAIRS):
        for form in _words(positive):
            sides.setdefault(form, []).append((str(number), 1))
        for form in _words(negative) - _words(positive):
            sides.setdefault(form, []).append((str(number), -1))
    return sides
