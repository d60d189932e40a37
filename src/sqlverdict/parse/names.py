"""Which column a name in a query means: the one resolver of column names.

:class:`NameScope` is the one lookup, as SQLite does it: among the sources of FROM, then in the
queries around. :class:`NameResolver` looks names up in a parsed query. A column of a derived table
or of a common table expression is followed to the base column that it stands for, through aliases
and stars.

A subclass says what a column of a base table is, and may be stricter: about a bare name that
several sources have, say. What cannot be followed is ``None``. The work is bounded: after a million
looks at output columns, or below many levels of queries, nothing more is followed.

Two readers make scopes of their own while they take a query apart, and keep only what differs:
the prover (``prove/resolve/scope.py``) refuses what is not certain, and exact set match
(``compare/exact_set/names.py``) names what no source has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from sqlverdict.parse.tokens import fold

if TYPE_CHECKING:
    from sqlglot.expressions import Expr


class FromItem(Protocol):
    """One item of FROM."""

    @property
    def name(self) -> str:
        """Its alias, or the table's name; folded."""
        ...


S = TypeVar("S", bound=FromItem)
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


class NameScope(ABC, Generic[S, T]):
    """What column names mean inside one SELECT.

    Attributes:
        outer: The scope of the query around it.
        sources: What its FROM names, in order.
    """

    def __init__(self, outer: Self | None = None) -> None:
        self.outer = outer
        self.sources: list[S] = []

    @abstractmethod
    def among(self, name: str, sources: Sequence[S], *, qualified: bool) -> T | None:
        """The column that a folded name means among sources.

        Args:
            name: The column's name.
            sources: Where to look: where the name is qualified, the sources that are called so.
            qualified: Whether the name says which source it is of.
        """

    def by_alias(self, name: str) -> T | None:
        """What an unqualified name means that no source has; by default, nothing."""
        del name
        return None

    def find(self, name: str, qualifier: str = "") -> T | None:
        """The column that a name means, in the innermost query that has one."""
        column, around = self.find_here(name, qualifier), self.outer
        while column is None and around is not None:
            column, around = around.find_here(name, qualifier), around.outer
        return column

    def find_here(self, name: str, qualifier: str = "") -> T | None:
        """The column that a name means in this SELECT alone."""
        name, qualifier = fold(name), fold(qualifier)
        if qualifier:
            called = [source for source in self.sources if source.name == qualifier]
            return self.among(name, called, qualified=True)
        column = self.among(name, self.sources, qualified=False)
        return self.by_alias(name) if column is None else column


class _TreeScope(NameScope[NamedSource, T]):
    """A SELECT of a parsed query; its resolver says what columns are."""

    def __init__(self, resolver: NameResolver[T], select: Expr, outer: Self | None) -> None:
        super().__init__(outer)
        self.sources = resolver.sources(select)
        self._resolver = resolver
        self._select = select

    def among(self, name: str, sources: Sequence[NamedSource], *, qualified: bool) -> T | None:
        """What the resolver says."""
        return self._resolver.among(name, sources, qualified=qualified)

    def by_alias(self, name: str) -> T | None:
        """What the resolver says."""
        return self._resolver.by_alias(self._select, name)


class NameResolver(ABC, Generic[T]):
    """Follows the column names of one parsed query, which is not changed.

    ``T`` stands for a column: whatever :meth:`base_column` returns.
    """

    def __init__(self) -> None:
        # By identity: equal nodes of two places mean two things. The tree outlives its resolver, so
        # no other node takes the id of one.
        self._sources: dict[int, list[NamedSource]] = {}
        self._scopes: dict[int, _TreeScope[T]] = {}
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
        """As :meth:`NameScope.among`; by default, the column of the first source that has it."""
        del qualified
        columns = (self.column_of(source, name) for source in sources)
        return next((column for column in columns if column is not None), None)

    def by_alias(self, select: Expr, name: str) -> T | None:
        """What an unqualified name means that no source of a SELECT has; by default, nothing."""
        del select, name
        return None

    def follow(self, node: Expr) -> T | None:
        """The column that a reference means, in the innermost query that has one."""
        if self._depth >= _DEEPEST or self.is_exhausted:
            return None
        scope = self._scope(node)
        if scope is None:
            return None
        self._depth += 1
        column = scope.find(node.name, node.text("table"))
        self._depth -= 1
        return column

    def _scope(self, node: Expr) -> _TreeScope[T] | None:
        """The scope of the SELECT around a node, inside those of the queries around it."""
        from sqlglot import exp

        selects: list[Expr] = []
        scope, select = None, node.find_ancestor(exp.Select)
        while select is not None and scope is None:
            scope = self._scopes.get(id(select))
            if scope is None:
                selects.append(select)
                select = select.find_ancestor(exp.Select)
        for inner in reversed(selects):
            scope = self._scopes[id(inner)] = _TreeScope(self, inner, scope)
        return scope

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
