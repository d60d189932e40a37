"""A proof beside a real database: what it rests on must hold there."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.evidence import Proved, Undecided
from sqlverdict.execute.engine import ENGINES
from sqlverdict.execute.fact_check import FactCheck
from sqlverdict.parse.facts import References
from sqlverdict.parse.query import parse
from sqlverdict.parse.schemas.sqlite import read_sqlite
from sqlverdict.prove.certificate import check_certificate, make_certificate
from sqlverdict.prove.evidence import derivation_evidence
from sqlverdict.prove.on_data import prove_on_data
from sqlverdict.prove.proof import Derivation, NotProved, Proof
from sqlverdict.records import Reason

SQLITE = ENGINES.get("sqlite")
SCHEMA = """
CREATE TABLE radio (radio_id INTEGER PRIMARY KEY, name TEXT NOT NULL, year INTEGER NOT NULL);
CREATE TABLE child (id INTEGER PRIMARY KEY, rid INTEGER NOT NULL REFERENCES radio(radio_id));
"""
GOOD = "INSERT INTO radio VALUES (1, 'a', 1990), (2, 'b', 1991); INSERT INTO child VALUES (1, 1);"
ORPHAN = GOOD + "INSERT INTO child VALUES (2, 7);"
ALL, JOINED = (
    "SELECT count(*) FROM child",
    "SELECT count(*) FROM child JOIN radio ON child.rid = radio.radio_id",
)


def database(path: Path, rows: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA + rows)
        connection.commit()
    return path


def proved(path: Path, gold: str, prediction: str) -> Derivation:
    return prove_on_data(parse(gold), parse(prediction), read_sqlite(path), SQLITE, path)


def test_a_proof_whose_facts_hold_is_a_proof(tmp_path: Path) -> None:
    proof = proved(database(tmp_path / "t.sqlite", GOOD), ALL, JOINED)
    assert isinstance(proof, Proof)
    assert "child(rid) references radio(radio_id)" in proof.facts
    assert (proof.unchecked, proof.left_out) == ((), ())


@pytest.mark.parametrize(("pattern", "other"), [("LIKE '1'", "= '1'"), ("LIKE '_%'", "<> ''")])
def test_a_text_with_a_nul_character_breaks_its_type(
    tmp_path: Path, pattern: str, other: str
) -> None:
    pair = [f"SELECT radio_id FROM radio WHERE name {test}" for test in (pattern, other)]
    good = "INSERT INTO radio VALUES (1, '1', 1990), (2, '', 1991);"
    assert proved(database(tmp_path / "good.sqlite", good), *pair).proved
    broken = good + "INSERT INTO radio VALUES (3, '1' || char(0) || 'x', 1), (4, char(0), 1);"
    path = database(tmp_path / "broken.sqlite", broken)
    with closing(sqlite3.connect(path)) as connection:
        one, two = (connection.execute(sql).fetchall() for sql in pair)
    assert one != two
    assert not proved(path, *pair).proved


def test_no_data_break_nothing(tmp_path: Path) -> None:
    path = database(tmp_path / "t.sqlite", "")
    assert proved(path, ALL, JOINED).proved
    schema, gold, prediction = read_sqlite(path), parse(ALL), parse(JOINED)
    assert prove_on_data(gold, prediction, schema, SQLITE, tmp_path / "gone.sqlite").proved
    assert prove_on_data(gold, prediction, schema, SQLITE, None).proved


def test_a_proof_that_the_data_break_is_shown_and_not_used(tmp_path: Path) -> None:
    proof = proved(database(tmp_path / "t.sqlite", ORPHAN), ALL, JOINED)
    assert isinstance(proof, NotProved)
    assert proof.reason is Reason.FACT_BROKEN
    assert proof.declared is not None
    assert proof.broken == ("child(rid) references radio(radio_id): rid = 7 has no row in radio",)
    evidence = derivation_evidence(proof)
    assert isinstance(evidence, Undecided)
    assert evidence.declared == derivation_evidence(proof.declared)
    assert evidence.broken == proof.broken


def test_a_proof_that_can_do_without_a_broken_fact_stays_one(tmp_path: Path) -> None:
    """The first proof may cite more than it needs; the second uses what holds."""
    path = database(tmp_path / "t.sqlite", ORPHAN + "INSERT INTO radio VALUES (3, 'c', 'old');")
    schema = read_sqlite(path)
    gold = "SELECT DISTINCT radio_id, year FROM radio WHERE year = 1990"
    proof = proved(path, gold, "SELECT radio_id, year FROM radio WHERE year = 1990")
    assert isinstance(proof, Proof), proof
    certificate = make_certificate(proof, schema)
    assert check_certificate(certificate).holds


@pytest.mark.parametrize(
    ("gold", "prediction", "broken"),
    [
        (
            "SELECT name FROM radio WHERE year > 1990",
            "SELECT name FROM radio WHERE year >= 1991",
            "year holds 'old'",
        ),
    ],
)
def test_types_are_taken_at_their_word_only_where_the_data_keep_it(
    tmp_path: Path, gold: str, prediction: str, broken: str
) -> None:
    good = database(tmp_path / "good.sqlite", GOOD)
    assert proved(good, gold, prediction).proved
    bad = database(tmp_path / "bad.sqlite", "INSERT INTO radio VALUES (3, 'c', 'old');")
    proof = proved(bad, gold, prediction)
    assert isinstance(proof, NotProved)
    assert any(broken in line for line in proof.broken)


def test_a_fact_beyond_the_bound_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = database(tmp_path / "t.sqlite", GOOD)

    fact = References("child", ("rid",), "radio", ("radio_id",))
    check = FactCheck(fact, "unchecked", "stopped after 5 steps")
    monkeypatch.setattr("sqlverdict.prove.on_data.check_facts", lambda *_: (check,))
    proof = proved(path, ALL, JOINED)
    assert isinstance(proof, Proof)
    assert proof.unchecked == (
        "child(rid) references radio(radio_id): not checked: stopped after 5 steps",
    )
    evidence = derivation_evidence(proof)
    assert isinstance(evidence, Proved)
    assert evidence.unchecked == proof.unchecked
