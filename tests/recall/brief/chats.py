"""Sessions for tests: who said what, recorded as a program would."""

from collections.abc import Sequence

from holdfast import Holdfast
from tests.contract.builders import NOW

DAY = 86_400_000
ROLES = {"u": "user", "a": "assistant", "t": "tool"}


def record(memory: Holdfast, *said: tuple[str, str], days_ago: float = 10, end: bool = True) -> str:
    """Record a session; return its id."""
    at = NOW - int(days_ago * DAY)
    session = memory.start_session(agent="codex", at=at)
    for place, (who, text) in enumerate(said):
        tool = "bash" if who == "t" else None
        session.record(ROLES[who], text, at=at + place * 60_000, tool=tool)
    if end:
        session.end()
    return session.id


def talk(number: int) -> Sequence[tuple[str, str]]:
    """Return a chat in which nothing is settled, about something of its own."""
    subjects = ("parser", "colours", "packaging", "threads", "typing", "docs", "caching", "fonts")
    subject = subjects[number % len(subjects)]
    return (
        (
            "u",
            f"Hey, I was looking at the {subject} code number {number}, do you remember why it looks like that?",
        ),
        (
            "a",
            f"Yeah, I think the {subject} part was written in a hurry. It might be worth a second look some day.",
        ),
        ("u", f"Makes sense. Maybe I could try to read the {subject} tests first, what do you think?"),
        ("a", "Sounds good, thanks for looking into it!"),
    )
