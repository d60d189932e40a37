"""All rows that tie where LIMIT 1 keeps one of them.

Candidate: ORDER BY k DESC LIMIT 1 becomes k = (SELECT MAX(k) ...) over the same rows; in a query
with groups HAVING k = (SELECT k ... ORDER BY k DESC LIMIT 1).

Applies to each SELECT with one sort key, LIMIT 1 and no OFFSET. Where nothing ties the answer does
not change, and the candidate is not proposed.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.edits import add_condition, only_sort_key
from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject

NAME = "whole_tie"


@REPAIRS.member
class WholeTie:
    """Golds that name one of several rows with the same sort key."""

    title = "all rows that tie, not one of them"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold without the cut, one SELECT at a time."""
        for tree, select in gold.selects():
            key = only_sort_key(select)
            limit = select.args.get("limit")
            if key is None or limit is None or limit.expression.name != "1":
                continue
            if select.args.get("offset") or select.args.get("distinct"):
                continue
            text = gold.text(key.this)
            _widen(select, key.this, descending=bool(key.args.get("desc")))
            yield CandidateGold(
                gold.text(tree), NAME, f"all rows whose {text} is the one that LIMIT 1 keeps"
            )


def _widen(select: exp.Select, key: exp.Expr, *, descending: bool) -> None:
    """Replace ORDER BY and LIMIT 1 by a condition on the sort key."""
    grouped = select.args.get("group") is not None
    best = select.copy()
    best.set("expressions", [key.copy()])
    if grouped:
        best.args["order"].expressions[0].set("this", key.copy())
    else:
        extreme = exp.Max if descending else exp.Min
        best.set("expressions", [extreme(this=key.copy())])
        best.set("order", None)
        best.set("limit", None)
    select.set("order", None)
    select.set("limit", None)
    condition = exp.EQ(this=key.copy(), expression=exp.Subquery(this=best))
    add_condition(select, condition, "having" if grouped else "where")
    _compare_with_any(select)


def _compare_with_any(select: exp.Select) -> None:
    """A comparison with one row becomes one with several: = (SELECT ...) becomes IN."""
    inside = select.parent
    equal = inside.parent if isinstance(inside, exp.Subquery) else None
    if not isinstance(equal, exp.EQ):
        return
    other = equal.expression if equal.this is inside else equal.this
    equal.replace(exp.In(this=other.copy(), query=exp.Subquery(this=select.copy())))
