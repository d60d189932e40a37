"""``sqlverdict lint``: queries without a gold, printed, as JSON, and as an exit code."""

from __future__ import annotations

import json

import pytest

from sqlverdict.signs.sign import SIGNS

DEAD = "SELECT price FROM item WHERE name = 'Pen'"
TIED = "SELECT name FROM item ORDER BY 1 = 1 LIMIT 1"
RIGHT = "SELECT price FROM item WHERE name = 'pen'"


def database(tiny):
    return tiny.databases / "shop" / "shop.sqlite"


def test_one_query_with_signs(invoke, tiny):
    result = invoke("lint", "--no-cache", "--sql", DEAD, "--db", database(tiny))
    assert result.exit_code == 0
    assert "1 of 1 query with signs" in result.output
    assert "dead_literal: no row fulfils item.name = 'Pen'; the column has 'pen'" in result.output
    assert "empty_answer: the query returns no row" in result.output


def test_one_query_without_signs(invoke, tiny):
    result = invoke("lint", "--no-cache", "--sql", RIGHT, "--db", database(tiny))
    assert result.exit_code == 0
    assert result.output.strip() == "0 of 1 query with signs"


def test_a_query_from_standard_input_that_fails(invoke, tiny):
    options = ("--sql", "-", "--db", database(tiny), "--no-cache", "--json")
    record = json.loads(invoke("lint", *options, stdin="SELECT absent FROM item").output)
    (query,) = record["queries"]
    (sign,) = query["signs"]
    assert (sign["name"], sign["strength"]) == ("fails", "strong")
    assert "absent" in sign["message"]


def test_weak_signs_are_asked_for(invoke, tiny):
    options = ("lint", "--no-cache", "--sql", TIED, "--db", database(tiny))
    assert "0 of 1" in invoke(*options).output
    assert "tie_at_limit" in invoke(*options, "--weak").output
    assert "tie_at_limit" in invoke(*options, "--sign", "tie_at_limit").output
    assert "0 of 1" in invoke(*options, "--sign", "fails").output


@pytest.mark.parametrize(
    ("sql", "rules", "code"),
    [
        (DEAD, ["strong"], 1),
        (DEAD, ["dead_literal"], 1),
        (DEAD, ["null_sort_key"], 0),
        (DEAD, ["null_sort_key", "any"], 1),
        (RIGHT, ["any"], 0),
        (TIED, ["strong"], 0),
        (TIED, ["any"], 1),
        ("SELECT absent", ["fails"], 1),
    ],
)
def test_fail_on(invoke, tiny, sql, rules, code):
    arguments = [part for rule in rules for part in ("--fail-on", rule)]
    result = invoke(
        "lint", "--no-cache", "--weak", "--sql", sql, "--db", database(tiny), *arguments
    )
    assert result.exit_code == code
    assert ("exit code 1" in result.output) == bool(code)


def test_predictions_of_a_benchmark(invoke, tiny):
    predictions = tiny.predictions("SELECT count(*) FROM item", DEAD)
    options = ("--cases", tiny.gold, "--databases", tiny.databases, "--predictions", predictions)
    record = json.loads(invoke("lint", "--no-cache", *options, "--json").output)
    assert (record["examined"], record["flagged"]) == (4, 1)
    assert record["counts"] == {"dead_literal": 1, "empty_answer": 1}
    (query,) = record["queries"]
    assert (query["id"], query["db_id"], query["sql"]) == ("1", "shop", DEAD)


def test_golds_where_there_are_no_predictions(invoke, tiny):
    golds = tiny.root / "other.txt"
    golds.write_text(f"{DEAD}\tshop\n{RIGHT}\tshop\n")
    result = invoke("lint", "--no-cache", "--cases", golds, "--databases", tiny.databases)
    assert "1 of 2 queries with signs" in result.output


def test_the_question_is_looked_at(invoke, tiny):
    options = ("--sql", RIGHT, "--db", database(tiny), "--no-cache", "--weak")
    result = invoke("lint", *options, "--question", "What does ink cost?")
    assert "unmentioned_value" in result.output
    result = invoke(
        "lint", *options, "--question", "What does it cost?", "--knowledge", "it is a pen"
    )
    assert "unmentioned_value" not in result.output


@pytest.mark.parametrize(
    "options",
    [
        ("--sql", RIGHT),
        (),
        ("--sql", RIGHT, "--db", "{db}", "--sign", "dead_litral"),
        ("--sql", RIGHT, "--db", "{db}", "--fail-on", "often"),
    ],
)
def test_wrong_calls(invoke, tiny, options):
    arguments = [text.format(db=database(tiny)) for text in options]
    assert invoke("lint", *arguments).exit_code == 2


def test_a_missing_database_leaves_nothing_to_look_at(invoke, tmp_path):
    result = invoke("lint", "--no-cache", "--sql", RIGHT, "--db", tmp_path / "absent.sqlite")
    assert result.exit_code == 3
    assert "no query could be examined" in result.output


def test_unreadable_text_in_a_question_is_escaped(invoke, tiny):
    sql = "SELECT price FROM item WHERE name = '\x1b[31m'"
    result = invoke("lint", "--no-cache", "--sql", sql, "--db", database(tiny))
    assert "\x1b" not in result.output


def test_every_sign_of_the_registry_can_be_named(invoke, tiny):
    arguments = [part for name in SIGNS.names() for part in ("--sign", name)]
    result = invoke("lint", "--no-cache", "--sql", DEAD, "--db", database(tiny), *arguments)
    assert result.exit_code == 0
