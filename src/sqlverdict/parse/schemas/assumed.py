"""The tables and columns that queries speak of, where no schema is known.

Pairs of queries are often published without their databases. What they name is enough to make
databases on which both run. Types are guessed from how a column is used, by the first query that
says something. A key is guessed where a query joins two tables and the name of one of the two
columns is that of its table (``singer.singer_id``, ``singer.id``): it then is that table's key, and
the other column refers to it. Nothing else is known of keys and constraints. What is found out
with such a schema is a hint, and never a proof.

A column without a table belongs to the only table of its query, else to a table that has a
column of this name elsewhere, else to the first one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sqlverdict.files.inflect import regular_singular
from sqlverdict.parse.schema import Column, ForeignKey, Schema, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Query

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.expressions import Expr

_TableColumn = tuple[str, str]
"""A table and one of its columns, in folded letters."""
_PLACEHOLDER = Column("any_column", "TEXT")
_SUFFIX = "id"
_KEY_SUFFIXES = ("id", "code", "key", "number", "no")


def assumed_schema(db_id: str, queries: Iterable[Query]) -> Schema:
    """A schema on which the queries are likely to run."""
    guess = _Guess()
    for query in queries:
        guess.see(query.tree)
    return Schema(db_id, tuple(guess.tables()), "assumed")


class _Guess:
    """What the queries seen so far say."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._columns: dict[str, dict[str, str]] = {}
        self._uses: dict[tuple[str, str], Counter[str]] = {}
        self._decided_by: dict[tuple[str, str], int] = {}
        self._query = 0
        self._ownerless: list[tuple[exp.Column, Sequence[str]]] = []
        self._joins: list[tuple[_TableColumn, _TableColumn]] = []

    def see(self, tree: Expr) -> None:
        """Take note of a query's tables and columns."""
        from sqlglot import exp

        self._query += 1
        inner = {fold(cte.alias) for cte in tree.find_all(exp.CTE)}
        for table in tree.find_all(exp.Table):
            if fold(table.name) not in inner:
                self._names.setdefault(fold(table.name), table.name)
        for column in tree.find_all(exp.Column):
            if isinstance(column.this, exp.Star):
                continue
            sources = _sources(column)
            tables = [source.name for source in sources if isinstance(source, exp.Table)]
            known = [name for name in tables if fold(name) not in inner]
            if len(sources) == 1 and known:
                self._add(known[0], column)
            elif known and not column.table:
                self._ownerless.append((column, known))
        for equality in tree.find_all(exp.EQ):
            sides = [_table_column(side, inner) for side in (equality.this, equality.expression)]
            one, two = sides
            if one is not None and two is not None and one[0] != two[0]:
                self._joins.append((one, two))

    def _add(self, table: str, column: exp.Column) -> None:
        folded = fold(table)
        self._names.setdefault(folded, table)
        self._columns.setdefault(folded, {}).setdefault(fold(column.name), column.name)
        where = folded, fold(column.name)
        uses = list(_use(column))
        # The first query that says something about a column decides: a gold comes first.
        if self._decided_by.setdefault(where, self._query) == self._query or not self._uses[where]:
            self._decided_by[where] = self._query
            self._uses.setdefault(where, Counter()).update(uses)

    def tables(self) -> Iterator[Table]:
        """The tables, those named first at the front."""
        for column, sources in self._ownerless:
            name = fold(column.name)
            owners = [s for s in sources if name in self._columns.get(fold(s), {})]
            if owners or not _may_be_text(column):
                self._add((owners or sources)[0], column)
        self._ownerless.clear()
        keys, references = self._keys()
        for folded, name in self._names.items():
            columns = [
                Column(column, self._type(folded, key))
                for key, column in self._columns.get(folded, {}).items()
            ]
            yield Table(
                name,
                tuple(columns) or (_PLACEHOLDER,),
                (self._columns[folded][keys[folded]],) if folded in keys else (),
                foreign_keys=tuple(
                    ForeignKey(
                        (self._columns[folded][child],),
                        self._names[parent],
                        (self._columns[parent][key],),
                    )
                    for child, (parent, key) in references.get(folded, {}).items()
                ),
            )

    def _keys(self) -> tuple[dict[str, str], dict[str, dict[str, _TableColumn]]]:
        """The column that is the key of a table, and the columns that refer to such keys."""
        keys: dict[str, str] = {}
        references: dict[str, dict[str, _TableColumn]] = {}
        for one, two in self._joins:
            rank, other_rank = _names_its_table(*one), _names_its_table(*two)
            if rank == other_rank or self._type(*one) != self._type(*two):
                continue
            key, child = (one, two) if rank > other_rank else (two, one)
            if keys.setdefault(key[0], key[1]) == key[1]:
                references.setdefault(child[0], {}).setdefault(child[1], key)
        return keys, references

    def _type(self, table: str, column: str) -> str:
        uses = self._uses[table, column]
        if uses["text"] and uses["text"] >= uses["number"]:
            return "TEXT"
        if uses["number"] or uses["key"] or column.endswith(_SUFFIX):
            return "INTEGER"
        return "TEXT"


def _table_column(side: Expr, inner: Container[str]) -> _TableColumn | None:
    """The table and column of one side of an equality; ``None`` where it is no plain column."""
    from sqlglot import exp

    if not isinstance(side, exp.Column) or isinstance(side.this, exp.Star):
        return None
    sources = _sources(side)
    if len(sources) != 1 or not isinstance(sources[0], exp.Table):
        return None
    table = fold(sources[0].name)
    return None if table in inner else (table, fold(side.name))


def _names_its_table(table: str, column: str) -> int:
    """How well a column's name names its table: 2 wholly, 1 the end of it, 0 not at all."""
    if column == _SUFFIX:
        return 2
    words = column.replace("_", "")
    stem = next((words.removesuffix(s) for s in _KEY_SUFFIXES if words.endswith(s)), "")
    noun = regular_singular(table).replace("_", "")
    if not stem or not noun.endswith(stem):
        return 0
    return 2 if noun == stem else 1


def _sources(column: exp.Column) -> list[Expr]:
    """What a column may come from: the source that it names, else all of its own query."""
    from sqlglot import exp

    select = column.find_ancestor(exp.Select)
    while select is not None:
        start = select.args.get("from_")
        sources = [start.this] if start is not None else []
        sources += [join.this for join in select.args.get("joins") or ()]
        if not column.table:
            return sources
        qualifier = fold(column.table)
        matches = [source for source in sources if fold(source.alias_or_name) == qualifier]
        if matches:
            return matches[:1]
        select = select.find_ancestor(exp.Select)
    return []


def _may_be_text(column: exp.Column) -> bool:
    """Whether a name in double quotes may be a text: SQLite reads it so where no column has it."""
    from sqlglot import exp

    return isinstance(column.this, exp.Identifier) and bool(column.this.quoted)


def _use(column: exp.Column) -> Iterator[str]:
    """What the use of a column says about its values."""
    from sqlglot import exp

    around = column.parent
    while isinstance(around, exp.Paren):
        around = around.parent
    if isinstance(around, exp.Sum | exp.Avg | exp.Add | exp.Sub | exp.Mul | exp.Div | exp.Between):
        yield "number"
    elif isinstance(around, exp.Like):
        yield "text"
    elif isinstance(around, exp.EQ | exp.NEQ | exp.GT | exp.LT | exp.GTE | exp.LTE):
        other = around.expression if around.this is column else around.this
        if isinstance(other, exp.Literal):
            yield "text" if other.is_string else "number"
        elif isinstance(other, exp.Column) and not other.table and _may_be_text(other):
            yield "text"
        elif isinstance(around, exp.EQ):
            yield "key"
        elif isinstance(other, exp.Subquery):
            yield "number"
