"""A table of examples as one test, which names every row that fails."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]


def table(names: str | Sequence[str], rows: Iterable[Any], ids: object = None) -> Callable[[Test], Test]:
    """Run a test on every row and fail with a line for each row that fails.

    It is written like `pytest.mark.parametrize` and stacks like it. The rows share the fixtures of the test,
    so it suits functions that leave nothing behind.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    values = [_values(row, len(columns)) for row in rows]

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        fixtures = [item for name, item in signature.parameters.items() if name not in columns]

        def every_row(**given: Any) -> None:
            failures = []
            for row in values:
                try:
                    test(**dict(zip(columns, row, strict=True)), **given)
                except (Exception, pytest.fail.Exception) as failure:
                    failures.append(f"{row!r:.200}: {type(failure).__name__} {failure}")
            assert not failures, f"{len(failures)} of {len(values)} rows fail:\n" + "\n".join(failures)

        every_row.__name__, every_row.__doc__, every_row.__module__ = test.__name__, test.__doc__, test.__module__
        every_row.__signature__ = inspect.Signature(fixtures)  # type: ignore[attr-defined]  # what pytest reads
        return every_row

    return decorate


def _values(row: Any, columns: int) -> tuple[Any, ...]:
    if hasattr(row, "values") and hasattr(row, "marks"):  # pytest.param
        return tuple(row.values)
    return (row,) if columns == 1 else tuple(row)
