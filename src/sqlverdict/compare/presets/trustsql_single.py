"""TrustSQL's comparison for its single-database parts (ATIS, Advising, EHRSQL).

Ignores
    Row order; digits beyond the third decimal; everything after the 100th sorted row;
    the difference between yes/no and 1/0.

Respects
    Column order and duplicates among the first 100 rows; cells are compared as text.

Quirks, kept on purpose
    The prediction's outer DISTINCT is made the same as the gold's; answers that differ only
    after the 100th row are equal; 4 and '4' are equal; a gold of the form
    ``SELECT COUNT(..) > 0`` turns both answers into yes or no.

Source
    TrustSQL's and EHRSQL's evaluation, as described in the TrustSQL paper's appendix.
"""

from __future__ import annotations

import re

from sqlverdict.compare.mismatch import row_reasons
from sqlverdict.compare.preset import PRESETS, Pair
from sqlverdict.records import Answer, Cell, Comparison, Row

_COMPARED = 100
_SELECT = re.compile(r"^\s*select\s+(distinct\s+)?", re.IGNORECASE)
_YES_NO_GOLD = re.compile(r"^\s*select\s+count\s*\([^()]*\)\s*>\s*0\b", re.IGNORECASE)
_WORDS = {"yes": "1", "true": "1", "no": "0", "false": "0"}


@PRESETS.member
class TrustsqlSingle:
    """See the module's docstring."""

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """The prediction gets the gold's outer DISTINCT, or loses its own."""
        ours, theirs = _SELECT.match(gold), _SELECT.match(prediction)
        if ours is None or theirs is None or bool(ours[1]) == bool(theirs[1]):
            return gold, prediction
        start = "SELECT DISTINCT " if ours[1] else "SELECT "
        return gold, start + prediction[theirs.end() :]

    def compare(self, gold: Answer, prediction: Answer, pair: Pair) -> Comparison:
        """Whether the first 100 sorted rows read the same."""
        if _YES_NO_GOLD.match(pair.gold_sql):
            if _is_yes(gold.rows) == _is_yes(prediction.rows):
                return Comparison(True)
            return Comparison(False, row_reasons(gold, prediction))
        if _read(gold.rows) == _read(prediction.rows):
            return Comparison(True)
        return Comparison(False, row_reasons(gold, prediction))


def _read(rows: list[Row]) -> list[tuple[str, ...]]:
    return sorted(tuple(map(_text, row)) for row in rows)[:_COMPARED]


def _text(cell: Cell) -> str:
    if isinstance(cell, float):
        rounded = round(cell, 3)
        return str(int(rounded)) if rounded.is_integer() else str(rounded)
    text = str(cell)
    return _WORDS.get(text.lower(), text)


def _is_yes(rows: list[Row]) -> bool:
    return bool(rows) and all(_text(cell) not in ("0", "None", "") for cell in rows[0])
