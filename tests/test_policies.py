"""The policies: each situation from its evidence, and the laws."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sqlverdict.evidence import (
    Contradicted,
    Evidence,
    Failed,
    Judged,
    Proved,
    Refuted,
    Related,
    Relation,
    Signs,
    Tested,
    Undecided,
)
from sqlverdict.evidence_parts import (
    AnswerExcerpt,
    GeneratedRelation,
    LoggedSign,
    StageFailure,
)
from sqlverdict.find_situation import find_situation
from sqlverdict.records import Case, Fault, Prediction, Reason, Result, Verdict
from sqlverdict.situations import Situation
from sqlverdict.verdicts import (
    INTENT,
    POLICIES,
    RESULTS,
    STRICT,
    Policy,
    decide,
    decide_again,
    situation_to_judge,
)

CASE = Case("1", "db", "How many are there?", ("SELECT town, area FROM t",))
RANKED = Case("1", "db", "List them in descending order.", ("SELECT 1",))
PREDICTION = Prediction("1", "SELECT 1")

MATCH = Tested("compare")
CONSTANT = Tested("compare", constant_prediction=True)
PROOF = Proved("prove", profile="sound")
FAILED = Failed("execute", (Reason.EXECUTION_ERROR,), query="prediction")
TIE = Undecided("compare", (Reason.TIE_UNDETERMINED,))
SEARCHED = Tested("refute", databases=400)
BAD_GOLD = Failed("compare", (Reason.GOLD_EXECUTION_ERROR,), query="gold")
UNSEARCHED = Undecided("refute", (Reason.UNSUPPORTED_FEATURE,))
BARRED = Undecided("refute", (Reason.UNSUPPORTED_FEATURE,), blame="prediction")
EMPTY_MATCH = Tested("compare", both_empty=True)
SIGNS = Signs(
    "signs", gold=(LoggedSign("dead_literal", message="no row has it"),), agrees_with_mend=True
)
BUG = Contradicted("toolkit", (Reason.TOOLKIT_ERROR,), against="real")


def witness(grade: str, **fields: Any) -> Refuted:
    return Refuted("refute", (Reason.VALUE_MISMATCH,), grade=grade, **fields)


def repeating(grade: str) -> Refuted:
    return Refuted("refute", (Reason.DUPLICATES_MISMATCH,), grade=grade)


def unseen(columns: str, rows: str, overlap: float) -> Related:
    generated = GeneratedRelation(50, columns, rows, overlap)
    reasons = (Reason.VALUE_MISMATCH,)
    return Related("compare", reasons, recorded=True, whole=False, generated=generated)


def related(kind: str = "", **detail: Any) -> Related:
    relations = (Relation(kind, detail),) if kind else ()
    return Related("compare", (Reason.VALUE_MISMATCH,), relations=relations)


def opinion(correct: bool | None, *metrics: str, reason: Reason | None = None) -> Judged:
    reasons = () if reason is None else (reason,)
    return Judged("flex", reasons, correct=correct, metrics=metrics or ("verdict",))


SITUATIONS = {
    Situation.CONTRADICTION: (PROOF, MATCH, BUG),
    Situation.PROVED: (PROOF, MATCH),
    Situation.TIE_WITNESS: (TIE, witness("ordinary")),
    Situation.DUPLICATES_WITNESS: (MATCH, repeating("ordinary")),
    Situation.CONSTANT_MATCH: (CONSTANT, witness("ordinary")),
    Situation.EMPTY_MATCH_WITNESS: (replace(MATCH, both_empty=True), witness("ordinary")),
    Situation.ORDINARY_WITNESS: (MATCH, witness("ordinary")),
    Situation.UNGRADED_WITNESS: (MATCH, witness("ungraded")),
    Situation.NULL_IN_AGGREGATE: (MATCH, witness("needs_null", null_in_aggregate=True)),
    Situation.TIED_ROWS_LOST: (
        MATCH,
        witness("needs_tie", gold=AnswerExcerpt(count=2), prediction=AnswerExcerpt(count=1)),
    ),
    Situation.UNDETERMINED_PREDICTION: (MATCH, witness("ungraded", kind="undetermined_prediction")),
    Situation.UNUSUAL_WITNESS: (MATCH, witness("needs_empty_table")),
    Situation.BARRED_MATCH: (MATCH, BARRED),
    Situation.UNSEARCHED_EMPTY: (EMPTY_MATCH, UNSEARCHED),
    Situation.UNSEARCHED_MATCH: (MATCH, UNSEARCHED),
    Situation.MATCH: (MATCH,),
    Situation.FAILED: (FAILED,),
    Situation.TRIVIAL_DIFFERENCE: (related("duplicates_only"),),
    Situation.GENERATED_FORM: (unseen("extra", "other", 0.83),),
    Situation.GENERATED_NEAR: (unseen("same", "other", 0.83),),
    Situation.GENERATED_COLUMNS: (unseen("extra", "other", 0.4),),
    Situation.GOLD_SUSPECT: (related("row_subset"), SIGNS),
    Situation.UNSEARCHED_DIFFERENCE: (related("extra_columns", order="free"), UNSEARCHED),
    Situation.HARMLESS_DIFFERENCE: (related("extra_columns", order="free"),),
    Situation.MINOR_DIFFERENCE: (related("null_rows", order="same"),),
    Situation.DIFFERENCE: (related("row_subset"),),
    Situation.FAULT: (BAD_GOLD,),
    Situation.FITS_A_TIE: (TIE, SEARCHED),
    Situation.UNSEARCHED_TIE: (TIE, UNSEARCHED),
    Situation.OPEN: (),
}


@pytest.mark.parametrize("expected", Situation)
def test_each_situation_is_recognised(expected: Situation) -> None:
    assert find_situation(CASE, SITUATIONS[expected])[0] is expected


@pytest.mark.parametrize(
    "difference",
    [
        related("tie_superset", limited="prediction"),
        related("missing_columns", columns=[0, None], missing=[1]),
        related("null_rows", order="same"),
    ],
)
def test_tied_rows_unnamed_columns_and_rows_of_null_are_minor(difference: Related) -> None:
    assert find_situation(CASE, (difference,))[0] is Situation.MINOR_DIFFERENCE


def searched(databases: int, reason: Reason | None = None, **fields: Any) -> Evidence:
    reasons = () if reason is None else (reason,)
    if databases:
        return Tested("refute", reasons, databases=databases, **fields)
    return Undecided("refute", reasons, **fields)


CRASH = Undecided("toolkit", (Reason.TOOLKIT_ERROR,), failure=StageFailure("refute"))


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (searched(0, Reason.BUDGET_EXHAUSTED), "unsearched_match"),
        (searched(0, Reason.PARSE_ERROR), "unsearched_match"),
        (searched(7, Reason.BUDGET_EXHAUSTED, cut_by_time=True), "unsearched_match"),
        (CRASH, "unsearched_match"),
        (searched(7, Reason.BUDGET_EXHAUSTED), "match"),
        (searched(400), "match"),
        (searched(0), "match"),
    ],
)
def test_a_match_that_was_not_searched_is_not_silently_correct(
    evidence: Evidence, expected: str
) -> None:
    assert find_situation(CASE, (MATCH, evidence))[0] == expected
    assert find_situation(CASE, (PROOF, MATCH, evidence))[0] == "proved"
    judged = decide(CASE, PREDICTION, (MATCH, evidence), STRICT)
    decided = "needs_review" if expected == "unsearched_match" else "correct"
    assert judged.verdict == decided
    assert judged.reasons == (evidence.reasons if decided == "needs_review" else ())
    for policy in (RESULTS, INTENT):
        judgement = decide(CASE, PREDICTION, (MATCH, evidence), policy)
        assert judgement.verdict == "correct"
        assert judgement.reasons == (evidence.reasons if expected == "unsearched_match" else ())


def test_a_proof_and_a_witness_are_a_contradiction_and_never_the_models_fault() -> None:
    for policy in POLICIES.values():
        judgement = decide(CASE, PREDICTION, (PROOF, MATCH, witness("ordinary")), policy)
        assert (judgement.verdict, judgement.fault) == (Verdict.UNSCORED, Fault.TOOLKIT)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=list(POLICIES))
def test_every_policy_decides_every_situation(policy: Policy) -> None:
    assert set(policy.table) == set(Situation)
    assert all(situation.row.question for situation in policy.asks), "what is asked has words"
    assert bool(policy.asks) == (policy is not RESULTS)
    assert "ask" not in policy.table.values()


@pytest.mark.parametrize("policy", POLICIES.values(), ids=list(POLICIES))
@pytest.mark.parametrize("name", Situation)
def test_a_decision_becomes_a_verdict(name: Situation, policy: Policy) -> None:
    judgement = decide(CASE, PREDICTION, SITUATIONS[name], policy)
    assert judgement.verdict == policy.table[name]
    assert judgement.situation == name
    assert (judgement.fault is not None) == (judgement.verdict is Verdict.UNSCORED)


@pytest.mark.parametrize("policy", POLICIES.values(), ids=list(POLICIES))
@pytest.mark.parametrize("name", Situation)
def test_a_logged_case_is_decided_again_as_it_would_have_been(
    name: Situation, policy: Policy
) -> None:
    for evidence in (SITUATIONS[name], (*SITUATIONS[name], opinion(True))):
        for judged in (False, True):
            by_intent = decide(CASE, PREDICTION, evidence, INTENT, judged=judged)
            fields = {"evidence": evidence, "situation": by_intent.situation}
            line = Result(0, "1", "", "", (), "SELECT 1", False, by_intent.verdict, **fields)
            again = decide(CASE, PREDICTION, evidence, policy, judged=judged)
            assert decide_again(line, policy, judged=judged) is again.verdict


NOT_ASKED = [(p, name) for p in POLICIES.values() for name in Situation if name not in p.asks]


@given(st.sampled_from(NOT_ASKED), st.booleans() | st.none(), st.booleans())
def test_a_judge_overrules_nothing_that_it_was_not_asked(
    describe: tuple[Policy, Situation], rating: bool | None, judged: bool
) -> None:
    """Among them: a proof, and a match without a witness."""
    policy, name = describe
    evidence = SITUATIONS[name]
    assert decide(CASE, PREDICTION, (*evidence, opinion(rating)), policy, judged=judged) == decide(
        CASE, PREDICTION, evidence, policy
    )


@pytest.mark.parametrize("policy", [STRICT, INTENT], ids=["strict", "intent"])
def test_a_judge_never_overrules_a_proof_or_a_match_without_a_witness(policy: Policy) -> None:
    assert policy.asks.isdisjoint({Situation.PROVED, Situation.MATCH, Situation.UNSEARCHED_MATCH})


OPEN_QUESTIONS = [(p, name) for p in (STRICT, INTENT) for name in sorted(p.asks)]


@pytest.mark.parametrize(("policy", "name"), OPEN_QUESTIONS)
def test_a_judge_decides_what_it_is_asked(policy: Policy, name: Situation) -> None:
    evidence = SITUATIONS[name]
    assert situation_to_judge(CASE, PREDICTION, evidence, policy) is name
    right = decide(CASE, PREDICTION, (*evidence, opinion(True)), policy, judged=True)
    assert right.verdict is Verdict.CORRECT
    wrong = decide(CASE, PREDICTION, (*evidence, opinion(False)), policy, judged=True)
    _, by = find_situation(CASE, evidence)
    assert (wrong.verdict, wrong.reasons) == (Verdict.INCORRECT, by.reasons if by else ())


def test_without_a_judge_a_witness_against_a_match_is_never_wrong_by_intent() -> None:
    witnessed = [
        name
        for name, evidence in SITUATIONS.items()
        if evidence[:1] in ((MATCH,), (CONSTANT,))
        and any(isinstance(piece, Refuted) for piece in evidence)
    ]
    assert len(witnessed) == 8
    decided = {INTENT.table[name] for name in witnessed if name is not Situation.CONTRADICTION}
    assert decided == {"correct", "needs_review"}


def test_an_opinion_for_another_metric_does_not_count() -> None:
    evidence = (*SITUATIONS[Situation.DIFFERENCE], opinion(True, "flex"))
    judgement = decide(CASE, PREDICTION, evidence, STRICT, judged=True)
    assert judgement.verdict is Verdict.NEEDS_REVIEW
    assert Reason.JUDGE_UNAVAILABLE in judgement.reasons


@pytest.mark.parametrize("reason", [Reason.JUDGE_UNPARSEABLE, Reason.JUDGE_UNAVAILABLE])
def test_no_verdict_is_never_incorrect(reason: Reason) -> None:
    evidence = (*SITUATIONS[Situation.DIFFERENCE], opinion(None, "verdict", reason=reason))
    judgement = decide(CASE, PREDICTION, evidence, STRICT, judged=True)
    assert judgement.verdict is Verdict.NEEDS_REVIEW
    assert reason in judgement.reasons


def test_nobody_is_asked_about_an_abstention_or_an_unanswerable_case() -> None:
    evidence = SITUATIONS[Situation.DIFFERENCE]
    assert situation_to_judge(CASE, Prediction("1", abstained=True), evidence, INTENT) is None
    assert (
        situation_to_judge(Case("1", "db", "?", answerable=False), PREDICTION, evidence, INTENT)
        is None
    )
    assert situation_to_judge(CASE, Prediction("1", " "), evidence, INTENT) is None


def test_a_witness_decides_against_an_answer_that_fits_a_tie() -> None:
    for policy in POLICIES.values():
        judgement = decide(CASE, PREDICTION, (TIE, witness("ordinary")), policy)
        assert judgement.verdict is Verdict.INCORRECT


@pytest.mark.parametrize("grade", ["needs_tie", "needs_null", "breaks_regularity"])
def test_an_answer_left_open_on_unusual_data_is_unusual(grade: str) -> None:
    outcome = witness(
        grade,
        kind="undetermined_prediction",
        gold=AnswerExcerpt(count=2),
        prediction=AnswerExcerpt(count=1),
    )
    assert find_situation(CASE, (MATCH, outcome))[0] is Situation.UNUSUAL_WITNESS


@pytest.mark.parametrize(
    ("kind", "searched", "not_searched", "by_intent"),
    [
        ("duplicates_only", "trivial_difference", "unsearched_match", "correct"),
        ("extra_columns", "harmless_difference", "unsearched_difference", "needs_review"),
    ],
)
def test_a_difference_in_form_that_was_not_searched_is_never_plainly_right(
    kind: str, searched: str, not_searched: str, by_intent: str
) -> None:
    relation = related(kind, order="free")
    assert find_situation(CASE, (relation,))[0] == searched
    cut = replace(relation, unsearched=True)
    failed = Undecided("toolkit", failure=StageFailure("refute"))
    for evidence in ((cut,), (relation, failed)):
        assert find_situation(CASE, evidence)[0] == not_searched
        assert decide(CASE, PREDICTION, evidence, STRICT).verdict is Verdict.NEEDS_REVIEW
        assert decide(CASE, PREDICTION, evidence, INTENT).verdict == by_intent
    assert find_situation(CASE, (related(), failed))[0] is Situation.DIFFERENCE


@pytest.mark.parametrize(
    ("columns", "rows", "overlap", "missing", "expected"),
    [
        ("same", "same", 1.0, (), Situation.GENERATED_FORM),
        ("permuted", "same", 1.0, (), Situation.GENERATED_FORM),
        ("permuted", "other", 0.8, (), Situation.GENERATED_FORM),
        ("permuted", "other", 0.79, (), Situation.GENERATED_COLUMNS),
        ("extra", "same", 1.0, (), Situation.GENERATED_FORM),
        ("missing", "same", 1.0, (1,), Situation.GENERATED_FORM),
        ("missing", "repeated", 1.0, (0,), Situation.GENERATED_FORM),
        ("missing", "more", 0.9, (1,), Situation.GENERATED_NEAR),
        ("missing", "same", 1.0, (2,), Situation.GENERATED_NEAR),
        ("missing", "same", 1.0, (), Situation.GENERATED_NEAR),
    ],
)
def test_columns_that_explain_a_recorded_difference(
    columns: str, rows: str, overlap: float, missing: tuple[int, ...], expected: Situation
) -> None:
    result = unseen(columns, rows, overlap)
    assert result.generated is not None
    result = replace(result, generated=replace(result.generated, missing=missing))
    assert find_situation(CASE, (result,))[0] is expected


def test_a_missing_column_that_the_question_names_is_a_difference() -> None:
    relation = related("missing_columns", columns=[0, None], missing=[1])
    case = Case("1", "db", "How many towns are there, of which area?", CASE.golds)
    assert find_situation(case, (relation,))[0] is Situation.DIFFERENCE
    broken = replace(relation.relations[0], broken=witness("ordinary"))
    assert (
        find_situation(CASE, (replace(relation, relations=(broken,)),))[0] is Situation.DIFFERENCE
    )
    searched = find_situation(CASE, (relation, UNSEARCHED))[0]
    assert searched is Situation.UNSEARCHED_DIFFERENCE


def test_other_columns_say_nothing_of_the_rows() -> None:
    result = find_situation(CASE, (unseen("permuted", "other", 0.1),))[0]
    assert result is Situation.GENERATED_COLUMNS


def test_a_constant_that_no_search_tells_apart_is_a_match() -> None:
    assert find_situation(CASE, (CONSTANT, SEARCHED))[0] is Situation.MATCH
    assert find_situation(CASE, (CONSTANT, UNSEARCHED))[0] is Situation.CONSTANT_MATCH


def test_a_constant_or_a_query_with_a_strong_sign_says_nothing_against_the_gold() -> None:
    different = related("row_subset")
    assert find_situation(CASE, (different, SIGNS))[0] is Situation.GOLD_SUSPECT
    constant = replace(SIGNS, says_nothing="constant")
    assert find_situation(CASE, (different, constant))[0] is Situation.DIFFERENCE
    strong = LoggedSign("cross_join", "strong", "every row with every row")
    signs = replace(SIGNS, prediction=(strong,))
    assert find_situation(CASE, (different, signs))[0] is Situation.DIFFERENCE


def test_answers_that_say_nothing_in_two_ways_are_unusual() -> None:
    nothing, null = AnswerExcerpt(("x",)), AnswerExcerpt(("x",), ((None,),), 1)
    value = AnswerExcerpt(("x",), ((1,),), 1)
    cut = AnswerExcerpt(("x",), ((None,),), 2)
    for gold, prediction, expected in (
        (nothing, null, Situation.UNUSUAL_WITNESS),
        (null, nothing, Situation.UNUSUAL_WITNESS),
        (nothing, value, Situation.ORDINARY_WITNESS),
        (null, value, Situation.ORDINARY_WITNESS),
        (nothing, cut, Situation.ORDINARY_WITNESS),
    ):
        outcome = witness("ordinary", gold=gold, prediction=prediction)
        assert find_situation(CASE, (MATCH, outcome))[0] is expected


def test_a_tie_that_costs_the_prediction_no_row_is_unusual() -> None:
    more = witness("needs_tie", gold=AnswerExcerpt(count=1), prediction=AnswerExcerpt(count=2))
    assert find_situation(CASE, (MATCH, more))[0] is Situation.UNUSUAL_WITNESS
