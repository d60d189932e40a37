"""One query in the spelling of all: names, conditions, parentheses and text.

There is one order for what has none in SQL: the parts of AND and OR, the sides of a comparison, the
members of a list and the terms of GROUP BY. ASC, INNER and OUTER, an offset of nothing, and
parentheses that say nothing are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from sqlglot import Dialect, exp
from sqlglot.dialects.dialect import NormalizationStrategy
from sqlglot.errors import SqlglotError
from sqlglot.expressions import Expr
from sqlglot.generator import Generator

from sqlverdict.label.spelling.names import Unspelled, spell_names
from sqlverdict.label.spelling.tokens import SpelledQuery
from sqlverdict.parse.names import first_select
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import word_set
from sqlverdict.prove.reasoning.shape import MIRRORED
from sqlverdict.prove.resolve.text import put_parentheses
from sqlverdict.records import Query

_ODD_TREES = (AttributeError, LookupError, TypeError, ValueError)
"""What sqlglot raises where a tree of an odd text lacks a part: such a text is not read here."""


def spell_query(sql: str, dialect: str, schema: Schema) -> SpelledQuery | None:
    """A query in the one spelling; ``None``: it has parts that are not read.

    The text means what the query means, and is its own spelling.
    """
    first = _spell(sql, dialect, schema)
    if first is None:
        return None
    again = _spell(first.text, dialect, schema)
    return first if again is not None and again.text == first.text else None


def _spell(sql: str, dialect: str, schema: Schema) -> SpelledQuery | None:
    query = parse(sql, dialect)
    if not isinstance(query, Query):
        return None
    holder = exp.Paren(this=query.tree.copy())
    try:
        spell_names(holder.this, schema, lambda name: identifier_of(name, dialect))
        spell_conditions(holder.this, lambda part: tree_text(part, dialect))
        select = first_select(holder.this)
        columns: list[str | None] = []
        for output in select.expressions if select is not None else ():
            if output.is_star:
                columns.append(None)
            else:
                columns.append(output.alias_or_name or tree_text(output, dialect))
        return SpelledQuery(tree_text(holder.this, dialect), tuple(columns))
    except (Unspelled, SqlglotError, RecursionError, *_ODD_TREES):
        return None


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NO_NAMES = word_set(
    """
    add all alter and as asc autoincrement between case check collate commit constraint create
    cross current_date current_time current_timestamp default deferrable delete desc distinct drop
    else end escape except exists foreign from full group having in index inner insert intersect
    into is isnull join left like limit natural not notnull null offset on or order outer over
    primary references right select set table then to transaction union unique update using values
    when where window with
    """
)
"""Words that stand in quotes where they are names."""


def tree_text(tree: Expr, dialect: str) -> str:
    """The text of a tree, or of a part of one."""
    # A generator has a state, and threads share the class alone.
    generator = _generator(dialect)(dialect=Dialect.get_or_raise(dialect), comments=False)
    text: str = generator.generate(tree, copy=False)
    return text


def identifier_of(name: str, dialect: str) -> exp.Identifier:
    """A name, in quotes where the dialect would read another one without."""
    plain = _PLAIN.fullmatch(name) is not None and name.lower() not in _NO_NAMES
    strategy = Dialect.get_or_raise(dialect).normalization_strategy
    if strategy is NormalizationStrategy.LOWERCASE:
        plain = plain and name == name.lower()
    elif strategy is NormalizationStrategy.UPPERCASE:
        plain = plain and name == name.upper()
    return exp.Identifier(this=name, quoted=not plain)


@lru_cache
def _generator(dialect: str) -> type[Generator]:
    base: Any = Dialect.get_or_raise(dialect).generator_class

    class PlainGenerator(base):  # type: ignore[misc]
        """Writes ``a NOT IN b`` for ``NOT a IN b``, as people do."""

        def not_sql(self, node: exp.Not) -> str:
            inner = node.this
            if isinstance(inner, exp.In | exp.Between | exp.Is):
                left, whole = self.sql(inner, "this"), self.sql(inner)
                word = " IS" if isinstance(inner, exp.Is) else ""
                if whole.startswith(f"{left}{word} "):
                    return f"{left}{word} NOT{whole[len(left) + len(word) :]}"
            return str(super().not_sql(node))

    return PlainGenerator


TextOf = Callable[[Expr], str]


def spell_conditions(tree: Expr, text_of: TextOf) -> None:
    """Put conditions in order and leave out what says nothing, in place.

    Args:
        tree: A tree of one's own, with its names as they will be.
        text_of: The text of a part of it.
    """
    for paren in list(tree.find_all(exp.Paren)):
        paren.replace(paren.this)
    for node in list(tree.walk()):
        _leave_out(node)
    # From the inside out: the text of a condition decides where it stands.
    for node in reversed(list(tree.walk(bfs=False))):
        if type(node) in MIRRORED:
            _order_sides(node, text_of)
        elif isinstance(node, exp.In | exp.Group) and node.expressions:
            node.set("expressions", sorted(node.expressions, key=text_of))
        elif isinstance(node, exp.Connector) and type(node.parent) is not type(node):
            _order_parts(node, text_of)
    put_parentheses(tree, spare=True)


def _leave_out(node: Expr) -> None:
    node.comments = None
    if isinstance(node, exp.Join):
        has_condition = bool(node.args.get("on") or node.args.get("using"))
        if node.kind == "OUTER" or (node.kind == "INNER" and has_condition):
            node.set("kind", None)
    elif isinstance(node, exp.Ordered) and not node.args.get("desc"):
        node.set("desc", None)
    elif isinstance(node, exp.Query):
        offset = node.args.get("offset")
        if offset is not None and offset.expression.is_number and offset.expression.name == "0":
            node.set("offset", None)
    elif isinstance(node, exp.Not) and _is_plain_like(node.this):
        node.this.set("negate", True)
        node.replace(node.this)


def _is_plain_like(node: Expr) -> bool:
    return isinstance(node, exp.Like | exp.ILike) and not node.args.get("negate")


def _order_sides(node: Expr, text_of: TextOf) -> None:
    left, right = node.this, node.expression
    if isinstance(left, exp.Collate) or isinstance(right, exp.Collate):
        # The left side's collation counts.
        return
    if (_rank(right), text_of(right)) < (_rank(left), text_of(left)):
        node.replace(MIRRORED[type(node)](this=right, expression=left))


def _rank(side: Expr) -> int:
    """Columns stand first, constants last."""
    if isinstance(side, exp.Column):
        return 0
    if isinstance(side, exp.Subquery | exp.Query):
        return 2
    inner = side.this if isinstance(side, exp.Neg) else side
    return 3 if isinstance(inner, exp.Literal | exp.Null | exp.Boolean) else 1


def _order_parts(node: exp.Connector, text_of: TextOf) -> None:
    kind = type(node)
    parts = sorted(_parts(node, kind), key=text_of)
    joined = parts[0]
    for part in parts[1:-1]:
        joined = kind(this=joined, expression=part)
    node.set("this", joined)
    node.set("expression", parts[-1])


def _parts(node: Expr, kind: type[Expr]) -> Iterator[Expr]:
    """The parts of a chain of one connector; it may be long."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if type(one) is kind:
            waiting += (one.expression, one.this)
        else:
            yield one
