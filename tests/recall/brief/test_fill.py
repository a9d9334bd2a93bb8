"""What was chosen is put into the tiers: in order, within the total, pinned entries always."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.model.brief import BriefItem
from holdfast.recall.brief.budget import allocate, allocate_start, estimate
from holdfast.recall.brief.fill import BriefPart, BriefRules, FilledPage, Page, Piece
from holdfast.recall.brief.fill import fill as fill_shares
from holdfast.recall.brief.render import STYLES, TEXT, XML, BriefEntry
from tests.table import table

SENTENCE = "The importer retries seven times because the eighth attempt trips the limiter. "


def part(tier: str, *texts: str, name: str | None = None) -> BriefPart:
    """Make a part whose entries are named after their tier and place."""
    pieces = tuple(
        Piece(
            BriefEntry(ref=f"{place:08x}", kind="fact", date="2026-01-02", trust="user", text=text),
            BriefItem(id=f"{tier}{place}", kind="fact", tier=tier, score=1.0, why={}),
        )
        for place, text in enumerate(texts)
    )
    return BriefPart(name or tier, tier, pieces)


def page(total: int, style: str = TEXT, **fields: object) -> Page:
    """Make a page."""
    return Page(style=style, nonce="00000000", total=total, **fields)  # type: ignore[arg-type]  # our own names


def fill(page: Page, parts: list[BriefPart], conflicts: list[str] | None = None) -> FilledPage:
    """Write the brief of a prompt."""
    return fill_shares(page, allocate(page.total), parts, conflicts=conflicts or [])


def start(page: Page, rules: BriefPart, *parts: BriefPart, best: int | None = None) -> FilledPage:
    """Write the brief of a session's start; the most useful rule is the one that is named."""
    pieces = rules.pieces
    by_use = sorted(pieces, key=lambda one: one.item.id != f"rules{best}")
    standing = BriefRules(
        pieces=pieces, by_use=lambda: by_use, more=lambda count: f"{count} more rules are known."
    )
    return fill_shares(page, allocate_start(page.total), list(parts), rules=standing)


def told(filled: FilledPage) -> list[str]:
    """Return the entries that got in."""
    return [item.id for item in filled.items]


def test_tiers_stand_in_their_order_whatever_order_they_come_in() -> None:
    parts = [part("summaries", "s"), part("retrieval", "r"), part("bridge", "b"), part("always", "a")]
    filled = fill(page(3_000), parts)
    assert told(filled) == ["always0", "bridge0", "retrieval0", "summaries0"]
    assert filled.tokens == estimate(filled.text)


def test_nothing_to_say_is_an_empty_brief() -> None:
    assert fill(page(3_000), [part("always"), part("retrieval")]) == FilledPage("", 0, ())
    assert fill(page(60), [part("always", "a")]) == FilledPage("", 0, ())


def test_what_one_tier_leaves_flows_to_the_next() -> None:
    long = SENTENCE * 150
    alone = fill(page(1_500), [part("retrieval", long)])
    beside = fill(page(1_500), [part("bridge", SENTENCE * 40), part("retrieval", long)])
    assert alone.tokens > 1_100
    assert alone.text.count(SENTENCE.strip()) > beside.text.partition("ON THIS")[2].count(SENTENCE.strip()) > 10
    assert told(beside) == ["bridge0", "retrieval0"]


def test_pinned_entries_are_shortened_and_never_dropped() -> None:
    filled = fill(page(400), [part("always", *[SENTENCE * 30] * 5), part("retrieval", SENTENCE)])
    assert told(filled)[:5] == [f"always{place}" for place in range(5)]
    assert filled.tokens <= 400


def test_a_short_pinned_entry_is_whole_beside_long_ones() -> None:
    filled = fill(page(700), [part("always", SENTENCE * 30, "Short and whole.", SENTENCE * 30)])
    assert "Short and whole." in filled.text
    assert len(told(filled)) == 3


def test_one_long_entry_leaves_room_for_the_others() -> None:
    filled = fill(page(1_000), [part("retrieval", SENTENCE * 100, "second", "third")])
    assert told(filled) == ["retrieval0", "retrieval1", "retrieval2"]
    assert "…" in filled.text


def test_conflicts_stand_at_the_end_where_they_fit() -> None:
    line = '[⚠ CONFLICT] Entry #a says "x" but Entry #b says "y". Verify which is current.'
    assert line in fill(page(1_500), [part("retrieval", "r")], [line]).text
    assert "CONFLICT" not in fill(page(1_500), [], [line]).text


def test_a_limit_of_characters_holds() -> None:
    filled = fill(page(50_000, XML, most_characters=2_000), [part("retrieval", *[SENTENCE * 30] * 5)])
    assert 1_000 < len(filled.text) <= 2_000


@table("total", [130, 150, 180, 200, 220, 250, 300, 400, 3_000, 5_000])
@table("length", [1, 2, 5, 40])
def test_whatever_a_brief_is_cut_to_its_elements_are_closed(total: int, length: int) -> None:
    pinned, found = part("always", *[SENTENCE * length] * 5), part("retrieval", *[SENTENCE * length] * 9)
    text = fill(page(total, XML, most_characters=10_000), [pinned, found]).text
    assert not text or ElementTree.fromstring(text) is not None  # noqa: S314 - our own text
    assert len(text) <= 10_000


@pytest.mark.parametrize("style", STYLES)
@given(
    total=st.integers(0, 2_500),
    texts=st.lists(st.text(max_size=1_500), max_size=5),
    pinned=st.lists(st.text(max_size=500), max_size=5),
)
def test_a_brief_is_never_over_its_total(style: str, total: int, texts: list[str], pinned: list[str]) -> None:
    filled = fill(page(total, style), [part("always", *pinned), part("retrieval", *texts), part("bridge", *texts)])
    assert filled.tokens <= total
    assert filled.tokens == estimate(filled.text)
    assert bool(filled.text) == bool(filled.items)


# ── standing rules ───────────────────────────────────────────────────────────────────────────────────────────


def test_few_rules_are_told_all_each_on_a_line_of_its_own() -> None:
    filled = start(page(1_500), part("rules", "Use bun.", "Keep prices\nin cents."))
    assert told(filled) == ["rules0", "rules1"]
    assert "\n- 2026-01-02: Use bun.\n- 2026-01-02: Keep prices in cents.\n" in filled.text
    assert "more rules" not in filled.text


def test_of_many_rules_the_most_useful_are_told_and_how_many_more_there_are() -> None:
    rules = part("rules", *(f"{number}: {SENTENCE}" for number in range(80)))
    filled = start(page(600), rules, best=77)
    assert told(filled)[0] == "rules77"
    assert f"({80 - len(filled.items)} more rules are known.)" in filled.text
    assert filled.tokens <= 600


def test_a_long_rule_is_shortened_and_says_where_the_rest_is() -> None:
    filled = start(page(1_500), part("rules", SENTENCE * 30))
    [line] = [line for line in filled.text.splitlines() if line.startswith("- ")]
    assert line.endswith("#00000000")
    assert estimate(line) < 120


def test_rules_leave_room_for_how_the_last_session_ended() -> None:
    rules = part("rules", *(f"{number}: {SENTENCE}" for number in range(200)))
    filled = start(page(1_500), rules, part("summaries", "The importer was moved to the new queue."))
    assert "moved to the new queue" in filled.text


def test_pinned_entries_stand_before_the_rules_and_are_never_dropped() -> None:
    rules = part("rules", *(f"{number}: {SENTENCE}" for number in range(200)))
    filled = start(page(500), rules, part("always", *[SENTENCE * 30] * 5))
    assert told(filled)[:5] == [f"always{place}" for place in range(5)]


@pytest.mark.parametrize("style", STYLES)
@given(
    total=st.integers(0, 2_500),
    texts=st.lists(st.text(max_size=500), max_size=25),
    pinned=st.lists(st.text(max_size=500), max_size=5),
)
def test_a_start_is_never_over_its_total(style: str, total: int, texts: list[str], pinned: list[str]) -> None:
    filled = start(page(total, style), part("rules", *texts), part("always", *pinned), part("summaries", *texts))
    assert filled.tokens <= total
    assert filled.tokens == estimate(filled.text)
    assert bool(filled.text) == bool(filled.items)


@table("total", [130, 150, 180, 200, 220, 250, 300, 400, 3_000])
@table("count", [1, 12, 150])
def test_whatever_a_start_is_cut_to_its_elements_are_closed(total: int, count: int) -> None:
    text = start(page(total, XML, most_characters=2_000), part("rules", *[SENTENCE] * count)).text
    assert not text or ElementTree.fromstring(text) is not None  # noqa: S314 - our own text
    assert len(text) <= 2_000
