"""What a prediction does otherwise is said in words, and only what is true of the two texts."""

from __future__ import annotations

import pytest

from sqlverdict.compare.tags import EXAMPLES_SCHEMA, TAGS, find_difference
from sqlverdict.parse.schemas.ddl import read_ddl

SCHEMA = read_ddl(EXAMPLES_SCHEMA, "league")
JOINED = "FROM player p JOIN team t ON p.team_id = t.id"

PAIRS = {
    "another column": (
        "SELECT name FROM team",
        "SELECT city FROM team",
        "selects city instead of name",
    ),
    "a column of another table": (
        f"SELECT p.name {JOINED}",
        f"SELECT t.name {JOINED}",
        "selects team.name instead of player.name",
    ),
    "an aggregate": (
        "SELECT SUM(goals) FROM player",
        "SELECT AVG(goals) FROM player",
        "selects AVG(goals) instead of SUM(goals)",
    ),
    "one column more": (
        "SELECT name FROM player",
        "SELECT name, born FROM player",
        "also selects born",
    ),
    "columns in another order": (
        "SELECT name, born FROM player",
        "SELECT born, name FROM player",
        "selects the columns in another order",
    ),
    "a value": (
        "SELECT name FROM player WHERE weight > 80",
        "SELECT name FROM player WHERE weight > 90",
        "has the condition weight > 90 instead of weight > 80",
    ),
    "a condition that is missing": (
        "SELECT name FROM player WHERE weight > 80 AND goals < 3",
        "SELECT name FROM player WHERE weight > 80",
        "lacks the condition goals < 3",
    ),
    "another table": (
        "SELECT id FROM player",
        "SELECT id FROM game",
        "selects game.id instead of player.id",
    ),
    "no outer join": (
        "SELECT t.name, COUNT(p.id) FROM team t LEFT JOIN player p ON p.team_id = t.id "
        "GROUP BY t.id",
        "SELECT t.name, COUNT(p.id) FROM team t JOIN player p ON p.team_id = t.id GROUP BY t.id",
        "lacks LEFT JOIN player",
    ),
    "another extreme inside": (
        "SELECT name FROM player WHERE weight = (SELECT MAX(weight) FROM player)",
        "SELECT name FROM player WHERE weight = (SELECT MIN(weight) FROM player)",
        "has MIN instead of MAX",
    ),
    "a range": (
        "SELECT name FROM player WHERE born LIKE '2000%'",
        "SELECT name FROM player WHERE born BETWEEN '2000-01-01' AND '2000-12-31'",
        "has the condition born BETWEEN '2000-01-01' AND '2000-12-31' instead of born LIKE '2000%'",
    ),
    "NULL": (
        "SELECT name FROM player WHERE weight IS NOT NULL",
        "SELECT name FROM player WHERE weight > 0",
        "has the condition weight > 0 instead of weight IS NOT NULL",
    ),
    "an alias is not another condition": (
        "SELECT team_id FROM player GROUP BY team_id HAVING COUNT(*) > 1",
        "SELECT team_id, COUNT(*) AS n FROM player GROUP BY team_id HAVING n > 1",
        "also selects COUNT(*), among other differences",
    ),
    "rows that NOT IN connects": (
        "SELECT name FROM team WHERE NOT EXISTS (SELECT 1 FROM player WHERE team_id = team.id)",
        "SELECT name FROM team WHERE id NOT IN (SELECT team_id FROM player)",
        "",
    ),
    "ties": (
        "SELECT name FROM player WHERE weight = (SELECT MAX(weight) FROM player)",
        "SELECT name FROM player ORDER BY weight DESC LIMIT 1",
        "takes the first rows by LIMIT where the gold takes all rows that have the MIN or MAX",
    ),
    "groups": (
        "SELECT COUNT(*) FROM player GROUP BY team_id",
        "SELECT COUNT(*) FROM player GROUP BY born",
        "groups by born instead of team_id",
    ),
    "no DISTINCT": (
        "SELECT DISTINCT name FROM player",
        "SELECT name FROM player",
        "lacks DISTINCT",
    ),
    "another limit": (
        "SELECT name FROM player ORDER BY goals LIMIT 3",
        "SELECT name FROM player ORDER BY goals LIMIT 4",
        "has LIMIT 4 instead of LIMIT 3",
    ),
    "two differences": (
        "SELECT name FROM player WHERE weight > 80",
        "SELECT born FROM player WHERE weight > 90",
        "selects born instead of name and has the condition weight > 90 instead of weight > 80",
    ),
    "many differences": (
        "SELECT name FROM player WHERE weight > 80 ORDER BY goals",
        "SELECT DISTINCT born FROM player WHERE weight > 90",
        "selects born instead of name and has the condition weight > 90 instead of weight > 80, "
        "among other differences",
    ),
    "nothing": ("SELECT name FROM player", "SELECT p.name FROM player AS p", ""),
    "the same column over an alias of a query": (
        "SELECT COUNT(*) FROM player",
        "SELECT n FROM (SELECT COUNT(*) AS n FROM player)",
        "",
    ),
    "a column that both join": (
        f"SELECT p.team_id {JOINED}",
        f"SELECT t.id {JOINED}",
        "",
    ),
    "one side of an OR is not missing": (
        "SELECT name FROM player WHERE weight > 80 AND goals > 1",
        "SELECT name FROM player WHERE weight > 80 AND (goals > 1 OR id IN (SELECT 1))",
        "",
    ),
    "a join without a condition": (
        "SELECT p.name FROM player p JOIN game g",
        "SELECT p.name FROM player p JOIN game g ON g.team_id = p.team_id",
        "also connects rows by game.team_id = player.team_id",
    ),
    "the same LIMIT of a set operation": (
        "SELECT name FROM player UNION SELECT name FROM team ORDER BY name LIMIT 3",
        "SELECT name FROM player UNION SELECT name FROM team WHERE id > 1 ORDER BY name LIMIT 3",
        "adds the condition team.id > 1",
    ),
    "a LIMIT inside": (
        "SELECT name FROM player UNION SELECT name FROM team ORDER BY name LIMIT 3",
        "SELECT * FROM (SELECT name FROM player UNION SELECT name FROM team ORDER BY name LIMIT 3)",
        "",
    ),
    "arms in another order": (
        "SELECT name FROM player UNION SELECT city FROM team",
        "SELECT city FROM team UNION SELECT name FROM player",
        "",
    ),
    "all that tie, in two ways": (
        "SELECT name FROM player WHERE goals = (SELECT MAX(goals) FROM player)",
        "SELECT name FROM player WHERE goals = "
        "(SELECT goals FROM player ORDER BY goals DESC LIMIT 1)",
        "lacks MAX",
    ),
    "INTERSECT is no AND": (
        "SELECT name FROM player WHERE goals = 1 INTERSECT SELECT name FROM player WHERE born = 2",
        "SELECT name FROM player WHERE goals = 1 OR born = 2",
        "lacks INTERSECT, among other differences",
    ),
    "a column by its number": (
        "SELECT team_id, COUNT(*) FROM player GROUP BY team_id ORDER BY COUNT(*) DESC",
        "SELECT team_id, COUNT(*) FROM player GROUP BY 1 ORDER BY 2 DESC",
        "",
    ),
    "one of two conditions on groups": (
        "SELECT team_id FROM player GROUP BY team_id HAVING COUNT(*) > 1 AND SUM(goals) > 2",
        "SELECT team_id FROM player GROUP BY team_id HAVING COUNT(*) > 1",
        "lacks HAVING SUM(goals) > 2",
    ),
    "a table that is joined to itself": (
        "SELECT a.name FROM player a JOIN player b ON a.team_id = b.id WHERE b.name = 'Ann'",
        "SELECT a.name FROM player a JOIN player b ON a.team_id = b.id WHERE a.name = 'Bob'",
        "",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_the_words_say_what_differs(name: str) -> None:
    gold, prediction, words = PAIRS[name]
    assert find_difference(gold, prediction, SCHEMA)[1] == words


@pytest.mark.parametrize(
    ("prediction", "words"),
    [
        ("SELECT birthday FROM player", "reads the column birthday, which does not exist"),
        ("SELECT city FROM player", "reads the column city, which its FROM does not provide"),
        ("SELECT name FROM players", "reads the table players, which does not exist"),
        ("SELECT YEAR(born) FROM player", "calls the function YEAR, which SQLite does not have"),
    ],
)
def test_a_prediction_that_fails_is_explained_by_why(prediction: str, words: str) -> None:
    gold = "SELECT name FROM player"
    difference = find_difference(gold, prediction, SCHEMA, reasons=["EXECUTION_ERROR"])
    assert difference[1] == words


def test_a_prediction_that_runs_is_not_said_to_fail() -> None:
    gold, prediction = "SELECT name FROM player", "SELECT birthday FROM player"
    assert "exist" not in find_difference(gold, prediction, SCHEMA)[1]


@pytest.mark.parametrize("name", [name for name, kind in TAGS.items() if kind.gold])
def test_each_example_of_a_tag_can_be_read(name: str) -> None:
    kind = TAGS[name]
    _, words = find_difference(kind.gold, kind.prediction, SCHEMA)
    assert "None" not in words
    assert not words.startswith(",")
