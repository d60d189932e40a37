"""Do the values that golds ask for occur in the columns that they ask?

Looked at: ``column = 'text'``, ``column IN ('text', ...)`` and ``column LIKE 'pattern'`` in
WHERE, ON and CASE, not below a NOT, on a column of a table or view. The engine is asked with
the same comparison, so affinities and collations count as in the gold.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.check import CHECKS, Check
from sqlverdict.audit.data import Data, Gold
from sqlverdict.audit.finding import Finding
from sqlverdict.audit.literals import Asked, asked_literals
from sqlverdict.files.sqlite import quoted
from sqlverdict.records import Answer, Cell, Row

NAME = "gold_literals"


@CHECKS.member
class GoldLiterals(Check):
    """Golds with a text that no row of its column holds."""

    title = "golds that ask for values which do not occur"

    def gold(self, data: Data, gold: Gold) -> Iterable[Finding]:
        """Each text that does not occur, once a gold."""
        database = gold.case.database
        query, schema = gold.query, data.schema(database) if database is not None else None
        if gold.answer is None or query is None or schema is None or database is None:
            return
        absent = [
            asked
            for asked in dict.fromkeys(asked_literals(query, schema))
            if _rows(data, database, asked, _condition(asked)) == []
        ]
        data.figures["golds_with_absent_literals"] += bool(absent)
        for asked in absent:
            near = _near(data, database, asked)
            known = f"; the column has {near!r}" if near is not None else ""
            message = f"no {asked.table}.{asked.column} {asked.operator} {asked.text!r}{known}"
            empty = " (the gold returns nothing)" if not gold.answer.rows else ""
            hint = "check the spelling against the database"
            detail = {
                "table": asked.table,
                "column": asked.column,
                "text": asked.text,
                "near": near,
                "sql": gold.sql,
            }
            yield Finding(NAME, "warning", gold.subject, f"{message}{empty}", hint, detail)


def _near(data: Data, database: str, asked: Asked) -> Cell:
    """A value of the column that differs only in case or in spaces around it."""
    if asked.operator == "LIKE":
        return None
    condition = f"lower(trim({_column(asked)})) = lower(trim({_text(asked)}))"
    rows = _rows(data, database, asked, condition)
    return rows[0][0] if rows else None


def _rows(data: Data, database: str, asked: Asked, condition: str) -> list[Row] | None:
    """At most one row that fulfils a condition; ``None`` where the engine cannot tell."""
    column, table = quoted(asked.column), quoted(asked.table)
    sql = f"SELECT {column} FROM {table} WHERE {condition} LIMIT 1"  # noqa: S608 (quoted)
    outcome = data.desk.run(database, sql)
    return outcome.rows if isinstance(outcome, Answer) else None


def _condition(asked: Asked) -> str:
    return f"{_column(asked)} {asked.operator} {_text(asked)}"


def _column(asked: Asked) -> str:
    return f"{quoted(asked.table)}.{quoted(asked.column)}"


def _text(asked: Asked) -> str:
    return "'" + asked.text.replace("'", "''") + "'"
