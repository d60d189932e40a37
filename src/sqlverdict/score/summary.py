"""From a stream of results to a summary: estimates with intervals, verdicts, reasons, slices.

One pass with flat memory: counters, never a list of results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sqlverdict.account import Spending
from sqlverdict.errors import RunLogError
from sqlverdict.evidence import Contradicted, Evidence, Failed, Judged, OpenQuestion, Undecided
from sqlverdict.records import Fault, Reason, Result, Verdict
from sqlverdict.score.cuts import cuts_of
from sqlverdict.score.deciding import deciding_metric, reasons_by, verdict_by
from sqlverdict.score.estimates import Estimate, Slice, Tallies, sql_features
from sqlverdict.score.expected import Expectation, ExpectedScore
from sqlverdict.score.sessions import SessionTally
from sqlverdict.score.usage import UsageCounts, UsageFigures


@dataclass(frozen=True)
class Summary:
    """Everything a report prints about a run.

    Examples:
        >>> cases = [{"id": 1, "gold": "SELECT 1", "prediction": "SELECT 1", "cost": 0.5}]
        >>> summary = sv.evaluate(cases, db="shop.sqlite").summary
        >>> summary.answered, summary.verdicts, summary.usage[0].total
        (1, {'correct': 1}, 0.5)
    """

    cases: int
    answered: int
    abstained: int
    estimates: tuple[Estimate, ...]
    verdicts: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    slices: tuple[Slice, ...] = ()
    judge: dict[str, int] = field(default_factory=dict)
    """What judges were asked, and contradictions; see ``score/summary.py``."""
    beyond: dict[str, int] = field(default_factory=dict)
    """Cases in which a stage or a metric of ours could not handle a text, by its name."""
    cuts: dict[str, int] = field(default_factory=dict)
    """Searches not made, cases that a limit cut, answers without rows; see :func:`cuts_of`."""
    expected: ExpectedScore | None = None
    """The score that people would give; ``None`` where verdicts carry no probability."""
    without: dict[str, int] = field(default_factory=dict)
    """Cases that lack what one metric needs, by metric and reason: ``ts: NO_TEST_SUITE``."""
    usage: tuple[UsageFigures, ...] = ()
    """What the system spent; empty where predictions do not say."""
    deciding: str | None = None
    """The metric by which verdicts and reasons are counted; ``None``: by evidence."""
    spending: Spending | None = None
    """What language models cost the run folder, over all commands; ``None``: none was called."""
    sessions: int = 0
    """How many conversations the cases are turns of."""
    interactions: tuple[Estimate, ...] = ()
    """Interaction match under each metric of 0 and 1: the cases of these are conversations."""


def summarise(
    results: Iterable[Result],
    metrics: Sequence[str],
    *,
    binary: Collection[str],
    seed: int = 0,
    features: Callable[[str], Iterable[str]] | None = sql_features,
) -> Summary:
    """Summarise a run in one pass.

    Args:
        results: The run's results; any iterable, read once.
        metrics: The labels to report, in the order to report them. A result without a value
            for a label is unscored there.
        binary: The labels whose values are all 0 or 1: they get Wilson intervals.
        seed: For the bootstrap intervals of the others.
        features: The features of a gold query, for the slices by feature; None leaves these
            slices out. Asked once for each query while it is remembered.
    """
    counts = _ResultCounts(deciding_metric(metrics, binary))
    tallies = Tallies(metrics, binary, features)
    sessions = SessionTally([label for label in metrics if label in binary])
    for result in results:
        counts.add(result)
        tallies.add(result)
        sessions.add(result)
    estimates = tuple(map(sessions.by_session, tallies.estimates(seed)))
    summary = counts.summary(tallies.whole.cases, estimates, tallies.slices(seed))
    if sessions:
        summary = replace(summary, sessions=len(sessions), interactions=sessions.estimates())
    return summary if "verdict" in metrics else replace(summary, expected=None)


class _ResultCounts:
    """Counts what results say beside their values; ``deciding`` as in a summary."""

    def __init__(self, deciding: str | None) -> None:
        self._deciding = deciding
        self._answered = self._abstained = 0
        self._verdicts: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._beyond: Counter[str] = Counter()
        self._cuts: Counter[str] = Counter()
        self._without: Counter[str] = Counter()
        self._judge = JudgeCounts()
        self._expectation = Expectation()
        self._usage = UsageCounts()

    def add(self, result: Result) -> None:
        """Count one result."""
        self._abstained += result.abstained
        self._answered += not result.abstained and bool((result.prediction or "").strip())
        verdict = verdict_by(result, self._deciding)
        self._verdicts[str(verdict)] += 1
        self._usage.add(result.usage, _IS_RIGHT.get(verdict, False))
        if result.fault is not None:
            self._faults[str(result.fault)] += 1
        # Most results have none of these, and to add nothing to a Counter takes its time.
        for why in dict.fromkeys(reasons_by(result, self._deciding)):
            self._reasons[str(why)] += 1
        self._judge.add(result)
        self._expectation.add(result)
        for name in cuts_of(result):
            self._cuts[name] += 1
        ours = [each for each in result.evidence if each.by in _OURS]
        if ours:
            self._beyond.update(_beyond(ours))
            self._without.update(_without(ours))

    def summary(
        self, cases: int, estimates: tuple[Estimate, ...], slices: tuple[Slice, ...]
    ) -> Summary:
        """The counts with the estimates, each in the order of reports."""
        return Summary(
            cases=cases,
            answered=self._answered,
            abstained=self._abstained,
            estimates=estimates,
            verdicts=_in_order(self._verdicts, Verdict),
            faults=_in_order(self._faults, Fault),
            reasons=dict(sorted(self._reasons.items(), key=lambda item: (-item[1], item[0]))),
            slices=slices,
            judge=self._judge.totals(),
            beyond=dict(sorted(self._beyond.items())),
            cuts=dict(sorted(self._cuts.items())),
            expected=self._expectation.expected(),
            without=dict(sorted(self._without.items())),
            usage=self._usage.figures(),
            deciding=self._deciding,
        )


def _in_order(counts: Counter[str], words: Iterable[str]) -> dict[str, int]:
    """The counts above 0, in the order of the words."""
    return {str(word): counts[str(word)] for word in words if counts[str(word)]}


def summary_to_json(summary: Summary) -> dict[str, Any]:
    """The summary as plain JSON values; :func:`summary_from_json` reads it back."""
    plain = asdict(summary)
    plain["estimates"] = list(plain["estimates"])
    plain["usage"] = list(plain["usage"])
    plain["interactions"] = list(plain["interactions"])
    plain["slices"] = [{**part, "estimates": list(part["estimates"])} for part in plain["slices"]]
    return plain


def summary_from_json(plain: Mapping[str, Any]) -> Summary:
    """Read what :func:`summary_to_json` wrote.

    Raises:
        RunLogError: a field is missing, unknown or of another shape.
    """
    try:
        slices = tuple(
            Slice(**{**part, "estimates": tuple(Estimate(**e) for e in part["estimates"])})
            for part in plain["slices"]
        )
        estimates = tuple(Estimate(**estimate) for estimate in plain["estimates"])
        people = plain.get("expected")
        expected = None if people is None else ExpectedScore(**people)
        usage = tuple(UsageFigures(**figures) for figures in plain.get("usage", ()))
        account = plain.get("spending")
        spending = None if account is None else Spending(**account)
        own: dict[str, Any] = {"estimates": estimates, "slices": slices, "expected": expected}
        own |= {"usage": usage, "spending": spending}
        own["interactions"] = tuple(Estimate(**each) for each in plain.get("interactions", ()))
        return Summary(**{**plain, **own})
    except (KeyError, TypeError) as wrong:
        raise RunLogError(
            f"this is not a summary of this version: {wrong}. Expected the fields that to_json "
            "writes; run the evaluation again to write a new one.",
            reason="another_version",
        ) from wrong


_IS_RIGHT = {Verdict.CORRECT: True, Verdict.UNSCORED: None, Verdict.NEEDS_REVIEW: None}
_OURS = ("toolkit", "metric")
"""Who leaves evidence about our own stages and metrics."""


def _beyond(evidence: Iterable[Evidence]) -> set[str]:
    """The stages and metrics of ours that could not handle a text of this case."""
    return {
        piece.failure.stage
        for piece in evidence
        if isinstance(piece, Undecided | Failed)
        and piece.failure is not None
        and not piece.failure.storage
    }


def _without(evidence: Iterable[Evidence]) -> set[str]:
    """The metrics that lack something in this case, with the reason."""
    return {
        f"{piece.metric}: {reason}"
        for piece in evidence
        if isinstance(piece, Undecided) and piece.metric
        for reason in piece.reasons
    }


_COUNTS = (
    "questions",
    "calls",
    "cached",
    "prompt_tokens",
    "completion_tokens",
    "unparseable",
    "unavailable",
    "repeated",
    "flipped",
    "panels",
    "unanimous",
    "would_ask",
    "contradictions",
)


class JudgeCounts:
    """Running counts over the evidence of results.

    ``questions`` were put; ``calls`` were read, ``cached`` of them at hand; ``unparseable`` and
    ``unavailable`` got no verdict;
    ``repeated`` were asked more than once, and ``flipped`` with different verdicts; ``panels``
    were put to several judges, ``unanimous`` of them with one verdict;
    ``would_ask``: open, in a run that asks nobody.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = dict.fromkeys(_COUNTS, 0)

    def add(self, result: Result) -> None:
        """Count a result's evidence."""
        for piece in result.evidence:
            match piece:
                case Judged():
                    self._add_opinion(piece)
                case OpenQuestion():
                    self._counts["would_ask"] += 1
                case Contradicted():
                    self._counts["contradictions"] += 1

    def _add_opinion(self, opinion: Judged) -> None:
        counts = self._counts
        counts["questions"] += 1
        counts["calls"] += opinion.calls
        counts["cached"] += opinion.cached
        counts["prompt_tokens"] += opinion.tokens[0]
        counts["completion_tokens"] += opinion.tokens[1]
        counts["unparseable"] += Reason.JUDGE_UNPARSEABLE in opinion.reasons
        counts["unavailable"] += Reason.JUDGE_UNAVAILABLE in opinion.reasons
        votes = [vote for vote in opinion.repeats if vote is not None]
        counts["repeated"] += len(votes) > 1
        counts["flipped"] += len(set(votes)) > 1
        counts["panels"] += len(opinion.votes) > 1
        counts["unanimous"] += opinion.unanimous

    def totals(self) -> dict[str, int]:
        """The totals that are not zero."""
        return {name: value for name, value in self._counts.items() if value}
