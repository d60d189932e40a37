"""TrustSQL's comparison for its Spider part.

Ignores
    Column names and order; row order unless the gold's text contains ``order by``; every
    DISTINCT in both queries.

Respects
    Duplicates, exact floats, types up to 4 = 4.0.

Quirks, kept on purpose
    As ``spider``, without the mends of the query text: ``> =`` is an error here. Two empty
    answers are equal.

Source
    TrustSQL's evaluation, which compares denotations as Spider's script does.
"""

from __future__ import annotations

from sqlverdict.compare.preset import PRESETS, Pair
from sqlverdict.compare.spider_rules import same_denotation
from sqlverdict.parse.tokens import without_distinct
from sqlverdict.records import Answer, Comparison


@PRESETS.member
class TrustsqlSpider:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries without DISTINCT."""
        return without_distinct(gold), without_distinct(prediction)

    def compare(self, gold: Answer, prediction: Answer, pair: Pair) -> Comparison:
        """Whether the answers have the same denotation."""
        return same_denotation(gold, prediction, pair)
