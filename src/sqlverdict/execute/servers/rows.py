"""Tables as common table expressions in front of a query.

The expressions stand first in the list of a WITH that the query has itself. Where that list has an
expression of a table's name, the table is put into the expressions up to that one: they alone can
read it. After WITH RECURSIVE nobody can.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from sqlverdict.execute.lexemes import Lex, Lexeme, lexemes, solid_lexemes

_MARK: Final = "sqlverdict rows of table "
_MARKED: Final = re.compile(rf"'{_MARK}(\d+)'")
Fold = Callable[[str], str]
_Expression = tuple[str, int, int]
"""One expression of a WITH list: its name, and where the lexemes of its query begin and end."""


def mark(number: int) -> str:
    """The literal that stands for the rows of a table until they are known."""
    return f"'{_MARK}{number}'"


def has_mark(sql: str) -> bool:
    """Whether a text looks as if it had such a literal."""
    return _MARK in sql


class StatementTemplate:
    """A statement with places for the rows of tables.

    Args:
        text: The statement, with marks.
    """

    def __init__(self, text: str) -> None:
        self._pieces = _MARKED.split(text)

    def text(self, literals: Sequence[str]) -> str:
        """The statement with rows.

        Args:
            literals: The rows of each table, by its number.
        """
        pieces = list(self._pieces)
        pieces[1::2] = [literals[int(number)] for number in pieces[1::2]]
        return "".join(pieces)


def names_of(sql: str, dialect: str, fold_name: Fold) -> frozenset[str]:
    """Every name in a text."""
    parts = lexemes(sql, dialect)
    return frozenset(fold_name(part.name) for part in parts if part.kind in (Lex.WORD, Lex.NAME))


def expression_names(sql: str, dialect: str, fold_name: Fold) -> frozenset[str]:
    """The names of a text that stand before ``AS (``, or before ``(a, b) AS (``."""
    parts = solid_lexemes(sql, dialect)
    return frozenset(
        fold_name(part.name)
        for at, part in enumerate(parts)
        if part.kind in (Lex.WORD, Lex.NAME) and _query_at(parts, at + 1) is not None
    )


def with_tables(sql: str, dialect: str, tables: Mapping[str, str], fold_name: Fold) -> str:
    """A query that reads expressions instead of tables.

    Args:
        sql: The query, in the spelling of its guard.
        dialect: How it is cut into tokens.
        tables: What stands in a WITH list for a table, ``"t" AS (...)``, by the table's name.
        fold_name: The form in which names are compared.
    """
    mentions = names_of(sql, dialect, fold_name)
    tables = {name: text for name, text in tables.items() if name in mentions}
    if not tables:
        return sql
    parts = solid_lexemes(sql, dialect)
    if parts[0].text.lower() != "with":
        return f"WITH {', '.join(tables.values())} {sql}"
    is_recursive = parts[1].text.lower() == "recursive"
    first = 2 if is_recursive else 1
    own = list(_expressions(parts, first, fold_name))
    hidden = {name for name, _, _ in own} & tables.keys()
    visible = [text for name, text in tables.items() if name not in hidden]
    pieces = [sql[: parts[first].start], "".join(f"{text}, " for text in visible)]
    at = parts[first].start
    for index, (_, first, last) in enumerate(own if not is_recursive else ()):
        later = {name for name, _, _ in own[index:]} & hidden
        inner = {name: tables[name] for name in tables if name in later}
        begin, end = parts[first].start, parts[last].start
        pieces += [sql[at:begin], with_tables(sql[begin:end], dialect, inner, fold_name)]
        at = end
    return "".join([*pieces, sql[at:]])


def _expressions(parts: Sequence[Lexeme], at: int, fold_name: Fold) -> Iterator[_Expression]:
    """The expressions of a WITH list that begins at a lexeme."""
    while at < len(parts):
        begin = _query_at(parts, at + 1)
        if begin is None:
            return
        end = _closing(parts, begin - 1)
        yield fold_name(parts[at].name), begin, end
        # What stands behind, up to a comma: SEARCH and CYCLE have commas of their own.
        at = end + 1
        if at >= len(parts) or parts[at].text != ",":
            return
        at += 1


def _query_at(parts: Sequence[Lexeme], at: int) -> int | None:
    """Where the query of an expression begins, whose name stands before a lexeme."""
    if at < len(parts) and parts[at].text == "(":
        at = _closing(parts, at) + 1
    words = [part.text.lower() for part in parts[at : at + 4]]
    for opening in (["as", "("], ["as", "materialized", "("], ["as", "not", "materialized", "("]):
        if words[: len(opening)] == opening:
            return at + len(opening)
    return None


def _closing(parts: Sequence[Lexeme], at: int) -> int:
    """The parenthesis that closes the one at a lexeme; the end where there is none."""
    depth = 0
    for index in range(at, len(parts)):
        depth += {"(": 1, ")": -1}.get(parts[index].text, 0)
        if not depth:
            return index
    return len(parts) - 1
