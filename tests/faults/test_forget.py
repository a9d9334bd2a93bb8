"""What was forgotten is gone from the bytes, and stays away."""

from pathlib import Path

import apsw
import pytest

from holdfast import Holdfast, UnknownId
from holdfast.storage.workspace import open_guard
from tests.embedded import service_behind
from tests.faults.processes import database, raw_bytes

UNWANTED = "The staging password rotates with Zanzibarquokka every Vexillology Tuesday"
WORDS = (b"anzibarquokka", b"exillolog")


def fill(memory: Holdfast, count: int) -> None:
    """Put other things around the secret, so that it shares pages and index segments with them."""
    memory.add_many([{"content": f"Ordinary note {n} about zebra{n} and vex{n} handling"} for n in range(count)])


def holds_secret(project: Path) -> bool:
    """Say whether any of the distinctive words is anywhere in the store's files."""
    text = raw_bytes(project).lower()
    return any(word.lower() in text for word in WORDS)


def test_forgotten_text_is_in_no_byte_of_database_and_log(project: Path) -> None:
    """Rows, full-text terms, evidence turns and the write-ahead log."""
    with Holdfast.open(project) as memory:
        fill(memory, 400)
        added = memory.add(UNWANTED, context=f"said twice: {UNWANTED}", tags=["vexillology"])
        fill(memory, 800)
        session = memory.start_session()
        session.record("user", f"Please note: {UNWANTED}. Thanks.")
        memory.search("Zanzibarquokka")
        memory.flush()
        assert holds_secret(project)
        gone = memory.forget(added.id or "")
        assert (gone.masked_turns, gone.pending) == (1, False)
        assert not holds_secret(project)
        assert session.turns()[0].text == "Please note: [forgotten]. Thanks."
    assert not holds_secret(project)


def test_forgetting_while_another_reads_is_pending_and_then_done(project: Path) -> None:
    """A reader holds the old pages in the log; once it leaves, the next flush drives them out."""
    with Holdfast.open(project) as memory:
        added = memory.add(UNWANTED)
        reader = apsw.Connection(str(database(project)))
        reader.execute("BEGIN")
        assert list(reader.execute("SELECT count(*) FROM memory")) == [(1,)]
        gone = memory.forget(added.id or "")
        assert gone.pending
        assert memory.stats().project.scrub_pending
        assert holds_secret(project)
        reader.execute("COMMIT")
        memory.flush()
        assert not memory.stats().project.scrub_pending
        assert not holds_secret(project)
        reader.close()


def test_a_pending_scrub_is_finished_by_whoever_opens_the_store_next(project: Path) -> None:
    """The wish to scrub outlives the process that had it."""
    memory = Holdfast.open(project)
    added = memory.add(UNWANTED)
    reader = apsw.Connection(str(database(project)))
    reader.execute("BEGIN")
    list(reader.execute("SELECT count(*) FROM memory"))
    assert memory.forget(added.id or "").pending
    memory.close()
    reader.execute("COMMIT")
    with Holdfast.open(project) as later:
        assert not later.stats().project.scrub_pending
        assert not holds_secret(project)
    reader.close()


@pytest.mark.parametrize("trust", ["agent", "tool", "imported"])
def test_a_tombstone_keeps_automatic_paths_from_bringing_it_back(project: Path, trust: str) -> None:
    """Refused as a value, not an error; in another case or spacing too."""
    with Holdfast.open(project) as memory:
        memory.forget(memory.add(UNWANTED).id or "")
        again = memory.add(f"  {UNWANTED.upper()}  ", trust=trust)
        assert (again.id, again.created, again.duplicate, again.rejected) == (None, False, False, "forgotten")
        assert memory.list() == []
    assert not holds_secret(project)


def test_a_person_may_say_it_again(project: Path) -> None:
    """A person's word lifts the tombstone, for automatic paths as well."""
    with Holdfast.open(project) as memory:
        memory.forget(memory.add(UNWANTED).id or "")
        again = memory.add(UNWANTED, trust="user")
        assert again.created
        assert memory.add(UNWANTED, trust="imported").duplicate


def test_forgetting_something_unknown_is_an_error(project: Path) -> None:
    with Holdfast.open(project) as memory, pytest.raises(UnknownId, match="No memory has the id 'feedbeef'"):
        memory.forget("feedbeef")


def test_a_query_that_never_hit_it_keeps_nothing_of_it(project: Path) -> None:
    """Searched for before it was there, so that the log knows the words from another hit."""
    with Holdfast.open(project) as memory:
        memory.add("Every Tuesday the staging environment is rebuilt")
        assert memory.search(UNWANTED)
        memory.flush()
        assert holds_secret(project)
        memory.forget(memory.add(UNWANTED).id or "")
        assert not holds_secret(project)


def test_what_another_process_looked_for_does_not_bring_it_back(project: Path) -> None:
    """Its log is still unwritten when the words are forgotten."""
    with Holdfast.open(project) as other:
        with Holdfast.open(project) as memory:
            added = memory.add(UNWANTED)
            assert other.search(UNWANTED)
            memory.forget(added.id or "")
        other.flush()
    assert not holds_secret(project)


def test_the_keys_between_index_pages_keep_no_word_either(project: Path) -> None:
    """A long text with words of its own splits pages of the index, and FTS5 leaves the keys behind."""
    words = " ".join(f"prodkeyacme{number:03}billing{number * 7919 % 9973}" for number in range(600))
    with Holdfast.open(project) as memory:
        fill(memory, 300)
        added = memory.add(words)
        fill(memory, 900)
        memory.forget(added.id or "")
    assert b"prodkeyacme" not in raw_bytes(project)


def test_turns_are_masked_whatever_project_they_were_recorded_under(project: Path) -> None:
    with Holdfast.open(project, project="team/shop") as memory:
        memory.start_session().record("user", UNWANTED)
    with Holdfast.open(project) as memory:
        assert memory.forget(memory.add(UNWANTED).id or "").masked_turns == 1
    assert not holds_secret(project)


def test_a_users_memory_is_forgotten_in_both_stores_and_in_every_scope(project: Path, tmp_path: Path) -> None:
    """The turns and queries lie in the project, the entry with the user; it returns to neither by itself."""
    with Holdfast.open(project) as memory:
        added = memory.add(UNWANTED, scope="user")
        memory.start_session().record("user", UNWANTED)
        assert memory.search("Zanzibarquokka")
        memory.flush()
        assert memory.forget(added.id or "").masked_turns == 1
        assert memory.add(UNWANTED, trust="imported").rejected == "forgotten"
        assert memory.add(UNWANTED, trust="user").created
        memory.forget(memory.list()[0].id)
        assert memory.add(UNWANTED, scope="user").rejected == "forgotten"
    assert not holds_secret(project)
    own = (tmp_path / "data" / "memory.db").read_bytes().lower()
    assert not any(word.lower() in own for word in WORDS)


def test_what_was_forgotten_is_gone_after_a_repair_though_its_scrub_never_ran(project: Path) -> None:
    """Killed between the commit and the scrub: the vector's file, the index and the log still have it."""
    with Holdfast.open(project) as memory:
        fill(memory, 300)
        added = memory.add(UNWANTED).id or ""
        memory.flush()
        sidecar = database(project).with_name("vectors-memory.bin")
        assert sidecar.exists()
        store = service_behind(memory)._scopes.project
        with store.writing():
            store.memories.delete([added])
        store._database.leave_log()  # type: ignore[attr-defined]  # SQLite's: nothing is scrubbed, as if killed
        store._closed = True  # type: ignore[attr-defined]  # as above
    assert sidecar.exists()
    assert holds_secret(project)
    repaired = open_guard(project, actor="test").repair()
    assert "drove what was forgotten out of the index, the vectors and the log" in repaired.repaired
    assert not sidecar.exists()
    assert not holds_secret(project)
