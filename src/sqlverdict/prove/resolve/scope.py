"""Names in force at a place of a query: what an alias and a column name mean there.

The lookup is that of :class:`~sqlverdict.parse.names.NameScope`. The prover is stricter: it reads
no query in which a name may mean two columns. And it does not follow a name to a base table, but to
the item of FROM that has it: a table that is read twice is two items.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.names import NameScope
from sqlverdict.parse.schema import Schema, Table
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.shape import aggregates_in, labels_in, output_nodes

_ROWIDS = frozenset({"rowid", "oid", "_rowid_"})


NAMELESS = "\0"
"""The name of an output column that is an expression: SQLite names it after its text."""


class Unsupported(Exception):
    """A construct that the prover does not read; the query cannot be proved, not more."""


class EngineRefusal(Unsupported):
    """A construct that the engine refuses: the query fails whenever it runs."""


@dataclass(frozen=True)
class Source:
    """One item of a FROM clause: its name there, our unique label, and its columns.

    Attributes:
        name: What the query calls it, folded.
        label: Our label for it.
        ordered: All columns in order: the folded name, and the name in the resolved tree.
            A column that no plain name means is :data:`NAMELESS`; there may be several.
        table: The base table, where it is one.
    """

    name: str
    label: str
    ordered: Sequence[tuple[str, str]]
    table: Table | None = None

    @cached_property
    def starred(self) -> Sequence[tuple[str, str]]:
        """The columns that a star shows and NATURAL JOIN compares: not those of no star."""
        unseen = () if self.table is None else self.table.columns
        names = {fold(column.name) for column in unseen if column.invisible}
        return [each for each in self.ordered if each[0] not in names]

    @cached_property
    def columns(self) -> Mapping[str, str]:
        """The name in the resolved tree by the folded name; nameless ones apart."""
        return {name: column for name, column in self.ordered if name != NAMELESS}

    @cached_property
    def has_nameless(self) -> bool:
        """Whether a column goes by a name that we do not know."""
        return any(name == NAMELESS for name, _ in self.ordered)


class Scope(NameScope[Source, tuple[str, str]]):
    """The sources of one SELECT, and the scope around it; a column is a label and a name.

    Attributes:
        merged: Columns joined by USING or NATURAL: the folded name, and the left column it means.
        hidden: The right columns of such joins, by label and name: a star leaves them out.
    """

    def __init__(self, outer: Self | None = None) -> None:
        super().__init__(outer)
        self.merged: dict[str, tuple[str, str]] = {}
        self.hidden: set[tuple[str, str]] = set()

    def add(self, source: Source) -> None:
        """Add a source.

        Raises:
            Unsupported: two sources share a name, so that a qualified column is ambiguous.
        """
        if any(known.name == source.name for known in self.sources):
            raise Unsupported(f"two sources are called {source.name}")
        self.sources.append(source)

    def hides_names(self) -> bool:
        """Whether a quoted word may be the text of a nameless column here or further out."""
        here = any(source.has_nameless for source in self.sources)
        return here or (self.outer is not None and self.outer.hides_names())

    def among(
        self, name: str, sources: Sequence[Source], *, qualified: bool
    ) -> tuple[str, str] | None:
        """The label and column of the one source that has the name.

        Raises:
            Unsupported: several have it, or what the name means depends on SQLite's version.
        """
        if not qualified and name in self.merged:
            return self.merged[name]
        owners = [source for source in sources if name in source.columns]
        if len(owners) > 1:
            raise Unsupported(f"the column {name} is ambiguous")
        if owners:
            return owners[0].label, owners[0].columns[name]
        if name in _ROWIDS and sources:
            # What a derived table answers to rowid depends on the version of SQLite.
            raise Unsupported("rowid")
        return None


def output_columns(names: Sequence[str]) -> list[tuple[str, str]]:
    """The columns of a derived table: ``c0``, ``c1`` ... with their names inside.

    Of two columns that share a name the first is meant, as in SQLite; the other one is there,
    under a name that SQLite makes up (``x:1``).
    """
    seen: set[str] = set()
    columns: list[tuple[str, str]] = []
    for number, name in enumerate(map(fold, names)):
        columns.append((NAMELESS if name in seen else name, f"c{number}"))
        seen.add(name)
    return columns


def resolved(label: str, name: str) -> exp.Column:
    """A column of the resolved tree."""
    return exp.Column(
        this=exp.Identifier(this=name, quoted=True), table=exp.Identifier(this=label, quoted=True)
    )


def star_columns(scope: Scope, qualifier: str = "") -> Iterator[tuple[str, exp.Column]]:
    """The columns that ``*`` or ``t.*`` stands for, in order, each with its name."""
    folded = fold(qualifier)
    for source in scope.sources:
        if qualifier and source.name != folded:
            continue
        for name, column in source.starred:
            if qualifier or (source.label, column) not in scope.hidden:
                yield name, resolved(source.label, column)


def find_table(schema: Schema, node: exp.Table) -> tuple[Table, Sequence[tuple[str, str]]]:
    """The base table that a name means, and its columns as :class:`Source` has them.

    Raises:
        Unsupported: there is none, or it is a view.
    """
    database = fold(node.db) if node.db else ""
    if database not in ("", "main") or node.args.get("joins") or node.args.get("pivots"):
        raise Unsupported(f"the table {node.sql(DEFAULT_DIALECT)}")
    base = _tables(schema).get(fold(node.name))
    if base is None or not base[1]:
        raise Unsupported(f"there is no table {node.name}")
    if "view" in (base[0].sql or "")[:40].lower().split():
        raise Unsupported(f"{base[0].name} is a view")
    return base


@lru_cache(maxsize=256)
def _tables(schema: Schema) -> dict[str, tuple[Table, Sequence[tuple[str, str]]]]:
    return {
        fold(table.name): (table, [(fold(each.name), fold(each.name)) for each in table.columns])
        for table in reversed(schema.tables)
    }


def is_quoted(column: Expr) -> bool:
    """Whether a column is a double-quoted word: SQLite reads it as text where no column fits."""
    return (
        isinstance(column, exp.Column)
        and isinstance(column.this, exp.Identifier)
        and bool(column.this.args.get("quoted"))
        and not column.table
    )


def require_own_aggregates(select: exp.Select, scope: Scope) -> None:
    """Refuse aggregates that are not those of the SELECT in which they stand.

    SQLite gives an aggregate over outer columns alone to the outer query. Rows are chosen before
    they are folded: an aggregate in WHERE or ON is an error, or one of an outer query.

    Raises:
        Unsupported: there is one.
    """
    where, joins = select.args.get("where"), select.args.get("joins") or ()
    conditions = [where, *(join.args.get("on") for join in joins)]
    if next(aggregates_in(filter(None, conditions)), None) is not None:
        raise Unsupported("an aggregate in WHERE or ON")
    own = {source.label for source in scope.sources}
    for call in aggregates_in(output_nodes(select)):
        inside = {part.alias for part in call.find_all(exp.Table, exp.Subquery)}
        outer_labels = labels_in(call) - inside
        if outer_labels and not outer_labels & own:
            raise Unsupported("an aggregate that belongs to an outer query")
