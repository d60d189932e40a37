"""Witness accuracy by hand: EX that no witness takes back."""

from __future__ import annotations

from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.records import Answer, Failure, Reason, Score
from sqlverdict.refute.witness import Instance, NotRefuted, Witness
from sqlverdict.score.metric import parse_metric, score_case
from sqlverdict.testing.fakes import GOLD_SQL, OTHER_SQL, FakeItem

ROWS = [("Ada", 36), ("Bob", 41)]
SPEC = parse_metric("witness_accuracy")
SCHEMA = Schema("person", (Table("person", (Column("name"), Column("age"))),), "ddl")
WITNESS = Witness(
    GOLD_SQL,
    OTHER_SQL,
    Instance(SCHEMA, {"person": (("Ada", None),)}),
    Answer(("name",), [("Ada",)]),
    Answer(("name",), []),
    (Reason.RESULT_MISSING_ROWS,),
)


def test_the_hand_calculation() -> None:
    items = [
        FakeItem.of([ROWS], ROWS, refutation=WITNESS),
        *(FakeItem.of([ROWS], ROWS, refutation=NotRefuted(160)) for _ in range(2)),
        FakeItem.of([ROWS], ROWS, sql=GOLD_SQL, refutation=WITNESS),
        FakeItem.of([ROWS], ROWS[:1]),
    ]
    values = [score_case(SPEC, item).value for item in items]
    assert values == [0.0, 1.0, 1.0, 1.0, 0.0]
    ex = [score_case(parse_metric("ex"), item).value for item in items]
    assert ex == [1.0, 1.0, 1.0, 1.0, 0.0]


def test_a_refuted_match_says_how_it_differs() -> None:
    result = score_case(SPEC, FakeItem.of([ROWS], ROWS, refutation=WITNESS))
    assert result == Score(0.0, (Reason.RESULT_MISSING_ROWS,))


def test_no_search_is_unscored_and_the_same_text_needs_none() -> None:
    none = NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE, message="beyond our parser")
    assert score_case(SPEC, FakeItem.of([ROWS], ROWS, refutation=none)) == Score(
        None, (Reason.UNSUPPORTED_FEATURE,)
    )
    same = NotRefuted(0, message="the two queries are the same text")
    assert score_case(SPEC, FakeItem.of([ROWS], ROWS, refutation=same)).value == 1.0
    cut = NotRefuted(12, reason=Reason.BUDGET_EXHAUSTED)
    assert score_case(SPEC, FakeItem.of([ROWS], ROWS, refutation=cut)).value == 1.0


def test_what_ex_leaves_open_stays_open_and_no_search_is_made() -> None:
    gold_fails = FakeItem.of([Failure(Reason.EXECUTION_ERROR, "no")], ROWS, refutation=WITNESS)
    assert score_case(SPEC, gold_fails).value is None
    failing = FakeItem.of([ROWS], Failure(Reason.EXECUTION_ERROR, "no"), refutation=WITNESS)
    assert score_case(SPEC, failing) == Score(0.0, (Reason.EXECUTION_ERROR,))
