"""A division of two whole numbers drops what is behind the point.

Statement
    a / b where both sides are integers, and not all quotients are whole.

Looks at
    Divisions whose sides are integer literals, COUNT, SUM, MIN or MAX of integers, integer
    columns that hold integers only, CAST to an integer, and sums or products of those. A float
    anywhere, such as * 1.0, makes it silent.

Why
    5 / 2 is 2 in SQLite: averages, shares and percentages come out wrong, often as 0.

Limits
    A division may be meant to drop the rest, as in "decades". Silent on MySQL and DuckDB, whose /
    keeps the fraction. A sum of BIGINT is no whole number in PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import affinity
from sqlverdict.parse.schemas.column_types import column_values
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER, area REAL);
INSERT INTO city VALUES (1, 'Oslo', 701, 0.5), (2, 'Bergen', 280, 1.5), (3, 'Hamar', 31, 2.0);
"""


@sign(
    strength="strong",
    data=_DATA,
    fires=[
        SignExample("SELECT SUM(people) / COUNT(*) FROM city", "SUM(people) / COUNT(*)"),
        SignExample("SELECT SUM(CASE WHEN id > 1 THEN 1 ELSE 0 END) * 100 / COUNT(*) FROM city"),
        SignExample("SELECT people / 2 FROM city"),
    ],
    silent=[
        SignExample("SELECT SUM(people) * 1.0 / COUNT(*) FROM city"),
        SignExample("SELECT CAST(SUM(people) AS REAL) / COUNT(*) FROM city"),
        SignExample("SELECT SUM(area) / COUNT(*) FROM city"),
        SignExample("SELECT people / 2.0 FROM city"),
        SignExample("SELECT AVG(people) / 2 FROM city"),
    ],
)
def integer_division(subject: Subject) -> Iterator[Notice]:
    """Each division, once."""
    for node in subject.query.find_all(exp.Div):
        if not node.args.get("typed"):
            # Here a quotient of whole numbers keeps its fraction.
            return
        if _is_integer(node.this, subject) and _is_integer(node.expression, subject):
            sides = (node.this, node.expression)
            division = " / ".join(map(subject.text, sides))
            message = f"{division} divides whole numbers and drops the fraction"
            yield Notice("integer_division", message, {"division": division})


def _is_integer(node: Expr, subject: Subject) -> bool:
    inner = node.unnest()
    match inner:
        case exp.Literal():
            return bool(inner.is_int)
        case exp.Count():
            return True
        case exp.Sum() if subject.record.wide_sums and _is_wide(inner.this, subject):
            return False
        case exp.Neg() | exp.Sum() | exp.Min() | exp.Max() | exp.Abs() | exp.Distinct():
            parts = inner.expressions if isinstance(inner, exp.Distinct) else [inner.this]
            return bool(parts) and all(_is_integer(part, subject) for part in parts)
        case exp.Add() | exp.Sub() | exp.Mul():
            return _is_integer(inner.this, subject) and _is_integer(inner.expression, subject)
        case exp.Case() | exp.If():
            return _branches(inner, subject)
        case exp.Cast():
            return subject.text(inner.to).upper() in ("INTEGER", "INT", "BIGINT")
        case exp.Predicate():
            return True
        case exp.Subquery():
            select = inner.this
            single = isinstance(select, exp.Select) and len(select.expressions) == 1
            return single and _is_integer(select.expressions[0].unalias(), subject)
        case exp.Column():
            return _is_integer_column(inner, subject)
    return False


def _branches(node: Expr, subject: Subject) -> bool:
    """Whether every value of a CASE or IIF is an integer; NULL counts as none."""
    cases = node.args.get("ifs") or [node]
    values = [case.args.get("true") for case in cases]
    values += [node.args.get("default"), node.args.get("false") if cases == [node] else None]
    known = [value for value in values if value is not None and not isinstance(value, exp.Null)]
    return bool(known) and all(_is_integer(value, subject) for value in known)


def _is_integer_column(node: exp.Column, subject: Subject) -> bool:
    column_ref = subject.resolver.column(node)
    if column_ref is None:
        meaning = subject.resolver.meaning(node)
        return meaning is not node and _is_integer(meaning, subject)
    table = subject.schema.table(column_ref[0])
    column = table.column(column_ref[1]) if table is not None else None
    if table is None or column is None:
        return False
    if subject.record.typed:
        return column_values(table, column, subject.query.dialect) == "integer"
    return affinity(column.type) == "INTEGER"


def _is_wide(node: Expr, subject: Subject) -> bool:
    """Whether a value may be a BIGINT, whose sum is a decimal."""
    for inner in node.find_all(exp.Column, exp.Count, exp.Cast, exp.Sum):
        if not isinstance(inner, exp.Column):
            return True
        column_ref = subject.resolver.column(inner)
        table = subject.schema.table(column_ref[0]) if column_ref is not None else None
        column = table.column(column_ref[1]) if table is not None and column_ref else None
        if column is None or column.type.lower() in ("bigint", "int8", "bigserial"):
            return True
    return False
