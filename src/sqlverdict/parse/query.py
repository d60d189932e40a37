"""Text to :class:`~sqlverdict.records.Query`, or a failure that says where and why.

For SQLite two parsers read the text. SQLite's own decides what is a syntax error; sqlglot
makes the tree. A text that SQLite accepts and sqlglot does not is ``UNSUPPORTED_FEATURE``:
our limit, never the author's mistake. A comma join with ON is read as JOIN.

A double-quoted word that names no column is a string in SQLite. Which one it is depends on
the schema, so the tree keeps it as a quoted column and ``Query.columns`` names it.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of, parser_dialect
from sqlverdict.parse.features import features
from sqlverdict.parse.frozen import freeze
from sqlverdict.parse.grammar import sqlite_complaint
from sqlverdict.parse.measure import MOST_LEVELS, bare_text, too_deep, too_large
from sqlverdict.parse.tokens import (
    Kind,
    fold,
    kind,
    leading_keyword,
    pieces,
    solid,
    statement_count,
    word_set,
)
from sqlverdict.records import ParseFailure, Query, Reason

if TYPE_CHECKING:
    from sqlglot.errors import ParseError
    from sqlglot.expressions import Expr

_QUERIES = word_set("SELECT WITH VALUES")
_COMMANDS = word_set(
    "ALTER ANALYZE ATTACH BEGIN COMMIT CREATE DELETE DETACH DROP END GRANT INSERT MERGE "
    "PRAGMA REINDEX RELEASE REPLACE REVOKE ROLLBACK SAVEPOINT TRUNCATE UPDATE VACUUM"
)
_BEHIND_TABLES = word_set(
    "where group having order limit window union intersect except select values"
)
_BEFORE_TABLES = word_set("from join , (")
_EXCERPT = 30
_BEYOND_US = frozenset({Reason.BUDGET_EXHAUSTED, Reason.UNSUPPORTED_FEATURE})
_LONGEST_BARE = 2_000_000
"""A longer text is not tried without its comments: the usual limits let no such text run."""


def parse(sql: str, dialect: str = DEFAULT_DIALECT) -> Query | ParseFailure:
    """Parse one query. Never raises for any text.

    All callers of a text share one result, whose tree is frozen: change a copy, ``tree.copy()``
    (:mod:`~sqlverdict.parse.frozen`). A text beyond our tools is read without its comments, and
    without memberships that constants decide; the query has the bare text then, which gives the
    same answers (:func:`~sqlverdict.parse.measure.bare_text`).

    Args:
        sql: The text: one SELECT, WITH or VALUES statement; comments are fine.
        dialect: A dialect that sqlglot knows.

    Returns:
        The query, or a failure with the reason ``NO_SQL_PRODUCED`` (no token at all),
        ``WRITE_BLOCKED`` (another kind of statement), ``UNSUPPORTED_FEATURE`` (several
        statements, or beyond our parser), ``BUDGET_EXHAUSTED`` (too long, too deep, or common
        table expressions that expand into too many copies) or ``PARSE_ERROR`` (with line
        and column, both from 1).
    """
    return parse_as(sql, dialect)


@lru_cache(maxsize=1024)
def parse_as(sql: str, dialect: str) -> Query | ParseFailure:
    """Parse one query of a dialect, or take what an earlier call made of it.

    :func:`parse` always names the dialect here: a cache on a function with a default would keep
    ``parse(sql)`` and ``parse(sql, "sqlite")`` apart.
    """
    query = _read(sql, dialect)
    if isinstance(query, Query) or query.reason not in _BEYOND_US:
        return query
    if not dialect_of(dialect).plain_tokens:
        return query
    bare = bare_text(sql) if len(sql) <= _LONGEST_BARE else sql
    again = _read(bare, dialect) if bare != sql else query
    return again if isinstance(again, Query) else query


def _read(sql: str, dialect: str) -> Query | ParseFailure:
    excess = too_large(sql)
    if excess is not None:
        return ParseFailure(sql, dialect, Reason.BUDGET_EXHAUSTED, excess)
    return _refusal(sql, dialect) or _parsed(sql, dialect)


def _refusal(sql: str, dialect: str) -> ParseFailure | None:
    """What needs no tree to be refused."""
    words = [word for word in solid(sql) if word != ";"]
    if not words:
        message = "the text holds no SQL; expected one SELECT statement"
        return ParseFailure(sql, dialect, Reason.NO_SQL_PRODUCED, message)
    keyword = leading_keyword(sql)
    record = dialect_of(dialect)
    if keyword not in _QUERIES | _COMMANDS | {"EXPLAIN"} | record.query_words:
        offset = sql.index(words[0])
        return _error(sql, dialect, offset, "expected SELECT, WITH or VALUES")
    if record.plain_tokens and (count := statement_count(sql)) > 1:
        message = f"the text holds {count} statements; expected one. Keep the one that answers"
        return ParseFailure(sql, dialect, Reason.UNSUPPORTED_FEATURE, message)
    if keyword in _COMMANDS:
        return _not_a_query(sql, dialect, keyword)
    if keyword == "EXPLAIN":
        message = "EXPLAIN describes a query and does not answer; expected the query itself"
        return ParseFailure(sql, dialect, Reason.UNSUPPORTED_FEATURE, message)
    complaint = sqlite_complaint(sql) if record.in_python else None
    if complaint:
        finding = f"SQLite {sqlite3.sqlite_version} says: {complaint.message}"
        return _error(sql, dialect, complaint.offset, finding)
    return None


# Without a handler of its own, its warnings, which quote the text, go to standard error.
logging.getLogger("sqlglot").addHandler(logging.NullHandler())


def _parsed(sql: str, dialect: str) -> Query | ParseFailure:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import ErrorLevel, ParseError, SqlglotError

    try:
        statements = sqlglot.parse(
            sql, read=parser_dialect(dialect), error_level=ErrorLevel.IMMEDIATE
        )
        # A comment behind the last semicolon comes back as a statement of its own.
        trees = [t for t in statements if t is not None and not isinstance(t, exp.Semicolon)]
        if len(trees) != 1:
            message = f"the text holds {len(trees)} statements; expected one"
            return ParseFailure(sql, dialect, Reason.UNSUPPORTED_FEATURE, message)
        tree = trees[0]
        if isinstance(tree, exp.Pivot) and tree.key.upper() in dialect_of(dialect).query_words:
            tree = exp.Select(
                expressions=[exp.Star()], from_=exp.From(this=exp.Subquery(this=tree))
            )
        if not isinstance(tree, exp.Query | exp.Values):
            return _not_a_query(sql, dialect, tree.key.upper())
        if "fetch" in sql.lower():
            _spell_fetch_as_limit(tree)
        # A level takes a character or more.
        excess = too_deep(tree) if len(sql) > MOST_LEVELS // 2 else None
        if excess is not None:
            return ParseFailure(sql, dialect, Reason.BUDGET_EXHAUSTED, excess)
        tables, columns = _names(freeze(tree))
    except ParseError as error:
        joined = joined_by_words(sql) if dialect_of(dialect).plain_tokens else sql
        again = _parsed(joined, dialect) if joined != sql else _with_pivot_inside(sql, dialect)
        if joined == sql and isinstance(again, Query):
            return again
        if isinstance(again, Query):
            return replace(again, sql=sql, features=features(sql))
        return _sqlglot_error(sql, dialect, error)
    except (SqlglotError, RecursionError, MemoryError, ValueError, TypeError) as error:
        return _beyond(sql, dialect, error)
    except (AttributeError, LookupError, ArithmeticError, AssertionError) as error:
        # sqlglot trips over some hostile texts; that is not the caller's concern.
        return _beyond(sql, dialect, error)
    return Query(sql, dialect, tree, tables, columns, features(sql))


def _with_pivot_inside(sql: str, dialect: str) -> Query | ParseFailure | None:
    """PIVOT or UNPIVOT as a derived table, with what orders and cuts its rows around it.

    Our parser reads neither behind such a statement. The query has the text that was read: places
    in its tree are places there.
    """
    import sqlglot
    from sqlglot import TokenType

    depth = 0
    tokens = sqlglot.tokenize(sql, read=parser_dialect(dialect))
    if not tokens or tokens[0].text.upper() not in dialect_of(dialect).query_words - {"FROM"}:
        return None
    for token in tokens:
        depth += token.token_type in (TokenType.L_PAREN, TokenType.L_BRACKET)
        depth -= token.token_type in (TokenType.R_PAREN, TokenType.R_BRACKET)
        if not depth and token.token_type in (TokenType.ORDER_BY, TokenType.LIMIT):
            return _parsed(f"FROM ({sql[: token.start]}) {sql[token.start :]}", dialect)
    return None


def _spell_fetch_as_limit(tree: Expr) -> None:
    """Write LIMIT for FETCH FIRST, but where it is of percents or with ties."""
    from sqlglot import exp

    for node in list(tree.find_all(exp.Fetch)):
        options = node.args.get("limit_options")
        if options is None or not (options.args.get("with_ties") or options.args.get("percent")):
            node.replace(exp.Limit(expression=node.args.get("count") or exp.Literal.number(1)))


def joined_by_words(sql: str) -> str:
    """The text with JOIN in place of the commas between tables.

    To SQLite a comma between tables is an inner join of the same precedence as JOIN, and it may
    have an ON; sqlglot reads ON behind JOIN alone. Only texts that it cannot read otherwise are
    written so.
    """
    parts = pieces(sql)
    levels = [False]
    before = ""
    for at, part in enumerate(parts):
        if kind(part) in (Kind.SPACE, Kind.COMMENT):
            continue
        word = part.lower()
        if part == "(":
            # A parenthesis among tables holds tables, unless it belongs to a function.
            levels.append(levels[-1] and before in _BEFORE_TABLES)
        elif part == ")":
            if len(levels) > 1:
                levels.pop()
        elif word == "from":
            levels[-1] = True
        elif word in _BEHIND_TABLES:
            levels[-1] = False
        elif part == "," and levels[-1]:
            parts[at] = " JOIN "
        before = word
    return "".join(parts)


def _names(nodes: Iterable[Expr]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    from sqlglot import exp

    tables: list[str] = []
    columns: list[str] = []
    for node in nodes:
        if isinstance(node, exp.Table):
            if isinstance(node.this, exp.Identifier) and not _names_cte(node):
                tables.append(node.name)
        elif isinstance(node, exp.Column):
            if isinstance(node.this, exp.Identifier):
                columns.append(node.name)
        elif isinstance(node, exp.Join):
            columns += [name.name for name in node.args.get("using") or ()]
    return _distinct(tables), _distinct(columns)


def _names_cte(table: Expr) -> bool:
    """Whether a table's name means a common table expression of a query around it."""
    if table.args.get("db"):
        return False
    name = fold(table.name)
    around = table.parent
    while around is not None:
        with_ = around.args.get("with_")
        if with_ is not None and any(fold(cte.alias) == name for cte in with_.expressions):
            return True
        around = around.parent
    return False


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(fold(name), name)
    return tuple(first[key] for key in sorted(first))


def _not_a_query(sql: str, dialect: str, keyword: str) -> ParseFailure:
    message = f"{keyword} is not a query; only SELECT, WITH and VALUES statements are run"
    return ParseFailure(sql, dialect, Reason.WRITE_BLOCKED, message)


def _sqlglot_error(sql: str, dialect: str, error: ParseError) -> ParseFailure:
    first = error.errors[0] if error.errors else {}
    line, end = first.get("line") or 1, first.get("col") or 1
    lines = sql.split("\n")
    column = max(1, end - len(first.get("highlight") or "x") + 1)
    offset = sum(len(text) + 1 for text in lines[: line - 1]) + column - 1
    description = str(first.get("description") or error).partition(" <")[0]
    if dialect_of(dialect).in_python:
        failure = _error(sql, dialect, offset, f"our parser says: {description}")
        message = f"SQLite accepts this text but {failure.message}"
        return ParseFailure(
            sql, dialect, Reason.UNSUPPORTED_FEATURE, message, failure.line, failure.column
        )
    return _error(sql, dialect, offset, description)


def _beyond(sql: str, dialect: str, error: Exception) -> ParseFailure:
    if isinstance(error, RecursionError):
        message = "the query is nested too deeply for our parser; flatten it"
        return ParseFailure(sql, dialect, Reason.UNSUPPORTED_FEATURE, message)
    accepted = dialect_of(dialect).in_python
    reason = Reason.UNSUPPORTED_FEATURE if accepted else Reason.PARSE_ERROR
    finding = " ".join(str(error).split())[:200]
    message = f"our parser cannot read this text ({type(error).__name__}: {finding})"
    return ParseFailure(sql, dialect, reason, message)


def _error(sql: str, dialect: str, offset: int, finding: str) -> ParseFailure:
    """A syntax error at an offset, with the text around it and ``>>>`` before the place."""
    offset = min(offset, len(sql))
    line = sql.count("\n", 0, offset) + 1
    column = offset - (sql.rfind("\n", 0, offset) + 1) + 1
    start, stop = max(0, offset - _EXCERPT), offset + _EXCERPT
    before, after = sql[start:offset], sql[offset:stop]
    around = " ".join(f"{'…' if start else ''}{before}>>>{after}".split())
    around += "…" if stop < len(sql) else ""
    message = f"syntax error at line {line}, column {column}: {finding}; at {around!r}"
    return ParseFailure(sql, dialect, Reason.PARSE_ERROR, message, line, column)
