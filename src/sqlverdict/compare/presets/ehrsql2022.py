"""EHRSQL's comparison of 2022: the first 100 rows, sorted as texts.

Ignores
    The order of the first 100 rows, and every row after them.

Respects
    Column order, duplicates, types (4 is not 4.0), exact floats; which rows come first, so that
    an answer of more than 100 rows without ORDER BY may fail by its order alone.

Quirks, kept on purpose
    Both queries are changed as texts: all of it becomes lower case, quoted values too; two
    quotes become one, which breaks an escaped quote and an empty text; ``current_time`` and
    ``'now'`` become 2105-12-31 23:59:00; the first names of a normal range become numbers.

Source
    glee4810/EHRSQL, ``evaluate.py`` at fe1042a. It reports precision, recall and F1 of answering
    and of right answers; ``sqlverdict reliability`` has the counts behind them.
"""

from __future__ import annotations

from sqlverdict.compare.ehrsql_rules import fill_in_range, fix_formats
from sqlverdict.compare.preset import PRESETS, QueryPair, row_reasons
from sqlverdict.records import Answer, Comparison, Row

_COMPARED = 100
_CLOCK = "'2105-12-31 23:59:00'"


@PRESETS.member
class Ehrsql2022Preset:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as the script runs them."""
        return _rewrite(gold), _rewrite(prediction)

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the first 100 rows are the same texts."""
        del pair
        if _read(gold.rows) == _read(prediction.rows):
            return Comparison(True)
        return Comparison(False, row_reasons(gold, prediction))


def _rewrite(sql: str) -> str:
    sql = fill_in_range(sql.lower().replace("current_time", _CLOCK))
    return fix_formats(sql.replace("''", "'").replace("< =", "<=")).replace("'now'", _CLOCK)


def _read(rows: list[Row]) -> list[str]:
    return sorted(map(str, rows[:_COMPARED]))
