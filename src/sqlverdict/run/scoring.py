"""Metrics, one at a time: a metric that fails takes no other with it.

A metric that cannot handle a text is tried with the gold in place of the prediction: where that
works, the text of the prediction is to blame and the value is 0; else the fault is ours or the
gold's, and the case is unscored there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from sqlverdict.compare.preset import PRESETS
from sqlverdict.evidence import Evidence, Undecided
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import (
    Answer,
    Comparison,
    Judgement,
    ParseFailure,
    Prediction,
    Query,
    Reason,
    Score,
    Verdict,
)
from sqlverdict.refute.witness import Refutation
from sqlverdict.run.attempt import STORAGE, TOOLKIT, stage_failure
from sqlverdict.run.compare_stage import compare_with_golds
from sqlverdict.run.inputs import StageInputs
from sqlverdict.run.plan import SOUND
from sqlverdict.run.refute_stage import bars_search, refute_case
from sqlverdict.run.refuter import Refuter
from sqlverdict.score.metric import MetricSpec, score_case, uses_opinions

if TYPE_CHECKING:
    from sqlverdict.prove.proof import Derivation

UNREADABLE = frozenset(
    {
        Reason.UNSUPPORTED_FEATURE,
        Reason.BUDGET_EXHAUSTED,
        Reason.PARSE_ERROR,
        Reason.TOOLKIT_ERROR,
    }
)
"""Why a metric has no value where our tools cannot handle a text."""

METRIC = "metric"
"""The name (``by``) of evidence that says why one metric alone has no value."""

METRIC_ALONE = frozenset({Reason.NO_TEST_SUITE, Reason.RESULT_ALONE})
"""Reasons that concern one metric, and that no verdict mentions."""


class MetricItem:
    """A case as a metric sees it (:class:`~sqlverdict.score.metric.Item`).

    Args:
        inputs: The inputs of the case. What a metric asks for beyond the evidence is found out
            from them, once.
        refuter: Searches for witnesses.
        evidence: All that was found out.
        judgement: What it amounts to; ``None``: no metric of opinion is asked.
    """

    def __init__(
        self,
        inputs: StageInputs,
        refuter: Refuter,
        evidence: tuple[Evidence, ...] = (),
        judgement: Judgement | None = None,
    ) -> None:
        self.inputs = inputs
        self.case = inputs.case
        self.prediction = inputs.prediction
        self.golds = inputs.golds
        self.answer = inputs.answer
        self.query = inputs.query
        self.schema = inputs.schema
        self.databases = inputs.source.databases
        self.clock = inputs.source.clock
        self._refuter = refuter
        self._evidence = evidence
        self._judgement = judgement

    def compare(self, preset: str, database: str | None = None) -> Comparison:
        """The prediction against the golds: equal if it equals any of them."""
        return compare_with_golds(self.inputs, preset, database)

    def refute(self) -> Refutation:
        """A witness against every gold, or that none was found."""
        return refute_case(self.inputs, self._refuter)

    def prove(self, profile: str = SOUND) -> Derivation:
        """A proof that the prediction answers as a gold does, or that none was found."""
        from sqlverdict.run.prove_stage import prove_case

        return prove_case(self.inputs, profile)

    def evidence(self) -> Sequence[Evidence]:
        """All that was found out."""
        return self._evidence

    def judgement(self) -> Judgement:
        """What the evidence amounts to."""
        assert self._judgement is not None, "a judgement is asked for after it was made"
        return self._judgement


class Scored(Struct, frozen=True):
    """A metric's score, and what has to be said about it.

    Attributes:
        score: The score.
        notes: Why it has no value, or which value it has where our tools failed.
        repeatable: False where a clock cut what a gold gave that stood in for the prediction.
    """

    score: Score
    notes: tuple[Evidence, ...] = ()
    repeatable: bool = True


class MetricScorer:
    """Scores one case metric by metric; one that fails does not stop the others.

    Args:
        item: The case.
        runner: Runs the queries of what stands in for the prediction.
        refuter: Searches for witnesses.
    """

    def __init__(self, item: MetricItem, runner: QueryRunner, refuter: Refuter) -> None:
        self._item = item
        self._inputs = item.inputs
        self._case = item.case
        self._runner = runner
        self._refuter = refuter

    def score(self, spec: MetricSpec) -> Scored:
        """The score; 0 where the metric cannot handle the prediction's own text."""
        error: Exception | None = None
        try:
            result = score_case(spec, self._item)
        except Exception as raised:  # noqa: BLE001 - the border: a bug costs one metric only
            result, error = Score(None, (Reason.TOOLKIT_ERROR,)), raised
        if result.value is None and not METRIC_ALONE.isdisjoint(result.reasons):
            return Scored(result, (Undecided(METRIC, result.reasons, metric=spec.label),))
        if self._case.answerable and not self._item.prediction.responds:
            return self._silent(spec, result)
        if result.value is not None:
            return Scored(result)
        barred = self._is_barred(spec) and Reason.JUDGE_UNAVAILABLE not in result.reasons
        if UNREADABLE.isdisjoint(result.reasons) and not barred:
            return Scored(result)
        beyond = barred or self._works_with_gold(spec)
        blamed = not isinstance(error, STORAGE) and beyond
        if not blamed and error is None:
            return Scored(result)
        reasons = (Reason.UNSUPPORTED_FEATURE,) if error and blamed else result.reasons
        failure = stage_failure(spec.label, error, "prediction" if blamed else "")
        note = Undecided(TOOLKIT, reasons, failure=failure)
        return Scored(Score(0.0 if blamed else None, reasons), (note,))

    def _is_barred(self, spec: MetricSpec) -> bool:
        """Whether the metric needs a search that the prediction's text alone prevents."""
        return "witness" in spec.metric.needs and bars_search(self._inputs)

    def _silent(self, spec: MetricSpec, result: Score) -> Scored:
        """The score of silence; none where the case has no value for any prediction.

        Silence is then worth no more and no less than an answer: every system has the same
        questions in its denominator.
        """
        item = self._item
        if uses_opinions(spec.metric):
            judgement = item.judgement()
            unscored = judgement.verdict is Verdict.UNSCORED
            return Scored(Score(None, judgement.reasons) if unscored else result)
        if PRESETS.has(spec.parameter):
            everywhere = item.databases() if "databases" in spec.metric.needs else (None,)
            compared = [item.compare(spec.parameter, database) for database in everywhere]
            unscored = all(each.equal is None for each in compared)
            return Scored(Score(None, compared[0].reasons) if unscored else result)
        why: tuple[Reason, ...] | None = None
        repeatable = True
        for gold in self._case.golds:
            stand_in = self._with(Prediction(self._case.id, gold))
            of_gold = _attempt(spec, stand_in)
            repeatable = repeatable and stand_in.inputs.source.repeatable
            if of_gold.value is not None:
                return Scored(result, repeatable=repeatable)
            why = why or of_gold.reasons
        return Scored(result if why is None else Score(None, why), repeatable=repeatable)

    def _works_with_gold(self, spec: MetricSpec) -> bool:
        """Whether the metric has a value where a gold stands in place of the prediction."""
        if uses_opinions(spec.metric):
            # All evidence would have to be gathered anew; the texts themselves say enough.
            return _only_gold_is_read(self._inputs)
        return any(_attempt(spec, stand_in).value is not None for stand_in in self._golds())

    def _golds(self) -> Iterator[MetricItem]:
        """The case with its golds as predictions, each in a text of its own where that runs.

        A search takes a text for equal to itself and tries nothing, so the gold is put in brackets.
        """
        for gold in self._case.golds:
            text = gold.strip().rstrip("; \n\t")
            in_brackets = f"SELECT * FROM (\n{text}\n)"  # noqa: S608 - a gold, run in the sandbox
            around = self._with(Prediction(self._case.id, in_brackets))
            if isinstance(around.answer(), Answer):
                yield around
            else:
                yield self._with(Prediction(self._case.id, gold))

    def _with(self, prediction: Prediction) -> MetricItem:
        """The case with another prediction; a witness against it is not kept."""
        inputs = StageInputs(self._case, prediction, self._runner, self._inputs.plan)
        return MetricItem(inputs, self._refuter)


def _attempt(spec: MetricSpec, item: MetricItem) -> Score:
    """The score of a gold as a prediction."""
    try:
        return score_case(spec, item)
    except Exception:  # noqa: BLE001 - the same bug, met with the gold alone
        return Score(None, (Reason.TOOLKIT_ERROR,))


def _only_gold_is_read(inputs: StageInputs) -> bool:
    """Whether our parser reads a gold, and not the prediction."""
    golds = inputs.gold_queries()
    read = any(isinstance(gold, Query) for gold in golds)
    return read and isinstance(inputs.predicted_query(), ParseFailure)
