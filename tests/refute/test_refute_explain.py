"""The sentence names what makes the difference, and claims nothing that the rows do not show."""

from __future__ import annotations

from typing import Any

import pytest
from firm_witness import SCHEMA, on
from sqlglot.expressions import Expr

from sqlverdict.evidence import Refuted, Tested, Undecided
from sqlverdict.evidence_parts import AnswerExcerpt, TableExcerpt
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Answer, Failure, Reason, Row
from sqlverdict.refute.explain import causes_in_queries
from sqlverdict.refute.explain.evidence import find_deciding_rows, refutation_evidence
from sqlverdict.refute.explain.sentence import columns_named, rows_table, sentence
from sqlverdict.refute.witness import Instance, NotRefuted, Witness

PERSON: Row = (1, "Ada", 30, 10.0, "555", 1)
CASES = {
    "tie": (
        "SELECT count(*) FROM players WHERE score = (SELECT max(score) FROM players)",
        "SELECT count(*) FROM (SELECT * FROM players ORDER BY score DESC LIMIT 1)",
        {"players": [(1, "a", 5), (2, "b", 5), (3, "c", 4)]},
        "two rows of players share the highest score",
    ),
    "lowest": (
        "SELECT count(*) FROM players WHERE score = (SELECT min(score) FROM players)",
        "SELECT min(1, count(*)) FROM players",
        {"players": [(1, "a", 5), (2, "b", 5)]},
        "two rows of players share the lowest score",
    ),
    "null": (
        "SELECT count(*) FROM employee",
        "SELECT count(phone) FROM employee",
        {"employee": [(1, "Ada", 30, 10.0, None, 1)]},
        "a row of employee has no phone (NULL)",
    ),
    "null in NOT IN": (
        "SELECT name FROM department WHERE id NOT IN (SELECT dept_id FROM employee)",
        "SELECT name FROM department AS d WHERE NOT EXISTS "
        "(SELECT 1 FROM employee WHERE dept_id = d.id)",
        {"department": [(1, "x", "y")], "employee": [(1, "Ada", 30, 10.0, "5", None)]},
        "a row of employee has no dept_id (NULL)",
    ),
    "missing partner": (
        "SELECT d.name FROM department AS d LEFT JOIN employee AS e ON e.dept_id = d.id",
        "SELECT d.name FROM department AS d JOIN employee AS e ON e.dept_id = d.id",
        {"department": [(1, "x", "y"), (2, "z", "y")], "employee": [PERSON]},
        "a row of department has no partner in employee",
    ),
    "boundary": (
        "SELECT name FROM employee WHERE salary >= 10",
        "SELECT name FROM employee WHERE salary > 10",
        {"employee": [PERSON]},
        "salary is exactly 10 (the gold includes the boundary, the prediction does not)",
    ),
    "boundary beside one that both have": (
        "SELECT count(*) FROM employee WHERE name BETWEEN '2024-03-01' AND '2024-03-31' "
        "AND salary <= 10",
        "SELECT count(*) FROM employee WHERE name BETWEEN '2024-03-01' AND '2024-03-31' "
        "AND salary < 10",
        {"employee": [(1, "2024-03-01", 30, 10.0, "555", 1)]},
        "salary is exactly 10 (the gold includes the boundary, the prediction does not)",
    ),
    "boundary of BETWEEN": (
        "SELECT name FROM employee WHERE age > 20 AND age < 30",
        "SELECT name FROM employee WHERE age BETWEEN 20 AND 30",
        {"employee": [PERSON]},
        "age is exactly 30 (the prediction includes the boundary, the gold does not)",
    ),
    "duplicates": (
        "SELECT DISTINCT name FROM employee",
        "SELECT name FROM employee",
        {"employee": [PERSON, (2, *PERSON[1:])]},
        "two rows of employee have the same name",
    ),
    "duplicates that are NULL": (
        "SELECT DISTINCT phone FROM employee",
        "SELECT phone FROM employee",
        {"employee": [(1, "a", 1, 1.0, None, 1), (2, "b", 2, 2.0, None, 2)]},
        "two rows of employee have the same phone (NULL)",
    ),
    "letter case": (
        "SELECT name FROM department WHERE city = 'Rome'",
        "SELECT name FROM department WHERE city LIKE 'rome'",
        {"department": [(1, "x", "rome")]},
        "city differs from 'Rome' only in letter case",
    ),
    "a filter that one lacks": (
        "SELECT name FROM employee WHERE age > 20 AND salary > 50",
        "SELECT name FROM employee WHERE age > 20",
        {"employee": [PERSON]},
        "a row of employee fails salary > 50 (only the gold asks for it)",
    ),
    "a filter that one lacks and the other repeats": (
        "SELECT name FROM employee WHERE salary > 50 AND age > 20 AND salary > 50",
        "SELECT name FROM employee WHERE age > 20",
        {"employee": [PERSON]},
        "a row of employee fails salary > 50 (only the gold asks for it)",
    ),
    "a filter too many": (
        "SELECT e.name FROM employee AS e",
        "SELECT e.name FROM employee AS e WHERE e.phone IS NOT NULL",
        {"employee": [(1, "Ada", 30, 10.0, None, 1)]},
        "a row of employee has no phone (NULL; the prediction leaves it out)",
    ),
    "another constant": (
        "SELECT name FROM department WHERE city = 'Rome'",
        "SELECT name FROM department WHERE city = 'Oslo'",
        {"department": [(1, "x", "Rome")]},
        "city = 'Rome' (gold) and city = 'Oslo' (prediction) do not hold for the same rows",
    ),
    "groups": (
        "SELECT dept_id FROM employee GROUP BY dept_id HAVING count(*) >= 2",
        "SELECT dept_id FROM employee GROUP BY dept_id HAVING count(*) > 2",
        {"employee": [PERSON, (2, *PERSON[1:])]},
        "COUNT(*) >= 2 (gold) and COUNT(*) > 2 (prediction) do not hold for the same groups",
    ),
    "limit": (
        "SELECT name FROM players ORDER BY id LIMIT 1",
        "SELECT name FROM players ORDER BY id",
        {"players": [(1, "a", 5), (2, "b", 6)]},
        "there is more than 1 row to return (only the gold has a LIMIT)",
    ),
    "union": (
        "SELECT name FROM players UNION ALL SELECT name FROM department",
        "SELECT name FROM players UNION SELECT name FROM department",
        {"players": [(1, "a", 5)], "department": [(1, "a", "x")]},
        "rows of the answer repeat (only the prediction removes duplicates, by UNION)",
    ),
    "empty": (
        "SELECT max(score) FROM players",
        "SELECT score FROM players ORDER BY score DESC LIMIT 1",
        {},
        "table players is empty",
    ),
    "an empty table beside others": (
        "SELECT name FROM department WHERE 0 = (SELECT count(*) FROM players)",
        "SELECT name FROM department WHERE 0 < (SELECT sum(id) FROM players)",
        {"department": [(1, "x", "y")]},
        None,
    ),
    "another expression": (
        "SELECT sum(age) FROM employee",
        "SELECT avg(age) FROM employee",
        {"employee": [PERSON, (2, "Bob", 40, 1.0, "5", 1)]},
        "SUM(age) and AVG(age) are not the same",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_sentence_names_the_cause(name: str) -> None:
    gold, prediction, rows, expected = CASES[name]
    text = sentence(on(gold, prediction, **rows))
    assert text == sentence(on(gold, prediction, **rows))
    if expected is not None:
        assert text == f"they differ when {expected}"


def test_a_null_that_changes_nothing_is_not_named() -> None:
    text = sentence(
        on(
            "SELECT name FROM players",
            "SELECT name FROM players WHERE name <> 'a'",
            players=[(1, "a", None)],
        )
    )
    assert "NULL" not in text
    assert "name <> 'a'" in text


def test_a_tie_that_changes_nothing_is_not_named() -> None:
    text = sentence(
        on(
            "SELECT max(score) + 1 FROM players",
            "SELECT max(score) FROM players",
            players=[(1, "a", 5), (2, "b", 5)],
        )
    )
    assert "share" not in text


def test_columns_order_and_failures_are_said_as_they_are() -> None:
    people = [PERSON, (2, "Bob", 40, 1.0, "5", 1)]
    assert sentence(
        on("SELECT name FROM employee", "SELECT name, age FROM employee", employee=people)
    ) == ("they differ in the number of columns: the gold returns 1, the prediction 2")
    assert sentence(
        on(
            "SELECT name FROM employee ORDER BY age, id",
            "SELECT name FROM employee ORDER BY age DESC, id",
            employee=people,
        )
    ) == (
        "they differ in the order of the rows: the gold returns 'Ada', 'Bob', "
        "the prediction 'Bob', 'Ada'"
    )
    overflow = on(
        "SELECT score FROM players",
        "SELECT abs(score) FROM players",
        players=[(1, "a", -(2**63))],
    )
    assert sentence(overflow) == (
        "they differ on this database: the prediction fails (integer overflow), "
        "the gold returns -9223372036854775808"
    )


def test_without_a_cause_the_answers_are_told() -> None:
    text = sentence(
        on(
            "SELECT score * 2 + 1 AS x, name FROM players WHERE id < 5",
            "SELECT score * 3 + 7 AS x, upper(name) FROM players WHERE id < 5",
            players=[(1, "a", 2)],
        )
    )
    assert (
        text == "they differ on this database: the gold returns (5, 'a'), the prediction (13, 'A')"
    )


def test_a_query_beyond_our_parser_is_explained_by_its_answers() -> None:
    witness = Witness(
        "SELECT 1 FROM players WHERE 1 ->> 'x' IS NOT ((((",
        "SELECT 2",
        Instance(SCHEMA, {"players": ((1, "a", 1),)}),
        Answer(("1",), [(1,)]),
        Answer(("2",), [(2,)]),
        (Reason.VALUE_MISMATCH,),
    )
    assert sentence(witness) == "they differ on this database: the gold returns 1, the prediction 2"


@pytest.mark.slow
def test_no_query_is_written_that_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of hundreds of conditions must not cost hundreds of long texts."""
    from sqlverdict.refute.explain import causes_in_queries, what_if

    texts: list[str] = []
    usual = causes_in_queries._without

    def without(*arguments: Any) -> str:
        texts.append(usual(*arguments))
        return texts[-1]

    monkeypatch.setattr(causes_in_queries, "_without", without)
    many = " AND ".join(f"age > {n}" for n in range(what_if._TRIES + 50))
    witness = on(
        f"SELECT name FROM employee WHERE {many}",
        "SELECT name FROM employee",
        employee=[(1, "Ada", 0, 10.0, "555", 1)],
    )
    assert sentence(witness).startswith("they differ on this database")
    assert 1 < len(texts) < what_if._TRIES
    assert sum(map(len, texts[:-1])) < what_if._CHARACTERS, "the last one spends the rest"
    assert len(set(texts)) == len(texts), "one condition is taken away at a time"
    assert all(text.count("age >") == what_if._TRIES + 49 for text in texts)


def test_only_columns_that_matter_are_shown() -> None:
    result = on(
        "SELECT count(*) FROM employee",
        "SELECT count(phone) FROM employee",
        employee=[(1, "Ada", 30, 10.0, None, 1)],
    )
    (table,) = rows_table(result)
    assert (table.name, table.columns, table.rows) == ("employee", ("id", "phone"), ((1, None),))
    star = on("SELECT * FROM players", "SELECT * FROM players WHERE id > 1", players=[(1, "a", 2)])
    assert rows_table(star)[0].columns == ("id", "name", "score")


def test_a_structure_that_a_query_looks_into_is_shown() -> None:
    schema = read_ddl("CREATE TABLE p (id INTEGER, s STRUCT, t INTEGER)", "p")
    columns = columns_named(["SELECT s.b FROM p WHERE p.s.a = 1"], schema)
    assert columns is not None
    assert "s" in columns
    assert "t" not in columns


def test_a_view_shows_the_tables_behind_it() -> None:
    result = on("SELECT score FROM best", "SELECT score + 1 FROM best", players=[(1, "a", 2)])
    assert [table.name for table in rows_table(result)] == ["players"]


def test_evidence_of_a_witness() -> None:
    result = on(
        "SELECT count(*) FROM employee",
        "SELECT count(phone) FROM employee",
        employee=[(1, b"\x00", 30, 10.0, None, 1)],
    )
    evidence = refutation_evidence(result)
    assert isinstance(evidence, Refuted)
    assert (evidence.by, evidence.reasons) == ("refute", (Reason.VALUE_MISMATCH,))
    assert evidence.sentence == "they differ when a row of employee has no phone (NULL)"
    assert evidence.rows == {"employee": TableExcerpt(("id", "phone"), ((1, None),))}
    assert (evidence.gold.rows, evidence.gold.count) == (((1,),), 1)
    assert (evidence.grade, evidence.size) == (result.grade, 1)


def test_rows_on_which_only_one_answer_depends_are_named() -> None:
    players = [(1, "a", 2), (2, "a", 2), (3, "b", 5)]
    result = on("SELECT name FROM players", "SELECT DISTINCT name FROM players", players=players)
    assert find_deciding_rows(result) == {"players": (0, 1)}, (
        "the third is the only one of its name"
    )
    evidence = refutation_evidence(result)
    assert isinstance(evidence, Refuted)
    assert evidence.deciding_rows == {"players": (0, 1)}
    filtered = "SELECT count(*) FROM players WHERE score > 2"
    explanation = on("SELECT count(*) FROM players", filtered, players=players)
    assert find_deciding_rows(explanation) == {"players": (0, 1)}, (
        "also where only a number differs"
    )


def test_no_row_is_named_where_both_answers_depend_on_all() -> None:
    result = on("SELECT name FROM players", "SELECT score FROM players", players=[(1, "a", 2)])
    assert find_deciding_rows(result) == {}


def test_evidence_of_a_failure_and_of_blobs_is_json() -> None:
    import msgspec

    result = on("SELECT name FROM players", "SELECT 1 FROM players", players=[(1, b"\xff", 2)])
    assert b"x'ff'" in msgspec.json.encode(refutation_evidence(result))
    failed = Witness(
        "SELECT 1",
        "SELECT 2",
        result.instance,
        result.gold,
        Failure(Reason.EXECUTION_ERROR, "no"),
        (),
    )
    evidence = refutation_evidence(failed)
    assert isinstance(evidence, Refuted)
    assert evidence.prediction == AnswerExcerpt(failed=Reason.EXECUTION_ERROR, message="no")


def test_evidence_of_no_witness_counts_and_never_says_equal() -> None:
    tested = refutation_evidence(NotRefuted(160, 3))
    assert tested == Tested("refute", databases=160, undetermined=3)
    unknown = refutation_evidence(
        NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE, message="the clock")
    )
    assert unknown == Undecided("refute", (Reason.UNSUPPORTED_FEATURE,), "the clock")


@pytest.mark.slow
def test_of_many_conditions_a_bounded_number_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of many conditions would be written as often as it has some."""
    texts: list[int] = []

    def without(tree: Expr, nodes: list[Expr]) -> str:
        text = take_away(tree, nodes)
        texts.append(len(text))
        return text

    take_away = causes_in_queries._without
    monkeypatch.setattr(causes_in_queries, "_without", without)
    conditions = " AND ".join(f"(score <> {n} OR score = {n})" for n in range(150))
    prediction = f"SELECT name FROM players WHERE {conditions}"
    witness = on("SELECT name FROM players", prediction, players=[(1, "a", None)])
    assert "has no score (NULL" in sentence(witness)
    assert len(texts) < 20
