"""A window over one row sees that row alone.

Statement
    COUNT(*) OVER (PARTITION BY k)   ==   1
    SUM(x) OVER (PARTITION BY k)     ==   x      (the same for MIN and MAX)
    RANK() OVER (PARTITION BY k ORDER BY y)   ==   1      (the same for DENSE_RANK, ROW_NUMBER)

Holds when
    No two rows of the query agree in what the window parts them by: it holds a key of each source,
    or columns that determine one. The query does not group, and the window names no frame. x is a
    column; of a sum, one of integers or reals.

Why
    Each part is one row, the row itself.

Limits
    A frame may leave the row itself out: left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.dependencies import determines_row, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import enclosing, is_grouped
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Window,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT v, COUNT(*) OVER (PARTITION BY k) FROM t", "SELECT v, 1 FROM t", KEY),
        Pair("SELECT k, SUM(v) OVER (PARTITION BY k) FROM t", "SELECT k, v FROM t", KEY),
        Pair("SELECT k, RANK() OVER (PARTITION BY k ORDER BY v) FROM t", "SELECT k, 1 FROM t", KEY),
    ],
    different=[
        Pair(
            "SELECT k, COUNT(*) OVER (PARTITION BY v) FROM t",
            "SELECT k, 1 FROM t",
            KEY,
            because="several rows may share v",
        ),
        Pair(
            "SELECT k, COUNT(v) OVER (PARTITION BY k) FROM t",
            "SELECT k, 1 FROM t",
            KEY,
            because="a NULL is not counted",
        ),
    ],
)
def window_of_one_row(node: exp.Window, facts: Facts) -> Expr | None:
    """Put the value."""
    select, parts = enclosing(node), node.args.get("partition_by")
    if not parts or not isinstance(select, exp.Select) or is_grouped(select):
        return None
    if node.args.get("spec") or node.args.get("alias"):
        return None
    value = _value(node, facts)
    if value is None or not determines_row(select, facts, plain_columns(parts)):
        facts.cited.clear()
        return None
    return value


def _value(node: exp.Window, facts: Facts) -> Expr | None:
    call = node.this
    if isinstance(call, exp.RowNumber | exp.Rank | exp.DenseRank) and not call.expressions:
        return exp.Literal.number(1)
    if isinstance(call, exp.Count) and isinstance(call.this, exp.Star):
        return exp.Literal.number(1)
    if not isinstance(call, exp.Sum | exp.Max | exp.Min) or call.expressions:
        return None
    inner = call.this
    if not isinstance(inner, exp.Column) or not facts.is_unconverted(node):
        return None
    if isinstance(call, exp.Sum) and facts.kind(inner) not in ("integer", "real"):
        return None
    value: Expr = counted_copy(inner)
    return value
