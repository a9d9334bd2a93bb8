"""Values as JSON-ready objects."""

import json

import pytest

from holdfast.model.memory import Added
from holdfast.model.plain import plain
from tests.contract.builders import a_memory


def test_scalars_stay_and_sequences_become_lists() -> None:
    """As JSON has it."""
    assert plain((1, 2.5, "x", None, True, ("y",))) == [1, 2.5, "x", None, True, ["y"]]
    assert plain({"a": (1,), 2: {"b": ()}}) == {"a": [1], "2": {"b": []}}


def test_a_value_of_the_model_becomes_an_object_of_its_fields() -> None:
    """Every field by its name."""
    assert plain(Added(id="x", created=True)) == {
        "id": "x",
        "created": True,
        "duplicate": False,
        "rejected": None,
        "conflicts": [],
        "similar_to": [],
        "proposal": None,
        "proven": False,
        "unproven": None,
    }


def test_a_memory_also_names_its_first_source_and_is_json() -> None:
    """`source` beside `sources`."""
    memory = a_memory(sources=("git", "cli"), metadata={"a": [1]}, tags=("t",))
    shape = plain(memory)
    assert isinstance(shape, dict)
    assert (shape["source"], shape["sources"], shape["tags"]) == ("git", ["git", "cli"], ["t"])
    assert json.loads(json.dumps(shape)) == shape


def test_what_has_no_json_form_is_refused(subtests: pytest.Subtests) -> None:
    """Rather than printed as something else."""
    for value in [object(), Added, {1, 2}, b"bytes"]:
        with subtests.test(value=value), pytest.raises(TypeError, match="has no JSON form"):
            plain(value)
