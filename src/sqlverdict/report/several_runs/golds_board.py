"""Systems under several sets of golds: values, ranks that move, and the questions that move them.

Every set is a column: the same predictions, scored by other golds. All values are over the cases
that all runs have and that the set has a gold for. What differs between two sets, or between two
systems, is tested in pairs, on the cases that are scored on both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from msgspec import structs

from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.records import Fault, Result, Verdict
from sqlverdict.report.several_runs.comparison import choose_metric, differences_from_first
from sqlverdict.report.several_runs.golds_questions import GoldsQuestion, gold_questions
from sqlverdict.runlog.run import Run, system_names
from sqlverdict.score.deciding import VERDICT, counted_value, counted_verdict
from sqlverdict.score.estimates import Estimate, MetricValues
from sqlverdict.score.sessions import SessionTally
from sqlverdict.score.statistics.intervals import BOOTSTRAP_LIMIT
from sqlverdict.score.statistics.significance import PairedTest, binary_pairs, paired_bootstrap
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
class GoldsChange:
    """How another set of golds changes a system's value, on the cases scored under both."""

    measure: str
    golds: str
    system: str
    test: PairedTest
    gained: int
    lost: int
    scored_now: int
    unscored_now: int


@dataclass(frozen=True)
class RankSwap:
    """Two systems that change places: the difference between them under both sets.

    Attributes:
        measure: What ranks them.
        golds: The other set.
        first: The system that is better under the first set.
        second: The one that is better under the other.
        before: The first less the second, under the first set.
        after: The same under the other set.
    """

    measure: str
    golds: str
    first: str
    second: str
    before: PairedTest
    after: PairedTest


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

    def place(self, measure: str, golds: str, system: str) -> GoldsPlace:
        """The value of a system by a measure under a set."""
        return next(
            each
            for each in self.places
            if (measure_name(each.metric, each.policy), each.golds, each.system)
            == (measure, golds, system)
        )


@dataclass(frozen=True)
class _Measure:
    """A metric, or the verdict by a policy."""

    label: str
    policy: str
    binary: bool
    judged: bool

    @property
    def name(self) -> str:
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


_Values = dict[str, tuple[float | None, ...]]
"""The values of a run's cases, by id, in the order of the measures."""


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
    changes: list[GoldsChange] = []
    swaps: list[RankSwap] = []
    questions: list[GoldsQuestion] = []
    for at, column in list(enumerate(columns))[1:]:
        both = [case_id for case_id in common if case_id in ids[0] & ids[at]]
        changes += _changes(column.name, names, measures, values[0], values[at], both)
        swaps += _swaps(column.name, names, measures, places, (values[0], values[at]), ids, at)
        labels = [measure.name for measure in measures]
        questions += gold_questions(
            columns[0].runs,
            column.runs,
            names,
            (column.name, column.reasons, column.pairs),
            {case_id: _moves(labels, values[0], values[at], case_id) for case_id in both},
        )
    sets = [_gold_set(columns[0], column, names, common) for column in columns]
    return GoldsBoard(
        tuple(names),
        tuple(measure.name for measure in measures),
        tuple(sets),
        tuple(places),
        tuple(changes),
        tuple(swaps),
        tuple(questions),
        tuple(_notes(columns, values[0], names, common, measures)),
    )


def _measures(runs: Sequence[Run], metrics: Sequence[str]) -> Iterator[_Measure]:
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
            yield _Measure(label, "", binary, judged)
        elif _explain(runs):
            for policy in POLICIES:
                yield _Measure(label, policy, binary, judged)
        else:
            yield _Measure(label, "", binary, judged)


def _explain(runs: Iterable[Run]) -> bool:
    """Whether all runs looked for proofs and witnesses: their evidence serves every policy."""
    return all(run.manifest.policy != RESULTS.name for run in runs)


def _values(run: Run, measures: Sequence[_Measure]) -> _Values:
    return {
        result.id: tuple(
            counted_value(measure.seen(result), measure.label, binary=measure.binary)
            for measure in measures
        )
        for result in run.results()
    }


def _estimates(run: Run, measures: Sequence[_Measure], ids: set[str]) -> list[Estimate]:
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


def _changes(
    golds: str,
    names: Sequence[str],
    measures: Sequence[_Measure],
    before: Sequence[_Values],
    after: Sequence[_Values],
    ids: Sequence[str],
) -> Iterator[GoldsChange]:
    for at, measure in enumerate(measures):
        for name, old, new in zip(names, before, after, strict=True):
            pairs = [(old[case_id][at], new[case_id][at]) for case_id in ids]
            kinds = Counter(kind for one, two in pairs if (kind := change_kind(one, two)))
            test = _test(pairs, binary=measure.binary)
            yield GoldsChange(
                measure.name,
                golds,
                name,
                test,
                *(kinds[kind] for kind in ("gained", "lost", "scored_now", "unscored_now")),
            )


def change_kind(before: float | None, after: float | None) -> str:
    """How the value of a case changes; empty: it does not."""
    if before == after:
        return ""
    if before is None or after is None:
        return "scored_now" if before is None else "unscored_now"
    return "gained" if after > before else "lost"


def _moves(
    labels: Sequence[str], before: Sequence[_Values], after: Sequence[_Values], case_id: str
) -> dict[int, dict[str, str]]:
    """How a case changes: by the system's number, the kind of change by measure."""
    every = {
        number: {
            label: kind
            for label, one, two in zip(labels, old[case_id], new[case_id], strict=True)
            if (kind := change_kind(one, two))
        }
        for number, (old, new) in enumerate(zip(before, after, strict=True))
    }
    return {number: kinds for number, kinds in every.items() if kinds}


def _test(pairs: Iterable[tuple[float | None, float | None]], *, binary: bool) -> PairedTest:
    """The mean of the second less the first, over the pairs with both values."""
    differences = Counter(
        two - one for one, two in pairs if one is not None and two is not None
    )
    if binary:
        return binary_pairs(differences[-1.0], differences[1.0], differences.total())
    return paired_bootstrap(differences)


def _swaps(
    golds: str,
    names: Sequence[str],
    measures: Sequence[_Measure],
    places: Sequence[GoldsPlace],
    values: tuple[Sequence[_Values], Sequence[_Values]],
    ids: Sequence[set[str]],
    at: int,
) -> Iterator[RankSwap]:
    """The pairs of systems whose order turns round."""
    width = len(measures) * len(names)
    for number, measure in enumerate(measures):
        start = number * len(names)
        before = [each.value for each in places[start : start + len(names)]]
        start += at * width
        after = [each.value for each in places[start : start + len(names)]]
        for one, two in combinations(range(len(names)), 2):
            was, now = (_less(each[two], each[one]) for each in (before, after))
            if was == now or not was or not now:
                continue
            first, second = (one, two) if was > 0 else (two, one)
            tests = [
                _test(
                    (
                        (side[second][case_id][number], side[first][case_id][number])
                        for case_id in side[first]
                        if case_id in shared
                    ),
                    binary=measure.binary,
                )
                for side, shared in zip(values, (ids[0], ids[at]), strict=True)
            ]
            yield RankSwap(measure.name, golds, names[first], names[second], *tests)


def _less(one: float | None, other: float | None) -> int:
    """1 where the first is less, -1 where it is more, 0 where they are the same or unknown."""
    if one is None or other is None or one == other:
        return 0
    return 1 if one < other else -1


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
    values: Sequence[_Values],
    names: Sequence[str],
    common: Sequence[str],
    measures: Sequence[_Measure],
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
