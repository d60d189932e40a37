"""Spider's comparison: the same bag of rows under some order of the columns.

Ignores
    Column names and column order; row order unless the gold's text contains ``order by``;
    every DISTINCT in both queries, which is removed before they run.

Respects
    Duplicates, exact floats, types up to 4 = 4.0.

Quirks, kept on purpose
    ``order by`` is found by text search, so one inside a subquery makes row order count;
    only the first of several statements runs; two empty answers are equal whatever their
    columns; ``> =`` becomes ``>=`` (also ``< =``, ``! =``); ``YEAR(CURDATE())`` is 2020;
    a row that holds an integer on one side and the equal float on the other may be told
    apart by how their texts sort.

Source
    The test-suite evaluation script of Spider with its default options.
"""

from __future__ import annotations

from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.compare.spider_rules import prepare_sql, same_denotation
from sqlverdict.parse.tokens import without_distinct
from sqlverdict.records import Answer, Comparison


@PRESETS.member
class SpiderPreset:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries without DISTINCT."""
        return without_distinct(prepare_sql(gold)), without_distinct(prepare_sql(prediction))

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the answers have the same denotation."""
        return same_denotation(gold, prediction, pair)
