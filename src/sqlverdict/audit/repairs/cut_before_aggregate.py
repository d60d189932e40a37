"""The cut before the aggregate where it stands behind it.

Candidate: SELECT SUM(x) FROM t ORDER BY k LIMIT n becomes
SELECT SUM(x) FROM (SELECT x FROM t ORDER BY k LIMIT n) AS cut_rows.

Applies where the sign ``one_row_ordered`` shows, the outermost SELECT has a LIMIT, and its only
column is one aggregate.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject

NAME = "cut_before_aggregate"
_VALUE, _ROWS = "cut_value", "cut_rows"


@REPAIRS.member
class CutBeforeAggregate:
    """Golds that cut the one row of an aggregate."""

    title = "LIMIT before the aggregate"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold with its LIMIT inside."""
        tree = gold.copy_outer()
        if tree is None or tree.args.get("limit") is None or not gold.notices("one_row_ordered"):
            return
        aggregate = tree.expressions[0].unalias() if len(tree.expressions) == 1 else None
        if not isinstance(aggregate, exp.AggFunc) or tree.args.get("group"):
            return
        distinct = isinstance(aggregate.this, exp.Distinct)
        value = aggregate.this.expressions[0] if distinct else aggregate.this
        if value.find(exp.AggFunc) is not None:
            return
        inner = exp.Literal.number(1) if isinstance(value, exp.Star) else value.copy()
        value.replace(exp.column(_VALUE))
        tree.set("expressions", [exp.alias_(inner, _VALUE)])
        outer = exp.Select().select(aggregate.copy()).from_(tree.subquery(_ROWS, copy=False))
        yield CandidateGold(
            gold.text(outer), NAME, "takes the rows that LIMIT keeps, then the aggregate"
        )
