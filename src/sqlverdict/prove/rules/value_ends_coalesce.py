"""COALESCE needs nothing behind a value that is never NULL, and no NULL.

Statement
    COALESCE(x, y)         ==   x   (x is never NULL)
    COALESCE(x, y, z)      ==   COALESCE(x, y)   (y is never NULL)
    COALESCE(x, NULL, y)   ==   COALESCE(x, y)

Holds when
    What is left out does not change the type of the value. Where one value alone is left, no
    comparison in SQLite can tell that it is a column.

Why
    COALESCE is its first value that is not NULL, and NULL where there is none.

Limits
    An integer beside a decimal is a decimal: left alone. COALESCE has no affinity, and a column may
    have one: left alone where it is compared with a value of another type.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.common_type import keeps_type
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import has_subquery
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Coalesce,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT COALESCE(k, v) FROM t", "SELECT k FROM t", (NotNull("t", "k"),)),
        Pair("SELECT COALESCE(v, NULL) FROM t", "SELECT v FROM t"),
        Pair(
            "SELECT COALESCE(v, k, 0) FROM t",
            "SELECT COALESCE(v, k) FROM t",
            (NotNull("t", "k"),),
        ),
    ],
    different=[
        Pair(
            "SELECT COALESCE(v, k) FROM t",
            "SELECT v FROM t",
            (NotNull("t", "k"),),
            because="v may be NULL",
        ),
    ],
)
def value_ends_coalesce(node: exp.Coalesce, facts: Facts) -> Expr | None:
    """Leave out what is never taken."""
    values = [node.this, *node.expressions]
    first: list[Expr] = []
    for at, value in enumerate(values):
        if isinstance(value, exp.Null) and (first or at + 1 < len(values)):
            continue
        first.append(value)
        if facts.never_null(value):
            break
    rest = [value for value in values if not any(value is each for each in first)]
    if not rest or any(map(has_subquery, rest)):
        facts.cited.clear()
        return None
    if not all(any(keeps_type(value, other, facts) for value in first) for other in rest):
        facts.cited.clear()
        return None
    if len(first) == 1:
        if not facts.is_unconverted(node) or not all(
            keeps_type(first[0], other, facts) for other in rest
        ):
            facts.cited.clear()
            return None
        return first[0]
    node.set("this", first[0])
    node.set("expressions", first[1:])
    return node
