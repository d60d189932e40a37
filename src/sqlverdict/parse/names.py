"""Which column a name in a query means: the one resolver of column names.

Names are looked up as SQLite does: among the sources of FROM, then in the queries around. A
column of a derived table or of a common table expression is followed to the base column that it
stands for, through aliases and stars.

A subclass says what a column of a base table is, and may be stricter: about a bare name that
several sources have, say. What cannot be followed is ``None``. The work is bounded: after a million
looks at output columns, or below many levels of queries, nothing more is followed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from sqlverdict.parse.tokens import fold

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

T = TypeVar("T")

_DEEPEST = 80
"""Through so many references and derived tables, one inside the other, a name is followed."""

_LOOKS = 1_000_000
"""So many output columns are looked at for one query."""


@dataclass(frozen=True)
class NamedSource:
    """What FROM names.

    Attributes:
        name: Its alias, or the table's name; folded.
        table: The folded name of a base table, whether the schema has it or not.
        query: The query of a derived table or of a common table expression.
    """

    name: str
    table: str | None = None
    query: Expr | None = None


class NameResolver(ABC, Generic[T]):
    """Follows the column names of one parsed query, which is not changed.

    ``T`` stands for a column: whatever :meth:`base_column` returns.
    """

    def __init__(self) -> None:
        self._sources: dict[int, list[NamedSource]] = {}
        self._withs: dict[int, dict[str, Expr]] = {}
        self._outputs: dict[tuple[int, str], T | None] = {}
        self._depth = 0
        self._looks = _LOOKS

    @abstractmethod
    def base_column(self, table: str, name: str) -> T | None:
        """A column of a base table, both names folded; ``None`` where it has none of that name."""

    @abstractmethod
    def column(self, node: Expr) -> T | None:
        """What a column reference means, remembered: names inside derived tables come back here.

        An implementation asks :meth:`follow`, and remembers some result before it does: a name that
        stands for itself must come to an end.
        """

    def among(self, name: str, sources: Sequence[NamedSource], *, qualified: bool) -> T | None:
        """The column that a folded name means among sources; by default, of the first that has it.

        Args:
            name: The column's name.
            sources: Where to look: where the name is qualified, the sources that are called so.
            qualified: Whether the name says which source it is of.
        """
        del qualified
        columns = (self.column_of(source, name) for source in sources)
        return next((column for column in columns if column is not None), None)

    def by_alias(self, select: Expr, node: Expr) -> T | None:
        """What an unqualified name means that no source has; by default, nothing."""
        del select, node
        return None

    def follow(self, node: Expr) -> T | None:
        """The column that a reference means, in the innermost query that has one."""
        from sqlglot import exp

        if self._depth >= _DEEPEST or self.is_exhausted:
            return None
        self._depth += 1
        name, qualifier = fold(node.name), fold(node.text("table"))
        select, column = node.find_ancestor(exp.Select), None
        while select is not None and column is None:
            sources = self.sources(select)
            if qualifier:
                called = [source for source in sources if source.name == qualifier]
                column = self.among(name, called, qualified=True)
            else:
                column = self.among(name, sources, qualified=False)
                if column is None:
                    column = self.by_alias(select, node)
            select = select.find_ancestor(exp.Select)
        self._depth -= 1
        return column

    def column_of(self, source: NamedSource, name: str) -> T | None:
        """A source's column; of a query, the column that its output stands for."""
        if source.table is not None:
            return self.base_column(source.table, name)
        if source.query is None or self._depth >= _DEEPEST:
            return None
        key = (id(source.query), name)
        if key not in self._outputs:
            # A query that reads itself finds nothing more in itself. And queries that read one
            # before them twice, with stars, would double the work at each step.
            self._outputs[key] = None
            self._depth += 1
            self._outputs[key] = self._output(source.query, name)
            self._depth -= 1
        return self._outputs[key]

    def sources(self, select: Expr) -> list[NamedSource]:
        """What the FROM of a SELECT names, in its order."""
        sources = self._sources.get(id(select))
        if sources is None:
            sources = self._sources[id(select)] = list(self._read_sources(select))
        return sources

    def common_table(self, node: Expr, name: str) -> Expr | None:
        """The query of the common table expression that a name means at a node, if it does."""
        around: Expr | None = node
        while around is not None:
            with_ = around.args.get("with_")
            if with_ is not None:
                query = self._common_tables(with_).get(fold(name))
                if query is not None:
                    return query
            around = around.parent
        return None

    @property
    def is_exhausted(self) -> bool:
        """Whether so many output columns were looked at that no name is followed any more."""
        return self._looks < 0

    def outputs_of(self, query: Expr | None) -> Sequence[Expr]:
        """The output columns of a query, those of the first SELECT where it has several sides."""
        select = first_select(query)
        outputs: Sequence[Expr] = () if select is None else select.expressions
        self._looks -= len(outputs)
        return () if self.is_exhausted else outputs

    def _output(self, query: Expr, name: str) -> T | None:
        from sqlglot import exp

        select = first_select(query)
        if select is None:
            return None
        for output in self.outputs_of(select):
            if output.is_star:
                qualifier = fold(output.text("table"))
                sources = [s for s in self.sources(select) if qualifier in ("", s.name)]
                column = self.among(name, sources, qualified=False)
                if column is not None:
                    return column
            elif fold(output.alias_or_name) == name:
                behind = output.unalias().unnest()
                return self.column(behind) if isinstance(behind, exp.Column) else None
        return None

    def _read_sources(self, select: Expr) -> Iterator[NamedSource]:
        from sqlglot import exp

        start = select.args.get("from_")
        waiting = [] if start is None else [start, *(select.args.get("joins") or ())]
        waiting.reverse()
        while waiting:
            item = waiting.pop().this
            name = fold(item.alias_or_name)
            if isinstance(item, exp.Table):
                query = self.common_table(item, item.name)
                yield NamedSource(name, fold(item.name) if query is None else None, query)
                waiting += reversed(item.args.get("joins") or ())
            elif isinstance(item, exp.Subquery) and isinstance(item.this, exp.Table):
                waiting.append(item)
            else:
                yield NamedSource(name, query=item.this if isinstance(item, exp.Subquery) else None)

    def _common_tables(self, with_: Expr) -> dict[str, Expr]:
        """The queries of a WITH by their folded names; the first one counts."""
        queries = self._withs.get(id(with_))
        if queries is None:
            queries = {fold(cte.alias): cte.this for cte in reversed(with_.expressions)}
            self._withs[id(with_)] = queries
        return queries


def first_select(query: Expr | None) -> Expr | None:
    """The SELECT whose outputs name the columns of a query."""
    from sqlglot import exp

    while isinstance(query, exp.Subquery | exp.SetOperation):
        query = query.this
    return query if isinstance(query, exp.Select) else None
