"""What a query computes: functions, aggregates, arithmetic, and what they see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlverdict.compare.query.columns import Names, column_at, walk
from sqlverdict.compare.query.text import REALS, Texts
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.parse.schema import Schema

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_IMPLIED = frozenset({"tsordstotimestamp", "tsordstodate", "exists", "cast", "case"})
"""Nodes that the parser adds, or that other parts tell."""

_NUMBERS = ("INT", "REAL", "FLOA", "DOUB", "NUM", "DEC", "BOOL", "DATE", "TIME", "BIT")
"""How types begin whose values are not sorted as text; dates in ISO form sort well."""


@dataclass
class Computed:
    """What a query computes, subqueries included.

    Attributes:
        functions: The names of functions that are no aggregates.
        aggregates: The names of aggregates, without MIN and MAX of a comparison.
        arguments: From an aggregate to what it sees.
        distinct_counts: What aggregates see once only.
        count_arguments: What COUNT sees: columns, or ``*`` for rows and for columns that are
            never NULL.
        averaged: What AVG sees.
        summed: What SUM sees.
        whole_division: Numbers are divided that nothing makes fractions of.
        real_division: Numbers are divided, and one is a fraction by CAST, ``* 1.0`` or the like.
        text_extremes: Columns of text whose first or last value is asked for.
    """

    functions: set[str] = field(default_factory=set)
    aggregates: set[str] = field(default_factory=set)
    arguments: dict[str, set[str]] = field(default_factory=dict)
    distinct_counts: set[str] = field(default_factory=set)
    count_arguments: set[str] = field(default_factory=set)
    averaged: set[str] = field(default_factory=set)
    summed: set[str] = field(default_factory=set)
    whole_division: bool = False
    real_division: bool = False
    text_extremes: set[str] = field(default_factory=set)


def read_computed(tree: Expr, names: Names, key: Texts, schema: Schema | None) -> Computed:
    """What a query computes.

    Args:
        tree: The query.
        names: What its names mean.
        key: How its expressions are written.
        schema: Its schema, which tells the types.
    """
    computed = Computed()
    for node in names.nodes.functions:
        name = node.name.lower() if node.key == "anonymous" else node.key
        if name not in _IMPLIED:
            computed.functions.add(name)
    for node in names.nodes.aggregates:
        _read_aggregate(node, tree, key, computed)
        if node.key in ("min", "max"):
            computed.text_extremes |= _texts([node.this], names, schema)
    for select in names.nodes.selects:
        order = select.args.get("order")
        if order is not None and select.args.get("limit") is not None:
            keys = [names.behind(one.this) for one in order.expressions]
            computed.text_extremes |= _texts(keys, names, schema)
    for node in names.nodes.divisions:
        if any(_is_fraction(one, names, schema) for one in walk(node, into_queries=False)):
            computed.real_division = True
        else:
            computed.whole_division = True
    return computed


def _read_aggregate(node: Expr, tree: Expr, key: Texts, computed: Computed) -> None:
    from sqlglot import exp

    inner = node.this
    distinct = isinstance(inner, exp.Distinct)
    arguments: Iterable[Expr] = inner.expressions if distinct else [inner]
    texts = {key(argument) for argument in arguments if argument is not None}
    if key(node) == "count(*)":
        texts = {"*"}
    if distinct:
        computed.distinct_counts |= texts
    if isinstance(node, exp.Count) and not distinct:
        computed.count_arguments |= texts
    elif isinstance(node, exp.Avg):
        computed.averaged |= texts
    elif isinstance(node, exp.Sum):
        computed.summed |= texts
    select = node.find_ancestor(exp.Select)
    alone = select is not None and len(select.expressions) == 1
    if not (alone and select is not tree and node.key in ("min", "max")):
        computed.aggregates.add(node.key)
        seen = {f"distinct {text}" for text in texts} if distinct else texts
        computed.arguments.setdefault(node.key, set()).update(seen)


def _texts(nodes: Iterable[Expr], names: Names, schema: Schema | None) -> set[str]:
    """The columns of text among some expressions."""
    column_refs = {names.own_column_ref(node) for node in nodes if node.key == "column"}
    return {column_ref for column_ref in column_refs if _is_text(column_ref, schema)}


def _is_text(column_ref: str, schema: Schema | None) -> bool:
    column = column_at(column_ref, schema)
    return column is not None and not column.type.upper().startswith(_NUMBERS)


def _is_fraction(node: Expr, names: Names, schema: Schema | None) -> bool:
    if node.key == "literal":
        return "." in node.name and not node.is_string
    if node.key == "cast":
        return str(node.args["to"].sql(DEFAULT_DIALECT)).upper().startswith(REALS)
    if node.key == "column":
        column = column_at(names.own_column_ref(node), schema)
        return column is not None and column.type.upper().startswith(REALS)
    return node.key == "avg" or (node.key == "anonymous" and node.name.lower() == "total")
