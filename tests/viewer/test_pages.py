"""Every page shows what there is, in light and dark, wide and narrow, and is usable by everybody."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.viewer.site import Site
from tests.viewer.visit import Visit

SOMETHING = re.compile(r"\S")
PAGES = (
    "today",
    "timeline?kind=decision",
    "search?q=job+queue",
    "memory",
    "session",
    "brief?prompt=job+queue",
    "told",
    "health",
)


def route_of(site: Site, page: str) -> str:
    """Return the address of a page; of a memory, a session and a brief, the newest."""
    match page:
        case "memory":
            [hit, *_] = site.ask("GET", "/api/search?q=job+queue+postgres&within=memories")
            return f"memory/{hit['id']}"
        case "session":
            sessions = site.ask("GET", "/api/sessions")
            return f"session/{next(one['id'] for one in sessions if one['turns'] > 4)}"
        case "told":
            [receipt, *_] = site.ask("GET", "/api/receipts")
            return f"told/{receipt['id']}"
        case _:
            return page


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_usable_by_everybody(visit: Visit, site: Site, page: str) -> None:
    """axe-core finds nothing wrong with it, names, contrast, order of headings, with its contrast in the dark
    neither; and it fits a phone."""
    visit.open(route_of(site, page))
    visit.unfold()
    everything = Axe().run(visit.page, options={"resultTypes": ["violations"]})
    assert everything.violations_count == 0, everything.generate_report()
    visit.page.emulate_media(color_scheme="dark")
    contrast = Axe().run(visit.page, options={"runOnly": ["color-contrast"], "resultTypes": ["violations"]})
    assert contrast.violations_count == 0, contrast.generate_report()
    visit.page.set_viewport_size({"width": 390, "height": 844})
    assert visit.has_no_sideways_scroll()


def test_today_says_what_was_told_and_learnt_by_agent(visit: Visit) -> None:
    main = visit.open("today")
    expect(main.locator(".agents li", has_text="codex")).to_be_visible()
    session = main.locator(".session-card", has_text="payment webhook")
    expect(session.locator(".learnt")).to_contain_text("idempotent")
    session.locator(".told summary").click()
    expect(session.locator(".told li").first).to_be_visible()


def test_a_memory_shows_its_history_files_and_receipts(visit: Visit, site: Site) -> None:
    main = visit.open(route_of(site, "memory"))
    expect(main.locator(".history li")).to_have_count(2)
    expect(main.locator(".history li").first).to_contain_text("Redis lists")
    expect(main.locator(".file-state[data-state=changed]")).to_have_text("changed since")
    expect(main.locator(".receipts li").first).to_be_visible()


def test_a_memory_shows_the_words_it_was_read_from(visit: Visit, site: Site) -> None:
    [hit, *_] = site.ask("GET", "/api/search?q=webhook+handlers+idempotent&within=memories")
    main = visit.open(f"memory/{hit['id']}")
    expect(main.locator(".evidence mark").first).to_contain_text("idempotent")
    main.locator(".evidence a").first.click()
    expect(visit.page.locator(".turn.is-wanted")).to_contain_text("idempotent")


def test_a_session_shows_turns_findings_forks_and_briefs(visit: Visit, site: Site) -> None:
    main = visit.open(route_of(site, "session"))
    expect(main.locator(".turn").first).to_contain_text("Why do jobs stall")
    expect(main.locator(".findings li").first).to_be_visible()
    expect(main.locator(".tree a")).to_have_count(1)
    main.locator(".briefs a").first.click()
    expect(visit.page.locator(".brief-text")).to_contain_text("project_memory")


def test_a_brief_is_shown_with_what_was_left_out(visit: Visit) -> None:
    main = visit.open("brief")
    main.get_by_label("Prompt").fill("why do jobs stall in the job queue?")
    expect(main.locator(".brief-text")).to_contain_text("LISTEN/NOTIFY")
    main.get_by_label("Budget").select_option("300")
    expect(main.get_by_role("status")).to_contain_text("of 300 tokens")
    expect(main.get_by_text("Left out")).to_be_visible()


def test_every_chart_has_a_table_of_its_figures(visit: Visit) -> None:
    main = visit.open("health")
    charts = main.locator("figure.chart")
    expect(charts.first).to_be_visible()
    assert charts.count() >= 5
    for chart in charts.all():
        expect(chart.get_by_role("img").first).to_have_attribute("aria-label", SOMETHING)
        chart.locator("summary").click()
        expect(chart.locator("table tbody tr").first).to_be_visible()


def test_what_is_not_there_is_said(visit: Visit) -> None:
    visit.open("memory/00000000")
    expect(visit.page.locator("main h1")).to_have_text("It is not here")
    visit.complaints = [line for line in visit.complaints if "404" not in line]  # the browser notes the answer


@pytest.mark.parametrize(
    ("page", "label"), [("search", "Search memory"), ("brief", "Prompt"), ("timeline", "Says")]
)
def test_what_is_typed_last_on_a_page_changes_no_address_after_it(
    visit: Visit, site: Site, page: str, label: str
) -> None:
    """A page asks a little after the last stroke of a key; who has gone on by then is elsewhere."""
    main = visit.open(page)
    main.get_by_label(label).evaluate(
        """field => {
          field.value = "queue";
          field.dispatchEvent(new Event("input", { bubbles: true }));
          location.hash = "#/health";
        }"""
    )
    expect(visit.page.locator("main h1")).to_have_text("Health")
    visit.page.evaluate("new Promise((done) => setTimeout(done, 500))")  # one that was set before is over by then
    assert visit.page.url == f"{site.url}/#/health"
