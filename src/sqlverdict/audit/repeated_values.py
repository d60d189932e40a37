"""Whether a column repeats its values in the data."""

from __future__ import annotations

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.dialects import dialect_of
from sqlverdict.parse.schema import Table
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Answer


def repeats(report: GoldReport, table: Table, column: str) -> bool:
    """Whether a value occurs twice; false where it is not known, and for a declared key."""
    if any(tuple(map(fold, key)) == (fold(column),) for key in table.uniques):
        return False
    if report.rerun is None:
        return False
    record = dialect_of(report.dialect)
    # Behind its table a quoted name is never a text, and a word such as "user" is a column.
    name = f"t.{record.quoted(column)}"
    source = table.source_text(record.quote)
    outcome = report.rerun(f"SELECT COUNT({name}), COUNT(DISTINCT {name}) FROM {source} AS t")  # noqa: S608
    if not isinstance(outcome, Answer) or not outcome.rows:
        return False
    values, different = outcome.rows[0]
    return isinstance(values, int) and isinstance(different, int) and values > different
