"""A join to distinct rows on all their columns only asks for a partner.

Statement
    SELECT a.x FROM a JOIN (SELECT DISTINCT y FROM b WHERE p) AS d ON a.k = d.y
    ==   SELECT a.x FROM a WHERE EXISTS (SELECT 1 FROM b WHERE p AND y = a.k)

Holds when
    Every column of the derived table is equal, by WHERE, to a column of another source of the
    same declared type.

Why
    At most one of the distinct rows has the values of a row outside, so the join repeats no row;
    and what is read from the partner can be read from the row itself.

Limits
    A derived table with LIMIT or GROUP BY is left alone.

Source
    Calcite's planner tests; open pairs of published predictions.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import equality
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import drop_item, is_flat, split_items, substitute
from sqlverdict.prove.reasoning.shape import (
    ColumnName,
    conditions,
    has_window,
    is_closed,
    is_grouped,
    is_limited,
    items,
    set_conditions,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t JOIN (SELECT DISTINCT f FROM u WHERE w > 1) AS d ON k = f",
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE w > 1 AND f = k)",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t JOIN (SELECT DISTINCT f, w FROM u) AS d ON k = f",
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k)",
            because="rows with the same f may differ in w",
        ),
    ],
)
def join_to_distinct_is_partner_test(node: exp.Select, facts: Facts) -> Expr | None:
    """Write the test."""
    inner, _ = split_items(node)
    derived = [item for item in inner if isinstance(item, exp.Subquery)]
    if not derived or len(inner) < 2 or not is_flat(node):
        return None
    labels = {item.alias for item in inner}
    equalities = [pair for part in conditions(node) if (pair := equality(part, facts)) is not None]
    for item in derived:
        query = item.this
        if not _is_plain(query) or not is_closed(item):
            continue
        label = item.alias
        partners = _partners(label, len(query.expressions), equalities, labels)
        if partners is None:
            continue
        tests = [
            exp.EQ(this=output, expression=resolved(*partner))
            for output, partner in zip(query.expressions, partners, strict=True)
        ]
        drop_item(node, label)
        set_conditions(query, [*conditions(query), *tests])
        query.set("distinct", None)
        query.set("expressions", [exp.Literal.number(1)])
        set_conditions(node, [*conditions(node), exp.Exists(this=query)])
        mapping = {(label, f"c{n}"): resolved(*partner) for n, partner in enumerate(partners)}
        substitute(node, mapping)
        return node
    return None


def _partners(
    label: str, width: int, equalities: list[tuple[ColumnName, ColumnName]], labels: set[str]
) -> list[ColumnName] | None:
    """For each column of the derived table one of another source that is equal to it."""
    partners: list[ColumnName] = []
    for number in range(width):
        own = (label, f"c{number}")
        others = sorted(
            other
            for pair in equalities
            for one, other in (pair, pair[::-1])
            if one == own and other[0] != label and other[0] in labels
        )
        if not others:
            return None
        partners.append(others[0])
    return partners


def _is_plain(query: Expr) -> bool:
    if not isinstance(query, exp.Select) or not query.args.get("distinct") or is_limited(query):
        return False
    if query.args.get("order") is not None:
        return False
    return bool(items(query)) and not is_grouped(query) and not has_window(query)
