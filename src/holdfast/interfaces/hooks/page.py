"""A brief as a page: entries put into the tiers of a budget, in the form the agent reads best. Light."""

import os
import time

from holdfast.recall.brief import agents, render
from holdfast.recall.brief.budget import allocate
from holdfast.recall.brief.render import Entry
from holdfast.recall.brief.tokens import estimate

TOTAL = 1_500
"""Tokens of a brief that a hook hands out, where nobody set less and the client takes as many."""

FILLED = 0.92
LEAST_ENTRY = 30
LARGEST = 0.6
NONCE_BYTES = 4
GAP = "…"


class Page:
    """A brief under way."""

    def __init__(self, agent: str, total: int, most_characters: int) -> None:
        self.style = agents.style_of(agent)
        nonce = os.urandom(NONCE_BYTES).hex()
        self._fence = render.opening(self.style, nonce), render.closing(self.style, nonce)
        total = agents.most_tokens(agent, total)
        self._shares = allocate(total)
        self._left = int(total * FILLED) - estimate("".join(self._fence))
        self._characters = most_characters - len("".join(self._fence))
        self._carried = 0
        self._text = ""
        self.told: list[str] = []
        """The ids of the entries on the page."""
        self.said: list[str] = []
        """What they say there."""

    def tier(self, tier: str, part: str, entries: "list[Entry]") -> None:
        """Fill a tier: what it does not use flows to the next."""
        room = min(self._shares[tier] + self._carried, self._left)
        before = self._left
        if entries:
            self._part(part, entries, room)
        self._carried = max(0, room - (before - self._left))

    def conflicts(self, lines: "list[str]") -> None:
        """Say who disagrees, if there is room."""
        if lines and self.told:
            body = "".join(render.conflict(self.style, line) for line in lines)
            self._take(render.heading(self.style, "conflicts") + body + render.ending(self.style, "conflicts"))

    def text(self) -> str:
        """Return the whole page; nothing when nothing stands on it."""
        return self._fence[0] + self._text + self._fence[1] if self.told else ""

    def _part(self, part: str, entries: "list[Entry]", room: int) -> None:
        heading, ending = render.heading(self.style, part), render.ending(self.style, part)
        room -= estimate(heading + ending)
        before, text, told = self._left, self._text, len(self.told)
        if room < LEAST_ENTRY or not self._take(heading):
            return
        for place, one in enumerate(entries):
            waiting = len(entries) - place - 1
            room -= self._entry(one, min(room, int(room * LARGEST) if waiting else room))
        if len(self.told) == told:
            self._characters += len(heading)
            self._left, self._text = before, text
            return
        self._take(ending)

    def _entry(self, one: Entry, room: int) -> int:
        shown = render.entry(self.style, one)
        cost = estimate(shown)
        if cost > room:
            head = cost - estimate(one.text)
            if room - head < LEAST_ENTRY // 2:
                return 0
            one = _shortened(one, (room - head) / max(1, cost - head))
            shown = render.entry(self.style, one)
            cost = estimate(shown)
        if cost > room + LEAST_ENTRY // 2 or not self._take(shown):
            return 0
        self.told.append(one.ref)
        self.said.append(one.text)
        return cost

    def _take(self, text: str) -> bool:
        cost = estimate(text)
        if cost > self._left or len(text) > self._characters:
            return False
        self._left -= cost
        self._characters -= len(text)
        self._text += text
        return True


def entry(ref: str, kind: str, at: int, trust: str, text: str, marks: "tuple[str, ...]" = ()) -> Entry:
    """Make an entry; people see the end of an id, and the day."""
    day = time.strftime("%Y-%m-%d", time.gmtime(at / 1000))
    return Entry(ref=ref.replace("-", "")[-8:], kind=kind, date=day, trust=trust, text=text, marks=marks)


def _shortened(one: Entry, share: float) -> Entry:
    """Return the first part of what an entry says, cut at a word's end."""
    end = max(1, int(len(one.text) * share * 0.9))
    blank = one.text.rfind(" ", 0, end)
    text = one.text[: blank if blank > 0 else end].rstrip() + GAP
    return Entry(ref=one.ref, kind=one.kind, date=one.date, trust=one.trust, text=text, marks=one.marks)
