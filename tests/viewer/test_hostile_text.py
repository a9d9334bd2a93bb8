"""Whatever memory holds is shown as text: markup in it is never read, nothing of it runs."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.viewer.site import Site
from tests.viewer.visit import Visit

HOSTILE = (
    "<script>window.hit = 1</script> in the vault",
    "<img src=x onerror='window.hit = 1'> in the vault",
    "<svg onload=window.hit=1><a href='javascript:window.hit=1'>vault</a></svg>",
    "vault \"><iframe srcdoc='<script>parent.hit = 1</script>'></iframe>",
    "vault {{constructor.constructor('window.hit = 1')()}} ${window.hit = 1} `window.hit = 1`",
    "vault ** unclosed ** and **<b>bold</b>** marks",
    "vault &lt;b&gt; &amp; &#x3c;script&#x3e;",
)
NAUGHTY = (
    "vault ﷽ ᚛ᚄᚓᚐᚋᚒᚄ 田中さんにあげて下さい 👩‍👩‍👧‍👦 🏳️‍🌈",
    "vault مُنَاقَشَةُ سُبُلِ اِسْتِخْدَامِ اللُّغَةِ",
    "vault Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤ ̖t̝͕̳̣̻̪͞h̼͓̲̦̳̘̲e͇̣̰̦̬͎ ̢̼̻̱̘h͚͎͙̜̣̲ͅi̦̲̣̰̤v̻͍e̺̭̳̪̰-m̢iͅn̖̺̞̲̯̰d̵̼̟͙̩̼̘̳",
    "vault null undefined NaN Infinity true -1 1/0 ' OR 1=1 --",
    "vault " + "W" * 3_000,
)


@pytest.fixture
def remembered(site: Site) -> Iterator[dict[str, str]]:
    """Every text in memory, for a while: what is kept of it, by id. The inbox lists no more than twenty."""
    ids = [
        site.remember(text, trust="agent", importance=1.0, context=text, tags=["<b>tag</b>"])
        for text in HOSTILE + NAUGHTY
    ]
    yield {memory["id"]: memory["content"] for memory in site.ask("POST", "/api/memories/peek", {"ids": ids})}
    site.ask("POST", "/api/memories/forget", {"matching": "vault"})


def test_a_text_is_shown_as_it_is_written(visit: Visit, remembered: dict[str, str]) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 844})
    assert len(remembered) == len(HOSTILE + NAUGHTY)
    for memory_id, content in remembered.items():
        main = visit.open(f"memory/{memory_id}")
        text_box = main.locator(".text-box .prose")
        expect(text_box).to_have_js_property("textContent", content)
        assert text_box.locator("*").count() == 0
        assert visit.has_no_sideways_scroll(), content
    for route in ("today", "timeline?contains=vault", "search?q=vault&within=memories", "brief?prompt=vault"):
        main = visit.open(route)
        expect(main.locator(".line, .card").first).to_be_visible()
        visit.unfold()
        assert visit.has_no_sideways_scroll(), route
        assert main.locator("script, iframe, img, svg a, a:not([href^='#/'])").count() == 0
    assert visit.page.evaluate("window.hit") is None
