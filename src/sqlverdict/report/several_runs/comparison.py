"""Two runs side by side: which cases changed, whether that is chance, and where."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.files.text import count
from sqlverdict.records import PredictionUsage, Result
from sqlverdict.report.one_run.case import prediction_text, separated_text
from sqlverdict.report.one_run.sections import USAGE_WORDS
from sqlverdict.report.several_runs.same_cases import DifferentCase, check_same_cases
from sqlverdict.report.terminal.tables import TextTable, amount, percent, table
from sqlverdict.runlog.missing_metric import missing_metric
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import VERDICT, counted_value, deciding_metric
from sqlverdict.score.estimates import UNLABELLED, difficulty_rank
from sqlverdict.score.metric import label_by_alias
from sqlverdict.score.statistics.pairing import PairedOutcome, paired
from sqlverdict.score.usage import QUANTITIES, UsageCounts, UsageFigures


@dataclass(frozen=True)
class Change:
    """A case whose value rose or fell.

    Attributes:
        before: Its result in run a.
        after: Its result in run b.
        value_before: Its value in run a.
        value_after: Its value in run b.
        metric: The label of the metric that has these values.
    """

    before: Result
    after: Result
    value_before: float
    value_after: float
    metric: str

    @property
    def worse(self) -> Result:
        """The result with the lower value, whose reasons explain the change."""
        return self.after if self.value_after < self.value_before else self.before

    @property
    def witness(self) -> str:
        """What a witness shows, where the results match and the verdict goes by the witness."""
        return separated_text(self.worse) if self.metric == VERDICT else ""

    def as_record(self) -> dict[str, Any]:
        """The change as plain values, for JSON."""
        case = self.after
        return {
            "id": case.id,
            "db_id": case.db_id,
            "difficulty": case.difficulty,
            "question": case.question,
            **case.turn_fields,
            "gold": case.gold,
            "before": prediction_text(self.before),
            "after": prediction_text(self.after),
            "value_before": self.value_before,
            "value_after": self.value_after,
            "reasons": self.worse.reasons,
            "witness": self.witness,
        }


@dataclass
class LevelChange:
    """Both runs over the cases of one difficulty that both could score."""

    key: str
    cases: int = 0
    before: float = 0.0
    after: float = 0.0
    gained: int = 0
    lost: int = 0

    def add(self, before: float, after: float) -> None:
        """Count one case; ``before`` and ``after`` are sums until :meth:`settle`."""
        self.cases += 1
        self.before += before
        self.after += after
        self.gained += after > before
        self.lost += after < before

    def settle(self) -> None:
        """Turn the sums into means."""
        self.before /= max(1, self.cases)
        self.after /= max(1, self.cases)


@dataclass(frozen=True)
class ComparedRuns:
    """How run b differs from run a.

    ``gained`` and ``lost`` hold the first few changes; ``outcome`` has all ids. ``usage_before``
    and ``usage_after`` are over the cases that both runs could score and whose usage both know.
    ``different_cases`` are those whose question or golds differ, where it is forced.
    """

    a: str
    b: str
    metric: str
    before: float | None
    after: float | None
    outcome: PairedOutcome
    levels: tuple[LevelChange, ...]
    gained: tuple[Change, ...]
    lost: tuple[Change, ...]
    notes: tuple[str, ...] = field(default=())
    usage_before: tuple[UsageFigures, ...] = ()
    usage_after: tuple[UsageFigures, ...] = ()
    different_cases: tuple[DifferentCase, ...] = ()

    def as_record(self) -> dict[str, Any]:
        """The comparison as plain values, for JSON."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        changes = {name: [one.as_record() for one in plain[name]] for name in ("gained", "lost")}
        return plain | changes


def choose_metric(runs: Sequence[Run], name: str | None) -> str:
    """A metric that all runs have: the one asked for, by any of its names, else what decides.

    Raises:
        UsageError: there is none.
    """
    common = [
        label
        for label in runs[0].manifest.metrics
        if all(label in run.manifest.metrics for run in runs)
    ]
    if name is None and common:
        binary = [label for label in common if all(label in run.manifest.binary for run in runs)]
        return deciding_metric(common, binary) or common[0]
    label, _ = label_by_alias(name or "", common)
    if label in common:
        return label
    if name is not None:
        raise UsageError(missing_metric(name, [(run.folder, run.manifest) for run in runs]))
    had = "; ".join(f"{run.folder} has {', '.join(run.manifest.metrics)}" for run in runs)
    raise UsageError(
        f"the runs have no metric in common: {had}. Evaluate with ",
        OptionName("metrics"),
        " as needed.",
    )


def named_otherwise(names: Iterable[str | None], labels: Iterable[str]) -> list[str]:
    """What should be said about metrics that were asked for by other names."""
    pairs = zip(names, labels, strict=True)
    notes = (label_by_alias(name, [label])[1] for name, label in pairs if name is not None)
    return [note for note in notes if note]


def compare_runs(
    a: Run, b: Run, metric: str | None = None, *, limit: int = 10, force: bool = False
) -> ComparedRuns:
    """Compare two runs case by case, over the cases that both could score.

    Args:
        a: The earlier run, or the baseline.
        b: The run that is held against it.
        metric: A label that both have; by default the one that decides.
        limit: How many changes of each kind to return with their texts.
        force: Pair cases by id even where their questions or golds differ.

    Raises:
        UsageError: the runs have no such metric in common, or no case, or cases of one id differ.
    """
    label = choose_metric([a, b], metric)
    binary = label in a.manifest.binary and label in b.manifest.binary
    forced = check_same_cases([a, b], force=force)
    outcome = paired(a.results(), b.results(), label, binary=binary or None)
    if not outcome.common:
        raise UsageError(
            f"{a.folder} and {b.folder} have no case in common; compare runs of one benchmark"
        )
    gained, lost = outcome.gained[:limit], outcome.lost[:limit]
    whole = LevelChange("all")
    levels: dict[str, LevelChange] = {}
    changes: dict[str, Change] = {}
    changed_ids = {*gained, *lost}
    usage_before, usage_after = UsageCounts(), UsageCounts()
    for old, new in _pairs(a, b, changed_ids):
        before, after = (counted_value(each, label, binary=binary) for each in (old, new))
        if before is None or after is None:
            continue
        key = new.difficulty or UNLABELLED
        for level in (whole, levels.setdefault(key, LevelChange(key))):
            level.add(before, after)
        shared = _shared_usage(old.usage, new.usage)
        usage_before.add(shared[0], before == 1.0)
        usage_after.add(shared[1], after == 1.0)
        if new.id in changed_ids:
            changes[new.id] = Change(old, new, before, after, label)
    for level in (whole, *levels.values()):
        level.settle()
    return ComparedRuns(
        a=_name(a, b),
        b=_name(b, a),
        metric=label,
        before=whole.before if whole.cases else None,
        after=whole.after if whole.cases else None,
        outcome=outcome,
        levels=tuple(
            sorted(levels.values(), key=lambda each: (difficulty_rank(each.key), each.key))
        )
        if len(levels) > 1
        else (),
        gained=tuple(changes[case_id] for case_id in gained),
        lost=tuple(changes[case_id] for case_id in lost),
        notes=(*forced.notes, *named_otherwise([metric], [label]), *_notes(a, b, outcome)),
        usage_before=usage_before.figures(),
        usage_after=usage_after.figures(),
        different_cases=forced.different,
    )


def compared_usage_table(compared: ComparedRuns) -> TextTable:
    """What both runs spent, side by side."""
    pairs = zip(compared.usage_before, compared.usage_after, strict=True)
    rows = [
        (
            USAGE_WORDS[before.quantity],
            f"{before.known:,}",
            *map(amount, (before.mean, after.mean, before.per_right, after.per_right)),
        )
        for before, after in pairs
    ]
    right = [f"{name}, per right answer" for name in (compared.a, compared.b)]
    means = [f"{name}, mean" for name in (compared.a, compared.b)]
    return table(("usage", "cases", *means, *right), rows)


def _shared_usage(
    a: PredictionUsage | None, b: PredictionUsage | None
) -> tuple[PredictionUsage, PredictionUsage]:
    """Of both, the quantities that both know."""
    known = {name: (getattr(a, name, None), getattr(b, name, None)) for name in QUANTITIES}
    shared = {name: values for name, values in known.items() if None not in values}
    first = PredictionUsage(**{name: values[0] for name, values in shared.items()})
    return first, PredictionUsage(**{name: values[1] for name, values in shared.items()})


_DECIDING_STAGES = {
    "policy": "the policy of the verdict (policy)",
    "no_sql": "what a reply without SQL counts as (no_sql)",
    "tag": "the tag that holds the answer (tag)",
    "keys": "how primary keys are read",
    "now": "the moment of the clock (now)",
}
"""Stages of a manifest that change what the same prediction is worth."""
_UNNAMED = {"policy": "results", "no_sql": "wrong"}
"""What a manifest without the stage means."""


def differences(a: Run, b: Run) -> list[str]:
    """What else differs between two runs than the predictions: each makes a comparison weaker."""
    notes = []
    ours, theirs = a.manifest, b.manifest
    inputs_a = {name: digest for name, digest in ours.inputs.items() if name != "predictions"}
    inputs_b = {name: digest for name, digest in theirs.inputs.items() if name != "predictions"}
    if inputs_a != inputs_b and "cases" not in inputs_a | inputs_b:
        notes.append("the two runs read different benchmark files")
    if ours.engine != theirs.engine:
        notes.append(f"the engine differs: {ours.engine} and {theirs.engine}")
    elif ours.engine_version != theirs.engine_version:
        versions = f"{ours.engine_version} and {theirs.engine_version}"
        notes.append(f"the engine's version differs: {versions}")
    if ours.limits != theirs.limits:
        notes.append("the limits of a query differ")
    if ours.sqlverdict != theirs.sqlverdict:
        notes.append(f"the toolkit's version differs: {ours.sqlverdict} and {theirs.sqlverdict}")
    for stage, words in _DECIDING_STAGES.items():
        unnamed = _UNNAMED.get(stage, "none")
        one, other = (each.stages.get(stage, unnamed) for each in (ours, theirs))
        if one != other:
            notes.append(f"{words} differs: {one} and {other}")
    notes += [
        f"the definition of {label} differs (version of the metric)"
        for label, version in ours.metrics.items()
        if theirs.metrics.get(label, version) != version
    ]
    shared = ours.databases.keys() & theirs.databases.keys()
    changed = sorted(name for name in shared if ours.databases[name] != theirs.databases[name])
    if changed:
        notes.append(
            f"{count(len(changed), 'database differs', 'databases differ')}; the first is "
            f"{changed[0]!r}"
        )
    return notes


def differences_from_first(runs: Sequence[Run]) -> list[str]:
    """What else differs between several runs than the predictions, each note once."""
    first, *others = runs
    return list(dict.fromkeys(note for other in others for note in differences(first, other)))


def _notes(a: Run, b: Run, outcome: PairedOutcome) -> Iterator[str]:
    yield from differences(a, b)
    for ids, run in ((outcome.only_in_a, a), (outcome.only_in_b, b)):
        if ids:
            yield f"{count(len(ids), 'case')} only in {run.folder}, first {ids[0]!r}: left out"
    if outcome.unscored:
        yield f"{count(len(outcome.unscored), 'case')} unscored in one of the runs: left out"
    for run in (a, b):
        own = run.estimate(outcome.metric)
        if own.scored > outcome.test.pairs:
            yield (
                f"{run.manifest.system} has {percent(own.value)} over all of the "
                f"{count(own.scored, 'case')} that it scores"
            )


def _pairs(a: Run, b: Run, whole_ids: Collection[str]) -> Iterator[tuple[Result, Result]]:
    """The common cases; of run a only the scores are kept, and all of the wanted cases."""
    before: dict[str, Result] = {}
    for result in a.results():
        before[result.id] = result if result.id in whole_ids else _lean(result)
    for result in b.results():
        old = before.pop(result.id, None)
        if old is not None:
            yield old, result


def _lean(result: Result) -> Result:
    return Result(
        *(result.index, result.id, "", "", (), None, result.abstained, result.verdict),
        fault=result.fault,
        answerable=result.answerable,
        scores=result.scores,
        usage=result.usage,
    )


def _name(run: Run, other: Run) -> str:
    """The system's name, or the folder where both have the same name."""
    same = run.manifest.system == other.manifest.system
    return str(run.folder) if same else run.manifest.system
