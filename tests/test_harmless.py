"""What a difference may be without changing the answer, and what only looks like that."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from sqlverdict import Options, evaluate
from sqlverdict.compare.relations.scale import multiplies_by_100
from sqlverdict.evidence import Refuted, Related, Relation
from sqlverdict.harmless import find_harmless
from sqlverdict.records import Case, Reason, Verdict

CASE = Case("1", "db", "How many are there?", ("SELECT 1",))
RANKED = Case("1", "db", "List them in descending order.", ("SELECT 1",))
SHARE = Case("1", "db", "What percentage of them is old?", ("SELECT 1",))
DISTINCT = Case("1", "db", "What are the distinct names?", ("SELECT 1",))
NAMES = Case("1", "db", "What are their names?", ("SELECT 1",))


def related(kind: str, **detail: Any) -> Related:
    return Related("compare", (Reason.VALUE_MISMATCH,), relations=(Relation(kind, detail),))


def harmless(case: Case, difference: Related) -> str | None:
    relation = find_harmless(case, difference)
    return None if relation is None else relation.kind


@pytest.mark.parametrize(
    ("kind", "detail", "case", "expected"),
    [
        ("column_permutation", {"order": "free"}, CASE, True),
        ("column_permutation", {"order": "other"}, CASE, True),
        ("column_permutation", {"order": "other"}, RANKED, False),
        ("extra_columns", {"order": "same"}, RANKED, True),
        ("extra_columns", {"columns": [0], "extra": [1, 2]}, CASE, True),
        ("extra_columns", {"columns": [0], "extra": [1, 2, 3]}, CASE, False),
        ("extra_columns", {"columns": [0, 1, 2], "extra": [3, 4, 5]}, CASE, True),
        ("extra_columns", {"columns": [0, 1, 2], "extra": [3, 4, 5, 6]}, CASE, False),
        ("extra_columns", {"columns": [1], "extra": [0], "constant": [1]}, CASE, False),
        ("extra_columns", {"columns": [1], "extra": [0], "constant": None}, CASE, False),
        ("extra_columns", {"columns": [1], "extra": [0], "alternatives": [0]}, CASE, False),
        ("order_only", {}, CASE, True),
        ("order_only", {}, RANKED, False),
        ("order_only", {}, Case("1", "db"), False),
        ("null_rows", {"order": "same"}, RANKED, False),
        ("scale", {"changed": [{"factor": 100}]}, SHARE, True),
        ("scale", {"changed": [{"factor": 0.01}]}, SHARE, True),
        ("scale", {"changed": [{"factor": 100}]}, CASE, False),
        ("scale", {"changed": [{"factor": 1000}]}, SHARE, False),
        ("scale", {}, SHARE, False),
        ("scale", {"columns": [0, None], "changed": [{"factor": 100}]}, SHARE, False),
        ("rounding", {"order": "free"}, CASE, True),
        ("rounding", {"columns": [None, 0]}, CASE, False),
        ("formats", {"columns": [0], "changed": [{"steps": ["number"]}]}, CASE, True),
        ("formats", {"columns": [0], "changed": [{"steps": ["case"]}]}, CASE, False),
        ("formats", {"columns": [0], "changed": [{"steps": ["trim", "case"]}]}, CASE, False),
        ("formats", {"columns": [0, None], "changed": [{"steps": ["trim"]}]}, CASE, False),
        ("yes_no", {"changed": [{"gold_form": "words", "prediction_form": "bits"}]}, CASE, True),
        ("yes_no", {"changed": [{"gold_form": "words", "prediction_form": "count"}]}, CASE, False),
        ("transposed", {"row": "gold", "order": "same"}, CASE, True),
        ("transposed", {"row": "gold", "order": "other"}, CASE, False),
        ("transposed", {"row": "prediction", "order": "other"}, CASE, True),
        ("transposed", {"row": "prediction", "order": "other"}, RANKED, False),
        ("transposed", {"row": "prediction", "order": "same", "constant": [0]}, CASE, False),
        ("tie_superset", {"limited": "gold", "columns": [0], "extra": 7}, RANKED, True),
        ("tie_superset", {"limited": "prediction"}, CASE, True),
        ("tie_superset", {}, CASE, False),
        ("sum_of_list", {"list": "gold", "function": "sum"}, CASE, True),
        ("sum_of_list", {"list": "gold", "function": "sum"}, NAMES, False),
        ("sum_of_list", {"list": "prediction", "function": "sum"}, CASE, False),
        ("sum_of_list", {"list": "gold", "function": "count"}, CASE, False),
        ("row_superset", {}, CASE, False),
        ("missing_columns", {"order": "free"}, CASE, False),
        ("duplicates_only", {"gold_rows": 1, "prediction_rows": 2}, CASE, True),
        ("duplicates_only", {"gold_rows": 1, "prediction_rows": 2}, DISTINCT, False),
        ("duplicates_only", {"gold_rows": 2, "prediction_rows": 1}, DISTINCT, True),
    ],
)
def test_what_is_harmless(kind: str, detail: dict[str, Any], case: Case, expected: bool) -> None:
    assert (harmless(case, related(kind, **detail)) is not None) is expected
    rows_alone = kind in ("duplicates_only", "order_only")
    weak = harmless(case, related(kind, weak=True, **detail)) is not None
    assert weak is (expected and rows_alone), "chance excuses nothing but a match"


def test_a_relation_that_breaks_elsewhere_is_not_harmless() -> None:
    relation = related("extra_columns", columns=[1], extra=[0])
    assert harmless(CASE, relation) == "extra_columns"
    broken = replace(relation.relations[0], broken=Refuted("refute", grade="ordinary"))
    assert harmless(CASE, replace(relation, relations=(broken,))) is None


def test_a_record_without_order_cannot_differ_in_order() -> None:
    relation = related("extra_columns", order="other")
    assert harmless(RANKED, relation) is None
    unordered = replace(relation, ordered=False)
    assert harmless(RANKED, unordered) == "extra_columns"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a * 100 / b FROM t", True),
        ("SELECT 100.0*a/b FROM t", True),
        ("SELECT a FROM t WHERE b > 100", False),
        ("SELECT a, '* 100' FROM t", False),
        ("SELECT a * 1000 FROM t", False),
    ],
)
def test_a_gold_that_multiplies_by_100_is_a_percentage(sql: str, expected: bool) -> None:
    assert multiplies_by_100(sql) is expected


@pytest.mark.parametrize(
    ("gold", "question", "factors"),
    [
        ("SELECT a * 100.0 / b FROM t", "What percentage is it?", {0.01}),
        ("SELECT a * 100.0 / b FROM t", "How much of it?", {0.01}),
        ("SELECT a * 1.0 / b FROM t", "What percentage is it?", {100}),
        ("SELECT a * 1.0 / b FROM t", "How much of it?", set()),
        ("SELECT a / 0.01 / b FROM t", "What percentage is it?", {100, 0.01}),
        ("SELECT rate FROM t", "What is the rate?", {100, 0.01}),
        ("SELECT rate, '/' FROM t", "What is the rate?", {100, 0.01}),
    ],
)
def test_a_percentage_times_100_is_none(gold: str, question: str, factors: set[float]) -> None:
    """A share becomes a percentage, a percentage a share; not the other way round."""
    case = Case("1", "db", question, (gold,))
    results = {f for f in (100, 0.01) if harmless(case, related("scale", changed=[{"factor": f}]))}
    assert results == factors


def test_any_of_several_golds_may_be_the_share() -> None:
    both = ("SELECT a * 100.0 / b FROM t", "SELECT a * 1.0 / b FROM t")
    for factor in (100, 0.01):
        evidence = related("scale", changed=[{"factor": factor}])
        case = Case("1", "db", "What percentage is it?", both)
        assert harmless(case, evidence) == "scale"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.sqlite"
    connection = sqlite3.connect(path)
    connection.execute(
        "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, age INT, city TEXT)"
    )
    rows = [(n, f"Person {n}", 20 + n % 37, f"City {n % 7}") for n in range(1, 246)]
    connection.executemany("INSERT INTO person VALUES (?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    return path


def verdict(
    people: Path, question: str, gold: str, prediction: str, policy: str = "strict"
) -> Verdict:
    case = Case("1", "people", question, (gold,), str(people))
    options = Options(metrics="ex,verdict", workers=0, cache=None, policy=policy)
    (result,) = evaluate([case], {"1": prediction}, options=options).results()
    assert result.scores["ex"] == 0, "these answers differ"
    return result.verdict


NUMBERS = ", ".join(map(str, range(1, 2000)))
COUNT = ("How many people are there?", "SELECT count(*) FROM person")
NAME = ("What are the names of people above 50?", "SELECT name FROM person WHERE age > 50")


@pytest.mark.parametrize(
    ("question", "gold", "prediction"),
    [
        pytest.param(*COUNT, f"SELECT {NUMBERS}", id="a range of numbers"),
        pytest.param(*COUNT, "SELECT 245, 7, 37", id="a few numbers"),
        pytest.param(*COUNT, "SELECT 24500", id="a constant times 100"),
        pytest.param(*COUNT, "SELECT count(*) * 100 FROM person", id="a count times 100"),
        pytest.param(*COUNT, "SELECT '245'", id="a constant as text"),
        pytest.param(*COUNT, "SELECT 245.3", id="a constant that rounds to it"),
        pytest.param(
            *COUNT,
            "SELECT (SELECT count(DISTINCT city) FROM person), (SELECT count(*) FROM person)",
            id="several counts",
        ),
        pytest.param(*COUNT, "SELECT count(*), max(age) FROM person", id="several figures"),
        pytest.param(*COUNT, "SELECT x, 1 FROM (SELECT 245 AS x)", id="a derived constant"),
        pytest.param(
            "What are the names and ages of people above 50?",
            "SELECT name, age FROM person WHERE age > 50",
            "SELECT upper(name) FROM person WHERE age > 50",
            id="a missing column in capitals",
        ),
        pytest.param(
            "What percentage of people is older than 50?",
            "SELECT count(CASE WHEN age > 50 THEN 1 END) * 100.0 / count(*) FROM person",
            "SELECT count(CASE WHEN age > 50 THEN 1 END) * 10000.0 / count(*) FROM person",
            id="a percentage times 100",
        ),
        pytest.param(
            "What percentage of people is older than 50?",
            "SELECT count(CASE WHEN age > 50 THEN 1 END) * 1.0 / count(*) FROM person",
            "SELECT count(CASE WHEN age > 50 THEN 1 END) * 0.01 / count(*) FROM person",
            id="a share by 100",
        ),
        pytest.param(*NAME, "SELECT upper(name) FROM person WHERE age > 50", id="capitals"),
        pytest.param(*NAME, "SELECT lower(name) FROM person WHERE age > 50", id="small letters"),
        pytest.param(
            *NAME,
            "SELECT a.*, b.* FROM person a JOIN person b ON a.id = b.id WHERE a.age > 50",
            id="whole rows twice",
        ),
        pytest.param(*NAME, "SELECT * FROM person WHERE age > 50", id="whole rows"),
        pytest.param(
            "What are the names of people above 10?",
            "SELECT name FROM person WHERE age > 10",
            "SELECT name, 1 FROM person",
            id="a lucky match behind one more column",
        ),
        pytest.param(
            "List the ages of people in City 3.",
            "SELECT age FROM person WHERE city = 'City 3'",
            "SELECT sum(age) FROM person WHERE city = 'City 3'",
            id="the sum of a list nobody asked for",
        ),
        pytest.param(
            "What is the lowest and the highest age?",
            "SELECT min(age), max(age) FROM person",
            "SELECT max(age) FROM person UNION ALL SELECT min(age) FROM person",
            id="a row turned round",
        ),
        pytest.param(
            "Which ages do the two oldest have?",
            "SELECT DISTINCT age FROM person ORDER BY age DESC LIMIT 2",
            "SELECT 56, 55",
            id="constants side by side",
        ),
    ],
)
def test_what_needs_no_understanding_is_not_harmless(
    people: Path, question: str, gold: str, prediction: str
) -> None:
    for policy in ("strict", "intent"):
        assert verdict(people, question, gold, prediction, policy) is Verdict.INCORRECT


@pytest.mark.parametrize(
    ("question", "gold", "prediction"),
    [
        pytest.param(*NAME, "SELECT name, age FROM person WHERE age > 50", id="one more column"),
        pytest.param(
            "Who is the person with the number 17?",
            "SELECT name FROM person WHERE id = 17",
            "SELECT id, name FROM person WHERE id = 17",
            id="one more column in one row",
        ),
        pytest.param(
            "What percentage of people is older than 50?",
            "SELECT count(CASE WHEN age > 50 THEN 1 END) * 1.0 / count(*) FROM person",
            "SELECT count(CASE WHEN age > 50 THEN 1 END) * 100.0 / count(*) FROM person",
            id="a percentage for a share",
        ),
        pytest.param(
            "What percentage of people is older than 50?",
            "SELECT count(CASE WHEN age > 50 THEN 1 END) * 100.0 / count(*) FROM person",
            "SELECT count(CASE WHEN age > 50 THEN 1 END) * 1.0 / count(*) FROM person",
            id="a share for a percentage",
        ),
        pytest.param(
            "What is the average age, as a share of one hundred?",
            "SELECT avg(age) FROM person",
            "SELECT round(avg(age), 2) FROM person",
            id="rounding",
        ),
        pytest.param(
            "Names and cities of people above 50?",
            "SELECT name, city FROM person WHERE age > 50",
            "SELECT name || ' ' || city FROM person WHERE age > 50",
            id="joined columns",
        ),
    ],
)
def test_what_says_the_same_is_harmless(
    people: Path, question: str, gold: str, prediction: str
) -> None:
    assert verdict(people, question, gold, prediction) is Verdict.CORRECT
    by_intent = verdict(people, question, gold, prediction, "intent")
    assert by_intent in (Verdict.CORRECT, Verdict.NEEDS_REVIEW)


def test_a_field_of_another_form_is_one_that_is_not_known() -> None:
    """Proofs come from logs of other versions and of plug-ins too."""
    odd = Relation("any", {"columns": "all", "extra": 2, "constant": "some", "tied": "many"}).proof
    assert (odd.columns, odd.extra, odd.constant, odd.tied) == (None, (), None, None)
    assert Relation("any").proof.constant == (), "absent: every column reads a row"
    assert Relation("any", {"constant": None}).proof.constant is None
