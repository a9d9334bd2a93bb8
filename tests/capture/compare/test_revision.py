"""An announced change of a rule is recognised as its revision, and nothing else is."""

import time

from holdfast.capture.compare.revision import Revision, detect_revision
from holdfast.capture.compare.statement import state
from tests.table import table

QUEUE = "We use Redis for the job queue"
AMENDED = "Amendment: we no longer use Redis for the job queue, switched to Postgres LISTEN/NOTIFY"


def revision(new: str, old: str) -> Revision | None:
    return detect_revision(state(new, "observation"), state(old, "observation"))


def test_the_amendment_of_the_queue_rule_revises_it_as_a_whole() -> None:
    assert revision(AMENDED, QUEUE) == Revision("amendment", frozenset({"redis", "job", "queu"}), whole=True)


@table("back", ["Back to Redis for the job queue", "back to Redis: LISTEN/NOTIFY dropped messages"])
def test_going_back_revises_the_amendment(back: str) -> None:
    found = revision(back, AMENDED)
    assert found is not None
    assert found.whole


@table(
    ("old", "new", "cue"),
    [
        (
            "The importer skips rows without email",
            "The importer no longer skips rows without email",
            "no longer",
        ),
        (
            "Use moment.js for dates in the web app",
            "Use date-fns instead of moment.js for dates",
            "instead of",
        ),
        ("Jobs run on Celery with RabbitMQ", "Switched from Celery to Dramatiq for jobs", "switched"),
        (
            "Passwords are hashed with bcrypt",
            "bcrypt was replaced by argon2id for password hashing",
            "replaced",
        ),
        ("The portal supports Internet Explorer 11", "Dropped Internet Explorer 11 in the portal", "retired"),
        ("Prices are rounded half up", "From now on prices are rounded half to even", "from now on"),
        ("Pull requests need one review", "Pull requests need two reviews now", "now"),
        ("The upload limit is 10 MB", "Raised the upload limit to 25 MB", "resized"),
        ("Dates in the UI are shown in UTC", "Dates in the UI are shown in local time instead", "instead"),
        ("Sessions are kept in Redis", "Sessions are kept in Postgres, not Redis", "not"),
        ("Always Google style docstrings", "Switch docstrings to NumPy style", "switched"),
        ("cap at 100 items per page, for all list endpoints", "let's cap at 50", "another value"),
        ("node is 20.11, the base image has to match", "we're on node 22.11 from today", "another value"),
        ("both apps: httpOnly cookie, 30 days, no jwt", "so login cookie down to 14 days then", "resized"),
        ("don't commit or push, leave it in the work tree", "you may commit and push yourself", "allowed"),
        ("every migration needs a downgrade", "forget the downgrades, migrations only go forward", "given up"),
        (
            "Render invoices on the client",
            "Changed our mind: render invoices on the server",
            "change of mind",
        ),
    ],
)
def test_each_cue_with_a_shared_topic_revises(old: str, new: str, cue: str) -> None:
    found = revision(new, old)
    assert found is not None
    assert (found.cue, found.whole) == (cue, True)


@table(
    ("old", "new"),
    [
        (QUEUE, "We no longer use Jenkins for the nightly build"),
        (QUEUE, "We now use Redis for rate limiting as well"),
        ("The importer validates each row", "The importer no longer needs a header row"),
        ("Added a health route to server/routes.py", "Removed the debug route from server/routes.py"),
        ("Dropped Python 2 support in the parser", "We dropped Python 2 support in the parser last year"),
        ("The disk alert fires at 85 percent", "Raised the memory alert to 90 percent of the limit"),
        (QUEUE, "Should we no longer use Redis for the job queue?"),
        (QUEUE, "Maybe we could switch the job queue from Redis to Postgres"),
        ("Should we use Redis for the job queue?", AMENDED),
        ("Cache pages", "From now on pages load"),
        ("it's 30 days after delivery", "login cookie down to 14 days"),
        ("do not add seeds", "bookings may be done for one person, no need to add all guests"),
        ("Never log request bodies.", "Request bodies are hashed, the hash may be logged."),
        ("no triggers in the database", "the database may be restarted at night"),
        ("The upload limit is generous", "Raised the upload limit to 25 MB"),
        (QUEUE, QUEUE),
        ("", AMENDED),
    ],
)
def test_a_cue_alone_or_a_topic_alone_revises_nothing(old: str, new: str) -> None:
    assert revision(new, old) is None


@table(
    ("old", "new"),
    [
        ("We use npm for package management", "Switched from npm to pnpm"),
        ("We use Jest for testing", "We now use Vitest for testing"),
        ("We deploy on Fridays", "We now deploy on Mondays"),
        ("Order ids are sequential integers", "Order ids are UUIDs now"),
    ],
)
def test_little_shared_but_the_name_given_up_is_flagged_not_replaced(old: str, new: str) -> None:
    found = revision(new, old)
    assert found is not None
    assert not found.whole


def test_a_long_memory_touched_in_one_part_is_not_replaced_as_a_whole() -> None:
    long = (
        "The gateway runs nginx on two nodes behind a floating address. Certificates are rotated monthly. "
        "Access logs are shipped to Loki with the tenant as label. Uploads are buffered on disk. "
        "The admin area is reachable from the office network. We use Redis for the job queue."
    )
    found = revision("We no longer use Redis for the job queue", long)
    assert found is not None
    assert not found.whole


@table("unit", ["a", "switched from ", "set ", "no longer use ", ", not ", "retired ", "now on x. "])
def test_a_megabyte_takes_bounded_time(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    began = time.process_time()
    revision(text + "x", text)
    assert time.process_time() - began < 8
