"""The names of a query as the schema spells them, with aliases only where they are needed.

A table goes by its own name, and by a number where a name would mean two of them; a query in FROM
and a common table expression by ``q1``, ``q2`` ... in the order in which they appear. A column has
a qualifier where its SELECT reads several sources, or where it belongs to a query around. Names of
output columns are left out where nothing refers to them, and the expressions themselves stand where
they were referred to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.names import NamedSource, NameResolver, first_select
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import fold

IdentifierOf = Callable[[str], exp.Identifier]
_ROWIDS = frozenset({"rowid", "oid", "_rowid_"})
_CLAUSES = (exp.Where, exp.Group, exp.Having, exp.Order)


class Unspelled(Exception):
    """A construct whose names are not followed."""


@dataclass(frozen=True)
class _ColumnTarget:
    """What a column name means.

    Attributes:
        source: The item of FROM; ``None``: an output of its own SELECT.
        name: The column there.
        output: The expression of that output.
        is_clear: Whether no other source has the name.
    """

    source: NamedSource | None
    name: str
    output: Expr | None = None
    is_clear: bool = True


class _SourceResolver(NameResolver[_ColumnTarget]):
    """Follows a name to the item of FROM that has it, and no further."""

    def __init__(self, schema: Schema) -> None:
        super().__init__()
        self._schema = schema
        self._names: dict[int, list[tuple[str, str]]] = {}

    def base_column(self, table: str, name: str) -> _ColumnTarget | None:
        """Never asked: :meth:`among` does not follow names to tables."""
        raise NotImplementedError

    def column(self, node: Expr) -> _ColumnTarget | None:
        """What a column reference means."""
        return self.follow(node)

    def among(
        self, name: str, sources: Sequence[NamedSource], *, qualified: bool
    ) -> _ColumnTarget | None:
        """The first source that has the column."""
        owners = [source for source in sources if self.spelled(source, name) is not None]
        clear = qualified or len(owners) == 1
        return _ColumnTarget(owners[0], name, is_clear=clear) if owners else None

    def by_alias(self, select: Expr, name: str) -> _ColumnTarget | None:
        """An output of the SELECT itself."""
        for output in select.expressions:
            if isinstance(output, exp.Alias) and fold(output.alias) == name:
                return _ColumnTarget(None, name, output.this)
        return None

    def spelled(self, source: NamedSource, name: str) -> str | None:
        """How a source's column is spelled; ``None``: it has none of that name."""
        if source.table is not None:
            table = self._schema.table(source.table)
            column = None if table is None else table.column(name)
            if column is not None:
                return column.name
            return name if name in _ROWIDS and table is not None else None
        return dict(reversed(self.outputs(source.query))).get(name)

    def outputs(self, query: Expr | None) -> list[tuple[str, str]]:
        """The output columns of a query: the folded name in the text, and the one we give it."""
        select = first_select(query)
        if select is None:
            return []
        if id(select) not in self._names:
            # A query that reads itself finds nothing more in itself.
            self._names[id(select)] = []
            self._names[id(select)] = list(self._read_outputs(select))
        return self._names[id(select)]

    def _read_outputs(self, select: Expr) -> Iterator[tuple[str, str]]:
        plain = Counter(
            fold(name) for output in select.expressions if (name := self.natural(output))
        )
        number = 0
        for output in select.expressions:
            if output.is_star:
                qualifier = fold(output.text("table"))
                for source in self.sources(select):
                    if qualifier in ("", source.name):
                        yield from self._columns(source)
                continue
            name = self.natural(output)
            if not name or plain[fold(name)] > 1:
                number += 1
                name = f"value_{number}"
            yield fold(output.alias_or_name), name

    def _columns(self, source: NamedSource) -> list[tuple[str, str]]:
        if source.table is None:
            return self.outputs(source.query)
        table = self._schema.table(source.table)
        if table is None:
            raise Unspelled(f"there is no table {source.table}")
        return [(fold(column.name), column.name) for column in table.columns]

    def natural(self, output: Expr) -> str:
        """The name of an output that is a plain column; empty: it is another expression."""
        inner = output.unalias().unnest()
        if not isinstance(inner, exp.Column) or inner.is_star:
            return ""
        target = self.column(inner)
        if target is None or target.source is None:
            return fold(inner.name)
        return self.spelled(target.source, target.name) or ""


class _QueryNames:
    """The new names of one query; nothing is changed before all of them are known."""

    def __init__(self, tree: Expr, schema: Schema) -> None:
        self.tree = tree
        self.schema = schema
        self.resolver = _SourceResolver(schema)
        self.selects = list(tree.find_all(exp.Select, bfs=False))
        # By identity: equal nodes may mean two things. All are kept here: no id is used again.
        self.items = {id(select): list(_items(select)) for select in self.selects}
        self.columns = [node for node in tree.find_all(exp.Column) if not node.is_star]
        self.targets = {id(node): self._target(node) for node in self.columns}
        self.owner: dict[int, Expr] = {}
        for select in self.selects:
            sources = self.resolver.sources(select)
            if len(sources) != len(self.items[id(select)]):
                raise Unspelled("a source of FROM that is not read")
            self.owner.update((id(source), select) for source in sources)
        self.queries = self._query_names()
        self.references = self._selects_with_references()
        self.outputs = {n: self.resolver.outputs(each) for n, each in self.references.items()}
        self.names = self._source_names()

    def _target(self, node: exp.Column) -> _ColumnTarget | None:
        query = node.find_ancestor(exp.Select, exp.SetOperation)
        if not isinstance(query, exp.Select):
            return None
        order = node.find_ancestor(exp.Ordered, exp.Select)
        if not node.table and isinstance(order, exp.Ordered) and order.this.unnest() is node:
            # Only here an output name goes before a column.
            target = self.resolver.by_alias(query, fold(node.name))
            if target is not None:
                return target
        return self.resolver.column(node)

    def _query_names(self) -> dict[int, str]:
        """The names of queries in FROM and of common table expressions."""
        names: dict[int, str] = {}
        tables = {fold(table.name) for table in self.schema.tables}
        free = (name for number in count(1) if (name := f"q{number}") not in tables)
        for node in self.tree.find_all(exp.CTE, exp.Subquery, bfs=False):
            in_from = isinstance(node.parent, exp.From | exp.Join)
            if (isinstance(node, exp.CTE) or in_from) and not isinstance(node.this, exp.Table):
                names[id(node.this)] = next(free)
        return names

    def _selects_with_references(self) -> dict[int, Expr]:
        """The SELECTs to whose outputs something refers."""
        queries: list[Expr] = [
            node.this
            for node in self.tree.find_all(exp.CTE, exp.Subquery)
            if id(node.this) in self.queries
        ]
        queries += [node for node in self.tree.find_all(exp.SetOperation) if node.args.get("order")]
        selects = [select for query in queries if (select := first_select(query)) is not None]
        return {id(select): select for select in selects}

    def stem(self, source: NamedSource) -> str:
        if source.table is None:
            return self.queries.get(id(source.query), source.name)
        table = self.schema.table(source.table)
        return source.table if table is None else table.name

    def _source_names(self) -> dict[int, str]:
        numbered: set[int] = set()
        for select in self.selects:
            sources = self.resolver.sources(select)
            stems = Counter(fold(self.stem(source)) for source in sources)
            numbered |= {id(s) for s in sources if stems[fold(self.stem(s))] > 1}
        for node in self.columns:
            numbered |= self._hidden_by_a_name(node)
        names: dict[int, str] = {}
        used_names = {fold(table.name) for table in self.schema.tables}
        for select in self.selects:
            for source in self.resolver.sources(select):
                stem = name = self.stem(source)
                number = 0
                while id(source) in numbered and (not number or fold(name) in used_names):
                    number += 1
                    name = f"{stem}_{number}"
                if id(source) in numbered:
                    used_names.add(fold(name))
                names[id(source)] = name
        return names

    def _hidden_by_a_name(self, node: Expr) -> set[int]:
        """The sources that a reference to a query around would mean or pass, by name alone."""
        target = self.targets[id(node)]
        if target is None or target.source is None:
            return set()
        stem = fold(self.stem(target.source))
        owner, select = self.owner[id(target.source)], node.find_ancestor(exp.Select)
        between: set[int] = set()
        while select is not None and select is not owner:
            sources = self.resolver.sources(select)
            between |= {id(each) for each in sources if fold(self.stem(each)) == stem}
            select = select.find_ancestor(exp.Select)
        return between | {id(target.source)} if between else set()


def spell_names(tree: Expr, schema: Schema, identifier: IdentifierOf) -> None:
    """Rename everything in a tree, in place.

    Args:
        tree: A tree of one's own.
        schema: How tables and columns are spelled.
        identifier: Makes an identifier, with quotes where the dialect wants them.

    Raises:
        Unspelled: something in it is not read.
    """
    names = _QueryNames(tree, schema)
    outputs: list[tuple[Expr, Expr]] = []
    for node in names.columns:
        _spell_column(node, names, identifier, outputs)
    for star in [node for node in tree.find_all(exp.Column) if node.is_star]:
        _spell_star(star, names, identifier)
    for select in names.selects:
        _spell_outputs(select, names, identifier)
        _spell_merged(select, names, identifier)
    for select in names.selects:
        for item, source in zip(
            names.items[id(select)], names.resolver.sources(select), strict=True
        ):
            _spell_source(item, source, names, identifier)
    for cte in tree.find_all(exp.CTE):
        name = identifier(names.queries[id(cte.this)])
        cte.set("alias", exp.TableAlias(this=name))
    for reference, output in outputs:
        _put_expression(reference, output)


def _spell_column(
    node: exp.Column,
    names: _QueryNames,
    identifier: IdentifierOf,
    outputs: list[tuple[Expr, Expr]],
) -> None:
    target = names.targets[id(node)]
    select = node.find_ancestor(exp.Select, exp.SetOperation)
    if isinstance(select, exp.SetOperation):
        known = dict(reversed(names.resolver.outputs(select)))
        node.set("this", identifier(known.get(fold(node.name), fold(node.name))))
    elif target is None:
        _spell_unknown(node, names, identifier)
    elif target.output is not None:
        outputs.append((node, target.output))
    elif target.source is not None:
        spelled = names.resolver.spelled(target.source, target.name) or target.name
        node.set("this", identifier(spelled))
        owner = names.owner[id(target.source)]
        own = owner is select and len(names.resolver.sources(owner)) == 1
        bare = not node.table and (not target.is_clear or _merges_columns(owner))
        node.set("table", None if own or bare else identifier(names.names[id(target.source)]))
        node.set("db", None)


def _spell_unknown(node: exp.Column, names: _QueryNames, identifier: IdentifierOf) -> None:
    """A name that no source has: text, where it stands in quotes alone; else in small letters."""
    if node.this.args.get("quoted") and not node.table:
        node.replace(exp.Literal.string(node.name))
        return
    node.set("this", identifier(fold(node.name)))
    if node.table:
        node.set("table", identifier(_qualifier(node, names)))


def _spell_star(node: exp.Column, names: _QueryNames, identifier: IdentifierOf) -> None:
    select = node.find_ancestor(exp.Select)
    if select is None or len(names.resolver.sources(select)) == 1:
        node.replace(exp.Star())
    elif node.table:
        node.set("table", identifier(_qualifier(node, names)))


def _qualifier(node: Expr, names: _QueryNames) -> str:
    """The new name of the source that a qualifier means."""
    select = node.find_ancestor(exp.Select)
    while select is not None:
        for source in names.resolver.sources(select):
            if source.name == fold(node.text("table")):
                return names.names[id(source)]
        select = select.find_ancestor(exp.Select)
    return fold(node.text("table"))


def _merges_columns(select: Expr) -> bool:
    """Whether a join makes one column of two: a bare name then means both."""
    joins = select.args.get("joins") or ()
    return any(join.args.get("using") or join.method for join in joins)


def _spell_merged(select: Expr, names: _QueryNames, identifier: IdentifierOf) -> None:
    """The columns of USING."""
    sources = names.resolver.sources(select)
    for join in select.args.get("joins") or ():
        merged = join.args.get("using")
        if merged:
            folded = [fold(column.name) for column in merged]
            spelled = (
                next((s for each in sources if (s := names.resolver.spelled(each, name))), name)
                for name in folded
            )
            join.set("using", [identifier(name) for name in spelled])


def _spell_outputs(select: Expr, names: _QueryNames, identifier: IdentifierOf) -> None:
    new = iter(names.outputs.get(id(select), ()))
    stars = any(output.is_star for output in select.expressions)
    if id(select) in names.references and stars and len(select.expressions) > 1:
        raise Unspelled("a star beside other outputs that a query around refers to")
    outputs = []
    for output in select.expressions:
        inner = output.unalias()
        if id(select) in names.references and not stars:
            name = next(new)[1]
            plain = inner.unnest()
            if not isinstance(plain, exp.Column) or plain.name != name:
                inner = exp.Alias(this=inner, alias=identifier(name))
        outputs.append(inner)
    select.set("expressions", outputs)


def _spell_source(
    item: Expr, source: NamedSource, names: _QueryNames, identifier: IdentifierOf
) -> None:
    alias, name = item.args.get("alias"), names.names[id(source)]
    if alias is not None and alias.args.get("columns"):
        raise Unspelled("an alias with columns")
    stem = names.stem(source)
    if isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier):
        item.set("this", identifier(stem))
        item.set("alias", exp.TableAlias(this=identifier(name)) if name != stem else None)
    else:
        item.set("alias", exp.TableAlias(this=identifier(name)))


def _put_expression(node: Expr, output: Expr) -> None:
    """Put the expression of an output where its name stood."""
    if isinstance(output.unnest(), exp.Literal) and isinstance(
        node.parent, exp.Ordered | exp.Group
    ):
        raise Unspelled("an output that is a constant is sorted or grouped by")
    clause = node.find_ancestor(*_CLAUSES, exp.Select)
    if not isinstance(clause, _CLAUSES):
        raise Unspelled("an output refers to another one")
    node.replace(exp.Paren(this=output.copy()))


def _items(select: Expr) -> Iterator[Expr]:
    """The items of FROM, as :meth:`NameResolver.sources` has them."""
    start = select.args.get("from_")
    waiting = [] if start is None else [start, *(select.args.get("joins") or ())]
    waiting.reverse()
    while waiting:
        item = waiting.pop().this
        if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Table):
            waiting.append(item)
            continue
        yield item
        if isinstance(item, exp.Table):
            waiting += reversed(item.args.get("joins") or ())
