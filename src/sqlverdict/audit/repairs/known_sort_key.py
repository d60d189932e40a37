"""Only rows with a sort key where LIMIT keeps rows without one.

Candidate: the condition "key IS NOT NULL".

Applies where the sign ``null_sort_key`` shows and the outermost SELECT has one sort key.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.edits import add_condition, only_sort_key
from sqlverdict.audit.repair import REPAIRS, CandidateGold, RepairSubject

NAME = "known_sort_key"


@REPAIRS.member
class KnownSortKey:
    """Golds whose "lowest" row has no value."""

    title = "only rows with a sort key"

    def look(self, gold: RepairSubject) -> Iterable[CandidateGold]:
        """The gold without rows whose key is NULL."""
        tree = gold.copy_outer()
        key = only_sort_key(tree) if tree is not None else None
        if tree is None or key is None or not gold.notices("null_sort_key"):
            return
        condition = exp.Not(this=exp.Is(this=key.this.copy(), expression=exp.Null()))
        grouped = key.this.find(exp.AggFunc) is not None
        add_condition(tree, condition, "having" if grouped else "where")
        text = gold.text(key.this)
        yield CandidateGold(gold.text(tree), NAME, f"leaves out rows whose {text} is NULL")
