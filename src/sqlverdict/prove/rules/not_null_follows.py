"""IS NOT NULL says nothing new beside a condition that a NULL does not pass.

Statement
    x > 3 AND x IS NOT NULL   ==   x > 3

Holds when
    Another conjunct is never true where x is NULL: a comparison, LIKE, IN, BETWEEN, arithmetic
    in them, an equality with another column; also one inside an EXISTS that compares x and does
    not aggregate.

Why
    Rows in which x is NULL are dropped either way.

Limits
    Conjuncts of WHERE, HAVING or an inner ON only; under OR and NOT it is left alone.

Source
    House rule; ETM (Ascoli et al.) lacks it: IS NOT NULL implied by a comparison.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import conditions, is_grouped, set_conditions
from sqlverdict.prove.reasoning.strict import not_null_test, rejects_null
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Is,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE v > 3 AND v IS NOT NULL", "SELECT k FROM t WHERE v > 3"),
        Pair(
            "SELECT a.k FROM t a, t b WHERE a.v = b.k AND b.k IS NOT NULL",
            "SELECT a.k FROM t a, t b WHERE a.v = b.k",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v IS NOT NULL AND EXISTS "
            "(SELECT COUNT(*) FROM t AS b WHERE b.k = t.v)",
            "SELECT k FROM t WHERE EXISTS (SELECT COUNT(*) FROM t AS b WHERE b.k = t.v)",
            because="an aggregate gives a row for no rows, too",
        ),
        Pair(
            "SELECT k FROM t WHERE (v > 3 OR k = 1) AND v IS NOT NULL",
            "SELECT k FROM t WHERE v > 3 OR k = 1",
            because="the second branch lets a NULL pass",
        ),
    ],
)
def not_null_follows(node: exp.Select, facts: Facts) -> Expr | None:
    """Drop the test."""
    del facts
    for clause in ("where", "having"):
        own_conditions = conditions(node, clause)
        for index, condition in enumerate(own_conditions):
            tested = not_null_test(condition)
            if not isinstance(tested, exp.Column):
                continue
            rest = [*own_conditions[:index], *own_conditions[index + 1 :]]
            if any(_rejects(other, tested) for other in rest):
                set_conditions(node, rest, clause)
                return node
    return None


def _rejects(condition: Expr, column: Expr) -> bool:
    if isinstance(condition, exp.Exists) and isinstance(condition.this, exp.Select):
        inner = condition.this
        if is_grouped(inner):
            # An aggregate gives a row even where no row passes WHERE.
            return False
        return any(rejects_null(part, column) for part in conditions(inner))
    return rejects_null(condition, column)
