"""A prediction that leaves open what the gold decides is a witness; an open gold is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlverdict.evidence import Refuted
from sqlverdict.parse.facts import facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.reasoning.open_choices import shows_any_row
from sqlverdict.records import Answer, Query
from sqlverdict.refute.explain.evidence import refutation_evidence
from sqlverdict.refute.explain.sentence import sentence
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.trial.legal import legal
from sqlverdict.refute.witness import NotRefuted, Witness
from sqlverdict.refute.witness_files import replay, write

SCHEMA = read_ddl(
    "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT NOT NULL,"
    " sold INT NOT NULL, shows INT NOT NULL CHECK (shows > 0));",
    "made",
)
TOP = "SELECT name FROM singer ORDER BY age DESC LIMIT 1"


@pytest.mark.slow
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
    witness = find_witness(gold, prediction, SCHEMA)
    assert isinstance(witness, Witness)
    assert witness.kind == "undetermined_prediction"
    assert witness.grade == "ungraded"
    assert legal(witness.instance, facts_of(SCHEMA)) == []
    assert isinstance(witness.gold, Answer)
    assert isinstance(witness.prediction, Answer)
    assert isinstance(witness.other, Answer)
    assert witness.prediction.rows != witness.other.rows
    assert witness.gold.rows != witness.prediction.rows
    assert sentence(witness).startswith("the prediction leaves open what the gold decides: it may")
    evidence = refutation_evidence(witness)
    assert isinstance(evidence, Refuted)
    assert evidence.kind == "undetermined_prediction"
    assert evidence.other is not None
    assert evidence.other.rows == tuple(witness.other.rows)
    paths = write(witness, tmp_path, "w")
    assert "In another legal order:" in paths[0].read_text()
    for path in paths:
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


CONCERTS = """
CREATE TABLE concert (id number, name text, theme text%s);
CREATE TABLE visit (concert_id number, singer text);
"""
GROUPS = (
    "SELECT T2.name, T2.theme, count(*) FROM visit AS T1 JOIN concert AS T2"
    " ON T1.concert_id = T2.id GROUP BY T2.id",
    "SELECT t1.name, t1.theme, count(*) FROM concert AS t1 JOIN visit AS t2"
    " ON t1.id = t2.concert_id GROUP BY t1.id",
)


@pytest.mark.slow
@pytest.mark.parametrize("gold", [0, 1])
def test_a_gold_that_shows_any_row_of_a_group_decides_nothing(gold: int) -> None:
    # SQLite sorts the rows of the first by an index of its own: its answer looks decided.
    schema = read_ddl(CONCERTS % "", "made")
    assert isinstance(prove(*GROUPS, schema), Proof)
    assert isinstance(find_witness(GROUPS[gold], GROUPS[1 - gold], schema), NotRefuted)
    other = GROUPS[1 - gold].replace("count(*)", "count(*) + 1").replace("JOIN", "LEFT JOIN")
    assert isinstance(find_witness(GROUPS[gold], other, schema), Witness), "another number of rows"


def test_a_key_decides_the_columns_of_a_group() -> None:
    schema = read_ddl(CONCERTS % ", PRIMARY KEY (id)", "made")
    assert not shows_any_row(query_of(GROUPS[0]), schema)
    assert shows_any_row(query_of(GROUPS[0]), read_ddl(CONCERTS % "", "made"))
    assert not shows_any_row(query_of("SELECT name, max(id) FROM concert"), schema)
    filtered = "SELECT id, sum(1) FILTER (WHERE theme > 'a') FROM concert GROUP BY id"
    assert not shows_any_row(query_of(filtered), read_ddl(CONCERTS % "", "made"))
    other = GROUPS[1].replace("count(*)", "count(*) + 1")
    assert isinstance(find_witness(GROUPS[0], other, schema), Witness)


def query_of(sql: str) -> Query:
    query = parse(sql)
    assert isinstance(query, Query)
    return query


def test_a_tie_that_only_the_gold_breaks_is_unusual() -> None:
    schema = read_ddl("CREATE TABLE singer (name TEXT NOT NULL, age INT NOT NULL)", "made")
    gold = "SELECT name FROM singer ORDER BY age DESC, name DESC LIMIT 1"
    witness = find_witness(gold, TOP, schema)
    assert isinstance(witness, Witness)
    assert (witness.kind, witness.grade) == ("undetermined_prediction", "needs_tie")


def test_a_determined_difference_comes_before_an_open_one() -> None:
    witness = find_witness(TOP, "SELECT name FROM singer ORDER BY sold DESC LIMIT 1", SCHEMA)
    assert isinstance(witness, Witness)
    assert (witness.kind, witness.other) == ("different", None)
