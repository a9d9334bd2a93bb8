"""Search answers while one types, and says why."""

from playwright.sync_api import expect

from tests.viewer.site import Site
from tests.viewer.visit import Visit


def test_hits_come_as_one_types(visit: Visit, site: Site) -> None:
    site.remember("The saffron harvest is dried on racks of beech", kind="fact")
    main = visit.open("search")
    main.get_by_label("Search memory").press_sequentially("saffron harvest racks")
    hit = main.locator(".line", has_text="saffron").first
    expect(hit.locator("mark").first).to_be_visible()
    expect(visit.page).to_have_url(f"{site.url}/#/search?q=saffron+harvest+racks")


def test_why_a_hit_has_its_rank_adds_up(visit: Visit) -> None:
    main = visit.open("search?q=job+queue+postgres")
    hit = main.locator(".line").first
    visit.page.locator("h1").click()
    visit.press("j", "w")
    table = hit.locator("details.why table")
    expect(table).to_be_visible()
    parts = [float(text) for text in table.locator("tbody .figure").all_inner_texts() if "(" not in text]
    total = float(table.locator("tfoot .figure").inner_text())
    assert abs(sum(parts) - total) < 0.05
    expect(hit.locator(".score-bar rect:not(.bar-ground)").first).to_be_visible()


def test_what_was_said_opens_at_its_turn(visit: Visit) -> None:
    main = visit.open("search?q=unique+index+violates&within=turns")
    main.locator(".line-title").first.click()
    expect(visit.page.locator(".turn.is-wanted")).to_contain_text("unique index")


def test_sessions_are_found_too(visit: Visit) -> None:
    main = visit.open("search?q=payment+webhook+fails&within=sessions")
    main.locator(".line-title").first.click()
    expect(visit.page.locator(".crumb")).to_contain_text("session")


def test_nothing_found_is_said(visit: Visit) -> None:
    main = visit.open("search?q=zeppelin+quadrille+xylophone")
    expect(main.get_by_text("Memory knows nothing about this.")).to_be_visible()


def test_the_slash_key_leads_to_the_question_from_anywhere(visit: Visit) -> None:
    visit.open("health")
    visit.press("/")
    expect(visit.page.get_by_label("Search memory")).to_be_focused()
