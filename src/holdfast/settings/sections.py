"""How a setting is declared, and the sections of settings about the store and its upkeep."""

from typing import TypeVar

from holdfast.machine import server_url
from holdfast.model.kinds import FADES_AFTER_DAYS
from holdfast.model.upkeep import MAX_BYTES, PROMOTED_MOST
from holdfast.model.value import Value, field
from holdfast.settings.hooks import START_BUDGET

T = TypeVar("T")


def declare(default: T, doc: str, *, kind: type | None = None, harmless: bool = False, **rules: object) -> T:
    """Declare a setting: its default, what it does, whether a repository may set it, and what it may be.

    Its kind is that of its default, and has to be said where that is None.
    """
    return field(
        default=default, metadata={"doc": doc, "harmless": harmless, "kind": kind or type(default), **rules}
    )


class StoreConfig(Value):
    """Where and how memory is kept."""

    path: str | None = declare(
        None, "The database file, from the project root, instead of `.holdfast/memory.db`.", kind=str
    )
    synchronous: str = declare(
        "normal",
        "`normal` survives the crash of any process; `full` also waits for the disk at every write (power loss).",
        choices=("normal", "full"),
    )
    busy_timeout_ms: int = declare(
        5_000,
        "How long a write waits for another process before it gives up, in milliseconds.",
        least=0,
        most=600_000,
    )
    url: str | None = declare(
        None,
        "The PostgreSQL server that keeps memory instead of a file, such as `postgresql://db.example/holdfast`.",
        kind=str,
        own=True,
        secret=True,
        problem=server_url.problem_with,
    )
    tenant: str | None = declare(None, "With `store.url`: whose memory it is there.", kind=str, own=True)
    replica_url: str | None = declare(
        None,
        "With `store.url`: a copy of that server which answers reads once it has what was written here.",
        kind=str,
        own=True,
        secret=True,
        problem=server_url.problem_with,
    )


class UpkeepConfig(Value):
    """How much is kept."""

    auto: bool = declare(True, "Whether upkeep happens by itself, a little at a time.")
    max_bytes: int = declare(
        MAX_BYTES, "Bytes in use beyond which what is needed least goes.", least=1_048_576, most=1 << 50
    )
    max_memories: int | None = declare(
        None,
        "Memories, history included, beyond which those read longest ago go.",
        kind=int,
        least=1,
        most=1 << 40,
    )
    promoted: int = declare(
        PROMOTED_MOST, "Memories that may come from sessions by themselves.", least=10, most=1_000_000
    )
    turn_days: int | None = declare(
        None,
        "Days that turns which prove no memory are kept after their session ended.",
        kind=int,
        least=1,
        most=36_500,
    )
    merge: bool = declare(True, "Whether memories that say the same become one.")


class ExtractorConfig(Value):
    """A model that reads sessions that are over. Off until you name one."""

    url: str | None = declare(
        None,
        "The OpenAI-compatible server that reads what was said in sessions, up to `/chat/completions`, such as "
        "`http://localhost:11434/v1`. Unset: none does.",
        kind=str,
        own=True,
    )
    model: str | None = declare(None, "The model's name there.", kind=str, own=True)
    key_env: str = declare(
        "HOLDFAST_EXTRACTOR_KEY", "The environment variable that holds the key, if it needs one.", own=True
    )
    key_file: str | None = declare(
        None, "A file that holds the key, where the variable is not set.", kind=str, own=True
    )
    timeout_ms: int = declare(60_000, "How long one session may take to read.", least=100, most=600_000)
    calls: int = declare(
        3, "Sessions that are read at most when one has ended: one request each.", least=1, most=50
    )


class LogConfig(Value):
    """What else is written down."""

    daily: bool = declare(False, "Whether what is remembered is also written to a Markdown file a day.")


def _days(kind: str) -> int:
    doc = f"Days after which an unread {kind} is hidden; 0: never."
    return declare(FADES_AFTER_DAYS[kind] or 0, doc, least=0, most=36_500)


class FadingConfig(Value):
    """After how many days each kind is hidden."""

    decision: int = _days("decision")
    architecture: int = _days("architecture")
    preference: int = _days("preference")
    pattern: int = _days("pattern")
    fact: int = _days("fact")
    error: int = _days("error")
    bugfix: int = _days("bugfix")
    feature: int = _days("feature")
    refactor: int = _days("refactor")
    warning: int = _days("warning")
    discovery: int = _days("discovery")
    file_change: int = _days("file_change")
    change: int = _days("change")
    observation: int = _days("observation")
    task_progress: int = _days("task_progress")

    @property
    def days(self) -> dict[str, int | None]:
        """Days by kind; None: never."""
        return {kind: getattr(self, kind) or None for kind in self.__slots__}


class ServerConfig(Value):
    """How `holdfast serve` serves."""

    host: str = declare("127.0.0.1", "The address it listens on.")
    port: int = declare(7420, "The port it listens on; 0 takes any that is free.", least=0, most=65_535)
    threads: int = declare(
        2,
        "Requests that one process has under way. On a file one begins when the last has ended or taken 0.25 s.",
        least=1,
        most=256,
    )
    hosts: tuple[str, ...] = declare(
        (), "Further names that a Host header may have, with the port where there is one: those of a proxy."
    )
    origins: tuple[str, ...] = declare((), "Further sites whose pages may ask, such as `https://memory.example`.")
    concurrency: int = declare(
        256,
        "Requests under way in one process beyond which clients are asked to come again.",
        least=1,
        most=100_000,
    )
    body_bytes: int = declare(4_194_304, "The longest body of a request, in bytes.", least=1_024, most=1 << 30)
    patience_s: float = declare(
        10.0, "Seconds that a client may take to send its headers, and again for its body.", least=0.1, most=3_600
    )
    request_s: float = declare(30.0, "Seconds that one request may take.", least=0.1, most=3_600)


class BriefConfig(Value):
    """What an agent is told."""

    ceiling: int | None = declare(
        None,
        "The most tokens a brief may have, whatever is asked for.",
        harmless=True,
        kind=int,
        least=200,
        most=200_000,
    )
    start_budget: int = declare(
        START_BUDGET,
        "The most tokens of what an agent is told when a session starts: the standing rules. "
        "Claude Code takes about 2,300.",
        harmless=True,
        least=200,
        most=20_000,
    )
    nudge: bool = declare(
        True,
        "Whether agents are asked, in a line at a session's start and with a prompt that sounds lasting, to note "
        "what the user wants to hold, with the user's own words.",
        harmless=True,
    )
    reranker: str = declare(
        "none",
        "What has a second look at the best candidates: nothing, or a cross-encoder of the `fastembed` extra.",
        choices=("none", "fastembed"),
    )
    reranker_model: str = declare(
        "Xenova/ms-marco-MiniLM-L-6-v2", "For `fastembed`: the cross-encoder's name there."
    )
