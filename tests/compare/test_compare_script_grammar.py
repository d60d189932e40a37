"""What the parser of Spider's script reads: rejected queries count 0 in ``esm[script]``."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.compare.exact_set.script_grammar import script_accepts
from sqlverdict.load.benchmark import BENCHMARKS
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.records import Case

SCHEMA = read_ddl(
    "CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INT);"
    "CREATE TABLE song (id INTEGER PRIMARY KEY, singer_id INT, title TEXT);",
    "music",
)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM singer",
        "select Name , Age from Singer where age > 20 ;",
        "SELECT count(*) FROM singer WHERE name LIKE '%a%'",
        "SELECT T1.name FROM singer AS T1 JOIN song AS T2 ON T1.id = T2.singer_id",
        "SELECT name FROM singer WHERE age BETWEEN 20 AND 30 OR age != 5",
        "SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM song)",
        "SELECT name, count(*) FROM singer GROUP BY name HAVING count(*) >= 2 ORDER BY age DESC",
        "SELECT age - id FROM singer LIMIT 1",
        "SELECT name FROM singer INTERSECT SELECT title FROM song",
        "SELECT count(*) FROM (SELECT * FROM singer)",
    ],
)
def test_the_script_s_part_of_sql_is_accepted(sql: str) -> None:
    assert script_accepts(sql, SCHEMA)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name FROM singer WHERE age=20",
        "SELECT name FROM singer WHERE age <> 20",
        "SELECT name AS n FROM singer",
        "SELECT T1.name FROM singer T1",
        "SELECT name FROM singer LEFT JOIN song ON singer.id = song.singer_id",
        "SELECT name FROM singer WHERE age IS NULL",
        "SELECT name FROM singer WHERE age IN (20, 30)",
        "SELECT upper(name) FROM singer",
        "SELECT CASE WHEN age > 1 THEN 1 END FROM singer",
        "SELECT nothing FROM singer",
        "SELECT count(DISTINCT name) FROM (SELECT * FROM singer)",
        "SELECT name FROM nowhere",
        "SELECT name FROM singer WHERE name = 'it''s' AND '",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "SELECT name FROM singer ORDER BY 1",
        "",
        "SELECT",
        "(" * 2_000,
        "SELECT name FROM singer WHERE age > (SELECT age FROM" * 400,
    ],
)
def test_the_rest_is_rejected(sql: str) -> None:
    assert not script_accepts(sql, SCHEMA)


def test_a_rejected_prediction_counts_zero_under_script_alone(tmp_path: Path) -> None:
    path = tmp_path / "music.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("CREATE TABLE singer (id INTEGER PRIMARY KEY, age INT);")
    connection.close()
    case = Case("1", "music", "?", ("SELECT id FROM singer WHERE age = 20",), str(path))
    options = Options(metrics="esm,esm[script]", workers=0, cache=None)
    predictions = {"1": "SELECT id FROM singer WHERE age=20"}
    (result,) = evaluate([case], predictions, options=options).results()
    assert result.scores == {"esm": 1.0, "esm[script]": 0.0}


def test_tables_json_stands_in_for_a_missing_database_only(tmp_path: Path) -> None:
    table = {
        "table_names_original": ["singer"],
        "table_names": ["singer"],
        "column_names_original": [[-1, "*"], [0, "id"], [0, "age"]],
        "column_names": [[-1, "*"], [0, "id"], [0, "age"]],
        "column_types": ["text", "number", "number"],
        "primary_keys": [1],
        "foreign_keys": [],
    }
    tables = [{"db_id": name, **table} for name in ("here", "gone")]
    items = [
        {"db_id": name, "query": "SELECT id FROM singer", "question": "?"}
        for name in ("here", "gone")
    ]
    (tmp_path / "tables.json").write_text(json.dumps(tables))
    (tmp_path / "dev.json").write_text(json.dumps(items))
    folder = tmp_path / "database" / "here"
    folder.mkdir(parents=True)
    with closing(sqlite3.connect(folder / "here.sqlite")) as connection, connection:
        connection.executescript("CREATE TABLE singer (id INTEGER PRIMARY KEY, age INT);")
    connection.close()
    benchmark = BENCHMARKS.get("spider").read(tmp_path)
    assert set(benchmark.schemas) == {"gone"}
    options = Options(metrics="esm,ex", workers=0, cache=None)
    predictions = {"0": "SELECT singer.id FROM singer", "1": "SELECT singer.id FROM singer"}
    run = evaluate(benchmark, predictions, options=options)
    assert [result.scores for result in run.results()] == [
        {"esm": 1.0, "ex": 1.0},
        {"esm": 1.0, "ex": None},
    ]
