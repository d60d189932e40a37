"""The first value in falling order is the greatest, in rising order the least.

Statement
    (SELECT x FROM t ORDER BY x DESC LIMIT 1)   ==   (SELECT MAX(x) FROM t)
    (SELECT x FROM t ORDER BY x LIMIT 1)        ==   (SELECT MIN(x) FROM t)

Holds when
    It is a scalar subquery, so that no row and NULL are the same, and orders by what it selects.
    x is of the subquery's own sources. Where NULLs come first, x is never NULL: in SQLite that is
    rising order, in PostgreSQL falling order.

Why
    Where NULLs come last, they are reached only where there is nothing else, and then MIN and MAX
    are NULL too. Where they come first, MIN and MAX ignore them: so there must be none.

Limits
    A query of its own gives no row for an empty table, and MAX gives one: left alone. A column
    is converted in a comparison, MAX is not: both sides must be numbers, or both text.

Source
    ETM (Ascoli et al.), rules 1 and 10, with NULL and empty tables in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_window, is_grouped, labels, labels_in, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("10",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE v = (SELECT v FROM t ORDER BY v DESC LIMIT 1)",
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
        ),
        Pair(
            "SELECT k FROM t WHERE v = (SELECT v FROM t ORDER BY v LIMIT 1)",
            "SELECT k FROM t WHERE v = (SELECT MIN(v) FROM t)",
            (NotNull("t", "v"),),
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v = (SELECT v FROM t ORDER BY v LIMIT 1)",
            "SELECT k FROM t WHERE v = (SELECT MIN(v) FROM t)",
            because="a NULL comes first",
        ),
    ],
)
def first_value_is_extreme(node: exp.Subquery, facts: Facts) -> Expr | None:
    """Write MAX or MIN."""
    inner = node.this
    if node.alias or not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return None
    if isinstance(node.parent, exp.In | exp.Exists | exp.SetOperation | exp.From | exp.Join):
        return None
    order, limit = inner.args.get("order"), inner.args.get("limit")
    if order is None or limit is None or inner.args.get("offset") is not None:
        return None
    if whole_number(limit.expression) != 1 or is_grouped(inner) or has_window(inner):
        return None
    value, first = inner.expressions[0], order.expressions[0]
    if len(order.expressions) != 1 or not same_expression(value, first.this):
        return None
    falls = bool(first.args.get("desc"))
    if first.args.get("nulls_first") and not facts.never_null(value):
        return None
    if not facts.is_unconverted(node) or not labels_in(value) <= set(labels(inner)):
        return None
    extreme = exp.Max(this=value) if falls else exp.Min(this=value)
    inner.set("expressions", [extreme])
    for part in ("order", "limit", "distinct"):
        inner.set(part, None)
    return node
