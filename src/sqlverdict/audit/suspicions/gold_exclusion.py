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
        schema = report.schema
        query = report.query if report.rerun is not None and schema is not None else None
        if schema is None or query is None:
            return
        resolver = Resolver(query.tree, schema)
        for node in query.find_all(exp.NEQ):
            column = resolver.column(node.this) if isinstance(node.this, exp.Column) else None
            literal = literal_of(node.expression)
            text = literal[0] if literal is not None else quoted_text(node.expression, resolver)
            if column is None or not text or (literal is not None and literal[1]):
                continue
            compared = ComparedLiteral(*column, "=", text, dialect=query.dialect)
            absent = is_absent(report.probe, compared)
            near = near_value(report.probe, compared) if absent else None
            if near is not None:
                message = f"the gold excludes {text!r}; {'.'.join(column)} has {near!r} instead"
                detail = {"text": text, "near": near}
                yield Suspicion(NAME, WEIGHT, message, detail=detail, feature=SIGN)
