"""The parts of a CREATE TABLE statement as text, for engines and for readers.

Who writes a table decides which parts count and how names look: an engine needs every name quoted,
a prompt is easier to read without quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Column, ForeignKey, Table

WriteName = Callable[[str], str]


def create_table(name: str, parts: Iterable[str], *, write: WriteName = quote_name) -> str:
    """CREATE TABLE with a line a part: columns first, then constraints."""
    return f"CREATE TABLE {write(name)} (\n  " + ",\n  ".join(parts) + "\n)"


def table_text(
    table: Table,
    *,
    keys: Iterable[ForeignKey] | None = None,
    text_type: str = "",
    write: WriteName = quote_name,
) -> str:
    """CREATE TABLE of a table with all that is declared of it.

    Args:
        table: The table.
        keys: The foreign keys to declare; by default all.
        text_type: The type of a column without one.
        write: How a name is written.
    """
    parts = [_whole_column(column, column.type or text_type, write) for column in table.columns]
    if table.primary_key:
        parts.append(primary_key_part(table.primary_key, write))
    parts += [unique_part(columns, write) for columns in table.uniques]
    parts += [f"CHECK ({check})" for check in table.checks]
    parts += [
        foreign_key_part(key, write) for key in (table.foreign_keys if keys is None else keys)
    ]
    return create_table(table.name, parts, write=write)


def _whole_column(column: Column, type_: str, write: WriteName) -> str:
    if column.generated is not None:
        text = f"{write(column.name)} {type_} GENERATED ALWAYS AS ({column.generated})"
    else:
        # An invisible column without a default must take NULL.
        not_null = column.not_null and not (column.invisible and column.default is None)
        text = column_part(
            column.name, type_, not_null=not_null, default=column.default, write=write
        )
    return f"{text} INVISIBLE" if column.invisible else text


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
