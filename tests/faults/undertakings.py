"""What is killed in the middle: each undertaking as a whole, from opening the store to closing it.

An act does one thing as a user's process would, and says of each step that was acknowledged what was promised.
"""

import contextlib
import io
import os
from collections.abc import Callable
from pathlib import Path

from holdfast import Holdfast
from holdfast.agents import spool
from holdfast.interfaces.cli.main import run
from holdfast.storage.drain import drain
from holdfast.storage.workspace import open_guard
from holdfast.stores.sqlite.migrate import migrations
from holdfast.stores.sqlite.store import Care
from tests.embedded import service_behind
from tests.faults.worker import SECOND_STEP, bring_up

Promise = Callable[[str], None]
Act = Callable[[Path, Promise], None]

IMPORTED = "memories.jsonl"
UNWANTED = "The launch code of the Zanzibarquokka is kept in the Vexillology drawer"
SESSION = "run"
TALK = (
    ("user", "Remember: we use bun for packages, because npm is slow."),
    ("assistant", "Noted: bun it is."),
    ("user", "Please remember that prices are integer cents."),
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
    """Open a store whose schema is one step behind."""
    guard = open_guard(project, actor="test")
    care = Care(before_migration=guard.back_up_before_migration, migrations=[*migrations(), SECOND_STEP])
    bring_up(project, care).close()
    promise("migrated")


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
        service_behind(memory)._scopes.project.vectors.settle()
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


def bring_in(project: Path, promise: Promise) -> None:
    """Import the file that lies in the project."""
    with contextlib.redirect_stdout(io.StringIO()):
        code = run(["import", str(project / IMPORTED), "--project", str(project)])
    promise(f"code:{code}")


def busy_day(project: Path, promise: Promise, rounds: int = 3) -> None:
    """Do everything that writes: remember, talk, forget, back up, leave entries in the spool and drain it."""
    for round_ in range(rounds):
        hear(project, f"Heard before round {round_}", promise)
        with Holdfast.open(project) as memory:
            ids = [str(memory.add(f"Rule {round_}-{n} says token{n}x{round_} is used").id) for n in range(4)]
            for known in ids:
                promise(f"memory:{known}")
            session = memory.start_session(ref=f"s{round_}")
            for place, (role, text) in enumerate(TALK):
                promise(f"turn:{session.record(role, f'{text} ({round_})', ref=f'{round_}-{place}').id}")
            session.end()
            promise(f"forgetting:{ids[0]}")
            memory.forget(ids[0])
            promise(f"forgotten:{ids[0]}")
        promise(f"backup:{open_guard(project, actor='test').back_up().path}")
        hear(project, f"Heard in round {round_}", promise)
        take_in(project, promise)


def short_day(project: Path, promise: Promise) -> None:
    """Do everything that writes once."""
    busy_day(project, promise, rounds=1)


def work_on(project: Path, promise: Promise) -> None:
    """Do some of everything beside others, in words that `HOLDFAST_WORK` makes one's own."""
    words = os.environ["HOLDFAST_WORK"]
    with Holdfast.open(project) as memory:
        ids = [str(memory.add(f"{words}, rule {n}").id) for n in range(3)]
        for known in ids:
            promise(f"memory:{known}")
        for added in memory.add_many([{"content": f"{words}, item {n}"} for n in range(5)]):
            promise(f"memory:{added.id}")
        session = memory.start_session(ref=words)
        for place, (role, text) in enumerate(TALK):
            promise(f"turn:{session.record(role, f'{text} ({words})', ref=f'{words}-{place}').id}")
        session.end()
        promise(f"forgetting:{ids[0]}")
        memory.forget(ids[0])
        promise(f"forgotten:{ids[0]}")
    hear(project, f"Heard at desk {words.rpartition(' ')[2]}", promise)  # nothing that was just forgotten
    take_in(project, promise)
    open_guard(project, actor="test").back_up()


def hear(project: Path, text: str, promise: Promise) -> None:
    """Leave an entry in the spool, as a hook does: what cannot be left is not promised, and nobody's error."""
    entry: dict[str, object] = {"client": "claude", "agent": "claude-code", "session": "h", "at": 1}
    said = {"kind": "prompt", "role": "user", "text": text, "ref": f"user:{text}"}
    with contextlib.suppress(OSError):
        spool.append(spool.prepare(str(project)), spool.name_of("claude", "h"), entry | said)
        promise(f"heard:{text.replace(' ', '_')}")


def listen(project: Path, promise: Promise) -> None:
    """Leave entries in the spool."""
    for number in range(3):
        hear(project, f"Heard as number {number}", promise)


ACTS: dict[str, Act] = {
    "busy_day": busy_day,
    "short_day": short_day,
    "work_on": work_on,
    "listen": listen,
    "bring_in": bring_in,
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
