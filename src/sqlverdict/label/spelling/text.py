"""A tree as text: one line, capital keywords and functions, quotes where a name needs them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from sqlglot import Dialect, exp
from sqlglot.dialects.dialect import NormalizationStrategy
from sqlglot.expressions import Expr
from sqlglot.generator import Generator

from sqlverdict.parse.tokens import word_set

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
