"""The parts of a CREATE TABLE statement as text, for engines and for readers.

Who writes a table decides which parts count and how names look: an engine needs every name quoted,
a prompt is easier to read without quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import ForeignKey

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
