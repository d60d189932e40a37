"""TrustSQL's recorded systems, executed on Spider; tables 10, 11 and 12.

The authors published outputs of a later run: answers of gpt-3.5-turbo, gates of gpt-4o. Of the
unanswerable questions most were asked with another database's schema in the prompt, except by
voting: those systems abstain there more easily than they should.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.trustsql import Trustsql
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Printed
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.papers.trustsql.printed import (
    LEVELS,
    RECORDED,
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
