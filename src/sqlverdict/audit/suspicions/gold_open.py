"""The gold leaves its answer open: a LIMIT cuts through rows that tie.

Shown by: a prediction that fits the gold's tie without being its answer, or that returns all of
the tied rows; or the tie itself, when the gold is run again.

Weight: 0.4: which of the tied rows the gold returns is chance, so right answers score as wrong.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlverdict.audit.gold_report import GoldReport
from sqlverdict.audit.suspicion import SUSPICIONS, Suspicion
from sqlverdict.evidence import relations_of
from sqlverdict.parse.query import parse
from sqlverdict.records import Failure, Outcome, Query, Reason
from sqlverdict.signs.open_limits import find_open_cut

NAME = "gold_open"
WEIGHT = 0.4


@SUSPICIONS.member
class GoldOpen:
    """Golds whose answer the data leave open."""

    title = "the gold leaves its answer open"

    def look(self, report: GoldReport) -> Iterable[Suspicion]:
        """The tie, from the log or from the data."""
        message = _logged(report) or _tie_now(report)
        if message:
            yield Suspicion(NAME, WEIGHT, message)


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
    answer, rerun = report.gold_answer, report.rerun
    if answer is None or rerun is None:
        return ""

    def probe(sql: str) -> Outcome:
        return rerun(sql) or Failure(Reason.DATABASE_UNAVAILABLE, "no database")

    query = parse(report.case.gold[0])
    cut = find_open_cut(query, answer, probe) if isinstance(query, Query) else None
    if cut is None:
        return ""
    how = "cuts through a tie" if cut.ordered else "comes without ORDER BY"
    return f"the LIMIT {how}: {cut.tied} rows for {cut.places}"
