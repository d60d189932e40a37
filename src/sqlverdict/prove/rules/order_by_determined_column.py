"""A column that the columns before it determine does not change the order.

Statement
    ORDER BY k, x   ==   ORDER BY k          k is a key
    ORDER BY x, x   ==   ORDER BY x          constants fall out too

Holds when
    The column follows from the earlier ones by keys (UNIQUE and NOT NULL), by equalities of
    WHERE, or is constant there; the query does not group.

Why
    Rows that are tied so far agree on it.

Limits
    Expressions other than columns fall out only where they repeat, or are literals.

Source
    House rule; ETM (Ascoli et al.) lacks it: redundant ORDER BY.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.dependencies import closure, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import column_name, is_constant, is_grouped
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Order,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t ORDER BY k, v",
            "SELECT v FROM t ORDER BY k",
            (Unique("t", ("k",)), NotNull("t", "k")),
        ),
        Pair("SELECT k FROM t WHERE v = 2 ORDER BY v, k", "SELECT k FROM t WHERE v = 2 ORDER BY k"),
    ],
    different=[
        Pair(
            "SELECT v, k FROM t ORDER BY v, k",
            "SELECT v, k FROM t ORDER BY v",
            because="rows tied on v may be in any order",
        ),
    ],
)
def order_by_determined_column(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop it."""
    order = node.args.get("order")
    if order is None:
        return None
    terms = list(order.expressions)
    for index, term in enumerate(terms):
        if not _is_idle(term.this, [other.this for other in terms[:index]], node, facts):
            continue
        rest = [*terms[:index], *terms[index + 1 :]]
        node.set("order", exp.Order(expressions=rest) if rest else None)
        return node
    return None


def _is_idle(term: Expr, before: list[Expr], node: exp.Select, facts: Facts) -> bool:
    if is_constant(term) or any(same_expression(term, other) for other in before):
        return True
    if is_grouped(node) or not isinstance(term, exp.Column):
        return False
    return column_name(term) in closure(node, facts, plain_columns(before))
