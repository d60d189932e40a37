"""From a result to a cell: labels, policies, mishaps, what is left out."""

from __future__ import annotations

from collections import Counter

import pytest
from msgspec.structs import replace

from sqlverdict.errors import UsageError
from sqlverdict.evidence import Evidence, Proved, Refuted, Related, Tested
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.score.deciding import VERDICT
from sqlverdict.score.reliability.outcomes import (
    PROVED,
    UNSCORABLE,
    Cell,
    FailurePolicy,
    ItemOutcome,
    Mishap,
    from_counts,
    item_outcome,
    label_by,
)

RIGHT = Result(
    0, "a", "d", "?", ("SELECT 1",), "SELECT 1", False, Verdict.CORRECT, scores={"ex": 1.0}
)
GOLD_FAILS = replace(RIGHT, scores={"ex": None}, verdict=Verdict.UNSCORED)
UNANSWERABLE = replace(RIGHT, gold=(), answerable=False, scores={"ex": None})


def fate(result: Result, source: str = "ex", policy: FailurePolicy | None = None) -> ItemOutcome:
    return item_outcome(result, label_by(source), policy or FailurePolicy())


@pytest.mark.parametrize(
    ("result", "cell"),
    [
        (RIGHT, Cell.CORRECT),
        (replace(RIGHT, scores={"ex": 0.0}, verdict=Verdict.INCORRECT), Cell.WRONG),
        (replace(RIGHT, scores={"ex": 0.9}), Cell.WRONG),
        (replace(RIGHT, scores={"ex": None}, verdict=Verdict.UNSCORED), None),
        (replace(RIGHT, scores={}), None),
        (replace(RIGHT, abstained=True, prediction=None), Cell.ABSTAINED_ANSWERABLE),
        (replace(GOLD_FAILS, abstained=True, prediction=None), None),
        (replace(GOLD_FAILS, prediction=None), None),
        (replace(GOLD_FAILS, prediction="I cannot answer."), None),
        (replace(UNANSWERABLE, abstained=True, prediction=None), Cell.ABSTAINED_UNANSWERABLE),
        (replace(UNANSWERABLE, verdict=Verdict.INCORRECT), Cell.ANSWERED_UNANSWERABLE),
        (replace(RIGHT, tags={UNSCORABLE: "no rows"}), None),
        (replace(RIGHT, tags={UNSCORABLE: "no rows"}, abstained=True, prediction=None), None),
    ],
)
def test_cells(result: Result, cell: Cell | None) -> None:
    assert fate(result).cell is cell


@pytest.mark.parametrize("source", ["ex", VERDICT, PROVED])
def test_an_abstention_is_unscored_where_every_answer_is(source: str) -> None:
    silent = replace(RIGHT, abstained=True, prediction=None)
    wrong = replace(silent, verdict=Verdict.ABSTAINED_WRONG, scores={"ex": 0.0})
    assert fate(wrong, source).cell is Cell.ABSTAINED_ANSWERABLE
    fails = replace(GOLD_FAILS, abstained=True, prediction=None)
    assert fate(fails, source).cell is None


@pytest.mark.parametrize(
    ("reason", "mishap"),
    [
        (Reason.EXECUTION_ERROR, Mishap.ERROR),
        (Reason.PARSE_ERROR, Mishap.ERROR),
        (Reason.WRITE_BLOCKED, Mishap.ERROR),
        (Reason.EXECUTION_TIMEOUT, Mishap.TIMEOUT),
        (Reason.MEMORY_LIMIT, Mishap.TIMEOUT),
        (Reason.NO_SQL_PRODUCED, Mishap.NO_SQL),
        (Reason.VALUE_MISMATCH, None),
    ],
)
def test_mishaps_follow_their_policy_and_no_other(reason: Reason, mishap: Mishap | None) -> None:
    wrong = replace(RIGHT, scores={"ex": 0.0}, verdict=Verdict.INCORRECT, reasons=(reason,))
    assert fate(wrong) == ItemOutcome(Cell.WRONG, mishap)
    for kind in ("error", "timeout", "no_sql"):
        expected = Cell.ABSTAINED_ANSWERABLE if mishap == kind else Cell.WRONG
        assert fate(wrong, policy=FailurePolicy(**{kind: "abstain"})).cell is expected


def test_a_query_that_a_preset_mends_is_right_although_it_does_not_run_as_it_stands() -> None:
    repaired = replace(RIGHT, verdict=Verdict.INCORRECT, reasons=(Reason.PARSE_ERROR,))
    assert fate(repaired) == ItemOutcome(Cell.CORRECT)


def test_text_for_an_unanswerable_question_is_told_from_sql() -> None:
    answered = replace(UNANSWERABLE, verdict=Verdict.INCORRECT)
    prose = replace(answered, prediction="That is not in the data.")
    forgiving = FailurePolicy(no_sql="abstain")
    assert fate(answered, policy=forgiving) == ItemOutcome(Cell.ANSWERED_UNANSWERABLE)
    assert fate(prose) == ItemOutcome(Cell.ANSWERED_UNANSWERABLE, Mishap.NO_SQL)
    assert fate(prose, policy=forgiving) == ItemOutcome(Cell.ABSTAINED_UNANSWERABLE, Mishap.NO_SQL)


def test_a_missing_prediction_is_harm_under_every_policy() -> None:
    nothing = replace(
        RIGHT, prediction=None, scores={"ex": 0.0}, verdict=Verdict.INCORRECT,
        reasons=(Reason.NO_SQL_PRODUCED,),
    )  # fmt: skip
    lenient = FailurePolicy("abstain", "abstain", "abstain")
    assert fate(nothing, policy=lenient) == ItemOutcome(Cell.WRONG, Mishap.MISSING)
    unasked = replace(UNANSWERABLE, prediction=None, verdict=Verdict.INCORRECT)
    assert fate(unasked, policy=lenient) == ItemOutcome(Cell.ANSWERED_UNANSWERABLE, Mishap.MISSING)


def test_the_verdict_as_label() -> None:
    assert fate(RIGHT, VERDICT).cell is Cell.CORRECT
    assert fate(replace(RIGHT, verdict=Verdict.INCORRECT), VERDICT).cell is Cell.WRONG
    assert fate(replace(RIGHT, verdict=Verdict.NEEDS_REVIEW), VERDICT).cell is Cell.NEEDS_REVIEW


@pytest.mark.parametrize(
    ("evidence", "cell"),
    [
        ((Proved("prove"),), Cell.CORRECT),
        ((Tested("compare"),), None),
        ((Tested("compare"), Refuted("refute", grade="ordinary")), Cell.WRONG),
        ((Related("compare"),), Cell.WRONG),
        ((Proved("prove"), Refuted("refute", grade="ordinary")), None),
        ((), None),
    ],
)  # fmt: skip
def test_proofs_as_labels_leave_mere_matches_open(
    evidence: tuple[Evidence, ...], cell: Cell | None
) -> None:
    assert fate(replace(RIGHT, evidence=evidence), PROVED).cell is cell


def test_a_table_counts_everything_once() -> None:
    fates = [ItemOutcome(cell) for cell in Cell] + [
        ItemOutcome(None),
        ItemOutcome(Cell.WRONG, Mishap.ERROR),
    ]
    mishaps = Counter(each.mishap.value for each in fates if each.mishap is not None)
    table = from_counts(Counter(each.cell for each in fates), mishaps)
    assert table.total == 7
    assert (table.answerable, table.unanswerable, table.harm, table.unscored) == (5, 2, 3, 1)
    assert table.answered == 5
    assert table.mishaps == {"error": 1}


def test_an_unknown_treatment_is_refused() -> None:
    with pytest.raises(UsageError, match="'ignore'"):
        FailurePolicy(error="ignore")  # type: ignore[arg-type]
