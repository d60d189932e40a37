"""Do the values that golds ask for occur in the columns that they ask?

Looked at: ``column = 'text'``, ``column IN ('text', ...)`` and ``column LIKE 'pattern'`` in
WHERE, ON and CASE, not below a NOT, on a column of a table or view. The engine is asked with
the same comparison, so affinities and collations count as in the gold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlverdict.audit.check import CHECKS, AuditFinding, Check
from sqlverdict.audit.data import AuditData, GoldQuery
from sqlverdict.parse.qualified import with_plain_names, with_real_names
from sqlverdict.records import Outcome, Query
from sqlverdict.signs.literals import asked_literals, is_absent, near_value

NAME = "gold_literals"


@CHECKS.member
class GoldLiterals(Check):
    """Golds with a text that no row of its column holds."""

    title = "golds that ask for values which do not occur"

    def gold(self, data: AuditData, gold: GoldQuery) -> Iterable[AuditFinding]:
        """Each text that does not occur, once a gold."""
        database = gold.case.database
        query, schema = gold.query, data.schema(database) if database is not None else None
        if gold.answer is None or query is None or schema is None or database is None:
            return
        plain = with_plain_names(query, schema)
        if not isinstance(plain, Query):
            return

        def run(sql: str) -> Outcome:
            return data.runner.run(database, with_real_names(sql, schema))

        texts = [replace(a, optional=False) for a in asked_literals(plain, schema) if not a.number]
        absent = [each for each in dict.fromkeys(texts) if is_absent(run, each)]
        data.figures["golds_with_absent_literals"] += bool(absent)
        for literal in absent:
            near = near_value(run, literal)
            known = f"; the column has {near!r}" if near is not None else ""
            message = (
                f"no {literal.table}.{literal.column} {literal.operator} {literal.text!r}{known}"
            )
            empty = " (the gold returns nothing)" if not gold.answer.rows else ""
            hint = "check the spelling against the database"
            detail = {
                "table": literal.table,
                "column": literal.column,
                "text": literal.text,
                "near": near,
                "sql": gold.sql,
            }
            yield AuditFinding(NAME, "warning", gold.subject, f"{message}{empty}", hint, detail)
