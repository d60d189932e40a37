"""The gold leaves its answer open: a LIMIT cuts through rows that tie.

Shown by: a prediction that fits the gold's tie without being its answer, or that returns all of
the tied rows; or the tie itself, in the gold or in one of its subqueries, when the gold is run
again.

Weight: 0.4: which of the tied rows the gold returns is chance, so right answers score as wrong. A
tie in a subquery counts in the model: comparisons look at ties of the whole query alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import DOUBT, SUSPICIONS, Suspicion
from sqlverdict.evidence import relations_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.tokens import fold
from sqlverdict.records import Answer, Query, Reason
from sqlverdict.signs.open_limits import find_open_cut

NAME = "gold_open"
WEIGHT = 0.4


@SUSPICIONS.member
class GoldOpen:
    """Golds whose answer the data leave open."""

    title = "the gold leaves its answer open"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """The tie, from the log or from the data."""
        message, inner = _logged(report) or _tie_now(report), ""
        if not message:
            message = inner = _tie_inside(report)
        if message:
            yield Suspicion(NAME, WEIGHT, message, feature=DOUBT if inner else "")


def _logged(report: GoldReport) -> str:
    for entry in report.answers:
        for evidence in entry.result.evidence:
            if Reason.TIE_UNDETERMINED in evidence.reasons:
                return f"the LIMIT cuts through a tie, and {entry.system}'s answer fits it too"
            for relation in relations_of([evidence]):
                tied = relation.kind == "tie_superset"
                if tied and relation.proof.limited == "gold":
                    rows = relation.proof.tied or "several"
                    return f"the LIMIT cuts through {rows} rows that tie; {entry.system} gives all"
    return ""


def _tie_now(report: GoldReport) -> str:
    query = report.query
    if report.gold_answer is None or query is None:
        return ""
    return _tie(report, query, report.gold_answer)


def _tie_inside(report: GoldReport) -> str:
    """The tie of a subquery with a LIMIT that runs alone; one that needs its outer query fails."""
    query = report.query
    if report.rerun is None or query is None:
        return ""
    for select in query.find_all(exp.Select):
        if select is query.tree or select.args.get("limit") is None or _reads_common(select):
            continue
        inner = parse(select.sql(dialect=query.dialect), query.dialect)
        answer = report.probe(inner.sql) if isinstance(inner, Query) else None
        if isinstance(inner, Query) and isinstance(answer, Answer):
            tie = _tie(report, inner, answer)
            if tie:
                return f"in a subquery {tie}"
    return ""


def _reads_common(select: exp.Select) -> bool:
    """Whether a subquery reads a common table expression that stands outside of it.

    Alone it would read a table of that name, if there is one.
    """
    names = {fold(each.alias) for each in select.root().find_all(exp.CTE)}
    names -= {fold(each.alias) for each in select.find_all(exp.CTE)}
    return any(fold(each.name) in names for each in select.find_all(exp.Table))


def _tie(report: GoldReport, query: Query, answer: Answer) -> str:
    """How a LIMIT of a query leaves its answer open, in words; empty where it does not."""
    if report.rerun is None:
        return ""
    cut = find_open_cut(query, answer, report.probe)
    if cut is None:
        return ""
    how = "cuts through a tie" if cut.ordered else "comes without ORDER BY"
    return f"the LIMIT {how}: {cut.tied} rows for {cut.places}"
