"""Opposed rules on one topic are found; two rules that only share a topic are left in peace."""

import time

from holdfast.capture.opposed import Opposition, opposition
from holdfast.model.memory import AMBIGUOUS, CONTRADICTORY
from tests.table import table


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
        ("Remember to always use pytest", "Never use pytest"),
        ("Please remember: never push to main", "Push to main"),
        ("Add retries to the payment client", "Remove retries from the payment client"),
        (
            "Never enable gzip on the gateway.",
            "The gateway runs nginx. It logs to syslog. Enable gzip on the gateway. Ports are 80 and 443.",
        ),
    ],
)
def test_saying_and_denying_the_same_is_contradictory_in_both_orders(one: str, other: str) -> None:
    assert opposition(one, other) == opposition(other, one) == Opposition(CONTRADICTORY)


@table(
    ("one", "other"),
    [
        ("Enable debug logging in production", "Disable debug logging in tests"),
        ("Mock the clock in unit tests", "Don't mock the clock in browser tests"),
        ("Always cache templates", "Never cache templates when DEBUG is set"),
    ],
)
def test_another_condition_is_ambiguous(one: str, other: str) -> None:
    assert opposition(one, other) == opposition(other, one) == Opposition(AMBIGUOUS)


@table(
    ("one", "other"),
    [
        ("Never call the payment API from tests", "Always call the payment API through PaymentClient"),
        ("Use transactions for multi-row writes", "Don't use nested transactions"),
        ("You should document public classes", "You should not document private functions"),
    ],
)
def test_opposed_words_with_little_else_in_common_are_left_to_the_judge(one: str, other: str) -> None:
    assert opposition(one, other) == opposition(other, one) == Opposition(None)


@table(
    ("one", "other"),
    [
        ("Always run tests with -x", "Never commit on Friday"),
        ("The job queue runs on Redis", "The job queue has three priorities"),
        ("Enable gzip on the gateway", "Should we disable gzip on the gateway?"),
        ("Enable gzip on the gateway", "Maybe we could disable gzip on the gateway"),
        ("Use gzip", "Use not only gzip"),
        ("I remember that we used tabs", "Never use tabs"),
        ("I wish we used tabs", "Never use tabs"),
        ("The staging cluster has 3 nodes", "The production cluster has 9 nodes"),
        ("", "Never commit on Friday"),
    ],
)
def test_sharing_a_topic_or_a_verb_is_no_opposition(one: str, other: str) -> None:
    assert opposition(one, other) is opposition(other, one) is None


@table("unit", ["a", "never use x. ", "use default is ", ", not ", "is are every ", "a over b "])
def test_a_megabyte_takes_bounded_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    opposition(text, text + "x")
    assert time.process_time() - began < 8
