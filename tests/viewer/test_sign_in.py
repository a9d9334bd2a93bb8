"""Nobody sees anything without a key, and nothing of the key stands in an address."""

from playwright.sync_api import Page, expect

from tests.viewer.site import Site


def test_a_token_lets_in_and_a_wrong_one_does_not(stranger: Page, site: Site) -> None:
    stranger.goto(site.url)
    token = stranger.get_by_label("Token", exact=True)
    token.fill("hft_" + "a" * 8 + "_" + "b" * 43)
    stranger.get_by_role("button", name="Sign in").click()
    expect(stranger.get_by_role("alert")).not_to_be_empty()
    token.fill(site.admin)
    stranger.get_by_role("button", name="Sign in").click()
    expect(stranger.locator("main h1")).to_have_text("Today")
    assert site.admin not in stranger.url


def test_signing_out_ends_the_session(stranger: Page, site: Site) -> None:
    stranger.goto(site.url)
    stranger.get_by_label("Token", exact=True).fill(site.admin)
    stranger.get_by_role("button", name="Sign in").click()
    stranger.get_by_role("button", name="Sign out").click()
    expect(stranger.get_by_label("Token", exact=True)).to_be_visible()
    stranger.reload()
    expect(stranger.get_by_label("Token", exact=True)).to_be_visible()


def test_a_token_that_may_only_read_settles_nothing(stranger: Page, site: Site) -> None:
    site.remember("The bridge is painted every seven years", trust="agent", importance=1.0)
    stranger.goto(site.url)
    stranger.get_by_label("Token", exact=True).fill(site.token("guest", "read"))
    stranger.get_by_role("button", name="Sign in").click()
    card = stranger.locator(".card", has_text="bridge is painted")
    expect(card).to_be_visible()
    expect(card.get_by_role("button")).to_have_count(0)
