"""``prove`` and ``explain rules`` as users call them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from sqlverdict.prove.rule import RULES

Invoke = Callable[..., Result]
DDL = """
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT,
  team INTEGER NOT NULL REFERENCES team(id));
"""
GOLD = "SELECT p.name FROM player AS p JOIN team AS t ON p.team = t.id WHERE NOT p.score < 3"
SAME = "SELECT name FROM player WHERE score >= 3"
OTHER = "SELECT name FROM player WHERE score > 3 LIMIT 2"


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    path = tmp_path / "game.sql"
    path.write_text(DDL)
    return path


def test_a_proof_is_shown_step_by_step(invoke: Invoke, schema: Path) -> None:
    result = invoke("prove", GOLD, SAME, "--schema", schema)
    assert result.exit_code == 0, result.output
    assert result.output.startswith("proved in ")
    lines = [line.strip() for line in result.output.splitlines()]
    steps = [line for line in lines if line.startswith("equal by ")]
    assert any(
        step.startswith("equal by join_to_parent_is_idle because ")
        and "player(team) references team(id)" in step
        for step in steps
    )
    # Below each step stands the query that it leads to.
    assert all(lines[lines.index(step) + 1].startswith("SELECT ") for step in steps)


def test_a_proof_says_on_which_engine_it_holds(invoke: Invoke, schema: Path) -> None:
    """LIKE looks at capitals on PostgreSQL, and not on SQLite."""
    pair = [f"SELECT id FROM team WHERE name LIKE '{text}'" for text in ("a%", "A%")]
    result = invoke("prove", *pair, "--schema", schema)
    assert (result.exit_code, "; SQLite)" in result.output) == (0, True), result.output
    assert invoke("prove", *pair, "--schema", schema, "--engine", "postgres").exit_code == 1
    result = invoke("prove", GOLD, SAME, "--schema", schema, "--engine", "postgres")
    assert (result.exit_code, "; PostgreSQL)" in result.output) == (0, True), result.output
    output = invoke("prove", GOLD, SAME, "--schema", schema, "--engine", "mysql", "--json").output
    assert json.loads(output)["dialect"] == "mysql"


def test_a_database_says_by_itself_which_engine_it_has(invoke: Invoke, schema: Path) -> None:
    database = schema.with_suffix(".sqlite")
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(DDL)
    assert invoke("prove", GOLD, SAME, "--db", database).exit_code == 0
    result = invoke("prove", GOLD, SAME, "--db", database, "--engine", "duckdb")
    assert (result.exit_code, "--engine goes with --schema" in result.output) == (2, True)
    unknown = invoke("prove", GOLD, SAME, "--schema", schema, "--engine", "oracle")
    assert (unknown.exit_code, "'oracle'" in unknown.output) == (2, True)


def test_json_has_the_same_steps(invoke: Invoke, schema: Path) -> None:
    output = json.loads(invoke("prove", GOLD, SAME, "--schema", schema, "--json").output)
    assert output["verdict"] == "proved_equivalent"
    assert output["lines"][-1]["sql"] == output["form"]
    used = {
        line["statement"].split()[2]
        for line in output["lines"]
        if line["statement"].startswith("equal by")
    }
    assert used == set(output["rules"])


def test_a_kept_proof_is_checked(invoke: Invoke, schema: Path) -> None:
    result = invoke("prove", GOLD, SAME, "--schema", schema, "--out", "proof.json")
    assert result.exit_code == 0
    assert "sqlverdict prove --check proof.json" in result.output
    again = invoke("prove", "--check", "proof.json")
    assert (again.exit_code, "the proof holds" in again.output) == (0, True)
    assert invoke("prove", "--check", "proof.json", "--schema", schema).exit_code == 0
    content = json.loads(Path("proof.json").read_text())
    content["proof"]["steps"] = content["proof"]["steps"][1:]
    Path("proof.json").write_text(json.dumps(content))
    broken = invoke("prove", "--check", "proof.json")
    assert (broken.exit_code, "rejected: " in broken.output) == (1, True)
    output = json.loads(invoke("prove", "--check", "proof.json", "--json").output)
    assert output["verdict"] == "rejected"


def test_not_proved_shows_both_forms_and_what_differs(invoke: Invoke, schema: Path) -> None:
    result = invoke("prove", SAME, OTHER, "--schema", schema)
    assert result.exit_code == 1
    assert "not proved: the normal forms differ" in result.output
    gold, prediction = result.output.split("only in the gold")[1].split("only in the prediction")
    assert "score" in gold
    assert "LIMIT 2" in prediction
    output = json.loads(invoke("prove", SAME, OTHER, "--schema", schema, "--json").output)
    assert output["verdict"] == "not_proved"
    assert any("LIMIT 2" in part for part in output["only_in"]["prediction"])


def test_a_rule_can_be_switched_off(invoke: Invoke, schema: Path) -> None:
    args = ("prove", GOLD, SAME, "--schema", schema, "--without", "join_to_parent_is_idle")
    assert invoke(*args).exit_code == 1
    unknown = invoke("prove", GOLD, SAME, "--schema", schema, "--without", "no_such_rule")
    assert (unknown.exit_code, "no_such_rule" in unknown.output) == (2, True)


def test_what_the_schema_says_is_shown(invoke: Invoke, schema: Path) -> None:
    result = invoke("prove", SAME, SAME + " AND 1", "--schema", schema, "--facts")
    assert "player(team) references team(id)" in result.output
    assert "team.name" not in result.output


def test_the_profile_of_the_paper(invoke: Invoke, schema: Path) -> None:
    result = invoke("prove", SAME, SAME.replace("name", "player.name"), "--schema", schema,
                   "--profile", "etm_paper")  # fmt: skip
    assert (result.exit_code, "etm_paper" in result.output) == (0, True)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("prove", SAME), "two queries"),
        (("prove", SAME, SAME), "found neither --db nor --schema"),
        (("prove", "--check", "proof.json", "--out", "x.json"), "no queries"),
        (("prove", SAME, SAME, "--check", "proof.json"), "no queries"),
        (("prove", "--check", "proof.json"), "cannot be read"),
        (("explain", "rule", "no_such_rule"), "no rule called"),
        (("pair", "SELECT a::int FROM t"), "read as postgres: --dialect postgres"),
        (("pair", "SELECT FROM"), "SELECT >>>FROM'\n"),
        (("explain", "rule", "--profile", "wishful"), "no profile called"),
        (("explain", "rule", "double_negation", "--profile", "etm_paper"), "is of sound"),
    ],
)
def test_wrong_calls_say_what_to_do(invoke: Invoke, args: tuple[str, ...], message: str) -> None:
    result = invoke(*args)
    assert result.exit_code == 2
    assert message in result.output


def test_queries_that_do_not_run_are_not_called_unproved(invoke: Invoke, schema: Path) -> None:
    result = invoke("prove", SAME, "SELECT nothing FROM player", "--schema", schema)
    assert (result.exit_code, "the prediction query" in result.output) == (2, True)


def test_rules_are_listed(invoke: Invoke) -> None:
    output = json.loads(invoke("explain", "rules", "--json").output)
    assert [rule["name"] for rule in output] == RULES.names()
    sound = json.loads(invoke("explain", "rules", "--profile", "sound", "--json").output)
    assert {rule["trust"] for rule in sound} <= {"proved", "tested"}
    text = invoke("explain", "rules", "--profile", "sound").output
    assert f"{len(sound)} rules" in text
    assert "distinct_over_key" in text
    assert "paper_distinct_over_unique" not in text


def test_a_rule_is_explained(invoke: Invoke) -> None:
    text = invoke("explain", "rule", "distinct_over_key").output
    for heading in ("Statement", "Holds when", "Why", "Limits", "Source", "Pairs, on"):
        assert f"\n{heading}" in text
    output = json.loads(invoke("explain", "rule", "distinct_over_key", "--json").output)
    assert output["equal"][0]["given"] == ["t(k) is unique where not NULL", "t.k is never NULL"]
    assert output["different"][0]["because"]


@pytest.mark.parametrize("orphan", [True, False])
def test_facts_are_checked_on_the_data(invoke: Invoke, tmp_path: Path, orphan: bool) -> None:
    file = tmp_path / "game.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(DDL)
        connection.execute("INSERT INTO team VALUES (1, 'a')")
        connection.execute("INSERT INTO player VALUES (1, 'b', 4, ?)", (7 if orphan else 1,))
        connection.commit()
    result = invoke("prove", GOLD, SAME, "--db", file)
    output = json.loads(invoke("prove", GOLD, SAME, "--db", file, "--json").output)
    example = "player(team) references team(id): team = 7 has no row in team"
    if orphan:
        assert result.exit_code == 1
        assert result.output.startswith("proved under the declared schema only")
        assert example in result.output
        assert (output["verdict"], output["broken"]) == ("proved_under_declared_schema", [example])
    else:
        assert result.exit_code == 0
        assert output["verdict"] == "proved_equivalent"
    # A profile that reproduces a metric looks at trees alone.
    assert invoke("prove", GOLD, SAME, "--db", file, "--profile", "etm_paper").exit_code == 0


def test_a_query_file_that_does_not_exist_is_named_and_not_parsed_as_sql(invoke: Invoke) -> None:
    Path("schema.sql").write_text("CREATE TABLE t (a INT);")
    result = invoke("prove", "@gold.sql", "SELECT a FROM t", "--schema", "schema.sql")
    assert result.exit_code == 2
    assert "gold.sql: there is no such file" in result.stderr


@pytest.mark.parametrize(
    ("prediction", "message"),
    [
        ("SELECT name::text FROM player", "read as postgres: give --db a database of that engine"),
        ("SELECT TOP 1 name FROM player", "read as tsql, which no engine here runs"),
        ("SELECT FROM", "SELECT >>>FROM'\n"),
    ],
)
def test_sql_of_another_engine_is_named(
    invoke: Invoke, schema: Path, prediction: str, message: str
) -> None:
    for command in ("prove", "refute"):
        result = invoke(command, SAME, prediction, "--schema", schema)
        assert (result.exit_code, message in result.stderr) == (2, True), result.stderr
