"""Unique indexes over expressions or a part of the rows, as queries for rows that break them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from sqlverdict.execute.engines.postgres.guard.parser import Tree
from sqlverdict.execute.engines.postgres.sandbox import DIALECT, parse_text
from sqlverdict.execute.lexemes import Lexeme, lexemes
from sqlverdict.execute.servers.constraints import repeats_query
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Table

_INDEX: Final = re.compile(r"CREATE UNIQUE INDEX .*? USING \w+ (\(.*)", re.DOTALL)
EQUAL_NULLS: Final = "NULLS NOT DISTINCT"
_WHERE: Final = re.compile(rf"\s*({EQUAL_NULLS})?\s*(?:WHERE\s+(.*))?", re.DOTALL)
_ORDER: Final = re.compile(r"(\s+(ASC|DESC))?(\s+NULLS\s+(FIRST|LAST))?\s*\Z")


def index_query(table: Table, text: str) -> str:
    """A query that has a row where the rows of a table break a unique index.

    Of an index that cannot be told, and of one of EXCLUDE, it has one where the table has two rows.

    Args:
        table: The table.
        text: The declaration of the index, as the server writes it.
    """
    match = _INDEX.match(text)
    parts, rest = _list(lexemes(match[1], DIALECT)) if match else ([], "")
    condition = _WHERE.fullmatch(rest)
    keys = [_ORDER.sub("", part) for part in parts]
    if not keys or condition is None or not all(map(_is_expression, keys)):
        return f"SELECT 1 FROM {quote_name(table.name)} HAVING count(*) > 1"  # noqa: S608
    where = condition[2] or "true"
    return repeats_query(table, keys, quote_name, where, equal_nulls=condition[1] is not None)


def _list(parts: Sequence[Lexeme]) -> tuple[list[str], str]:
    """The elements of a list in parentheses, and what stands behind it."""
    elements, depth = [""], 0
    for at, part in enumerate(parts):
        depth += {"(": 1, ")": -1}.get(part.text, 0)
        if not depth:
            return [each.strip() for each in elements], "".join(_texts(parts[at + 1 :]))
        if part.text == "," and depth == 1:
            elements.append("")
        elif at:
            elements[-1] += part.text
    return [], ""


def _texts(parts: Sequence[Lexeme]) -> Iterator[str]:
    return (part.text for part in parts)


def _is_expression(text: str) -> bool:
    """Whether an element is an expression alone; the name of an operator class may stand behind."""
    return isinstance(parse_text(f"SELECT ({text})"), Tree)
