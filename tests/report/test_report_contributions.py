"""What each rule of ETM contributes, and the errors of metrics by a sound reference."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest

from error_parts import asks_for
from sqlverdict.evidence import Evidence, Proved, Refuted, Related, Tested
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Result
from sqlverdict.report.several_runs.contributions import (
    contributions_chart,
    contributions_table,
    rule_steps,
    step_contributions,
)
from sqlverdict.report.several_runs.metric_errors import errors_table, metric_errors
from sqlverdict.runlog.run import Run

MakeRun = Callable[..., Run]
MakeResult = Callable[..., Result]

DDL = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL);"
SCHEMAS = {"shop": read_ddl(DDL, "shop")}
EQUAL: tuple[Evidence, ...] = (Proved("prove"),)
OPEN: tuple[Evidence, ...] = (Tested("compare"),)
WITNESS: tuple[Evidence, ...] = (Tested("compare"), Refuted("refute", grade="ordinary"))
OTHER_ROWS: tuple[Evidence, ...] = (Related("compare"),)
PAIRS = (
    # gold, prediction, evidence; the step from which on they match.
    ("SELECT name FROM item", "SELECT t.name FROM item AS t", EQUAL),  # P3
    ("SELECT count(*) FROM item", "SELECT count(name) FROM item", EQUAL),  # 6
    ("SELECT name FROM item WHERE price > 2", "SELECT name FROM item WHERE 2 < price", EQUAL),
    ("SELECT name FROM item", "SELECT price FROM item", OTHER_ROWS),
    ("SELECT name FROM item WHERE id = 1", "SELECT name FROM item WHERE id = '1'", WITNESS),  # 12
    ("SELECT name FROM item", "SELECT name FROM item LIMIT 9", OPEN),
)


@pytest.fixture
def run(make_run: MakeRun, make_result: MakeResult) -> Run:
    results = [
        make_result(n, gold=(gold,), prediction=prediction, evidence=evidence)
        for n, (gold, prediction, evidence) in enumerate(PAIRS)
    ]
    return make_run("mine", results)


def test_the_steps_are_the_papers_numbers_in_order() -> None:
    steps = rule_steps()
    numbers = [f"P{n}" for n in range(9)] + [str(n) for n in range(1, 27)]
    assert [step.number for step in steps] == ["trees", *numbers]
    assert len(steps[0].without) > len(steps[-1].without) == 0


def test_errors_fall_and_rise_with_the_rules(run: Run) -> None:
    result = step_contributions([run], SCHEMAS)
    (mine,) = result.systems
    assert (mine.compared, mine.left_open) == (5, 1)
    at = {step.number: n for n, step in enumerate(result.steps)}
    assert [mine.false_negatives[at[name]] for name in ("trees", "P3", "5", "6", "26")] == [
        3, 2, 2, 1, 1,
    ]  # fmt: skip
    assert [mine.false_positives[at[name]] for name in ("11", "12", "26")] == [0, 1, 1]
    assert contributions_table(result).rows[at["6"]][:3] == ("6", "20.0%", "0.0%")
    chart = ET.fromstring(contributions_chart(result))
    assert {"P3", "6"} <= {node.text for node in chart.iter()}


def test_cases_without_a_schema_are_left_out_and_none_at_all_is_an_error(run: Run) -> None:
    with asks_for("schema", "prove", "refute"):
        step_contributions([run], {})


def test_a_sound_reference_decides_by_proof_and_witness_alone(run: Run) -> None:
    result = metric_errors([run], ["ex"], reference="sound")
    (ex,) = result.errors
    # ``ex`` calls all six right; two of them differ, and one is open.
    assert (ex.n, ex.fp, ex.fn, ex.open) == (5, 2, 0, 1)
    assert errors_table(result).rows[0][-1] == "1"


def test_a_run_without_evidence_cannot_be_a_sound_reference(
    make_run: MakeRun, make_result: MakeResult
) -> None:
    bare = make_run("bare", [make_result(0, evidence=OPEN)])
    with asks_for("prove", "refute"):
        metric_errors([bare], ["ex"], reference="sound")
