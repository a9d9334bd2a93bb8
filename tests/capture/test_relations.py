"""How two memories stand to each other, through the write path and with the judge that commands ask."""

from collections.abc import Sequence

from msgspec.structs import replace

from holdfast.capture.prepare import WriteContext, prepare
from holdfast.capture.reconcile import Incoming, remember
from holdfast.capture.relations import (
    Stand,
    announcement,
    ask,
    differ,
    say_the_same,
    says_again,
    stand,
    takes_the_place,
)
from holdfast.errors import ModelUnusable
from holdfast.judge import Judge, Relation, Sentence, Verdict
from holdfast.judge.thresholds import Limits
from holdfast.model.memory import Origin
from holdfast.model.requests import Draft
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, PROJECT, a_memory
from tests.judges import BOUNDS
from tests.table import table

DESK = WriteContext(origin=Origin(project=PROJECT, tenant="local", user="ada"), now=NOW)

CONTRADICTING = (
    ("We use bun, never npm", "use npm for installs"),
    ("Retries: max 5", "Retry at most 3 times"),
    ("never commit to main", "commit straight to main, it's fine"),
    ("Tabs, not spaces", "indent with 2 spaces"),
    ("Prices are stored in cents", "store prices as floats in euros"),
    ("no print statements", "print is fine in scripts/"),
    ("let's use Redis", "let's not use Redis after all, Postgres is enough"),
)
LEAST_SEEN = 6

COMPATIBLE = (
    ("We use bun, never npm", "run the tests with bun test --watch"),
    ("We use bun, never npm", "pin the bun version in package.json"),
    ("Retries: max 5", "log every retry with its attempt number"),
    ("Retries: max 5", "the retry delay doubles each time"),
    ("never commit to main", "main is protected, a review is needed to merge"),
    ("never commit to main", "name branches after the ticket"),
    ("Tabs, not spaces", "no trailing spaces at the end of lines"),
    ("Tabs, not spaces", "tabs in the settings page keep their order"),
    ("Prices are stored in cents", "prices are shown with two decimals"),
    ("Prices are stored in cents", "the price of a bundle is the sum of its parts"),
    ("no print statements", "use the logger of the module"),
    ("no print statements", "the print stylesheet lives in print.css"),
    ("let's use Redis", "redis runs on port 6380 in development"),
    ("let's use Redis", "give every redis key a prefix"),
    ("Dates are ISO 8601 in the API", "dates in the UI follow the locale of the browser"),
    ("Every endpoint needs a test", "tests of endpoints live in tests/api"),
    ("Use pytest fixtures, no setUp", "fixtures of the database are in conftest.py"),
    ("The cache lives for 10 minutes", "the cache key contains the tenant"),
    ("Deploys go out on Tuesdays", "a deploy takes 10 minutes"),
    ("Never log personal data", "log the request id on every line"),
    ("Write commit messages in English", "a commit does one thing"),
    ("The admin area needs two-factor login", "the admin area is served under /admin"),
    ("Migrations are forward only", "every migration has a name that says what it does"),
    ("Images are at most 200 kB", "images have an alt text"),
    ("Only the worker writes to the ledger table", "the ledger table has one row per booking"),
    ("Feature flags are read once at start", "feature flags are named after the team"),
    ("Use the repository pattern for the database", "the database is Postgres 16"),
    ("Errors are shown in a toast", "the text of an error comes from the server"),
    ("No inline styles", "the style guide is in docs/style.md"),
    ("Keep functions below 40 lines", "functions have a docstring"),
    ("All strings are translated", "translations are JSON files by language"),
    ("Backups run at 3 am", "backups are encrypted with age"),
    ("Never block the event loop", "the event loop is uvloop"),
    ("Passwords are hashed with argon2", "a password has at least 12 characters"),
    ("The mobile app supports Android 10 and newer", "the mobile app is written in Kotlin"),
    ("Search results are paged by 20", "search results are sorted by date"),
    ("Webhooks are signed", "webhooks are retried for a day"),
    ("Use UTC everywhere on the server", "server logs go to Loki"),
    ("The invoice number has no gaps", "the invoice is a PDF of one page"),
    ("Ask before adding a dependency", "dependencies are updated on Mondays"),
)
MOST_FALSE = 1


def seen(older: str, newer: str, trust: str = "user") -> str | None:
    """Add one text after the other; return `superseded`, the kind of the conflict, or None."""
    store = SqliteStore.in_memory()
    [first], [second] = (
        remember(store, [Incoming(memory)], DESK)
        for memory in (prepare(Draft(content=text, trust=trust), DESK) for text in (older, newer))
        if memory
    )
    [memory] = store.memories.get([first.id or ""])
    conflict = store.conflicts.get(second.conflicts[0]) if second.conflicts else None
    return "superseded" if memory.superseded_by else conflict.kind if conflict else None


def test_contradictions_typed_in_as_a_test_are_seen() -> None:
    """One of the seven may be missed."""
    missed = [pair for pair in CONTRADICTING if seen(*pair) is None]
    assert len(missed) <= len(CONTRADICTING) - LEAST_SEEN, missed


def test_rules_that_only_look_alike_are_left_in_peace() -> None:
    """One of the forty may be taken for a contradiction."""
    false = [pair for pair in COMPATIBLE if seen(*pair)]
    assert len(false) <= MOST_FALSE, false


# ── the rules and the judge ──────────────────────────────────────────────────────────────────────────────────

QUEUE = "We use Redis for the job queue"
SAME, REPLACES, NEAR = (
    Relation(0.97, 0.01, 0.01, 0.01),
    Relation(0.01, 0.97, 0.01, 0.01),
    Relation(0.1, 0.1, 0.7, 0.1),
)


class FixedJudge:
    """Gives every pair the same verdict, and remembers what it was asked."""

    name: str = "fixed"
    limits: Limits = Limits(BOUNDS, BOUNDS)

    def __init__(self, relation: Relation) -> None:
        self._relation = relation
        self.asked: list[tuple[str, str]] = []

    def lasts(self, sentences: Sequence[Sentence]) -> list[Verdict]:
        raise NotImplementedError

    def relates(self, pairs: Sequence[tuple[str, str]]) -> list[Relation]:
        self.asked += pairs
        return [self._relation] * len(pairs)


def between(older: str, newer: str, judged: Relation | None = None, **fields: object) -> Stand | None:
    """Say how two memories stand that were guessed to be decisions."""
    first, second = (a_memory(content=text, kind_confidence=0.5, **fields) for text in (older, newer))
    return stand(first, second, judged)


@table(
    ("older", "newer", "cue"),
    [
        (QUEUE, "Amendment: we no longer use Redis for the job queue, switched to Postgres", "amendment"),
        ("The importer skips rows without email", "The importer no longer skips rows without email", "no longer"),
        ("Use moment.js for dates", "Use date-fns instead of moment.js for dates", "instead of"),
        ("Jobs run on Celery with RabbitMQ", "Switched from Celery to Dramatiq for jobs on RabbitMQ", "switched"),
        ("Prices are rounded half up", "From now on prices are rounded half to even", "from now on"),
        ("Sessions are kept in Redis", "Sessions are now kept in Redis Cluster", "we now"),
        ("The job queue moved to Postgres", "Back to Redis for the job queue", "back to"),
    ],
)
def test_an_announced_change_of_the_same_topic_is_a_revision(older: str, newer: str, cue: str) -> None:
    assert announcement(older, newer) == cue
    assert between(older, newer) == Stand("superseded", cue, whole=True)


@table(
    ("older", "newer"),
    [
        (QUEUE, "We no longer use Jenkins for the nightly build"),
        (QUEUE, "We now use Redis for rate limiting as well"),
        (QUEUE, "Should we no longer use Redis for the job queue?"),
        ("Cache pages", "From now on pages load"),
        ("", "Amendment: we no longer use Redis for the job queue"),
    ],
)
def test_an_announcement_alone_or_a_topic_alone_revises_nothing(older: str, newer: str) -> None:
    assert announcement(older, newer) is None


def test_the_judge_must_be_surer_where_nothing_else_speaks_for_it() -> None:
    """An opposed word, another number or an announcement is evidence; and what differs cannot be the same."""
    likely = Relation(0.02, 0.85, 0.1, 0.03)
    assert between("Reports are made on demand", "Reports are made every night at two", likely) is None
    assert between("Reports are made on demand", "Reports are made every night at two", REPLACES) is not None
    assert between("Uploads stop at 3 tries", "give uploads 5 tries and a pause", likely) is not None
    assert between(
        "Never call the API in tests", "call the API in tests of the client", Relation(0.8, 0.18, 0.01, 0.01)
    )


def test_a_question_replaces_nothing_whatever_the_judge_says() -> None:
    assert (
        between("The importer runs after the nightly job", "Why was the job of the importer late?", REPLACES)
        is None
    )
    assert (
        between("The importer runs after the nightly job", "The job of the importer is gone", REPLACES) is not None
    )
    rule = "The importer never runs before the nightly job"
    assert not takes_the_place(rule, "Why did the importer run before the nightly job?", REPLACES)
    assert takes_the_place(rule, "The importer runs before the nightly job", REPLACES)


def test_what_a_number_names_is_another_thing_whatever_the_judge_says() -> None:
    assert between("Worker 3 handles the queue", "Worker 4 handles the queue", REPLACES) is None
    assert between("Worker 3 handles the queue", "Worker 3 drains a queue", REPLACES) is not None
    assert between("Module number 2 handles step 3", "Module number 13 handles step 3", REPLACES) is None
    assert between("Worker 3 handles the queue", "Ticket 9: worker 3 drains a queue", REPLACES) is not None
    assert not takes_the_place("Uploads of team 1 stop at 25 MB", "Uploads of team 2 stop at 35 MB", REPLACES)
    assert takes_the_place("Uploads of team 1 stop at 25 MB", "Uploads of team 1 stop at 35 MB", REPLACES)


def test_two_that_share_one_word_need_more_than_the_judge() -> None:
    """Another number or an opposed word; and then the judge is sure."""
    rule, likely = "Uploads stop at 3 tries", Relation(0.02, 0.87, 0.08, 0.03)
    assert between(rule, "uploads go to the mail worker", REPLACES) is None
    assert between(rule, "give uploads 5 tries and a pause", REPLACES) is not None
    assert between("Reports have 3 pages", "print 5 pages", REPLACES) is not None
    assert between("Reports have 3 pages", "print 5 pages", likely) is None


UPLOADS = "uploads are capped at 25 MB"


@table(
    ("newer", "replaces", "noted", "outcome"),
    [
        ("uploads are streamed, the cap is gone", 0.7, False, True),
        ("uploads are streamed, the cap is gone", 0.6, False, False),
        ("uploads are streamed, the cap is gone", 0.95, True, False),  # only noted, and nothing shows a change
        ("uploads are capped at 50 MB now", 0.85, True, True),
        ("uploads are capped at 50 MB now", 0.75, True, False),
        ("uploads look slow today", 0.95, False, False),  # one word in common
        ("uploads may have 40 MB", 0.95, False, True),  # one word in common, and another number of the same
        ("the invoice has 30 lines", 0.99, False, False),
    ],
)
def test_in_talk_a_replacement_shares_words_and_the_surer_the_less_else_speaks_for_it(
    newer: str, replaces: float, noted: bool, outcome: bool
) -> None:
    relation = Relation(same=0.0, replaces=replaces, near=1 - replaces, other=0.0)
    assert takes_the_place(UPLOADS, newer, relation, noted=noted) is outcome


def test_in_talk_a_repetition_shares_a_third_of_the_words() -> None:
    sure = Relation(same=0.99, replaces=0.0, near=0.01, other=0.0)
    newer = (
        "we cap uploads at 25 MB",
        "uploads of the shop are checked by the mail worker before they are stored",
    )
    assert [says_again(UPLOADS, text, sure) for text in newer] == [True, False]
    assert not says_again(UPLOADS, newer[0], sure._replace(same=0.7))


def test_in_talk_what_gives_another_number_is_no_repetition() -> None:
    sure = Relation(same=0.99, replaces=0.0, near=0.01, other=0.0)
    assert not says_again("uploads of team 1 are capped at 25 MB", "uploads of team 2 are capped at 35 MB", sure)
    assert says_again("uploads of team 1 are capped at 25 MB", "25 MB is the cap for uploads of team 1", sure)


def test_a_long_memory_is_not_replaced_as_a_whole() -> None:
    long = "The gateway runs nginx. Logs go to Loki. Uploads are buffered. We use Redis for the job queue."
    assert between(long, "Postgres does the job queue", REPLACES) == Stand("superseded", "judged", whole=False)


def test_documents_and_commits_are_not_put_to_the_judge() -> None:
    """What was taken in stands side by side, however alike or opposed it is in the eyes of the judge."""
    judge = FixedJudge(REPLACES)
    desk = replace(DESK, judge=lambda: judge)
    memories = [
        prepare(Draft(content=text, trust="imported"), desk) for text in (QUEUE, "The job queue has 3 lanes")
    ]
    store = SqliteStore.in_memory()
    results = remember(store, [Incoming(memory) for memory in memories if memory], desk)
    assert (judge.asked, [result.conflicts for result in results]) == ([], [(), ()])


def test_sections_of_one_file_stand_side_by_side() -> None:
    """The options of two commands are no contradiction."""
    older = a_memory(content="Always show the deleted rows.", trust="imported", files=("docs/cli.md",))
    newer = a_memory(content="Never show the deleted rows.", trust="imported", files=("docs/cli.md",))
    assert stand(older, newer, None) is None
    assert stand(older, replace(newer, files=("docs/api.md",)), None) == Stand("contradictory")


def test_a_batch_asks_the_judge_once_and_an_empty_store_never() -> None:
    judge = FixedJudge(NEAR)
    opened: list[int] = []

    def opens() -> Judge:
        opened.append(1)
        return judge

    store, desk = SqliteStore.in_memory(), replace(DESK, judge=opens)
    for texts in ((QUEUE,), ("The job queue has 3 lanes", "The job queue is watched", "Lunch is at noon")):
        memories = [prepare(Draft(content=text), desk) for text in texts]
        remember(store, [Incoming(memory) for memory in memories if memory], desk)
    assert len(opened) == 1
    assert (QUEUE, "The job queue has 3 lanes") in judge.asked


def test_by_the_judge_alone_only_a_persons_word_replaces_a_persons() -> None:
    """Anything else is a conflict for a person to settle."""
    pair = ("Sales reports are made on demand", "The nightly job makes the sales reports")
    outcomes = []
    for trust in ("user", "agent"):
        store, desk = SqliteStore.in_memory(), replace(DESK, judge=lambda: FixedJudge(REPLACES))
        for text in pair:
            memory = prepare(Draft(content=text, trust=trust), desk)
            [added] = remember(store, [Incoming(memory)], desk) if memory else [None]
        conflicts = [conflict.kind for conflict in store.conflicts.unresolved(NOW)]
        outcomes.append((len(store.memories.walk(None, 9)), conflicts, bool(added and added.conflicts)))
    assert outcomes == [(2, [], False), (2, ["superseded"], True)]


def test_without_a_usable_judge_the_rules_remain() -> None:
    def broken() -> Judge:
        raise ModelUnusable(problem="light.bin is cut short")

    assert ask([("a", "b")], broken) == [None]


# ── the same ─────────────────────────────────────────────────────────────────────────────────────────────────


@table(
    ("one", "other"),
    [
        ("Use Redis for the job queue", "We use Redis for job queue."),
        ("Run tests with -x", "Tests are run with -x"),
        ("The deploy script needs the VPN to be up", "Deploy scripts need the VPN to be up"),
    ],
)
def test_the_same_said_otherwise_is_reported(one: str, other: str) -> None:
    assert between(one, other) == between(other, one) == Stand("same")


@table(
    ("one", "other"),
    [
        ("Retry uploads 3 times", "Retry uploads 5 times"),
        ("Use tabs in Makefiles", "Don't use tabs in Makefiles"),
        ("Flags live in config/flags.toml", "Flags live in settings/flags.toml"),
        ("parse_order raises", "parse_invoice raises"),
        ("x > 5 wins", "x < 5 wins"),
        ("We use C", "We use C++"),
        ("Is the cache shared?", "The cache is shared"),
    ],
)
def test_another_number_negation_sign_or_name_is_never_the_same(one: str, other: str) -> None:
    assert differ(one, other)
    assert not say_the_same(one, other, SAME)
    assert between(one, other, SAME) != Stand("same")


def test_the_judge_adds_what_is_the_same_in_another_order() -> None:
    one, other = "The nightly job rebuilds the search index", "The search index is rebuilt by the nightly job"
    assert between(one, other, SAME) == Stand("same")
    assert not say_the_same(one, other)
