"""What each rule of ETM contributes: its errors as the rules are added one by one.

ETM's figures 7 and A1. The first step compares syntax trees as they are; then the paper's rules
are added in its order: P0 to P8, 1 to 26. The reference is sound: a proof says that two queries
are equal, a witness or other rows on the real database that they differ, and every other case is
left out and counted. FN is the share of the compared cases that are equal and do not match, FP the
share that differ and match.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlverdict.errors import OptionName, UsageError
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.profile import rules_of
from sqlverdict.prove.proof import Derivation, NotProved
from sqlverdict.prove.prover import prove_queries
from sqlverdict.records import ParseResult, Result
from sqlverdict.report.charts.chart import Series, line_chart
from sqlverdict.report.several_runs.metric_errors import sound_label
from sqlverdict.report.terminal.tables import TextTable, percent, table
from sqlverdict.runlog.run import Run, system_names

PROFILE = "etm_paper"
TREES = "trees"
"""The first step: no numbered rule."""
_VISIBLE = 0.005
"""In the chart, rules whose step changes FN by so much are named."""


@dataclass(frozen=True)
class RuleStep:
    """The rules up to one of the paper's numbers.

    Attributes:
        number: The number that is added, such as ``P3`` or ``14``; ``trees`` before the first.
        rules: The rules of that number.
        without: The rules that are still switched off.
    """

    number: str
    rules: tuple[str, ...]
    without: frozenset[str]


@dataclass(frozen=True)
class SystemContributions:
    """One system's pairs under more and more rules.

    Attributes:
        system: The system.
        compared: Cases that the reference decides and whose schema is known.
        left_open: Cases that it does not decide.
        false_negatives: By step, how many equal pairs do not match.
        false_positives: By step, how many different pairs match.
    """

    system: str
    compared: int
    left_open: int
    false_negatives: tuple[int, ...]
    false_positives: tuple[int, ...]

    def rate(self, number: int) -> float:
        """A number of cases as a share of those that were compared."""
        return number / self.compared


@dataclass(frozen=True)
class Contributions:
    """Several systems under more and more rules."""

    steps: tuple[RuleStep, ...]
    systems: tuple[SystemContributions, ...]


def rule_steps() -> tuple[RuleStep, ...]:
    """The steps, in the order of the paper's numbers."""
    by_number: dict[str, list[str]] = {}
    for rule in rules_of(PROFILE).rules:
        for number in rule.paper[:1]:
            by_number.setdefault(number, []).append(rule.name)
    order = sorted(by_number, key=lambda number: (number[0] != "P", int(number.lstrip("P"))))
    off = frozenset(name for names in by_number.values() for name in names)
    steps = [RuleStep(TREES, (), off)]
    for number in order:
        off -= frozenset(by_number[number])
        steps.append(RuleStep(number, tuple(by_number[number]), off))
    return tuple(steps)


def step_contributions(runs: Sequence[Run], schemas: Mapping[str, Schema]) -> Contributions:
    """Count the errors of each step on the cases that the reference decides.

    Args:
        runs: One a system, with proofs and witnesses.
        schemas: The schemas by database.

    Raises:
        UsageError: a run has no case that can be compared.
    """
    steps = rule_steps()
    systems = []
    for system, run in zip(system_names(runs), runs, strict=True):
        misses, accepts = [0] * len(steps), [0] * len(steps)
        compared = left_open = 0
        for result in run.results():
            label, schema = sound_label(result), schemas.get(result.db_id)
            if label is None or schema is None:
                left_open += 1
                continue
            compared += 1
            for number, matches in enumerate(_matches(result, schema, steps)):
                misses[number] += label and not matches
                accepts[number] += matches and not label
        if not compared:
            raise UsageError(
                f"{run.folder} has no case with a schema that a proof or a witness decides. Give "
                "the schemas with ",
                OptionName("schema"),
                ", and evaluate with ",
                OptionName("prove", True),
                " ",
                OptionName("refute", "400"),
                " or with the metric verdict.",
            )
        systems.append(
            SystemContributions(system, compared, left_open, tuple(misses), tuple(accepts))
        )
    return Contributions(steps, tuple(systems))


def _matches(result: Result, schema: Schema, steps: Sequence[RuleStep]) -> list[bool]:
    """Whether the prediction matches a gold, step by step."""
    prediction = parse(result.prediction or "")
    by_gold = [_proved(parse(gold), prediction, schema, steps) for gold in result.gold]
    return [any(proved) for proved in zip(*by_gold, strict=True)]


def _proved(
    gold: ParseResult, prediction: ParseResult, schema: Schema, steps: Sequence[RuleStep]
) -> list[bool]:
    """Whether a pair matches, step by step.

    A rule that changes neither query can be switched off without any effect. So the last step is
    derived first, and an earlier one only where a rule is off that the derivation before has used.
    """
    proved: list[bool] = []
    used: frozenset[str] | None = None
    for step in reversed(steps):
        if used is None or used & step.without:
            derivation = prove_queries(
                gold, prediction, schema, profile=PROFILE, without=step.without
            )
            used = _used(derivation)
            matches = derivation.proved
        proved.append(matches)
    return proved[::-1]


def _used(derivation: Derivation) -> frozenset[str] | None:
    """The rules that changed a query; None where the derivation got to no form."""
    if isinstance(derivation, NotProved) and derivation.forms is None:
        return None
    return frozenset(derivation.rules)


def contributions_table(errors_by_step: Contributions) -> TextTable:
    """A row a step: FN and FP of each system, and which rules were added."""
    headers = ["rules up to"]
    for system in errors_by_step.systems:
        headers += [f"{system.system}: FN", "FP"]
    rows = []
    for number, step in enumerate(errors_by_step.steps):
        cells = []
        for system in errors_by_step.systems:
            cells += [
                percent(system.rate(system.false_negatives[number])),
                percent(system.rate(system.false_positives[number])),
            ]
        rows.append((step.number, *cells, ", ".join(_plain(name) for name in step.rules)))
    return table([*headers, "added"], rows, left=(0, len(headers)))


def _plain(name: str) -> str:
    return re.sub(r"^paper_", "", name).replace("_", " ")


def contributions_chart(errors_by_step: Contributions) -> str:
    """FN over the steps, a line per system; steps that change it visibly are named."""
    series = []
    for system in errors_by_step.systems:
        rates = [system.rate(number) for number in system.false_negatives]
        names = [""] + [
            step.number if abs(after - before) >= _VISIBLE else ""
            for step, before, after in zip(errors_by_step.steps[1:], rates, rates[1:], strict=False)
        ]
        points = [(float(number), rate) for number, rate in enumerate(rates)]
        series.append(Series(system.system, points, marks=True, names=names))
    prepared = sum(step.number.startswith("P") for step in errors_by_step.steps)
    return line_chart(
        "False negatives of ETM as its rules are added",
        "rules added, in the paper's order",
        "FN, share of the decided pairs",
        series,
        y_percent=True,
        verticals=[(float(prepared), "P0 to P8"), (float(len(errors_by_step.steps) - 1), "all")],
    )
