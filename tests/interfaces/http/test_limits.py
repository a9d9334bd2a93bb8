"""Room and time: a client that asks for too much is told when to come again."""

import threading
from pathlib import Path

import anyio
import pytest

from holdfast.errors import ServerBusy, StoreBusy, StoreDamaged, StoreSlow, StoreUnreachable
from holdfast.interfaces.http.access import Room
from holdfast.interfaces.http.problems import problem_of
from holdfast.interfaces.http.projects import Caller, Projects, Readiness, Work
from holdfast.model.actor import Token
from holdfast.service.service import Service
from holdfast.settings.schema import ServerConfig
from holdfast.storage.tenancy import SingleProject, served_at
from tests.hooking import HUNG_S
from tests.interfaces.http.served import Asking, a_token, served_here


class Timer:
    """A clock that obeys."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_past_its_room_and_past_its_time_a_server_asks_to_come_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request is held up; there is room for no second, and it is not waited for longer than allowed."""
    go_on, begun = threading.Event(), threading.Event()
    monkeypatch.setattr(Service, "stats", _held(Service.stats, go_on, begun))
    limits = ServerConfig(concurrency=1, request_s=1.0)
    held: list[int] = []
    go_on.set()
    with served_here(project, limits) as ask:
        go_on.clear()
        begun.clear()
        waiting = threading.Thread(target=lambda: held.append(ask("GET", "/api/stats").status_code))
        waiting.start()
        assert begun.wait(HUNG_S)
        answered = ask("GET", "/api/memories")
        assert (answered.status_code, answered.json()["error"]) == (503, "ServerBusy")
        assert answered.headers["retry-after"] == "1"
        assert ask.bare("GET", "/healthz").status_code == 200
        waiting.join(HUNG_S)
        assert held == [503]
        go_on.set()
        assert ask("GET", "/api/memories").status_code == 200


def test_one_token_has_half_of_the_room_and_others_get_in_meanwhile(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, begun = threading.Event(), threading.Event()
    monkeypatch.setattr(Service, "stats", _held(Service.stats, go_on, begun))
    with served_here(project, ServerConfig(concurrency=2)) as ask:
        begun.clear()
        waiting = threading.Thread(target=lambda: ask("GET", "/api/stats"))
        waiting.start()
        assert begun.wait(HUNG_S)
        answered = ask("GET", "/api/memories")
        assert (answered.status_code, answered.headers["retry-after"]) == (429, "1")
        assert "1 requests under way" in answered.json()["detail"]
        assert ask("GET", "/api/memories", token=a_token()).status_code == 200
        go_on.set()
        waiting.join(HUNG_S)
        assert ask("GET", "/api/memories").status_code == 200


def test_a_token_that_has_nothing_under_way_any_more_takes_no_room() -> None:
    room = Room(1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), room.taken("one"):
            1 / 0  # noqa: B018 - whatever goes wrong inside
    with room.taken("one"), room.taken("another"), pytest.raises(ServerBusy), room.taken("one"):
        pass


_ENDLESS = (
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000000) SELECT count(*) FROM n"
)
"""Not quite: half a minute, so that a test without a limit ends as well."""


def test_a_statement_that_takes_too_long_is_cut_off_and_its_service_serves_the_next(project: Path) -> None:
    """Nobody waits for it any more, and its thread is there for others."""
    projects = Projects(served_at(project), 1, statement_s=0.05)
    services: list[object] = []

    def ask(statement: str) -> object:
        def act(service: Service) -> object:
            store = service._scopes.project
            services.append(store)
            return store._database.rows(statement)  # type: ignore[attr-defined]  # a store of SQLite

        return projects.run(_somebody(), act)

    with pytest.raises(StoreSlow) as caught:
        ask(_ENDLESS)
    assert caught.value.facts["milliseconds"] == 50
    assert problem_of(caught.value).status == 503
    assert ask("SELECT 1") == [(1,)]
    assert services[0] is services[1]
    projects.close()


def test_what_a_server_that_stops_does_not_wait_for_is_a_503_that_says_so(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asked must know that it may have been done; a mistake of ours it is not."""
    go_on, begun = threading.Event(), threading.Event()
    monkeypatch.setattr(Service, "stats", _held(Service.stats, go_on, begun))
    answers: list[tuple[int, str]] = []

    def wait_for_it(ask: Asking) -> None:
        answered = ask("GET", "/api/stats")
        answers.append((answered.status_code, answered.json()["detail"]))

    monkeypatch.setattr("holdfast.interfaces.http.projects.STOPPING_S", 0)
    with served_here(project) as ask:
        waiting = threading.Thread(target=wait_for_it, args=(ask,))
        waiting.start()
        assert begun.wait(HUNG_S)
        ask.stop()
        waiting.join(HUNG_S)
        go_on.set()
    [(status, detail)] = answers
    assert (status, "look whether it was done" in detail) == (503, True)


def _held(verb: object, go_on: threading.Event, begun: threading.Event) -> object:
    def held(service: Service) -> object:
        begun.set()
        go_on.wait(HUNG_S)
        return verb(service)  # type: ignore[operator]  # the verb that it stands for

    return held


def test_a_store_that_cannot_be_used_is_a_503_that_does_not_say_where_it_lies() -> None:
    for error in (StoreBusy(path="/secret/place", seconds=5), StoreDamaged(path="/secret/place", problem="x")):
        problem = problem_of(error)
        assert problem.status == 503
        assert (b"retry-after", str(error.facts.get("seconds", 1)).encode()) in problem.headers
        assert b"/secret" not in problem.body()


def test_a_store_that_was_away_is_used_again_when_it_is_back(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served_here(project) as ask:
        made = ask("POST", "/api/memories", json={"content": "Deploy on Tuesdays"}).json()["id"]
        home = project / ".holdfast"
        away = project / "away"
        home.rename(away)
        assert ask("GET", f"/api/memories/{made}").status_code in (404, 503)
        assert ask.bare("GET", "/readyz").status_code == 503
        assert ask.bare("GET", "/healthz").status_code == 200
        away.rename(home)
        assert ask("GET", f"/api/memories/{made}").json()["content"] == "Deploy on Tuesdays"
        monkeypatch.setattr("holdfast.interfaces.http.projects.FRESH_S", 0.0)
        assert ask.bare("GET", "/readyz").status_code == 200


def test_what_took_too_long_is_said_to_go_on_or_to_have_never_begun() -> None:
    go_on = threading.Event()

    async def told_of(work: Work) -> list[str]:
        said = []
        for _ in range(2):
            with pytest.raises(ServerBusy) as caught:
                await work.finished(go_on.wait, 0.05)
            said.append(str(caught.value))
        go_on.set()
        return said

    begun, queued = anyio.run(told_of, Work(1))
    assert "still being done" in begun
    assert "nothing was done" in queued


def test_a_store_that_hangs_does_not_stop_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what is under way nor closing is waited for without end, and the loop goes on meanwhile."""
    monkeypatch.setattr("holdfast.interfaces.http.projects.CLOSING_S", 0.1)
    monkeypatch.setattr("holdfast.interfaces.http.projects.STOPPING_S", 0.1)
    go_on, closed = threading.Event(), threading.Event()

    def close() -> None:
        closed.set()
        go_on.wait(HUNG_S)

    async def end(work: Work) -> None:
        with pytest.raises(ServerBusy):
            await work.finished(lambda: go_on.wait(HUNG_S), 0.05)
        await work.end(close)

    anyio.run(end, Work(1))
    assert closed.is_set()
    go_on.set()  # only now: nobody waited for it


def test_who_asks_whether_it_is_ready_shares_one_look() -> None:
    looks: list[int] = []

    async def ask_often() -> None:
        readiness = Readiness(lambda: looks.append(1))
        async with anyio.create_task_group() as tasks:
            for _ in range(20):
                tasks.start_soon(readiness.check)
        await readiness.check()

    anyio.run(ask_often)
    assert looks == [1]


def test_who_shows_no_token_takes_no_room(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_asked, go_on = threading.Event(), threading.Event()

    def ready(_: Projects) -> None:
        is_asked.set()
        go_on.wait(HUNG_S)

    monkeypatch.setattr(Projects, "ready", ready)
    with served_here(project, ServerConfig(concurrency=1)) as ask:
        stranger = threading.Thread(target=lambda: ask.bare("GET", "/readyz"))
        stranger.start()
        assert is_asked.wait(HUNG_S)
        assert ask("GET", "/api/memories").status_code == 200
        go_on.set()
        stranger.join(HUNG_S)


class Away(SingleProject):
    """A store that is asked in vain, and counts how often."""

    asked = 0

    def _open(self) -> Service:
        self.asked += 1
        raise StoreUnreachable(path="db", problem="gone")


def test_a_store_that_did_not_answer_is_left_alone_for_a_moment(project: Path) -> None:
    timer, away = Timer(), Away(project)
    projects = Projects(away, 1, timer)
    for moment, asked in ((0.0, 1), (0.5, 1), (2.0, 2)):
        timer.now += moment
        with pytest.raises(StoreUnreachable):
            projects.run(_somebody(), Service.stats)
        assert away.asked == asked


def test_so_many_services_are_kept_and_no_more(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdfast.interfaces.http.projects.MOST_IDLE", 1)
    closed: list[Service] = []
    monkeypatch.setattr("holdfast.interfaces.http.projects._close", lambda one: closed.append(one.service))
    projects = Projects(served_at(project), 2)
    outer, inner = projects.run(_somebody(), lambda one: (one, projects.run(_somebody(), lambda other: other)))
    assert outer is not inner
    assert len(closed) == 1
    projects.close()
    assert len(closed) == 2
    for one in closed:
        one.close()


def _somebody() -> Caller:
    return Caller(token=Token(id="x", name="x", tenant="local", scope="read", created_at=0, digest=""))
