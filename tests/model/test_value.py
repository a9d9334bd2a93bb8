"""A value is a frozen dataclass to whoever uses one, and costs no import of dataclasses to define."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass
from dataclasses import replace as stdlib_replace

import pytest

from holdfast.model import value as light
from holdfast.model.value import Value, replace


class Place(Value):
    """Made by position or by name."""

    x: int
    y: int = 0

    @property
    def sum(self) -> int:
        """Both."""
        return self.x + self.y


class Note(Value, kw_only=True):
    """Made by name; a default may stand before a field without one."""

    id: str
    tags: tuple[str, ...] = ()
    place: Place
    marks: Mapping[str, int] = light.field(default_factory=dict)


class Blank(Value):
    """Has nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """What a note would be as a dataclass."""

    id: str
    tags: tuple[str, ...] = ()
    place: Place
    marks: Mapping[str, int] = field(default_factory=dict)


HERE = Place(1, 2)


def test_a_value_takes_positions_names_and_defaults() -> None:
    assert (Place(1), Place(1, 2), Place(y=2, x=1).sum) == (Place(x=1, y=0), HERE, 3)
    note = Note(id="a", place=HERE)
    assert (note.id, note.tags, note.place, note.marks) == ("a", (), HERE, {})


def test_a_wrong_argument_is_refused_as_any_function_refuses_it() -> None:
    with pytest.raises(TypeError, match=r"Note.__init__\(\) missing 1 required keyword-only argument: 'place'"):
        Note(id="a")  # type: ignore[call-arg]  # the point
    with pytest.raises(TypeError, match="positional"):
        Note("a", place=HERE)  # type: ignore[call-arg]  # the point
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Place(1, z=2)  # type: ignore[call-arg]  # the point


def test_values_are_equal_when_they_are_of_one_class_and_all_fields_are() -> None:
    class Spot(Value):
        x: int
        y: int = 0

    assert Place(1, 2) == HERE
    assert Place(1, 3) != HERE
    assert Spot(1, 2) != HERE
    assert HERE != (1, 2)
    assert Blank() == Blank()


def test_a_value_is_a_key_when_its_fields_are() -> None:
    assert {HERE: 1, Blank(): 2}[Place(1, 2)] == 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(Note(id="a", place=HERE))


def test_a_value_cannot_be_changed_nor_get_other_attributes() -> None:
    for name in ("x", "z"):
        with pytest.raises(FrozenInstanceError):
            setattr(HERE, name, 5)
    with pytest.raises(FrozenInstanceError):
        del HERE.x
    assert not hasattr(HERE, "__dict__")


def test_each_value_has_a_fresh_default_of_its_own() -> None:
    assert Note(id="a", place=HERE).marks is not Note(id="b", place=HERE).marks


def test_a_value_is_shown_as_it_is_made() -> None:
    assert repr(Note(id="a", place=HERE)) == "Note(id='a', tags=(), place=Place(x=1, y=2), marks={})"


def test_some_fields_are_replaced_and_the_others_stay() -> None:
    note = Note(id="a", place=HERE, tags=("t",))
    changed = Note(id="b", place=HERE, tags=("t",))
    assert replace(note, id="b") == stdlib_replace(note, id="b") == changed
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        replace(note, z=1)  # type: ignore[call-arg]  # the point


def test_replace_takes_a_dataclass_too() -> None:
    assert replace(Twin(id="a", place=HERE), id="b") == Twin(id="b", place=HERE)


def test_a_value_goes_to_another_process_and_back() -> None:
    note = Note(id="a", place=HERE)
    sent = pickle.loads(pickle.dumps(note))  # noqa: S301 - our own
    assert sent == copy.deepcopy(note) == copy.copy(note) == note


def test_a_value_extends_no_other_value() -> None:
    with pytest.raises(TypeError, match="let it hold one"):

        class Far(Place):
            z: int = 0


def test_a_field_of_dataclasses_is_refused_where_it_stands() -> None:
    """It would become the default itself."""
    with pytest.raises(TypeError, match="a value takes the `field` of this module"):

        class Odd(Value):
            marks: Mapping[str, int] = field(default_factory=dict)


def test_what_values_have_in_common_is_no_dataclass() -> None:
    """Whoever goes through the bases of a value (pydantic does) must not find one without fields."""
    assert not is_dataclass(Value)
    assert [one.name for one in fields(Place)] == ["x", "y"]
    assert [base for base in Place.__mro__ if is_dataclass(base)] == [Place]


def test_a_value_is_matched_by_its_fields() -> None:
    match HERE:
        case Place(x, y):
            assert (x, y) == (1, 2)


def test_dataclasses_sees_a_dataclass() -> None:
    note = Note(id="a", place=HERE)
    assert is_dataclass(note)
    assert asdict(note) == {"id": "a", "tags": (), "place": {"x": 1, "y": 2}, "marks": {}}

    def described(kind: type[Note | Twin]) -> list[tuple[object, ...]]:
        return [(one.name, one.type, one.default, one.default_factory, one.kw_only) for one in fields(kind)]

    assert described(Note) == described(Twin)


def test_defining_and_making_values_imports_neither_dataclasses_nor_typing() -> None:
    """The reason that there is a class of our own."""
    program = (
        "import sys; from holdfast.model.search import Filters; Filters(kinds=('fact',));"
        "print([name for name in ('dataclasses', 'typing', 'inspect') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"
