"""The timeline is live, filtered, and as long as somebody wants it."""

from datetime import datetime
from zoneinfo import ZoneInfo

from playwright.sync_api import expect

from tests.viewer.browser import BrowserThread
from tests.viewer.site import Site
from tests.viewer.visit import Visit

MOORINGS = 230
"""More than the server lists at once."""

SCROLLS = 400
"""More than are needed on any machine: each is a twentieth of a second or longer."""

HOLD_BACK = """(part) => {
  const ask = window.fetch;
  window.heldBack = new Promise((isHeldBack) => {
    window.fetch = (path, options) => {
      if (!path.includes(part)) return ask(path, options);
      return new Promise((resolve, reject) => {
        options.signal.addEventListener("abort", () => reject(options.signal.reason));
        window.release = () => ask(path, { ...options, signal: null }).then(resolve);
        isHeldBack();
      });
    };
  });
}"""
"""Let no request that names something go out before `release` is called; `heldBack` once there is one."""


def test_what_is_remembered_elsewhere_appears_by_itself(visit: Visit, site: Site) -> None:
    main = visit.open("timeline")
    expect(visit.page.locator(".connection")).to_have_attribute("data-live", "true")
    site.remember("The falcon nests on the water tower")
    expect(main.get_by_text("The falcon nests on the water tower")).to_be_visible()


def test_the_inbox_is_live_too(visit: Visit, site: Site) -> None:
    visit.open("today")
    expect(visit.page.locator(".connection")).to_have_attribute("data-live", "true")
    site.remember("The lock of the canal is opened by hand", trust="agent", importance=1.0)
    expect(visit.card("lock of the canal")).to_be_visible()


def test_filters_stand_in_the_address(visit: Visit, site: Site) -> None:
    main = visit.open("timeline")
    main.get_by_label("Kind").select_option("architecture")
    expect(main.locator(".line")).to_have_count(1)
    expect(visit.page).to_have_url(f"{site.url}/#/timeline?kind=architecture")
    visit.page.reload()
    expect(main.locator(".line")).to_have_count(1)
    expect(main.get_by_label("Kind")).to_have_value("architecture")


def test_a_filter_that_takes_effect_while_another_page_is_asked_for_does_not_bring_one_back(visit: Visit) -> None:
    """The browser says a moment later that the address changed; what is typed stood in it again by then."""
    visit.open("timeline")
    visit.page.evaluate("""() => {
      location.hash = "#/health";
      document.querySelector("form.filters").requestSubmit();
    }""")
    expect(visit.page.locator("main[data-route='#/health'] h1")).to_be_visible()


def test_the_timeline_is_filtered_by_file_trust_agent_and_history(visit: Visit) -> None:
    main = visit.open("timeline?file=src/queue.py")
    expect(main.locator(".line")).to_have_count(1)
    main.get_by_label("with history").check()
    expect(main.locator(".line.is-history")).to_have_count(1)
    main = visit.open("timeline?what=sessions&agent=codex")
    expect(main.locator(".line")).to_have_count(1)
    visit.open("timeline?since=2001-01-01&until=2001-01-02")
    expect(visit.page.get_by_text("Nothing fits these filters.")).to_be_visible()


def test_more_comes_when_the_end_is_near_and_stays_when_something_new_comes(visit: Visit, site: Site) -> None:
    moorings = [
        {
            "content": f"Mooring {number} of the harbour belongs to boat {number * 7}",
            "kind": "fact",
            "trust": "user",
        }
        for number in range(MOORINGS)
    ]
    site.ask("POST", "/api/memories/batch", {"items": moorings})
    main = visit.open("timeline?contains=Mooring")
    for _ in range(SCROLLS):
        if main.locator(".line").count() >= MOORINGS:
            break
        for place in ("0", "document.body.scrollHeight"):  # the end comes into sight anew each time
            visit.page.evaluate(f"window.scrollTo(0, {place})")
            visit.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
    expect(main.get_by_role("button", name="More")).to_be_hidden()
    site.remember("Mooring 9999 of the harbour is free")
    expect(main.get_by_text("Mooring 9999")).to_be_attached()
    ids = main.locator(".line").evaluate_all("rows => rows.map(row => row.dataset.row)")
    assert len(set(ids)) == len(ids) == MOORINGS + 1


def test_rows_are_gone_through_and_opened_by_keys(visit: Visit) -> None:
    main = visit.open("timeline?kind=decision")
    visit.press("j", "j", "k")
    expect(main.locator(".line").first.locator("a")).to_be_focused()
    visit.press("Enter")
    expect(visit.page.locator(".crumb")).to_contain_text("decision")


def test_an_answer_to_filters_that_were_there_before_is_not_shown(visit: Visit, site: Site) -> None:
    site.remember("The lighthouse keeper counts ships at dusk")
    main = visit.open("timeline")
    visit.page.evaluate(HOLD_BACK, "contains=lighthouse")
    main.get_by_label("Says").fill("lighthouse")
    visit.page.evaluate("window.heldBack")
    main.get_by_label("Says").fill("nobody ever said this")
    expect(main.get_by_text("Nothing fits these filters.")).to_be_visible()
    visit.page.evaluate("window.release().then(() => new Promise((done) => setTimeout(done, 100)))")
    expect(main.get_by_text("Nothing fits these filters.")).to_be_visible()
    visit.page.reload()


def test_the_last_day_counts_whole_where_the_clocks_are_put_back(
    browser_thread: BrowserThread, site: Site
) -> None:
    """The 25th of October 2026 has 25 hours in Berlin."""
    context = browser_thread.browser.new_context(timezone_id="Europe/Berlin")
    context.add_init_script(site.signing_in())
    page = context.new_page()
    with page.expect_request("**/viewer/api/timeline?**") as asked:
        page.goto(f"{site.url}/#/timeline?until=2026-10-25")
    midnight = datetime(2026, 10, 26, tzinfo=ZoneInfo("Europe/Berlin"))
    assert f"until={int(midnight.timestamp() * 1000)}" in asked.value.url
    context.close()
