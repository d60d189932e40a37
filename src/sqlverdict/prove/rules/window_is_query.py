"""An aggregate over a window without an order is a query for one value.

Statement
    SELECT y, MAX(x) OVER (PARTITION BY p) FROM t WHERE q
    ==   SELECT y, (SELECT MAX(b.x) FROM t AS b WHERE q AND b.p = t.p) FROM t WHERE q
    The same for COUNT, MIN, SUM and AVG, and without PARTITION BY.

Holds when
    The query reads one table, does not group, and has no query in its conditions. p is never NULL
    in its rows, and no key. SUM and AVG are those of integers. The window has neither an order nor
    a frame.

Why
    Without an order a window sees all rows of its part. These are the rows that the query for one
    value reads: it has the same conditions, and each p has a value that is equal to itself.

Limits
    Rows whose p is NULL are one part to a window and no row's equal to a comparison. Sums of reals
    may round in another way. Of parts of one row another rule speaks (``window_of_one_row``).

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.dependencies import determines_row, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import read_again
from sqlverdict.prove.reasoning.same_rows import over_row
from sqlverdict.prove.reasoning.shape import (
    conditions,
    enclosing,
    has_subquery,
    is_grouped,
    items,
    nodes_in,
    set_conditions,
    source_label,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Window,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k, COUNT(*) OVER () FROM t WHERE v > 1",
            "SELECT k, (SELECT COUNT(*) FROM t WHERE v > 1) FROM t WHERE v > 1",
        ),
        Pair(
            "SELECT v, MAX(v) OVER (PARTITION BY k) FROM t",
            "SELECT v, (SELECT MAX(b.v) FROM t b WHERE b.k = t.k) FROM t",
            (NotNull("t", "k"),),
        ),
        Pair(
            "SELECT k FROM (SELECT k, v, AVG(v) OVER () AS a FROM t) x WHERE v > a",
            "SELECT k FROM t WHERE v > (SELECT AVG(v) FROM t)",
        ),
    ],
    different=[
        Pair(
            "SELECT v, MAX(v) OVER (PARTITION BY k) FROM t",
            "SELECT v, (SELECT MAX(b.v) FROM t b WHERE b.k = t.k) FROM t",
            because="rows without a k are a part of their own",
        ),
        Pair(
            "SELECT k, COUNT(*) OVER () FROM t WHERE v > 1",
            "SELECT k, (SELECT COUNT(*) FROM t) FROM t WHERE v > 1",
            because="the window sees the rows that WHERE lets pass",
        ),
    ],
)
def window_is_query(node: exp.Window, facts: Facts) -> Expr | None:
    """Ask for the value."""
    select, parts = enclosing(node), node.args.get("partition_by") or []
    if not isinstance(select, exp.Select) or is_grouped(select) or not _is_plain(node, facts):
        return None
    sources = items(select)
    if len(sources) != 1 or not isinstance(sources[0], exp.Table):
        return None
    source = sources[0]
    is_one_row = determines_row(select, facts, plain_columns(parts))
    facts.cited.clear()
    if (
        is_one_row
        or any(map(_is_more_than_a_test, conditions(select)))
        or not all(
            isinstance(part, exp.Column)
            and source_label(part) == source.alias
            and has_one_order(part, facts)
            and facts.never_null(part)
            for part in parts
        )
    ):
        facts.cited.clear()
        return None
    again = read_again(source, facts)
    query = exp.Select(expressions=[over_row(node.this, source.alias, again.alias)])
    query.set("from_", exp.From(this=again))
    own = [over_row(test, source.alias, again.alias) for test in conditions(select)]
    same_part = [
        exp.EQ(this=over_row(part, source.alias, again.alias), expression=part.copy())
        for part in parts
    ]
    set_conditions(query, [*own, *same_part])
    return exp.Subquery(this=query)


def _is_plain(node: exp.Window, facts: Facts) -> bool:
    """Whether a window sees whole parts, and its call can be written as that of a query."""
    call = node.this
    if any(node.args.get(part) for part in ("order", "spec", "alias")):
        return False
    if not isinstance(call, exp.Count | exp.Min | exp.Max | exp.Sum | exp.Avg) or call.expressions:
        return False
    if isinstance(call.this, exp.Star):
        return isinstance(call, exp.Count)
    if not isinstance(call.this, exp.Column):
        return False
    return not isinstance(call, exp.Sum | exp.Avg) or facts.kind(call.this) == "integer"


def _is_more_than_a_test(condition: Expr) -> bool:
    """Whether a condition has a query inside, or a call of an unknown function."""
    return has_subquery(condition) or any(
        isinstance(part, exp.Anonymous) for part in nodes_in(condition)
    )
