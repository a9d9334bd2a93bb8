"""Everything is reached by keys; light and dark are a choice that stays."""

from playwright.sync_api import expect

from tests.viewer.visit import Visit

PAPER = "getComputedStyle(document.body).backgroundColor"


def test_two_keys_lead_to_every_page(visit: Visit) -> None:
    visit.open("today")
    for key, title in (("l", "Timeline"), ("h", "Health"), ("b", "Brief preview"), ("t", "Today")):
        visit.press("g", key)
        expect(visit.page.locator("main h1")).to_have_text(title)


def test_a_question_mark_shows_the_keys(visit: Visit) -> None:
    visit.open("today")
    visit.press("?")
    dialog = visit.page.get_by_role("dialog")
    for words in ("Accept", "Drop", "Undo", "Search"):
        expect(dialog.get_by_text(words, exact=True).first).to_be_visible()
    visit.press("Escape")
    expect(dialog).to_have_count(0)


def test_keys_do_nothing_while_one_types(visit: Visit) -> None:
    main = visit.open("search")
    main.get_by_label("Search memory").press_sequentially("g h ?")
    expect(visit.page.locator("main h1")).to_have_text("Search")
    expect(visit.page.get_by_role("dialog")).to_have_count(0)


def test_the_focus_can_be_seen(visit: Visit) -> None:
    visit.open("today")
    visit.press("Tab", "Tab")
    outline = visit.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_the_content_is_one_key_away(visit: Visit) -> None:
    visit.open("timeline")
    visit.page.reload()
    expect(visit.page.locator("main h1")).to_have_text("Timeline")
    visit.press("Tab", "Enter")
    assert visit.page.evaluate("document.activeElement.id") == "main"
    expect(visit.page.locator("main h1")).to_have_text("Timeline")


def test_dark_is_as_the_system_has_it(visit: Visit) -> None:
    visit.page.emulate_media(color_scheme="light")
    visit.open("today")
    light = visit.page.evaluate(PAPER)
    visit.page.emulate_media(color_scheme="dark")
    assert visit.page.evaluate(PAPER) != light


def test_the_switch_wins_over_the_system_and_stays(visit: Visit) -> None:
    visit.page.emulate_media(color_scheme="light")
    visit.open("today")
    light = visit.page.evaluate(PAPER)
    switch = visit.page.get_by_role("button", name="Theme")
    switch.click()
    assert visit.page.evaluate(PAPER) == light
    switch.click()
    dark = visit.page.evaluate(PAPER)
    assert dark != light
    visit.page.reload()
    expect(visit.page.locator("main h1")).to_be_visible()
    assert visit.page.evaluate(PAPER) == dark
