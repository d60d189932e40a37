"""Where findings with an open question wait for a judge, and become lines.

The coordinator alone asks: workers gather evidence and make briefs, and go on while replies are
awaited on threads. A reply is kept by whoever gives it (the cache of replies) the moment it
arrives, and a line is logged when all its replies are there, so that a run that is killed loses
neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

from msgspec import structs

from sqlverdict.evidence import Evidence, Judged
from sqlverdict.judge.judge import JUDGES, ask_judge
from sqlverdict.judge.opinion import BUDGET, PENDING, Opinion
from sqlverdict.llm.threads import work_all
from sqlverdict.records import Case, Judgement, Prediction
from sqlverdict.run.attempt import Attempt
from sqlverdict.run.judging.asking import JudgeOptions, JudgeQuestion
from sqlverdict.run.outcome import LogLine, Pending, encode_line
from sqlverdict.run.plan import RunPlan
from sqlverdict.score.metric import Item, score_case

_LONGEST = 8_000
"""Characters of a judge's words that are kept in a log line."""


class JudgeStage:
    """Asks the judges what findings leave open, and makes their lines.

    Args:
        judging: Whom to ask, and how.
        plan: The run's metrics, and how evidence becomes a verdict.

    Attributes:
        over_budget: For each case without its reply for now, whether the cost limit forbade the
            call; else it waits in a batch. It is not logged, and a resumed run asks again.
    """

    def __init__(self, judging: JudgeOptions, plan: RunPlan) -> None:
        self.judging = judging
        self.plan = plan
        self.over_budget: list[bool] = []

    def lines(self, pending: Iterable[Pending]) -> Iterator[LogLine]:
        """The lines of all that waits, as they are settled; few of them are kept at a time."""
        stop = getattr(self.judging.answerer, "stop", None)
        finished = work_all(self.settle, pending, self.judging.concurrency, on_interrupt=stop)
        for _, line in finished:
            if isinstance(line, Opinion):
                self.over_budget.append(BUDGET in line.flags)
            else:
                yield line

    def settle(self, pending: Pending) -> LogLine | Opinion:
        """One finding's line, with the opinions it waited for; else one that is not there yet."""
        task, finding = pending.task, pending.finding
        judged: list[Evidence] = []
        for question in finding.questions:
            opinions = self._ask(question, task.system)
            for opinion in opinions:
                if BUDGET in opinion.flags or PENDING in opinion.flags:
                    return opinion
            judged.append(opinion_evidence(question, opinions))
        evidence = (*finding.evidence, *judged)
        judgement = self.plan.decide(task.case, task.prediction, evidence)
        item = SettledItem(task.case, task.prediction, evidence, judgement)
        scores: dict[str, float | None] = {}
        errors: list[Evidence] = []
        for spec in self.plan.specs:
            if spec.label in finding.scores:
                scores[spec.label] = finding.scores[spec.label]
            else:
                scores[spec.label] = None
                with Attempt(spec.label, errors):
                    scores[spec.label] = score_case(spec, cast("Item", item)).value
        evidence += tuple(errors)
        final = structs.replace(
            finding, judgement=judgement, evidence=evidence, scores=scores, questions=()
        )
        return LogLine(task.system, task.index, encode_line(task, final))

    def _ask(self, question: JudgeQuestion, system: int) -> list[Opinion]:
        settings, judge = self.judging.settings, JUDGES.get(question.judge)
        by_system = self.judging.by_system
        answerer = by_system[system] if by_system else self.judging.answerer
        return [
            ask_judge(
                judge,
                question.brief,
                replace(settings, sample=settings.sample + number),
                answerer,
            )
            for number in range(self.judging.repeat)
        ]


@dataclass(frozen=True)
class SettledItem:
    """A case whose evidence is complete, as a metric of opinion sees it: nothing can be run."""

    case: Case
    prediction: Prediction
    pieces: tuple[Evidence, ...]
    verdict: Judgement

    def evidence(self) -> Sequence[Evidence]:
        """All that was found out."""
        return self.pieces

    def judgement(self) -> Judgement:
        """What it amounts to."""
        return self.verdict


def opinion_evidence(question: JudgeQuestion, opinions: Sequence[Opinion]) -> Judged:
    """What a judge said, as evidence; the first opinion counts, the others are kept as votes."""
    first = opinions[0]
    costs = [opinion.cost for opinion in opinions]
    return Judged(
        question.judge,
        () if first.reason is None else (first.reason,),
        correct=first.correct,
        metrics=question.metrics,
        judge=first.judge,
        model=first.model,
        explanation=first.explanation[:_LONGEST],
        calls=sum(opinion.calls for opinion in opinions),
        cached=sum(opinion.cached for opinion in opinions),
        tokens=(
            sum(opinion.tokens[0] for opinion in opinions),
            sum(opinion.tokens[1] for opinion in opinions),
        ),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        situation=str(question.situation or ""),
        flags=tuple(dict.fromkeys(flag for opinion in opinions for flag in opinion.flags)),
        categories=first.categories,
        category_notes=dict(first.category_notes),
        votes=first.votes,
        notes=question.notes,
        repeats=tuple(opinion.correct for opinion in opinions) if len(opinions) > 1 else (),
    )
