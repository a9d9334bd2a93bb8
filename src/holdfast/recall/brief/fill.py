"""Put what was chosen into the tiers of a brief: in order, each within its share, never over the total.

What a tier does not use flows to the next. Pinned entries are shortened to fit and never dropped. A text that is
shortened keeps the sentences that settle and that fit the prompt, in their order, with a mark for what is left
out: a long answer ends in what was decided as often as it begins with it. Must not live here: what was chosen, and
how an entry looks (`render`).
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct, field

from holdfast.model.brief import BriefItem
from holdfast.model.patterns import regex
from holdfast.recall.brief import render
from holdfast.recall.brief.budget import estimate
from holdfast.recall.brief.render import BriefEntry
from holdfast.text.words import terms_of

FILLED_SHARE = 0.87
"""The part of a budget that is filled: the estimate may be a little low on text that is no language."""

FILLED_BY_RULES = 0.96
"""The same for standing rules that are sentences: there the estimate is 4 % to 6 % above o200k's count."""

SENTENCE_CHARS = 3.5
"""Characters to a token from which on a text is sentences; English has 4.5, keys have 2, paths 3."""

LARGEST = 0.6
"""The part of the room left that one entry may take, while others wait."""

LEAST_ENTRY = 30
"""Tokens below which an entry is not begun, unless it is pinned."""

RULE_TOKENS = 90
"""What a standing rule takes at most; a longer one is shortened and carries its id."""

THREAD_TOKENS = 450
"""What a thread takes at most."""

LAST_OF_MEMORIES = "said"
"""The last tier of memories at a session's start."""

GAP = "…"
LEAST = 12
"""Tokens below which no excerpt says anything."""

_BLOCK = regex(r"```.*?(?:```|\Z)|[^\n]+", re.DOTALL)
_SENTENCE_END = regex(r"(?<=[.!?;])\s+|(?<=[。！？])")


class Line(Struct, frozen=True):
    """One statement of a thread, with its record."""

    lead: str
    """Its date and marks."""
    text: str
    item: BriefItem
    rank: float
    """What is left out first where there is no room for all."""
    turn: str | None = None
    """The turn that says it: statements of one turn stand on one line."""


class Piece(Struct, frozen=True):
    """An entry with its record."""

    entry: BriefEntry
    item: BriefItem
    lines: tuple[Line, ...] = ()
    """Of a thread, its statements in order: each is told whole or not at all."""


class BriefPart(Struct, frozen=True):
    """A named part of a brief, filled from the share of a tier."""

    name: str
    tier: str
    pieces: tuple[Piece, ...]
    lines: bool = False
    """Whether each entry is one line, like a rule, and told whole or not at all."""


class BriefRules(Struct, frozen=True):
    """The standing rules: in the order in which they are told, and what to say of those that do not fit."""

    pieces: tuple[Piece, ...]
    by_use: Callable[[], Sequence[Piece]]
    """The same, the most useful first: asked for only where not all fit."""
    more: Callable[[int], str]
    """What to say of so many that are not told."""


COSTLIEST = "8a1b2c3d"
"""A nonce of as many tokens as any: digits and letters in turn."""


class Page(Struct, frozen=True):
    """How a brief is written: the form, the nonce of its fence, and how much it may hold."""

    style: str
    nonce: str
    total: int
    most_characters: int | None = None
    stems: Collection[str] = ()
    """The words of the prompt: what is shortened keeps them."""

    @property
    def frame(self) -> int:
        """The tokens of the fence; the same for every nonce, so that one question gets one brief."""
        return estimate(render.opening(self.style, COSTLIEST) + render.closing(self.style, COSTLIEST))


class FilledPage(Struct, frozen=True):
    """A finished brief."""

    text: str
    tokens: int
    items: tuple[BriefItem, ...]
    tiers: Mapping[str, int] = field(default_factory=dict)
    """The tokens that each tier took."""
    uses: "Mapping[str, tuple[int, bool]]" = field(default_factory=dict)
    """The tokens that each entry took by its id, and whether it was shortened."""


EMPTY = FilledPage("", 0, ())


class _Filling:
    """A brief under way."""

    def __init__(self, page: Page, remaining_tokens: int, characters: int | None) -> None:
        self.page = page
        self.left = remaining_tokens
        self.characters = characters
        self.text = ""
        self.items: list[BriefItem] = []
        self.tiers: dict[str, int] = {}
        self.uses: dict[str, tuple[int, bool]] = {}

    def fits(self, text: str, cost: int) -> bool:
        """Say whether a text of so many tokens still fits."""
        return cost <= self.left and (self.characters is None or len(text) <= self.characters)

    def take(self, text: str) -> bool:
        """Put a text on the page if it fits."""
        cost = estimate(text)
        if not self.fits(text, cost):
            return False
        self.left -= cost
        if self.characters is not None:
            self.characters -= len(text)
        self.text += text
        return True

    def begin(self, heading: str, ending: str) -> bool:
        """Put a heading on the page if it fits together with what must close it, and keep room for that."""
        before = self.text
        if not self.take(heading + ending):
            return False
        self.text = before + heading
        return True


def fill(
    page: Page,
    shares: Mapping[str, int],
    parts: Sequence[BriefPart],
    *,
    rules: BriefRules | None = None,
    conflicts: Sequence[str] = (),
    request: str = "",
    subjects: str = "",
) -> FilledPage:
    """Write a brief; empty when nothing is there to say, or nothing fits.

    A line that names subjects stands behind what is told of memories, a request to the agent at the end, where
    there is room left for an entry beside it.
    """
    asks = render.note(page.style, request) if request else ""
    if int(page.total * _fillable(rules)) - page.frame - estimate(asks) < LEAST_ENTRY:
        asks = ""
    fence = render.opening(page.style, page.nonce), asks + render.closing(page.style, page.nonce)
    usable = int(page.total * _fillable(rules)) - page.frame - estimate(asks)
    characters = None if page.most_characters is None else page.most_characters - len("".join(fence))
    if usable < LEAST_ENTRY or not (any(part.pieces for part in parts) or (rules and rules.pieces)):
        return EMPTY
    filling = _Filling(page, usable, characters)
    carry = 0
    for tier, share in shares.items():
        room = min(share + carry, filling.left)
        before = filling.left
        if tier == "rules" and rules and rules.pieces:
            _fill_rules(filling, rules, room)
        for part in parts:
            if part.tier == tier and part.pieces:
                _fill_part(filling, part, room - (before - filling.left))
        if tier == LAST_OF_MEMORIES and subjects and filling.items:
            filling.take(render.note(page.style, subjects))
        filling.tiers[tier] = before - filling.left
        carry = max(0, share + carry - filling.tiers[tier])
    _add_conflicts(filling, conflicts)
    if not filling.items:
        return EMPTY
    text = fence[0] + filling.text + fence[1]
    return FilledPage(text, estimate(text), tuple(filling.items), filling.tiers, filling.uses)


def _fillable(rules: BriefRules | None) -> float:
    """Return the part of a budget that is filled: more where rules are sentences than where they are anything."""
    rules_text = " ".join(piece.entry.text for piece in rules.pieces) if rules else ""
    return FILLED_BY_RULES if len(rules_text) > SENTENCE_CHARS * estimate(rules_text) else FILLED_SHARE


def _fill_rules(filling: _Filling, rules: BriefRules, room: int) -> None:
    """Tell every rule where all fit, else the most useful and how many more there are."""
    style = filling.page.style
    heading, ending = render.heading(style, "rules"), render.ending(style, "rules")
    room -= estimate(heading + ending)
    lines = [_rule_line(style, piece) for piece in rules.pieces]
    whole = heading + "".join(lines) + ending
    if sum(map(estimate, lines)) <= room and filling.fits(whole, estimate(whole)):
        filling.take(whole)
        for piece, line in zip(rules.pieces, lines, strict=True):
            _add_rule(filling, piece, estimate(line))
        return
    note = render.note(style, rules.more(len(rules.pieces)))
    if not filling.begin(heading, ending + note):
        return
    room -= estimate(note)
    rule_count = _fill_lines(filling, rules.by_use(), room)
    filling.text += ending + render.note(style, rules.more(len(rules.pieces) - rule_count))


def _fill_lines(filling: _Filling, pieces: Sequence[Piece], room: int) -> int:
    """Put entries on the page as lines, each that fits; return how many did."""
    count = 0
    for piece in pieces:
        line = _rule_line(filling.page.style, piece)
        cost = estimate(line)
        if cost <= room and filling.take(line):
            room -= cost
            count += 1
            _add_rule(filling, piece, cost)
    return count


def _add_rule(filling: _Filling, piece: Piece, cost: int) -> None:
    filling.items.append(piece.item)
    filling.uses[piece.item.id] = (cost, estimate(piece.entry.text) > RULE_TOKENS)


def _rule_line(style: str, piece: Piece) -> str:
    """Return a rule on one line; one that is shortened says how to read it whole."""
    entry = piece.entry
    if estimate(entry.text) <= RULE_TOKENS:
        return render.rule(style, entry)
    return render.rule(style, _with_text(entry, f"{excerpt(entry.text, RULE_TOKENS)} #{entry.ref}"))


def _fill_part(filling: _Filling, part: BriefPart, room: int) -> None:
    style = filling.page.style
    heading, ending = render.heading(style, part.name), render.ending(style, part.name)
    is_pinned = part.tier == "always"
    room = min(room, filling.left) - estimate(heading + ending)
    if room < LEAST_ENTRY and not is_pinned:
        return
    if is_pinned:
        room = min(max(room, _least(filling.page, part)), filling.left - estimate(heading + ending))
    start, had = (filling.text, filling.left, filling.characters), len(filling.items)
    if not filling.begin(heading, ending):
        return
    shares = _even(filling.page, part, room) if is_pinned else None
    if part.lines:
        _fill_lines(filling, part.pieces, room)
    for place, piece in enumerate(() if part.lines else part.pieces):
        pieces_after = len(part.pieces) - place - 1
        most = shares[place] if shares else int(room * (LARGEST if pieces_after else 1))
        room -= _fill_piece(filling, piece, min(most, room), insist=is_pinned)
    if len(filling.items) == had:
        filling.text, filling.left, filling.characters = start
        return
    filling.text += ending


def _fill_piece(filling: _Filling, piece: Piece, room: int, *, insist: bool) -> int:
    """Put one entry on the page, shortened if need be; return what it took."""
    if piece.lines:
        return _fill_thread(filling, piece, min(room, THREAD_TOKENS))
    style, entry = filling.page.style, piece.entry
    before = filling.left
    text = entry.text
    if estimate(render.entry(style, entry)) > room:
        inner = room - estimate(render.entry(style, _with_text(entry, "")))
        if inner < LEAST and not insist:
            return 0
        text = excerpt(text, max(inner, LEAST), filling.page.stems)
    while text and not filling.take(render.entry(style, _with_text(entry, text))):
        shorter = cut_text(text, estimate(text) * 3 // 4)
        text = shorter if len(shorter) < len(text) else ""
    if not text:
        return 0
    filling.items.append(piece.item)
    filling.uses[piece.item.id] = (before - filling.left, text != entry.text)
    return before - filling.left


def _fill_thread(filling: _Filling, piece: Piece, room: int) -> int:
    """Put a thread on the page, in order and as much of it as there is room for; return what it took."""
    style, before = filling.page.style, filling.left
    room -= estimate(render.entry(style, _with_text(piece.entry, "")))
    chosen: list[Line] = []
    for line in sorted(piece.lines, key=lambda line: -line.rank):
        cost = estimate(line.lead + line.text) + 1
        if cost <= room:
            room -= cost
            chosen.append(line)
    lines = [line for line in piece.lines if line in chosen]
    text = join_statements(lines)
    if not lines or not filling.take(render.entry(style, _with_text(piece.entry, text))):
        return 0
    for line in lines:
        filling.items.append(line.item)
        filling.uses[line.item.id] = (estimate(line.text), False)
    return before - filling.left


def join_statements(lines: Sequence[Line]) -> str:
    """Put statements on lines, those of one turn on the same."""
    text = ""
    for before, line in zip((None, *lines), lines, strict=False):
        goes_on = before and line.turn and (before.turn, before.lead) == (line.turn, line.lead)
        text += f" {line.text}" if goes_on else f"\n{line.lead}{line.text}"
    return text.lstrip("\n")


def _with_text(entry: BriefEntry, text: str) -> BriefEntry:
    return BriefEntry(
        ref=entry.ref,
        kind=entry.kind,
        date=entry.date,
        trust=entry.trust,
        text=text,
        marks=entry.marks,
        title=entry.title,
    )


def _even(page: Page, part: BriefPart, room: int) -> list[int]:
    """Share room between entries so that the short ones are whole and the long ones equal."""
    costs = [estimate(render.entry(page.style, piece.entry)) for piece in part.pieces]
    shares = [0] * len(costs)
    places_by_cost = sorted(range(len(costs)), key=lambda place: costs[place])
    for turn, place in enumerate(places_by_cost):
        shares[place] = min(costs[place], room // (len(places_by_cost) - turn))
        room -= shares[place]
    return shares


def _least(page: Page, part: BriefPart) -> int:
    """Return what the entries of a part take at least, each with a few words."""
    heads = (estimate(render.entry(page.style, _with_text(piece.entry, ""))) for piece in part.pieces)
    return sum(head + LEAST for head in heads)


def _add_conflicts(filling: _Filling, lines: Sequence[str]) -> None:
    """Say what stands against what, as much of it as fits: each entry's mark names its rivals, too."""
    style = filling.page.style
    rendered_lines = [render.conflict(style, line) for line in lines]
    ending = render.ending(style, "conflicts")
    if not rendered_lines or not filling.begin(render.heading(style, "conflicts") + rendered_lines[0], ending):
        return
    for line in rendered_lines[1:]:
        filling.take(line)
    filling.text += ending


def excerpt(text: str, room: int, stems: Collection[str] = ()) -> str:
    """Return a text that has at most so many tokens; stems are the words it is read for."""
    if estimate(text) <= room:
        return text
    pieces = _pieces(text)
    kept_places: set[int] = set()
    used_tokens = estimate(GAP)
    for place in sorted(range(len(pieces)), key=lambda index: (-_worth(pieces[index], stems), index)):
        cost = estimate(pieces[place]) + 1
        if used_tokens + cost <= room:
            kept_places.add(place)
            used_tokens += cost
    return _join_pieces(pieces, kept_places) if kept_places else cut_text(text, room)


def cut_text(text: str, room: int) -> str:
    """Return the beginning of a text, cut at a word's end with a mark that says so."""
    if room < 2:
        return ""
    if estimate(text) <= room:
        return text
    low, high = 0, min(len(text), room * 8)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle]) < room:
            low = middle
        else:
            high = middle - 1
    blank = text.rfind(" ", low // 2, low)
    return text[: blank if blank > 0 else low].rstrip() + GAP


def _pieces(text: str) -> list[str]:
    pieces: list[str] = []
    for block in _BLOCK.findall(text):
        pieces.extend([block] if block.startswith("```") else _SENTENCE_END.split(block))
    return [piece for piece in pieces if piece.strip()]


def _worth(piece: str, stems: Collection[str]) -> float:
    piece_stems = {term.stem for term in terms_of(piece)}
    overlap = len(piece_stems.intersection(stems)) / max(4, len(piece_stems))
    code = 0.4 if piece.startswith("```") else 0.0
    return overlap - code


def _join_pieces(pieces: list[str], kept_places: set[int]) -> str:
    text = ""
    last = -1
    for place in sorted(kept_places):
        gap = f" {GAP} " if place - last > 1 else " "
        text += (gap if text or place else "") + pieces[place].strip()
        last = place
    return (text + (f" {GAP}" if last + 1 < len(pieces) else "")).strip()
