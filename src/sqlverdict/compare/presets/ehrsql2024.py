"""EHRSQL-2024's comparison: the first 100 sorted rows read the same.

Ignores
    Row order; digits beyond the third decimal; everything after the 100th sorted row; the
    difference between 4, 4.0, '4' and '004'.

Respects
    Column order; duplicates among the first 100 rows; cells are compared as text, NULL as
    ``None``.

Quirks, kept on purpose
    Both queries are changed as texts, also inside of quoted values: line ends and runs of blanks
    become one blank, ``> =`` is joined, MySQL's DATE_SUB and DATE_ADD become ``datetime()``,
    ``current_time``, ``'now'`` and ``NOW()`` become 2100-12-31 23:59:00, ``current_date`` and
    ``CURDATE()`` its day, and the first names of a normal range become numbers. Answers that differ
    only after the 100th row are equal. ``trustsql_single`` is another script: it adds the gold's
    DISTINCT and reads yes and no.

Source
    glee4810/ehrsql-2024, ``scoring_program``; equal to the recorded scores of five participants on
    every item that the public part of the database can decide. The reliability score comes from
    ``sqlverdict reliability``.
"""

from __future__ import annotations

import re

from sqlverdict.compare.ehrsql_rules import fill_in_range, fix_formats, repair, sorted_texts
from sqlverdict.compare.preset import PRESETS, QueryPair, row_reasons
from sqlverdict.parse.ehrsql import CLOCK
from sqlverdict.records import Answer, Comparison

_SHIFT = re.compile(
    r"(DATE_SUB|DATE_ADD)\((\w+\(\)|'[^']+')[, ]+ INTERVAL (\d+) (MONTH|YEAR|DAY)\)"
)
_DAY, _TIME = CLOCK.split()
_CLOCKS = (
    ("current_time", CLOCK),
    ("current_date", _DAY),
    ("'now'", CLOCK),
    ("NOW()", CLOCK),
    ("CURDATE()", _DAY),
    ("CURTIME()", _TIME),
)


@PRESETS.member
class Ehrsql2024Preset:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries as the task's script runs them."""
        return _rewrite(gold), _rewrite(prediction)

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the first 100 sorted rows read the same."""
        del pair
        if sorted_texts(gold.rows) == sorted_texts(prediction.rows):
            return Comparison(True)
        return Comparison(False, row_reasons(gold, prediction))


def _rewrite(sql: str) -> str:
    sql = _SHIFT.sub(_sqlite_shift, repair(sql))
    for name, value in _CLOCKS:
        sql = sql.replace(name, f"'{value}'")
    return fix_formats(fill_in_range(sql))


def _sqlite_shift(call: re.Match[str]) -> str:
    function, date, number, unit = call.groups()
    sign = "-" if function == "DATE_SUB" else "+"
    plural = "" if number == "1" else "s"
    return f"datetime({date}, '{sign}{number} {unit.lower()}{plural}')"
