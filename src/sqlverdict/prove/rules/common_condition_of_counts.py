"""A condition that every count of a query asks for may be asked in WHERE.

Statement
    SELECT COUNT(CASE WHEN p AND q THEN 1 END), COUNT(CASE WHEN p THEN 1 END) FROM t
    ==   SELECT COUNT(CASE WHEN q THEN 1 END), COUNT(*) FROM t WHERE p

Holds when
    There is no GROUP BY, every aggregate is such a count, and no column is shown beside them.

Why
    Rows that do not meet p are counted by none of them, and a query without GROUP BY gives one
    row in any case.

Limits
    SUM(CASE ... ELSE 0 END) is NULL where there are no rows at all, so it is left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.counting import counts_when, tested_condition
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    all_of,
    conditions,
    has_window,
    items,
    output_nodes,
    parts,
    set_conditions,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT COUNT(CASE WHEN k > 1 AND v = 2 THEN 1 END) * 100.0"
            " / COUNT(CASE WHEN k > 1 THEN 1 END) FROM t",
            "SELECT COUNT(CASE WHEN v = 2 THEN 1 END) * 100.0 / COUNT(*) FROM t WHERE k > 1",
        ),
        Pair(
            "SELECT COUNT(CASE WHEN k > 1 AND v = 2 THEN 1 END), COUNT(CASE WHEN k > 1 THEN 1 END)"
            " FROM t",
            "SELECT COUNT(CASE WHEN v = 2 THEN 1 END), COUNT(*) FROM t WHERE k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(CASE WHEN v = 2 THEN 1 ELSE 0 END) FROM t",
            "SELECT COUNT(*) FROM t WHERE v = 2",
            because="the sum over an empty table is NULL",
        ),
    ],
)
def common_condition_of_counts(node: exp.Select, facts: Facts) -> Expr | None:
    """Ask it in WHERE."""
    del facts
    if node.args.get("group") is not None or node.args.get("having") is not None:
        return None
    calls = list(aggregates_in(output_nodes(node)))
    tests = [parts(test) for call in calls if (test := tested_condition(call)) is not None]
    if not calls or len(tests) < len(calls) or not items(node) or has_window(node):
        return None
    common = set.intersection(*({expression_key(part) for part in test} for test in tests))
    if not common or next(bare_columns(node), None) is not None:
        return None
    shared = {
        expression_key(part): counted_copy(part)
        for part in tests[0]
        if expression_key(part) in common
    }
    for call, test_parts in zip(calls, tests, strict=True):
        call.replace(_count_of([part for part in test_parts if expression_key(part) not in common]))
    set_conditions(node, [*conditions(node), *shared.values()])
    return node


def _count_of(rest: list[Expr]) -> Expr:
    if rest:
        return counts_when(all_of([counted_copy(part) for part in rest]))
    return exp.Count(this=exp.Star(), big_int=True)
