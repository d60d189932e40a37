"""The nouns: frozen, closed sets that say what they are, and a log line that comes back whole."""

from __future__ import annotations

import dataclasses
import pickle
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from sqlverdict import records
from sqlverdict.errors import UsageError
from sqlverdict.evidence import (
    Contradicted,
    Evidence,
    Failed,
    Judged,
    OpenQuestion,
    Proved,
    Recorded,
    Refuted,
    Related,
    Relation,
    Signs,
    Tested,
    Undecided,
)
from sqlverdict.evidence_parts import LoggedSign, StageFailure
from sqlverdict.records import (
    RESULT_SCHEMA,
    Case,
    Fault,
    Prediction,
    Reason,
    Result,
    Verdict,
)

CLASSES = [
    each
    for each in vars(records).values()
    if isinstance(each, type) and dataclasses.is_dataclass(each)
]


@pytest.mark.parametrize("record", CLASSES, ids=lambda each: each.__name__)
def test_records_are_frozen_and_documented(record: type) -> None:
    params = record.__dataclass_params__  # type: ignore[attr-defined]
    assert params.frozen
    assert record.__doc__
    assert not record.__doc__.startswith(f"{record.__name__}(")


@pytest.mark.parametrize("closed", [Reason, Verdict, Fault])
def test_closed_sets_say_what_they_are(closed: type) -> None:
    for member in closed:  # type: ignore[attr-defined]
        assert str(member) == member.value
        assert member.name.upper() == member.value.upper()
    if closed is Reason:
        assert all(member.value == member.value.upper() for member in Reason)


def test_the_reason_codes_of_the_design_are_all_there() -> None:
    words = """EMPTY_RESULT RESULT_MISSING_ROWS RESULT_EXTRA_ROWS RESULT_MISSING_COLUMNS
    RESULT_EXTRA_COLUMNS VALUE_MISMATCH ORDER_MISMATCH DUPLICATES_MISMATCH TIE_UNDETERMINED
    PARSE_ERROR EXECUTION_ERROR EXECUTION_TIMEOUT GOLD_EXECUTION_ERROR GOLD_EXECUTION_TIMEOUT
    WRITE_BLOCKED ROW_LIMIT MEMORY_LIMIT NO_SQL_PRODUCED UNSUPPORTED_FEATURE BUDGET_EXHAUSTED
    JUDGE_UNPARSEABLE JUDGE_UNAVAILABLE GOLD_SUSPECT AMBIGUOUS_QUESTION"""
    assert set(words.split()) <= {member.value for member in Reason}


def test_an_abstention_gives_no_sql() -> None:
    with pytest.raises(ValueError, match="both abstains"):
        Prediction("1", "SELECT 1", abstained=True)
    assert Prediction("1", abstained=True).sql is None


def test_a_result_comes_back_whole_from_its_line() -> None:
    result = Result(
        3,
        "id",
        "db",
        "É?",
        ("SELECT 1", "SELECT 2"),
        None,
        True,
        Verdict.UNSCORED,
        Fault.TOOLKIT,
        {"ex": None, "ex[bird]": 0.5},
        (Reason.TOOLKIT_ERROR,),
        (
            Undecided(
                "toolkit",
                (Reason.TOOLKIT_ERROR,),
                fault=Fault.TOOLKIT,
                failure=StageFailure("case", "a bug"),
            ),
            Related("compare", relations=(Relation("scale", {"changed": [{"factor": 100}]}),)),
        ),
        {"gold": 0.1},
        answerable=False,
        difficulty="hard",
        confidence=0.25,
        message="m",
        tags={"a": "b"},
    )
    assert result.schema == RESULT_SCHEMA
    assert msgspec.json.decode(msgspec.json.encode(result), type=Result) == result


EVIDENCE = (
    Proved("prove", trust="proved", form="SELECT 1"),
    Refuted("refute", (Reason.VALUE_MISMATCH,), grade="ungraded", sentence="they differ"),
    Tested("compare"),
    Related("compare", relations=(Relation("scale", broken=Refuted("refute", grade="ordinary")),)),
    Failed("execute", query="prediction"),
    Judged("flex", correct=True),
    Undecided("toolkit", fault=Fault.TOOLKIT, failure=StageFailure("case", "a bug")),
    Contradicted("toolkit", against="real"),
    Signs("signs", gold=(LoggedSign("dead_literal", "strong"),)),
    Recorded("record", verdicts={"a": 1.0}, equal=True),
    OpenQuestion("policy", question="?"),
)


def test_each_type_of_evidence_is_listed() -> None:
    assert {type(piece) for piece in EVIDENCE} == set(get_args(Evidence))


@pytest.mark.parametrize("piece", EVIDENCE, ids=lambda piece: type(piece).__name__)
def test_evidence_has_the_same_bytes_in_every_process(piece: Evidence) -> None:
    text = msgspec.json.encode(piece)
    assert msgspec.json.encode(pickle.loads(pickle.dumps(piece))) == text
    decoded = msgspec.json.decode(text, type=Evidence)
    assert decoded == piece
    assert msgspec.json.encode(decoded) == text


def test_what_users_give_is_coerced_or_refused(tmp_path: Path) -> None:
    for golds in ("SELECT 1", ["SELECT 1"], ("SELECT 1",)):
        case = Case(id=7, db_id="shop", golds=golds, database=tmp_path)  # type: ignore[arg-type]
        assert (case.id, case.golds, case.database) == ("7", ("SELECT 1",), str(tmp_path))
    assert Prediction(7, "SELECT 1", samples=["SELECT 2"]) == Prediction(  # type: ignore[arg-type]
        "7", "SELECT 1", samples=("SELECT 2",)
    )
    for wrong in (
        {"id": 1.5},
        {"id": None},
        {"golds": 7},
        {"golds": [None]},
        {"golds": {"SELECT 1"}},
    ):
        with pytest.raises(UsageError, match=next(iter(wrong)).rstrip("s")):
            Case(**{"id": "1", "db_id": "shop", **wrong})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="SQL of prediction '1' is int"):
        Prediction("1", 7)  # type: ignore[arg-type]
