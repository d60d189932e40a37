"""A condition that every aggregate of a query asks for may be asked in WHERE.

Statement
    SELECT COUNT(CASE WHEN p AND q THEN 1 END), COUNT(CASE WHEN p THEN 1 END) FROM t
    ==   SELECT COUNT(CASE WHEN q THEN 1 END), COUNT(*) FROM t WHERE p
    SELECT MAX(CASE WHEN p THEN x END), SUM(CASE WHEN p THEN y END) FROM t
    ==   SELECT MAX(x), SUM(y) FROM t WHERE p

Holds when
    There is no GROUP BY, every aggregate is COUNT, SUM, AVG, MIN or MAX of such a CASE without
    ELSE, with DISTINCT or not, and no column is shown beside them.

Why
    For rows that do not meet p each CASE is NULL, which these aggregates skip. A query without
    GROUP BY gives one row in any case.

Limits
    SUM(CASE ... ELSE 0 END) is 0 where no row meets p and NULL where there are no rows at all, so
    it is left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.counting import conditional_argument, counts_when
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    BAG_AGGREGATES,
    aggregates_in,
    all_of,
    conditions,
    has_window,
    items,
    output_nodes,
    parts,
    set_conditions,
    whole_number,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Case,),
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
        Pair(
            "SELECT MAX(CASE WHEN k > 1 THEN v END), COUNT(DISTINCT CASE WHEN k > 1 THEN v END)"
            " FROM t",
            "SELECT MAX(v), COUNT(DISTINCT v) FROM t WHERE k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(CASE WHEN v = 2 THEN 1 ELSE 0 END) FROM t",
            "SELECT COUNT(*) FROM t WHERE v = 2",
            because="the sum over an empty table is NULL",
        ),
        Pair(
            "SELECT SUM(CASE WHEN v > 1 THEN k ELSE 0 END) FROM t",
            "SELECT SUM(k) FROM t WHERE v > 1",
            because="where no row meets the condition, the one is 0 and the other NULL",
        ),
    ],
)
def common_condition_of_aggregates(node: exp.Select, facts: Facts) -> Expr | None:
    """Ask it in WHERE."""
    del facts
    if node.args.get("group") is not None or node.args.get("having") is not None:
        return None
    calls = list(aggregates_in(output_nodes(node)))
    if not calls or not items(node) or has_window(node):
        return None
    if not all(isinstance(call, BAG_AGGREGATES) for call in calls):
        return None
    arguments = [conditional_argument(call) for call in calls]
    tests = [parts(case.args["ifs"][0].this) for case in arguments if case is not None]
    if len(tests) < len(calls) or any(isinstance(call.parent, exp.Filter) for call in calls):
        return None
    common = set.intersection(*({expression_key(part) for part in test} for test in tests))
    if not common or next(bare_columns(node), None) is not None:
        return None
    shared = {
        expression_key(part): counted_copy(part)
        for part in tests[0]
        if expression_key(part) in common
    }
    for call, case, test_parts in zip(calls, arguments, tests, strict=True):
        assert case is not None
        rest = [part for part in test_parts if expression_key(part) not in common]
        _ask_for(rest, call, case)
    set_conditions(node, [*conditions(node), *shared.values()])
    return node


def _ask_for(rest: list[Expr], call: Expr, case: exp.Case) -> None:
    """Leave to a CASE the rest of its condition; without any it is its value."""
    branch = case.args["ifs"][0]
    counts = isinstance(call, exp.Count) and case.parent is call
    if counts and whole_number(branch.args["true"]) == 1:
        plain = exp.Count(this=exp.Star(), big_int=True)
        call.replace(counts_when(all_of([counted_copy(p) for p in rest])) if rest else plain)
    elif rest:
        branch.set("this", all_of([counted_copy(part) for part in rest]))
    else:
        case.replace(branch.args["true"])
