"""Proofs in the log of a run: what each step changes, done again by the checker."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.evidence import Proved, Undecided
from sqlverdict.evidence_parts import StageFailure, StepChange
from sqlverdict.prove.proof import Proof, Step
from sqlverdict.records import Case, Query, Result
from sqlverdict.report.one_run.case import evidence_lines

MakeCase = Callable[..., Case]
GOLD = "SELECT name FROM city WHERE mayor >= 3"
SAME = "SELECT name FROM city WHERE NOT mayor < 3"


def examined(case: Case, sql: str, metrics: str) -> Result:
    (result,) = evaluate(
        [case], {case.id: sql}, options=Options(metrics, workers=0, cache=None)
    ).results()
    return result


def test_the_log_keeps_what_each_step_changes(make_case: MakeCase) -> None:
    result = examined(make_case("1", GOLD), SAME, "verdict")
    proof = next(piece for piece in result.evidence if isinstance(piece, Proved))
    assert len(proof.steps) == len(proof.changes) > 0
    assert StepChange("NOT (city.mayor < 3)", "city.mayor >= 3") in proof.changes
    lines = evidence_lines(result)
    assert "    - NOT (city.mayor < 3)" in lines
    assert "    + city.mayor >= 3" in lines


def test_where_nobody_asks_for_reasons_steps_are_not_done_again(make_case: MakeCase) -> None:
    result = examined(make_case("1", GOLD), SAME, "proved")
    (proof,) = (piece for piece in result.evidence if isinstance(piece, Proved))
    assert proof.steps
    assert not proof.changes


def test_a_proof_that_the_checker_rejects_is_an_error_of_ours(
    make_case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prove(gold: Query, prediction: Query, *_: Any, profile: str = "sound", **__: Any) -> Proof:
        steps = (Step("gold", "wishful_thinking", ()),)
        return Proof(gold.sql, prediction.sql, profile, steps, form=gold.sql)

    monkeypatch.setattr("sqlverdict.prove.prover.prove_queries", prove)
    result = examined(make_case("1", GOLD), SAME, "verdict")
    failures = [piece.failure for piece in result.evidence if isinstance(piece, Undecided)]
    (failure,) = (each for each in failures if isinstance(each, StageFailure))
    assert failure.stage == "steps"
    assert "wishful_thinking" in failure.error
