"""IN over a list is a chain of equalities.

Statement
    c IN (x, y, ...)   ==   c = x OR c = y OR ...
    c NOT IN (x, y, ...)   ==   c <> x AND c <> y AND ...

Holds when
    Always.

Why
    This is how IN over a list is defined, NULL included.

Limits
    SQLite gives the members of a list no affinity, whereas ``c = x`` lends a column's affinity to
    either side: with the text '1.0' in a TEXT column c and an INTEGER column x that is 1,
    ``c = x`` compares numbers and is true, ``c IN (x, 2)`` compares '1.0' with '1' and is not.

Source
    ETM (Ascoli et al.), table 3, rule 18.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import copy_of
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import all_of, any_of
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("18",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER, s TEXT)",
    equal=[
        Pair("SELECT k FROM t WHERE v IN (1, 2)", "SELECT k FROM t WHERE v = 2 OR v = 1"),
        Pair("SELECT k FROM t WHERE v NOT IN (1, 2)", "SELECT k FROM t WHERE v != 1 AND v != 2"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v IN (1, 2)",
            "SELECT k FROM t WHERE v NOT IN (1, 2)",
            because="one is the opposite of the other",
        ),
    ],
    corners=[
        Pair(
            "SELECT k FROM t WHERE s >= '1.0' AND s IN (v, 2)",
            "SELECT k FROM t WHERE s >= '1.0' AND (s = v OR s = 2)",
            because="= compares numbers, and IN text: '2.0' is not '2'",
        ),
    ],
)
def paper_in_list_is_equalities(node: exp.Not | exp.In, facts: Facts) -> Expr | None:
    """Write the comparisons out."""
    del facts
    negated = isinstance(node, exp.Not)
    inside = node.this if negated else node
    if not isinstance(inside, exp.In) or not inside.expressions:
        return None
    if not negated and isinstance(node.parent, exp.Not):
        return None
    kind = exp.NEQ if negated else exp.EQ
    comparisons = [kind(this=copy_of(inside.this), expression=item) for item in inside.expressions]
    return all_of(comparisons) if negated else any_of(comparisons)
