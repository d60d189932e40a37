"""An aggregate that HAVING makes equal to a column is that column.

Statement
    SELECT a.k, MAX(b.x) FROM t a, t b WHERE ... GROUP BY a.k HAVING MAX(b.x) = a.x
    ==   SELECT a.k, a.x FROM t a, t b WHERE ... GROUP BY a.k HAVING MAX(b.x) = a.x

Holds when
    The aggregate is MIN or MAX of a column of a table, the other one is the same column of another
    reading of that table, its values have one order in which equal ones are the same, and the
    equality is a conjunct of HAVING.

Why
    In every row that the query shows both are the same value, of the same type.

Limits
    Two columns may have different types: 1 and 1.0 are equal and are shown otherwise.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import column_name, conditions, copied, has_window
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Having,),
    schema="CREATE TABLE t (k INTEGER, g INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT a.k, MAX(b.v) FROM t a JOIN t b ON a.g = b.g GROUP BY a.k, a.v"
            " HAVING MAX(b.v) = a.v",
            "SELECT a.k, a.v FROM t a JOIN t b ON a.g = b.g GROUP BY a.k, a.v"
            " HAVING a.v = MAX(b.v)",
        ),
    ],
    different=[
        Pair(
            "SELECT a.k, MAX(b.v) FROM t a JOIN t b ON a.g = b.g GROUP BY a.k, a.v"
            " HAVING MAX(b.v) >= a.v",
            "SELECT a.k, a.v FROM t a JOIN t b ON a.g = b.g GROUP BY a.k, a.v"
            " HAVING a.v <= MAX(b.v)",
            because="the greatest value may be above the row's own",
        ),
    ],
)
def aggregate_is_equal_column(node: exp.Select, facts: Facts) -> Expr | None:
    """Show the column."""
    if has_window(node):
        return None
    for condition in conditions(node, "having"):
        if not isinstance(condition, exp.EQ):
            continue
        for call, column in (
            (condition.this, condition.expression),
            (condition.expression, condition.this),
        ):
            if not _is_same_value(call, column, facts):
                continue
            outputs = [item for item in node.expressions if same_expression(item, call)]
            if outputs and all(map(facts.is_unconverted, outputs)):
                for item in outputs:
                    item.replace(copied(column))
                return node
    facts.cited.clear()
    return None


def _is_same_value(call: Expr, column: Expr, facts: Facts) -> bool:
    """Whether an extreme and a column are of one column of a table."""
    if not isinstance(call, exp.Max | exp.Min) or call.expressions:
        return False
    if not isinstance(call.this, exp.Column) or not isinstance(column, exp.Column):
        return False
    (inner, name), (outer, other) = column_name(call.this), column_name(column)
    same_table = inner in facts.bases and facts.bases[inner] == facts.bases.get(outer)
    return same_table and name == other and has_one_order(column, facts)
