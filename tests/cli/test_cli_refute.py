"""``refute``, ``pair`` and ``bank`` as users call them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

Invoke = Callable[..., Result]
COUNT = ("SELECT count(*) FROM player", "SELECT count(score) FROM player")
SAME = ("SELECT name FROM player WHERE id > 1", "SELECT p.name FROM player AS p WHERE 1 < p.id")
DDL = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT);"


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "game.sql"
    path.write_text(DDL)
    return path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "game.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            DDL + "INSERT INTO player VALUES (1, 'Ada', 5), (2, 'Bob', 7), (3, 'Cy', NULL);"
        )
    return path


def test_a_witness_is_explained_shown_and_can_be_replayed(invoke: Invoke, schema: Path) -> None:
    result = invoke("refute", *COUNT, "--schema", schema, "--out", "w")
    assert result.exit_code == 0
    assert "refuted: they differ when a row of player has no score (NULL)" in result.output
    assert "score" in result.output
    assert "gold returns" in result.output
    (line,) = [line for line in result.output.splitlines() if line.startswith("replay: ")]
    again = invoke(*line.removeprefix("replay: sqlverdict ").split())
    assert again.exit_code == 0
    assert again.output.startswith("differ ")


def test_not_found_is_never_called_equal(invoke: Invoke, schema: Path) -> None:
    result = invoke("refute", *SAME, "--schema", schema, "--refute", 40)
    assert (result.exit_code, result.output) == (0, "not refuted on 40 databases\n")
    output = json.loads(invoke("refute", *SAME, "--schema", schema, "--json").output)
    assert (output["verdict"], output["databases"]) == ("not_refuted", 160)


def test_json_holds_the_witness(invoke: Invoke, schema: Path) -> None:
    output = json.loads(
        invoke(
            "refute", *COUNT, "--schema", schema, "--json", "--out", "w", "--set", "no-bank=true"
        ).output
    )
    assert output["verdict"] == "refuted"
    assert output["sentence"] == "they differ when a row of player has no score (NULL)"
    assert output["rows"]["player"]["columns"] == ["id", "score"]
    assert (output["gold"]["rows"], output["prediction"]["rows"]) == ([[1]], [[0]])
    assert output["reasons"] == ["VALUE_MISMATCH"]
    assert all(Path(file).is_file() for file in output["files"])


@pytest.mark.parametrize(
    ("gold", "prediction", "words"),
    [
        ("SELECT nme FROM player", "SELECT 1", ("gold", "no such column: nme")),
        ("SELECT 1", "SELECT FROM", ("prediction", "PARSE_ERROR")),
        ("SELECT 1", "DROP TABLE player", ("prediction", "WRITE_BLOCKED")),
        ("", "SELECT 1", ("gold", "NO_SQL_PRODUCED")),
    ],
)
def test_a_side_that_cannot_run_is_named(
    invoke: Invoke, schema: Path, gold: str, prediction: str, words: tuple[str, ...]
) -> None:
    result = invoke("refute", gold, prediction, "--schema", schema)
    assert result.exit_code == 2
    assert all(word in result.stderr for word in words)


def test_a_query_on_the_clock_cannot_be_searched(invoke: Invoke, schema: Path) -> None:
    result = invoke("refute", "SELECT date('now')", "SELECT 1", "--schema", schema)
    assert result.exit_code == 3
    assert "clock" in result.stderr


def test_usage_mistakes(invoke: Invoke, schema: Path, tmp_path: Path) -> None:
    assert "found neither --db nor --schema" in invoke("refute", *COUNT).stderr
    both = invoke("refute", *COUNT, "--schema", schema, "--db", schema)
    assert (both.exit_code, "both --db" in both.stderr) == (2, True)
    assert "no preset" in invoke("refute", *COUNT, "--schema", schema, "--preset", "x").stderr
    several = tmp_path / "ddl.json"
    several.write_text(json.dumps({"a": DDL, "b": DDL}))
    assert "--db-id" in invoke("refute", *COUNT, "--schema", several).stderr
    assert invoke("refute", *COUNT, "--schema", several, "--db-id", "a").exit_code == 0
    assert "missing.sqlite" in invoke("refute", *COUNT, "--db", "missing.sqlite").stderr


def test_queries_may_come_from_files(invoke: Invoke, schema: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.sql").write_text(COUNT[0] + "\n")
    result = invoke("refute", f"@{tmp_path / 'gold.sql'}", COUNT[1], "--schema", schema)
    assert "refuted" in result.output


def test_the_bank_fills_lists_travels_and_makes_suites(invoke: Invoke, schema: Path) -> None:
    invoke("refute", *COUNT, "--schema", schema, "--set", "no-bank=true")
    assert json.loads(invoke("bank", "--json").output)["databases"] == []
    invoke("refute", *COUNT, "--schema", schema)
    output = json.loads(invoke("bank", "--json").output)
    assert output["databases"] == [{"db_id": "game", "instances": 1, "pairs": 1}]
    assert "game" in invoke("bank").output
    again = json.loads(invoke("refute", *COUNT, "--schema", schema, "--json").output)
    assert (again["origin"], again["tried"]) == ("bank", 1)
    assert "1 instance written" in invoke("bank", "--export", "b.jsonl").output
    assert "1 instance read" in invoke("bank", "--bank", "b.sqlite", "--import", "b.jsonl").output
    result = invoke("bank", "--bank", "b.sqlite", "--suite", "suites", "--distil")
    assert "1 database written" in result.output
    assert Path("suites/game/1.sqlite").is_file()
    assert invoke("bank", "--suite", "s", "--db-id", "nothing").exit_code == 2


def test_a_pair_is_explained_with_all_there_is(invoke: Invoke, database: Path) -> None:
    result = invoke("pair", *COUNT, "--db", database)
    assert result.exit_code == 0
    for part in (
        "aggregate",
        "different under the preset strict: VALUE_MISMATCH",
        "refuted: they differ when a row of player has no score (NULL)",
        f"on {database}",
    ):
        assert part in result.output
    output = json.loads(invoke("pair", *COUNT, "--db", database, "--json").output)
    assert output["execution"]["equal"] is False
    assert output["refutation"]["verdict"] == "refuted"
    assert output["queries"]["gold"]["tables"] == ["player"]


def test_luck_on_the_real_database_is_shown(invoke: Invoke, database: Path) -> None:
    lucky = ("SELECT name FROM player WHERE score > 6", "SELECT name FROM player WHERE score >= 6")
    output = json.loads(invoke("pair", *lucky, "--db", database, "--json").output)
    assert output["execution"]["equal"] is True
    assert output["refutation"]["verdict"] == "refuted"
    assert "exactly 6" in output["refutation"]["sentence"]


def test_a_pair_with_a_broken_side_says_which(invoke: Invoke, schema: Path) -> None:
    result = invoke("pair", COUNT[0], "SELECT nope FROM player", "--schema", schema)
    assert result.exit_code == 2
    assert "the prediction query: EXECUTION_ERROR: no such column: nope" in result.output
    output = json.loads(invoke("pair", COUNT[0], "SELECT (", "--schema", schema, "--json").output)
    assert list(output["problems"]) == ["prediction"]
    assert output["refutation"] is None


def test_replay_tells_what_no_longer_differs(invoke: Invoke, schema: Path) -> None:
    invoke("refute", *COUNT, "--schema", schema, "--out", "w")
    assert invoke("refute", "--replay", "w").output.count("\n2 of 2 still differ\n") == 1
    (file,) = Path("w").glob("*.sql")
    file.write_text(file.read_text().replace(", NULL)", ", 3)"))
    result = invoke("refute", "--replay", "w", "--json")
    assert result.exit_code == 1
    assert [one["differ"] for one in json.loads(result.output)] == [False, True]
    file.write_text("SELECT 1")
    broken = invoke("refute", "--replay", "w")
    assert broken.exit_code == 2
    assert "error" in broken.output
    Path("none").mkdir()
    assert invoke("refute", "--replay", "none").exit_code == 2
    trusted = invoke("refute", "--replay", "w", "--set", "trust-role=true")
    assert trusted.output == broken.output
    search = invoke("refute", "--replay", "w", "--set", "no-bank=true")
    assert (search.exit_code, "--set no-bank is for a search" in search.output) == (2, True)
    assert invoke("refute", "--replay", "missing.sql").exit_code == 2


def test_evaluate_keeps_witnesses_that_replay(invoke: Invoke, tmp_path: Path) -> None:
    """A lucky match, its witness in the run folder, and the replay of it."""
    import sqlite3

    file = tmp_path / "shop" / "shop.sqlite"
    file.parent.mkdir()
    connection = sqlite3.connect(file)
    connection.executescript(
        "CREATE TABLE item (id INTEGER PRIMARY KEY, price INTEGER);"
        "INSERT INTO item VALUES (1, 5), (2, 7);"
    )
    connection.close()
    (tmp_path / "gold.sql").write_text("SELECT count(*) FROM item\tshop\n")
    (tmp_path / "predictions.txt").write_text("SELECT count(price) FROM item\n")
    run = tmp_path / "run"
    data_options = ("--cases", tmp_path / "gold.sql", "--databases", tmp_path)
    predictions = (
        "--predictions",
        tmp_path / "predictions.txt",
        "--out",
        run,
        "--metrics",
        "ex,witness_accuracy",
    )
    done = invoke(
        "evaluate", *data_options, *predictions, "--refute", 200, "--workers", 0, "--no-cache"
    )
    assert done.exit_code == 0, done.output
    assert "witness_accuracy" in done.output
    (witness,) = (run / "witnesses").glob("*.sql")
    again = invoke("refute", "--replay", witness)
    assert again.exit_code == 0, again.output
    view = invoke("show", run, "0")
    assert "refuted" in view.output
    assert witness.name in view.output
