"""How the tests of upkeep open a service and look at it."""

from pathlib import Path

from holdfast.model.requests import SearchRequest
from holdfast.service.service import Service
from holdfast.storage.open import open_service
from tests.conftest import FakeClock
from tests.embedders import Topics


def opened(project: Path, embedder: Topics, clock: FakeClock, embed_on_add: bool = True) -> Service:
    """Open a service."""
    return open_service(project, actor="python", embedder=embedder, clock=clock, embed_on_add=embed_on_add)


def titles(service: Service, text: str, **fields: object) -> list[str]:
    """Search, and return the titles."""
    return [hit.title for hit in service.search(SearchRequest(query=text, **fields))]  # type: ignore[arg-type]  # our own names


def waiting(service: Service) -> dict[str, int]:
    """Return what waits for vectors."""
    state = service.stats().embedding
    assert state
    return dict(state.waiting)
