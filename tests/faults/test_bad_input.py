"""Whatever a text holds: it is stored as documented or refused with the name of the field, and nothing breaks."""

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast import Holdfast, InvalidInput, UnknownId
from holdfast.capture.text.clean import Cleaner, normalise
from holdfast.interfaces.cli.main import run
from holdfast.model.limits import TURN_BYTES
from tests.faults.tables import failing_rows

DATA = Path(__file__).parents[1] / "data" / "naughty_strings.json"
NAUGHTY: list[str] = json.loads(DATA.read_text(encoding="utf-8"))["texts"]
TROUBLE = [
    "a\x00b",
    "\x00",
    "lone \ud800 half",
    "\udfff",
    "pair \ud83d\ude00",
    "a\u202eb",
    "\x1b[2Jgone",
    "\ufeffbom",
]


QUERIES = ("multi-agent", '"', '""', "NEAR(", "why?", "col:x", "content:walrus", "*", "", " ", "a AND", "^x", "'")


def test_no_query_is_an_error_or_reaches_the_syntax_of_the_index(project: Path) -> None:
    with Holdfast.open(project) as memory:
        memory.add("The walrus uses a multi-agent set-up; why? Because col:x", kind="fact")

        def ask(query: str) -> None:
            for within in ("memories", "turns", "sessions", "all"):
                assert len(memory.search(query, within=within)) <= 1, within
            assert run(["search", query, "--project", str(project)]) == 0

        assert failing_rows(QUERIES, ask) == []


def test_a_naughty_string_goes_through_every_write_path(tmp_path: Path) -> None:
    """Stored clean, found again whole, and never a crash; what says nothing at all is refused by name."""
    texts = [*TROUBLE, *NAUGHTY]
    places = {text: tmp_path / str(number) for number, text in enumerate(texts)}
    assert failing_rows(texts, lambda text: go_through_every_write_path(places[text], text)) == []


def go_through_every_write_path(place: Path, text: str) -> None:
    """Write a text in every field that there is, into a store of its own."""
    place.mkdir()
    clean = Cleaner().text(text)
    with Holdfast.open(place) as memory:
        added = memory.add(
            f"note {text}", title=f"t {text}", context=text, tags=[f"x{text}"], files=[f"f{text}"],
            source=f"s{text}", metadata={f"k{text}": [text]},
        )  # fmt: skip
        if added.rejected is None:
            [kept] = memory.get(str(added.id))
            assert kept.content == Cleaner().text(f"note {text}")
            assert kept.context == clean
            memory.update(kept.id, content=f"changed {text}", tags=[f"y{text}"])
        session = memory.start_session(agent=f"a{text}", ref=f"r{text}")
        turn = session.record("user", f"said {text}", ref=f"m{text}", tool=None, files=[f"f{text}"])
        assert session.record("user", f"said {text}", ref=f"m{text}").id == turn.id
        assert memory.start_session(agent="other", ref=f"r{text}").id == session.id
        memory.search(text)
        memory.forget_where(matching=f"zzz{text}")
        memory.list()
        if not normalise(text).strip():
            with pytest.raises(InvalidInput, match=r"^content: is empty"):
                memory.add(text)
        else:
            bare = memory.add(text)
            assert bare.rejected == "private" or memory.get(str(bare.id))[0].content == clean


def test_control_bidi_zero_width_and_tag_characters_do_not_survive(project: Path) -> None:
    """What is stored can be rendered: nothing in it steers a terminal or hides from a reader."""
    hidden = "\x1b[31m\x1b]0;title\x07\u202e\u2066\u200b\u200d\ufeff\U000e0041\x08\x9b1m"
    with Holdfast.open(project) as memory:
        added = memory.add(f"vis{hidden}ible", title=f"vis{hidden}ible", tags=[f"vis{hidden}ible"])
        [kept] = memory.get(str(added.id))
        assert (kept.content, kept.title, kept.tags) == ("visible", "visible", ("visible",))


def test_a_hundred_megabytes_are_capped_in_bounded_memory_and_time(project: Path) -> None:
    """A turn is cut with a mark; as a memory it is refused."""
    size = 100_000_000
    text = "x7 line of output\n" * (size // 18)
    with Holdfast.open(project) as memory:
        session = memory.start_session()
        session.record("user", "warm up")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.process_time()
        turn = session.record("tool", text, tool="bash")
        assert time.process_time() - started < 5
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # KB
        assert len(turn.text.encode()) <= TURN_BYTES
        assert turn.text.endswith(f"… [cut: {len(text):,} bytes in all]")
        with pytest.raises(InvalidInput, match=r"^content: has .* bytes"):
            memory.add(text)


def test_a_private_tag_beyond_the_cut_still_counts(project: Path) -> None:
    with Holdfast.open(project) as memory:
        session = memory.start_session()
        session.record("user", "word " * 100_000 + "<private> from here on")
        session.record("user", "unheard")
        session.record("user", "word " * 100_000 + "</private>")
        session.record("user", "heard")
        assert [turn.text[:9] for turn in session.turns()] == ["word word", "[private]", "[private]", "heard"]


MEGABYTE = {
    "one line": "a" * 1_000_000,
    "tags": "<private " * 111_111,
    "openers": "<" * 1_000_000,
    "marks": "e" + "\u0301" * 999_999,
    "escapes": "\x1b[" * 500_000,
    "assignments": 'password="' * 100_000,
    "urls": "http://a:b@" * 90_909,
    "sentences": "never use x. " * 76_923,
    "surrogates": "\ud800" * 1_000_000,
}


def refused(memory: Holdfast, **fields: str) -> None:
    """See an entry refused."""
    with pytest.raises(InvalidInput):
        memory.add_many([fields])


def test_a_megabyte_built_to_be_slow_is_taken_in_bounded_time(tmp_path: Path) -> None:
    """As a turn, as a query, as a memory that is refused or cut to size; CPU time on a busy machine."""
    assert failing_rows(MEGABYTE, lambda name: take_megabyte(tmp_path / name, MEGABYTE[name])) == []


def take_megabyte(place: Path, text: str) -> None:
    """Give a text to everything that takes one, each within its time."""
    place.mkdir()
    with Holdfast.open(place) as memory:
        memory.add("Never use x in the gateway")
        session = memory.start_session()
        steps: list[Callable[[], object]] = [
            lambda: session.record("user", f"see {text}"),
            lambda: memory.add(f"see {text}"[:30_000]),
            lambda: memory.search(text[:20_000]),
            lambda: refused(memory, content=text),
            lambda: refused(memory, content="x", kind=text),
        ]
        for number, step in enumerate(steps):
            started = time.process_time()
            step()
            assert time.process_time() - started < 8, number


def test_a_wrong_item_is_named_and_nothing_is_lost(project: Path) -> None:
    """Kinds, importances, ids: the rest of the store is as it was."""
    with Holdfast.open(project) as memory:
        memory.add("Before", kind="fact")
        for items, field in (
            ([{"content": "a"}, {"content": "b", "kind": "zzz"}], "items[1].kind"),
            ([{"content": "a"}, {"content": "b", "importance": 2}], "items[1].importance"),
            ([{"content": "a"}, {"content": ""}], "items[1].content"),
            ([{"content": "a", "tags": "x"}], "items[0].tags"),
        ):
            with pytest.raises(InvalidInput) as caught:
                memory.add_many(items)  # type: ignore[arg-type]  # callers' mistakes
            assert caught.value.field == field
        for verb in (memory.forget, memory.pin, memory.confirm, memory.timeline, memory.history, memory.reinstate):
            with pytest.raises(UnknownId):
                verb("feedbeef")
        assert memory.get("feedbeef") == []
        assert [one.content for one in memory.list()] == ["Before"]
