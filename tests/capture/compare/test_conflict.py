"""Opposed rules on one topic are found; two rules that only share a topic are left in peace."""

import time

from holdfast.capture.classify import classify
from holdfast.capture.compare.conflict import Disagreement, detect_conflict
from holdfast.capture.compare.statement import state
from tests.table import table


def between(new: str, old: str) -> str | None:
    found = detect_conflict(state(new, classify(new)[0]), state(old, classify(old)[0]))
    return found.kind if found else None


@table(
    ("one", "other"),
    [
        ("Always enable strict mode in tsconfig.json", "Never enable strict mode in tsconfig.json"),
        ("Use the ORM for reports", "Don't use the ORM for reports"),
        ("Use tabs", "Avoid using tabs"),
        ("Enable gzip on the gateway", "gzip must be disabled on the gateway"),
        ("Turn on gzip", "Turn off gzip"),
        ("Add a license header to new files", "Remove the license header from new files"),
        ("Commits should be signed", "Commits shouldn't be signed"),
        ("Guests are allowed to comment", "Guests are forbidden to comment"),
        ("You must squash commits", "You need not squash commits"),
        ("Acknowledge a message before processing it", "Acknowledge a message after processing it"),
        ("Prefer tabs over spaces", "Prefer spaces over tabs"),
        ("Retry uploads 3 times", "Retry uploads five times"),
        ("Use Node 20 in CI", "Use Node 22 in CI"),
        ("Add retries to the payment client", "Remove retries from the payment client"),
    ],
)
def test_saying_and_denying_the_same_is_contradictory_in_both_orders(one: str, other: str) -> None:
    assert between(one, other) == between(other, one) == "contradictory"


@table(
    ("one", "other"),
    [
        ("Enable debug logging in production", "Disable debug logging in tests"),
        ("Mock the clock in unit tests", "Don't mock the clock in browser tests"),
        ("Always cache templates", "Never cache templates when DEBUG is set"),
        ("We use Varnish for caching pages", "We use Memcached for caching pages"),
        ("The default branch is main", "The default branch is trunk"),
    ],
)
def test_another_condition_or_value_is_ambiguous(one: str, other: str) -> None:
    assert between(one, other) == between(other, one) == "ambiguous"


@table(
    ("one", "other"),
    [
        ("Always run tests with -x", "Never commit on Friday"),
        ("The job queue runs on Redis", "The job queue has three priorities"),
        ("Never call the payment API from tests", "Always call the payment API through PaymentClient"),
        ("Use transactions for multi-row writes", "Don't use nested transactions"),
        ("You should document public classes", "You should not document private functions"),
        ("Enable gzip on the gateway", "Should we disable gzip on the gateway?"),
        ("Enable gzip on the gateway", "Maybe we could disable gzip on the gateway"),
        ("The staging cluster has 3 nodes", "The production cluster has 9 nodes"),
        ("Use gzip", "Use not only gzip"),
        ("", "Never commit on Friday"),
    ],
)
def test_sharing_a_topic_or_a_verb_is_no_conflict(one: str, other: str) -> None:
    assert between(one, other) is None
    assert between(other, one) is None


def test_kinds_that_callers_chose_must_be_equal_unless_a_file_is_shared() -> None:
    rule, ban = "Always validate input", "Never validate input"
    same = detect_conflict(state(rule, "decision", firm=True), state(ban, "decision", firm=True))
    other = detect_conflict(state(rule, "decision", firm=True), state(ban, "preference", firm=True))
    by_file = detect_conflict(
        state(rule, "decision", ["api/users.py"], firm=True),
        state(ban, "preference", ["users.py"], firm=True),
    )
    assert same is not None
    assert other is None
    assert by_file == same


def test_a_record_of_work_does_not_meet_a_rule() -> None:
    assert detect_conflict(state("Removed the cache", "file_change"), state("Add the cache", "pattern")) is None


def test_what_happened_twice_with_other_numbers_is_no_conflict() -> None:
    one, other = "Fixed 3 failing tests in the parser", "Fixed 5 failing tests in the parser"
    assert detect_conflict(state(one, "bugfix"), state(other, "bugfix")) is None


def test_a_conflict_gives_its_reasons() -> None:
    found = detect_conflict(state("Enable gzip in tests", "fact"), state("Disable gzip in production", "fact"))
    assert found == Disagreement("ambiguous", ("opposed: enable", "both about gzip", "under different conditions"))


def test_one_opposed_sentence_among_many_is_enough() -> None:
    long = "The gateway runs nginx. It logs to syslog. Enable gzip on the gateway. Ports are 80 and 443."
    assert between("Never enable gzip on the gateway.", long) == "contradictory"


@table("unit", ["a", "never use x. ", "use default is ", ", not ", "is are every ", "a over b "])
def test_a_megabyte_takes_bounded_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    detect_conflict(state(text, "fact"), state(text + "x", "fact"))
    assert time.process_time() - began < 8
