"""How a sentence quotes parts of a query: in its engine's words, and without names of tables.

A cause is looked for on SQLite, in queries that say there what those of another engine say. What is
quoted is the engine's own: each condition and output of its query is translated by itself, and the
translation leads back to it. What leads back to nothing is not quoted, nor is what a tree writes in
other words than the query has, which may be those of another engine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.expressions import Expr

from sqlverdict.compare.query.conditions import conjuncts
from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of, parser_dialect
from sqlverdict.execute.session import TableRows
from sqlverdict.files.sqlite import quote_name
from sqlverdict.parse.schema import Schema
from sqlverdict.records import Query
from sqlverdict.refute.explain.wording import column
from sqlverdict.refute.trial.literals import cell_text

Spelling = Mapping[str, str]
"""The engine's text of a part of a query, by that of SQLite."""
_WORD = re.compile(r"\w+")
_CAST_WORDS = frozenset({"as", "cast", "text"})
"""What stands for ``::`` and for other words for a text, on every engine."""
_LONG = 90
"""Longer conditions are not quoted in a sentence."""


def quoted_condition(node: Expr, dialect: str = DEFAULT_DIALECT) -> str:
    """A condition without names of tables, but those in subqueries; empty: it is too long."""
    return _bare_text(node, unnested_columns, dialect)


def quoted_output(node: Expr, dialect: str = DEFAULT_DIALECT) -> str:
    """A column of an answer without names of tables; empty: it is too long."""
    return _bare_text(node.unalias(), lambda copy: copy.find_all(exp.Column), dialect)


def _bare_text(node: Expr, columns: Callable[[Expr], Iterable[Expr]], dialect: str) -> str:
    bare = node.copy()
    for reference in list(columns(bare)):
        for part in ("table", "db", "catalog"):
            reference.set(part, None)
    text = str(bare.transform(_as_written).sql(parser_dialect(dialect)))
    return text if len(text) <= _LONG else ""


def _as_written(node: Expr) -> Expr:
    """``x IS NOT NULL``, which is kept as ``NOT x IS NULL``."""
    inner = node.this
    if isinstance(node, exp.Not) and isinstance(inner, exp.Is):
        return exp.Is(this=inner.this, expression=exp.Not(this=inner.expression))
    return node


def unnested_columns(node: Expr) -> Iterator[exp.Column]:
    """The columns of a condition that stand outside its subqueries."""
    if isinstance(node, exp.Column):
        yield node
    elif not isinstance(node, exp.Query):
        for child in node.iter_expressions():
            yield from unnested_columns(child)


def engine_spelling(query: Query, translate: Callable[[Expr], str | None]) -> Spelling:
    """How an engine says what stands in a query's translation.

    Args:
        query: The query of the engine.
        translate: Says a part of it in SQLite's words.
    """
    tree = query.tree
    roots = chain(
        (clause.this for clause in tree.find_all(exp.Where, exp.Having)),
        (join.args["on"] for join in tree.find_all(exp.Join) if join.args.get("on")),
    )
    spelling: dict[str, str] = {}
    for node in chain.from_iterable(map(conjuncts, roots)):
        _note(spelling, query, node, quoted_condition, translate)
    for node in tree.expressions if isinstance(tree, exp.Select) else ():
        _note(spelling, query, node.unalias(), quoted_output, translate)
    return spelling


def _note(
    spelling: dict[str, str],
    query: Query,
    node: Expr,
    text_of: Callable[[Expr, str], str],
    translate: Callable[[Expr], str | None],
) -> None:
    lite = translate(node)
    if lite is None:
        return
    try:
        key = text_of(parse_one(lite, read=DEFAULT_DIALECT), DEFAULT_DIALECT)
    except SqlglotError:
        return
    text = text_of(node, query.dialect)
    if is_of(text, query.sql):
        spelling.setdefault(key, text)


def is_of(text: str, sql: str) -> bool:
    """Whether a part of a query is written in words that the query has."""
    words, known = (set(_WORD.findall(each.casefold())) for each in (text, sql))
    return words <= known | _CAST_WORDS


def with_engine_names(sentence: str, schema: Schema, dialect: str) -> str:
    """A sentence with the names of tables and columns as a query of the engine has them."""
    record = dialect_of(dialect)
    for table in schema.tables:
        names = [column.name for column in table.columns]
        texts = {name: record.quoted(name) for name in names}
        parts = table.name.split(".") if table.is_hidden else [table.name]
        plain = all(part.replace("_", "a").isalnum() for part in parts)
        texts[table.name] = table.name if plain else table.source_text(record.quote)
        for name, text in texts.items():
            sentence = sentence.replace(quote_name(name), text)
    return sentence


def with_fitted_cells(
    sentence: str,
    schema: Schema,
    before: TableRows,
    after: TableRows,
) -> str:
    """A sentence with the cells that an engine has: its column of days holds no time of a day.

    Args:
        sentence: A sentence about rows of SQLite.
        schema: The tables.
        before: The rows of which it speaks.
        after: The same rows as the engine has them.
    """
    for table in schema.tables:
        for one, other in zip(before.get(table.name, ()), after.get(table.name, ()), strict=True):
            for each, old, new in zip(table.columns, one, other, strict=True):
                if old is not None and old != new:
                    about = f"{column(each.name)} is exactly "
                    sentence = sentence.replace(about + cell_text(old), about + cell_text(new))
    return sentence
