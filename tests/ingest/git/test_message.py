"""What a commit's message is worth: nothing, evidence, or a memory of a kind."""

from holdfast.ingest.git import Commit
from holdfast.ingest.history import by_machine, is_trivial, prose, read_message
from tests.rows import each


def a_commit(message: str, author: str = "Ada <ada@example.com>") -> Commit:
    return Commit(id="a" * 40, at=0, author=author, message=message, files=())


@each(
    "author",
    [
        "dependabot[bot] <49699333+dependabot[bot]@users.noreply.github.com>",
        "Renovate Bot <bot@renovateapp.com>",
        "github-actions <actions@github.com>",
        "pre-commit-ci[bot] <x@y>",
        "CI <release-bot@example.com>",
    ],
)
def test_programs_are_told_by_their_names(author: str) -> None:
    assert by_machine(a_commit("Bump things", author))


@each("author", ["Abbot Costello <abbot@example.com>", "Robot Fan <fan@example.com>"])
def test_people_are_not_taken_for_programs(author: str) -> None:
    assert not by_machine(a_commit("x", author))


@each(
    "message",
    [
        "wip",
        "fix: typo",
        "Fix typo in README",
        "[docs] minor",
        "perf: simplify retry",
        "1.2.3",
        "v2.0.0 release candidate notes",
        "Bump version to 3.1",
        "chore(deps): bump serde from 1.0.1 to 1.0.2",
        "fixup! Cap the retries at seven",
        "style: formatting of the whole tree",
        "Update changelog for the release",
        "Merge branch 'main' into topic",
        "lint\n\nSigned-off-by: Ada <ada@example.com>",
    ],
)
def test_messages_that_say_nothing_are_trivial(message: str) -> None:
    assert is_trivial(a_commit(message))


@each(
    "message",
    [
        "Cap the retries at seven",
        "fix: typo\n\nThe name was sent to the ledger, which rejected the row.",
        'Revert "x"',
        "release: never publish from a branch other than main\n\nThe mirror breaks otherwise.",
    ],
)
def test_messages_that_say_something_are_not(message: str) -> None:
    assert not is_trivial(a_commit(message))


@each(
    "message, kind",
    [
        (
            "feat: quote leading zeros\n\nPart numbers must stay as they are, because lookups compare text.",
            "decision",
        ),
        ("refactor!: drop Python 3.8\n\nNothing else.", "decision"),
        ("Drop the old API\n\nBREAKING CHANGE: callers pass a session.", "decision"),
        ("Move to Postgres\n\nWe decided against Redis after the outage.", "decision"),
        (
            "Guard the cache\n\nNever share it between threads. Do not fork while it is open, it is unsafe.",
            "warning",
        ),
        ("fix: handle an empty list in chunked", "bugfix"),
        ("[parser] Fix crash on empty input", "bugfix"),
        ("Add a progress bar to the importer", None),
        ("Avoid an allocation in the inner loop", None),
        ("Don't free the pool in reset()", None),
        ("perf: cache the compiled pattern\n\nSaves 3 ms a call.", None),
    ],
)
def test_only_what_is_stated_has_a_kind(message: str, kind: str | None) -> None:
    assert read_message(a_commit(message)).kind == kind


def test_a_reason_makes_a_statement_weigh_more() -> None:
    bare, explained = (
        read_message(a_commit("fix: handle empty lists")),
        read_message(a_commit("fix: handle empty lists\n\nThey came.")),
    )
    assert bare.importance < explained.importance


def test_a_revert_names_what_it_takes_back_and_counts_as_a_decision_when_it_says_why() -> None:
    template = f'Revert "Use Redis"\n\nThis reverts commit {"b" * 40}.'
    bare, explained = (
        read_message(a_commit(template)),
        read_message(a_commit(f"{template}\n\nIt lost jobs under load.")),
    )
    assert (bare.reverts, bare.kind) == ("b" * 40, "change")
    assert (explained.reverts, explained.kind) == ("b" * 40, "decision")


def test_trailers_are_no_words_of_the_message() -> None:
    trailers = ("Signed-off-by: A <a@b>", "Co-authored-by: B <b@c>", "(cherry picked from commit abcdef1)")
    body = "\n".join(("Why.", "", *trailers))
    assert prose(body) == "Why."
    assert read_message(a_commit(f"Say why\n\n{body}")).text == "Say why\n\nWhy."
