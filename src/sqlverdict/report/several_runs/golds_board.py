"""Systems under several sets of golds: values, ranks that move, and the questions that move them.

Every set is a column: the same predictions, scored by other golds. All values are over the cases
that all runs have and that the set has a gold for. What differs between two sets, or between two
systems, is tested in pairs, on the cases that are scored on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import structs

from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.records import Fault, Result, Verdict
from sqlverdict.report.several_runs.comparison import choose_metric, differences_from_first
from sqlverdict.report.several_runs.golds_changes import (
    CaseValues,
    GoldsChange,
    RankSwap,
    case_moves,
    rank_swaps,
    value_changes,
)
from sqlverdict.report.several_runs.golds_questions import GoldsQuestion, gold_questions
from sqlverdict.runlog.run import Run, system_names
from sqlverdict.score.deciding import VERDICT, counted_value, counted_verdict
from sqlverdict.score.estimates import Estimate, MetricValues
from sqlverdict.score.sessions import SessionTally
from sqlverdict.score.statistics.intervals import BOOTSTRAP_LIMIT
from sqlverdict.verdicts import POLICIES, RESULTS, decide_again

_VALUES = {Verdict.CORRECT: 1.0, Verdict.INCORRECT: 0.0}


@dataclass(frozen=True)
class GoldColumn:
    """A set of golds and the runs under it.

    Attributes:
        name: The set's name.
        file: Its file; empty: the golds that the runs were made with.
        runs: One run a system, in the order of all columns.
        lacking: Cases without a gold in the set: they are left out.
        reworded: Cases whose question it has in other words.
        reasons: Why golds were replaced, by case id.
        pairs: A run of its golds, as predictions, against the golds of the first column.
    """

    name: str
    file: str
    runs: tuple[Run, ...]
    lacking: tuple[str, ...] = ()
    reworded: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)
    pairs: Run | None = None


@dataclass(frozen=True)
class GoldSet:
    """What became of the golds of a set.

    Attributes:
        name: Its name in all tables.
        file: Its file; empty: the golds that the runs were made with.
        revision: The published revision that it is, in words; empty: none that is known.
        cases: Cases that all runs have and that it has a gold for.
        replaced: Cases whose gold differs from that of the first set.
        lacking: Common cases that it has no gold for; left out.
        reworded: Cases whose question it has in other words; the predictions answer the first.
        failed: Cases whose golds all fail, unscored.
        unavailable: Cases whose database is missing or cannot be opened, unscored.
        folders: The runs under it, by system.
    """

    name: str
    file: str
    revision: str
    cases: int
    replaced: tuple[str, ...]
    lacking: tuple[str, ...]
    reworded: tuple[str, ...]
    failed: tuple[str, ...]
    unavailable: tuple[str, ...]
    folders: Mapping[str, Path]


@dataclass(frozen=True, kw_only=True)
class GoldsPlace(Estimate):
    """A system under a set of golds.

    Attributes:
        policy: The policy of the verdict; empty for other metrics.
        golds: The set.
        system: The system.
        rank: 1 + the number of systems with a higher value; ``None``: nothing was scored.
    """

    policy: str
    golds: str
    system: str
    rank: int | None = None


@dataclass(frozen=True)
class GoldsBoard:
    """Every system under every set of golds and every policy."""

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    sets: tuple[GoldSet, ...]
    places: tuple[GoldsPlace, ...]
    changes: tuple[GoldsChange, ...]
    swaps: tuple[RankSwap, ...]
    questions: tuple[GoldsQuestion, ...]
    notes: tuple[str, ...] = ()

    def place_of(self, measure: str, golds: str, system: str) -> GoldsPlace:
        """The value of a system by a measure under a set."""
        return next(
            each
            for each in self.places
            if (measure_name(each.metric, each.policy), each.golds, each.system)
            == (measure, golds, system)
        )


@dataclass(frozen=True)
class GoldsMeasure:
    """A metric, or the verdict by a policy."""

    label: str
    policy: str
    binary: bool
    judged: bool

    @property
    def name(self) -> str:
        """Its name in tables."""
        return measure_name(self.label, self.policy)

    def seen(self, result: Result) -> Result:
        """The result as the policy has it."""
        if not self.policy:
            return result
        verdict = decide_again(result, POLICIES[self.policy], judged=self.judged)
        if not result.situation:
            return result
        return structs.replace(
            result, verdict=verdict, scores={**result.scores, VERDICT: _VALUES.get(verdict)}
        )


def measure_name(metric: str, policy: str) -> str:
    """``ex``, or ``verdict (strict)``."""
    return f"{metric} ({policy})" if policy else metric


def rank_golds(columns: Sequence[GoldColumn], metrics: Sequence[str] = ()) -> GoldsBoard:
    """Rank systems under several sets of golds.

    Args:
        columns: The sets, each with a run of every system; the first is what others are held
            against.
        metrics: Metrics of all runs; by default all that they have in common. The verdict stands
            there once by each policy, where the runs looked for proofs and witnesses.

    Raises:
        UsageError: there is no such metric, or the runs have no case in common.
    """
    runs = [run for column in columns for run in column.runs]
    names = system_names(columns[0].runs)
    measures = list(_measures(runs, metrics))
    values = [[_values(run, measures) for run in column.runs] for column in columns]
    common = [
        case_id
        for case_id in values[0][0]
        if all(case_id in each for column in values for each in column)
    ]
    if not common:
        raise UsageError("the runs have no case in common; compare runs of one benchmark")
    ids = [set(common) - {*column.lacking} for column in columns]
    places: list[GoldsPlace] = []
    for column, shared in zip(columns, ids, strict=True):
        estimates = [_estimates(run, measures, shared) for run in column.runs]
        for at, measure in enumerate(measures):
            own = [each[at] for each in estimates]
            places += (
                GoldsPlace(
                    **vars(estimate) | {"metric": measure.label},
                    policy=measure.policy,
                    golds=column.name,
                    system=name,
                    rank=_rank(estimate.value, [each.value for each in own]),
                )
                for name, estimate in zip(names, own, strict=True)
            )
    kinds = [(measure.name, measure.binary) for measure in measures]
    labels = [measure.name for measure in measures]
    changes: list[GoldsChange] = []
    swaps: list[RankSwap] = []
    questions: list[GoldsQuestion] = []
    for at, column in list(enumerate(columns))[1:]:
        both = [case_id for case_id in common if case_id in ids[0] & ids[at]]
        changes += value_changes(column.name, names, kinds, (values[0], values[at]), both)
        swaps += rank_swaps(
            column.name,
            names,
            kinds,
            [_means(places, measures, names, each.name) for each in (columns[0], column)],
            ((values[0], ids[0]), (values[at], ids[at])),
        )
        questions += gold_questions(
            columns[0].runs,
            column.runs,
            names,
            (column.name, column.reasons, column.pairs),
            {case_id: case_moves(labels, values[0], values[at], case_id) for case_id in both},
        )
    sets = [_gold_set(columns[0], column, names, common) for column in columns]
    return GoldsBoard(
        tuple(names),
        tuple(labels),
        tuple(sets),
        tuple(places),
        tuple(changes),
        tuple(swaps),
        tuple(questions),
        tuple(_notes(columns, values[0], names, common, measures)),
    )


def _measures(runs: Sequence[Run], metrics: Sequence[str]) -> Iterator[GoldsMeasure]:
    labels = dict.fromkeys(
        [choose_metric(runs, name) for name in metrics]
        or [
            label
            for label in runs[0].manifest.metrics
            if all(label in run.manifest.metrics for run in runs)
        ]
        or [choose_metric(runs, None)]
    )
    judged = any("judge" in run.manifest.stages for run in runs)
    for label in labels:
        binary = all(label in run.manifest.binary for run in runs)
        if label != VERDICT:
            yield GoldsMeasure(label, "", binary, judged)
        elif _explain(runs):
            for policy in POLICIES:
                yield GoldsMeasure(label, policy, binary, judged)
        else:
            yield GoldsMeasure(label, "", binary, judged)


def _explain(runs: Iterable[Run]) -> bool:
    """Whether all runs looked for proofs and witnesses: their evidence serves every policy."""
    return all(run.manifest.policy != RESULTS.name for run in runs)


def _values(run: Run, measures: Sequence[GoldsMeasure]) -> CaseValues:
    return {
        result.id: tuple(
            counted_value(measure.seen(result), measure.label, binary=measure.binary)
            for measure in measures
        )
        for result in run.results()
    }


def _estimates(run: Run, measures: Sequence[GoldsMeasure], ids: set[str]) -> list[Estimate]:
    """Each measure over some cases of a run, with the interval that its summary would have."""
    tallies = [
        (each, MetricValues(each.label, each.binary), SessionTally([each.label] * each.binary))
        for each in measures
    ]
    for result in run.results():
        if result.id not in ids:
            continue
        for measure, metric, sessions in tallies:
            seen = measure.seen(result)
            own = seen.scores.get(measure.label)
            metric.add(counted_verdict(seen, measure.label) if measure.binary else own)
            sessions.add(seen)
    seed = run.manifest.seed
    return [
        sessions.by_session(metric.estimate(seed, BOOTSTRAP_LIMIT))
        for _, metric, sessions in tallies
    ]


def _rank(value: float | None, values: Sequence[float | None]) -> int | None:
    if value is None:
        return None
    return 1 + sum(other is not None and other > value for other in values)


def _means(
    places: Sequence[GoldsPlace], measures: Sequence[GoldsMeasure], names: Sequence[str], golds: str
) -> list[list[float | None]]:
    """The values under a set: by measure, those of all systems."""
    own = iter([each.value for each in places if each.golds == golds])
    return [[next(own) for _ in names] for _ in measures]


def _gold_set(
    first: GoldColumn, column: GoldColumn, names: Sequence[str], common: Sequence[str]
) -> GoldSet:
    shared = set(common)
    before = {result.id: result.gold for result in first.runs[0].results()}
    replaced, failed, unavailable = [], [], []
    for result in column.runs[0].results():
        if result.id not in shared or result.id in column.lacking:
            continue
        if result.gold != before.get(result.id) and result.id not in first.lacking:
            replaced.append(result.id)
        if result.fault is Fault.GOLD:
            failed.append(result.id)
        elif result.fault is Fault.ENGINE:
            unavailable.append(result.id)
    return GoldSet(
        column.name,
        column.file,
        column.runs[0].manifest.revision,
        len(shared - {*column.lacking}),
        tuple(replaced),
        tuple(case_id for case_id in column.lacking if case_id in shared),
        tuple(case_id for case_id in column.reworded if case_id in shared),
        tuple(failed),
        tuple(unavailable),
        dict(zip(names, (run.folder for run in column.runs), strict=True)),
    )


def _notes(
    columns: Sequence[GoldColumn],
    values: Sequence[CaseValues],
    names: Sequence[str],
    common: Sequence[str],
    measures: Sequence[GoldsMeasure],
) -> Iterator[str]:
    for name, own in zip(names, values, strict=True):
        if beyond := len(own) - len(common):
            yield f"{count(beyond, 'case')} of {name} not in every run: left out"
    runs = columns[0].runs
    yield from differences_from_first(runs)
    if not any(measure.policy for measure in measures):
        yield (
            "the runs have no evidence for policies: evaluate with the metric verdict to see the "
            "systems by each"
        )
