"""DISTINCT is idle where only the first row is kept.

Statement
    SELECT DISTINCT v FROM t ORDER BY v LIMIT 1   ==   SELECT v FROM t ORDER BY v LIMIT 1

Holds when
    The limit is the literal 1 and there is no OFFSET. Each term of ORDER BY, where there is one, is
    one of the columns shown, and no source is a query with an order of its own.

Why
    DISTINCT folds rows that are the same; those have the same place in the order. So the first row
    is the first with and without it. Of rows that tie, both may keep each one; without an ORDER BY
    all of them tie. Of texts that a collation takes for the same, a group shows any, and so does
    the row that LIMIT keeps.

Limits
    With LIMIT 2 a row that repeats would come twice. A term that is not shown has several values
    for one row of DISTINCT, and engines refuse it or choose one. DISTINCT does not keep the order
    of a query inside, which else decides what LIMIT keeps. Windows are left alone.

Source
    House rule; ETM (Ascoli et al.) lacks it: DISTINCT under LIMIT 1.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_window, items, own_nodes, whole_number
from sqlverdict.prove.resolve.unknown_calls import is_shown_text
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT DISTINCT v FROM t ORDER BY v LIMIT 1", "SELECT v FROM t ORDER BY v LIMIT 1"),
        Pair("SELECT DISTINCT v FROM t WHERE k > 2 LIMIT 1", "SELECT v FROM t WHERE k > 2 LIMIT 1"),
        Pair(
            "SELECT k FROM t WHERE v = (SELECT DISTINCT v FROM t ORDER BY v DESC LIMIT 1)",
            "SELECT k FROM t WHERE v = (SELECT v FROM t ORDER BY v DESC LIMIT 1)",
        ),
    ],
    different=[
        Pair(
            "SELECT DISTINCT v FROM t ORDER BY v LIMIT 2",
            "SELECT v FROM t ORDER BY v LIMIT 2",
            because="the least v may repeat",
        ),
        Pair(
            "SELECT DISTINCT v FROM t ORDER BY v LIMIT 1 OFFSET 1",
            "SELECT v FROM t ORDER BY v LIMIT 1 OFFSET 1",
            because="the second row may be the first one again",
        ),
        Pair(
            "SELECT DISTINCT v FROM (SELECT v FROM t ORDER BY v) AS d LIMIT 1",
            "SELECT v FROM (SELECT v FROM t ORDER BY v DESC) AS d LIMIT 1",
            because="with an order inside, LIMIT keeps its first row",
        ),
    ],
)
def distinct_of_one_row_is_idle(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop DISTINCT."""
    del facts
    distinct, limit = node.args.get("distinct"), node.args.get("limit")
    if not distinct or distinct.args.get("on") is not None or limit is None:
        return None
    if node.args.get("offset") is not None or whole_number(limit.expression) != 1:
        return None
    order = node.args.get("order")
    outputs = {expression_key(item) for item in node.expressions}
    keys = [expression_key(term.this) for term in order.expressions] if order is not None else []
    if has_window(node) or not outputs.issuperset(keys):
        return None
    if any(source.find(exp.Order) for source in items(node)):
        return None
    node.set("distinct", None)
    terms = (*node.expressions, *(order.expressions if order is not None else ()))
    for text in [each for term in terms for each in own_nodes(term) if is_shown_text(each)]:
        text.replace(text.expressions[0])
    return node
