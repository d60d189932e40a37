"""TrustSQL's comparison for its Spider part.

Ignores
    Column names and order; row order unless the gold's text contains ``order by``; every
    DISTINCT in both queries.

Respects
    Duplicates, exact floats, types up to 4 = 4.0.

Quirks, kept on purpose
    As ``spider``: an ``order by`` in a subquery makes row order count, two empty answers are
    equal, ``> =`` becomes ``>=``; but ``YEAR(CURDATE())`` is not replaced here, and a run of
    blanks is made one, also inside a quoted value.

Source
    TrustSQL's evaluation script, which compares denotations as Spider's does; equal to the
    recorded scores of all seven systems on all 1,054 items of its Spider test part.
"""

from __future__ import annotations

from sqlverdict.compare.ehrsql_rules import repair
from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.compare.spider_rules import same_denotation
from sqlverdict.parse.tokens import without_distinct
from sqlverdict.records import Answer, Comparison


@PRESETS.member
class TrustsqlSpider:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries repaired and without DISTINCT."""
        return without_distinct(repair(gold)), without_distinct(repair(prediction))

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the answers have the same denotation."""
        return same_denotation(gold, prediction, pair)
