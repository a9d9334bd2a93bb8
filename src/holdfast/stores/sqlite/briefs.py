"""What an embedded store keeps for briefs: its aliases are sealed."""

from collections.abc import Iterable
from functools import partial

from holdfast.model.brief import Receipt
from holdfast.model.type_hints import TYPE_CHECKING, cast
from holdfast.stores.sql.briefs import SqlAliases
from holdfast.stores.sqlite.connection import Database
from holdfast.stores.sqlite.rows import SqliteTables, value_of
from holdfast.stores.sqlite.seals import Seal, readable

if TYPE_CHECKING:
    from holdfast.stores.sqlite.connection import Row, Value

ALIAS_SEAL = Seal(("word", "meaning"))

receipt_of = partial(value_of, Receipt)


class SqliteAliases(SqlAliases):
    """`ports.Aliases` on SQLite."""

    def __init__(self, database: Database) -> None:
        super().__init__(SqliteTables(database))
        self._database = database

    def _pairs(self) -> Iterable[tuple[str, str]]:
        return readable(self._database, "alias", alias_of, self._database.all("aliases_all"))

    def _row(self, word: str, meaning: str) -> "dict[str, Value]":
        return alias_row(word, meaning)


def alias_of(row: "Row") -> tuple[str, str]:
    """Read a word and what else it is called."""
    ALIAS_SEAL.check(row)
    return cast(str, row[0]), cast(str, row[1])


def alias_row(word: str, meaning: str) -> "dict[str, Value]":
    """Write a word and what else it is called."""
    return {"word": word, "meaning": meaning, "seal": ALIAS_SEAL.of((word, meaning))}
