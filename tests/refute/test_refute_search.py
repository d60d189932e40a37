"""The search: legal, determined, repeatable, small, and honest about what it could not do."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlverdict.execute.in_memory import warm_scratch
from sqlverdict.parse.facts import NotNull, References, Unique, facts_of
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer, Query, Reason
from sqlverdict.refute.make.generator import InstanceGenerator
from sqlverdict.refute.read.constants import read_query
from sqlverdict.refute.search import find_witness
from sqlverdict.refute.trial.legal import legal
from sqlverdict.refute.witness import Instance, NotRefuted, SearchBudget, Witness

SCHEMA = """
CREATE TABLE dept (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, budget REAL);
CREATE TABLE emp (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, dept_id INTEGER NOT NULL REFERENCES dept (id),
  boss INTEGER REFERENCES emp (id), salary INTEGER CHECK (salary >= 0), hired TEXT,
  UNIQUE (dept_id, name));
CREATE TABLE badge (emp_id INTEGER NOT NULL REFERENCES emp (id), code TEXT NOT NULL,
  PRIMARY KEY (emp_id, code));
"""


@pytest.fixture(scope="module")
def schema() -> Schema:
    return read_ddl(SCHEMA, "firm")


DIFFERENT = [
    ("SELECT name FROM emp WHERE salary > 10", "SELECT name FROM emp WHERE salary >= 10"),
    ("SELECT count(*) FROM emp", "SELECT count(salary) FROM emp"),
    (
        "SELECT d.name FROM dept d JOIN emp e ON e.dept_id = d.id",
        "SELECT d.name FROM dept d LEFT JOIN emp e ON e.dept_id = d.id",
    ),
    (
        "SELECT name FROM emp WHERE salary = (SELECT max(salary) FROM emp)",
        "SELECT name FROM emp ORDER BY salary DESC LIMIT 1",
    ),
    ("SELECT DISTINCT salary FROM emp", "SELECT salary FROM emp"),
    ("SELECT sum(salary) / count(*) FROM emp", "SELECT avg(salary) FROM emp"),
    (
        "SELECT name FROM emp WHERE id NOT IN (SELECT boss FROM emp)",
        "SELECT name FROM emp e WHERE NOT EXISTS (SELECT 1 FROM emp x WHERE x.boss = e.id)",
    ),
    (
        "SELECT count(*) FROM emp WHERE strftime('%Y', hired) = '2012'",
        "SELECT count(*) FROM emp WHERE hired >= '2012-01-01'",
    ),
    (
        "SELECT dept_id FROM emp GROUP BY dept_id HAVING count(*) > 3",
        "SELECT dept_id FROM emp GROUP BY dept_id HAVING count(*) >= 3",
    ),
    (
        "SELECT name FROM dept WHERE name LIKE '%ale%'",
        "SELECT name FROM dept WHERE name LIKE 'ale%'",
    ),
]

EQUAL = [
    ("SELECT id FROM emp WHERE salary BETWEEN 1 AND 5", "SELECT id FROM emp WHERE salary >= 1 AND salary <= 5"),
    ("SELECT count(*) FROM emp", "SELECT count(name) FROM emp"),
    ("SELECT e.name FROM emp e JOIN dept d ON e.dept_id = d.id", "SELECT name FROM emp"),
    ("SELECT DISTINCT name FROM dept", "SELECT name FROM dept"),
    ("SELECT name FROM emp WHERE salary < 0", "SELECT name FROM emp WHERE 0"),
    (
        "SELECT name FROM dept WHERE id IN (SELECT dept_id FROM emp)",
        "SELECT name FROM dept d WHERE EXISTS (SELECT 1 FROM emp e WHERE e.dept_id = d.id)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "prediction"), DIFFERENT)
def test_differences_are_found_legal_small_and_real(
    schema: Schema, gold: str, prediction: str
) -> None:
    witness = find_witness(gold, prediction, schema)
    assert isinstance(witness, Witness)
    assert legal(witness.instance, facts_of(schema)) == []
    assert witness.instance.size <= 8
    # On a fresh database with every constraint switched on, the two queries differ.
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN")
    connection.execute("PRAGMA defer_foreign_keys = ON")
    for table, rows in witness.instance.rows.items():
        for row in rows:
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)
    connection.execute("COMMIT")
    ours = connection.execute(gold).fetchall()
    theirs = connection.execute(prediction).fetchall()
    connection.close()
    assert sorted(map(repr, ours)) != sorted(map(repr, theirs))


@pytest.mark.parametrize(("gold", "prediction"), EQUAL)
@pytest.mark.parametrize("seed", range(3))
def test_equivalences_are_not_refuted(
    schema: Schema, gold: str, prediction: str, seed: int
) -> None:
    budget = SearchBudget(instances=200, seed=seed, alike=1)
    witness = find_witness(gold, prediction, schema, budget=budget)
    assert isinstance(witness, NotRefuted), getattr(witness, "instance", None)
    assert witness.instances == 200


@pytest.mark.slow
def test_each_fact_carries_weight(schema: Schema) -> None:
    """Drop a fact, and what it made equal falls apart."""
    whole = facts_of(schema)
    cases = [
        ("SELECT count(*) FROM emp", "SELECT count(name) FROM emp", NotNull("emp", "name")),
        ("SELECT DISTINCT name FROM dept", "SELECT name FROM dept", Unique("dept", ("name",))),
        (
            "SELECT e.name FROM emp e JOIN dept d ON e.dept_id = d.id",
            "SELECT name FROM emp",
            References("emp", ("dept_id",), "dept", ("id",)),
        ),
    ]
    for gold, prediction, fact in cases:
        assert fact in whole
        assert not find_witness(gold, prediction, schema, facts=whole).refuted
        witness = find_witness(gold, prediction, schema, facts=whole - {fact})
        assert isinstance(witness, Witness), fact
        assert legal(witness.instance, whole - {fact}) == []


@pytest.mark.slow
def test_same_seed_same_witness(schema: Schema) -> None:
    for gold, prediction in DIFFERENT[:4]:
        one = find_witness(gold, prediction, schema, budget=SearchBudget(seed=5))
        two = find_witness(gold, prediction, schema, budget=SearchBudget(seed=5))
        assert isinstance(one, Witness)
        assert isinstance(two, Witness)
        assert one.instance.rows == two.instance.rows
        assert one.instances_tried == two.instances_tried


@pytest.mark.slow
@pytest.mark.parametrize(
    "undetermined",
    [
        "SELECT name FROM emp ORDER BY salary LIMIT 1",
        "SELECT name FROM emp LIMIT 1",
        "SELECT group_concat(name) FROM emp",
        "SELECT dept_id, name FROM emp GROUP BY dept_id",
        "SELECT (SELECT name FROM emp) FROM dept",
    ],
)
def test_an_undetermined_answer_is_no_witness(schema: Schema, undetermined: str) -> None:
    """Only databases on which both answers are their own may count."""
    witness = find_witness(undetermined, f"SELECT * FROM ({undetermined})", schema)
    assert not witness.refuted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT name FROM emp ORDER BY salary, id DESC LIMIT 1", "SELECT name FROM emp ORDER BY salary LIMIT 1"),
        ("SELECT name FROM emp ORDER BY salary LIMIT 1", "SELECT name FROM emp ORDER BY salary, id DESC LIMIT 1"),
        ("SELECT max(name) FROM emp GROUP BY dept_id", "SELECT name FROM emp GROUP BY dept_id"),
    ],
)  # fmt: skip
def test_a_difference_that_rests_on_a_pick_is_no_witness(
    schema: Schema, gold: str, prediction: str
) -> None:
    """The primary key makes the picked row look determined; without keys it is not."""
    witness = find_witness(gold, prediction, schema)
    if gold.endswith("salary LIMIT 1"):
        assert isinstance(witness, NotRefuted), witness
        assert witness.instances > 0
    else:
        # The gold is determined: that the prediction is not is a witness of its own kind.
        assert isinstance(witness, Witness)
        assert witness.kind == "undetermined_prediction"


@pytest.mark.parametrize(
    ("gold", "prediction", "reason"),
    [
        ("SELECT wages FROM emp", "SELECT 1", Reason.GOLD_EXECUTION_ERROR),
        ("SELECT 1", "SELECT wages FROM emp", Reason.EXECUTION_ERROR),
        ("SELECT 1", "SELEC 1", Reason.PARSE_ERROR),
        ("SELECT 1", "DROP TABLE emp", Reason.WRITE_BLOCKED),
        ("SELECT 1", "SELECT random()", Reason.UNSUPPORTED_FEATURE),
        ("SELECT date('now')", "SELECT '2020-01-01'", Reason.UNSUPPORTED_FEATURE),
    ],
)
def test_what_cannot_be_searched_says_why(
    schema: Schema, gold: str, prediction: str, reason: Reason
) -> None:
    for _ in range(2):
        witness = find_witness(gold, prediction, schema)
        assert isinstance(witness, NotRefuted)
        assert (witness.instances, witness.reason) == (0, reason)


def test_hostile_queries_change_nothing_and_end(schema: Schema) -> None:
    endless = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    )
    for hostile in ("WITH d AS (SELECT 1) DELETE FROM emp", endless, "SELECT 1; DELETE FROM emp"):
        assert not find_witness("SELECT count(*) FROM emp", hostile, schema).refuted
    assert find_witness(*DIFFERENT[0], schema).refuted


def test_given_instances_come_first(schema: Schema) -> None:
    gold, prediction = DIFFERENT[1]
    row = (1, "a", 1, None, None, None)
    instance = Instance(schema, {"dept": ((1, "d", None),), "emp": (row,)})
    witness = find_witness(
        gold, prediction, schema, first=[instance], budget=SearchBudget(instances=1)
    )
    assert isinstance(witness, Witness)
    assert (witness.origin, witness.instances_tried) == ("bank", 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 60), st.sampled_from(DIFFERENT + EQUAL))
def test_generated_instances_obey_the_facts(seed: int, number: int, pair: tuple[str, str]) -> None:
    """Whatever the engine takes in of an instance is legal, or the search rejects it."""
    declared = read_ddl(SCHEMA, "firm")
    readings = []
    for sql in pair:
        query = parse(sql)
        assert isinstance(query, Query)
        readings.append(read_query(query, declared))
    scratch = warm_scratch(declared, None, False)
    facts = facts_of(declared)
    generator = InstanceGenerator(declared, facts, readings[0].merge(readings[1]), seed, scratch)
    rows = generator.instance(number)
    scratch.load(rows)
    stored = scratch.stored(rows)
    if all(len(stored[table]) == len(rows[table]) for table in rows):
        assert legal(Instance(declared, stored), facts) == []


def test_grades_follow_the_real_data(tmp_path: Path) -> None:
    """A NULL where the real column never has one is not ordinary."""
    file = tmp_path / "firm.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(SCHEMA)
    connection.executemany(
        "INSERT INTO dept VALUES (?, ?, ?)", [(n, f"d{n}", n) for n in range(30)]
    )
    connection.executemany(
        "INSERT INTO emp VALUES (?, ?, ?, NULL, ?, '2020-01-01')",
        [(n, f"e{n}", n % 30, n % 7) for n in range(90)],
    )
    connection.commit()
    connection.close()
    declared = read_ddl(SCHEMA, "firm")
    null = find_witness(*DIFFERENT[1], declared, database=file)
    assert isinstance(null, Witness)
    assert null.grade == "breaks_regularity"
    assert any("NULL" in broken for broken in null.broken)
    edge = find_witness(
        "SELECT name FROM emp WHERE salary > 3",
        "SELECT name FROM emp WHERE salary >= 3",
        declared,
        database=file,
    )
    assert isinstance(edge, Witness)
    assert edge.grade == "ordinary"
    assert isinstance(edge.gold, Answer)
