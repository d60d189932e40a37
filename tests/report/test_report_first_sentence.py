"""The first sentence about a case says what matters, and nothing that is not known."""

from __future__ import annotations

from collections.abc import Callable

from sqlverdict.evidence import Failed, OpenQuestion, Proved, Refuted, Related, Relation, Tested
from sqlverdict.records import LabelBasis, Reason, Result, Verdict
from sqlverdict.report.html.details import detail_of
from sqlverdict.report.one_run.case import because, evidence_lines
from sqlverdict.report.one_run.first_sentence import first_sentence
from sqlverdict.situations import Situation

MakeResult = Callable[..., Result]
WORDS = "selects city instead of name"


def test_a_difference_is_said_by_what_the_query_does(make_result: MakeResult) -> None:
    difference = Related("compare", in_words=WORDS)
    wrong = make_result(
        1,
        verdict=Verdict.INCORRECT,
        situation=Situation.DIFFERENCE,
        evidence=(difference,),
    )
    assert first_sentence(wrong) == "The prediction selects city instead of name."


def test_a_difference_that_counts_as_right_says_so(make_result: MakeResult) -> None:
    difference = Related("compare", in_words="lacks DISTINCT")
    right = make_result(
        1,
        verdict=Verdict.CORRECT,
        situation=Situation.TRIVIAL_DIFFERENCE,
        evidence=(difference,),
    )
    assert first_sentence(right) == "The prediction lacks DISTINCT; this counts as right."


def test_without_words_the_answers_say_how_they_differ(make_result: MakeResult) -> None:
    relation = Relation("row_superset", {"extra": 2})
    wrong = make_result(
        1,
        verdict=Verdict.INCORRECT,
        situation=Situation.DIFFERENCE,
        evidence=(Related("compare", relations=(relation,)),),
    )
    assert first_sentence(wrong) == "The results differ: the gold's rows and 2 more."


def test_a_relation_that_may_be_chance_is_not_what_matters(make_result: MakeResult) -> None:
    relation = Relation("scale", {"weak": True, "changed": [{"factor": 100}]})
    wrong = make_result(
        1,
        verdict=Verdict.INCORRECT,
        situation=Situation.DIFFERENCE,
        evidence=(Related("compare", relations=(relation,)),),
    )
    assert first_sentence(wrong) == "The answers differ."


def test_a_match_speaks_of_a_search_only_where_one_ran(make_result: MakeResult) -> None:
    alone = make_result(1, situation=Situation.MATCH, evidence=(Tested("compare"),))
    searched = make_result(1, situation=Situation.MATCH, evidence=(Tested("refute", databases=9),))
    assert first_sentence(alone).endswith("on the real database; no other was tried.")
    assert first_sentence(searched).endswith("no database was found where they differ.")


def test_a_match_that_a_witness_refutes(make_result: MakeResult) -> None:
    lucky = make_result(
        1,
        situation=Situation.ORDINARY_WITNESS,
        evidence=(Refuted("refute", grade="ordinary", in_words=WORDS),),
    )
    assert first_sentence(lucky) == f"The results match, but the prediction {WORDS}."


def test_a_failure_is_said_by_its_cause_or_its_message(make_result: MakeResult) -> None:
    for words, message, expected in (
        ("reads the table a, which does not exist", "no such table: a", "reads the table a"),
        ("", "no such\n table: a.", "fails: no such table: a."),
        ("", "", "does not run."),
    ):
        failed = Failed("execute", message=message, query="prediction", in_words=words)
        wrong = make_result(
            1, verdict=Verdict.INCORRECT, situation=Situation.FAILED, evidence=(failed,)
        )
        assert first_sentence(wrong).startswith(f"The prediction {expected}")


def test_a_suspect_gold_is_not_called_a_fault_of_the_prediction(make_result: MakeResult) -> None:
    open_ = make_result(
        1,
        verdict=Verdict.NEEDS_REVIEW,
        situation=Situation.GOLD_SUSPECT,
        evidence=(Related("compare", in_words=WORDS),),
    )
    assert "prediction" not in first_sentence(open_)
    assert "error in the gold" in first_sentence(open_)


def test_what_is_told_anyway_is_not_said_twice(make_result: MakeResult) -> None:
    proved = make_result(1, situation=Situation.PROVED, evidence=(Proved("prove"),))
    assert first_sentence(proved) == "The queries agree on every legal database."
    assert first_sentence(proved, because(proved)) == ""


def test_a_proof_with_open_choices_says_so(make_result: MakeResult) -> None:
    proof = Proved("prove", open_choices=("which of several tied rows a LIMIT keeps",))
    proved = make_result(1, situation=Situation.PROVED, evidence=(proof,))
    words = "he queries agree on every legal database, up to what both leave open"
    assert first_sentence(proved) == f"T{words}."
    assert because(proved).startswith(f"t{words} (proved)")


def test_an_answer_to_a_question_without_one(make_result: MakeResult) -> None:
    answered = make_result(
        1,
        verdict=Verdict.INCORRECT,
        situation="",
        reasons=(Reason.ANSWERED_UNANSWERABLE,),
        evidence=(),
    )
    assert first_sentence(answered) == "SQL was given for a question that has no answer here."


def test_a_judge_is_not_named_under_a_plainly_wrong_answer(make_result: MakeResult) -> None:
    question = OpenQuestion("policy", question="does it matter?")
    for verdict, situation, is_shown in (
        (Verdict.INCORRECT, Situation.DIFFERENCE, False),
        (Verdict.INCORRECT, Situation.ORDINARY_WITNESS, True),
        (Verdict.NEEDS_REVIEW, Situation.HARMLESS_DIFFERENCE, True),
    ):
        result = make_result(1, verdict=verdict, situation=situation, evidence=(question,))
        assert bool(evidence_lines(result)) is is_shown


def test_a_page_begins_with_what_the_evidence_amounts_to_and_not_with_labels(
    make_result: MakeResult,
) -> None:
    basis = LabelBasis(0.7, 1.0, 378, 396, 3, False)
    proved = make_result(1, situation=Situation.PROVED, p_right=0.98, p_basis=basis)
    detail = detail_of(proved)
    assert detail.first == "The queries agree on every legal database (proved)."
    assert detail.because == (
        "in labelled data 95% of such answers were right (396 labels, 3 sets), as right as their "
        "golds; p_right on other data 0.98 (0.70 to 1.00)"
    )
