"""What every value is: named fields, fixed once made, equal when all of them are. Light: shared with hooks.

A value is a frozen, slotted dataclass to type checkers and to whoever asks `dataclasses` about it. But that module
is imported, and a constructor compiled, only when somebody asks: a process that makes one brief defines dozens of
these classes and makes values of a few, of many of them (every section of the settings) a single one.
"""

from operator import attrgetter

TYPE_CHECKING = False  # typing's own, without importing typing
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from dataclasses import Field
    from dataclasses import field as field
    from dataclasses import replace as replace
    from typing import Any, ClassVar, dataclass_transform
else:

    def dataclass_transform(**_):
        """Stand in for typing's mark, which only type checkers read."""
        return lambda cls: cls

    def field(*, default=..., default_factory=None, metadata=None):
        """Give a field a default that is made anew for each value, or say what is known about it."""
        return _Fresh(default_factory) if default_factory else _Described(default, metadata)

    def replace(value, **changes):
        """Return the same value with some fields changed."""
        if isinstance(value, Value):
            return type(value)(**{name: getattr(value, name) for name in value.__slots__} | changes)
        from dataclasses import replace as replace_other

        return replace_other(value, **changes)


class _Fresh:
    """A default that is made anew for each value."""

    __slots__ = ("make",)

    def __init__(self, make: "Callable[[], object]") -> None:
        self.make = make


class _Described:
    """A default, `...` for none, and what is known about its field."""

    __slots__ = ("default", "metadata")

    def __init__(self, default: object, metadata: "Mapping[str, Any]") -> None:
        self.default = default
        self.metadata = metadata


class _Fields:
    """The fields as `dataclasses` describes them, made when it first asks."""

    def __get__(self, value: "Value | None", kind: "type[Value]") -> "dict[str, Field[Any]]":
        if kind is Value:
            raise AttributeError("what all values have in common has no fields")
        import dataclasses

        def described(name: str) -> object:
            default: Any = kind._defaults.get(name, dataclasses.MISSING)
            if isinstance(default, _Fresh):
                return dataclasses.field(default_factory=default.make)
            return dataclasses.field(default=default, metadata=kind._metadata.get(name))

        shape = [(name, kind.__annotations__[name], described(name)) for name in kind.__slots__]
        twin: Any = dataclasses.make_dataclass(kind.__name__, shape, kw_only=not kind.__match_args__)
        kind.__dataclass_fields__ = twin.__dataclass_fields__
        return kind.__dataclass_fields__


class _ValueType(type):
    """Makes the annotated names of a class its slots, which must be known before the class is."""

    def __new__(
        cls, name: str, bases: "tuple[type, ...]", body: "dict[str, Any]", *, kw_only: bool = False
    ) -> "_ValueType":
        if any(isinstance(base, _ValueType) and base.__dict__["__slots__"] for base in bases):
            raise TypeError(f"{name}: a value extends no other value; let it hold one.")
        names = tuple(_annotations(body))
        defaults = {name: body.pop(name) for name in names if name in body}
        if any(type(default).__name__ == "Field" for default in defaults.values()):
            raise TypeError(f"{name}: a value takes the `field` of this module, not that of dataclasses.")
        described_fields = {name: default for name, default in defaults.items() if type(default) is _Described}
        body["_metadata"] = {name: described.metadata for name, described in described_fields.items()}
        plain_defaults = defaults | {name: described.default for name, described in described_fields.items()}
        body["_defaults"] = {name: default for name, default in plain_defaults.items() if default is not ...}
        body["_contents"] = attrgetter(*names) if names else type
        body["__slots__"] = names
        body["__match_args__"] = () if kw_only else names
        return super().__new__(cls, name, bases, body)


def _annotations(body: "dict[str, Any]") -> "dict[str, Any]":
    """Return the annotations of a class that is being made. From Python 3.14 on they wait to be asked for."""
    annotations: dict[str, Any] = body.get("__annotations__", {})
    compute = body.get("__annotate_func__")
    return compute(1) if compute else annotations


def _fill(value: "Value", positional: "tuple[object, ...]", by_name: "dict[str, object]") -> bool:
    """Set the fields of a value one by one; say whether the arguments were right. Slower than a compiled
    constructor, and a tenth of what compiling one takes: of most classes a process makes no value or one."""
    kind = type(value)
    names = kind.__slots__
    by_position = dict(zip(kind.__match_args__, positional, strict=False))
    contents = {**kind._defaults, **by_position, **by_name}
    if (
        len(by_position) != len(positional)
        or len(contents) != len(names)
        or not by_position.keys().isdisjoint(by_name)
    ):
        return False
    if not all(name in contents for name in names):
        return False
    for name in names:
        content = contents[name]
        object.__setattr__(value, name, content.make() if type(content) is _Fresh else content)
    return True


def _constructor(kind: "type[Value]") -> "Callable[..., None]":
    """Compile a class's constructor, as `dataclasses` does when the class is defined. Slots are set directly."""
    names, defaults = kind.__slots__, kind._defaults
    star = ["*"] if names and not kind.__match_args__ else []
    arguments = ["self", *star, *(f"{name}=_known[{name!r}]" if name in defaults else name for name in names)]
    fresh = {name for name, default in defaults.items() if isinstance(default, _Fresh)}
    expressions = {
        name: f"{name}.make() if type({name}) is _Fresh else {name}" if name in fresh else name for name in names
    }
    lines = [f"_set_{name}(self, {expressions[name]})" for name in names] or ["pass"]
    scope: dict[str, Any] = {"_known": defaults, "_Fresh": _Fresh}
    scope.update((f"_set_{name}", kind.__dict__[name].__set__) for name in names)
    exec(f"def __init__({', '.join(arguments)}):\n " + "\n ".join(lines), scope)  # noqa: S102 - of our own names
    constructor: Callable[..., None] = scope["__init__"]
    constructor.__qualname__ = f"{kind.__qualname__}.__init__"
    return constructor


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Value(metaclass=_ValueType):
    """Base of every value. A `class Hit(Value, kw_only=True)` is made by named arguments alone."""

    if TYPE_CHECKING:
        __slots__: ClassVar[tuple[str, ...]]
        __match_args__: ClassVar[tuple[str, ...]]
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
        _defaults: ClassVar[dict[str, object]]
        _metadata: ClassVar[dict[str, Mapping[str, Any]]]
        _contents: ClassVar[Callable[[object], object]]
    else:
        __dataclass_fields__ = _Fields()
        _made_before = False

        def __init__(self, *args, **kwargs):
            """Make the first value of its class; a compiled constructor makes others, and says what is wrong."""
            kind = type(self)
            if kind._made_before or not _fill(self, args, kwargs):
                kind.__init__ = _constructor(kind)
                kind.__init__(self, *args, **kwargs)
            kind._made_before = True

    def __eq__(self, other: object) -> bool:
        kind = type(self)
        return kind._contents(self) == kind._contents(other) if type(other) is kind else NotImplemented

    def __hash__(self) -> int:
        return hash(type(self)._contents(self))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__qualname__}({fields})"

    def __setattr__(self, name: str, value: object) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __reduce__(self) -> "tuple[Callable[..., object], tuple[object, ...]]":
        """Let a value be copied and sent to another process."""
        return _restored, (type(self), *(getattr(self, name) for name in self.__slots__))


def _restored(kind: "type[Value]", *contents: object) -> Value:
    return kind(**dict(zip(kind.__slots__, contents, strict=True)))


def metadata_of(kind: "type[Value]") -> "dict[str, Mapping[str, Any]]":
    """Return what is known about the fields of a class, by name, in their order."""
    return {name: kind._metadata.get(name, {}) for name in kind.__slots__}
