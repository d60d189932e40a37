"""defog's sql-eval, ``exact``: the same table, rows de-duplicated and sorted.

Ignores
    Duplicate rows; the order of rows, even where the question asks for one; on SQLite and
    PostgreSQL the order of columns.

Respects
    Column names (columns are sorted by name; on MySQL by position), exact floats.

Quirks, kept on purpose
    Cells are first compared with numpy's repetition of sides of length one: an empty prediction
    is exact where the gold has one row, and the only column given twice is exact. NULL equals
    -99999. Where the category is ``order_by`` or the question says order, sort or arrange, rows
    are sorted anew by the first ORDER BY key of that side's own text, descending unless it says
    ASC. On PostgreSQL a ``%`` outside of LIKE fails, because the driver takes it for a parameter.
    Decimals are floats, except on MySQL.

Source
    defog-ai/sql-eval, ``compare_df`` in ``eval/eval.py`` at b833324, with pandas 2.3.
"""

from __future__ import annotations

from sqlverdict.compare.defog_rules import compare_as_script, is_exact
from sqlverdict.compare.preset import PRESETS, QueryPair
from sqlverdict.records import Answer, Comparison


@PRESETS.member
class DefogExact:
    """See the module's docstring."""

    driver_values = True

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as they are."""
        return gold, prediction

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the script calls the answers exact."""
        return compare_as_script(gold, prediction, pair, is_exact)
