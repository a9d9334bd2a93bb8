"""Imports: what goes out comes back the same, and what cannot be read changes nothing."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holdfast.errors import InvalidInput, Proposed, SwitchedOff, UnusableFile
from holdfast.export.formats import FORMATS, HashedPieces, export_memory
from holdfast.ingest.bundle import ImportLimits
from holdfast.ingest.import_entries import Importer, ImportOptions
from holdfast.machine import disk
from holdfast.model.actor import Actor
from holdfast.model.ingest import Imported
from holdfast.model.memory import Added, Memory
from holdfast.model.requests import Changes, Draft, ForgetRequest
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.ingest import exports, read_table
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.rows import each
from tests.secrets import ALL, CARD, GITHUB, MAIL, TOKENS, WORD

SUFFIX = {"jsonl": "jsonl", "json": "json", "csv": "csv", "markdown": "md"}
ODD = (
    "plain words",
    "=2+5 is a formula, 'quoted' and \"quoted\", with, commas; and\ta tab",
    "many\nlines\n\n## A heading\n\n<!-- holdfast:memory {} -->\n\nend",
    "\\<!-- holdfast:memory {} --> and --> and -- and \\\\ backslashes",
    "'=apostrophe first",
    "ünïcödé, 漢字, 🎈 and \\u003e",
    "---\nfront: matter\n---\nbody",
    "&lt;tag&gt; <b>bold</b> | table | \\| pipe",
)

Open = Callable[[str], Service]


@pytest.fixture
def open_project(tmp_path: Path, clock: FakeClock) -> Iterator[Open]:
    """Open the memory of a project by name; all are closed in the end."""
    opened: list[Service] = []

    def open_one(name: str) -> Service:
        (tmp_path / name).mkdir(exist_ok=True)
        opened.append(open_service(tmp_path / name, actor="test", clock=clock))
        return opened[-1]

    yield open_one
    for service in opened:
        service.close()


def write(service: Service, path: Path, name: str = "jsonl", scope: str = "project") -> bytes:
    """Export everything to a file, as the command does; return its bytes."""
    pieces = HashedPieces(FORMATS[name](export_memory(*one) for one in service.exchange.everything(scope)))
    disk.replace_file(path, pieces)
    exports().claim(pieces.digest)
    return path.read_bytes()


def take(service: Service, path: Path, limits: ImportLimits | None = None, **wanted: object) -> Imported:
    """Import a file."""
    importer = Importer(
        exchange=service.exchange,
        project="shop",
        tables=read_table,
        made_here=exports().made,
        limits=limits or ImportLimits(),
    )
    return importer.run(path, ImportOptions(**wanted))  # type: ignore[arg-type]  # a test's own names


def fill(service: Service, clock: FakeClock) -> None:
    """Remember things of every sort: history, pins, conflicts, files, odd texts."""
    for number, content in enumerate(ODD):
        clock.advance(1_000)
        service.add(
            Draft(
                content=content,
                title=f"Title {number} <!-- -->" if number % 2 else None,
                context="why\nand where",
                tags=("a", "=b", "c d"),
                files=("src/a.py", "docs/x.md"),
                importance=0.123456,
                trust=("user", "agent", "imported", "tool")[number % 4],
                metadata={"deep": {"list": [1, 2.5, None, "-->"]}},
                expires=clock.now() + 10_000_000 if number == 3 else None,
            )
        )
    old = said(service, "We use Redis for the job queue", trust="user")
    clock.advance(1_000)
    said(service, "We no longer use Redis for the job queue, switched to Postgres", trust="user")
    said(service, "Always enable strict mode in tsconfig.json", trust="user")
    said(service, "Never enable strict mode in tsconfig.json", trust="agent")
    pinned = service.pin(said(service, "Pinned for good", trust="user").id or "")
    agents = service.acting_as(Actor("mcp", person=False, agent="codex"))
    with pytest.raises(Proposed):
        agents.unpin(pinned.id)
    with pytest.raises(Proposed):
        agents.update(pinned.id, Changes(content="Pinned no longer --> <x>", tags=("a", "b"), importance=0.25))
    service.get([old.id or ""])
    assert service.conflicts()
    assert service.stats().counts.superseded == 1


def said(service: Service, content: str, **fields: object) -> Added:
    """Remember one thing."""
    return service.add(Draft(content=content, **fields))  # type: ignore[arg-type]  # a test's own names


def all_of(service: Service) -> list[Memory]:
    """Return every memory, in the order of arrival."""
    return [memory for memory, _ in service.exchange.everything("project")]


# ── our own exports ──────────────────────────────────────────────────────────────────────────────────────────


@each("name", FORMATS)
def test_export_import_export_is_identical(
    name: str, open_project: Open, tmp_path: Path, clock: FakeClock
) -> None:
    """Byte for byte, with history, pins, trust, conflicts and dates; read into another project at another time."""
    first, second = open_project(f"{name} one"), open_project(f"{name} two")
    fill(first, clock)
    before = write(first, tmp_path / f"a.{SUFFIX[name]}", name)
    clock.advance(86_400_000)
    done = take(second, tmp_path / f"a.{SUFFIX[name]}")
    assert (done.own, done.created, done.superseded) == (True, len(ODD) + 5, 1)
    assert write(second, tmp_path / f"b.{SUFFIX[name]}", name) == before
    assert len(second.conflicts()) == len(first.conflicts())
    assert list(second.review.waiting()) == list(first.review.waiting())


@each("name", FORMATS)
def test_imported_twice_is_the_same_as_once(
    name: str, open_project: Open, tmp_path: Path, clock: FakeClock
) -> None:
    first, second = open_project(f"{name} one"), open_project(f"{name} two")
    fill(first, clock)
    path = tmp_path / f"a.{SUFFIX[name]}"
    write(first, path, name)
    take(second, path)
    once = all_of(second)
    done = take(second, path)
    assert (done.created, done.known) == (0, len(once))
    assert all_of(second) == once
    assert take(first, path).created == 0


def test_a_changed_export_brings_words_but_no_standing(
    open_project: Open, tmp_path: Path, clock: FakeClock
) -> None:
    """A single byte is enough: then anybody may have written it."""
    first, second = open_project("first"), open_project("second")
    fill(first, clock)
    path = tmp_path / "a.jsonl"
    path.write_bytes(write(first, path) + b"\n")
    done = take(second, path)
    assert (done.own, done.created, done.superseded) == (False, len(ODD) + 5, 1)
    assert list(second.review.waiting()) == []
    taken = all_of(second)
    assert {(one.trust, one.status, one.source, one.reads) for one in taken} == {
        ("imported", "candidate", "import:a.jsonl", 0)
    }
    kept = (
        "id",
        "kind",
        "title",
        "content",
        "context",
        "tags",
        "files",
        "importance",
        "created_at",
        "valid_until",
    )
    shown = {tuple(getattr(one, field) for field in kept) for one in taken}
    assert shown == {tuple(getattr(one, field) for field in kept) for one in all_of(first)}


def test_the_user_can_say_that_an_export_is_their_own(
    open_project: Open, tmp_path: Path, clock: FakeClock
) -> None:
    """From another machine, say."""
    first, second = open_project("first"), open_project("second")
    fill(first, clock)
    path = tmp_path / "a.jsonl"
    path.write_bytes(write(first, path) + b"\n")
    assert take(second, path, own=True).own
    assert write(second, tmp_path / "b.jsonl") + b"\n" == path.read_bytes()


def test_another_tools_export_is_nobodys_own(open_project: Open, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"memory": "x"}]')
    with pytest.raises(InvalidInput, match="--own"):
        take(open_project("p"), tmp_path / "a.json", own=True)


def test_an_empty_export_is_read_as_nothing(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    for name in ("json", "csv", "markdown"):
        write(service, tmp_path / f"a.{SUFFIX[name]}", name)
        assert take(service, tmp_path / f"a.{SUFFIX[name]}").entries == 0


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contents=st.lists(TEXTS, min_size=1, max_size=4), title=TEXTS, name=st.sampled_from(list(FORMATS)))
def test_any_text_survives_the_round_trip(contents: list[str], title: str, name: str, tmp_path: Path) -> None:
    """Whatever is kept of it at all."""
    from holdfast.ingest.own import read_own
    from holdfast.model.ingest import Entry
    from tests.contract.builders import a_memory
    from tests.ingest.imports.readers import a_part

    kept = [one for one in (text.replace("\r", "").replace("\0", "").strip() for text in contents) if one]
    shown = " ".join(title.split()) or "x"
    memories = [a_memory(content=one, title=shown, tags=(one,)) for one in kept]
    text = "".join(FORMATS[name](export_memory(one) for one in memories))
    read = [one for one in read_own(a_part(f"a.{SUFFIX[name]}", text)) if isinstance(one, Entry)]
    assert [(one.draft.content, one.draft.title, one.draft.tags) for one in read] == [
        (one, shown, (one,)) for one in kept
    ]


# ── what is taken in ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_dry_run_says_what_would_happen_and_leaves_no_trace(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    said(service, "Known already", trust="user")
    before, events = all_of(service), service.stats().counts.audit_events
    path = tmp_path / "a.jsonl"
    path.write_text('{"content": "known ALREADY"}\n{"content": "New"}\n{"content": "<private>all</private>"}\n')
    tried = take(service, path, dry_run=True)
    assert (tried.entries, tried.created, tried.duplicates, tried.rejected) == (3, 1, 1, {"private": 1})
    assert (all_of(service), service.stats().counts.audit_events) == (before, events)
    done = take(service, path)
    assert (done.created, done.duplicates, done.rejected) == (1, 1, {"private": 1})


def test_a_dry_run_makes_no_store_for_the_user(open_project: Open, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"content": "x y z"}\n{"content": "X y z"}\n{"content": "other"}\n')
    tried = take(open_project("p"), tmp_path / "a.jsonl", scope="user", dry_run=True)
    assert tried.created == 2
    assert not (tmp_path / "data" / "memory.db").exists()


def test_an_import_into_user_scope_goes_there(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    (tmp_path / "a.jsonl").write_text('{"content": "x y z"}\n')
    assert take(service, tmp_path / "a.jsonl", scope="user").created == 1
    assert [one.content for one in service.list(Filters(), scope="user")] == ["x y z"]
    assert service.list(Filters(), scope="project") == []


def test_what_was_forgotten_stays_forgotten_even_from_ones_own_export(
    open_project: Open, tmp_path: Path, clock: FakeClock
) -> None:
    service = open_project("p")
    added = said(service, "To be forgotten for good", trust="user")
    other = said(service, "To be kept for good", trust="user")
    write(service, tmp_path / "a.jsonl")
    for one in (added, other):
        service.forget(one.id or "")
    for own in (False, True):
        done = take(service, tmp_path / "a.jsonl", own=own)
        assert (done.created, done.rejected) == (0, {"forgotten": 2})


def test_what_was_forgotten_in_the_other_scope_stays_out_too(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    service.forget(said(service, "Forgotten by the user", trust="user", scope="user").id or "")
    (tmp_path / "a.jsonl").write_text('{"content": "Forgotten by the user"}\n')
    assert take(service, tmp_path / "a.jsonl").rejected == {"forgotten": 1}


def test_no_secret_of_an_import_reaches_the_disk(open_project: Open, tmp_path: Path) -> None:
    """In no field, known or unknown."""
    service = open_project("p")
    planted = f'{" ".join(TOKENS)} {MAIL} {CARD} password = "{WORD}"'
    names = "content title context source user agent branch session commit x".split()
    record: dict[str, object] = dict.fromkeys(names, planted)
    record |= {"tags": [planted], "files": [planted], "sources": [planted], "metadata": {planted: planted}}
    (tmp_path / f"{GITHUB}.jsonl").write_text(
        json.dumps(record | {"kind": "fact", "file_hashes": {planted: planted}})
    )
    for own in (False, True):
        take(service, tmp_path / f"{GITHUB}.jsonl", own=own)
    service.close()
    raw = b"".join(path.read_bytes() for path in (tmp_path / "p").rglob("*") if path.is_file())
    assert [secret for secret in ALL if secret.encode() in raw] == []


def test_the_same_source_read_again_strengthens_nothing(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    (tmp_path / "CLAUDE.md").write_text("- Always run the linter\n- Deploy on Tuesdays\n")
    take(service, tmp_path / "CLAUDE.md")
    once = all_of(service)
    done = take(service, tmp_path / "CLAUDE.md")
    assert (done.created, done.duplicates) == (0, 2)
    assert all_of(service) == once


def test_another_source_that_says_the_same_strengthens_what_is_there(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    for name in ("CLAUDE.md", "AGENTS.md"):
        (tmp_path / name).write_text("- Deploy on Tuesdays\n")
        take(service, tmp_path / name)
    [memory] = all_of(service)
    assert (memory.sources, memory.importance) == (("import:CLAUDE.md", "import:AGENTS.md"), 0.6)


def test_an_import_is_compared_but_does_not_outrank_what_a_person_said(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    said(service, "Always enable strict mode in tsconfig.json", trust="user")
    (tmp_path / "CLAUDE.md").write_text("- Never enable strict mode in tsconfig.json\n")
    assert take(service, tmp_path / "CLAUDE.md").conflicts == 1
    assert len(service.list(Filters())) == 2


def test_all_of_an_import_can_be_confirmed_at_once(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    (tmp_path / "CLAUDE.md").write_text("- Deploy on Tuesdays\n")
    take(service, tmp_path / "CLAUDE.md", confirmed=True)
    assert [(one.status, one.trust) for one in all_of(service)] == [("confirmed", "imported")]


def test_an_import_is_taken_back_by_its_source(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    (tmp_path / "CLAUDE.md").write_text("- Deploy on Tuesdays\n- Never on Fridays\n")
    take(service, tmp_path / "CLAUDE.md")
    service.forget_where(ForgetRequest(source="import:CLAUDE.md"))
    assert all_of(service) == []


def test_only_as_many_pins_come_in_as_there_is_room_for(open_project: Open, tmp_path: Path) -> None:
    first, second = open_project("first"), open_project("second")
    for number in range(5):
        first.pin(said(first, f"Pinned entry number {number}", trust="user").id or "")
    for number in range(2):
        second.pin(said(second, f"Here already, {number}", trust="user").id or "")
    write(first, tmp_path / "a.jsonl")
    take(second, tmp_path / "a.jsonl")
    assert second.stats().counts.by_status == {"pinned": 5, "confirmed": 2}


def test_an_id_that_is_taken_here_is_left_as_it_is_here(open_project: Open, tmp_path: Path) -> None:
    """Nobody overwrites a memory by knowing its id."""
    service = open_project("p")
    added = said(service, "What I said", trust="user")
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": added.id, "content": "What they said", "trust": "user"}))
    for own in (False, True):
        assert take(service, tmp_path / "a.jsonl", own=own).known == 1
    assert [one.content for one in all_of(service)] == ["What I said"]


def test_names_that_older_systems_used_are_understood(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    (tmp_path / "a.jsonl").write_text('{"content": "Old entry", "entry_type": "decision", "importance": 8}\n')
    take(service, tmp_path / "a.jsonl")
    assert [(one.kind, one.importance) for one in all_of(service)] == [("decision", 0.8)]


def test_nothing_comes_in_while_memory_is_switched_off(
    open_project: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = open_project("p")
    (tmp_path / "a.jsonl").write_text('{"content": "x"}\n')
    monkeypatch.setenv("HOLDFAST_DISABLE", "1")
    with pytest.raises(SwitchedOff):
        take(service, tmp_path / "a.jsonl")


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────────

GOOD = '{"content": "a good line"}\n'
WRONG = {
    "cut off": ('{"content": "half', "is not JSON"),
    "no object": ("[1]", "is not an object"),
    "no content": ('{"kind": "fact"}', "has no content"),
    "empty": ('{"content": " "}', "content: is empty"),
    "not text": ('{"content": 5}', "content must be text, not 5"),
    "kind": ('{"content": "x", "kind": "decison"}', "did you mean 'decision'"),
    "importance": ('{"content": "x", "importance": 7}', "importance: 7"),
    "infinite": ('{"content": "x", "importance": Infinity}', "is not JSON"),
    "tags": ('{"content": "x", "tags": {"a": 1}}', "tags must be a list of texts"),
    "files": ('{"content": "x", "files": [""]}', "files: ''"),
    "time": ('{"content": "x", "created_at": "yesterday"}', "created_at must be a time"),
    "huge number": ('{"content": "x", "created_at": ' + "9" * 5_000 + "}", "is not JSON"),
    "metadata": ('{"content": "x", "metadata": []}', "metadata must be an object"),
    "conflicts": ('{"content": "x", "conflicts": [{"id": 1}]}', "conflicts must be a list of conflicts"),
    "too long": ('{"content": "' + "x" * 70_000 + '"}', "has 70,000 bytes"),
    "deep": ('{"content": "x", "metadata": ' + '{"a":' * 50 + "1" + "}" * 50 + "}", "nested deeper"),
    "very deep": ("[" * 200_000, "is not JSON"),
}


@each("name", WRONG)
def test_one_wrong_line_keeps_everything_out_and_is_named(name: str, open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    line, problem = WRONG[name]
    path = tmp_path / "a.jsonl"
    path.write_text(GOOD * 700 + line + "\n" + GOOD)
    with pytest.raises(UnusableFile) as caught:
        take(service, path)
    assert str(caught.value).startswith("a.jsonl, line 701: ")
    assert problem in str(caught.value)
    assert str(caught.value).endswith("Nothing was written.")
    assert all_of(service) == []


@each("own", [False, True])
def test_a_standing_that_there_is_not_is_refused(own: bool, open_project: Open, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"content": "x", "status": "holy"}\n')
    with pytest.raises(UnusableFile, match="status: 'holy' is none of"):
        take(open_project("p"), tmp_path / "a.jsonl", own=own)


@each(
    "name, text, problem",
    [
        ("a.csv", "title\nx\n", "line 1: names no column `content`"),
        ("a.csv", "content,title\nx\n", "line 2: has 1 cells under 2 names"),
        ("a.csv", 'content\n"open\n', "is not CSV"),
        ("a.csv", "content,importance\nx,high\n", "line 2, importance: is not JSON"),
        ("a.json", '[{"content": "x"},\n {"content": "y"', "line 2: is not JSON"),
        ("a.json", '"text"', "is neither a list nor an object"),
        ("a.md", "## T\n\n<!-- holdfast:memory {broken} -->\n\nx\n", "line 1: is not JSON"),
        ("a.md", "x\n<!-- holdfast:memory {} -->\n\nx\n", "each needs its heading"),
        ("a.bin", "\x00\x01", "has no format that can be told"),
        ("a.json", '[{"name": "x"}]', "item 1: has no content, and is no entry of"),
    ],
)
def test_what_is_broken_otherwise_is_refused_with_its_place(
    name: str, text: str, problem: str, open_project: Open, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UnusableFile) as caught:
        take(open_project("p"), tmp_path / name)
    assert problem in str(caught.value)


def test_more_entries_than_may_come_at_once_are_refused(open_project: Open, tmp_path: Path) -> None:
    service = open_project("p")
    (tmp_path / "a.jsonl").write_text("".join(f'{{"content": "entry {number}"}}\n' for number in range(11)))
    with pytest.raises(UnusableFile, match="more than 10 entries"):
        take(service, tmp_path / "a.jsonl", ImportLimits(entries=10))
    assert all_of(service) == []


def test_an_unknown_format_is_named_with_the_known_ones(open_project: Open, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(GOOD)
    with pytest.raises(InvalidInput, match="'memo' is none of: holdfast, mem0"):
        take(open_project("p"), tmp_path / "a.jsonl", format="memo")
