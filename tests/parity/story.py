"""One story with every verb, told by anything that has the API of `Holdfast`: each answer is what is compared.

A backend joins by telling it: `tell(memory, clock.advance)` for the verbs of Python, `tell_aside(service, folder)`
for those of the command line. Ids, and what a backend may have its own of, are taken out by `compared`.
"""

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from holdfast import Holdfast
from holdfast.errors import HoldfastError
from holdfast.export.formats import FORMATS, export_memory
from holdfast.ingest.import_entries import Importer, ImportOptions
from holdfast.model.actor import Actor
from holdfast.model.inbox import Inbox
from holdfast.model.memory import Forgotten
from holdfast.model.plain import Plain, plain
from holdfast.model.records import EventFilters
from holdfast.model.requests import Changes, Draft, PruneRequest, SearchRequest
from holdfast.service.scopes import EVERYWHERE
from holdfast.service.service import Service
from holdfast.share.note import Folder
from holdfast.share.sharing import MemorySharing

Answer = tuple[str, object]
T = TypeVar("T")

MINUTE, DAY = 60_000, 86_400_000
MODES = ("keyword", "vector", "hybrid")
TARGETS = ("memories", "turns", "sessions", "all")
QUESTIONS = ("job queue", "how are retries spaced", "squash commits", "parseOrderLine", "nothing of the sort")

PROMPT = "how large may an imported file be, and are retries spaced?"
BRIEFS: dict[str, dict[str, object]] = {
    "at the start": {},
    "for claude-code": {"prompt": PROMPT, "agent": "claude-code"},
    "for codex": {"prompt": PROMPT, "agent": "codex"},
    "for gemini": {"prompt": PROMPT, "agent": "gemini"},
    "with files": {"prompt": "what is odd here", "files": ["src/orders.py"], "budget": 600},
    "with a bridge": {"prompt": "import of files", "bridge": ["Another agent renamed the importer"]},
    "on nothing": {"prompt": "what is the capital of Mongolia"},
    "of what is left": {"prompt": "retries", "remaining": 20_000},
}

OWN = frozenset(
    ("tenant", "place", "store_id", "bytes", "journal", "schema", "took_ms", "p95_ms", "used", "file_bytes",
     "free_bytes", "bytes_before", "bytes_after", "shrinks", "tokens")
)  # fmt: skip
"""What a backend may have its own of: where it is, how big, how fast it was; and tokens, as ids are guessed at."""

_ID = re.compile(r"\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4})?([0-9a-f]{8})\b")


def tell(memory: Holdfast, pass_time: Callable[[int], None]) -> Iterator[Answer]:
    """Tell the story from an empty project on; yield every answer with a name for it."""
    ids = yield from _add(memory, pass_time)
    yield from _look(memory, ids)
    yield from _change(memory, ids, pass_time)
    yield from _talk(memory, pass_time)
    yield from _brief(memory, pass_time)
    yield from _forget(memory, ids, pass_time)
    yield from _keep_up(memory, pass_time)


def tell_aside(service: Service, folder: Path) -> Iterator[Answer]:
    """Tell what only the command line has: aliases, scopes, the log, exports, imports and sharing."""
    yield "alias", service.aliases.add("mq", ["queue", "broker"])
    yield "alias again", service.aliases.add("mq", ["queue"])
    yield "aliases", service.aliases.all()
    for scope in (None, "project", "user", EVERYWHERE):
        for text in ("mq", "retries"):
            yield f"search {text} in {scope}", service.search(SearchRequest(query=text, scope=scope))
    yield "alias gone", service.aliases.remove("mq", ["broker"])
    for scope in ("project", "user"):
        yield f"log of {scope}", service.events(EventFilters(limit=200), scope)
        yield f"chain of {scope}", service.verify_log(scope)
        yield f"export of {scope}", _exported(service, scope)
    yield from _propose(service)
    yield "receipts", service.briefs.receipts(10)
    yield "secrets", service.rescan_secrets()
    yield "import", _imported(service, folder)
    yield "import again", _imported(service, folder)
    sharing = MemorySharing(service, Folder(folder, "team"))
    yield "share, dry", replace(sharing, dry_run=True).hand_out()
    yield "share", sharing.hand_out()
    yield "take in", sharing.take_in()
    service.restart_vectors()
    yield "waiting", service.waiting()


def _propose(service: Service) -> Iterator[Answer]:
    """Tell what an agent may only ask for, and what a person says to that."""
    agent = service.acting_as(Actor("mcp", person=False, agent="codex"))
    said = service.add(Draft(content="Releases are tagged by a person", trust="user")).id or ""
    added = agent.add(Draft(content="Releases are tagged by the pipeline", supersedes=said, trust="user"))
    yield "an agent adds", added
    wishes: dict[str, Callable[[], object]] = {
        "update": lambda: agent.update(said, Changes(content="Releases are not tagged", tags=("x",))),
        "pin": lambda: agent.pin(added.id or ""),
        "confirm": lambda: agent.confirm(added.id or ""),
        "forget": lambda: agent.forget(said),
        "prune": lambda: agent.prune(PruneRequest(days=0, mine=True)),
    }
    for name, wish in wishes.items():
        yield f"an agent wants to {name}", _attempt(wish)
    waiting = service.review.waiting()
    yield "what waits", [replace(one, at=0) for one in waiting]
    yield "accepted", service.review.accept(waiting[0].id)
    yield "dropped", service.review.drop(waiting[1].id)
    yield "asked again", _attempt(wishes["update"])
    yield "what is left", [one.verb for one in service.review.waiting()]
    yield "history of it", service.history(said)
    yield "the inbox of an agent", _sorted_inbox(agent.review.inbox())
    yield "an agent wants to settle", _attempt(lambda: agent.review.drop(waiting[2].id))


def compared(answers: Iterator[Answer]) -> list[tuple[str, Plain]]:
    """Return answers as they are compared: ids by the order in which they came up, numbers to three places."""
    known: dict[str, str] = {}
    return [(name, _compared(plain(answer), known)) for name, answer in answers]


def _add(memory: Holdfast, pass_time: Callable[[int], None]) -> Generator[Answer, None, dict[str, str]]:
    said = {
        "queue": {"content": "We settled on Postgres LISTEN/NOTIFY for the job queue", "kind": "decision"},
        "retry": {"content": "Retries back off with jitter, at most five times", "tags": ["net"], "trust": "user"},
        "order": {"content": "parseOrderLine drops empty lines", "files": ["src/orders.py"], "importance": 0.9},
        "squash": {"content": "Always squash the staging password commits", "kind": "pattern", "trust": "user"},
        "mine": {"content": "I prefer small commits with a reason", "scope": "user", "trust": "user"},
        "short": {"content": "The staging host is down today", "expires": "2027-01-16T00:00:00Z"},
        "meta": {
            "content": "Ticket 12 is about ümläuts and 日本語 text",
            "metadata": {"ticket": 12, "x": [1.5, None]},
        },
    }
    ids: dict[str, str] = {}
    for name, draft in said.items():
        pass_time(MINUTE)
        added = memory.add(**draft)  # type: ignore[arg-type]  # a table of arguments
        ids[name] = added.id or ""
        yield f"add {name}", added
    pass_time(MINUTE)
    yield "the same again", memory.add("we settled on postgres listen/notify for the job queue", source="b")
    yield "nearly the same", memory.add("We settled on Postgres LISTEN/NOTIFY for our job queue", source="c")
    pass_time(MINUTE)
    yield "opposed", memory.add("Never squash the staging password commits", kind="pattern", trust="user")
    many = [
        {"content": f"Module number {place} handles step {place * 7 % 11}", "kind": "fact"} for place in range(40)
    ]
    yield "many", memory.add_many(many)
    yield "a secret", memory.add("Staging is postgres://app:tulip-9-harbour@db.internal/shop", kind="fact")
    yield "empty", _attempt(lambda: memory.add("   "))
    yield "no kind", _attempt(lambda: memory.add("text", kind="sort"))
    return ids


def _look(memory: Holdfast, ids: Mapping[str, str]) -> Iterator[Answer]:
    memory.flush()
    for text in QUESTIONS:
        for mode in MODES:
            yield f"{mode} {text}", memory.search(text, mode=mode)
    filtered: dict[str, dict[str, object]] = {
        "kind": {"kinds": ["decision"]},
        "tag": {"tags": ["net"]},
        "file": {"file": "src/orders.py"},
        "since": {"since": "2027-01-15T08:03:00Z"},
        "until": {"until": "2027-01-15T08:03:00Z"},
        "status": {"status": "candidate"},
        "weight": {"min_importance": 0.8},
        "contains": {"contains": "jitter"},
    }
    for name, wanted in filtered.items():
        yield f"search by {name}", memory.search("the queue of orders and retries", limit=5, **wanted)  # type: ignore[arg-type]  # a table of arguments
    yield "get", memory.get([ids["queue"], ids["mine"], "00000000-0000-7000-8000-000000000000"])
    yield "get by its end", memory.get(ids["retry"][-8:])
    yield "timeline", memory.timeline(ids["order"], window=3)
    yield "list", memory.list(100)
    yield "list of a kind", memory.list(5, kind="fact")
    yield "no memory", _attempt(lambda: memory.timeline("ffffffff"))
    yield "stats", memory.stats()


def _change(memory: Holdfast, ids: Mapping[str, str], pass_time: Callable[[int], None]) -> Iterator[Answer]:
    pass_time(MINUTE)
    yield (
        "update",
        memory.update(ids["retry"], content="Retries back off with jitter, at most six times", tags=["net", "x"]),
    )
    yield "update of nothing", _attempt(lambda: memory.update("ffffffff", title="x"))
    yield "pin", memory.pin(ids["queue"])
    yield "pin mine", memory.pin(ids["mine"])
    yield "unpin", memory.unpin(ids["mine"])
    yield "confirm", memory.confirm(ids["order"])
    yield "conflicts", memory.conflicts()
    yield from _settle(memory, pass_time)
    yield "resolve", [memory.resolve(one, keep="both") for one in memory.conflicts()]
    yield "proposals", memory.proposals()
    yield "accept nothing", _attempt(lambda: memory.accept("ffffffff"))
    yield "drop nothing", _attempt(lambda: memory.drop("ffffffff"))
    pass_time(MINUTE)
    newer = memory.add("The job queue moved to NATS", kind="decision", supersedes=ids["queue"], trust="user")
    yield "supersedes", newer
    yield "supersede", memory.supersede(ids["squash"], newer.id or "")
    yield "reinstate", memory.reinstate(ids["squash"])
    yield "history", memory.history(ids["queue"])
    yield "hidden", memory.search("LISTEN NOTIFY", mode="keyword")


def _settle(memory: Holdfast, pass_time: Callable[[int], None]) -> Iterator[Answer]:
    """Tell what waits for a person, what they say about it, and that it is taken back."""
    noted = memory.add("Integration tests need the emulator", kind="fact", importance=0.9).id or ""
    vague = memory.add("The emulator starts slowly on Mondays", kind="observation").id or ""
    waits = memory.review()
    yield "inbox", _sorted_inbox(waits)
    yield "inbox, candidates", [one.id for one in memory.review(limit=1, sort="candidate").items]
    yield "inbox of a sort there is not", _attempt(lambda: memory.review(sort="worries"))
    pass_time(MINUTE)
    yield "accepted", memory.accept(noted)
    yield "accepted twice", _attempt(lambda: memory.accept(noted))
    yield "edited", memory.edit(vague[-8:], "The emulator takes a minute to start")
    yield "as edited", memory.get([vague])
    yield "taken back", memory.undo_review()
    yield "as before", memory.get([vague])
    yield "dropped", memory.drop(vague)
    yield "said again by an agent", memory.add("The emulator starts slowly on Mondays")
    yield "dropped, taken back", memory.undo_review(vague)
    yield "accepted, taken back", memory.undo_review()
    yield "nothing to take back", _attempt(memory.undo_review)
    for conflict in [one.id for one in waits.items if one.sort == "conflict"][:1]:
        yield "accept is no answer", _attempt(lambda conflict=conflict: memory.accept(conflict))  # type: ignore[misc]  # bound to this turn of the loop
        yield "kept", memory.keep(conflict, "newer")
        yield "kept, taken back", memory.undo_review()
        yield "reworded", memory.edit(conflict, "Squash commits on main only")
        yield "reworded, taken back", memory.undo_review()
    yield "inbox as it was", [one.id for one in memory.review().items]
    yield "forget what waited", [memory.forget(noted), memory.forget(vague)]


def _sorted_inbox(inbox: Inbox) -> object:
    """Return an inbox without what depends on the clock of this machine."""
    return [(one.sort, one.id, one.why, one.choices, one.verb, one.sides) for one in inbox.items], inbox.total


def _talk(memory: Holdfast, pass_time: Callable[[int], None]) -> Iterator[Answer]:
    session = memory.start_session(agent="claude-code", ref="run-1")
    for place, (role, text) in enumerate(
        (
            ("user", "The importer crashes on empty files, please fix it."),
            ("assistant", "Fixed: the importer now skips empty files. Let's use streaming for large ones."),
            ("user", "Yes, we decided to stream everything above one megabyte."),
            ("assistant", "Recap: we settled on streaming everything above one megabyte."),
            ("user", "Remember that the limit is one megabyte. Never raise it without asking me."),
        )
    ):
        pass_time(MINUTE)
        yield (
            f"turn {place}",
            session.record(role, text, ref=f"t{place}", files=["src/import.py"] if place == 1 else ()),
        )
    yield "the same turn", session.record("user", "The importer crashes on empty files, please fix it.", ref="t0")
    yield "tool", session.record("tool", "3 passed", tool="bash")
    yield "checkpoint", session.checkpoint()
    yield "findings", session.findings()
    yield "turns", session.turns()
    yield "quotes", memory.quotes([session.turns()[0].id, session.id[-8:], "0123456789abcdef"])
    fork = session.fork()
    yield "fork", fork.session
    pass_time(MINUTE)
    yield "turn of the fork", fork.record("user", "In this fork we use threads instead of streaming.")
    yield "end of the fork", fork.end()
    yield "end", session.end()
    yield "end again", session.end()
    yield "goes on", memory.start_session(agent="claude-code", ref="run-1").session
    yield "sessions", memory.sessions()
    memory.flush()
    for within in TARGETS:
        for mode in MODES:
            yield (
                f"{mode} within {within}",
                memory.search("stream files above one megabyte", within=within, mode=mode),
            )
    yield "promoted", memory.list(10)


def _brief(memory: Holdfast, pass_time: Callable[[int], None]) -> Iterator[Answer]:
    for name, wish in BRIEFS.items():
        pass_time(MINUTE)
        yield f"brief {name}", memory.context(**wish)  # type: ignore[arg-type]  # a table of arguments


def _apart_from_backups(gone: Forgotten) -> Forgotten:
    """Leave out which backups hold it: a server's are not ours to name."""
    return replace(gone, backups=())


def _forget_talk(memory: Holdfast) -> Iterator[Answer]:
    """What was said again, in other words and in another session, goes with it."""
    rule = "the Zanzibar importer must never run before the Quokka nightly job."
    sessions = []
    for text in (
        f"Remember that {rule}",
        "Why did the Zanzibar importer run before the Quokka nightly job? Look.",
    ):
        session = memory.start_session()
        session.record("user", text)
        session.end()
        sessions.append(session)
    [noted] = [one.id for one in memory.list() if one.content == rule]
    yield "a dry run", _apart_from_backups(memory.forget(noted, dry_run=True))
    yield "forget talk", _apart_from_backups(memory.forget(noted))
    yield "what is left of it", [turn.text for session in sessions for turn in session.turns()]
    yield "found no more", memory.search("Zanzibar importer", within="all")


def _forget(memory: Holdfast, ids: Mapping[str, str], pass_time: Callable[[int], None]) -> Iterator[Answer]:
    pass_time(MINUTE)
    yield "forget", _apart_from_backups(memory.forget(ids["meta"]))
    yield "forgotten", memory.get(ids["meta"])
    yield "said again", memory.add("Ticket 12 is about ümläuts and 日本語 text")
    yield "forget nothing", _attempt(lambda: memory.forget("ffffffff"))
    yield "forget a source", _apart_from_backups(memory.forget_where(source="c"))
    yield "forget a text", _apart_from_backups(memory.forget_where(matching="tulip"))
    yield from _forget_talk(memory)
    yield "not found", memory.search("ümläuts", mode="keyword")


def _keep_up(memory: Holdfast, pass_time: Callable[[int], None]) -> Iterator[Answer]:
    pass_time(DAY)
    yield "prune, dry", memory.prune(days=0, source="manual", dry_run=True)
    pass_time(40 * DAY)
    yield "cleanup, dry", memory.cleanup(dry_run=True)
    yield "cleanup", memory.cleanup()
    pass_time(200 * DAY)
    yield "faded", memory.list(100)
    yield "prune", memory.prune(days=100)
    memory.reindex()
    yield "after reindex", memory.search("retries with jitter", mode="vector")
    yield "stats at the end", memory.stats()
    yield "accesses", memory.accesses().searches > 0
    yield "recall", [type(one).__name__ for one in memory.recall("retries with jitter", k=2)]


def _attempt(act: Callable[[], object]) -> object:
    """Return what comes of something that must fail: which error, and what it says."""
    try:
        return act()
    except HoldfastError as error:
        return {"error": type(error).__name__, "says": str(error)}


def _exported(service: Service, scope: str) -> list[str]:
    entries = (export_memory(memory, conflicts) for memory, conflicts in service.exchange.everything(scope))
    return "".join(FORMATS["jsonl"](entries)).splitlines()


def _imported(service: Service, folder: Path) -> object:
    file = folder / "notes.jsonl"
    file.write_text(
        '{"content": "From another tool", "kind": "fact"}\n{"content": "And one more", "tags": ["x"]}\n'
    )
    return Importer(exchange=service.exchange, project="app", tables=_no_tables).run(
        file, ImportOptions(confirmed=True)
    )


def _no_tables(path: Path, table: str) -> Iterator[Mapping[str, object]]:
    raise AssertionError("no database is imported here")


def _compared(value: Plain, known: dict[str, str]) -> Plain:
    match value:
        case str():
            return (
                "user"
                if value == "user:ada"
                else _ID.sub(lambda found: known.setdefault(found[1], f"#{len(known)}"), value)
            )
        case float():
            return round(value, 3)
        case list():
            return [_compared(item, known) for item in value]
        case dict():
            return {_named(key, known): _compared(item, known) for key, item in value.items() if key not in OWN}
        case _:
            return value


def _named(key: str, known: dict[str, str]) -> str:
    return str(_compared(key, known))
