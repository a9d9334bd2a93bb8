"""What is killed in the middle: each undertaking as a whole, from opening the store to closing it.

An act does one thing as a user's process would, and says of each step that was acknowledged what was promised.
"""

from collections.abc import Callable
from pathlib import Path

from holdfast import Holdfast
from holdfast.drain import drain
from holdfast.wiring import open_guard

Promise = Callable[[str], None]
Act = Callable[[Path, Promise], None]

UNWANTED = "The launch code of the Zanzibarquokka is kept in the Vexillology drawer"
SESSION = "run"
TALK = (
    ("user", "We decided to use bun for packages, because npm is slow."),
    ("assistant", "Noted: bun it is."),
    ("user", "From now on always write prices as integer cents."),
    ("assistant", "I will."),
    ("user", "Remember: the staging server is restarted every Tuesday."),
)


def create(project: Path, promise: Promise) -> None:
    """Make the store, and remember the first thing."""
    with Holdfast.open(project) as memory:
        promise(str(memory.add("The very first note").id))


def write(project: Path, promise: Promise) -> None:
    """Remember one thing, then several at once."""
    with Holdfast.open(project) as memory:
        promise(str(memory.add("Notes are kept in one file").id))
        many = [{"content": f"Module {number} is owned by team {number}"} for number in range(5)]
        for added in memory.add_many(many):
            promise(str(added.id))


def migrate(project: Path, promise: Promise) -> None:
    """Open a store whose schema is older."""
    with Holdfast.open(project) as memory:
        promise(str(memory.add("Said under the new schema").id))


def back_up(project: Path, promise: Promise) -> None:
    """Copy the store."""
    promise(open_guard(project, actor="test").back_up().path)


def restore(project: Path, promise: Promise) -> None:
    """Bring the newest backup back."""
    promise(str(open_guard(project, actor="test").restore().memories))


def forget(project: Path, promise: Promise) -> None:
    """Forget what is not wanted any more."""
    with Holdfast.open(project) as memory:
        for unwanted in [one for one in memory.list() if one.content == UNWANTED]:
            memory.forget(unwanted.id)
        promise("forgotten")


def settle(project: Path, promise: Promise) -> None:
    """Make every vector, and the files that spare the next process the loading."""
    with Holdfast.open(project) as memory:
        memory.search("module owned by a team")
        memory.flush()
        memory._service._scopes.project.vectors.settle()
        promise("settled")


def take_in(project: Path, promise: Promise) -> None:
    """Drain the spool."""
    drain(str(project))
    promise("drained")


def hold_session(project: Path, promise: Promise) -> None:
    """Hold a session whose words become memories when it ends."""
    with Holdfast.open(project) as memory:
        session = memory.start_session(ref=SESSION)
        for place, (role, text) in enumerate(TALK):
            promise(session.record(role, text, at=1_700_000_000_000 + place, ref=str(place)).id)
        session.end()
        promise("ended")


def reindex(project: Path, promise: Promise) -> None:
    """Make the indexes anew."""
    promise(str(open_guard(project, actor="test").reindex()))


ACTS: dict[str, Act] = {
    "create": create,
    "write": write,
    "migrate": migrate,
    "back_up": back_up,
    "restore": restore,
    "forget": forget,
    "settle": settle,
    "take_in": take_in,
    "hold_session": hold_session,
    "reindex": reindex,
}
"""By name."""
