"""The rows of the table of situations, and what no evidence makes right.

Matches that were not searched, wrong values that overlap by luck.
"""

from __future__ import annotations

from typing import get_args

import pytest
from msgspec.structs import replace

from sqlverdict.evidence import (
    Evidence,
    Judged,
    Proved,
    Refuted,
    Related,
    Relation,
    Signs,
    Tested,
    Undecided,
)
from sqlverdict.evidence_parts import GeneratedRelation, LoggedSign, StageFailure, Tag
from sqlverdict.find_situation import find_situation
from sqlverdict.records import Case, Prediction, Reason, Verdict
from sqlverdict.report.html.bar import PARTS
from sqlverdict.situations import Situation, Step
from sqlverdict.verdicts import INTENT, POLICIES, STRICT, decide

CASE = Case("1", "db", "How many are there?", ("SELECT town, area FROM t",))
PREDICTION = Prediction("1", "SELECT 1")
MATCH = Tested("compare")
EMPTY_MATCH = Tested("compare", both_empty=True)
TIE = Undecided("compare", (Reason.TIE_UNDETERMINED,))
PROOF = Proved("prove", profile="sound")
SEARCHED = Tested("refute", databases=400)
UNSEARCHED = Undecided("refute", (Reason.UNSUPPORTED_FEATURE,))
BARRED = Undecided("refute", (Reason.UNSUPPORTED_FEATURE,), blame="prediction")
RIGHT = Judged("flex", correct=True)


def related(kind: str) -> Related:
    return Related("compare", (Reason.VALUE_MISMATCH,), relations=(Relation(kind),))


@pytest.mark.parametrize("first", [MATCH, EMPTY_MATCH, TIE, related("duplicates_only")])
def test_a_match_that_the_prediction_keeps_from_being_searched_is_never_correct(
    first: Evidence,
) -> None:
    barred = (first, BARRED)
    if isinstance(first, Related):
        elsewhere = replace(first.relations[0], elsewhere=BARRED)
        barred = (replace(first, relations=(elsewhere,), unsearched=True),)
    assert find_situation(CASE, barred)[0] is Situation.BARRED_MATCH
    assert decide(CASE, PREDICTION, barred, INTENT).verdict is Verdict.NEEDS_REVIEW
    for judged in (False, True):
        evidence = (*barred, RIGHT) if judged else barred
        assert decide(CASE, PREDICTION, evidence, STRICT, judged=judged).verdict == "incorrect"
    assert decide(CASE, PREDICTION, (PROOF, *barred), INTENT).verdict is Verdict.CORRECT


@pytest.mark.parametrize(
    "search",
    [
        UNSEARCHED,
        Undecided("toolkit", (Reason.TOOLKIT_ERROR,), failure=StageFailure("refute")),
        Tested("refute", (Reason.BUDGET_EXHAUSTED,), databases=3),
        Tested("refute", databases=3, cut_by_time=True),
    ],
)
def test_an_empty_match_that_was_not_searched_to_the_end_is_never_correct(
    search: Evidence,
) -> None:
    for policy in (STRICT, INTENT):
        for judged in (False, True):
            evidence = (EMPTY_MATCH, search, RIGHT)
            judgement = decide(CASE, PREDICTION, evidence, policy, judged=judged)
            assert judgement.verdict is Verdict.NEEDS_REVIEW
    assert find_situation(CASE, (EMPTY_MATCH, SEARCHED))[0] is Situation.MATCH


@pytest.mark.parametrize(
    ("search", "situation"),
    [
        (Tested("refute", (Reason.BUDGET_EXHAUSTED,), databases=3), Situation.UNSEARCHED_EMPTY),
        (Tested("refute", databases=3, cut_by_time=True), Situation.UNSEARCHED_EMPTY),
        (SEARCHED, Situation.TRIVIAL_DIFFERENCE),
    ],
)
def test_nor_is_a_trivial_difference_between_answers_that_hold_no_value(
    search: Tested, situation: Situation
) -> None:
    relation = replace(related("duplicates_only").relations[0], elsewhere=search)
    difference = replace(related("duplicates_only"), relations=(relation,), both_empty=True)
    assert find_situation(CASE, (difference,))[0] is situation
    correct = situation is Situation.TRIVIAL_DIFFERENCE
    expected = Verdict.CORRECT if correct else Verdict.NEEDS_REVIEW
    assert decide(CASE, PREDICTION, (difference,), INTENT).verdict is expected


@pytest.mark.parametrize("tag", ["limit_differs", "value_changed"])
@pytest.mark.parametrize("columns", ["same", "permuted", "extra"])
def test_another_cut_or_value_is_never_nearly_the_same(tag: str, columns: str) -> None:
    generated = GeneratedRelation(50, columns, "other", 0.85)
    reasons = (Reason.VALUE_MISMATCH,)
    difference = Related("compare", reasons, generated=generated, tags=(Tag(tag, ""),))
    expected = Situation.DIFFERENCE if columns == "same" else Situation.GENERATED_COLUMNS
    assert find_situation(CASE, (difference,))[0] is expected
    harmless = replace(difference, tags=(Tag("alias_differs", ""),))
    assert find_situation(CASE, (harmless,))[0] not in (expected, Situation.DIFFERENCE)


def test_a_sign_against_the_gold_alone_is_a_difference() -> None:
    signs = Signs("signs", gold=(LoggedSign("dead_literal", message="no row has it"),))
    assert find_situation(CASE, (related("row_subset"), signs))[0] is Situation.DIFFERENCE


def test_rows_of_null_alone_are_no_match_by_luck() -> None:
    """One row of NULL for two of them was correct, with an ordinary witness against it."""
    witness = Refuted("refute", (Reason.VALUE_MISMATCH,), grade="ordinary")
    relation = replace(related("duplicates_only").relations[0], broken=witness)
    difference = replace(related("duplicates_only"), relations=(relation,))
    assert find_situation(CASE, (difference,))[0] is Situation.ORDINARY_WITNESS
    empty = replace(difference, both_empty=True)
    assert find_situation(CASE, (empty,))[0] is Situation.DIFFERENCE


@pytest.mark.parametrize("situation", Situation)
def test_a_row_is_complete(situation: Situation) -> None:
    row = situation.row
    assert situation.name.lower() == situation == row.name
    assert row.when
    assert row.because
    assert row.part in PARTS
    assert row.step is None or row.step in get_args(Step)
    assert set(row.asks) <= set(POLICIES)
    assert bool(row.question) == bool(row.asks)


ALIKE = {
    ("contradiction", "fault"): "the first is our bug, which stops the run",
    ("match", "fits_a_tie"): "the answers differ in the second, which nobody labelled",
    ("minor_difference", "generated_columns", "gold_suspect"): "the answers of the second are not "
    "at hand, and it is labelled; the third has a reason code of its own",
}
"""Situations that have the same columns, and why they are not one."""


def test_situations_with_the_same_columns_are_one() -> None:
    by_columns: dict[tuple[object, ...], list[str]] = {}
    for situation in Situation:
        row = situation.row
        columns = (row.decisions, row.asks, row.step, row.part)
        by_columns.setdefault(columns, []).append(row.name)
    assert {tuple(names) for names in by_columns.values() if len(names) > 1} == set(ALIKE)
