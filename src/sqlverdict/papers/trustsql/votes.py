"""TrustSQL's table 7: an answer is given only where all samples agree.

What "agree" means decides the score: equal strings, the same tree, a proof, or the same rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sqlverdict.abstain.apply import detector_composition
from sqlverdict.abstain.calibrate import mark_drafts
from sqlverdict.abstain.database_index import DatabaseIndex
from sqlverdict.abstain.decision import Decision
from sqlverdict.abstain.generators.recorded import RecordedGenerator
from sqlverdict.abstain.method import Draft, Tools, TrainingExample
from sqlverdict.abstain.predictions import draft_of
from sqlverdict.execute.engine import DEFAULT_ENGINE, Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.load.benchmarks.trustsql import Trustsql
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.papers.trustsql.sizes import FOLDER, SPIDER_TEST
from sqlverdict.papers.trustsql.systems import OTHER_SAMPLES
from sqlverdict.records import Case
from sqlverdict.score.reliability.outcomes import Cell, OutcomeTable, from_counts
from sqlverdict.score.reliability.reliability_score import PENALTIES, penalty_text, rs

LINES = {
    "5 samples": "voting(n=5)",
    "3 samples": "voting(n=3)",
    "5 samples, equal trees": "voting(n=5, equality=tree)",
    "5 samples, equal by proof": "voting(n=5, equality=proof)",
    "5 samples, equal rows": "voting(n=5, equality=execution)",
    "5 samples, equal rows as TrustSQL compares": "voting(equality=execution, "
    "preset=trustsql_spider)",
}

_ABSTAINED = {True: Cell.ABSTAINED_ANSWERABLE, False: Cell.ABSTAINED_UNANSWERABLE}
_ANSWERED: Mapping[bool | None, Cell | None] = {
    True: Cell.CORRECT,
    False: Cell.WRONG,
    None: None,
}


def vote_cells(data: PaperData) -> Iterator[PaperCell]:
    """Table 7, on the five recorded samples of Spider's questions."""
    reader = BENCHMARKS.get("trustsql")
    assert isinstance(reader, Trustsql)
    file = data.path(FOLDER, SPIDER_TEST)
    cases = list(reader.read(file, databases=data.path("spider", "database")).cases)
    drafts = {key: draft_of(one) for key, one in reader.predictions(file, "vote_top").items()}
    index = DatabaseIndex.of(cases)
    asks = [index.ask(case) for case in cases]
    runner = QueryRunner(DEFAULT_ENGINE, Limits())
    try:
        for row, line in LINES.items():
            data.tell(line)
            composition = detector_composition(line)
            assert isinstance(composition.generator, RecordedGenerator)
            composition.generator.drafts = drafts
            decisions = composition.answer(asks, Tools(runner=runner))
            yield from _score_cells(row, outcome_table(decisions, cases, runner))
    finally:
        runner.close()


def _score_cells(row: str, table: OutcomeTable) -> Iterator[PaperCell]:
    answered = table.correct + table.wrong + table.answered_unanswerable
    yield PaperCell(row, "answers given", answered, n=table.total)
    for penalty in PENALTIES:
        score = rs(table, penalty)
        assert score is not None, "there are cases"
        column = f"RS({penalty_text(penalty)})"
        yield PaperCell(row, column, 100 * score, n=table.total, reason=OTHER_SAMPLES)


def outcome_table(
    decisions: Sequence[Decision], cases: Sequence[Case], runner: QueryRunner
) -> OutcomeTable:
    """The outcomes of decisions, with what was answered run beside the gold."""
    examples = [
        TrainingExample(
            decision.ask,
            case.answerable,
            case.golds[0] if case.golds else None,
            Draft(decision.sql),
        )
        for decision, case in zip(decisions, cases, strict=True)
    ]
    cells: Counter[Cell | None] = Counter()
    for decision, marked in zip(
        decisions, mark_drafts(examples, runner, "trustsql_spider"), strict=True
    ):
        if decision.abstained:
            cells[_ABSTAINED[marked.answerable]] += 1
        elif not marked.answerable:
            cells[Cell.ANSWERED_UNANSWERABLE] += 1
        else:
            cells[_ANSWERED[marked.correct]] += 1
    return from_counts(cells, {})
