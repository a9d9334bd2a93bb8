"""A table of cases as one test: every row is tried, and the failure names each row that failed."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

Test = Callable[..., None]


def plain(folder: Path) -> None:
    """Leave a folder as it is."""


def each(
    names: str,
    rows: Iterable[object],
    *,
    fresh: tuple[str, ...] | Mapping[str, Callable[[Path], None]] = (),
) -> Callable[[Test], Test]:
    """Run a test once for each row, as one item; `names` are the parameters that a row fills.

    The fixtures named in `fresh` are folders: each row gets an empty one of its own inside, made ready by the
    function that stands there, if any.
    """
    ready = fresh if isinstance(fresh, Mapping) else dict.fromkeys(fresh, plain)
    parameters = [name.strip() for name in names.split(",")]
    table = [(row if isinstance(row, tuple) else (row,)) if len(parameters) > 1 else (row,) for row in rows]
    assert table, "a table without rows tries nothing"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def run(**fixtures: object) -> None:
            failed = []
            for number, row in enumerate(table):
                own = fixtures | {name: _folder(fixtures[name], number, make) for name, make in ready.items()}
                try:
                    test(**own, **dict(zip(parameters, row, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    failed.append(f"row {number}, {', '.join(map(_shown, row))}: {type(error).__name__}: {error}")
            assert not failed, f"{len(failed)} of {len(table)} rows failed\n" + "\n\n".join(failed)

        signature = inspect.signature(test)
        kept = [value for name, value in signature.parameters.items() if name not in parameters]
        run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]  # pytest asks for it
        return run

    return decorate


def _folder(place: object, number: int, make: Callable[[Path], None]) -> Path:
    assert isinstance(place, Path)
    folder = place / f"row{number}"
    folder.mkdir()
    make(folder)
    return folder


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
