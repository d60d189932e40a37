"""Spider's exact set match of two queries.

The verdicts are those of Spider's published script where its parser accepts both queries, but
for three of its ways that are not followed: there, an alias means one table in the whole text,
so that a second query's ``T1`` changes what the first one's means; a condition behind an OR is
lost where the one before compares with a column (here in ON alone, where it hardly matters);
and a chain of foreign keys may fall into two classes, by the order in which they are listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlverdict.compare.exact_set.components import Components, read_components

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

    from sqlverdict.parse.schema import Schema
    from sqlverdict.records import Query


MAX_DEPTH = 200
"""How many nodes may lie between a tree's root and a leaf; a call or three for each node."""


@dataclass(frozen=True)
class SetMatch:
    """Whether two queries match, and the clauses in which they differ.

    Attributes:
        equal: None where a query is too deep to be read.
        differs: ``from``, ``select``, ``where``, ``and/or``, ``group``, ``order``, ``keywords``
            or ``set operations``; those of set operations with their position, from 1.
    """

    equal: bool | None
    differs: tuple[str, ...] = ()


def exact_set_match(
    gold: Query, prediction: Query, schema: Schema, *, values: bool = False, distinct: bool = False
) -> SetMatch:
    """Compare two parsed queries clause by clause. Never raises.

    Args:
        gold: The gold query.
        prediction: The predicted query.
        schema: Of the database that both are about.
        values: Whether the values in conditions count.
        distinct: Whether DISTINCT inside aggregates counts.
    """
    trees = gold.tree, prediction.tree
    if any(_is_too_deep(tree) for tree in trees):
        return SetMatch(None)
    ours, theirs = (
        read_components(tree, schema, values=values, distinct=distinct) for tree in trees
    )
    if [part.operation for part in ours] != [part.operation for part in theirs]:
        return SetMatch(False, ("set operations",))
    differences = [list(_differing(a, b)) for a, b in zip(ours, theirs, strict=True)]
    if len(differences) == 1:
        names = differences[0]
    else:
        names = [
            f"{what} {position}" for position, names in enumerate(differences, 1) for what in names
        ]
    return SetMatch(not names, tuple(names))


def _is_too_deep(tree: Expr) -> bool:
    """Whether reading would nest too many calls; the same whatever called us.

    Chains of AND, OR and set operations are read without nesting.
    """
    from sqlglot import exp

    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_DEPTH:
            return True
        inside = depth + (not isinstance(node, exp.Connector | exp.SetOperation))
        waiting += [(child, inside) for child in node.iter_expressions()]
    return False


def _differing(gold: Components, prediction: Components) -> Iterator[str]:
    if Counter(gold.source.tables) != Counter(prediction.source.tables):
        yield "from"
    if Counter(gold.select) != Counter(prediction.select):
        yield "select"
    if Counter(gold.where.conditions) != Counter(prediction.where.conditions):
        yield "where"
    if set(gold.where.links) != set(prediction.where.links):
        yield "and/or"
    if _grouping(gold) != _grouping(prediction):
        yield "group"
    if _sorting(gold) != _sorting(prediction):
        yield "order"
    if _keywords(gold) != _keywords(prediction):
        yield "keywords"


def _grouping(query: Components) -> object:
    """GROUP BY with HAVING, in the order of the text; HAVING alone is only a keyword."""
    return (query.group, query.having) if query.group else None


def _sorting(query: Components) -> object:
    """ORDER BY with the presence of LIMIT; LIMIT alone is only a keyword."""
    return (query.order, query.direction, query.limit) if query.order else None


def _keywords(query: Components) -> set[str]:
    clauses = (query.where, query.having)
    conditions = [*query.source.on, *query.where.conditions, *query.having.conditions]
    operators = {condition.operator for condition in conditions}
    present = {
        "where": bool(query.where.conditions),
        "group": bool(query.group),
        "having": bool(query.having.conditions),
        "order": bool(query.order),
        "limit": query.limit,
        "or": any("or" in clause.links for clause in clauses),
        "not": any(condition.negated for condition in conditions),
        "in": "in" in operators,
        "like": "like" in operators,
    }
    return {keyword for keyword, there in present.items() if there}
