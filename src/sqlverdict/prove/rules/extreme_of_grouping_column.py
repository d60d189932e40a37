"""A column that is the same in a whole group has one value, which is its own extreme.

Statement
    SELECT MAX(g) FROM t GROUP BY g   ==   SELECT g FROM t GROUP BY g

Holds when
    The argument of MIN, MAX or ANY_VALUE is a grouping expression of its query, or a column that
    the grouping columns determine, by keys and equalities; then the query shows no column that they
    do not.

Why
    All rows of the group agree on it, and there is one; where it is NULL, both are NULL.

Limits
    Without GROUP BY there is no such expression. A column is converted in a comparison, MAX is not:
    both sides must be numbers, or both text.

Source
    House rule, met in published predictions; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.dependencies import closure, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import column_name, enclosing, has_window
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT MAX(v), COUNT(*) FROM t GROUP BY v",
            "SELECT v, COUNT(*) FROM t GROUP BY v",
        ),
        Pair(
            "SELECT MAX(v), MIN(f) FROM t JOIN u ON f = k GROUP BY k",
            "SELECT v, k FROM t JOIN u ON f = k GROUP BY k",
            (Unique("t", ("k",)),),
        ),
    ],
    different=[
        Pair(
            "SELECT MAX(k), COUNT(*) FROM t GROUP BY v",
            "SELECT v, COUNT(*) FROM t GROUP BY v",
            because="k is no grouping column",
        ),
    ],
)
def extreme_of_grouping_column(node: exp.Max | exp.Min | exp.AnyValue, facts: Facts) -> Expr | None:
    """Take the column."""
    select = enclosing(node)
    group = select.args.get("group") if select is not None else None
    if group is None or node.expressions or isinstance(node.parent, exp.Window | exp.Filter):
        return None
    argument: Expr = node.this
    if not facts.is_unconverted(node):
        return None
    if any(same_expression(argument, term) for term in group.expressions):
        return argument
    if not isinstance(argument, exp.Column) or not isinstance(select, exp.Select):
        return None
    # SQLite shows the other columns of a row with the extreme value.
    columns = {column_name(argument), *map(column_name, bare_columns(select))}
    terms = plain_columns(group.expressions)
    if has_window(select) or not columns <= closure(select, facts, terms):
        facts.cited.clear()
        return None
    return argument
