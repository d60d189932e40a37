"""ETM's tables 1 to 3, its rules, and figures 7 and A1: its errors as the rules are added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlverdict.load.benchmarks.demo import build_databases
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.etm.errors import spider_evidence
from sqlverdict.papers.exhibit import Figure
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.load import load_schemas
from sqlverdict.prove.profile import rules_of
from sqlverdict.report.several_runs.contributions import (
    Contributions,
    contributions_chart,
    step_contributions,
)
from sqlverdict.runlog.run import Run

ALL = "rules of the profile"
PREPARING = tuple(f"P{number}" for number in range(9))
NUMBERED = tuple(str(number) for number in range(1, 27))
TABLES_1_TO_3 = {
    ("P0 to P8", "rules"): "9",
    ("1 to 26", "rules"): "26",
}
_MOST = 5
"""So many rules that move false negatives most are named."""


def rule_cells(data: PaperData) -> Iterator[PaperCell]:
    """How many of the paper's numbers have a rule, and which."""
    del data  # the rules are part of the package
    rules = rules_of("etm_paper").rules
    names: dict[str, list[str]] = {}
    for rule in rules:
        for number in rule.paper:
            names.setdefault(number, []).append(rule.name)
    for row, numbers in (("P0 to P8", PREPARING), ("1 to 26", NUMBERED)):
        yield PaperCell(row, "rules", sum(number in names for number in numbers))
    yield PaperCell(ALL, "rules", len(rules))
    for number in (*PREPARING, *NUMBERED):
        yield PaperCell(f"rule {number}", "rules", ", ".join(names.get(number, ())))


def spider_contributions(data: PaperData) -> Iterator[PaperCell | Figure]:
    """Figures 7 and A1 on Spider's development set."""
    runs = spider_evidence(data)
    schemas = load_schemas(data.path("spider", "database"))
    yield from _contributions(runs, schemas, "etm_contributions.svg", data)


def demo_contributions(data: PaperData) -> Iterator[PaperCell | Figure]:
    """The form of figure 7, on the demo."""
    runs = [run for run in data.demo_runs() if run.manifest.system == "careful"]
    schemas = load_schemas(build_databases())
    yield from _contributions(runs, schemas, "etm_contributions_demo.svg", data)


def _contributions(
    runs: Sequence[Run], schemas: Mapping[str, Schema], name: str, data: PaperData
) -> Iterator[PaperCell | Figure]:
    data.tell("add ETM's rules one by one")
    contributions = step_contributions(runs, schemas)
    yield Figure(name, contributions_chart(contributions))
    yield from _cells(contributions)


def _cells(contributions: Contributions) -> Iterator[PaperCell]:
    """FN with trees alone, with the preparing rules, with all; and the rules that matter most."""
    numbers = [step.number for step in contributions.steps]
    stages = {
        "FN, trees alone": 0,
        "FN, with P0 to P8": numbers.index(PREPARING[-1]),
        "FN, all rules": len(numbers) - 1,
    }
    for system in contributions.systems:
        missed = system.false_negatives
        for column, step in stages.items():
            yield PaperCell(
                system.system, column, 100 * system.rate(missed[step]), n=system.compared
            )
        accepted = system.false_positives[-1]
        yield PaperCell(
            system.system, "FP, all rules", 100 * system.rate(accepted), n=system.compared
        )
        gains = {number: missed[step] - missed[step + 1] for step, number in enumerate(numbers[1:])}
        most = sorted((n for n in gains if gains[n] > 0), key=lambda n: -gains[n])[:_MOST]
        yield PaperCell(system.system, "rules that lower FN most", ", ".join(most))
