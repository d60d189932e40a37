"""defog's sql-eval, ``correct``: exact, or the gold's columns are among the prediction's.

Ignores
    What ``defog_exact`` ignores; further columns; column names; noise up to 1e-5, relative.

Respects
    Duplicate rows within each column; the order of rows where the category is ``order_by`` or
    the question says order, sort or arrange: there ties decide.

Quirks, kept on purpose
    Those of ``defog_exact``, for what is exact is correct. An empty gold contains nothing: only
    an exact answer is correct. Columns are paired greedily, each with the first that has the
    same sorted values. Integers are compared exactly, beside a float with a tolerance. After
    pairing, duplicate rows are dropped.

Source
    defog-ai/sql-eval, ``subset_df`` in ``eval/eval.py`` at b833324, with pandas 2.3; the score of
    its README is the mean of ``correct``.
"""

from __future__ import annotations

from sqlverdict.compare.defog_rules import compare_as_script, is_contained, is_exact
from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.records import Answer, Comparison


@PRESETS.member
class Defog:
    """See the module's docstring."""

    driver_values = True

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as they are."""
        return gold, prediction

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the script calls the prediction correct."""
        return compare_as_script(gold, prediction, pair, is_exact, is_contained)
