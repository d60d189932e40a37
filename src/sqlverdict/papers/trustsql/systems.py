"""TrustSQL's systems: tables 2 and 3, RS(0), RS(10) and RS(N), and tables 10, 11 and 12.

The cells of 14 methods in tables 2 and 3 follow from integer counts, which the printed digits
determine; so they show that the score is the paper's. Beside them stand systems whose outputs were
published, executed here on Spider.

The authors published outputs of a later run: answers of gpt-3.5-turbo, gates of gpt-4o. Of the
unanswerable questions most were asked with another database's schema in the prompt, except by
voting: those systems abstain there more easily than they should.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.trustsql import Trustsql
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Printed
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.papers.trustsql.printed import (
    DATASETS,
    LEVELS,
    RECORDED,
    TABLE_2,
    TABLE_3,
    TABLE_10,
    TABLE_11,
    TABLE_12,
    TYPES,
)
from sqlverdict.papers.trustsql.sizes import FOLDER, INFERRED_TYPES, SPIDER_TEST
from sqlverdict.pipeline import Options
from sqlverdict.runlog.run import Run
from sqlverdict.score.reliability.items import ReliabilityCounts
from sqlverdict.score.reliability.outcomes import FailurePolicy, OutcomeTable
from sqlverdict.score.reliability.reliability_score import (
    ANS,
    EVERYTHING,
    Penalty,
    View,
    partly,
    rs,
)

METRIC = "ex[trustsql_spider]"
LATER = "the recorded outputs are of another run of the authors' than the table"
SUSPECT = f"{LATER}; most unanswerable questions had another database's schema in the prompt"
OTHER_SAMPLES = "the five recorded samples are of another run than the table"


def recorded_runs(data: PaperData) -> dict[str, Run]:
    """The run of each method of the paper whose outputs were published."""
    reader = BENCHMARKS.get("trustsql")
    assert isinstance(reader, Trustsql)
    file = data.path(FOLDER, SPIDER_TEST)
    benchmark = reader.read(file, databases=data.path("spider", "database"))
    answers = {system: reader.predictions(file, system) for system in RECORDED.values()}
    runs = data.evaluate("trustsql", benchmark, answers, Options(metrics=METRIC))
    systems = {run.manifest.system: run for run in runs}
    return {method: systems[system] for method, system in RECORDED.items()}


def outcomes_of(run: Run, metric: str = METRIC) -> ReliabilityCounts:
    """The outcomes of a run, all and by kind of question."""
    return ReliabilityCounts(metric, FailurePolicy()).add_all(run.results())


def departure_of(method: str, *, unanswerable: bool) -> str:
    """Why a recorded system's value differs from the paper's."""
    if method == "SQLP[VOTING]":
        return OTHER_SAMPLES
    return SUSPECT if unanswerable else LATER


def generator_cells(data: PaperData) -> Iterator[PaperCell]:
    """Table 10: answered correctly, without any detector."""
    return _hardness_cells(data, TABLE_10, lambda one: one.correct)


def answerable_cells(data: PaperData) -> Iterator[PaperCell]:
    """Table 11: not answered wrongly."""
    return _hardness_cells(data, TABLE_11, lambda one: one.answerable - one.wrong)


def _hardness_cells(
    data: PaperData, printed: Printed, part: Callable[[OutcomeTable], int]
) -> Iterator[PaperCell]:
    for method, tables in _slices(data, printed, "difficulty"):
        for level in LEVELS:
            one = tables.get(level, OutcomeTable())
            reason = departure_of(method, unanswerable=False)
            yield share_cell(method, level, part(one), one.answerable, reason)


def unanswerable_cells(data: PaperData) -> Iterator[PaperCell]:
    """Table 12: held back."""
    for method, tables in _slices(data, TABLE_12, "unanswerable_type"):
        for kind in TYPES:
            one = tables.get(INFERRED_TYPES[kind], OutcomeTable())
            reason = departure_of(method, unanswerable=True)
            yield share_cell(method, kind, one.abstained_unanswerable, one.unanswerable, reason)


def _slices(
    data: PaperData, printed: Printed, by: str
) -> Iterator[tuple[str, dict[str, OutcomeTable]]]:
    """The outcomes by kind of question of the recorded methods of a table."""
    methods = {row for row, _ in printed}
    for method, run in recorded_runs(data).items():
        if method in methods:
            slices = outcomes_of(run).slices()
            # All of Spider's questions are unseen, and their keys say so.
            own = {one.key.split()[-1]: one.table for one in slices if one.by == by}
            yield method, own


def share_cell(row: str, column: str, part: int, whole: int, reason: str = "") -> PaperCell:
    """A share in percent."""
    return PaperCell(row, column, 100 * part / whole if whole else None, n=whole, reason=reason)


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
