"""How many tokens a text has, how many a brief may have, and how they are shared between its tiers. Light: shared
with hooks.

Tokens are told from a text's letters: within 15 % of o200k on a kilobyte of prose, code or CJK. No tokenizer is at
hand in a hook, and its table alone would be 2 MB. The estimate leans upwards: what is filled by it must not be
more than it says. Figures and how they were made: `tests/data/tokens`. Must not live here: what a tier holds, and
what it leaves to the next (`fill`).
"""

import os
import re
from bisect import bisect_right

SHARE_OF_REMAINING = 0.08
MOST_OF_REMAINING = 5_000
"""A brief takes this much of the room an agent has left, and never more than this."""

ALWAYS_SHARE = 0.08
ALWAYS_LEAST = 200
ALWAYS_MOST = 400
"""What is pinned: its share of the total, and between how many tokens. These shares and bounds were given, not
fitted (decision 0023); `docs/brief.md` has them as a table."""

BRIDGE_SHARE = 0.5
BRIDGE_LEAST = 500
"""What other sessions just learnt: its share of the rest."""

RETRIEVAL_SHARE = 0.325
RETRIEVAL_LEAST = 300
RETRIEVAL_MOST = 1_500
"""What is about the prompt: its share of the rest."""

SUMMARIES_MOST = 600
"""How sessions went: what is left, and no more than this."""

TIERS = ("always", "bridge", "retrieval", "summaries")
"""In the order in which they are filled."""

AFTER_RULES = 200
"""What the start of a session keeps for how the last one ended."""


def total_of(budget: int, remaining: int | None = None, ceiling: int | None = None) -> int:
    """Return the tokens of a whole brief: the budget, or a share of what the agent has left, within a ceiling."""
    total = budget if remaining is None else min(int(remaining * SHARE_OF_REMAINING), MOST_OF_REMAINING)
    return max(0, total if ceiling is None else min(total, ceiling))


def allocate(total: int) -> dict[str, int]:
    """Share a total between the tiers, in the order they are filled; the sum is never more than the total.

    Where space is short, the minimum of every other tier yields to retrieval's.
    """
    share = int(total * ALWAYS_SHARE)
    least = min(ALWAYS_LEAST, max(0, total - RETRIEVAL_LEAST))
    always = min(max(share, least), ALWAYS_MOST)
    rest = total - always
    retrieval = min(max(int(rest * RETRIEVAL_SHARE), RETRIEVAL_LEAST), RETRIEVAL_MOST, rest)
    bridge = min(max(int(rest * BRIDGE_SHARE), BRIDGE_LEAST), rest - retrieval)
    summaries = min(rest - retrieval - bridge, SUMMARIES_MOST)
    return {"always": always, "bridge": bridge, "retrieval": retrieval, "summaries": summaries}


def allocate_start(total: int) -> dict[str, int]:
    """Share the total of a session's start: rules first, then what was said as far as they leave room, then what
    other sessions just learnt and how the last one ended."""
    always = allocate(total)["always"]
    rest = min(AFTER_RULES, (total - always) // 3)
    return {
        "always": always,
        "rules": total - always - rest,
        "said": 0,
        "bridge": rest // 2,
        "summaries": rest - rest // 2,
    }


_PIECE = (
    r"[^\r\n\w]?(?:[A-ZÀ-Þ]*[a-zß-ɏ]+|[A-ZÀ-Þ]+)(?:'(?:s|t|re|ve|m|ll|d)\b)?"  # a word with what leads it
    r"|_?[0-9]{1,3}"
    r"| ?[!-/:-@\[-^`{-~]+"  # marks
    r"|\s*[\r\n]+"
    r"| ?[^\x00-\x7f]"
    r"|[ \t]+"
    r"|."
)

WORD = 0.93
"""What a word costs. These costs are set on counts of o200k (`tests/data/tokens`, decision 0023)."""

LETTER_MORE = 0.04
"""Each letter past the sixth."""

RARE_TRIPLE = 0.40
"""Each uncommon triple of letters."""

CAPITAL = 0.1
"""Each letter of a word in capitals."""

ENDING = 0.2
"""What follows an apostrophe: it is of the same token as often as not."""

RANDOM = 1.95
"""Letters to a token where at least half of a word's triples are uncommon: no language, but a key or a hash."""

SPLINTER = 0.25
"""A letter or two that follow no blank: a piece of something longer that is not a word."""

NUMBER = 1.05
"""Up to three digits."""

MARKS = 1.05
MARK_MORE = 0.2
"""A run of marks, and each further one in it."""

LINE = 0.85
"""Line ends, with the blanks before them."""

BLANK = 0.8
"""A run of blanks."""

UNDERSCORE = 0.2
"""One by itself."""

_SCRIPTS = (
    (0x0000, 1.0), (0x0080, 0.6), (0x0250, 1.0), (0x0370, 0.42), (0x0400, 0.32), (0x0590, 0.45),
    (0x0600, 0.36), (0x0900, 0.36), (0x0980, 0.8), (0x0E00, 0.45), (0x0E80, 1.0), (0x2000, 1.0), (0x2100, 1.5),
    (0x3000, 0.75), (0x3400, 1.5), (0x4E00, 0.78), (0xA000, 1.5), (0xAC00, 0.72),
    (0xD7B0, 1.5), (0xFF00, 1.0), (0xFFF0, 2.0), (0x10000, 2.5),
)  # fmt: skip
"""What a character costs from this code point on: scripts, punctuation, CJK, Hangul, emoji."""

_STARTS = tuple(start for start, _ in _SCRIPTS)
_MOST_COSTS = 20_000
_common: set[str] = set()
_costs: dict[str, float] = {}


def estimate(text: str) -> int:
    """Return how many tokens a text has, rather too many than too few."""
    if not text:
        return 0
    if len(_costs) > _MOST_COSTS:
        _costs.clear()
    total = 0.0
    for piece in re.findall(_PIECE, text):
        cost = _costs.get(piece)
        if cost is None:
            cost = _costs[piece] = _cost(piece)
        total += cost
    return int(total) + 1


def _cost(piece: str) -> float:
    last = piece[-1]
    if last > "ɏ":
        return _SCRIPTS[bisect_right(_STARTS, ord(last)) - 1][1]
    if last.isalpha():
        return _word(piece) + SPLINTER * (len(piece) < 3) if piece[0].isalpha() else _word(piece[1:])
    if last.isdigit():
        return NUMBER + (piece[0] == "_")
    if last in "\r\n":
        return LINE
    if last in " \t":
        return BLANK
    return UNDERSCORE if piece == "_" else MARKS + MARK_MORE * (len(piece.lstrip(" ")) - 1)


def _word(word: str) -> float:
    if not _common:
        _common.update(_triples())
    word, _, ending = word.partition("'")
    small = word.lower()
    rare = sum(small[place : place + 3] not in _common for place in range(len(small) - 2))
    cost = WORD + LETTER_MORE * max(0, len(word) - 6) + RARE_TRIPLE * rare + ENDING * bool(ending)
    if 2 * rare >= len(word) - 2 >= 4:
        cost = max(cost, len(word) / RANDOM)
    return cost + CAPITAL * len(word) if len(word) > 1 and word.isupper() else cost


def _triples() -> list[str]:
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "trigrams.txt")
    with open(path, encoding="ascii") as file:
        return [line[place : place + 3] for line in file for place in range(0, len(line) - 3, 3)]
