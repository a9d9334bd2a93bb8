"""From the declaration of a request to what an interface takes: a frozen value with its fields, in its words.

An interface writes a class that holds what is its own (a docstring, an id from the path, another default), and
`takes` gives it the rest. Its dialect says how a field is written there: which rules it checks, what it explains.
`read` makes such a value of what a client sent, or names the field that cannot be used.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache, reduce
from inspect import get_annotations
from operator import or_
from types import NoneType
from typing import Annotated, Any, NamedTuple, TypeVar, dataclass_transform, get_args, get_origin

from msgspec import NODEFAULT, Struct, ValidationError, convert, defstruct
from msgspec.structs import fields

from holdfast.errors import InvalidInput

Dialect = Callable[[Any, Mapping[str, Any], bool], Any]
"""From a field's type without None, its rules and whether it may be None, to the type that is read."""

T = TypeVar("T")
V = TypeVar("V", bound=Struct)
_PROBLEM = re.compile(r"(?s)(.*?)(?: - at `\$\.?(.*)`)?")
_MISSING = re.compile(r"Object missing required field `(.+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.+)`")


class RequestField(NamedTuple):
    """A field of a request as it is declared; `NODEFAULT` where it must be given."""

    name: str
    type: Any
    default: Any
    rules: Mapping[str, Any]


@cache
def request_fields(request: type[Struct]) -> dict[str, RequestField]:
    """Return the fields of a request by name, with their rules apart from their types."""
    field_types = {}
    for field in fields(request):
        kind, *notes = get_args(field.type) if get_origin(field.type) is Annotated else (field.type,)
        field_types[field.name] = RequestField(field.name, kind, field.default, notes[0] if notes else {})
    return field_types


def takes_several(kind: Any) -> bool:
    """Return whether a type is one of several values, with or without None and annotations."""
    if get_origin(kind) in (tuple, list):
        return True
    return any(takes_several(part) for part in get_args(kind))


@dataclass_transform(frozen_default=True, kw_only_default=True)
def takes(
    dialect: Dialect, request: type[Struct], *names: str, without: tuple[str, ...] = ()
) -> Callable[[type[T]], type[T]]:
    """Give a class the fields of a request, or the named ones in that order; its own stay as they are."""

    def derive(cls: type[T]) -> type[T]:
        own_types = get_annotations(cls)
        own_fields = {name: field for name, field in request_fields(request).items() if name not in without}
        defaults = {name: field.default for name, field in own_fields.items()} | _own_defaults(cls, own_types)
        order = names or (*(name for name in own_types if name not in own_fields), *own_fields)
        shape = []
        for name in order:
            default = defaults.get(name, NODEFAULT)
            kind = own_types[name] if name in own_types else _in_dialect(dialect, own_fields[name], default)
            shape.append((name, kind, default))
        bases = cls.__bases__ if issubclass(cls, Struct) else (Struct,)
        namespace = {"__doc__": cls.__doc__}
        derived_class: Any = defstruct(
            cls.__name__, shape, bases=bases, namespace=namespace, module=cls.__module__, frozen=True, kw_only=True
        )
        return derived_class  # type: ignore[no-any-return]  # the same class to a type checker, with more fields

    return derive


def _own_defaults(cls: type, own_types: Mapping[str, Any]) -> dict[str, Any]:
    if issubclass(cls, Struct):
        defaults = {field.name: field.default for field in fields(cls) if field.name in own_types}
    else:
        defaults = {name: cls.__dict__[name] for name in own_types if name in cls.__dict__}
    bare = {name: value for name, value in cls.__dict__.items() if name not in own_types and name[0] != "_"}
    return {name: value for name, value in {**defaults, **bare}.items() if value is not NODEFAULT}


def _in_dialect(dialect: Dialect, field: RequestField, default: object) -> Any:
    """Return a field's type as an interface writes it: None where nothing else stands for it there."""
    kinds = get_args(field.type)
    if NoneType not in kinds:
        return dialect(field.type, field.rules, False)
    kind = reduce(or_, (kind for kind in kinds if kind is not NoneType))
    return dialect(kind, field.rules, default is None)


def read(values: object, shape: type[T], *, strict: bool = True) -> T:
    """Return the value of a type that a client's values make; a text counts as a number where `strict` is off."""
    try:
        return convert(values, shape, strict=strict)
    except ValidationError as error:
        raise _invalid(str(error)) from None


def _invalid(message: str) -> InvalidInput:
    """Return the error that names the field: msgspec writes its place behind what is wrong."""
    problem_match = _PROBLEM.fullmatch(message)
    problem, place = (problem_match[1], problem_match[2] or "") if problem_match else (message, "")
    for pattern, plainly in ((_MISSING, "is missing"), (_UNKNOWN, "is unknown")):
        if field_match := pattern.fullmatch(problem):
            place, problem = f"{place}.{field_match[1]}".lstrip("."), plainly
    return InvalidInput(field=place or "body", problem=f"{problem}.")
