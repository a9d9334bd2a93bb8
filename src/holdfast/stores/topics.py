"""What an entry is about, as a few numbers, and which entries share most of it.

Lives here: the numbers, and how entries are picked by them; both backends use it, so that they find alike. Must not
live here: what two entries that share a topic have to do with each other (`capture/compare`). Light.

The numbers stand for words, without stop words and numbers. Of a long text not all are kept: the first ones, because
a rule is stated early, and of the rest those with the smallest numbers, so that texts with the same words keep the
same. An entry is known by a ticket: its own number and the size of its topic in one.
"""

from collections import Counter
from itertools import chain
from zlib import crc32

from holdfast.stores.analyser import tokens

TYPE_CHECKING = False  # typing's own, without importing typing: the hooks share this module
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

READ_CHARS = 400
KEPT = 24
"""Words that an entry is found by."""

ASKED = 12
"""Words that are looked for."""

MOST_TICKETS = 64
"""Entries, the newest, that one word can lead to: an add must not cost what a search may."""

MOST_POSTINGS = 400
SIZES = 32
"""What a ticket counts sizes in; more than a topic can have."""

SHARED = 1 / 3
"""The share of the smaller topic that two entries must have in common."""

_STOP = frozenset(
    tokens(
        "a about after all also always am an and any are as at be because been before being but by can cannot could "
        "did do does done each every for from get go had has have he her here his how i if in instead into is it its "
        "just let like longer make may me might more most must my need never new no not now of off on once one only "
        "or other our out over own please rather same shall she should so some still such than that the their them "
        "then there these they thing this those through to too under until up us use used very was way we well were "
        "what when where which while who why will with within without would yes you your"
    )
)


def topic_of(text: str, most: int = KEPT) -> tuple[int, ...]:
    """Return the numbers of the words that say what a text is about, at most so many."""
    told = tokens(text[:READ_CHARS].encode(errors="ignore").decode())
    words = [crc32(word.encode()) for word in dict.fromkeys(told) if word not in _STOP and not word.isdecimal()]
    if len(words) > most:
        words = [*words[: most // 2], *sorted(words[most // 2 :])[: most - most // 2]]
    return tuple(words)


def ticket(number: int, topic: "Sequence[int]") -> int:
    """Return what an entry is known by under the words of its topic."""
    return number * SIZES + len(topic)


def nearest(topic: "Sequence[int]", tickets: "Mapping[int, Sequence[int]]", limit: int) -> list[int]:
    """Return the numbers of the entries that share most of a topic, best first.

    Words that lead to many are left out where it would be too many in all; the one that leads to fewest never is.
    """
    lists = sorted((tickets[word] for word in topic if word in tickets), key=len)
    taken, left = [], MOST_POSTINGS
    for known in lists:
        if not taken or len(known) <= left:
            taken.append(known)
            left -= len(known)
    asked = len(topic) - len(lists) + len(taken)
    shares = {
        one: shared / min(asked, one % SIZES) for one, shared in Counter(chain.from_iterable(taken)).items()
    }
    near = [one for one, share in shares.items() if share >= SHARED]
    return [one // SIZES for one in sorted(near, key=lambda one: -shares[one])[:limit]]
