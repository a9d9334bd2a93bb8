"""Which of two settled things holds."""

from msgspec.structs import replace

from holdfast.recall.brief.amendments import SettledStatement, amendment, later, says_all, topic_of
from tests.table import table


def said(text: str, at: int, session: str = "s", order: int = 0, around: str = "") -> SettledStatement:
    """Make a statement of a session of its own."""
    return SettledStatement(text, around, f"{session}{at}", at, order)


def amends(new: str, old: str, around: str = "") -> bool:
    """Say whether the new statement amends the old."""
    return amendment(said(new, 2, around=around), said(old, 1)) is not None


@table(
    ("old", "new"),
    [
        ("Webhook backoff is capped at 60 seconds.", "Webhook backoff is capped at 30 seconds."),
        ("Background jobs run on Celery.", "We switched background jobs from Celery to Dramatiq."),
        ("The importer skips rows without an email.", "The importer no longer skips rows without an email."),
        ("Raw events are kept for two years.", "Update on raw events: 90 days is enough."),
        ("Uploads may have 10 MB everywhere.", "Uploads under /contracts may have 50 MB now, the rest stays."),
        ("The archiver takes tickets closed 14 days ago.", "Too fast: make the archiver wait 60 days."),
    ],
)
def test_a_change_is_recognised(old: str, new: str) -> None:
    assert amends(new, old)


@table(
    ("old", "new"),
    [
        ("Order numbers are gapless per year.", "The export of order numbers got a test."),
        ("Refunds go to the voucher first.", "In addition to that refund rule: above 1,000 a second approver."),
        ("Webhook backoff is capped at 60 seconds.", "Session cookies no longer live for 60 minutes."),
        ("Never stack modals.", "The modal animation takes 180 ms."),
        ("Never deploy the invoices service on Fridays.", "We no longer use Postgres for storing invoices."),
        ("Dashboard queries must time out after 5 seconds.", "The dashboard colours are too dark."),
        ("The login page locks after 5 attempts.", "Make it so the login page shows 2 logos."),
        ("The retry limit of the importer is 3.", "The retry limit of the mailer is 5."),
        ("", "No longer."),
    ],
)
def test_talk_about_a_rule_is_no_change_of_it(old: str, new: str) -> None:
    assert not amends(new, old)


def test_what_an_agent_says_changes_no_rule_of_a_person() -> None:
    rule = said("The retry limit of the importer is 3, never more.", 1)
    new = "Going forward the retry limit of the importer is 10 instead of 3."
    assert amendment(said(new, 2), rule)
    assert amendment(replace(said(new, 2), by_person=False), rule) is None
    assert amendment(said(new, 2), replace(rule, by_person=False))


def test_within_a_session_another_statement_on_a_thing_is_no_change_of_it() -> None:
    first = SettledStatement("Uploads of avatars are always scanned for viruses.", "", "s", 5, 0)
    second = SettledStatement("The size limit for uploads of avatars is 5 MB.", "", "s", 5, 1)
    assert amendment(second, first) is None


@table(
    ("text", "other", "same"),
    [
        ("We store the prices of orders in integer cents.", "Prices of orders are stored in integer cents.", True),
        ("The upload limit of avatars is 5 MB.", "The upload limit of avatars is 8 MB.", False),
        ("Always squash commits before merging.", "Never squash commits before merging.", False),
        ("Don't squash commits before merging.", "Never squash commits before merging.", True),
        (
            "Prices are stored in cents.",
            "Prices of orders are stored in cents and shown in the user's currency.",
            False,
        ),
    ],
)
def test_the_same_is_said_with_the_same_numbers_and_on_the_same_side(text: str, other: str, same: bool) -> None:
    assert says_all(text, other) is same


def test_the_earlier_never_amends_the_later() -> None:
    old, new = said("The limit is 10 MB.", 1), said("The limit is 50 MB now.", 2)
    assert amendment(new, old)
    assert amendment(old, new) is None


def test_within_a_session_the_order_counts_and_a_statement_is_taken_up_without_any_sign() -> None:
    first = SettledStatement("Sort the inbox by creation date.", "", "s", 5, 0)
    second = SettledStatement(
        "Inbox order: pinned first, then the last message, the creation date last.", "", "s", 5, 3
    )
    assert later(second, first)
    assert amendment(second, first)
    assert amendment(first, second) is None


def test_what_was_asked_belongs_to_a_short_answer() -> None:
    old = said("Then RFC 822.", 1, around="Which timestamp format goes into feed.xml?")
    new = said("feed.xml carries ISO 8601 timestamps from now on.", 2)
    assert amendment(new, old)


def test_an_amendment_that_says_it_all_anew_leaves_nothing_of_the_old() -> None:
    old = said("Retry any 5xx and 429, at most 4 attempts, backoff capped at 60 seconds.", 1)
    whole = amendment(
        said("Amended: retry any 5xx, 429 and 408, at most 4 attempts, backoff capped at 30 s.", 2), old
    )
    part = amendment(said("Amendment: the backoff is capped at 30 seconds.", 2), old)
    assert whole
    assert whole.whole
    assert part is None or not part.whole


def test_a_topic_is_the_telling_words_without_numbers() -> None:
    assert topic_of("The retry limit is now 7 of 10 attempts, as agreed") == {"retri", "limit", "attempt"}
