"""The question asks for one number, or for yes or no, and the gold returns several rows.

Shown by: a question that asks how many, for a share or a total, or begins as one that is answered
by yes or no; and a gold that returns more than one row when it is run again. Where it was not run:
a gold that groups its rows, or aggregates nothing, and has no LIMIT.

Weight: 0.6 for rows, 0.25 for the query alone.

Looks at English questions. Silent where the question says each, every, per, list, which or who.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.question_words import asks_one_number, asks_yes_or_no
from sqlverdict.audit.suspicion import DOUBT, SIGN, SUSPICIONS, Suspicion
from sqlverdict.records import Query

NAME = "gold_shape"
ROWS = 0.6
QUERY = 0.25


@SUSPICIONS.member
class GoldShape:
    """Golds that return a list where one value is asked for."""

    title = "the question asks for one value, the gold returns several rows"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """The rows, or the clauses that make several of them."""
        number = asks_one_number(report.case.question)
        asks = "for one number" if number else "for yes or no"
        answer = report.gold_answer
        if answer is not None:
            if len(answer.rows) > 1 and (number or asks_yes_or_no(report.case.question)):
                message = f"the question asks {asks}, and the gold returns {len(answer.rows)} rows"
                yield Suspicion(NAME, ROWS, message, feature=SIGN)
        elif number and (why := _several_rows(report.query)):
            message = f"the question asks {asks}, and the gold {why}"
            yield Suspicion(NAME, QUERY, message, feature=DOUBT)


def _several_rows(query: Query | None) -> str:
    """What makes a query return several rows, in words; empty where nothing does."""
    select = query.tree if query is not None else None
    if not isinstance(select, exp.Select) or select.args.get("limit") is not None:
        return ""
    if select.args.get("group") is not None:
        return "returns a row for each group"
    computed = (exp.AggFunc, exp.Subquery, exp.Div, exp.Sub)
    if not any(each.find(*computed) for each in select.expressions):
        return "aggregates nothing"
    return ""
