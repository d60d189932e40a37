"""A CASE that replaces NULL is COALESCE.

Statement
    CASE WHEN x IS NULL THEN y ELSE x END       ==   COALESCE(x, y)
    CASE WHEN x IS NOT NULL THEN x ELSE y END   ==   COALESCE(x, y)
    COALESCE(x, COALESCE(y, z))                 ==   COALESCE(x, y, z)

Holds when
    The expression that is tested is the one that is taken, and it holds no query.

Why
    COALESCE is defined as this CASE. Neither has an affinity or a collation.

Limits
    A CASE with further branches is read from its last one; what is not of this shape is left alone.

Source
    House rule; IFNULL is read as COALESCE.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_subquery
from sqlverdict.prove.reasoning.strict import not_null_test, null_test
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT CASE WHEN v IS NULL THEN k ELSE v END FROM t", "SELECT COALESCE(v, k) FROM t"),
        Pair(
            "SELECT CASE WHEN v IS NOT NULL THEN v ELSE k END FROM t",
            "SELECT COALESCE(v, k) FROM t",
        ),
        Pair(
            "SELECT COALESCE(v, COALESCE(k, 0)) FROM t",
            "SELECT CASE WHEN v IS NOT NULL THEN v WHEN k IS NOT NULL THEN k ELSE 0 END FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT CASE WHEN v IS NULL THEN k ELSE v END FROM t",
            "SELECT COALESCE(k, v) FROM t",
            because="the other value goes first",
        ),
        Pair(
            "SELECT CASE WHEN v IS NULL THEN v ELSE k END FROM t",
            "SELECT COALESCE(v, k) FROM t",
            because="it is NULL where v is",
        ),
    ],
)
def null_case_is_coalesce(node: exp.Case | exp.Coalesce, facts: Facts) -> Expr | None:
    """Write one COALESCE."""
    del facts
    if isinstance(node, exp.Coalesce):
        return _flat(node)
    default = node.args.get("default")
    if node.this is not None or default is None or has_subquery(node):
        return None
    *before, last = node.args["ifs"]
    tested, is_null = _tested(last.this)
    if tested is None:
        return None
    value, other = (default, last.args["true"]) if is_null else (last.args["true"], default)
    if not same_expression(tested, value):
        return None
    whole = exp.Coalesce(this=value, expressions=[other])
    if not before:
        return whole
    node.set("ifs", before)
    node.set("default", whole)
    return node


def _tested(condition: Expr) -> tuple[Expr | None, bool]:
    """What a test for NULL asks about, and whether it asks for NULL or for a value."""
    missing = null_test(condition)
    return (missing, True) if missing is not None else (not_null_test(condition), False)


def _flat(node: exp.Coalesce) -> Expr | None:
    """Without a COALESCE behind its last comma."""
    last = node.expressions[-1] if node.expressions else None
    if not isinstance(last, exp.Coalesce):
        return None
    node.set("expressions", [*node.expressions[:-1], last.this, *last.expressions])
    return node
