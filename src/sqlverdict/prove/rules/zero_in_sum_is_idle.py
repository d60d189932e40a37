"""A sum that is 0 where there is nothing to add needs no zeros.

Statement
    COALESCE(SUM(CASE WHEN p THEN x ELSE 0 END), 0)   ==   COALESCE(SUM(CASE WHEN p THEN x END), 0)
    COALESCE(SUM(CASE WHEN p THEN 1 ELSE 0 END), 0)   ==   COUNT(CASE WHEN p THEN 1 END)
    COALESCE(SUM(CASE WHEN p THEN x WHEN q THEN 0 END), 0)
    ==   COALESCE(SUM(CASE WHEN p THEN x END), 0)

Holds when
    x is an integer. A branch of 0 is the last one, or no row passes its test and that of a later
    one.

Why
    Zeros add nothing. Where no row meets p, the one sum is 0 and the other NULL, for which COALESCE
    puts 0.

Limits
    Without COALESCE the sums differ where no row meets p. A sum of reals is a real even of zeros.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.counting import counted_condition, counts_when
from sqlverdict.prove.reasoning.disjoint import are_disjoint
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    any_of,
    has_subquery,
    is_aggregate,
    parts,
    whole_number,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT COALESCE(SUM(CASE WHEN k > 1 THEN v ELSE 0 END), 0) FROM t",
            "SELECT COALESCE(SUM(v), 0) FROM t WHERE k > 1",
        ),
        Pair(
            "SELECT COALESCE(SUM(CASE WHEN k > 1 THEN 1 ELSE 0 END), 0) FROM t",
            "SELECT COUNT(*) FROM t WHERE k > 1",
        ),
        Pair(
            "SELECT COALESCE(SUM(CASE WHEN k < 2 THEN 0 WHEN k > 1 THEN 1 END), 0) FROM t",
            "SELECT COUNT(*) FROM t WHERE k > 1",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(CASE WHEN k > 1 THEN v ELSE 0 END) FROM t",
            "SELECT SUM(CASE WHEN k > 1 THEN v END) FROM t",
            because="where no row meets the condition, the one is 0 and the other NULL",
        ),
        Pair(
            "SELECT COALESCE(SUM(CASE WHEN k < 3 THEN 0 WHEN k > 1 THEN 1 END), 0) FROM t",
            "SELECT COUNT(*) FROM t WHERE k > 1",
            because="2 passes the first test",
        ),
    ],
)
def zero_in_sum_is_idle(node: exp.Coalesce, facts: Facts) -> Expr | None:
    """Drop the ELSE."""
    call = node.this
    if not isinstance(call, exp.Sum) or not is_aggregate(call) or len(node.expressions) != 1:
        return None
    case = call.this
    if whole_number(node.expressions[0]) != 0 or not isinstance(case, exp.Case):
        return None
    condition = counted_condition(call, whole=True)
    if condition is not None:
        return counts_when(condition)
    if case.this is not None or has_subquery(case):
        return None
    branches, default = case.args["ifs"], case.args.get("default")
    if not all(facts.kind(branch.args["true"]) == "integer" for branch in branches):
        return None
    if default is None:
        rest = _without_zero(branches, facts)
        if rest is None:
            tests = [branch.this for branch in branches]
            ones = all(whole_number(branch.args["true"]) == 1 for branch in branches)
            return counts_when(any_of(tests)) if ones else None
        case.set("ifs", rest)
        return node
    if whole_number(default) != 0:
        return None
    case.set("default", None)
    return node


def _without_zero(branches: list[Expr], facts: Facts) -> list[Expr] | None:
    """The branches without one whose value is 0 and that takes no row from a later one."""
    for at, branch in enumerate(branches):
        later = branches[at + 1 :]
        if whole_number(branch.args["true"]) != 0 or len(branches) == 1:
            continue
        if all(are_disjoint(parts(branch.this), parts(other.this), facts) for other in later):
            return [*branches[:at], *later]
    return None
