"""From the declaration of a request to what an interface takes: a frozen value with its fields, in its words.

An interface writes a class that holds what is its own (a docstring, an id from the path, another default), and
`takes` gives it the rest. Its dialect says how a field is written there: which rules it checks, what it explains.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import reduce
from inspect import get_annotations
from operator import or_
from types import NoneType
from typing import Any, TypeVar, dataclass_transform, get_args

from holdfast.model.value import Value

Dialect = Callable[[Any, Mapping[str, Any], bool], Any]
"""From a field's type without None, its rules and whether it may be None, to the type that is read."""

T = TypeVar("T")
V = TypeVar("V", bound=Value)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def takes(
    dialect: Dialect, request: type[Value], *names: str, without: tuple[str, ...] = ()
) -> Callable[[type[T]], type[T]]:
    """Give a class the fields of a request, or the named ones in that order; its own stay as they are."""

    def derive(cls: type[T]) -> type[T]:
        own_types = get_annotations(cls)
        declared = {field.name: field for field in fields(request) if field.name not in without}
        order = names or (*(name for name in own_types if name not in declared), *declared)
        for name in order:
            if name in declared and declared[name].default is not MISSING and name not in cls.__dict__:
                setattr(cls, name, declared[name].default)
        cls.__annotations__ = {
            name: own_types[name]
            if name in own_types
            else _in_dialect(dialect, declared[name], getattr(cls, name, None))
            for name in order
        }
        return dataclass(frozen=True, slots=True, kw_only=True)(cls)

    return derive


def _in_dialect(dialect: Dialect, field: Any, default: object) -> Any:
    """Return a field's type as an interface writes it: None where nothing else stands for it there."""
    kinds = get_args(field.type)
    if NoneType not in kinds:
        return dialect(field.type, field.metadata, False)
    kind = reduce(or_, (kind for kind in kinds if kind is not NoneType))
    return dialect(kind, field.metadata, default is None)


def request_of(request: type[V], arguments: object, **others: object) -> V:
    """Return the request that arguments make, with what they do not say."""
    values = {name: getattr(arguments, name) for name in request.__slots__ if hasattr(arguments, name)}
    return request(**values | others)
