"""What MariaDB's subqueries and HAVING do with columns: pairs that differ by it are not proved."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.prove.prover import prove

sys.path.insert(0, str(Path(__file__).parent))
from test_prove_equal_texts import COLLATION, singers

from mysql_parts import execute, server_database

# Subqueries that look at a text from around them; MariaDB remembers them by equal texts.
REMEMBERED = [
    "SELECT id, (SELECT COUNT(*) FROM song g WHERE g.song_id < LENGTH(s.name)) FROM singer s",
    "SELECT id, (SELECT s.name FROM song g WHERE g.song_id = 1) FROM singer s",
    "SELECT id FROM singer s WHERE EXISTS (SELECT 1 FROM song g WHERE g.title LIKE s.name)",
    "SELECT id FROM singer s WHERE NOT EXISTS (SELECT 1 FROM song g WHERE g.exact = s.name)",
    "SELECT id FROM singer s WHERE s.name NOT IN (SELECT exact FROM song WHERE exact <> 'x')",
    "SELECT id FROM singer WHERE (id, name) NOT IN (SELECT song_id, exact FROM song)",
    "SELECT id FROM singer WHERE LENGTH(name) IN (SELECT song_id FROM song)",
    "SELECT id FROM singer WHERE LOWER(name) NOT IN (SELECT LOWER(exact) FROM song)",
]
COMPARED = [
    "SELECT id FROM singer s WHERE EXISTS (SELECT 1 FROM song g WHERE g.title = s.name)",
    "SELECT id, (SELECT COUNT(*) FROM song g WHERE LOWER(g.title) = LOWER(s.name)) FROM singer s",
    "SELECT id FROM singer s WHERE name NOT IN (SELECT t.c FROM (SELECT title AS c FROM song) t)",
    "SELECT id FROM singer s WHERE (age, name) IN (SELECT song_id, title FROM song)",
    "SELECT id FROM singer s WHERE EXISTS (SELECT 1 FROM song g WHERE s.name BETWEEN 'a' AND 'c')",
    "SELECT id FROM singer s WHERE EXISTS (SELECT 1 FROM song g WHERE s.name IS NULL)",
    "SELECT id FROM singer s WHERE EXISTS (SELECT 1 FROM song g WHERE g.song_id = s.id)",
    "SELECT id FROM singer WHERE name IN (SELECT title FROM song) AND LENGTH(name) > 1",
]


def _in_other_words(query: str) -> tuple[str, str]:
    """A pair of two texts that say the same."""
    return f"SELECT t.id FROM ({query}) t", f"WITH w AS ({query}) SELECT id FROM w"


@pytest.mark.parametrize("query", REMEMBERED)
def test_a_subquery_may_not_tell_equal_texts_from_around_it_apart(query: str) -> None:
    refusal = prove(*_in_other_words(query), singers(), dialect="mysql")
    assert isinstance(refusal, NotProved), refusal
    assert "tell equal texts from around it apart" in refusal.message
    exact = singers("COLLATE utf8mb4_nopad_bin", exact="COLLATE utf8mb4_nopad_bin")
    assert prove(*_in_other_words(query), exact, dialect="mysql").proved


@pytest.mark.parametrize("query", COMPARED)
def test_a_subquery_may_compare_a_text_from_around_it(query: str) -> None:
    proof = prove(*_in_other_words(query), singers(), dialect="mysql")
    assert isinstance(proof, Proof), proof


@pytest.mark.slow
def test_mariadb_remembers_subqueries_by_equal_texts() -> None:
    statements = [
        f"CREATE TABLE singer (id INT PRIMARY KEY, name VARCHAR(20) {COLLATION})",
        "CREATE TABLE song (song_id INT PRIMARY KEY)",
        "INSERT INTO singer VALUES (1, 'ann'), (2, 'ANN  ')",
        "INSERT INTO song VALUES (1), (2), (3), (4), (5)",
    ]
    query = REMEMBERED[0]
    with server_database(*statements) as url:
        database = url.rpartition("/")[2]
        if "MariaDB" not in execute(database, "SELECT VERSION()")[0][0]:
            pytest.skip("MySQL remembers no subquery")
        forget = "SET STATEMENT optimizer_switch = 'subquery_cache=off' FOR "
        assert execute(database, query) == [(1, 2), (2, 2)]
        assert execute(database, forget + query) == [(1, 2), (2, 4)]


HIDDEN = [
    (
        "SELECT code, LENGTH(name) FROM singer WHERE LENGTH(name) > 1 GROUP BY code, LENGTH(name)",
        "SELECT code, LENGTH(name) FROM singer GROUP BY code, LENGTH(name) HAVING LENGTH(name) > 1",
    ),
    (
        "SELECT id, COUNT(*) FROM singer WHERE age + 1 > 2 GROUP BY id, age + 1",
        "SELECT id, COUNT(*) FROM singer GROUP BY id, age + 1 HAVING singer.age + 1 > 2",
    ),
]
SEEN = [
    (
        "SELECT age, COUNT(*) FROM singer WHERE age + 1 > 2 GROUP BY age",
        "SELECT age, COUNT(*) FROM singer GROUP BY age HAVING age + 1 > 2",
    ),
    (
        "SELECT age + 1 AS n FROM singer GROUP BY n HAVING n > 2 AND SUM(id) > 1",
        "SELECT age + 1 AS n FROM singer GROUP BY n HAVING SUM(id) > 1 AND n > 2",
    ),
]


@pytest.mark.parametrize(("gold", "prediction"), HIDDEN)
def test_having_does_not_see_what_an_expression_of_group_by_reads(
    gold: str, prediction: str
) -> None:
    refusal = prove(gold, prediction, singers(), dialect="mysql")
    assert isinstance(refusal, NotProved), refusal
    assert "HAVING" in refusal.message


@pytest.mark.parametrize(("gold", "prediction"), SEEN)
def test_having_sees_what_is_shown_or_grouped_by(gold: str, prediction: str) -> None:
    assert prove(gold, prediction, singers(), dialect="mysql").proved


@pytest.mark.slow
def test_the_server_agrees_about_having() -> None:
    table = "CREATE TABLE singer (id INT PRIMARY KEY, code INT, name VARCHAR(9), age INT)"
    with server_database(table) as url:
        database = url.rpartition("/")[2]
        for pair in SEEN:
            assert [execute(database, sql) for sql in pair] == [[], []]
        for works, fails in HIDDEN:
            assert execute(database, works) == []
            with pytest.raises(Exception, match="Unknown column"):
                execute(database, fails)
