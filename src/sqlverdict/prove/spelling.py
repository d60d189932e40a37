"""How queries are spelt: the parts that are read, ordinals, names of columns and functions."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.scope import NAMELESS, Unsupported

SELECT_PARTS = frozenset(
    {"expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset"}
    | {"distinct", "with_"}
)
JOIN_PARTS = frozenset({"this", "on", "side", "kind", "using", "method"})
REFUSED = (exp.Parameter, exp.Placeholder, exp.Lateral, exp.Unnest)
CHANCE = frozenset(
    {"rand", "random", "randomblob", "changes", "total_changes", "last_insert_rowid"}
    | {"sqlite_version", "sqlite_source_id", "sqlite_offset"}
)
"""Functions whose value depends on chance or on the connection, not on the database."""


def function_name(node: exp.Func) -> str:
    """The name of a called function, in lower case."""
    return str(node.this if isinstance(node, exp.Anonymous) else node.key).lower()


def alias_of(label: str) -> exp.TableAlias:
    """A label as a table's alias."""
    return exp.TableAlias(this=exp.Identifier(this=label, quoted=True))


def ordinal(term: Expr, width: int) -> int | None:
    """The column that a bare whole number in GROUP BY or ORDER BY means, from 0.

    Raises:
        Unsupported: there is no such column.
    """
    if isinstance(term, exp.Literal) and not term.is_string and term.this.isdigit():
        number = int(term.this) - 1
        if not 0 <= number < width:
            raise Unsupported(f"the ordinal {term.this}")
        return number
    return None


def spelt(node: Expr) -> str:
    """The name that SQLite gives to a column without an alias, where it has a plain one."""
    return node.name if isinstance(node, exp.Column) else NAMELESS
