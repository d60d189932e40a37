"""Errors of ours, kept apart: one stage or metric that fails takes nothing else with it.

A proof, a search for a witness and the names of differences are optional evidence. Where one of
them fails by a bug of ours, the rest of the case stands. A metric that cannot handle a text is
tried with the gold in place of the prediction: where that works, the text of the prediction is
to blame and the value is 0; else the fault is ours or the gold's, and the case is unscored there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from msgspec import Struct

from sqlverdict.compare.preset import PRESETS
from sqlverdict.errors import DatabaseError, FileFailure
from sqlverdict.evidence import Evidence, Undecided
from sqlverdict.evidence_parts import StageFailure
from sqlverdict.records import (
    Answer,
    Case,
    Judgement,
    ParseFailure,
    Prediction,
    Query,
    Reason,
    Score,
    Verdict,
)
from sqlverdict.run.item import RunItem
from sqlverdict.score.metric import MetricSpec, listens_to_judge, score_case

T = TypeVar("T")

TOOLKIT = "toolkit"
"""Who wrote the evidence that tells of an error of ours."""

UNREADABLE = frozenset(
    {
        Reason.UNSUPPORTED_FEATURE,
        Reason.BUDGET_EXHAUSTED,
        Reason.PARSE_ERROR,
        Reason.TOOLKIT_ERROR,
    }
)
"""Why a metric has no value where a text was beyond our tools."""

METRIC = "metric"
"""Who wrote the evidence that tells why one metric alone has no value."""

METRIC_ALONE = frozenset({Reason.NO_TEST_SUITE, Reason.RESULT_ALONE})
"""Reasons that concern one metric, and that no verdict mentions."""

_PLAIN = (RecursionError, MemoryError)
"""Errors whose message depends on where they were met; their name says enough."""

STORAGE = (OSError, FileFailure)
"""Errors of a place that files go to. No text of a prediction fills a disk."""

MakeItem = Callable[[Case, Prediction], RunItem]


def name_of(error: BaseException) -> str:
    """An error in words that do not depend on where it was met."""
    name = type(error).__name__
    return name if isinstance(error, _PLAIN) or not str(error) else f"{name}: {error}"


def attempt(stage: str, work: Callable[[], T], errors: list[Evidence]) -> T | None:
    """What optional work gives; ``None`` where it fails, and ``errors`` says so."""
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - the border: a bug of ours costs its stage only
        errors.append(failure_of(stage, error))
        return None


def stage_failure(stage: str, error: BaseException | None, blame: str = "") -> StageFailure:
    """An error of ours in one stage; ``None``: a text that it cannot handle."""
    return StageFailure(
        stage,
        "" if error is None else name_of(error),
        may_go_away=isinstance(error, (*STORAGE, MemoryError, DatabaseError)),
        storage=isinstance(error, STORAGE),
        blame=blame,
    )


def failure_of(stage: str, error: BaseException) -> Undecided:
    """An error of ours in one stage, as evidence that decides nothing."""
    return Undecided(TOOLKIT, (Reason.TOOLKIT_ERROR,), failure=stage_failure(stage, error))


class Scored(Struct, frozen=True):
    """A metric's score, and what has to be said about it."""

    score: Score
    notes: tuple[Evidence, ...] = ()


class MetricScorer:
    """Scores metric by metric; none that fails takes another with it.

    Args:
        make: Makes the item of a case and a prediction.
    """

    def __init__(self, make: MakeItem) -> None:
        self._make = make
        self._works: dict[tuple[object, ...], bool] = {}

    def score(self, spec: MetricSpec, item: RunItem) -> Scored:
        """The score; 0 where the prediction's own text is beyond the metric."""
        error: Exception | None = None
        try:
            result = score_case(spec, item)
        except Exception as raised:  # noqa: BLE001 - the border: a bug costs one metric only
            result, error = Score(None, (Reason.TOOLKIT_ERROR,)), raised
        if result.value is None and not METRIC_ALONE.isdisjoint(result.reasons):
            return Scored(result, (Undecided(METRIC, result.reasons, metric=spec.label),))
        if item.case.answerable and not item.prediction.responds:
            why = self._without_gold(spec, item)
            return Scored(result if why is None else Score(None, why))
        if result.value is not None:
            return Scored(result)
        barred = _bars_search(spec, item) and Reason.JUDGE_UNAVAILABLE not in result.reasons
        if UNREADABLE.isdisjoint(result.reasons) and not barred:
            return Scored(result)
        beyond = barred or self.works_with_gold(spec, item)
        blamed = not isinstance(error, STORAGE) and beyond
        if not blamed and error is None:
            return Scored(result)
        reasons = (Reason.UNSUPPORTED_FEATURE,) if error and blamed else result.reasons
        failure = stage_failure(spec.label, error, "prediction" if blamed else "")
        note = Undecided(TOOLKIT, reasons, failure=failure)
        return Scored(Score(0.0 if blamed else None, reasons), (note,))

    def _without_gold(self, spec: MetricSpec, item: RunItem) -> tuple[Reason, ...] | None:
        """Why a case has no value for any prediction; ``None`` where it may have one.

        Silence is then worth no more and no less than an answer: every system has the same
        questions in its denominator.
        """
        if listens_to_judge(spec.metric):
            judgement = item.judgement()
            return judgement.reasons if judgement.verdict is Verdict.UNSCORED else None
        if PRESETS.has(spec.parameter):
            everywhere = item.databases() if "databases" in spec.metric.needs else (None,)
            compared = [item.compare(spec.parameter, database) for database in everywhere]
            return compared[0].reasons if all(each.equal is None for each in compared) else None
        why: tuple[Reason, ...] | None = None
        for gold in item.case.golds:
            stand_in = self._make(item.case, Prediction(item.case.id, gold))
            result = self._attempt(spec, stand_in)
            item.repeatable = item.repeatable and stand_in.repeatable
            if result.value is not None:
                return None
            why = why or result.reasons
        return why

    def works_with_gold(self, spec: MetricSpec, item: RunItem) -> bool:
        """Whether the metric has a value where a gold stands in place of the prediction."""
        if listens_to_judge(spec.metric):
            # All evidence would have to be gathered anew; the texts themselves say enough.
            return _only_gold_is_read(item)
        case = item.case
        key = (
            spec.label,
            item.database,
            case.golds,
            case.contract,
            case.recorded_answers is None,
        )
        if key not in self._works:
            stand_ins = _golds(self._make, case)
            attempts = (self._attempt(spec, stand_in) for stand_in in stand_ins)
            self._works[key] = any(result.value is not None for result in attempts)
        return self._works[key]

    def _attempt(self, spec: MetricSpec, item: RunItem) -> Score:
        """The score of a gold as a prediction."""
        try:
            return score_case(spec, item)
        except Exception:  # noqa: BLE001 - the same bug, met with the gold alone
            return Score(None, (Reason.TOOLKIT_ERROR,))


def _bars_search(spec: MetricSpec, item: RunItem) -> bool:
    """Whether the metric rests on a search that the prediction alone stands against."""
    return item.bars_search and "witness" in spec.metric.needs


def _only_gold_is_read(item: RunItem) -> bool:
    """Whether our parser reads a gold, and not the prediction."""
    prediction = item.query(item.prediction.sql or "")
    golds = map(item.query, item.case.golds)
    return isinstance(prediction, ParseFailure) and any(isinstance(gold, Query) for gold in golds)


def _golds(make: MakeItem, case: Case) -> Iterator[RunItem]:
    """The case with its golds as predictions, each in a text of its own where that runs.

    A search takes a text for equal to itself and tries nothing, so the gold is put in brackets.
    """
    for gold in case.golds:
        text = gold.strip().rstrip("; \n\t")
        around = make(case, Prediction(case.id, f"SELECT * FROM (\n{text}\n)"))  # noqa: S608
        if isinstance(around.answer(), Answer):
            yield around
        else:
            yield make(case, Prediction(case.id, gold))


def stand_ins(case: Case) -> Iterator[Prediction]:
    """What takes the place of a prediction to see whether the case works without it.

    That is each gold. A question without one is answered by silence.
    """
    for gold in case.golds:
        yield Prediction(case.id, gold)
    if not case.golds:
        yield Prediction(case.id, abstained=True)


def case_works(case: Case, examine: Callable[[Case, Prediction], Judgement]) -> bool:
    """Whether the whole examination works with a gold in place of the prediction."""
    return any(_is_scored(case, stand_in, examine) for stand_in in stand_ins(case))


def _is_scored(
    case: Case, prediction: Prediction, examine: Callable[[Case, Prediction], Judgement]
) -> bool:
    try:
        return examine(case, prediction).verdict is not Verdict.UNSCORED
    except Exception:  # noqa: BLE001 - the same bug, met with the gold alone
        return False
