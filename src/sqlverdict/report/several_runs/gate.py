"""A gate for CI: conditions that a run must meet, each with what was found.

A gate fails closed: a case that was right in the baseline and is unscored or absent now is a
regression, and a metric that scored nothing meets no minimum.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.estimate.gate import AccuracyGate
from sqlverdict.files.text import count
from sqlverdict.records import Verdict
from sqlverdict.report.several_runs.comparison import choose_metric, differences, named_otherwise
from sqlverdict.report.several_runs.flips import Flips, find_flips
from sqlverdict.report.several_runs.gate_rules import NOISE, Allowance, Rules
from sqlverdict.report.several_runs.same_cases import DifferentCase, check_same_cases
from sqlverdict.report.terminal.tables import percent, points, short
from sqlverdict.runlog.missing_metric import missing_metric
from sqlverdict.runlog.run import Run
from sqlverdict.score.deciding import VERDICT, reasons_by
from sqlverdict.score.metric import label_by_alias

_MOST_LOST = 10
TOO_FEW_LABELS = 7
"""The exit code of a gate that lacks labels and nothing else."""


@dataclass(frozen=True)
class GateCondition:
    """One condition, and whether the run meets it."""

    name: str
    actual: str
    required: str
    passed: bool
    detail: tuple[str, ...] = ()
    is_open: bool = False
    """Whether too little is known to tell."""
    next_step: str = ""
    """What to do where it is not met, such as the command that shows the cases."""
    accuracy: AccuracyGate | None = None
    """Of the accuracy by labels: the bound, the minimum and the number of labels."""
    notes: tuple[str, ...] = ()
    """What weakens it."""


@dataclass(frozen=True)
class GateReport:
    """What a gate says; the printed result and the exit code both come from here."""

    conditions: tuple[GateCondition, ...]
    notes: tuple[str, ...] = ()
    flips: tuple[Flips, ...] = ()
    decided_by: tuple[str, ...] = ()
    """By what the cases are right or wrong, a sentence for each metric that a condition reads."""
    different_cases: tuple[DifferentCase, ...] = ()
    """The cases whose question or golds differ from the baseline's, where it is forced."""

    @property
    def passed(self) -> bool:
        """Whether every condition is met."""
        return all(condition.passed for condition in self.conditions)

    @property
    def exit_code(self) -> int:
        """0, or 1 where a condition is not met, or 7 where too little is known to tell."""
        missed = [condition for condition in self.conditions if not condition.passed]
        if not missed:
            return 0
        return TOO_FEW_LABELS if all(condition.is_open for condition in missed) else 1


def check_run(
    run: Run,
    rules: Rules,
    baselines: Sequence[Run] = (),
    *,
    accuracy: GateCondition | None = None,
    force: bool = False,
) -> GateReport:
    """Hold a run against its rules.

    Args:
        run: The run.
        rules: What it must meet.
        baselines: One run of the baseline, or several of the same system: these show its noise.
        accuracy: What people's labels say of the run, where a minimum accuracy is asked for.
        force: Pair cases by id even where their questions or golds differ.

    Raises:
        UsageError: there is nothing to check, no baseline to check against, or the run has no
            such metric; or cases of one id differ between the two, and it is not forced.
    """
    if accuracy is None or baselines or rules.need_baseline:
        _check_rules(rules, baselines)
    names = [*rules.minimums, *rules.metrics]
    rules = _with_labels(run, rules)
    notes = named_otherwise(names, [*rules.minimums, *rules.metrics])
    conditions = [_minimum(run, label, least) for label, least in rules.minimums.items()]
    if accuracy is not None:
        conditions.append(accuracy)
        notes += accuracy.notes
    if rules.maximums or rules.max_unscored is not None:
        counts = _counts(run)
        conditions += [_maximum(run, word, most, counts) for word, most in rules.maximums.items()]
        if rules.max_unscored is not None:
            conditions.append(_unscored(run, rules.max_unscored, counts))
    words = [run.deciding] if rules.maximums and run.deciding is not None else []
    if not baselines:
        decided_by = _deciding_sentences(run, [*rules.minimums, *words])
        return GateReport(tuple(conditions), tuple(notes), decided_by=decided_by)
    runs = [run, *baselines]
    forced = check_same_cases([*baselines, run], force=force)
    notes += forced.notes
    flips: list[Flips] = []
    for label in rules.metrics or tuple(rules.minimums) or (choose_metric(runs, None),):
        choose_metric(runs, label)
        flips.append(find_flips(run, baselines, label))
        conditions += _against(run, flips[-1], rules)
        notes += _noise_notes(flips[-1])
    notes += dict.fromkeys(note for each in baselines for note in differences(each, run))
    labels = [*rules.minimums, *words, *(each.label for each in flips)]
    decided_by = _deciding_sentences(run, labels)
    return GateReport(tuple(conditions), tuple(notes), tuple(flips), decided_by, forced.different)


_LUCK = ": a match by luck counts as right"
_BY_POLICY = {
    "results": "as by ex, a match by luck counts as right",
    "strict": "a match by luck, which a witness refutes, counts as wrong",
    "intent": "a match by luck counts as right, and what is open needs review",
}


def _deciding_sentences(run: Run, labels: Sequence[str]) -> tuple[str, ...]:
    """By what each metric calls a case right."""
    policy = run.manifest.policy
    return tuple(
        f"verdict goes by the policy {policy}: {_BY_POLICY.get(policy, 'see its situations')}"
        if label == VERDICT
        else f"{label} goes by no policy{_LUCK if label.partition('[')[0] == 'ex' else ''}"
        for label in dict.fromkeys(labels)
    )


def _check_rules(rules: Rules, baselines: Sequence[Run]) -> None:
    if rules.need_baseline and not baselines:
        raise UsageError(
            OptionName("no_regressions"),
            ", ",
            OptionName("max_regressions"),
            " and ",
            OptionName("max_drop"),
            " need a ",
            OptionName("baseline"),
            " to compare with",
        )
    if baselines and not rules.need_baseline:
        raise UsageError(
            OptionName("baseline"),
            " is given, but nothing uses it: add ",
            OptionName("no_regressions"),
            " or ",
            OptionName("max_drop"),
        )
    folders = [each.folder.resolve() for each in baselines]
    if len(set(folders)) < len(folders):
        raise UsageError(
            OptionName("baseline", str(baselines[-1].folder)),
            " is given twice; give different runs of one system",
        )
    if rules.need_noise and len(baselines) < 2:
        raise UsageError(
            "'noise' is how much runs of the baseline differ: give ",
            OptionName("baseline"),
            " at least twice, with runs of the same system",
        )
    if not (rules.need_baseline or rules.minimums or rules.maximums) and rules.max_unscored is None:
        raise UsageError(
            "nothing to check: give ",
            OptionName("min"),
            ", ",
            OptionName("max"),
            ", ",
            OptionName("max_unscored"),
            ", or ",
            OptionName("baseline"),
            " with ",
            OptionName("no_regressions"),
            " or ",
            OptionName("max_drop"),
        )


def _with_labels(run: Run, rules: Rules) -> Rules:
    """The rules with the run's own labels for its metrics, which may have other names."""
    known = run.manifest.metrics
    labels_by_name = {
        name: label_by_alias(name, known)[0] for name in (*rules.minimums, *rules.metrics)
    }
    unknown = [name for name, label in labels_by_name.items() if label not in known]
    if unknown:
        raise UsageError(missing_metric(unknown[0], [(run.folder, run.manifest)]))
    labels = [labels_by_name[name] for name in rules.minimums]
    repeated = [label for label in labels if labels.count(label) > 1]
    if repeated:
        raise UsageError(
            OptionName("min"),
            f" names {repeated[0]!r} twice, by different names; give one minimum a metric",
        )
    minimums = {labels_by_name[name]: least for name, least in rules.minimums.items()}
    return replace(
        rules, minimums=minimums, metrics=tuple(labels_by_name[name] for name in rules.metrics)
    )


def _minimum(run: Run, label: str, least: float) -> GateCondition:
    estimate = run.estimate(label)
    passed = estimate.value is not None and estimate.value >= least
    actual = percent(estimate.value, 2) if estimate.value is not None else "no case scored"
    detail = f"{count(estimate.scored, 'case')} scored, {estimate.unscored:,} unscored"
    required = f"{round(least * 100, 6):g}%"
    name = f"{label} at least {required}"
    step = show_cases(run, verdict=Verdict.INCORRECT) if label == run.deciding else ""
    return GateCondition(name, actual, f"≥ {required}", passed, (detail,), next_step=step)


def show_cases(run: Run, *ids: str, **options: str) -> str:
    """The command that shows some cases of a run."""
    words = (word for name, value in options.items() for word in OptionName(name, value).words)
    return shlex.join(["sqlverdict", "show", str(run.folder), *ids, *words])


def _counts(run: Run) -> Mapping[str, int]:
    """How many cases have each verdict and each reason, as reports call them, from the log."""
    counts: Counter[str] = Counter()
    for result in run.results():
        counts[str(run.verdict(result))] += 1
        counts.update(map(str, dict.fromkeys(reasons_by(result, run.deciding))))
    return counts


def _maximum(run: Run, word: str, allowed: Allowance, counts: Mapping[str, int]) -> GateCondition:
    actual, cases = counts.get(word, 0), run.summary.cases
    return GateCondition(
        f"at most {allowed} {word}",
        f"{actual:,} of {cases:,}",
        f"≤ {allowed}",
        actual <= allowed.most(cases),
        next_step=show_cases(run, **{"verdict" if word in list(Verdict) else "reason": word}),
    )


def _unscored(run: Run, allowed: Allowance, counts: Mapping[str, int]) -> GateCondition:
    faults = tuple(f"{fault}: {number:,}" for fault, number in run.summary.faults.items())
    return replace(_maximum(run, str(Verdict.UNSCORED), allowed, counts), detail=faults)


def _against(run: Run, flips: Flips, rules: Rules) -> Iterator[GateCondition]:
    if rules.max_regressions is not None:
        yield _regressions(run, flips, rules)
    if rules.max_drop is None:
        return
    drop, noisy = flips.drop, rules.max_drop == NOISE
    most = flips.noise_drop if rules.max_drop == NOISE else rules.max_drop
    points_text = f"{round((most or 0.0) * 100, 2):g}"
    by_noise = f", the noise of {count(flips.baselines, 'run')}" if noisy else ""
    yield GateCondition(
        f"{flips.label} falls by at most {points_text} points{by_noise}",
        f"{points(-drop)} points" if drop is not None else "no common case scored",
        f"≥ -{points_text}",
        drop is not None and most is not None and drop <= most,
        (f"over {count(flips.pairs, 'case')} scored in both runs",),
    )


def _regressions(run: Run, flips: Flips, rules: Rules) -> GateCondition:
    lost = flips.lost
    if rules.max_regressions == NOISE:
        most, noise = flips.noise_lost or 0, f", the noise of {count(flips.baselines, 'run')}"
    else:
        allowed = rules.max_regressions or Allowance(number=0)
        most, noise = allowed.most(flips.right_before), ""
    lines = [
        f"{case.id}: {case.why}. {short(case.question)}" if case.after else f"{case.id}: {case.why}"
        for case in lost[:_MOST_LOST]
    ]
    ids = [case.id for case in lost[:_MOST_LOST] if case.after]
    more = [f"and {len(lost) - _MOST_LOST:,} more"] if len(lost) > _MOST_LOST else []
    name = f"at most {count(most, 'regression')}{noise}" if most or noise else "no regressions"
    return GateCondition(
        f"{name} in {flips.label}",
        f"{count(len(lost), 'case')} lost" if lost else "none lost",
        f"≤ {most:,}" if most else "0",
        len(lost) <= most,
        (*lines, *more),
        next_step=show_cases(run, *ids) if ids else "",
    )


def _noise_notes(flips: Flips) -> Iterator[str]:
    if flips.baselines < 2:
        return
    if flips.unsteady:
        yield (
            f"{count(len(flips.unsteady), 'case')} not right now, on which the runs of the "
            f"baseline disagree in {flips.label}: noise, not a regression"
        )
    if not flips.noise_lost and not flips.noise_drop:
        yield f"the runs of the baseline agree on every case in {flips.label}: they show no noise"
