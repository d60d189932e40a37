"""The sentence of a witness says whether one row is enough, or a cause must hold for all rows."""

from __future__ import annotations

import pytest
from firm_witness import on

from sqlverdict.refute.explain.sentence import sentence

CASES = {
    "nothing but NULL": (
        "SELECT sum(salary) FROM employee",
        "SELECT total(salary) FROM employee",
        {"employee": [(1, "Ada", 30, None, "5", 1), (2, "Bo", 30, None, "5", 1)]},
        "no row of employee has any salary (NULL in every row)",
    ),
    "nothing but NULL in a group": (
        "SELECT name, sum(salary) FROM employee GROUP BY name",
        "SELECT name, total(salary) FROM employee GROUP BY name",
        {"employee": [(1, "Ada", 30, None, "5", 1)]},
        "the rows of employee in a group have no salary (NULL in every row of it)",
    ),
    "NULLs that sort last, and one is left out": (
        "SELECT name FROM employee ORDER BY salary DESC LIMIT 1",
        "SELECT name FROM employee WHERE salary IS NOT NULL ORDER BY salary DESC LIMIT 1",
        {"employee": [(1, "Ada", 30, None, "5", 1)]},
        "no row of employee has any salary (NULL in every row; the prediction leaves them out)",
    ),
    "NULLs that sort first, and one is left out": (
        "SELECT name FROM employee ORDER BY salary LIMIT 1",
        "SELECT name FROM employee WHERE salary IS NOT NULL ORDER BY salary LIMIT 1",
        {"employee": [(1, "Ada", 30, None, "5", 1)]},
        "a row of employee has no salary (NULL; the prediction leaves it out)",
    ),
    "a NULL in the first row by another column": (
        "SELECT id FROM employee ORDER BY name LIMIT 1",
        "SELECT id FROM employee WHERE salary IS NOT NULL ORDER BY name LIMIT 1",
        {"employee": [(1, "Ada", 30, None, "5", 1)]},
        "a row of employee has no salary (NULL; the prediction leaves it out)",
    ),
    "no row meets it": (
        "SELECT count(*) > 0 FROM employee WHERE age > 20",
        "SELECT count(*) > 0 FROM employee",
        {"employee": [(1, "Ada", 10, None, "5", 1)]},
        "no row of employee meets age > 20 (only the gold asks for it)",
    ),
    "numbers that are the same once by chance": (
        "SELECT count(*) FROM employee AS e JOIN department AS d ON d.id = e.dept_id",
        "SELECT count(*) FROM employee WHERE dept_id = 7",
        {"department": [(1, "x", "y")], "employee": [(1, "Ada", 30, 10.0, "5", 1)]},
        "a row of employee fails dept_id = 7 (only the prediction asks for it)",
    ),
    "joins that give one row each by chance": (
        "SELECT count(*) FROM employee AS e JOIN department AS d ON d.id = e.dept_id",
        "SELECT count(*) FROM players AS p JOIN department AS d ON d.id = p.score",
        {
            "department": [(1, "x", "y")],
            "employee": [(1, "Ada", 30, 10.0, "5", 1)],
            "players": [(1, "a", 5)],
        },
        "a row of department has no partner in players",
    ),
    "a department without employees": (
        "SELECT d.name, count(e.id) FROM department AS d LEFT JOIN employee AS e "
        "ON e.dept_id = d.id GROUP BY d.id",
        "SELECT d.name, count(e.id) FROM department AS d JOIN employee AS e "
        "ON e.dept_id = d.id GROUP BY d.id",
        {"department": [(1, "x", "y")]},
        "a row of department has no partner in employee",
    ),
    "a city without employees": (
        "SELECT d.city, count(e.id) FROM department AS d LEFT JOIN employee AS e "
        "ON e.dept_id = d.id GROUP BY d.city",
        "SELECT d.city, count(e.id) FROM department AS d JOIN employee AS e "
        "ON e.dept_id = d.id GROUP BY d.city",
        {"department": [(1, "x", "y")]},
        "the rows of department in a group have no partner in employee",
    ),
    "nobody in any department": (
        "SELECT count(e.id) > 0 FROM department AS d LEFT JOIN employee AS e ON e.dept_id = d.id",
        "SELECT count(*) > 0 FROM department AS d LEFT JOIN employee AS e ON e.dept_id = d.id",
        {"department": [(1, "x", "y")]},
        "no row of department has a partner in employee",
    ),
    "NULL in those rows of a group alone that the queries read": (
        "SELECT name, sum(salary) FROM employee WHERE age > 20 GROUP BY name",
        "SELECT name, total(salary) FROM employee WHERE age > 20 GROUP BY name",
        {"employee": [(1, "Ada", 10, 7.0, "5", 1), (2, "Ada", 30, None, "5", 1)]},
        "a row of employee has no salary (NULL)",
    ),
    "groups by another letter case": (
        "SELECT name, sum(salary) FROM employee GROUP BY name COLLATE NOCASE",
        "SELECT name, total(salary) FROM employee GROUP BY name COLLATE NOCASE",
        {"employee": [(1, "Ada", 30, None, "5", 1)]},
        "a row of employee has no salary (NULL)",
    ),
    "a condition that no row of its table fails": (
        "SELECT d.name FROM department AS d LEFT JOIN employee AS e ON e.dept_id = d.id",
        "SELECT d.name FROM department AS d LEFT JOIN employee AS e ON e.dept_id = d.id "
        "WHERE e.age > 20",
        {
            "department": [(1, "x", "y"), (2, "z", "y")],
            "employee": [(1, "Ada", 30, 1.0, "5", 2)],
        },
        "a row of department has no partner in employee",
    ),
    "a NULL that stands in no row": (
        "SELECT d.name FROM department AS d LEFT JOIN employee AS e ON e.dept_id = d.id",
        "SELECT d.name FROM department AS d LEFT JOIN employee AS e ON e.dept_id = d.id "
        "WHERE e.age IS NOT NULL",
        {"department": [(1, "x", "y")]},
        "a row of department has no partner in employee",
    ),
    "a subquery about the row itself": (
        "SELECT name FROM employee",
        "SELECT name FROM employee AS e WHERE EXISTS "
        "(SELECT 1 FROM employee AS x WHERE x.id <> e.id)",
        {"employee": [(1, "Ada", 2, 1.0, "5", 2)]},
        "no row of employee meets EXISTS(SELECT 1 FROM employee AS x WHERE x.id <> e.id) "
        "(only the prediction asks for it)",
    ),
    "conditions that hold for the same groups": (
        "SELECT name FROM employee GROUP BY name HAVING sum(age) > 1 "
        "ORDER BY count(*) DESC, name LIMIT 1",
        "SELECT name FROM employee GROUP BY name HAVING sum(age) >= 2 ORDER BY name LIMIT 1",
        {
            "employee": [
                (1, "Ada", 0, 1.0, "5", 1),
                (2, "Bo", 2, 1.0, "5", 1),
                (3, "Cy", 2, 2.0, "5", 1),
                (4, "Cy", 2, 2.0, "5", 1),
                (5, "Ada", 0, 1.0, "5", 1),
            ]
        },
        "two rows of employee have the same name",
    ),
    "the same output of tables in another order": (
        "SELECT e.name FROM employee AS e JOIN department AS d ON e.dept_id = d.id",
        "SELECT a.phone FROM department AS b JOIN employee AS a ON b.id = a.dept_id",
        {"department": [(1, "x", "y")], "employee": [(1, "Ada", 30, 1.0, "5", 1)]},
        "name and phone are not the same",
    ),
    "rows that join by one of two conditions": (
        "SELECT e.name FROM employee AS e JOIN department AS d ON e.dept_id = d.id "
        "WHERE d.name = 'x'",
        "SELECT e.name FROM employee AS e JOIN department AS d ON e.age = d.id WHERE d.name = 'x'",
        {
            "department": [(1, "x", "y"), (2, "x", "y"), (3, "q", "y")],
            "employee": [(1, "Ada", 2, 1.0, "5", 3), (2, "Bo", 3, 1.0, "5", 1)],
        },
        "rows that join by department.id = employee.dept_id (gold) do not join by "
        "department.id = employee.age (prediction)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_sentence_is_true_of_the_witness_as_a_whole(name: str) -> None:
    gold, prediction, rows, expected = CASES[name]
    assert sentence(on(gold, prediction, **rows)) == f"they differ when {expected}"
