"""A table of cases as one test: every row is tried, and each that fails is named."""

from collections.abc import Callable, Iterable


def failing_rows(rows: Iterable[str], attempt: Callable[[str], object]) -> list[str]:
    """Return the rows for which an attempt raises, each with the beginning of what it raised."""
    failures = []
    for row in rows:
        try:
            attempt(row)
        except (Exception, SystemExit) as error:
            failures.append(f"{row[:80]!r}: {type(error).__name__}: {str(error)[:600]}")
    return failures
