"""Spider's comparison with DISTINCT kept: the script's ``--keep_distinct``.

Ignores
    As ``spider``, but DISTINCT stays in both queries.

Respects
    Duplicates, exact floats, types up to 4 = 4.0.

Quirks, kept on purpose
    As ``spider``; several statements are an error here, since nothing cuts the text.

Source
    The test-suite evaluation script of Spider with ``--keep_distinct``.
"""

from __future__ import annotations

from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.compare.spider_rules import prepare_sql, same_denotation
from sqlverdict.records import Answer, Comparison


@PRESETS.member
class SpiderDistinct:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries with the script's repairs."""
        return prepare_sql(gold), prepare_sql(prediction)

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the answers have the same denotation."""
        return same_denotation(gold, prediction, pair)
