"""Files beside the store that hold vectors: missing, damaged, foreign, rewound. Answers are right all the same."""

import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from holdfast.model.search import Filters
from holdfast.model.vectors import VectorModel
from holdfast.stores.sqlite import graph, index, sidecar
from holdfast.stores.sqlite.store import SqliteStore
from tests.contract.builders import NOW, a_memory
from tests.faults.tables import failing_rows

MODEL = VectorModel("random", 16)
COUNT = 60
HNSW_FROM = 50

Floats = NDArray[np.float32]
Damage = Callable[[Path], object]


def unit(seed: int) -> Floats:
    """Return a random unit vector, the same for the same seed."""
    row = np.random.default_rng(seed).standard_normal(16).astype(np.float32)
    scaled: Floats = row / np.linalg.norm(row)
    return scaled


def open_store(path: Path, hnsw_from: int = HNSW_FROM) -> SqliteStore:
    """Open a store in a directory."""
    return SqliteStore.open(path / "memory.db", project="faults", now=NOW, hnsw_from=hnsw_from)


def add(store: SqliteStore, numbers: range) -> list[str]:
    """Add memories with vectors; return their ids."""
    memories = [a_memory() for _ in numbers]
    with store.writing():
        if store.vectors.model() is None:
            store.vectors.switch(MODEL)
        store.memories.insert(memories)
        vectors = {one.id: np.array([unit(number)]) for one, number in zip(memories, numbers, strict=True)}
        store.vectors.put("memory", MODEL, vectors, None)
    return [memory.id for memory in memories]


def found(store: SqliteStore, number: int, limit: int = 1) -> list[str]:
    """Ask for the row whose vector this is."""
    return [one.id for one in store.vectors.nearest("memory", unit(number), Filters(current_at=NOW), limit)]


def expect_all(path: Path, ids: list[str], hnsw_from: int = HNSW_FROM) -> None:
    """Open the store anew: every row is found by its own vector, and nothing else is there."""
    store = open_store(path, hnsw_from)
    assert [found(store, number) for number in range(len(ids))] == [[one] for one in ids]
    assert set(found(store, 0, limit=10 * len(ids))) == set(ids)
    store.close()


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, list[str]]:
    """A store with its sidecar and its graph, closed."""
    place = tmp_path / "store"
    store = open_store(place)
    ids = add(store, range(COUNT))
    store.vectors.settle()
    store.close()
    assert {path.name for path in place.iterdir()} >= {"vectors-memory.bin", "vectors.hnsw"}
    return place, ids


def truncate(path: Path) -> None:
    """Cut a file in the middle."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(place: float) -> Damage:
    """Flip one bit somewhere in a file."""

    def damage(path: Path) -> None:
        raw = bytearray(path.read_bytes())
        raw[int(place * (len(raw) - 1))] ^= 0x10
        path.write_bytes(raw)

    return damage


def in_the_way(path: Path) -> None:
    """Put a directory in a file's place."""
    path.unlink()
    path.mkdir()


def a_pipe_in_the_way(path: Path) -> None:
    """Put a pipe in a file's place: whoever opens it waits for a writer."""
    path.unlink()
    os.mkfifo(path)


DAMAGES: dict[str, Damage] = {
    "deleted": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "truncated": truncate,
    "garbled": lambda path: path.write_bytes(b"\x00\xff" * 4_000),
    "first bit": flip(0),
    "length": lambda path: path.write_bytes(path.read_bytes()[:40] + struct.pack("<I", 1 << 31) + b"x" * 400),
    "header": flip(0.02),
    "middle": flip(0.5),
    "last bit": flip(1),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"more"),
    "a directory": in_the_way,
    "a pipe": a_pipe_in_the_way,
}


FILES = ("vectors-memory.bin", "vectors.hnsw")


def test_a_damaged_file_is_noticed_and_changes_no_answer(kept: tuple[Path, list[str]], tmp_path: Path) -> None:
    place, ids = kept

    def harm(row: str) -> None:
        damage, name = row.split(" of ")
        copy = tmp_path / row
        shutil.copytree(place, copy)
        DAMAGES[damage](copy / name)
        assert sidecar.read(str(copy / name)) is None
        expect_all(copy, ids)

    assert failing_rows([f"{damage} of {name}" for damage in DAMAGES for name in FILES], harm) == []


def test_a_damaged_file_is_made_anew(kept: tuple[Path, list[str]]) -> None:
    """By the next settling."""
    place, ids = kept
    for name in FILES:
        truncate(place / name)
    store = open_store(place)
    store.vectors.settle()
    store.close()
    assert [name for name in FILES if not sidecar.read(str(place / name))] == []
    expect_all(place, ids)


IN_USE: dict[str, str] = {
    "cut short": "os.truncate(path, 100)",
    "written over": "open(path, 'r+b').write(b'\\x00' * os.path.getsize(path))",
    "deleted": "os.unlink(path)",
}


def test_a_file_that_is_damaged_while_it_is_in_use_changes_no_answer(
    kept: tuple[Path, list[str]], tmp_path: Path
) -> None:
    """By a sync tool or a copy, say. In a process of its own: one that maps the file is killed."""
    place, ids = kept
    for name in IN_USE:
        shutil.copytree(place, tmp_path / name)
    assert failing_rows(IN_USE, lambda name: damage_in_use(tmp_path / name, IN_USE[name], ids)) == []


def damage_in_use(place: Path, damage: str, ids: list[str]) -> None:
    """Damage a file in the process that has it open, and ask on."""
    program = (
        "import os, sys; from pathlib import Path; from tests.faults.test_vectors import found, open_store\n"
        f"place = Path({str(place)!r}); path = place / 'vectors-memory.bin'\n"
        f"store = open_store(place, 10**9); found(store, 1); {damage}\n"
        f"print(*(found(store, number)[0] for number in range({COUNT})))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ids), done.stderr


def test_what_a_good_sidecar_says_is_used(kept: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the tests above would prove nothing."""
    place, _ = kept
    store = open_store(place)
    monkeypatch.setattr(type(store.vectors._index("memory")), "_all", None)
    assert found(store, 3) != []
    assert store.vectors._index("memory")._graph.ready
    store.close()


def test_the_files_of_another_store_are_not_believed(kept: tuple[Path, list[str]], tmp_path: Path) -> None:
    """Same model, same size, same names."""
    place, _ = kept
    other = open_store(tmp_path / "other")
    ids = add(other, range(COUNT, 2 * COUNT))[::-1]
    other.close()
    for name in ("vectors-memory.bin", "vectors.hnsw"):
        shutil.copy(place / name, tmp_path / "other" / name)
    store = open_store(tmp_path / "other")
    assert [found(store, 2 * COUNT - 1 - number) for number in range(COUNT)] == [[one] for one in ids]
    store.close()


def test_the_files_of_another_epoch_are_not_believed(kept: tuple[Path, list[str]]) -> None:
    """A restore rotates the epoch."""
    place, ids = kept
    raw = apsw.Connection(str(place / "memory.db"))
    raw.execute("UPDATE meta SET value = 'restored' WHERE key = 'epoch'")
    raw.execute("DELETE FROM vector WHERE row = 1")
    raw.close()
    store = open_store(place)
    assert found(store, 0) != [ids[0]]
    assert len(found(store, 0, limit=99)) == COUNT - 1
    store.close()


def test_the_files_of_another_model_are_not_believed(kept: tuple[Path, list[str]]) -> None:
    """Nor those of the same one before everything was made anew."""
    place, _ = kept
    store = open_store(place)
    with store.writing():
        store.vectors.switch(MODEL)
    store.close()
    again = open_store(place)
    assert found(again, 0, limit=99) == []
    again.close()


def test_a_rewound_store_does_not_believe_a_newer_sidecar(tmp_path: Path) -> None:
    """Same store, same epoch: only the nonce tells. Both ways go on to the same number of changes."""
    place = tmp_path / "store"
    store = open_store(place, 10**9)
    ids = add(store, range(10))
    store.vectors.settle()
    store.close()
    shutil.copy(place / "memory.db", tmp_path / "earlier.db")

    store = open_store(place, 10**9)
    add(store, range(10, 20))
    store.vectors.settle()
    store.close()

    shutil.copy(tmp_path / "earlier.db", place / "memory.db")
    for name in ("memory.db-wal", "memory.db-shm"):
        (place / name).unlink(missing_ok=True)
    store = open_store(place, 10**9)
    ids += add(store, range(30, 40))
    store.close()
    store = open_store(place, 10**9)
    assert set(found(store, 0, limit=99)) == set(ids)
    assert [found(store, number) for number in range(30, 40)] == [[one] for one in ids[10:]]
    store.close()


def test_changes_after_a_sidecar_are_applied_on_top(kept: tuple[Path, list[str]]) -> None:
    """Added, deleted and reworded rows, by another process and by this one."""
    place, ids = kept
    reader, writer = open_store(place), open_store(place)
    assert found(reader, 5) == [ids[5]]
    with writer.writing():
        writer.memories.delete([ids[5]])
    ids += add(writer, range(COUNT, COUNT + 3))
    assert found(reader, 5) != [ids[5]]
    assert [found(reader, number) for number in range(COUNT, COUNT + 3)] == [[one] for one in ids[COUNT:]]
    assert ids[5] not in found(reader, 5, limit=99)
    reader.close()
    writer.close()
    again = open_store(place)
    assert set(found(again, 0, limit=99)) == set(ids) - {ids[5]}
    again.close()


def test_a_graph_finds_what_the_scan_finds_and_never_what_is_deleted(kept: tuple[Path, list[str]]) -> None:
    """Saved after so many inserts; a row that is gone is gone."""
    place, ids = kept
    store = open_store(place)
    ids += add(store, range(COUNT, COUNT + graph.SAVE_EVERY + 20))
    before = (place / "vectors.hnsw").stat().st_mtime_ns
    for number, one in enumerate(ids):
        assert found(store, number) == [one]
    assert store.vectors._index("memory")._graph.ready
    assert (place / "vectors.hnsw").stat().st_mtime_ns > before
    with store.writing():
        store.memories.delete(ids[::2])
    for number in range(0, len(ids), 2):
        assert ids[number] not in found(store, number, limit=20)
    store.close()
    expect_missing = open_store(place)
    assert set(found(expect_missing, 0, limit=999)) == set(ids[1::2])
    expect_missing.close()


def has_graph(store: SqliteStore) -> bool:
    """Say whether a search asks the graph."""
    found(store, 0)
    return store.vectors._index("memory")._graph.ready


def test_a_graph_that_is_newer_than_the_sidecar_is_used(kept: tuple[Path, list[str]]) -> None:
    """Closing saves the graph alone; processes that add a little follow each other."""
    place, ids = kept
    for number in range(COUNT, COUNT + 3):
        store = open_store(place)
        ids += add(store, range(number, number + 1))
        assert has_graph(store)
        store.close()
    expect_all(place, ids)
    store = open_store(place)
    assert has_graph(store)
    assert len(store.vectors._index("memory")._graph._index) == COUNT + 3
    store.close()


def embed_anew(store: SqliteStore, memory_id: str, *numbers: int) -> None:
    """Give a memory another text with these vectors."""
    [memory] = store.memories.get([memory_id])
    with store.writing():
        store.memories.replace(replace(memory, content=f"now {numbers}"))
        store.vectors.put("memory", MODEL, {memory_id: np.array([unit(number) for number in numbers])}, None)


def test_a_graph_that_is_older_than_the_sidecar_is_brought_up(kept: tuple[Path, list[str]]) -> None:
    """Rows came, and were embedded anew in more chunks and in fewer."""
    place, ids = kept
    store = open_store(place)
    embed_anew(store, ids[0], 900, 901, 902)
    assert has_graph(store)
    store.close()
    store = open_store(place, 10**9)
    embed_anew(store, ids[0], 910)
    embed_anew(store, ids[1], 911, 912)
    ids += add(store, range(COUNT, COUNT + 1))
    store.vectors.settle()
    store.close()
    store = open_store(place)
    assert has_graph(store)
    assert [found(store, number) for number in (910, 911, 912, COUNT)] == [
        [ids[0]], [ids[1]], [ids[1]], [ids[COUNT]],
    ]  # fmt: skip
    assert len(store.vectors._index("memory")._graph._index) == COUNT + 2
    store.close()


def test_a_row_that_is_embedded_anew_is_in_the_graph_once(kept: tuple[Path, list[str]]) -> None:
    """What it had before goes first."""
    place, ids = kept
    store = open_store(place)
    assert found(store, 9) == [ids[9]]
    embed_anew(store, ids[9], 999, 998)
    assert found(store, 999) == found(store, 998) == [ids[9]]
    assert found(store, 9) != [ids[9]]
    assert len(store.vectors._index("memory")._graph._index) == COUNT + 1
    store.close()


def test_what_was_taken_back_leaves_no_ghost(tmp_path: Path) -> None:
    """A search inside a transaction that fails; afterwards the store goes another way, past the same numbers."""
    store = open_store(tmp_path / "store", 10**9)
    [kept_id] = add(store, range(1))

    def half() -> None:
        with store.writing():
            add(store, range(10, 12))
            assert len(found(store, 11, limit=9)) == 3
            raise KeyError

    with pytest.raises(KeyError):
        half()
    [other] = add(store, range(20, 21))
    [memory] = store.memories.get([other])
    with store.writing():
        for importance in (0.9, 0.8, 0.7):
            store.memories.replace(replace(memory, importance=importance))
    assert set(found(store, 11, limit=2)) == {kept_id, other}
    store.close()


def test_a_filtered_search_does_not_ask_the_graph(
    kept: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A graph cannot look only at what passes."""
    place, _ = kept
    store = open_store(place)
    found(store, 0)
    monkeypatch.setattr(graph.Graph, "nearest", None)
    assert store.vectors.nearest("memory", unit(0), Filters(kinds=("fact",)), 3)
    store.close()


def test_a_long_tail_is_put_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often rows come and go."""
    monkeypatch.setattr(index, "BEHIND", 20)
    store = open_store(tmp_path / "store", 10**9)
    ids: dict[int, str] = {}
    for start in range(0, 300, 15):
        ids |= dict(zip(range(start, start + 15), add(store, range(start, start + 15)), strict=True))
        gone = [number for number in ids if number % 4 == start % 4][:5]
        with store.writing():
            store.memories.delete([ids.pop(number) for number in gone])
        assert [found(store, number) for number in ids] == [[one] for one in ids.values()]
    store.close()


def copies_of(store: SqliteStore) -> object:
    """Return the int8 copies that a connection holds beneath what came later."""
    arrays = store.vectors._index("memory")._arrays
    return arrays.copies if arrays else None


def test_connections_of_one_process_hold_the_same_copies(kept: tuple[Path, list[str]]) -> None:
    """Also after one of them made the file anew: the others go on from that, and make none themselves."""
    place, ids = kept
    first, second = open_store(place, 10_000), open_store(place, 10_000)
    for store in (first, second, first, second):
        assert found(store, 3) == [ids[3]]
    assert copies_of(first) is copies_of(second)
    more = add(first, range(COUNT, COUNT + index.BEHIND + 1))
    for store in (first, second, second):
        assert found(store, COUNT + 7) == [more[7]]
    assert copies_of(first) is copies_of(second)
    more += add(first, range(COUNT + len(more), COUNT + len(more) + 5))
    first.vectors.settle()
    assert copies_of(first) is not copies_of(second)
    assert found(second, COUNT + len(more) - 1) == [more[-1]]
    assert copies_of(first) is copies_of(second)
    first.close()
    assert found(second, 3) == [ids[3]]
    second.close()
    expect_all(place, [*ids, *more], 10_000)


def test_no_vector_of_what_was_forgotten_is_left_in_any_file(kept: tuple[Path, list[str]]) -> None:
    """Neither float16 nor int8, in the database, its log, the sidecar, the graph or a file under way."""
    place, ids = kept
    store = open_store(place)
    half, whole = unit(7).astype(np.float16).tobytes(), np.rint(unit(7) * 127 / np.abs(unit(7)).max())
    traces = (half, whole.astype(np.int8).tobytes())

    def traces_left() -> list[str]:
        raw = {path.name: path.read_bytes() for path in place.iterdir() if path.is_file()}
        return [name for name, text in raw.items() if any(trace in text for trace in traces)]

    assert len(traces_left()) >= 3
    found(store, 7)
    with store.writing():
        store.memories.delete([ids[7]])
    assert store.scrub() is False
    assert traces_left() == []
    store.vectors.settle()
    store.close()
    assert traces_left() == []
    assert (place / "vectors-memory.bin").exists()


def test_a_file_made_from_older_vectors_does_not_follow_a_removal(
    kept: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process reads, another forgets and sweeps, and only then does the first want to put its file there."""
    place, ids = kept
    slow, other = open_store(place), open_store(place)
    add(slow, range(COUNT, COUNT + 5))
    written = sidecar.write

    def forgetful(*arguments: object) -> str:
        fresh = written(*arguments)  # type: ignore[arg-type]  # passed on as they came
        monkeypatch.setattr(sidecar, "write", written)
        with other.writing():
            other.memories.delete([ids[7]])
        other.scrub()
        Path(fresh).touch()  # the sweep took it; as if it had been made a moment later
        return fresh

    monkeypatch.setattr(sidecar, "write", forgetful)
    slow.vectors.settle()
    assert not (place / "vectors-memory.bin").exists()
    assert ids[7] not in found(slow, 7, limit=99)
    slow.close()
    other.close()


def test_a_read_only_directory_is_searched_all_the_same(tmp_path: Path) -> None:
    """Files are a convenience."""
    place = tmp_path / "store"
    store = open_store(place, 10**9)
    ids = add(store, range(5))

    def refuse(*arguments: object) -> Path:
        raise PermissionError(13, "read-only")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sidecar, "write", refuse)
        store.vectors.settle()
        assert found(store, 2) == [ids[2]]
        store.close()
    assert not (place / "vectors-memory.bin").exists()


def test_files_are_their_owners_alone(kept: tuple[Path, list[str]]) -> None:
    """As the store itself."""
    place, _ = kept
    assert {oct((place / name).stat().st_mode & 0o777) for name in ("vectors-memory.bin", "vectors.hnsw")} == {
        "0o600"
    }
    assert [path.name for path in place.iterdir() if path.name.endswith(".new")] == []


def test_a_file_that_was_not_touched_is_believed_at_a_glance(
    kept: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once: who asks again reads it whole, with its digest, and finds the same."""
    place, ids = kept
    store = open_store(place, 10**9)
    with monkeypatch.context() as patch:
        patch.setattr(sidecar, "read", None)
        glanced = store.vectors.nearest("memory", unit(3), Filters(current_at=NOW), 20)
    held = store.vectors.nearest("memory", unit(3), Filters(current_at=NOW), 20)
    assert glanced[0].id == ids[3]
    assert glanced == held
    store.close()


def test_a_file_that_was_written_to_is_not_believed_though_its_time_was_set_back(
    kept: tuple[Path, list[str]],
) -> None:
    place, ids = kept
    path = place / "vectors-memory.bin"
    before = path.stat()
    with path.open("r+b") as file:
        file.seek(-20, os.SEEK_END)
        file.write(b"\xff" * 20)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    store = open_store(place, 10**9)
    assert found(store, 3) == [ids[3]]
    assert store.vectors._index("memory")._unkept
    store.close()


def test_the_files_of_a_copied_store_are_believed_by_their_digest_until_they_are_made_anew(
    kept: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, ids = kept
    shutil.copytree(place, tmp_path / "copy")
    store = open_store(tmp_path / "copy", 10**9)
    with monkeypatch.context() as patch:
        patch.setattr(type(store.vectors._index("memory")), "_all", None)
        assert found(store, 3) == [ids[3]]
    store.vectors.settle()
    store.close()
    again = open_store(tmp_path / "copy", 10**9)
    monkeypatch.setattr(sidecar, "read", None)
    assert found(again, 3) == [ids[3]]
    again.close()


def test_a_file_that_is_cut_short_while_it_is_looked_at_changes_no_answer(
    kept: tuple[Path, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, ids = kept
    glance = sidecar.glance

    def cut(path: str, written: object) -> object:
        glimpse = glance(path, written)
        truncate(Path(path))
        return glimpse

    monkeypatch.setattr(sidecar, "glance", cut)
    store = open_store(place, 10**9)
    assert [found(store, number) for number in range(5)] == [[one] for one in ids[:5]]
    store.close()


@pytest.mark.parametrize("fresh", [0, 5])
def test_a_process_that_only_asks_loads_no_numpy(kept: tuple[Path, list[str]], fresh: int) -> None:
    """Nor does it write a file; also where rows came after the sidecar."""
    place, ids = kept
    store = open_store(place)
    ids += add(store, range(COUNT, COUNT + fresh))
    store.close()
    program = (
        "import sys; from array import array; from holdfast.model.search import Filters\n"
        "from holdfast.stores.sqlite.connection import Database\n"
        "from holdfast.stores.sqlite.vectors import SqliteVectors\n"
        f"vectors = SqliteVectors(Database({str(place / 'memory.db')!r}))\n"
        f"asked = array('f', {unit(COUNT + fresh - 1).tolist()})\n"
        f"near = vectors.nearest('memory', asked, Filters(current_at={NOW}), 3)\n"
        f"exact = vectors.cosines('memory', asked, [{ids[0]!r}])\n"
        "print(near[0].id, len(exact), 'numpy' in sys.modules)"
    )
    before = sidecar.stamp(str(place / "vectors-memory.bin"))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [ids[-1], "1", "False"]
    assert sidecar.stamp(str(place / "vectors-memory.bin")) == before
