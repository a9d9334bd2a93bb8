"""The service behind embedded memory, for what the public API does not show."""

from holdfast import Holdfast
from holdfast.service.service import Service


def service_behind(memory: Holdfast) -> Service:
    """Return what answers in this process."""
    assert isinstance(memory._service, Service)
    return memory._service
