"""The threads of a worker: no token takes them all, and what is stuck holds its own share only."""

import asyncio
import threading

import pytest

from holdfast.errors import ServerBusy
from holdfast.interfaces.http.projects import Work


def test_one_token_never_has_every_thread_and_others_are_served_meanwhile() -> None:
    """However much it asks, and however long its store hangs."""

    async def crowd() -> None:
        work, stuck, begun = Work(4), threading.Event(), []

        def hang() -> None:
            begun.append(1)
            stuck.wait(30)

        greedy = [asyncio.create_task(work.finished(hang, None, "greedy")) for _ in range(9)]
        while len(begun) < 3:
            await asyncio.sleep(0)
        assert await work.finished(lambda: "served", 30.0, "other") == "served"
        assert len(begun) == 3
        with pytest.raises(ServerBusy, match="still in the queue, and nothing was done"):
            await work.finished(hang, 0.0, "greedy")
        stuck.set()
        await asyncio.gather(*greedy)
        assert len(begun) == 9

    asyncio.run(crowd())


def test_a_hundred_users_are_served_though_one_asks_five_hundred_things_at_once() -> None:
    """Whoever has asked much waits behind each of those who ask one thing."""

    async def crowd() -> None:
        work, served = Work(2), list[str]()

        def ask(owner: str) -> "asyncio.Task[None]":
            return asyncio.create_task(work.finished(lambda: served.append(owner), None, owner))

        greedy = [ask("greedy") for _ in range(500)]
        await asyncio.gather(*(ask(f"user {number}") for number in range(100)))
        assert served.count("greedy") <= 100
        await asyncio.gather(*greedy)
        assert served.count("greedy") == 500

    asyncio.run(crowd())


def test_a_thread_counts_until_it_is_free_though_nobody_waits_for_it() -> None:
    async def crowd() -> None:
        work, stuck = Work(1), threading.Event()
        with pytest.raises(ServerBusy, match="still being done"):
            await work.finished(lambda: stuck.wait(30), 0.05, "one")
        with pytest.raises(ServerBusy, match="nothing was done"):
            await work.finished(lambda: None, 0.0, "one")
        stuck.set()
        assert await work.finished(lambda: "free", 30.0, "one") == "free"

    asyncio.run(crowd())
