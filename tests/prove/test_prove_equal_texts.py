"""Groups of texts that MySQL's collations take for one: which of them is shown is left open."""

from __future__ import annotations

import pytest

from mysql_parts import server_database
from sqlverdict import Options, evaluate
from sqlverdict.evidence import Contradicted, Proved, Related
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Column, Schema, Table
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.reasoning.open_choices import EQUAL_TEXTS, TIED_ROWS, chosen_texts
from sqlverdict.records import Case, Prediction, Query

COLLATION = "COLLATE utf8mb4_general_ci"
NAME = EQUAL_TEXTS.format("singer.name")
COUNTRY = EQUAL_TEXTS.format("singer.country")


def singers(collation: str = COLLATION, exact: str = "COLLATE utf8mb4_bin") -> Schema:
    """Singers with texts under a collation, and their songs."""
    texts = [Column(name, f"varchar(20) {collation}") for name in ("name", "country")]
    code = Column("code", f"varchar(20) {collation}", not_null=True)
    columns = (Column("id", "int"), *texts, code, Column("age", "int"))
    singer = Table("singer", columns, primary_key=("id",), uniques=(("code",),))
    title = Column("title", f"varchar(20) {collation}")
    other = Column("exact", f"varchar(20) {exact}")
    song = Table(
        "song",
        (Column("song_id", "int"), Column("singer_id", "int"), title, other),
        primary_key=("song_id",),
    )
    return Schema("music", (singer, song), "ddl")


LEFT_OPEN = [
    ("SELECT DISTINCT name FROM singer", "SELECT name FROM singer GROUP BY name", (NAME,)),
    (
        "SELECT name, COUNT(*) FROM singer GROUP BY name",
        "WITH t(n, c) AS (SELECT COUNT(id), name FROM singer GROUP BY name) SELECT c, n FROM t",
        (NAME,),
    ),
    (
        "SELECT DISTINCT t.name FROM (SELECT name, country FROM singer) t",
        "SELECT t.name FROM (SELECT name FROM singer GROUP BY name) t",
        (NAME,),
    ),
    (
        "SELECT country, name FROM singer GROUP BY name, country",
        "SELECT DISTINCT name, country FROM singer",
        (COUNTRY, NAME),
    ),
    (
        "SELECT name, COUNT(*) FROM singer GROUP BY name ORDER BY name LIMIT 3",
        "SELECT s.name, COUNT(s.id) FROM singer s GROUP BY s.name ORDER BY s.name LIMIT 3",
        (NAME,),
    ),
    (
        "SELECT name, COUNT(*) FROM singer GROUP BY name ORDER BY COUNT(*) DESC LIMIT 1",
        "SELECT name, COUNT(id) AS n FROM singer GROUP BY name ORDER BY n DESC LIMIT 1",
        (NAME, TIED_ROWS),
    ),
    (
        "SELECT name, MAX(age) FROM singer GROUP BY name HAVING MAX(age) > 30",
        "SELECT name, MAX(age) FROM singer WHERE age > 30 GROUP BY name",
        (NAME,),
    ),
    (
        "SELECT name FROM singer GROUP BY name HAVING name IN ('ann', 'bob') AND COUNT(*) > 1",
        "SELECT name FROM singer GROUP BY name HAVING COUNT(id) >= 2 AND name IN ('bob', 'ann')",
        (NAME,),
    ),
    (
        "SELECT t.name FROM (SELECT DISTINCT name FROM singer) t WHERE t.name > 'b'",
        "SELECT t.name FROM (SELECT name FROM singer GROUP BY name) t WHERE t.name > 'b'",
        (NAME,),
    ),
    (
        "SELECT DISTINCT name, LENGTH(name) FROM singer",
        "SELECT name, LENGTH(name) FROM singer GROUP BY name, LENGTH(name)",
        (NAME,),
    ),
    (
        "SELECT s.name, COUNT(*) FROM singer s JOIN song g ON g.singer_id = s.id GROUP BY s.name",
        "SELECT s.name, COUNT(g.song_id) FROM song g JOIN singer s ON s.id = g.singer_id"
        " GROUP BY s.name",
        (NAME,),
    ),
    # IN asks whether there is an equal text, whichever it is.
    (
        "SELECT song_id FROM song WHERE title IN (SELECT DISTINCT name FROM singer)",
        "SELECT song_id FROM song WHERE title IN (SELECT name FROM singer GROUP BY name)",
        (),
    ),
    (
        "SELECT song_id FROM song WHERE title IN (SELECT name FROM singer)",
        "SELECT g.song_id FROM song g WHERE EXISTS"
        " (SELECT DISTINCT s.name FROM singer s WHERE s.name = g.title)",
        (),
    ),
    (
        "SELECT id FROM singer WHERE (name, country) NOT IN (SELECT DISTINCT title, title FROM song)",
        "SELECT id FROM singer WHERE (name, country) NOT IN (SELECT title, title FROM song)",
        (),
    ),
    # A key keeps equal texts apart, and what nobody shows is no choice.
    (
        "SELECT s.code, COUNT(*) FROM singer s JOIN song g ON g.singer_id = s.id GROUP BY s.code",
        "SELECT s.code, COUNT(*) FROM singer s JOIN song g ON g.singer_id = s.id GROUP BY s.id",
        (),
    ),
    (
        "SELECT t.n FROM (SELECT name, COUNT(*) AS n FROM singer GROUP BY name) t",
        "SELECT COUNT(id) FROM singer GROUP BY name",
        (),
    ),
    (
        "SELECT DISTINCT name FROM singer WHERE age > 30 LIMIT 1",
        "SELECT name FROM singer WHERE age > 30 LIMIT 1",
        (TIED_ROWS,),
    ),
]


@pytest.mark.parametrize("collation", ["", COLLATION, "COLLATE utf8mb4_bin"])
@pytest.mark.parametrize(("gold", "prediction", "choices"), LEFT_OPEN)
def test_a_proof_names_the_texts_that_the_engine_chooses(
    gold: str, prediction: str, choices: tuple[str, ...], collation: str
) -> None:
    schema = singers(collation)
    proof = prove(gold, prediction, schema, dialect="mysql")
    assert isinstance(proof, Proof), proof
    assert sorted(proof.open_choices) == sorted(choices)
    assert check_proof(proof, schema).holds
    assert "sqlverdict" not in proof.form.lower()


@pytest.mark.parametrize(("gold", "prediction", "choices"), LEFT_OPEN)
def test_under_an_exact_collation_no_text_is_chosen(
    gold: str, prediction: str, choices: tuple[str, ...]
) -> None:
    proof = prove(gold, prediction, singers("COLLATE utf8mb4_nopad_bin"), dialect="mysql")
    assert isinstance(proof, Proof), proof
    assert set(proof.open_choices) == set(choices) - {NAME, COUNTRY}


LOOKED_AT = [
    (
        "SELECT name FROM singer GROUP BY name HAVING LENGTH(name) > 3",
        "SELECT s.name FROM singer s GROUP BY s.name HAVING LENGTH(s.name) > 3",
    ),
    (
        "SELECT name FROM singer GROUP BY name HAVING name LIKE 'a'",
        "SELECT name FROM singer WHERE name LIKE 'a' GROUP BY name",
    ),
    (
        "SELECT COUNT(*) FROM singer GROUP BY name HAVING LENGTH(MIN(name)) > 3",
        "SELECT COUNT(*) FROM singer GROUP BY name HAVING LENGTH(MAX(name)) > 3",
    ),
    (
        "SELECT MIN(name), COUNT(*) FROM singer GROUP BY name",
        "SELECT MAX(name), COUNT(*) FROM singer GROUP BY name",
    ),
    (
        "SELECT UPPER(name), COUNT(*) FROM singer GROUP BY name",
        "SELECT UPPER(s.name), COUNT(*) FROM singer s GROUP BY s.name",
    ),
    (
        "SELECT HEX(t.name) FROM (SELECT DISTINCT name FROM singer) t",
        "SELECT HEX(t.name) FROM (SELECT name FROM singer GROUP BY name) t",
    ),
    (
        "SELECT t.name FROM (SELECT DISTINCT name FROM singer) t ORDER BY LENGTH(t.name)",
        "SELECT DISTINCT name FROM singer ORDER BY LENGTH(name)",
    ),
    (
        "SELECT COUNT(*) FROM (SELECT DISTINCT name FROM singer) t WHERE t.name LIKE 'a'",
        "SELECT COUNT(*) FROM (SELECT name FROM singer GROUP BY name) t WHERE t.name LIKE 'a'",
    ),
    (
        "SELECT MAX(t.name) FROM (SELECT DISTINCT name FROM singer) t",
        "SELECT MAX(t.name) FROM (SELECT name FROM singer GROUP BY name) t",
    ),
    (
        "SELECT g.title FROM song g JOIN (SELECT DISTINCT name FROM singer) t ON t.name = g.title",
        "SELECT g.title FROM song g JOIN (SELECT name FROM singer GROUP BY name) t"
        " ON t.name = g.title",
    ),
    (
        "SELECT DISTINCT name FROM singer UNION ALL SELECT title FROM song",
        "SELECT name FROM singer GROUP BY name UNION ALL SELECT title FROM song",
    ),
    (
        "SELECT title FROM song WHERE title IN (SELECT name FROM singer ORDER BY age LIMIT 2)",
        "SELECT title FROM song WHERE title IN (SELECT DISTINCT name FROM singer LIMIT 2)",
    ),
    (
        "SELECT song_id FROM song WHERE song_id IN (SELECT LENGTH(name) FROM singer)",
        "SELECT song_id FROM song WHERE song_id IN (SELECT LENGTH(name) FROM singer GROUP BY name)",
    ),
    (
        "SELECT (SELECT DISTINCT name FROM singer WHERE name = 'a') FROM song",
        "SELECT (SELECT name FROM singer WHERE name = 'a' GROUP BY name) FROM song",
    ),
    (
        "SELECT name, ROW_NUMBER() OVER (ORDER BY name) FROM singer GROUP BY name",
        "SELECT s.name, ROW_NUMBER() OVER (ORDER BY s.name) FROM singer s GROUP BY s.name",
    ),
    (
        "SELECT DISTINCT LOWER(name) FROM singer",
        "SELECT LOWER(name) FROM singer GROUP BY LOWER(name)",
    ),
    (
        "SELECT DISTINCT t.name FROM (SELECT name FROM singer UNION ALL SELECT title FROM song) t",
        "SELECT t.name FROM (SELECT name FROM singer UNION ALL SELECT title FROM song) t"
        " GROUP BY t.name",
    ),
]


@pytest.mark.parametrize(("gold", "prediction"), LOOKED_AT)
def test_nothing_is_proved_where_something_looks_at_the_text(gold: str, prediction: str) -> None:
    refusal = prove(gold, prediction, singers(), dialect="mysql")
    assert isinstance(refusal, NotProved), refusal


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT DISTINCT name FROM singer", "SELECT name FROM singer"),
        (
            "SELECT DISTINCT name FROM singer WHERE name = 'ann'",
            "SELECT DISTINCT 'ann' FROM singer WHERE name = 'ann'",
        ),
        (
            "SELECT s.name FROM singer s JOIN song g ON g.title = s.name GROUP BY s.name",
            "SELECT g.title FROM singer s JOIN song g ON g.title = s.name GROUP BY g.title",
        ),
        (
            "SELECT name, COUNT(*) FROM singer GROUP BY name, LENGTH(name)",
            "SELECT name, COUNT(*) FROM singer GROUP BY name",
        ),
        (
            "SELECT name, COUNT(DISTINCT country) FROM singer GROUP BY name, country",
            "SELECT name, 1 FROM singer GROUP BY name, country",
        ),
        ("SELECT name FROM singer LIMIT 2", "SELECT DISTINCT name FROM singer LIMIT 2"),
    ],
)
def test_pairs_that_differ_in_more_than_the_text_are_not_proved(gold: str, prediction: str) -> None:
    assert not prove(gold, prediction, singers(), dialect="mysql").proved


def test_a_tie_of_equal_texts_under_a_limit_is_named() -> None:
    pair = ("SELECT name FROM singer ORDER BY name LIMIT 1", "SELECT name FROM singer s")
    other = pair[1] + " ORDER BY s.name LIMIT 1"
    proof = prove(pair[0], other, singers(), dialect="mysql")
    assert isinstance(proof, Proof)
    assert proof.open_choices == (TIED_ROWS,)


@pytest.mark.parametrize(
    ("sql", "places"),
    [
        ("SELECT age, name FROM singer GROUP BY name, age", {1}),
        ("SELECT t.b FROM (SELECT DISTINCT age AS a, name AS b FROM singer) t", {0}),
        ("SELECT COUNT(*) FROM singer GROUP BY name", set()),
        ("SELECT name FROM singer", set()),
        ("SELECT RAND() FROM singer", None),
    ],
)
def test_the_places_of_chosen_texts_are_known(sql: str, places: set[int] | None) -> None:
    query = parse(sql, "mysql")
    assert isinstance(query, Query)
    assert chosen_texts(query, singers()) == places


@pytest.mark.slow
@pytest.mark.parametrize("indexes", ["", ", KEY (name)", ", KEY (age), KEY (name)"])
def test_answers_that_show_another_equal_text_are_no_contradiction(indexes: str) -> None:
    table = (
        f"CREATE TABLE singer (id INT PRIMARY KEY, name VARCHAR(20), age INT{indexes})"
        " COLLATE utf8mb4_general_ci"
    )
    rows = "INSERT INTO singer VALUES (1, 'Ann', 20), (2, 'ann ', 40), (3, 'ánn', 35), (4, 'b', 50)"
    gold, prediction, _ = LEFT_OPEN[6]
    with server_database(table, rows) as url:
        case = Case(id="1", db_id="music", question="", golds=(gold,), database=url)
        options = Options(metrics=["verdict", "ex"], engine="mysql", workers=0, cache=None)
        run = evaluate([case], [Prediction(case_id="1", sql=prediction)], options=options)
        (result,) = run.results()
    kinds = [type(piece) for piece in result.evidence]
    # The gold has the row of the Ann of 20 in the group, the prediction has not.
    assert result.scores == {"verdict": 1.0, "ex": 0.0}
    assert Proved in kinds
    assert Related in kinds
    assert Contradicted not in kinds
