"""Adding ones is counting, where there is something to add.

Statement
    GROUP BY g: SUM(1)                               ==   COUNT(*)
    GROUP BY g: SUM(CASE WHEN d THEN 1 ELSE 0 END)   ==   COUNT(CASE WHEN d THEN 1 END)

Holds when
    There is a GROUP BY, so that no group is empty, and no FILTER; the ones are integers.

Why
    Each row that counts adds one, and the others nothing.

Limits
    Without GROUP BY an empty table gives NULL for SUM and 0 for COUNT, and so does FILTER. A sum
    of 1.0 is a real, which does not cut when it is divided.

Source
    ETM (Ascoli et al.), rule 9, with empty tables in mind.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.counting import counted_condition, counts_when
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import enclosing, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("9",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k, SUM(1) FROM t GROUP BY k", "SELECT k, COUNT(*) FROM t GROUP BY k"),
        Pair(
            "SELECT k, SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t GROUP BY k",
            "SELECT k, COUNT(CASE WHEN v > 1 THEN 1 END) FROM t GROUP BY k",
        ),
    ],
    different=[
        Pair("SELECT SUM(1) FROM t", "SELECT COUNT(*) FROM t", because="an empty table"),
        Pair(
            "SELECT k, SUM(1) FILTER (WHERE v > 1) FROM t GROUP BY k",
            "SELECT k, COUNT(*) FILTER (WHERE v > 1) FROM t GROUP BY k",
            because="FILTER may leave nothing of a group",
        ),
        Pair(
            "SELECT k, SUM(CASE WHEN v > 1 THEN 1.0 ELSE 0 END) / 2 FROM t GROUP BY k",
            "SELECT k, COUNT(CASE WHEN v > 1 THEN 1 END) / 2 FROM t GROUP BY k",
            because="a count that is divided by an integer is cut",
        ),
    ],
)
def sum_of_ones_is_count(node: exp.Sum, facts: Facts) -> Expr | None:
    """Count."""
    del facts
    select = enclosing(node)
    if select is None or select.args.get("group") is None:
        return None
    if isinstance(node.parent, exp.Window | exp.Filter):
        return None
    if whole_number(node.this) == 1:
        return exp.Count(this=exp.Star(), big_int=True)
    condition = counted_condition(node, whole=True)
    return counts_when(condition) if condition is not None else None
