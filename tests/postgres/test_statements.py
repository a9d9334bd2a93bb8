"""How much is said to a server for each verb, as the HTTP server runs it: heard on the wire.

A statement is one that asks or writes something; BEGIN, SET, COMMIT and their like are told apart (`wire.py`).
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from holdfast.interfaces.http.projects import Caller, Projects
from holdfast.model.requests import BriefRequest, Changes, Draft, SearchRequest
from holdfast.model.search import Filters
from holdfast.service.service import Service
from holdfast.storage.tenancy import to_serve, tokens
from tests.postgres.wire import Wire, tapped

T = TypeVar("T")
WORDS = "walrus lynx heron otter badger deploy vector index worker queue token limit memory server client".split()
PROMPT = "how do we deploy the vector index to the queue worker"


class Tapped:
    """A project that is served from a database, and what is said there."""

    def __init__(self, projects: Projects, caller: Caller, wire: Wire) -> None:
        self._projects = projects
        self._caller = caller
        self.wire = wire

    def run(self, act: Callable[[Service], T]) -> T:
        """Do something as a request does."""
        self.wire.clear()
        return self._projects.run(self._caller, act, create=True)

    def said(self, act: Callable[[Service], object]) -> tuple[int, int]:
        """Return how many statements and transactions something takes."""
        self.run(act)
        return len(self.wire.work), self.wire.transactions


def note(number: int) -> Draft:
    """Return something to remember."""
    words = " ".join(WORDS[(number * step + step) % len(WORDS)] for step in (1, 2, 7))
    return Draft(content=f"the {words} number {number} is good")


@pytest.fixture
def served(empty_postgres: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tapped]:
    """A project with some memories that have vectors."""
    with tapped(empty_postgres) as (address, wire):
        monkeypatch.setenv("HOLDFAST_STORE_URL", address)
        monkeypatch.setenv("HOLDFAST_STORE_TENANT", "acme")
        token, _ = tokens().create(name="ada", tenant="acme", scope="write", project=None, expires=None, now=0)
        projects = Projects(to_serve(project), 4)
        tapped_project = Tapped(projects, Caller(token=token), wire)
        for number in range(15):
            tapped_project.run(partial(Service.add, draft=note(number)))
        for verb in (search, brief):
            tapped_project.run(verb)
        yield tapped_project
        projects.close()


def search(service: Service) -> object:
    return service.search(SearchRequest(query="deploy the vector index"))


def brief(service: Service) -> object:
    brief = service.context(BriefRequest(prompt=PROMPT, budget=1_000))
    assert brief.failure is None
    return brief


def test_a_verb_takes_few_statements_and_transactions(served: Tapped) -> None:
    """A search: the own store, facts of the project's, aliases, words, vectors, the memories, their threads."""
    assert served.said(search) == (7, 1), served.wire.work
    statements, transactions = served.said(lambda service: service.add(note(43)))
    assert (statements <= 16, transactions) == (True, 6), served.wire.work
    assert served.said(search) == (7, 1)
    assert served.said(lambda service: service.list(Filters(), 20)) == (2, 1)
    memory = served.run(lambda service: service.list(Filters(), 1))[0]
    assert served.said(lambda service: service.get([memory.id])) == (4, 2)
    assert served.said(lambda service: service.update(memory.id, Changes(tags=("sea",)))) == (9, 5)
    statements, transactions = served.said(brief)
    assert (statements <= 13, transactions) == (True, 2), served.wire.work


def test_a_store_of_ones_own_is_there_as_soon_as_it_is_made(served: Tapped) -> None:
    served.run(lambda service: service.add(Draft(content="the heron is mine", scope="user")))
    hits = served.run(lambda service: service.search(SearchRequest(query="whose is the heron")))
    assert "the heron is mine" in [hit.title for hit in hits]
