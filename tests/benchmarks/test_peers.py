"""The side-by-side benchmark with the two memories that need nothing installed, each in a real process."""

import os
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import talk
from benchmarks.data import Asked, Corpus, Said, Talk
from benchmarks.peers import answers, speed
from benchmarks.peers.adapters.protocol import Entry
from benchmarks.peers.client import InTurn, PeerFailed, Running
from benchmarks.peers.environments import PEERS, Peer
from benchmarks.peers.network import attempts, reached
from benchmarks.peers.table import cell, table

HERE = tuple(peer for peer in PEERS if not peer.packages)
OURS, PLAIN = HERE
NOTES = [
    Entry("cat", "The cat sits on the mat"),
    Entry("store", "We use SQLite for the store"),
    Entry("port", "The server listens on port 8765"),
]
TALK = Corpus(
    "pets",
    (
        Talk("D1", 1_700_000_000_000, (Said("D1:1", "Ann", "My cat Tom caught a mouse in the kitchen"),)),
        Talk("D2", 1_700_100_000_000, (Said("D2:1", "Bob", "The train to Lisbon leaves at nine"),)),
    ),
    (),
    (Asked("When does the train to Lisbon leave?", frozenset({"D2:1"})),),
)


@pytest.mark.parametrize("peer", HERE, ids=lambda peer: peer.name)
def test_what_one_process_added_the_next_one_finds_and_lists(peer: Peer, tmp_path: Path) -> None:
    first = Running(peer, tmp_path)
    first.open()
    first.add(NOTES)
    first.ask("settle")
    assert first.search("SQLite store", 1) == ["store"]
    first.end()
    second = Running(peer, tmp_path)
    second.open()
    reply = second.ask("search", query="SQLite store", limit=3)
    assert reply.ids
    assert reply.total_cpu >= reply.cpu > 0
    assert reply.peak > 1_000_000
    assert set(second.ask("texts").texts) == {note.text for note in NOTES}
    second.end()


def test_a_peer_that_fails_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    broken = Peer("broken", "no_such_adapter")
    failures: dict[str, list[str]] = {}
    with InTurn([broken, PLAIN], tmp_path, failures) as group:
        group.each(lambda running: running.add(NOTES))
        ids = group.each(lambda running: running.search("port", 5))
    assert ids == {PLAIN.name: ["port"]}
    assert list(failures) == ["broken"]
    assert "no_such_adapter" in failures["broken"][0]


def test_a_problem_inside_a_peer_is_told_and_ends_no_process(tmp_path: Path) -> None:
    running = Running(PLAIN, tmp_path)
    with pytest.raises(PeerFailed, match=r"add: AttributeError"):
        running.add(NOTES)
    running.open()
    running.add(NOTES)
    assert running.search("mat", 5) == ["cat"]
    running.end()


def test_speed_gives_every_figure_for_both_and_sees_the_planted_token(tmp_path: Path) -> None:
    failures: dict[str, list[str]] = {}
    report = speed.measure(HERE, tmp_path, speed.Sizes(texts=20, queries=2, cold_starts=1, together=10), failures)
    assert failures == {}
    assert list(report[OURS.name]) == list(report[PLAIN.name])
    assert {name: figures["planted token in clear"] for name, figures in report.items()} == {
        OURS.name: "no",
        PLAIN.name: "yes",
    }
    assert [figures["entries that come back"] for figures in report.values()] == [1, 1]
    assert {figures["of two processes at once, came back"] for figures in report.values()} == {"20 of 20"}


def test_locomo_asks_for_turns_and_sessions(tmp_path: Path) -> None:
    failures: dict[str, list[str]] = {}
    assert answers.locomo(HERE, tmp_path, [TALK], failures) == {
        peer.name: {"LoCoMo turns R@5": 1, "LoCoMo sessions R@10": 1} for peer in HERE
    }
    assert failures == {}


def test_sessions_of_turns_come_in_the_order_of_their_first() -> None:
    assert answers.sessions_of(["D3:1", "D1:4", "D3:9", "D2:1"]) == ["D3", "D1", "D2"]


def test_a_prompt_is_told_what_must_be_known_and_left_alone_where_nothing_applies() -> None:
    items = [talk.Item("Use pnpm for every install"), talk.Item("Never touch the generated client")]
    counts: Counter[str] = Counter()
    answers.count(counts, talk.Asked("install it", (0, 1), (0, 1)), items, ["please use pnpm for every install"])
    answers.count(counts, talk.Asked("what time is it", (), ()), items, [])
    answers.count(counts, talk.Asked("what day is it", (), ()), items, ["please use pnpm for every install"])
    assert counts == {"must": 2, "told": 1, "quiet": 2, "silent": 1}


def test_what_stands_after_a_brief_is_full_is_not_told() -> None:
    items = [talk.Item("Use pnpm for every install")]
    counts: Counter[str] = Counter()
    texts = ["x" * talk.NEAREST_CHARS, "use pnpm for every install"]
    answers.count(counts, talk.Asked("install it", (0,), (0,)), items, texts)
    assert counts["told"] == 0


def test_tries_to_reach_somebody_are_counted_and_talk_within_the_machine_is_not() -> None:
    trace = """
7 connect(3, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.7")}, 16) = -1 ENETUNREACH
7 connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = -1 ENETUNREACH
7 connect(3, {sa_family=AF_INET6, sin6_port=htons(443), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}, 28) = -1
7 connect(3, {sa_family=AF_INET, sin_port=htons(8000), sin_addr=inet_addr("127.0.0.1")}, 16) = 0
7 connect(3, {sa_family=AF_UNIX, sun_path="/run/nscd/socket"}, 110) = -1 ENOENT
"""
    assert attempts(trace) == 3


def test_a_table_in_a_file_reaches_nobody(tmp_path: Path) -> None:
    answer = reached(PLAIN, tmp_path / "traced")
    if answer is None and not (os.environ.get("CI") and sys.platform == "linux"):
        pytest.skip("strace, or the right to make a process without a network, is not to be had here")
    assert answer == "no"


def test_the_table_shows_what_is_missing_and_who_failed() -> None:
    text = table(HERE, {"holdfast": {"search p50, ms": 12.3}, "FTS5": {}}, {"speed": {"FTS5": ["open: no room"]}})
    assert text.splitlines() == [
        "| | holdfast | FTS5 |",
        "|---|---|---|",
        "| search p50, ms | 12 | – |",
        "",
        "FTS5 failed in speed: open: no room",
    ]
    assert [cell("LoCoMo turns R@5", 0.5), cell("on disk, MB", 0.456), cell("x", "a | b")] == [
        "0.500",
        "0.46",
        "a / b",
    ]


def test_every_peer_is_pinned_and_has_an_adapter() -> None:
    adapters = Path(answers.__file__).parent / "adapters"
    for peer in PEERS:
        assert (adapters / f"{peer.adapter}.py").is_file()
        assert all("==" in package for package in peer.packages)
