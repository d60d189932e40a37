"""A gate for CI: conditions that a run must meet, each with what was found.

A gate fails closed: a case that was right in the baseline and is unscored or absent now counts
against ``--no-regressions``, and a metric that scored nothing meets no minimum.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from sqlverdict.errors import UsageError
from sqlverdict.files.text import count
from sqlverdict.records import Verdict
from sqlverdict.report.several_runs.comparison import choose_metric, differences, named_otherwise
from sqlverdict.report.several_runs.same_cases import check_same_cases
from sqlverdict.report.terminal.tables import percent, points, short
from sqlverdict.runlog.run import Run
from sqlverdict.score.aliases import label_of
from sqlverdict.score.statistics.pairing import RIGHT

_MOST_LOST = 10

UNBOUNDED = frozenset({"ves", "r_ves"})
"""Metrics that may be above 1."""


@dataclass(frozen=True)
class Allowance:
    """How many cases may be so: a number, or a share of all."""

    number: int | None = None
    share: float | None = None

    def most(self, cases: int) -> int:
        """The largest number that is still allowed."""
        return self.number if self.number is not None else math.floor((self.share or 0.0) * cases)

    def __str__(self) -> str:
        return f"{self.number:,}" if self.number is not None else f"{(self.share or 0) * 100:g}%"


@dataclass(frozen=True)
class Rules:
    """What a run must meet.

    Attributes:
        minimums: The least value of a metric, by label.
        no_regressions: No case that is right in the baseline is not right now.
        max_drop: How far a metric may fall below the baseline, as a fraction.
        max_unscored: How many cases may be unscored.
        metrics: The metrics that are held against the baseline; empty: those with a minimum,
            else the run's first.
    """

    minimums: Mapping[str, float] = field(default_factory=dict)
    no_regressions: bool = False
    max_drop: float | None = None
    max_unscored: Allowance | None = None
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True)
class GateCondition:
    """One condition, and whether the run meets it."""

    name: str
    actual: str
    required: str
    passed: bool
    detail: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdicts:
    """What a gate says; the printed result and the exit code both come from here."""

    conditions: tuple[GateCondition, ...]
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every condition is met."""
        return all(condition.passed for condition in self.conditions)

    @property
    def exit_code(self) -> int:
        """0, or 1 where a condition is not met."""
        return 0 if self.passed else 1


def parse_minimum(text: str) -> tuple[str, float]:
    """Read ``ex[bird]=0.60`` or ``ex=60%``.

    Raises:
        UsageError: it is neither, or a fraction above 1 of a metric that has none.
    """
    label, sign, number = (part.strip() for part in text.rpartition("="))
    value = _number(number)
    if sign and value is not None and value > 1 and label.partition("[")[0] not in UNBOUNDED:
        raise UsageError(
            f"--min {text!r}: {label} lies between 0 and 1. Write {label}={number.rstrip('%')}% "
            f"or {label}={value / 100:g}"
            if value <= 100 and not number.endswith("%")
            else f"--min {text!r}: {label} lies between 0 and 1, that is 0% and 100%"
        )
    if not sign or not label or value is None:
        raise UsageError(f"--min {text!r}: expected METRIC=VALUE such as ex[bird]=0.60 or ex=60%")
    return label, value


def parse_drop(text: str) -> float:
    """Read how far a metric may fall: ``0.01`` or ``1%``, both one percentage point.

    Raises:
        UsageError: it is neither, or negative.
    """
    value = _number(text)
    if value is None or not 0 <= value <= 1:
        raise UsageError(f"--max-drop {text!r}: expected a fraction such as 0.01, or 1%")
    return value


def parse_allowance(text: str) -> Allowance:
    """Read ``5`` (cases) or ``2%`` (of all cases).

    Raises:
        UsageError: it is neither.
    """
    if re.fullmatch(r"\d+", text.strip()):
        return Allowance(number=int(text))
    share = _number(text) if text.strip().endswith("%") else None
    if share is None or not 0 <= share <= 1:
        raise UsageError(f"--max-unscored {text!r}: expected a number of cases, or a share like 2%")
    return Allowance(share=share)


def check_run(
    run: Run, rules: Rules, baseline: Run | None = None, *, force: bool = False
) -> Verdicts:
    """Hold a run against its rules.

    Raises:
        UsageError: there is nothing to check, no baseline to check against, or the run has no
            such metric; or cases of one id differ between the two, and it is not forced.
    """
    against = rules.no_regressions or rules.max_drop is not None
    if against and baseline is None:
        raise UsageError("--no-regressions and --max-drop need a --baseline to compare with")
    if baseline is not None and not against:
        raise UsageError(
            "--baseline is given, but nothing uses it: add --no-regressions or --max-drop"
        )
    if not (against or rules.minimums or rules.max_unscored is not None):
        raise UsageError(
            "nothing to check: give --min, --max-unscored, or --baseline with --no-regressions "
            "or --max-drop"
        )
    names = [*rules.minimums, *rules.metrics]
    rules = _with_labels(run, rules)
    notes = named_otherwise(names, [*rules.minimums, *rules.metrics])
    conditions = [_minimum(run, label, least) for label, least in rules.minimums.items()]
    if rules.max_unscored is not None:
        conditions.append(_unscored(run, rules.max_unscored))
    if baseline is None:
        return Verdicts(tuple(conditions), tuple(notes))
    forced = check_same_cases([baseline, run], force=force)
    for label in rules.metrics or tuple(rules.minimums) or (choose_metric([run, baseline], None),):
        choose_metric([run, baseline], label)
        conditions += _against(run, baseline, label, rules)
    return Verdicts(tuple(conditions), (*notes, *forced, *differences(baseline, run)))


def _with_labels(run: Run, rules: Rules) -> Rules:
    """The rules with the run's own labels for its metrics, which may have other names."""
    known = run.manifest.metrics
    labels_by_name = {name: label_of(name, known)[0] for name in (*rules.minimums, *rules.metrics)}
    unknown = [name for name, label in labels_by_name.items() if label not in known]
    if unknown:
        raise UsageError(
            f"the run in {run.folder} has no metric {unknown[0]!r}; it has "
            f"{', '.join(known)}. Evaluate it with --metrics '{unknown[0]}'."
        )
    labels = [labels_by_name[name] for name in rules.minimums]
    repeated = [label for label in labels if labels.count(label) > 1]
    if repeated:
        raise UsageError(
            f"--min names {repeated[0]!r} twice, by different names; give one minimum a metric"
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
    return GateCondition(f"{label} at least {required}", actual, f"≥ {required}", passed, (detail,))


def _unscored(run: Run, allowed: Allowance) -> GateCondition:
    unscored = run.summary.verdicts.get(Verdict.UNSCORED, 0)
    passed = unscored <= allowed.most(run.summary.cases)
    faults = tuple(f"{fault}: {number:,}" for fault, number in run.summary.faults.items())
    return GateCondition(
        f"at most {allowed} unscored",
        f"{unscored:,} of {run.summary.cases:,}",
        f"≤ {allowed}",
        passed,
        faults,
    )


def _against(run: Run, baseline: Run, label: str, rules: Rules) -> Iterator[GateCondition]:
    before = {result.id: result.scores.get(label) for result in baseline.results()}
    lost: list[str] = []
    absent = dict(before)
    pairs = total_before = total_after = 0.0
    for result in run.results():
        old, new = absent.pop(result.id, None), result.scores.get(label)
        if old is not None and old >= RIGHT and (new is None or new < RIGHT):
            why = "unscored now" if new is None else ", ".join(result.reasons) or "wrong now"
            lost.append(f"{result.id}: {why}. {short(result.question)}")
        if old is not None and new is not None:
            pairs += 1
            total_before += old
            total_after += new
    lost += [f"{key}: not in this run" for key, old in absent.items() if (old or 0.0) >= RIGHT]
    if rules.no_regressions:
        more = (f"and {len(lost) - _MOST_LOST:,} more",) if len(lost) > _MOST_LOST else ()
        actual = f"{count(len(lost), 'case')} lost" if lost else "none lost"
        yield GateCondition(
            f"no regressions in {label}", actual, "0", not lost, (*lost[:_MOST_LOST], *more)
        )
    if rules.max_drop is not None:
        drop = (total_before - total_after) / pairs if pairs else None
        yield GateCondition(
            f"{label} falls by at most {rules.max_drop * 100:g} points",
            f"{points(-drop)} points" if drop is not None else "no common case scored",
            f"≥ {-rules.max_drop * 100:g}",
            drop is not None and drop <= rules.max_drop,
            (f"over {count(int(pairs), 'case')} scored in both runs",),
        )


def _number(text: str) -> float | None:
    """A fraction, written as such or in percent."""
    text = text.strip()
    try:
        value = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
