"""A prediction that leaves open what the gold decides is a witness; an open gold is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlverdict.evidence import Refuted
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer
from sqlverdict.refute.explain.evidence import evidence_of
from sqlverdict.refute.explain.sentence import sentence
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.trial.legal import legal
from sqlverdict.refute.witness import NotRefuted, Witness
from sqlverdict.refute.witness_files import replay, to_sql, write

SCHEMA = read_ddl(
    "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT NOT NULL,"
    " sold INT NOT NULL, shows INT NOT NULL CHECK (shows > 0));",
    "made",
)
TOP = "SELECT name FROM singer ORDER BY age DESC LIMIT 1"


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (TOP, "SELECT name FROM singer LIMIT 1"),
        (
            "SELECT name FROM singer ORDER BY sold * 1.0 / shows DESC LIMIT 1",
            "SELECT name FROM singer ORDER BY sold / shows DESC LIMIT 1",
        ),
        (TOP, "SELECT name FROM singer ORDER BY 'age' DESC LIMIT 1"),
        (TOP, "SELECT name FROM singer ORDER BY 1 = 1 DESC LIMIT 1"),
        ("SELECT max(age) FROM singer", "SELECT age FROM singer LIMIT 1"),
        (
            "SELECT name FROM singer WHERE age = (SELECT max(age) FROM singer)",
            "SELECT name FROM singer WHERE age = (SELECT age FROM singer LIMIT 1)",
        ),
    ],
)
def test_a_prediction_that_leaves_its_answer_open_is_shown_with_two_answers(
    gold: str, prediction: str, tmp_path: Path
) -> None:
    found = find_witness(gold, prediction, SCHEMA)
    assert isinstance(found, Witness)
    assert found.kind == "undetermined_prediction"
    assert found.grade == "ungraded"
    assert legal(found.instance, facts_of(SCHEMA)) == []
    assert isinstance(found.gold, Answer)
    assert isinstance(found.prediction, Answer)
    assert isinstance(found.other, Answer)
    assert found.prediction.rows != found.other.rows
    assert found.gold.rows != found.prediction.rows
    assert sentence(found).startswith("the prediction leaves open what the gold decides: it may")
    evidence = evidence_of(found)
    assert isinstance(evidence, Refuted)
    assert evidence.kind == "undetermined_prediction"
    assert evidence.other is not None
    assert evidence.other.rows == tuple(found.other.rows)
    assert "In another legal order:" in to_sql(found)
    for path in write(found, tmp_path, "w"):
        assert replay(path).differ


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT name FROM singer LIMIT 1", TOP),
        (TOP, "SELECT name FROM singer ORDER BY age DESC, name LIMIT 1"),
        (
            "SELECT name FROM singer ORDER BY sold / shows DESC LIMIT 1",
            "SELECT name FROM singer ORDER BY sold * 1.0 / shows DESC LIMIT 1",
        ),
    ],
)
def test_a_gold_that_leaves_its_answer_open_is_no_witness(gold: str, prediction: str) -> None:
    assert isinstance(find_witness(gold, prediction, SCHEMA), NotRefuted)


def test_a_tie_that_only_the_gold_breaks_is_unusual() -> None:
    schema = read_ddl("CREATE TABLE singer (name TEXT NOT NULL, age INT NOT NULL)", "made")
    gold = "SELECT name FROM singer ORDER BY age DESC, name DESC LIMIT 1"
    found = find_witness(gold, TOP, schema)
    assert isinstance(found, Witness)
    assert (found.kind, found.grade) == ("undetermined_prediction", "needs_tie")


def test_a_determined_difference_comes_before_an_open_one() -> None:
    found = find_witness(TOP, "SELECT name FROM singer ORDER BY sold DESC LIMIT 1", SCHEMA)
    assert isinstance(found, Witness)
    assert (found.kind, found.other) == ("different", None)
