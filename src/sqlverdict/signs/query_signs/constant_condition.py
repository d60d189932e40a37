"""A comparison is true for every row of its table, or for none.

Statement
    column < literal, column <> literal, column BETWEEN ... in WHERE, and every value of the
    column fulfils it, or none does.

Looks at
    Comparisons of a column with literals that WHERE joins with AND, on the data. Equality is
    another sign's matter (dead_literal); IS NULL is left alone.

Why
    A condition that filters nothing, or all, compares with a value of another scale or format.

Limits
    A condition may be there to be safe.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_FEWEST = 3
"""In how many rows a column must have a value: one or two rows agree by chance."""

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 700), (2, 'Bergen', 280), (3, 'Moss', 50);
"""


@sign(
    strength="weak",
    data=_DATA,
    fires=[
        SignExample("SELECT name FROM city WHERE people > 10", "every"),
        SignExample("SELECT name FROM city WHERE people < 10", "no "),
        SignExample("SELECT name FROM city WHERE name <> 'oslo'", "every"),
    ],
    silent=[
        SignExample("SELECT name FROM city WHERE people > 100"),
        SignExample("SELECT name FROM city WHERE name = 'Rome'"),
        SignExample("SELECT name FROM city WHERE people IS NOT NULL"),
    ],
)
def constant_condition(subject: Subject) -> Iterator[Notice]:
    """Each comparison, once."""
    kinds = (exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
    for where in subject.query.find_all(exp.Where):
        for node in where.this.flatten() if isinstance(where.this, exp.And) else [where.this]:
            inner = node.unnest()
            if not isinstance(inner, kinds) or not isinstance(inner.this, exp.Column):
                continue
            others = [each for name, each in inner.args.items() if name != "this" and each]
            if not all(isinstance(each, exp.Literal) for each in others):
                continue
            column_ref = subject.resolver.column(inner.this)
            if column_ref is not None:
                yield from _notices(subject, inner, column_ref)


def _notices(
    subject: Subject, node: exp.Expression, column_ref: tuple[str, str]
) -> Iterator[Notice]:
    copy = node.copy()
    copy.set("this", exp.column(exp.to_identifier(column_ref[1], quoted=True)))
    condition = subject.text(copy)
    table, column = map(subject.quoted, column_ref)
    holds_in = f"COUNT(CASE WHEN {condition} THEN 1 END)"
    counts = subject.rows(f"SELECT COUNT({column}), {holds_in} FROM {table}")  # noqa: S608
    total, holds = counts[0] if counts else (None, None)
    if not isinstance(total, int) or not isinstance(holds, int) or total < _FEWEST:
        return
    if holds in (0, total):
        rows = "every row" if holds else "no row"
        message = f"{rows} of {column_ref[0]} fulfils {subject.text(node)}"
        yield Notice("constant_condition", message, {"always": bool(holds)})
