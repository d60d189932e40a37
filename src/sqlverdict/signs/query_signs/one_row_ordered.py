"""ORDER BY or LIMIT stands over the one row of an aggregate.

Statement
    SELECT COUNT(*) FROM t ORDER BY x LIMIT 1: aggregates alone, no GROUP BY, and an ORDER BY or a
    LIMIT of at least 1 behind them.

Looks at
    Every SELECT of the query; no data.

Why
    Such a SELECT returns one row, whatever stands behind it. Its author meant to order or to cut
    the rows before they are counted or added up.

Limits
    LIMIT 1 is sometimes added out of habit. OFFSET is not looked at: it empties the answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', 280), (3, 'Hamar', 30);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample("SELECT COUNT(*) FROM city ORDER BY people DESC LIMIT 2", "ORDER BY and LIMIT"),
        SignExample("SELECT SUM(people) FROM city LIMIT 5", "LIMIT"),
        SignExample("SELECT AVG(people) FROM city ORDER BY name", "ORDER BY"),
        SignExample(
            "SELECT name FROM city WHERE people > (SELECT AVG(people) FROM city ORDER BY id)"
        ),
    ],
    silent=[
        SignExample("SELECT COUNT(*) FROM city"),
        SignExample("SELECT name, COUNT(*) FROM city GROUP BY name ORDER BY 2 LIMIT 1"),
        SignExample("SELECT name FROM city ORDER BY people LIMIT 1"),
        SignExample("SELECT COUNT(*) FROM city LIMIT 0"),
        SignExample("SELECT (SELECT MAX(people) FROM city) FROM city ORDER BY id LIMIT 2"),
        SignExample("SELECT SUM(people) FROM (SELECT people FROM city ORDER BY people LIMIT 2)"),
        SignExample("SELECT name, MAX(people) FROM city ORDER BY people LIMIT 1"),
        SignExample("SELECT people, SUM(people) OVER () FROM city ORDER BY people LIMIT 1"),
    ],
    needs_answer=False,
)
def one_row_ordered(subject: Subject) -> Iterator[Notice]:
    """Each SELECT of one row that is ordered or cut."""
    for select in subject.query.find_all(exp.Select):
        clauses = [name for name, key in _CLAUSES if select.args.get(key) is not None]
        if not clauses or select.args.get("group") or select.args.get("offset"):
            continue
        limit = select.args.get("limit")
        if limit is not None and (limit.expression is None or limit.expression.name == "0"):
            continue
        if select.expressions and all(_is_aggregate(each) for each in select.expressions):
            message = f"{' and '.join(clauses)} without effect: aggregates alone give one row"
            yield Notice("one_row_ordered", message)


_CLAUSES = (("ORDER BY", "order"), ("LIMIT", "limit"))


def _is_aggregate(column: exp.Expression) -> bool:
    """Whether all that a column reads is inside aggregates, and there is one."""
    aggregates = [
        node for node in column.find_all(exp.AggFunc) if not isinstance(node.parent, exp.Window)
    ]
    if not aggregates or column.find(exp.Window, exp.Query) is not None:
        return False
    inside = {id(node) for each in aggregates for node in each.find_all(exp.Column)}
    return all(id(node) in inside for node in column.find_all(exp.Column))
