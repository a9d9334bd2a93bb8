"""The parts of a score."""

import pytest

from holdfast.model.kinds import KINDS as EVERY_KIND
from holdfast.model.kinds import STATUSES, TRUSTS
from holdfast.model.limits import DAY_MS
from holdfast.recall.brief import weights
from holdfast.recall.brief.weights import Scene, affinity, memory_parts, score, thread_parts, turn_trust
from tests.contract.builders import NOW, a_memory, a_session, a_thread, a_turn
from tests.table import table

SCENE = Scene(NOW, ("src/auth/login.py",))


def parts(**fields: object) -> dict[str, float]:
    """Return the parts of a memory's score."""
    return memory_parts(a_memory(**fields), SCENE)


def test_every_kind_status_and_trust_has_its_weight() -> None:
    assert set(weights.KINDS) == set(EVERY_KIND)
    assert set(weights.STATUSES) == set(STATUSES)
    assert set(weights.TRUSTS) == set(TRUSTS)


def test_what_a_tool_said_is_worth_nothing() -> None:
    assert parts(trust="tool")["trust"] == 0
    session = a_session()
    assert turn_trust(a_turn(session, "x", tool="bash")) == "tool"
    assert [turn_trust(a_turn(session, "x", role=role)) for role in ("user", "Human", "assistant")] == [
        "user", "user", "agent",
    ]  # fmt: skip


def test_newer_counts_more_and_what_lasts_ages_slowly() -> None:
    old = NOW - 90 * DAY_MS
    assert parts(kind="fact")["recency"] > parts(kind="fact", renewed_at=old)["recency"]
    assert parts(kind="decision", renewed_at=old)["recency"] > parts(kind="fact", renewed_at=old)["recency"]
    assert parts(renewed_at=NOW + DAY_MS)["recency"] == pytest.approx(1.1)


def test_reads_count_and_ever_less() -> None:
    found = [parts(reads=reads)["reads"] for reads in (0, 1, 3, 1_000, 100_000)]
    assert found[0] == 1.0
    assert found == sorted(found)
    assert found[-1] == found[-2] == 1.25


@table(
    ("path", "expected"),
    [
        ("src/auth/login.py", 1.4),
        ("auth/login.py", 1.4),
        ("login.py", 1.4),
        ("web/login.py", 1.2),
        ("src/auth/token.py", 1.1),
        ("src/db/pool.py", 1.0),
    ],
)
def test_the_file_at_hand_counts_most_then_its_name_then_its_folder(path: str, expected: float) -> None:
    assert affinity([path], SCENE.files) == expected
    assert parts(files=(path,))["files"] == expected


def test_a_thread_that_touched_the_file_at_hand_is_about_it() -> None:
    thread = a_thread(files=("src/auth/login.py",))
    assert thread_parts(thread, SCENE)["files"] == 1.4


def test_status_and_trust_rank_what_a_person_said_and_confirmed_above_the_rest() -> None:
    assert parts(status="pinned")["status"] > parts(status="confirmed")["status"] > parts()["status"]
    assert parts(trust="user")["trust"] > parts()["trust"] > parts(trust="imported")["trust"] > 0


def test_a_score_is_the_product_of_its_parts() -> None:
    assert score({"a": 0.5, "b": 3.0}) == 1.5
