"""What waits is settled with one key, and taken back with another."""

from playwright.sync_api import expect

from tests.viewer.site import Site
from tests.viewer.visit import Visit


def candidate(site: Site, content: str) -> str:
    """Let an agent note something that nobody has confirmed; what weighs most comes first."""
    return site.remember(content, kind="fact", trust="agent", importance=1.0)


def test_what_was_accepted_can_be_taken_back_by_a_key(visit: Visit, site: Site) -> None:
    memory_id = candidate(site, "The kiln of the workshop is fired on Wednesdays")
    visit.open("today")
    card = visit.card("kiln")
    card.focus()
    visit.press("a")
    expect(card).to_have_count(0)
    expect(visit.toast).to_contain_text("Accepted")
    assert site.memory(memory_id)["status"] == "confirmed"
    visit.press("u")
    expect(visit.card("kiln")).to_be_visible()
    assert site.memory(memory_id)["status"] == "candidate"


def test_what_was_dropped_can_be_taken_back_by_a_button(visit: Visit, site: Site) -> None:
    memory_id = candidate(site, "The greenhouse is watered at dawn by a timer")
    visit.open("today")
    visit.card("greenhouse").get_by_role("button", name="Drop").click()
    expect(visit.card("greenhouse")).to_have_count(0)
    assert site.memory(memory_id)["valid_until"] is not None
    visit.toast.get_by_role("button", name="Undo").click()
    expect(visit.card("greenhouse")).to_be_visible()
    assert site.memory(memory_id)["valid_until"] is None


def test_edit_makes_it_the_persons_word(visit: Visit, site: Site) -> None:
    memory_id = candidate(site, "The ferry to the island takes fifty minutes")
    visit.open("today")
    visit.card("ferry").focus()
    visit.press("e")
    dialog = visit.page.get_by_role("dialog")
    dialog.get_by_role("textbox").fill("The ferry to the island takes forty minutes in summer")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_have_count(0)
    expect(visit.card("ferry")).to_have_count(0)
    memory = site.memory(memory_id)
    assert (memory["content"], memory["trust"], memory["status"]) == (
        "The ferry to the island takes forty minutes in summer",
        "user",
        "confirmed",
    )


def test_a_conflict_stands_side_by_side_and_is_resolved_with_one_key(visit: Visit, site: Site) -> None:
    older = site.remember("Always enable the cache of the lighthouse service", kind="decision")
    newer = site.remember("Never enable the cache of the lighthouse service", kind="decision")
    visit.open("today")
    card = visit.card("lighthouse")
    expect(card.locator(".side-of")).to_have_count(2)
    first, second = (card.locator(".side-of").nth(number).bounding_box() for number in (0, 1))
    assert first
    assert second
    assert first["y"] == second["y"]
    assert first["x"] < second["x"]
    card.focus()
    visit.press("2")
    expect(card).to_have_count(0)
    assert site.memory(older)["superseded_by"] == newer
    visit.press("u")
    expect(visit.card("lighthouse")).to_be_visible()
    assert site.memory(older)["superseded_by"] is None
    visit.card("lighthouse").focus()
    visit.press("b")
    expect(visit.card("lighthouse")).to_have_count(0)
    assert site.memory(older)["valid_until"] is None


def test_what_an_agent_asks_for_shows_what_would_change(visit: Visit, site: Site) -> None:
    memory_id = site.remember("The observatory opens at nine", kind="fact")
    agent = site.token("helper", "write")
    site.ask("PATCH", f"/api/memories/{memory_id}", {"content": "The observatory opens at ten"}, token=agent)
    visit.open("today")
    card = visit.card("observatory")
    expect(card).to_contain_text("asks to change this memory")
    expect(card.locator(".side-of").nth(0)).to_contain_text("at nine")
    expect(card.locator(".side-of").nth(1)).to_contain_text("at ten")
    card.focus()
    visit.press("a")
    expect(card).to_have_count(0)
    assert site.memory(memory_id)["content"] == "The observatory opens at ten"


def test_the_number_beside_today_is_what_waits(visit: Visit, site: Site) -> None:
    candidate(site, "The archive is kept in the cellar of the town hall")
    visit.open("today")
    total = site.ask("GET", "/api/review")["total"]
    expect(visit.page.locator(".waiting-count")).to_have_text(str(total))
    visit.card("archive").focus()
    visit.press("d")
    expect(visit.page.locator(".waiting-count")).to_have_text(str(total - 1))


def test_the_next_card_has_the_focus_after_an_answer(visit: Visit, site: Site) -> None:
    candidate(site, "The mill by the river grinds spelt")
    candidate(site, "The mill on the hill grinds rye")
    visit.open("today")
    visit.page.locator(".card").first.focus()
    visit.press("j", "j", "k")
    assert visit.page.evaluate("document.activeElement.matches('.card')")
    visit.card("grinds spelt").focus()
    visit.press("a")
    expect(visit.card("grinds spelt")).to_have_count(0)
    assert visit.page.evaluate("document.activeElement.matches('.card')")


def test_a_key_without_a_marked_card_marks_one_and_answers_nothing(visit: Visit, site: Site) -> None:
    memory_id = candidate(site, "The lighthouse keeper counts the ships at dusk")
    visit.open("today")
    expect(visit.card("lighthouse")).to_be_visible()
    visit.press("a")
    assert visit.page.evaluate("document.activeElement.matches('.card')")
    assert site.memory(memory_id)["status"] == "candidate"
