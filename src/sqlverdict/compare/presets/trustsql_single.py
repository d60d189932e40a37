"""TrustSQL's comparison for its single-database parts (ATIS, Advising, EHRSQL).

Ignores
    Row order; digits beyond the third decimal; everything after the 100th sorted row; the
    difference between 4, 4.0 and '4', and between Yes or Y and 1, No or N and 0.

Respects
    Column order and duplicates among the first 100 rows; cells are compared as text.

Quirks, kept on purpose
    The gold's outer DISTINCT is added to a prediction that lacks it; one that the gold lacks
    stays. Answers that differ only after the 100th row are equal. Where the gold's text holds
    ``count``, an empty answer of the prediction reads 0. Where it holds ``COUNT(..) > 0 FROM``,
    the prediction's answer becomes yes or no: NULL is no, 0 and 1 stay, any other single value
    is yes, several distinct values are wrong. A run of blanks is made one, also inside a quoted
    value. EHRSQL's ``current_time`` is 2100-12-31 23:59:00, and its names of normal ranges
    become numbers, in both queries.

Source
    TrustSQL's evaluation script; equal to the recorded scores of TrustSQL's seven systems and
    of EHRSQL-2024's five on every item that the public part of the database can decide.
"""

from __future__ import annotations

import re

from sqlverdict.compare.ehrsql_rules import repair, sorted_texts
from sqlverdict.compare.preset import PRESETS, QueryPair, row_reasons
from sqlverdict.parse.ehrsql import fill_in
from sqlverdict.records import Answer, Cell, Comparison

_SELECT = re.compile(r"^\s*select\s+(distinct\s+)?", re.IGNORECASE)
_YES_NO_GOLD = re.compile(r"\bcount\s*\([^)]*\)\s*>\s*0\s*from\b", re.IGNORECASE)
_WORDS: dict[Cell, Cell] = {"Yes": 1, "Y": 1, "No": 0, "N": 0}
_NO, _YES = "0.0", "1.0"


@PRESETS.member
class TrustsqlSingle:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries repaired and filled in; the prediction gets the gold's outer DISTINCT."""
        gold, prediction = fill_in(repair(gold)), fill_in(repair(prediction))
        ours, theirs = _SELECT.match(gold), _SELECT.match(prediction)
        if ours is None or theirs is None or not ours[1] or theirs[1]:
            return gold, prediction
        return gold, "SELECT DISTINCT " + prediction[theirs.end() :]

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the first 100 sorted rows read the same."""
        theirs = sorted_texts(prediction.rows, _WORDS)
        if not theirs and "count" in pair.gold_sql.lower():
            theirs = [[_NO]]
        if _YES_NO_GOLD.search(pair.gold_sql):
            theirs = _yes_or_no(theirs)
        if sorted_texts(gold.rows, _WORDS) == theirs:
            return Comparison(True)
        return Comparison(False, row_reasons(gold, prediction))


def _yes_or_no(rows: list[list[str]]) -> list[list[str]]:
    distinct = {cell for row in rows for cell in row}
    if distinct == {"None"}:
        return [[_NO]]
    if distinct in ({_NO}, {_YES}):
        return [[cell] for cell in distinct]
    return [[f"{len(distinct)}.0"]]
