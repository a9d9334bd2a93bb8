"""Measure how nearly two memories say the same, without embeddings.

The measure behind `similar_to`. Not here: exact duplicates (`fingerprint`) and merging. It looks at the text
alone, so it is the same for every model, and it is cheap enough for each candidate of a write.

Half of the measure is shared content words (any order, any inflection), half is shared runs of three
characters (order and wording). Two texts that differ in a number or in a negation are not near-duplicates,
however alike they look: "retry 3 times" and "retry 5 times" must never be merged.
"""

from holdfast.capture.compare.statement import Statement

LEAST_SIMILARITY = 0.8
"""From here on two texts count as near-duplicates."""

DIFFERENT = 0.5
"""The most that two texts can reach when a number or a negation differs."""


def similarity(left: Statement, right: Statement) -> float:
    """Return 0 (nothing shared) to 1 (the same but for case, order of words and inflection).

    Where the words alone rule out near-duplicates, the costlier runs are not looked at, and count as nothing.
    """
    if left.text == right.text:
        return 1.0
    words = _dice(left.topic, right.topic)
    if words + 1 < 2 * LEAST_SIMILARITY:  # however alike the runs are
        return round(words / 2, 3)
    alike = (words + _dice(_runs(left), _runs(right))) / 2
    alike *= _length_ratio(left, right)
    return round(min(alike, DIFFERENT) if _differ(left, right) else alike, 3)


def is_near_duplicate(left: Statement, right: Statement) -> bool:
    """Say whether two texts are close enough to be reported as similar."""
    return similarity(left, right) >= LEAST_SIMILARITY


def _dice(left: frozenset[str], right: frozenset[str]) -> float:
    return 2 * len(left & right) / (len(left) + len(right)) if left or right else 0.0


def _runs(statement: Statement) -> frozenset[str]:
    text = f" {' '.join(word for sentence in statement.sentences for word in sentence.words)} "
    return frozenset(text[start : start + 3] for start in range(len(text) - 2))


def _length_ratio(left: Statement, right: Statement) -> float:
    """Keep a long text from passing for its own beginning."""
    shorter, longer = sorted((len(left.text), len(right.text)))
    return 1.0 if longer < 2 * shorter else shorter / longer


def _differ(left: Statement, right: Statement) -> bool:
    told_apart = _numbers(left) != _numbers(right) or _numbered_names(left) != _numbered_names(right)
    return told_apart or _denied_verbs(left) != _denied_verbs(right)


def _numbers(statement: Statement) -> list[str]:
    return sorted(number for sentence in statement.sentences for number in sentence.numbers)


def _numbered_names(statement: Statement) -> set[str]:
    """Return the names that end in a number: "worker 3", migration_0042."""
    words = (word for sentence in statement.sentences for word in sentence.words)
    return {word for word in words if word[-1].isdigit() and not word[0].isdigit()}


def _denied_verbs(statement: Statement) -> set[str]:
    return {verb for sentence in statement.sentences for verb, sign in sentence.stance.items() if sign < 0}
