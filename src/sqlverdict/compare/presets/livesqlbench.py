"""LiveSQLBench's default test case: the same set of rows, numbers rounded to two places.

Ignores
    Row order, unless the case's contract says ``order: respect`` (``conditions.order``);
    duplicates; digits beyond the second decimal; the time of day; DISTINCT and ROUND in either
    query; column names.

Respects
    Column order; the difference between a decimal and a float that are not equal after rounding.

Quirks, kept on purpose
    **An empty answer is never right**, not even beside an empty gold. Both queries are changed as
    texts: comments are removed (one at the end, without a line end, stays), words that are
    ``distinct`` between blanks are dropped (``SELECT(DISTINCT`` and one behind a line end stay),
    ``ROUND(x, n)`` becomes ``x``, which breaks integer division or a cast around it at times. Dates
    and times become their day. Decimals are rounded half up, floats as Python does. Lists and
    objects are compared as JSON with sorted keys.

Source
    bird-bench/livesqlbench at 59d7bd0, also of BIRD-Interact at 451fe2c; BIRD-CRITIC's own test
    cases differ item by item and are withheld. Items with several statements, or with set-up
    statements, are not run.
"""

from __future__ import annotations

import json
import re
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from sqlverdict.compare.preset import PRESETS, QueryPair, row_reasons
from sqlverdict.records import Answer, Comparison, Reason

_PLACES = 2
_QUANTUM = Decimal("0.01")
_BLOCK = re.compile(r"/\*.*?\*/", re.DOTALL)
_LINE = re.compile(r"--.*?(\r\n|\r|\n)")
_BLANK_LINES = re.compile(r"\n\s*\n+")
_ROUND = re.compile(r"ROUND\s*\(", re.IGNORECASE)


@PRESETS.member
class LiveSqlBench:
    """See the module's docstring."""

    driver_values = True

    def prepare(self, gold: str, prediction: str) -> tuple[str, str]:
        """Both queries without comments, DISTINCT and ROUND."""
        return _rewrite(gold), _rewrite(prediction)

    def compare(self, gold: Answer, prediction: Answer, pair: QueryPair) -> Comparison:
        """Whether the rows are the same after rounding."""
        if not gold.values or not prediction.values:
            return Comparison(False, (Reason.EMPTY_RESULT,))
        try:
            ours, theirs = (
                [tuple(map(_cell, row)) for row in answer.values] for answer in (gold, prediction)
            )
            in_order = pair.contract is not None and pair.contract.order == "respect"
            equal = ours == theirs if in_order else set(ours) == set(theirs)
        except (TypeError, InvalidOperation) as error:
            return Comparison(False, (Reason.UNSUPPORTED_FEATURE,), message=str(error))
        if equal:
            return Comparison(True)
        if in_order and set(ours) == set(theirs):
            return Comparison(False, (Reason.ORDER_MISMATCH,))
        return Comparison(False, row_reasons(gold, prediction))


def _cell(value: object) -> object:
    if isinstance(value, date):
        return value.strftime("%Y-%m-%d")
    rounded = _rounded(value)
    return json.dumps(rounded, sort_keys=True) if isinstance(rounded, dict | list) else rounded


def _rounded(value: Any) -> Any:
    match value:
        case Decimal():
            return value.quantize(_QUANTUM, rounding=ROUND_HALF_UP)
        case float():
            return round(value, _PLACES)
        case list() | tuple():
            return type(value)(map(_rounded, value))
        case dict():
            return {key: _rounded(inner) for key, inner in value.items()}
    return value


def _rewrite(sql: str) -> str:
    sql = _LINE.sub(r"\1", _BLOCK.sub("", sql))
    sql = _BLANK_LINES.sub("\n", sql).strip()
    sql = " ".join(word for word in sql.split(" ") if word.lower() != "distinct")
    return _without_round(sql)


def _without_round(sql: str) -> str:
    """The text with each ``ROUND(x, n)`` replaced by ``x``; brackets in quotes count too."""
    while (call := _ROUND.search(sql)) is not None:
        depth, comma = 1, None
        for end in range(call.end(), len(sql)):
            if sql[end] == "(":
                depth += 1
            elif sql[end] == ")":
                depth -= 1
                if not depth:
                    break
            elif sql[end] == "," and depth == 1 and comma is None:
                comma = end
        else:
            return sql
        inner = sql[call.end() : end if comma is None else comma].strip()
        sql = sql[: call.start()] + inner + sql[end + 1 :]
    return sql
