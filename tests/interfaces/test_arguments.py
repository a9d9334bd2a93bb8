"""What an interface takes is made of the request that a verb is asked with."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from holdfast.interfaces.arguments import takes
from holdfast.interfaces.http import arguments as http
from holdfast.interfaces.mcp import values as mcp
from holdfast.model.plain import filled
from holdfast.model.requests import ForgetRequest, Message, PruneRequest, SearchRequest


def plainly(kind: Any, rules: Mapping[str, Any], optional: bool) -> Any:
    """The type of a field, with what it is told by its rules."""
    return kind, rules.get("most"), optional


@takes(plainly, PruneRequest, without=("mine",))
class Pruning(Struct):
    """Its own field comes first, its own default stands."""

    id: str
    days = 30


def test_a_class_gets_the_fields_of_a_request_and_keeps_its_own() -> None:
    shapes = {field.name: (field.type, field.default) for field in fields(Pruning)}
    assert shapes == {
        "id": (str, NODEFAULT),
        "days": ((int, 36_500, False), 30),
        "max_score": ((float, 1, True), None),
        "source": ((str, None, True), None),
        "dry_run": ((bool, None, False), False),
    }


def test_arguments_make_the_request_with_what_else_is_said() -> None:
    arguments = Pruning(id="1f2e3d4c", max_score=0.1)  # type: ignore[call-arg]  # as `takes` made it
    assert filled(PruneRequest, arguments, dry_run=True) == PruneRequest(days=30, max_score=0.1, dry_run=True)


def test_an_interface_offers_every_field_of_a_request(subtests: pytest.Subtests) -> None:
    for arguments, request_type, left_out in [
        (http.Search, SearchRequest, {"scope"}),
        (mcp.SearchArguments, SearchRequest, {"scope"}),
        (http.PruneWhere, PruneRequest, set()),
        (http.ForgetWhere, ForgetRequest, set()),
        (http.Record, Message, set()),
    ]:
        with subtests.test(arguments=arguments, request_type=request_type, left_out=left_out):
            offered = {field.name for field in fields(arguments)}
            names = set(request_type.__annotations__)
            assert names - offered == left_out
