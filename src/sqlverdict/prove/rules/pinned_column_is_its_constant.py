"""A column that WHERE makes equal to a constant is that constant, in other conditions too.

Statement
    WHERE b.x = 1 AND a.y > b.x     ==   WHERE b.x = 1 AND a.y > 1
    WHERE a.x = 1 AND b.x = 1       ==   WHERE a.x = 1 AND a.x = b.x
    SELECT 'a' FROM t WHERE s = 'a' ==   SELECT s FROM t WHERE s = 'a'
    SELECT LENGTH(s) FROM t WHERE s = 'a'   ==   SELECT 1 FROM t WHERE s = 'a'
    SELECT 1, COUNT(*) FROM t WHERE x = 1 GROUP BY x
    ==   SELECT x, COUNT(*) FROM t WHERE x = 1 GROUP BY x

Holds when
    The column is an integer and the constant a whole number, or both are texts; the equality is a
    conjunct of WHERE beside inner joins. In the first form both sides of the comparison are numbers
    or both are texts, and it is not an equality of two columns of one type; in the second the two
    columns are of one type; in the others the query does not stand inside another one. It groups by
    the column if it groups, and not where the length of a text of ASCII is computed.

Why
    In every row that passes, the column is the constant: an integer that is equal to 1 is 1, and a
    text that is equal to 'a' is 'a'.

Limits
    A real that is equal to 1 is shown as 1.0, and texts may be equal and differ (a collation,
    padded columns): both are left alone. Equalities of columns of one type say more than two
    constants: joins are found by them.

Source
    House rule.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import equality, pinned_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat
from sqlverdict.prove.reasoning.shape import (
    COMPARISONS,
    ColumnName,
    column_name,
    conditions,
    copied,
    is_grouped,
    set_conditions,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key

_NUMBERS = ("integer", "real", "number")


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.EQ,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER, r REAL, s TEXT);"
    "CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT t.v FROM t, u WHERE t.r = u.k AND u.k = 1",
            "SELECT t.v FROM t, u WHERE t.r = 1 AND u.k = 1",
        ),
        Pair(
            "SELECT t.v FROM t JOIN u ON t.k = u.k WHERE u.k = 1",
            "SELECT t.v FROM t, u WHERE t.k = 1 AND u.k = 1",
        ),
        Pair("SELECT v, k FROM t WHERE k = 3", "SELECT v, 3 FROM t WHERE k = 3"),
        Pair("SELECT LENGTH(s) FROM t WHERE s = 'ab'", "SELECT 2 FROM t WHERE s = 'ab'"),
        Pair(
            "SELECT k, MAX(v) FROM t WHERE k = 3 GROUP BY k",
            "SELECT 3, MAX(v) FROM t WHERE k = 3 GROUP BY k",
        ),
    ],
    different=[
        Pair(
            "SELECT r / 2 FROM t WHERE r = 3",
            "SELECT 3 / 2 FROM t WHERE r = 3",
            because="3.0 / 2 is 1.5 and 3 / 2 is 1",
        ),
        Pair(
            "SELECT v, COUNT(*) FROM t WHERE v = 3 GROUP BY v",
            "SELECT 3, COUNT(*) FROM t WHERE v = 3",
            because="without GROUP BY there is one row for none",
        ),
    ],
)
def pinned_column_is_its_constant(node: exp.Select, facts: Facts) -> Expr | None:
    """Put the constant into a comparison, tell equal columns, or show the column."""
    if node.args.get("where") is None or not is_flat(node):
        return None
    pinned = pinned_columns(node, facts)
    if not pinned:
        return None
    if _compares_constant(node, pinned, facts) or _states_equality(node, pinned, facts):
        return node
    return node if _shows_column(node, pinned, facts) else None


def _compares_constant(select: exp.Select, pinned: Mapping[ColumnName, Expr], facts: Facts) -> bool:
    for condition in conditions(select):
        if not isinstance(condition, COMPARISONS) or equality(condition, facts) is not None:
            continue
        for side, other in (("this", condition.expression), ("expression", condition.this)):
            column = condition.args[side]
            value = pinned.get(column_name(column)) if isinstance(column, exp.Column) else None
            if value is None or not isinstance(other, exp.Column):
                continue
            kinds = {facts.kind(column), facts.kind(other)}
            if kinds <= set(_NUMBERS) or kinds == {"text"}:
                condition.set(side, copied(value))
                return True
    return False


def _states_equality(select: exp.Select, pinned: Mapping[ColumnName, Expr], facts: Facts) -> bool:
    """Write the equality of two columns for that of the second one and the constant."""
    first: dict[str, ColumnName] = {}
    for condition in conditions(select):
        if not isinstance(condition, exp.EQ) or equality(condition, facts) is not None:
            continue
        column = condition.this if isinstance(condition.this, exp.Column) else condition.expression
        value = condition.expression if column is condition.this else condition.this
        if not isinstance(column, exp.Column) or isinstance(value, exp.Column):
            continue
        name = column_name(column)
        if name not in pinned or expression_key(pinned[name]) != expression_key(value):
            continue
        other = first.setdefault(expression_key(value), name)
        if other != name:
            rest = [part for part in conditions(select) if part is not condition]
            new_equality = exp.EQ(this=resolved(*other), expression=resolved(*name))
            set_conditions(select, [*rest, new_equality])
            return True
    return False


def _shows_column(select: exp.Select, pinned: Mapping[ColumnName, Expr], facts: Facts) -> bool:
    if select.parent is not None:
        return False
    group = select.args.get("group")
    grouped = {expression_key(term) for term in group.expressions} if group is not None else set()
    columns: dict[str, ColumnName] = {}
    for column, value in pinned.items():
        if not is_grouped(select) or expression_key(resolved(*column)) in grouped:
            columns.setdefault(expression_key(value), column)
    outputs = list(select.expressions)
    for at, item in enumerate(outputs):
        inner = item.this if isinstance(item, exp.Length) and not is_grouped(select) else None
        text = pinned.get(column_name(inner)) if isinstance(inner, exp.Column) else None
        if isinstance(text, exp.Literal) and text.is_string and str(text.this).isascii():
            outputs[at] = exp.Literal.number(len(str(text.this)))
            select.set("expressions", outputs)
            return True
    for at, item in enumerate(outputs):
        name = (
            columns.get(expression_key(item)) if isinstance(item, exp.Literal | exp.Neg) else None
        )
        if name is not None and facts.is_unconverted(item):
            outputs[at] = resolved(*name)
            select.set("expressions", outputs)
            return True
    return False
