"""Branches of a CASE whose tests exclude each other may stand in any order.

Statement
    CASE WHEN p THEN x WHEN q THEN y ELSE z END   ==   CASE WHEN q THEN y WHEN p THEN x ELSE z END

Holds when
    No row passes p and q: one asks for v = 1 and the other for v = 2, one for v < 1 and the other
    for v >= 1, one for NULL and the other for a value. The CASE has no operand, and no query.

Why
    CASE takes the first branch whose test is true, and only one of the two can be.

Limits
    Where a row may pass both, the first branch counts. Rows that branches between the two take do
    not count as apart: only neighbours change places. An aggregate is left alone.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Fact
from sqlverdict.prove.reasoning.disjoint import are_disjoint
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import aggregates_in, has_subquery, parts
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Case,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT CASE WHEN v = 1 THEN 'a' WHEN v = 2 THEN 'b' ELSE 'c' END FROM t",
            "SELECT CASE WHEN v = 2 THEN 'b' WHEN v = 1 THEN 'a' ELSE 'c' END FROM t",
        ),
        Pair(
            "SELECT CASE WHEN v > 2 THEN 'b' WHEN v <= 2 THEN 'a' END FROM t",
            "SELECT CASE WHEN v <= 2 THEN 'a' WHEN v > 2 THEN 'b' END FROM t",
        ),
    ],
    different=[
        Pair(
            "SELECT CASE WHEN v > 1 THEN 'a' WHEN v > 2 THEN 'b' END FROM t",
            "SELECT CASE WHEN v > 2 THEN 'b' WHEN v > 1 THEN 'a' END FROM t",
            because="3 passes both tests",
        ),
        Pair(
            "SELECT CASE WHEN v = 1 THEN 'a' WHEN k = 1 THEN 'c' WHEN v = 2 THEN 'b' END FROM t",
            "SELECT CASE WHEN v = 2 THEN 'b' WHEN k = 1 THEN 'c' WHEN v = 1 THEN 'a' END FROM t",
            because="the branch between them may take the row",
        ),
    ],
)
def branches_apart_have_one_order(node: exp.Case, facts: Facts) -> Expr | None:
    """Move each test before those that come later as texts, as far as they exclude each other."""
    branches = node.args["ifs"]
    if node.this is not None or len(branches) < 2 or has_subquery(node):
        return None
    if next(aggregates_in([node]), None) is not None:
        return None
    ordered: list[tuple[str, Expr]] = []
    cited: dict[Fact, None] = {}
    for branch in branches:
        key, at = expression_key(branch.this), len(ordered)
        while at and key < ordered[at - 1][0]:
            facts.cited.clear()
            if not are_disjoint(parts(ordered[at - 1][1].this), parts(branch.this), facts):
                break
            cited |= facts.cited
            at -= 1
        ordered.insert(at, (key, branch))
    facts.cited.clear()
    if all(branch is before for (_, branch), before in zip(ordered, branches, strict=True)):
        return None
    facts.cite(*cited)
    node.set("ifs", [branch for _, branch in ordered])
    return node
