"""Which table's column a name means, in the query where it stands.

The lookup is that of :class:`~sqlverdict.parse.names.NameScope`. Three things differ, because
Spider's script compares clauses as they are written and knows no database:

- A column of a derived table or common table expression is the whole expression that it stands
  for, as text, and not only a base column. So aliases never count.
- Of a name that a source of that alias lacks, the source is meant all the same. Of one that no
  source has, the only source is guessed.
- The aliases of output columns are asked apart: ORDER BY asks for them first, other clauses last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from sqlverdict.parse.names import NameScope
from sqlverdict.parse.tokens import fold

if TYPE_CHECKING:
    from sqlverdict.parse.schema import Table

Unit = str
"""An expression as text: equal texts are equal expressions, whatever the aliases were."""

_LONGEST = 400
_PLAIN = re.compile(r"\w+")


def word(name: str) -> Unit:
    """A name as a unit: folded, and quoted where it could be taken for something else."""
    folded = fold(name)
    return folded if _PLAIN.fullmatch(folded) else json.dumps(folded)


def column_unit(table: str, column: str) -> Unit:
    """A table's column as a unit."""
    return f"{word(table)}.{word(column)}"


def short_unit(text: Unit) -> Unit:
    """The text, or its digest where it is long.

    Expressions of derived tables are written out wherever they are used; without this, a few
    nested ones would make a text of any length.
    """
    if len(text) <= _LONGEST:
        return text
    return f"#{blake2b(text.encode('utf-8', 'backslashreplace'), digest_size=16).hexdigest()}"


class FromSource(Protocol):
    """Something that FROM names."""

    @property
    def unit(self) -> Unit:
        """What it is, without its alias."""
        ...

    def column(self, name: str) -> Unit | None:
        """What a column of it is; None where there is no such column, or none is known."""
        ...


class TableSource:
    """A table of the schema, or one that the schema does not know."""

    def __init__(self, name: str, table: Table | None) -> None:
        self.unit = word(name)
        self.unknown = table is None
        self._columns = (
            {fold(c.name): column_unit(name, c.name) for c in table.columns} if table else {}
        )

    def column(self, name: str) -> Unit | None:
        """The column, where the schema has it."""
        return self._columns.get(fold(name))


class DerivedSource:
    """A query in FROM, or a common table expression."""

    def __init__(
        self, unit: Unit, outputs: Mapping[str, Unit], stars: Iterable[FromSource]
    ) -> None:
        self.unit = unit
        self._stars = tuple(stars)
        # Misses are remembered too: stars over stars would be searched again and again.
        self._known: dict[str, Unit | None] = {fold(name): what for name, what in outputs.items()}

    def column(self, name: str) -> Unit | None:
        """The expression that the column stands for."""
        key = fold(name)
        if key not in self._known:
            units = (source.column(key) for source in self._stars)
            self._known[key] = next((unit for unit in units if unit is not None), None)
        return self._known[key]


class SourceName(NamedTuple):
    """The folded name that FROM gives a source, and the source."""

    name: str
    source: FromSource


class SelectScope(NameScope[SourceName, Unit]):
    """What names mean inside one SELECT.

    Attributes:
        aliases: The output columns by alias; empty until they have been read.
    """

    def __init__(self, outer: Self | None) -> None:
        super().__init__(outer)
        self.aliases: dict[str, Unit] = {}
        self._ctes: dict[str, FromSource] = {}

    def add_cte(self, name: str, source: FromSource) -> None:
        """Make a common table expression known here and in the queries inside."""
        self._ctes[fold(name)] = source

    def cte(self, name: str) -> FromSource | None:
        """The common table expression of that name, the innermost first."""
        source, around = self._ctes.get(fold(name)), self.outer
        while source is None and around is not None:
            source, around = around._ctes.get(fold(name)), around.outer
        return source

    def among(self, name: str, sources: Sequence[SourceName], *, qualified: bool) -> Unit | None:
        """The column of the first source that has it; where its alias is given, of that source."""
        if qualified and sources:
            source = sources[0].source
            return source.column(name) or f"{source.unit}.{word(name)}"
        units = (each.source.column(name) for each in sources)
        return next((unit for unit in units if unit is not None), None)

    def qualified(self, qualifier: str, name: str) -> Unit:
        """The column of the source with that alias; of an unknown one, the name as it is."""
        return self.find(name, qualifier) or column_unit(qualifier, name)

    def aliased(self, name: str) -> Unit | None:
        """The output column of that alias."""
        return self.aliases.get(fold(name))

    def guess(self, name: str) -> Unit:
        """A column that no source is known to have: that of the only source, if there is one."""
        if len(self.sources) == 1:
            return f"{self.sources[0].source.unit}.{word(name)}"
        return f"?.{word(name)}"
