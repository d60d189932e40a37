"""The gold excludes a text that its column never holds, but holds in another spelling.

Shown by: <> between a column and a text, where no row has the text and one has it in other case or
with spaces around it. Needs the schema, and the gold run again.

Weight: 0.7: the condition excludes nothing, though its author meant to exclude those rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import SIGN, SUSPICIONS, Suspicion
from sqlverdict.parse.query import parse
from sqlverdict.records import Failure, Outcome, Query, Reason
from sqlverdict.refute.read.columns import Resolver
from sqlverdict.signs.literals import (
    ComparedLiteral,
    is_absent,
    literal_of,
    near_value,
    quoted_text,
)

NAME = "gold_exclusion"
WEIGHT = 0.7


@SUSPICIONS.member
class GoldExclusion:
    """Golds whose exclusion has no effect."""

    title = "the gold excludes a text that its column spells otherwise"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """Each such text."""
        rerun, schema = report.rerun, report.schema
        query = parse(report.case.gold[0]) if rerun is not None and schema is not None else None
        if rerun is None or schema is None or not isinstance(query, Query):
            return

        def run(sql: str) -> Outcome:
            return rerun(sql) or Failure(Reason.DATABASE_UNAVAILABLE, "no database")

        resolver = Resolver(query.tree, schema)
        for node in query.find_all(exp.NEQ):
            column = resolver.column(node.this) if isinstance(node.this, exp.Column) else None
            literal = literal_of(node.expression)
            text = literal[0] if literal is not None else quoted_text(node.expression, resolver)
            if column is None or not text or (literal is not None and literal[1]):
                continue
            compared = ComparedLiteral(*column, "=", text)
            near = near_value(run, compared) if is_absent(run, compared) else None
            if near is not None:
                message = f"the gold excludes {text!r}; {'.'.join(column)} has {near!r} instead"
                detail = {"text": text, "near": near}
                yield Suspicion(NAME, WEIGHT, message, detail=detail, feature=SIGN)
