"""Whether a column repeats its values in the data."""

from __future__ import annotations

import re

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.parse.schema import Table
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Answer

_PLAIN = re.compile(r"[A-Za-z_]\w*")
"""A name that every engine reads without quotes; a keyword fails, and a failure says nothing."""


def repeats(report: GoldReport, table: Table, column: str) -> bool:
    """Whether a value occurs twice; false where it is not known, and for a declared key."""
    if any(tuple(map(fold, key)) == (fold(column),) for key in table.uniques):
        return False
    if report.rerun is None or not (_PLAIN.fullmatch(column) and _PLAIN.fullmatch(table.name)):
        return False
    outcome = report.rerun(
        f"SELECT COUNT({column}), COUNT(DISTINCT {column}) FROM {table.name}"  # noqa: S608
    )
    if not isinstance(outcome, Answer) or not outcome.rows:
        return False
    values, different = outcome.rows[0]
    return isinstance(values, int) and isinstance(different, int) and values > different
