"""Put what was chosen into the tiers of a brief: in order, each within its share, never over the total.

What a tier does not use flows to the next. Pinned entries are shortened to fit and never dropped. Lives here: who
gets how much room. Must not live here: what was chosen, and how an entry looks (`render`).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from holdfast.model.brief import BriefItem
from holdfast.recall.brief import render
from holdfast.recall.brief.budget import allocate
from holdfast.recall.brief.excerpt import LEAST, cut, excerpt
from holdfast.recall.brief.render import Entry
from holdfast.recall.brief.tokens import estimate

FILLED = 0.87
"""The part of a budget that is filled: the estimate may be a little low on text that is no language."""

LARGEST = 0.6
"""The part of the room left that one entry may take, while others wait."""

LEAST_ENTRY = 30
"""Tokens below which an entry is not begun, unless it is pinned."""


@dataclass(frozen=True, slots=True)
class Piece:
    """An entry with its record, and those of what else it tells."""

    entry: Entry
    item: BriefItem
    also: tuple[BriefItem, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A named part of a brief, filled from the share of a tier."""

    name: str
    tier: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """How a brief is written: the form, the nonce of its fence, and how much it may hold."""

    style: str
    nonce: str
    total: int
    most_characters: int | None = None
    stems: Collection[str] = ()
    """The words of the prompt: what is shortened keeps them."""

    @property
    def frame(self) -> int:
        """What the page costs before anything stands on it."""
        return estimate(render.opening(self.style, self.nonce) + render.closing(self.style, self.nonce))


@dataclass(slots=True)
class _Filling:
    """A brief under way."""

    page: Page
    left: int
    characters: int | None
    text: str = ""
    items: list[BriefItem] = field(default_factory=list)

    def take(self, rendered: str) -> bool:
        """Put a text on the page if it fits."""
        cost = estimate(rendered)
        if cost > self.left or (self.characters is not None and len(rendered) > self.characters):
            return False
        self.left -= cost
        if self.characters is not None:
            self.characters -= len(rendered)
        self.text += rendered
        return True

    def begin(self, heading: str, ending: str) -> bool:
        """Put a heading on the page if it fits together with what must close it, and keep room for that."""
        before = self.text
        if not self.take(heading + ending):
            return False
        self.text = before + heading
        return True


@dataclass(frozen=True, slots=True)
class Filled:
    """A finished brief."""

    text: str
    tokens: int
    items: tuple[BriefItem, ...]


def fill(page: Page, parts: Sequence[Part], conflicts: Sequence[str] = ()) -> Filled:
    """Write a brief; empty when nothing is there to say, or nothing fits."""
    fence = render.opening(page.style, page.nonce), render.closing(page.style, page.nonce)
    usable = int(page.total * FILLED) - page.frame
    characters = None if page.most_characters is None else page.most_characters - len("".join(fence))
    if usable < LEAST_ENTRY or not any(part.pieces for part in parts):
        return Filled("", 0, ())
    filling = _Filling(page, usable, characters)
    shares = allocate(page.total)
    carried = 0
    for tier, share in shares.items():
        room = min(share + carried, filling.left)
        before = filling.left
        for part in parts:
            if part.tier == tier and part.pieces:
                _fill_part(filling, part, room - (before - filling.left))
        carried = max(0, share + carried - (before - filling.left))
    _add_conflicts(filling, conflicts)
    if not filling.items:
        return Filled("", 0, ())
    text = fence[0] + filling.text + fence[1]
    return Filled(text, estimate(text), tuple(filling.items))


def _fill_part(filling: _Filling, part: Part, room: int) -> None:
    style = filling.page.style
    heading, ending = render.heading(style, part.name), render.ending(style, part.name)
    pinned = part.tier == "always"
    room = min(room, filling.left) - estimate(heading + ending)
    if room < LEAST_ENTRY and not pinned:
        return
    if pinned:
        room = min(max(room, _least(filling.page, part)), filling.left - estimate(heading + ending))
    start, had = (filling.text, filling.left, filling.characters), len(filling.items)
    if not filling.begin(heading, ending):
        return
    shares = _even(filling.page, part, room) if pinned else None
    for place, piece in enumerate(part.pieces):
        waiting = len(part.pieces) - place - 1
        most = shares[place] if shares else int(room * (LARGEST if waiting else 1))
        room -= _fill_piece(filling, piece, min(most, room), insist=pinned)
    if len(filling.items) == had:
        filling.text, filling.left, filling.characters = start
        return
    filling.text += ending


def _fill_piece(filling: _Filling, piece: Piece, room: int, *, insist: bool) -> int:
    """Put one entry on the page, shortened if need be; return what it took."""
    style, entry = filling.page.style, piece.entry
    before = filling.left
    text = entry.text
    if estimate(render.entry(style, entry)) > room:
        inner = room - estimate(render.entry(style, _saying(entry, "")))
        if inner < LEAST and not insist:
            return 0
        text = excerpt(text, max(inner, LEAST), filling.page.stems)
    while text and not filling.take(render.entry(style, _saying(entry, text))):
        shorter = cut(text, estimate(text) * 3 // 4)
        text = shorter if len(shorter) < len(text) else ""
    if not text:
        return 0
    filling.items += [piece.item, *piece.also]
    return before - filling.left


def _saying(entry: Entry, text: str) -> Entry:
    return Entry(ref=entry.ref, kind=entry.kind, date=entry.date, trust=entry.trust, text=text, marks=entry.marks)


def _even(page: Page, part: Part, room: int) -> list[int]:
    """Share room between entries so that the short ones are whole and the long ones equal."""
    costs = [estimate(render.entry(page.style, piece.entry)) for piece in part.pieces]
    given = [0] * len(costs)
    waiting = sorted(range(len(costs)), key=lambda place: costs[place])
    for turn, place in enumerate(waiting):
        given[place] = min(costs[place], room // (len(waiting) - turn))
        room -= given[place]
    return given


def _least(page: Page, part: Part) -> int:
    """Return what the entries of a part take at least, each with a few words."""
    heads = (estimate(render.entry(page.style, _saying(piece.entry, ""))) for piece in part.pieces)
    return sum(head + LEAST for head in heads)


def _add_conflicts(filling: _Filling, lines: Sequence[str]) -> None:
    style = filling.page.style
    rendered = [render.conflict(style, line) for line in lines]
    if not rendered:
        return
    whole = render.heading(style, "conflicts") + "".join(rendered) + render.ending(style, "conflicts")
    filling.take(whole)
