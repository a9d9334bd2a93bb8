"""How long reads may take together, and what the driver raises, put into our words."""

import contextlib
import time
from collections.abc import Iterator

import psycopg
from msgspec import Struct
from psycopg_pool import PoolTimeout

from holdfast import errors


class Silent(psycopg.OperationalError):
    """The server said nothing for longer than it may."""


class Limit(Struct, frozen=True):
    """When the reads of a transaction must have ended."""

    milliseconds: int
    end: float
    """On the clock of `time.monotonic`."""

    def left(self) -> float:
        """Return the milliseconds that are left."""
        return (self.end - time.monotonic()) * 1000

    def within(self, outer: "Limit | None") -> "Limit":
        """Return the stricter of two."""
        return outer if outer and outer.end < self.end else self


def limit_of(milliseconds: int) -> Limit:
    """Return a limit that runs from now on."""
    return Limit(milliseconds, time.monotonic() + milliseconds / 1000)


@contextlib.contextmanager
def translate_errors(place: str, patience_ms: int, limit: Limit | None = None) -> Iterator[None]:
    """Turn what the driver raises into errors that say what to do."""
    try:
        yield
    except (psycopg.errors.QueryCanceled, PoolTimeout, Silent) as error:
        if limit is None or limit.left() >= 1:
            raise _store_error(error, place, patience_ms) from error
        raise errors.StoreSlow(path=place, milliseconds=limit.milliseconds) from error
    except psycopg.Error as error:
        raise _store_error(error, place, patience_ms) from error


def problem_of(error: Exception) -> str:
    """Return the first line of what the driver says."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _store_error(error: Exception, place: str, patience_ms: int) -> errors.StoreError:
    problem = problem_of(error)
    match error:
        case psycopg.errors.LockNotAvailable():
            return errors.StoreBusy(path=place, seconds=round(patience_ms / 1000, 1))
        case psycopg.errors.UniqueViolation() if (error.diag.constraint_name or "").endswith("_pkey"):
            return errors.StoreError(path=place, problem=f"a row with this key is there already ({problem})")
        case (
            psycopg.errors.UniqueViolation()
            | psycopg.errors.DeadlockDetected()
            | psycopg.errors.SerializationFailure()
        ):
            return errors.StoreRaced(path=place, problem=problem)
        case (
            psycopg.errors.InsufficientPrivilege()
            | psycopg.errors.DiskFull()
            | psycopg.errors.ReadOnlySqlTransaction()
        ):
            return errors.StoreUnwritable(path=place, problem=problem)
        case psycopg.errors.UndefinedTable() | psycopg.errors.InvalidSchemaName():
            return errors.NotAStore(path=place, problem="it has no tables of holdfast")
        case psycopg.OperationalError() if not isinstance(error, psycopg.errors.QueryCanceled):
            return errors.StoreUnreachable(path=place, problem=problem)
        case _:
            return errors.StoreError(path=place, problem=f"{type(error).__name__}: {problem}")
