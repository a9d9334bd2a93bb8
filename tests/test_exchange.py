"""What is noted about memories from elsewhere, and what others do to them meanwhile."""

from dataclasses import replace

from holdfast.model.memory import Draft, Origin
from holdfast.scopes import Scopes
from holdfast.service import Service
from holdfast.stores.reference.store import ReferenceStore
from tests.conftest import FakeClock


def test_what_is_noted_is_noted_of_a_memory_as_it_is_now() -> None:
    origin = Origin(project="shop", tenant="local", user="ada")
    service = Service(Scopes(ReferenceStore("shop")), FakeClock(), lambda: origin)
    known = service.add(Draft(content="The walrus feeds at noon", trust="agent")).id or ""
    service.confirm(known)
    [changed] = service.exchange.rewrite([known], lambda now: replace(now, metadata={"file": "a.md"}))
    assert (changed.status, changed.metadata) == ("confirmed", {"file": "a.md"})
    assert service.peek(known) == changed
    assert service.exchange.rewrite(["nobody"], lambda now: now) == []
