"""That a row's own copy does not meet a condition is its negation.

Statement
    SELECT a.x FROM t AS a WHERE NOT EXISTS (SELECT 1 FROM t AS b WHERE b.k = a.k AND b.v > 1)
    ==   SELECT a.x FROM t AS a WHERE NOT a.v > 1 OR a.v IS NULL

Holds when
    k is a key of t. Each other condition compares columns of b, or of the rows around, and
    constants, or tests one for NULL.

Why
    The only row with that key is the row itself. EXISTS is false where its conditions are false
    or NULL; such a comparison is NULL where one of its columns is.

Limits
    Conditions of another form are left alone: whether they are NULL is not written down easily.

Source
    House rule: EXCEPT and NOT IN over one table.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Fact, NotNull, Unique
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, split_items
from sqlverdict.prove.reasoning.same_rows import plain_source
from sqlverdict.prove.reasoning.shape import (
    COMPARISONS,
    any_of,
    column_name,
    columns_in,
    conditions,
    has_subquery,
    is_constant,
    is_grouped,
    set_conditions,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.k = t.k AND b.v > 1)",
            "SELECT k FROM t WHERE v <= 1 OR v IS NULL",
            KEY,
        ),
        Pair(
            "SELECT k FROM t EXCEPT SELECT k FROM t WHERE v > 1",
            "SELECT k FROM t WHERE v <= 1 OR v IS NULL",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.k = t.k AND b.v > 1)",
            "SELECT k FROM t WHERE v <= 1",
            KEY,
            because="a row without a value in v does not meet the condition either",
        ),
        Pair(
            "SELECT k FROM t WHERE NOT EXISTS (SELECT 1 FROM t b WHERE b.k = t.k AND b.v > 1)",
            "SELECT k FROM t WHERE v <= 1 OR v IS NULL",
            because="another row may have the same k",
        ),
    ],
)
def no_own_row_is_negation(node: exp.Select, facts: Facts) -> Expr | None:
    """Write the negation."""
    own = conditions(node)
    if not own or not is_flat(node):
        return None
    inner, _ = split_items(node)
    for index, condition in enumerate(own):
        test = condition.this if isinstance(condition, exp.Not) else None
        query = test.this if isinstance(test, exp.Exists) else None
        label = plain_source(query, facts)
        if query is None or label is None or is_grouped(query):
            continue
        for item in inner:
            if facts.bases.get(label) != facts.bases.get(item.alias):
                continue
            negation = _negation(query, label, item.alias, facts)
            if negation is not None:
                set_conditions(node, [*own[:index], negation, *own[index + 1 :]])
                return node
    return None


def _negation(query: Expr, inner: str, outer: str, facts: Facts) -> Expr | None:
    """That the outer row does not meet the conditions of the query, if its key says it is one."""
    tests = conditions(query)
    for columns, reasons in facts.keys(inner):
        keys = [test for test in tests if _key_column(test, inner, outer) in columns]
        if {_key_column(test, inner, outer) for test in keys} != set(columns):
            continue
        rest = [test for test in tests if not any(test is key for key in keys)]
        if not rest or any(map(has_subquery, rest)) or not all(map(_is_plain, rest)):
            return None
        facts.cite(*_in_order(reasons))
        return any_of([part for test in rest for part in _not_true(test, inner, outer)])
    return None


def _in_order(reasons: tuple[Fact, ...]) -> tuple[Fact, ...]:
    return tuple(sorted(reasons, key=str))


def _key_column(test: Expr, inner: str, outer: str) -> str | None:
    """The column that a condition compares in both rows."""
    if not isinstance(test, exp.EQ):
        return None
    sides = test.this, test.expression
    if not all(isinstance(side, exp.Column) for side in sides):
        return None
    (one, column), (two, other) = map(column_name, sides)
    return column if column == other and {one, two} == {inner, outer} else None


def _is_plain(test: Expr) -> bool:
    inner = test.this if isinstance(test, exp.Not) else test
    if isinstance(inner, exp.Is):
        return isinstance(inner.this, exp.Column) and isinstance(inner.expression, exp.Null)
    return isinstance(inner, COMPARISONS) and all(
        isinstance(side, exp.Column) or is_constant(side) for side in (inner.this, inner.expression)
    )


def _not_true(test: Expr, inner: str, outer: str) -> list[Expr]:
    """Conditions of which one is true where the test is false or NULL for the outer row."""
    copy = counted_copy(exp.Not(this=test))
    for column in list(columns_in(copy)):
        label, name = column_name(column)
        if label == inner:
            column.replace(resolved(outer, name))
    compared = copy.this.this if isinstance(copy.this, exp.Not) else copy.this
    if isinstance(compared, exp.Is):
        return [copy]
    names = dict.fromkeys(map(column_name, columns_in(copy)))
    return [copy, *(exp.Is(this=resolved(*name), expression=exp.Null()) for name in names)]
