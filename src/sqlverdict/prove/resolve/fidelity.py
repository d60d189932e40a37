"""Whether our reading of a query is SQLite's: both are compiled, and the programs agree.

Our parser is not SQLite's. Where the two read a text differently (an operator that binds
otherwise, parentheses that make a scalar, a type of another affinity, a plus that takes an
affinity away, a name that means another column), a proof about the tree says nothing about the
text. No list of such places is ever whole. So the resolved tree is written back, with
parentheses around every operand, and both texts are compiled on the same empty tables. The same
program gives the same answer on any rows; where none of the ways to write the tree gives the
program of the text, the query is refused. Nothing is run.

Common table expressions are written where they are used in a resolved tree, and SQLite makes
another program of that. There the text is compared with the parsed tree first, and then the
parsed tree, told not to keep their rows (``NOT MATERIALIZED``), with the resolved one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from sqlglot import exp
from sqlglot.dialects.sqlite import SQLite
from sqlglot.expressions import Expr

from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.resolve.parser_losses import cast_affinity
from sqlverdict.prove.resolve.programs import Instruction, program
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.text import put_parentheses, runnable
from sqlverdict.prove.resolve.tree import resolve
from sqlverdict.records import Query

LOST = "our parser and SQLite may read the text differently"
_REMEMBERED = 1024


@lru_cache(maxsize=_REMEMBERED)
def loss(sql: str, schema: Schema) -> str | None:
    """Why our reading of a query cannot be relied on; ``None`` where it is SQLite's.

    Args:
        sql: The text of a query that runs on the schema.
        schema: The tables.
    """
    query = parse(sql, "sqlite")
    if not isinstance(query, Query):
        return query.message
    try:
        tree = resolve(query.tree, schema).tree
    except Unsupported as beyond:
        return str(beyond)
    resolved = runnable(tree, as_it_stands=True)
    if _compiles_to(resolved, program(sql, schema), schema):
        return None
    if query.tree.find(exp.CTE) is None:
        return LOST
    parsed = query.tree.copy()
    put_parentheses(parsed)
    if not _compiles_to(parsed, program(sql, schema), schema):
        return LOST
    for cte in parsed.find_all(exp.CTE):
        cte.set("materialized", False)
    unfolded = (program(text, schema) for text in _texts(parsed))
    return None if any(_compiles_to(resolved, each, schema) for each in unfolded) else LOST


def _compiles_to(tree: Expr, instructions: list[Instruction] | None, schema: Schema) -> bool:
    return instructions is not None and any(
        program(text, schema) == instructions for text in _texts(tree)
    )


def _texts(tree: Expr) -> Iterator[str]:
    """The ways to write a tree in which it does not tell two spellings apart."""
    for writer in _WRITERS:
        yield writer(dialect="sqlite").generate(tree, copy=False)


class _Writer(SQLite.Generator):  # type: ignore[misc, valid-type]
    """SQLite's text for a tree, to be compiled and never shown."""

    def cast_sql(self, expression: exp.Cast, safe_prefix: str | None = None) -> str:  # noqa: ARG002
        """A cast to the affinity that we read: all that counts of the type."""
        return f"CAST({self.sql(expression, 'this')} AS {cast_affinity(expression)})"

    def not_sql(self, expression: exp.Not) -> str:
        """NOT; the parser reads IS NOT as the NOT of an IS."""
        inner = expression.this
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if isinstance(inner, exp.Is):
            return f"{self.sql(inner, 'this')} IS NOT {self.sql(inner, 'expression')}"
        return f"NOT {self.sql(expression, 'this')}"


class _Negated(_Writer):
    """With the NOT of an IS."""

    def not_sql(self, expression: exp.Not) -> str:
        """NOT before the rest."""
        return f"NOT {self.sql(expression, 'this')}"


class _CommaJoins(_Writer):
    """With commas for CROSS JOIN, which says more: that the sources keep their order."""

    def join_sql(self, expression: exp.Join, join_op: str | None = None) -> str:
        """A comma, where the join is a plain one."""
        more = expression.side or expression.method or expression.args.get("on")
        if expression.kind == "CROSS" and not more:
            return f", {self.sql(expression.this)}"
        return str(super().join_sql(expression, join_op))


class _ListedNegated(_Negated, _CommaJoins):
    """With both."""


_WRITERS = (_Writer, _CommaJoins, _Negated, _ListedNegated)
