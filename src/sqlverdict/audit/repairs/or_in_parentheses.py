"""Alternatives that belong together where AND binds before OR.

Candidate: a AND b OR c becomes a AND (b OR c).

Applies to WHERE and ON with an OR, without parentheses around it, one side of which is an AND.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject

NAME = "or_in_parentheses"


@REPAIRS.member
class OrInParentheses:
    """Golds whose last alternative has none of the other conditions."""

    title = "parentheses around alternatives"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold with parentheses, one OR at a time."""
        for number, node in enumerate(gold.query.find_all(exp.Or)):
            if not isinstance(node.this, exp.And) or isinstance(node.parent, exp.Paren | exp.Or):
                continue
            tree = gold.query.tree.copy()
            own = list(tree.find_all(exp.Or))[number]
            first, last = own.this.this, own.this.expression
            either = exp.Paren(this=exp.Or(this=last.copy(), expression=own.expression.copy()))
            text = gold.text(either)
            own.replace(exp.And(this=first.copy(), expression=either))
            yield CandidateGold(gold.text(tree), NAME, f"the alternatives are {text}")
