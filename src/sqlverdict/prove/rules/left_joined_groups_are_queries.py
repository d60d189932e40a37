"""A LEFT JOIN to groups, on all that they group by, asks for an aggregate of each row.

Statement
    SELECT a.x, d.m FROM a
    LEFT JOIN (SELECT g, MAX(y) AS m FROM b WHERE p GROUP BY g) AS d ON d.g = a.k
    ==   SELECT a.x, (SELECT MAX(y) FROM b WHERE p AND b.g = a.k) FROM a
    COALESCE(d.n, 0), where n is a count   ==   (SELECT COUNT(*) FROM b WHERE p AND b.g = a.k)

Holds when
    ON compares every grouping column of the derived table for equality with something outside of it
    and has no other condition; each outside value is equal to one group at most. Of the derived
    table's columns only aggregates are used: MIN, MAX, SUM and AVG, and counts inside COALESCE with
    0. The query around it does not group.

Why
    At most one group is the partner of a row, and it has the rows that the inner query sees. Where
    there is none, these aggregates are NULL over no rows, as the padded column is; a count is 0
    over no rows, as COALESCE says.

Limits
    A count without COALESCE is NULL where the query for the row gives 0. HAVING may drop a group:
    left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat
from sqlverdict.prove.reasoning.partner_groups import NULL_FOR_NONE
from sqlverdict.prove.reasoning.shape import (
    all_inner,
    columns_in,
    conditions,
    has_subquery,
    has_window,
    is_closed,
    is_grouped,
    is_limited,
    items,
    joins,
    labels_in,
    parts,
    set_conditions,
    source_label,
    whole_number,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v, m FROM t LEFT JOIN (SELECT f, MAX(w) AS m FROM u GROUP BY f) AS d ON f = k",
            "SELECT v, (SELECT MAX(w) FROM u WHERE f = k) FROM t",
        ),
        Pair(
            "SELECT v, COALESCE(n, 0) FROM t"
            " LEFT JOIN (SELECT f, COUNT(*) AS n FROM u WHERE w > 1 GROUP BY f) AS d ON f = k",
            "SELECT v, (SELECT COUNT(*) FROM u WHERE w > 1 AND f = k) FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT v, n FROM t"
            " LEFT JOIN (SELECT f, COUNT(*) AS n FROM u GROUP BY f) AS d ON f = k",
            "SELECT v, (SELECT COUNT(*) FROM u WHERE f = k) FROM t",
            because="without a partner the one is NULL and the other 0",
        ),
    ],
)
def left_joined_groups_are_queries(node: exp.Select, facts: Facts) -> Expr | None:
    """Ask for each row."""
    if is_grouped(node) or has_window(node) or not is_flat(node):
        return None
    for join in joins(node):
        item = join.this
        query = item.this if isinstance(item, exp.Subquery) else None
        if (join.side or "").upper() != "LEFT" or not isinstance(query, exp.Select):
            continue
        if not _is_clear(query) or not is_closed(item):
            continue
        tests = _tests(join, query, facts)
        uses = _uses(node, join, query) if tests is not None else None
        if tests is None or uses is None:
            facts.cited.clear()
            continue
        for use, call in uses:
            one = exp.Select(
                expressions=[counted_copy(call)],
                from_=counted_copy(query.args["from_"]),
                joins=[counted_copy(other) for other in joins(query)] or None,
            )
            set_conditions(one, [counted_copy(part) for part in (*conditions(query), *tests)])
            use.replace(exp.Subquery(this=one))
        node.set("joins", [other for other in joins(node) if other is not join] or None)
        return node
    return None


def _is_clear(query: exp.Select) -> bool:
    """Whether a query of groups can be asked for one group."""
    group = query.args.get("group")
    if group is None or query.args.get("having") is not None or query.args.get("distinct"):
        return False
    if is_limited(query) or query.args.get("order") is not None or has_window(query):
        return False
    if not items(query) or not all_inner(query) or not is_flat(query):
        return False
    return not any(map(has_subquery, query.expressions)) and (
        next(bare_columns(query), None) is None
    )


def _tests(join: exp.Join, query: exp.Select, facts: Facts) -> list[Expr] | None:
    """What a row of the inner query must be equal to, if ON says that of each grouping column."""
    label = join.this.alias
    left = list(query.args["group"].expressions)
    tests: list[Expr] = []
    for part in parts(join.args.get("on")):
        if not isinstance(part, exp.EQ):
            return None
        sides = (part.this, part.expression)
        own = next(
            (s for s in sides if isinstance(s, exp.Column) and source_label(s) == label), None
        )
        other = sides[0] if own is sides[1] else sides[1]
        if own is None or label in labels_in(other) or has_subquery(other):
            return None
        output = query.expressions[int(own.name[1:])]
        term = next((t for t in left if same_expression(t, output)), None)
        if term is None or not facts.pins(own, other):
            return None
        left = [t for t in left if t is not term]
        tests.append(exp.EQ(this=output, expression=other))
    return tests if tests and not left else None


def _uses(node: exp.Select, join: exp.Join, query: exp.Select) -> list[tuple[Expr, Expr]] | None:
    """Where the derived table's columns are used, with the aggregate that each stands for."""
    label = join.this.alias
    inside = {id(column) for column in columns_in(join)}
    uses: list[tuple[Expr, Expr]] = []
    for column in columns_in(node):
        if source_label(column) != label or id(column) in inside:
            continue
        call = query.expressions[int(column.name[1:])]
        if isinstance(call, NULL_FOR_NONE):
            uses.append((column, call))
        elif isinstance(call, exp.Count) and _or_zero(column):
            assert column.parent is not None
            uses.append((column.parent, call))
        else:
            return None
    return uses


def _or_zero(column: Expr) -> bool:
    """Whether a column stands in ``COALESCE(column, 0)``."""
    holder = column.parent
    if not isinstance(holder, exp.Coalesce) or holder.this is not column:
        return False
    return len(holder.expressions) == 1 and whole_number(holder.expressions[0]) == 0
