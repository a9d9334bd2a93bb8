"""What an entry is about, as a few numbers, and which entries share most of it.

Lives here: the numbers, and how entries are picked by them; both backends use it, so that they find alike. Must
not live here: what two entries that share a topic have to do with each other (`capture/compare`). Light.

The numbers stand for words, without stop words and numbers. Of a long text not all are kept: the first ones,
because a rule is stated early, and of the rest those with the smallest numbers, so that texts with the same
words keep the same. An entry is known by a ticket: its own number and the size of its topic in one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from zlib import crc32

from holdfast.stores.analyser import tokens

READ_CHARS = 400
"""How much of a text is read: what it is about is said early."""

KEPT_WORDS = 24
"""Words that an entry is found by."""

ASKED_WORDS = 12
"""Words that are looked for."""

MOST_TICKETS = 64
"""Entries, the newest, that one word can lead to: an add must not cost what a search may."""

MOST_POSTINGS = 300
"""Entries that the words of one topic lead to together."""

SIZES = 32
"""What a ticket counts sizes in; more than a topic can have."""

NEEDED_WORDS = tuple(max(1, -(-size // 4)) for size in range(SIZES))
"""How many words two entries must share, by the size of the smaller topic: a quarter."""

_STOP = frozenset(
    tokens(
        "a about after all also always am an and any are as at be because been before being but by can cannot "
        "could did do does done each every for from get go had has have he her here his how i if in instead "
        "into is it its just let like longer make may me might more most must my need never new no not now of "
        "off on once one only or other our out over own please rather same shall she should so some still "
        "such than that the their them then there these they thing this those through to too under until up "
        "us use used very was way we well were what when where which while who why will with within without "
        "would yes you your aren couldn d didn doesn don hadn hasn haven isn ll m mustn re s shouldn t ve "
        "wasn weren won wouldn"
    )
)


def topic_of(text: str, most: int = KEPT_WORDS) -> tuple[int, ...]:
    """Return the numbers of the words that say what a text is about, at most so many."""
    words = _numbers(text[:READ_CHARS])
    if len(words) <= most:
        return words
    first = most // 2
    return (*words[:first], *sorted(words[first:])[: most - first])


@lru_cache(maxsize=2_048)
def _numbers(text: str) -> tuple[int, ...]:
    """Return the number of every word that counts; remembered, because a write asks several times."""
    words = dict.fromkeys(tokens(text.encode(errors="ignore").decode()))
    return tuple([crc32(word.encode()) for word in words if word not in _STOP and not word.isdecimal()])


def ticket(number: int, topic: Sequence[int]) -> int:
    """Return what an entry is known by under the words of its topic."""
    return number * SIZES + len(topic)


def nearest(topic: Sequence[int], tickets: Mapping[int, Sequence[int]], limit: int) -> list[int]:
    """Return the numbers of the entries that share most of a topic, best first.

    Words that lead to many are left out where it would be too many in all; the one that leads to fewest never is.
    Not to be under a word that leads to more than are known says nothing against an entry.
    """
    lists = sorted((tickets[word] for word in topic if word in tickets), key=len)
    chosen_lists: list[Sequence[int]] = []
    remaining_postings = MOST_POSTINGS
    for entries in lists:
        if not chosen_lists or len(entries) <= remaining_postings:
            chosen_lists.append(entries)
            remaining_postings -= len(entries)
    telling_words = len(topic) - len(lists) + sum(len(entries) < MOST_TICKETS for entries in chosen_lists)
    needed_count = NEEDED_WORDS[telling_words]
    ranking = [
        (shared_count / (len(topic) + ticket_code % SIZES), ticket_code)
        for ticket_code, shared_count in Counter(chain.from_iterable(chosen_lists)).items()
        if shared_count >= needed_count or shared_count >= NEEDED_WORDS[ticket_code % SIZES]
    ]
    ranking.sort(key=itemgetter(0), reverse=True)
    return [ticket_code // SIZES for _, ticket_code in ranking[:limit]]
