"""Who says it decides how far it is believed."""

from msgspec.structs import replace

from holdfast.capture.precedence import after_read, first_status, may_return, said_again
from holdfast.model.limits import DAY_MS
from tests.contract.builders import NOW, a_memory
from tests.table import table


@table(
    ("trust", "status"),
    [("user", "confirmed"), ("agent", "candidate"), ("tool", "candidate"), ("imported", "candidate")],
)
def test_only_a_persons_word_is_confirmed_at_once(trust: str, status: str) -> None:
    """And only a person brings back what was forgotten."""
    assert first_status(trust) == status
    assert may_return(trust) == (trust == "user")


@table(
    ("kept", "by", "then"),
    [
        (("agent", "candidate"), "user", ("user", "confirmed")),
        (("tool", "pinned"), "user", ("user", "pinned")),
        (("user", "confirmed"), "agent", ("user", "confirmed")),
        (("tool", "candidate"), "agent", ("tool", "candidate")),
        (("imported", "candidate"), "agent", ("imported", "candidate")),
        (("agent", "candidate"), "imported", ("agent", "candidate")),
    ],
)
def test_said_again_only_a_persons_word_raises_trust(
    kept: tuple[str, str], by: str, then: tuple[str, str]
) -> None:
    """And nothing lowers it."""
    trust, status = kept
    again = a_memory(trust=by, status=first_status(by))
    assert said_again(a_memory(trust=trust, status=status), again) == then


def test_a_read_confirms_an_agents_candidate_once_a_day_has_passed() -> None:
    """Not a millisecond earlier."""
    memory = a_memory(renewed_at=NOW)
    assert after_read(memory, NOW + DAY_MS - 1) is memory
    assert after_read(memory, NOW + DAY_MS) == replace(memory, status="confirmed")


@table(
    "fields",
    [{"trust": "tool"}, {"trust": "imported"}, {"status": "pinned"}, {"status": "confirmed", "trust": "user"}],
)
def test_a_read_changes_nothing_else(fields: dict[str, object]) -> None:
    """What came from tools and files waits for a person."""
    memory = a_memory(renewed_at=0, **fields)
    assert after_read(memory, NOW) is memory
