"""CREATE TABLE and its parts as text, for engines and for readers.

Who writes a table decides which parts count and how names look: an engine needs every name quoted,
a prompt is easier to read without quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.facts import Fact, NotNull, Unique
from sqlverdict.parse.schema import ForeignKey, Table, stored_type

WriteName = Callable[[str], str]


def create_table(name: str, parts: Iterable[str], *, write: WriteName = quote_name) -> str:
    """CREATE TABLE with a line a part: columns first, then constraints."""
    return f"CREATE TABLE {write(name)} (\n  " + ",\n  ".join(parts) + "\n)"


def column_part(
    name: str,
    type_: str = "",
    *,
    not_null: bool = False,
    default: str | None = None,
    write: WriteName = quote_name,
) -> str:
    """A column with its type and what is declared beside it."""
    words = [write(name)]
    if type_:
        words.append(type_)
    if not_null:
        words.append("NOT NULL")
    if default is not None:
        words.append(f"DEFAULT {default}")
    return " ".join(words)


def name_list(names: Iterable[str], write: WriteName = quote_name) -> str:
    """Names with commas between them."""
    return ", ".join(map(write, names))


def primary_key_part(columns: Iterable[str], write: WriteName = quote_name) -> str:
    """PRIMARY KEY over columns."""
    return f"PRIMARY KEY ({name_list(columns, write)})"


def unique_part(columns: Iterable[str], write: WriteName = quote_name) -> str:
    """UNIQUE over columns."""
    return f"UNIQUE ({name_list(columns, write)})"


def foreign_key_part(key: ForeignKey, write: WriteName = quote_name) -> str:
    """FOREIGN KEY; the parent's columns are left out where they are not known."""
    target = f" ({name_list(key.parent_columns, write)})" if key.parent_columns else ""
    return f"FOREIGN KEY ({name_list(key.columns, write)}) REFERENCES {write(key.parent)}{target}"


def create_statement(table: Table, facts: Iterable[Fact], whole: bool) -> str:
    """CREATE TABLE with the facts as constraints.

    The table's own declaration is used where all of it counts: it knows collations and checks
    that facts do not.
    """
    if whole and table.sql and table.sql.lstrip()[:12].upper().startswith("CREATE TABLE"):
        return table.sql
    if table.sql and " collate " in table.sql.lower():
        # Collations change answers, and only the declaration knows them.
        return table.sql
    never_null = {f.column for f in facts if isinstance(f, NotNull) and f.table == table.name}
    parts = [
        column_part(c.name, stored_type(table, c), not_null=c.name in never_null)
        for c in table.columns
    ]
    parts += [
        unique_part(fact.columns)
        for fact in facts
        if isinstance(fact, Unique) and fact.table == table.name
    ]
    parts += [f"CHECK ({check})" for check in table.checks] if whole else []
    return create_table(table.name, parts)
