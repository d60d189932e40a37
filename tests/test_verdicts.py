"""How evidence becomes a judgement: the table in ``verdicts.py``, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.confidence.stored import built_in
from sqlverdict.evidence import Evidence, Failed, Proved, Related, Tested, Undecided
from sqlverdict.records import Case, Fault, Judgement, Prediction, Reason, Verdict
from sqlverdict.verdicts import INTENT, STRICT, decide, toolkit_failure

CASE = Case("1", "db", "?", ("SELECT 1",))
UNANSWERABLE = Case("1", "db", "?", answerable=False)
PREDICTION = Prediction("1", "SELECT 1")
ABSTAINED = Prediction("1", abstained=True)

JUDGING = (INTENT, STRICT)

PROOF = Proved("prove")
AGREEMENT = Tested("compare")
DIFFERENCE = Related("compare", (Reason.VALUE_MISMATCH,))
FAILED = Failed("execute", (Reason.EXECUTION_ERROR,), query="prediction")
TIE = Undecided("compare", (Reason.TIE_UNDETERMINED,))
BAD_GOLD = Failed("compare", (Reason.GOLD_EXECUTION_ERROR,), query="gold")
NO_DATABASE = Undecided("compare", (Reason.DATABASE_UNAVAILABLE,), fault=Fault.ENGINE)


@pytest.mark.parametrize(
    ("case", "prediction", "evidence", "expected"),
    [
        (UNANSWERABLE, ABSTAINED, (), Judgement(Verdict.ABSTAINED_RIGHT)),
        (
            UNANSWERABLE,
            PREDICTION,
            (),
            Judgement(Verdict.INCORRECT, reasons=(Reason.ANSWERED_UNANSWERABLE,)),
        ),
        (CASE, ABSTAINED, (), Judgement(Verdict.ABSTAINED_WRONG)),
        (CASE, ABSTAINED, (AGREEMENT,), Judgement(Verdict.ABSTAINED_WRONG)),
        (
            CASE,
            Prediction("1"),
            (),
            Judgement(Verdict.INCORRECT, reasons=(Reason.NO_SQL_PRODUCED,)),
        ),
        (
            CASE,
            Prediction("1", " \n"),
            (AGREEMENT,),
            Judgement(Verdict.INCORRECT, reasons=(Reason.NO_SQL_PRODUCED,)),
        ),
        (CASE, PREDICTION, (PROOF,), Judgement(Verdict.CORRECT)),
        (CASE, PREDICTION, (AGREEMENT,), Judgement(Verdict.CORRECT)),
        (
            CASE,
            PREDICTION,
            (DIFFERENCE,),
            Judgement(Verdict.INCORRECT, reasons=(Reason.VALUE_MISMATCH,)),
        ),
        (
            CASE,
            PREDICTION,
            (FAILED,),
            Judgement(Verdict.INCORRECT, reasons=(Reason.EXECUTION_ERROR,)),
        ),
        (
            CASE,
            PREDICTION,
            (BAD_GOLD,),
            Judgement(Verdict.UNSCORED, Fault.GOLD, (Reason.GOLD_EXECUTION_ERROR,)),
        ),
        (
            CASE,
            PREDICTION,
            (NO_DATABASE,),
            Judgement(Verdict.UNSCORED, Fault.ENGINE, (Reason.DATABASE_UNAVAILABLE,)),
        ),
        (
            CASE,
            PREDICTION,
            (TIE,),
            Judgement(Verdict.NEEDS_REVIEW, reasons=(Reason.TIE_UNDETERMINED,)),
        ),
        (CASE, PREDICTION, (), Judgement(Verdict.NEEDS_REVIEW)),
    ],
)
def test_the_table(
    case: Case, prediction: Prediction, evidence: tuple[Evidence, ...], expected: Judgement
) -> None:
    judgement = decide(case, prediction, evidence)
    assert judgement.verdict is expected.verdict
    assert (judgement.fault, judgement.reasons) == (expected.fault, expected.reasons)


@given(st.permutations([PROOF, BAD_GOLD, TIE, DIFFERENCE]))
def test_a_proof_decides_wherever_it_stands(evidence: list[Evidence]) -> None:
    assert decide(CASE, PREDICTION, evidence).verdict is Verdict.CORRECT


@given(st.permutations([BAD_GOLD, TIE, DIFFERENCE]))
def test_a_difference_decides_over_what_is_open(evidence: list[Evidence]) -> None:
    assert decide(CASE, PREDICTION, evidence).verdict is Verdict.INCORRECT


@given(st.lists(st.sampled_from([PROOF, AGREEMENT, DIFFERENCE, FAILED, TIE, BAD_GOLD])))
def test_a_fault_is_named_exactly_where_nothing_is_scored(evidence: list[Evidence]) -> None:
    opinion = decide(CASE, PREDICTION, evidence)
    assert (opinion.fault is not None) == (opinion.verdict is Verdict.UNSCORED)


def test_our_own_failure_is_ours() -> None:
    result = toolkit_failure()
    assert (result.verdict, result.fault) == (Verdict.UNSCORED, Fault.TOOLKIT)
    assert result.reasons == (Reason.TOOLKIT_ERROR,)


def test_a_match_without_a_search_claims_no_more_than_one_that_could_not_be_searched() -> None:
    model = built_in()
    searched = Tested("refute", databases=160)
    alone = decide(CASE, PREDICTION, (AGREEMENT,), INTENT, model=model)
    match = decide(CASE, PREDICTION, (AGREEMENT, searched), INTENT, model=model)
    assert alone.situation == match.situation == "match"
    assert (alone.p_right, alone.p_basis) == model.expect("unsearched_match")
    assert (match.p_right, match.p_basis) == model.expect("match")
    assert alone.p_right is not None
    assert match.p_right is not None
    assert alone.p_right <= match.p_right


def test_the_probability_of_a_case_is_the_same_under_every_policy() -> None:
    for evidence in ((PROOF,), (DIFFERENCE,), (FAILED,)):
        judgements = [decide(CASE, PREDICTION, evidence, p, model=built_in()) for p in JUDGING]
        assert len({one.p_right for one in judgements}) == 1
        assert judgements[0].p_right is not None
