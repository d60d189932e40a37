"""A literal is compared with a column whose data never hold it.

Statement
    column = literal, column IN (literal, ...) or column LIKE pattern, and no row of the
    column's table fulfils it.

Looks at
    Comparisons in WHERE, ON and CASE with a column of a table or view, not below a NOT. The
    engine is asked with the same comparison, so affinities and collations count. A number or a
    text; not the empty text. Of a list, or of alternatives joined by OR, all have to be absent.
    The message names the value that differs only in case or in spaces. Where there is none it
    names some of what the column holds, and another column of the schema that holds the literal.

Why
    The author expected the value there: it is written otherwise, or stands in another column.

Limits
    The data may change, and a question may ask for what does not exist.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.refute.trial.literals import cell_text
from sqlverdict.signs.columns import holds_text
from sqlverdict.signs.literals import ComparedLiteral, asked_literals, is_absent, near_value
from sqlverdict.signs.sign import Notice, SignExample, Subject, sign

_COLUMNS = 20
"""In how many other columns a text is looked for."""
_EXAMPLES = 4
"""How many values of the column are named."""

_DATA = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, land TEXT, people INTEGER);
INSERT INTO city VALUES (1, 'Oslo', 'Norway', 700), (2, 'Bergen', 'Norway', 280);
"""


@sign(
    strength="strong",
    data=_DATA,
    fires=[
        SignExample("SELECT id FROM city WHERE name = 'oslo'", "the column has 'Oslo'"),
        SignExample("SELECT id FROM city WHERE name = 'Norway'", "city.land holds it"),
        SignExample("SELECT id FROM city WHERE people = 5", "city.people = 5"),
        SignExample("SELECT id FROM city WHERE people = 5", "the column holds 280, 700"),
        SignExample("SELECT id FROM city WHERE name = 'Rome'", "holds 'Bergen', 'Oslo'"),
        SignExample("SELECT id FROM city WHERE name LIKE 'Par%'", "city.name LIKE 'Par%'"),
        SignExample("SELECT id FROM city WHERE name IN ('Rome', 'Paris')"),
        SignExample("SELECT c.n FROM (SELECT name AS n FROM city) AS c WHERE c.n = 'Rome'"),
    ],
    silent=[
        SignExample("SELECT id FROM city WHERE name = 'Oslo' AND people = 700"),
        SignExample("SELECT id FROM city WHERE name <> 'Paris'"),
        SignExample("SELECT id FROM city WHERE NOT name = 'Paris'"),
        SignExample("SELECT id FROM city WHERE name IN ('Oslo', 'Paris')"),
        SignExample("SELECT id FROM city WHERE name = 'Oslo' OR name = 'oslo'"),
        SignExample("SELECT id FROM city WHERE lower(name) = 'oslo'"),
        SignExample("SELECT id FROM city WHERE name = ''"),
    ],
)
def dead_literal(subject: Subject) -> Iterator[Notice]:
    """Each literal that does not occur."""
    literals = list(dict.fromkeys(asked_literals(subject.query, subject.schema, subject.resolver)))
    dead = [each for each in literals if is_absent(subject.probe, each)]
    alive = {(each.table, each.column) for each in literals if each not in dead}
    for each in dead:
        if each.optional and (each.table, each.column) in alive:
            continue
        near = near_value(subject.probe, each)
        other = None if near is not None else _other_column(subject, each)
        known = (
            f"; the column has {cell_text(near)}"
            if near is not None
            else _column_values(subject, each)
        )
        known += f"; {other} holds it" if other is not None else ""
        comparison = f"{each.table}.{each.column} {each.operator} {each.literal}"
        detail = {
            "table": each.table,
            "column": each.column,
            "text": each.text,
            "near": near if not isinstance(near, bytes) else None,
            "other": other,
        }
        yield Notice("dead_literal", f"no row fulfils {comparison}{known}", detail)


def _column_values(subject: Subject, compared: ComparedLiteral) -> str:
    """What the column holds instead, first values first; empty: it is not known."""
    column, table = subject.quoted(compared.column), subject.quoted(compared.table)
    # A number is not compared with a text where types are kept.
    is_text = not subject.record.typed or holds_text(subject, (compared.table, compared.column))
    known = f"{column} <> ''" if is_text else f"{column} IS NOT NULL"
    rows = subject.rows(
        f"SELECT DISTINCT {column} FROM {table} WHERE {known} "  # noqa: S608 (quoted)
        f"ORDER BY {column} LIMIT {_EXAMPLES + 1}"
    )
    if rows is None:
        return ""
    values = ", ".join(cell_text(row[0]) for row in rows[:_EXAMPLES])
    more = " and others" if len(rows) > _EXAMPLES else ""
    return f"; the column holds {values or 'no value'}{more}"


def _other_column(subject: Subject, compared: ComparedLiteral) -> str | None:
    """Another column that holds the text: of the query's own tables first."""
    if compared.number or compared.operator == "LIKE":
        return None
    own = subject.resolver.tables()
    tables = [*own, *(table for table in subject.schema.tables if table not in own)]
    candidates = [
        (table.name, column.name)
        for table in tables
        for column in table.columns
        if holds_text(subject, (table.name, column.name))
        and (table.name, column.name) != (compared.table, compared.column)
    ]
    for table, column in candidates[:_COLUMNS]:
        condition = f"{subject.quoted(column)} = {compared.literal}"
        sql = f"SELECT 1 FROM {subject.quoted(table)} WHERE {condition} LIMIT 1"  # noqa: S608
        if subject.rows(sql):
            return f"{table}.{column}"
    return None
