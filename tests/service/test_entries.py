"""What is noted about memories from elsewhere, and what others do to them meanwhile."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from holdfast.capture.adopt import AdoptionTerms
from holdfast.model.ingest import Entry
from holdfast.model.memory import Origin
from holdfast.model.requests import Draft
from holdfast.model.search import Filters
from holdfast.service.scopes import Scopes
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from holdfast.stores.sqlite.store import SqliteStore
from tests.conftest import FakeClock


def test_what_is_noted_is_noted_of_a_memory_as_it_is_now() -> None:
    origin = Origin(project="shop", tenant="local", user="ada")
    service = Service(Scopes(SqliteStore.in_memory("shop")), FakeClock(), lambda: origin)
    known = service.add(Draft(content="The walrus feeds at noon", trust="agent")).id or ""
    service.confirm(known)
    [changed] = service.exchange.rewrite([known], lambda now: replace(now, metadata={"file": "a.md"}))
    assert (changed.status, changed.metadata) == ("confirmed", {"file": "a.md"})
    assert service.peek(known) == changed
    assert service.exchange.rewrite(["nobody"], lambda now: now) == []


def test_who_writes_to_one_scope_never_waits_for_the_other(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads both takes the project's first: taken the other way round, each would wait for the other."""
    service = open_service(project, actor="test")
    service.add(Draft(content="Tabs, never spaces", scope="user"))
    home, own = service._scopes.present
    begun, go_on, writing = threading.Event(), threading.Event(), own.writing

    @contextmanager
    def slow(patience_ms: int | None = None) -> Iterator[None]:
        with writing(patience_ms):
            begun.set()
            go_on.wait(30)
            yield

    monkeypatch.setattr(own, "writing", slow)
    entry = Entry(draft=Draft(content="Deploy on Tuesdays", scope="user"))
    taking = threading.Thread(
        target=service.exchange.adopt, args=([entry], AdoptionTerms(scope="user")), daemon=True
    )
    taking.start()
    assert begun.wait(30)
    with home.reading():
        go_on.set()
        taking.join(10)
        assert not taking.is_alive()
    assert len(service.list(Filters(), scope="user")) == 2
    service.close()
