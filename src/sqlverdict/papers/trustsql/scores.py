"""TrustSQL's tables 2 and 3: RS(0), RS(10) and RS(N).

The cells of 14 methods follow from integer counts, which the printed digits determine; so they
show that the score is the paper's. Beside them stand systems whose outputs were published,
executed here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Printed
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.papers.trustsql.printed import DATASETS, TABLE_2, TABLE_3
from sqlverdict.papers.trustsql.sizes import FOLDER
from sqlverdict.papers.trustsql.systems import departure_of, outcomes_of, recorded_runs
from sqlverdict.score.reliability.outcomes import OutcomeTable
from sqlverdict.score.reliability.reliability_score import (
    ANS,
    EVERYTHING,
    Penalty,
    View,
    partly,
    rs,
)

COUNTS = "paper_table_counts.json"
_VIEWS: Mapping[str, View] = {"ANS": ANS, "25%": partly(), "ANS+UnANS": EVERYTHING}
_CRITICAL: Mapping[str, Penalty] = {"RS(10) ": 10.0, "RS(N) ": "N"}
_ABSTAIN_ALL = "ABSTAIN-ALL"
_DRAW = "the paper draws a quarter of the unanswerable questions; ours is the mean over all draws"


def lenient_cells(data: PaperData) -> Iterator[PaperCell]:
    """Table 2."""
    yield from _cells(data, TABLE_2, {"": 0.0}, _VIEWS)


def critical_cells(data: PaperData) -> Iterator[PaperCell]:
    """Table 3."""
    views = {name: view for name, view in _VIEWS.items() if name != "25%"}
    yield from _cells(data, TABLE_3, _CRITICAL, views)


def _cells(
    data: PaperData, printed: Printed, penalties: Mapping[str, Penalty], views: Mapping[str, View]
) -> Iterator[PaperCell]:
    for (method, dataset), table in _count_tables(data).items():
        for name, score in _scores(table, penalties, views):
            column = f"{name} {DATASETS[dataset]}"
            if (method, column) in printed:
                yield _cell(method, column, score, table, name)
    for method, run in recorded_runs(data).items():
        table = outcomes_of(run).table
        for name, score in _scores(table, penalties, views):
            paper = printed.get((method, column := f"{name} Spider"), "")
            if paper:
                reason = departure_of(
                    method, unanswerable=not name.endswith(" ANS") and name != "ANS"
                )
                size = _items(table, name)
                yield PaperCell(f"{method}, recorded", column, score, paper, size, reason)


def _cell(method: str, column: str, score: float, table: OutcomeTable, view: str) -> PaperCell:
    # The counts behind a score were found from the printed scores.
    reason = _DRAW if view == "25%" else ""
    return PaperCell(method, column, score, n=_items(table, view), reason=reason, from_print=True)


def _items(table: OutcomeTable, name: str) -> int:
    """How many items a view has; the paper's quarter is rounded."""
    return round(_VIEWS[name.split()[-1]].size(table))


def _scores(
    table: OutcomeTable, penalties: Mapping[str, Penalty], views: Mapping[str, View]
) -> Iterator[tuple[str, float]]:
    for prefix, penalty in penalties.items():
        for name, view in views.items():
            score = rs(table, penalty, view)
            if score is not None:
                yield f"{prefix}{name}", 100 * score


def _count_tables(data: PaperData) -> dict[tuple[str, str], OutcomeTable]:
    """The outcomes by method and data set, ABSTAIN-ALL first."""
    rows = json.loads(data.path(FOLDER, COUNTS).read_text(encoding="utf-8"))
    silent = {
        (_ABSTAIN_ALL, row["dataset"]): OutcomeTable(
            abstained_answerable=row["n_ans"], abstained_unanswerable=row["n_unans"]
        )
        for row in rows
    }
    return silent | {(row["method"], row["dataset"]): _outcomes(row) for row in rows}


def _outcomes(row: Mapping[str, Any]) -> OutcomeTable:
    return OutcomeTable(
        correct=row["ans_correct"],
        abstained_answerable=row["ans_abstain"],
        wrong=row["ans_wrong"],
        answered_unanswerable=row["un_answered"],
        abstained_unanswerable=row["un_abstain"],
    )
