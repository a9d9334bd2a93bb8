"""What the redactor would reach on a repository that nobody had seen: its word lists fitted on all others.

The formats of vendors are public facts and the shapes are general; what was fitted to data are the lists of words
(names that promise a secret, names that only describe one, stand-ins). For each source repository every word is
taken out that changes a line of that source and no line of any other source or file: somebody without this source
could not have learned it from data. Then the source is measured (*left out*). A word that works on two
sources stays, as does one that works on none: it was written down as a matter of language. The harsher figure,
*learned*, keeps only the words that another source or file supports.

Both are mild: patterns and thresholds are the same throughout, and what they never met cannot be left out. Truly
unseen repositories fare worse; docs/security.md says how much.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType

from benchmarks.redaction_lines import Row, changed, hard_secrets, labelled, share, text_of, values_gone
from holdfast.capture.text.redact import context, keys, redact, shape

Word = tuple[ModuleType, str, str]
"""The module, the list and the word in it."""

FEWEST_LINES = 20
"""A source with fewer lines is in the means, but is nobody's worst."""

LISTS = (
    (keys, ("_DESCRIBING", "_PASSWORDS", "_STILL_PASSWORDS", "_SHOWN")),
    (keys, ("_GLUED_KEYS", "_OPEN", "_SESSIONS", "_KEY_OWNERS")),
    (shape, ("_MARKERS", "_VOCABULARY", "_OPENERS", "_LOOKUPS")),
)  # fmt: skip


def leave_one_out(rows: list[Row], others: Mapping[str, list[Row]]) -> dict[str, float]:
    """Measure each source with the words that only it supports taken out; `others` are the files beside it."""
    files = {source: [row for row in rows if row["source"] == source] for source in _sources(rows)}
    reach = {word: _works_on(word, {**files, **others}) for word in fitted_words()}
    figures: dict[str, float] = {}
    for mode in ("left out", "learned"):
        scores = {source: _score(files[source], _unknown(reach, source, mode)) for source in files}
        for source, (secrets, clean) in scores.items():
            name = f"{mode}, {source.partition('@')[0]}"
            figures[f"{name}: found of {len(secrets)}"] = share(secrets)
            figures[f"{name}: clean lines hit of {len(clean)}"] = share(clean)
        figures |= _summary(f"{mode}, found", [secrets for secrets, _ in scores.values()], min)
        figures |= _summary(f"{mode}, clean lines hit", [clean for _, clean in scores.values()], max)
    return figures


def _unknown(reach: Mapping[Word, set[str]], source: str, mode: str) -> list[Word]:
    """Return the words that only this source supports or, in the harsher mode, that no other source supports."""
    if mode == "left out":
        return [word for word, places in reach.items() if places == {source}]
    return [word for word, places in reach.items() if places <= {source}]


def _score(rows: list[Row], words: list[Word]) -> tuple[list[bool], list[bool]]:
    with without(words):
        return [values_gone(row)[0] for row in hard_secrets(rows)], [
            changed(row) for row in labelled(rows, "clean")
        ]


def _summary(name: str, hits: list[list[bool]], worst: Callable[[list[float]], float]) -> dict[str, float]:
    """Return the figure over all lines, the mean of the sources, and the worst of those with lines enough."""
    shares = [share(one) for one in hits]
    return {
        f"{name}: all lines": share([hit for one in hits for hit in one]),
        f"{name}: mean of sources": round(sum(shares) / len(shares), 4),
        f"{name}: worst source": worst([share(one) for one in hits if len(one) >= FEWEST_LINES]),
    }


def fitted_words() -> list[Word]:
    """Return every word of every list."""
    return [(module, name, word) for module, names in LISTS for name in names for word in getattr(module, name)]


@contextmanager
def without(words: Iterable[Word]) -> Iterator[None]:
    """Take words out of their lists for a while."""
    before = {(module, name): getattr(module, name) for module, names in LISTS for name in names}
    for module, name, word in words:
        kept = getattr(module, name)
        setattr(module, name, type(kept)(one for one in kept if one != word))
    _forget()
    try:
        yield
    finally:
        for (module, name), kept in before.items():
            setattr(module, name, kept)
        _forget()


def _forget() -> None:
    """Drop what was judged with other lists."""
    keys._judged.clear()
    context._parts.clear()


def _works_on(word: Word, files: Mapping[str, list[Row]]) -> set[str]:
    """Return the files with a line that is redacted otherwise without the word."""
    text = word[2].lower()
    concerned = [
        (name, text_of(row)) for name, rows in files.items() for row in rows if text in text_of(row).lower()
    ]
    before = [redact(line)[0] for _, line in concerned]
    with without([word]):
        return {name for (name, line), clean in zip(concerned, before, strict=True) if redact(line)[0] != clean}


def _sources(rows: list[Row]) -> list[str]:
    return sorted({str(row["source"]) for row in rows})
