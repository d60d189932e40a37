"""A condition on the rows of a UNION may be asked in each of its sides.

Statement
    SELECT d.x FROM (SELECT x, y FROM a UNION ALL SELECT v, w FROM b) AS d WHERE d.y > 1
    ==   SELECT d.x FROM
         (SELECT x, y FROM a WHERE y > 1 UNION ALL SELECT v, w FROM b WHERE w > 1) AS d

Holds when
    The condition speaks of no other source of its query and has no query in it. The sides neither
    group nor have ORDER BY, LIMIT or windows. The columns that the
    condition uses are columns of tables in each side, all integers, all reals or all texts, and it
    compares them with values of that kind.

Why
    Every row of the UNION is a row of a side, and the condition sees the same values there. Copies
    that UNION folds meet it together.

Limits
    INTERSECT and EXCEPT are left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, split_items, substitute
from sqlverdict.prove.reasoning.shape import (
    columns_in,
    conditions,
    has_subquery,
    has_window,
    is_grouped,
    is_limited,
    items,
    leaves,
    nodes_in,
    set_conditions,
    source_label,
)
from sqlverdict.prove.reasoning.stored import has_one_form
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Union,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT k FROM (SELECT k, v FROM t UNION ALL SELECT f, w FROM u) AS d WHERE v > 1",
            "SELECT k FROM (SELECT k, v FROM t WHERE v > 1"
            " UNION ALL SELECT f, w FROM u WHERE w > 1) AS d",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM (SELECT k, v FROM t UNION ALL SELECT f, w FROM u) AS d WHERE v > 1",
            "SELECT k FROM (SELECT k, v FROM t UNION ALL SELECT f, w FROM u WHERE w > 1) AS d",
            because="the condition is asked of both sides",
        ),
    ],
)
def filter_of_union_is_in_its_sides(node: exp.Select, facts: Facts) -> Expr | None:
    """Ask in each side."""
    own = conditions(node)
    if not own or not is_flat(node):
        return None
    for item in split_items(node)[0]:
        query = item.this if isinstance(item, exp.Subquery) else None
        if not isinstance(query, exp.Union) or not _is_plain(query):
            continue
        sides = list(leaves(query))
        filters = [part for part in own if _is_of(part, item.alias, sides, facts)]
        if not filters:
            facts.cited.clear()
            continue
        set_conditions(node, [part for part in own if not any(part is f for f in filters)])
        for side in sides:
            holder = exp.Select()
            set_conditions(holder, [counted_copy(part) for part in filters])
            outputs = {(item.alias, f"c{n}"): value for n, value in enumerate(side.expressions)}
            substitute(holder, outputs)
            set_conditions(side, [*conditions(side), *conditions(holder)])
        return node
    return None


def _is_plain(query: Expr) -> bool:
    """Whether a query is a UNION of selections, at every level."""
    if isinstance(query, exp.SetOperation):
        if not isinstance(query, exp.Union) or is_limited(query) or query.args.get("order"):
            return False
        return _is_plain(query.this) and _is_plain(query.expression)
    if not isinstance(query, exp.Select) or is_limited(query) or query.args.get("order"):
        return False
    return bool(items(query)) and not is_grouped(query) and not has_window(query)


def _is_of(condition: Expr, label: str, sides: Sequence[Expr], facts: Facts) -> bool:
    """Whether a condition sees the same values in each side."""
    columns = list(columns_in(condition))
    if has_subquery(condition) or not columns:
        return False
    if any(source_label(column) != label for column in columns):
        return False
    outputs = [side.expressions[int(column.name[1:])] for column in columns for side in sides]
    if not all(isinstance(output, exp.Column) for output in outputs):
        return False
    kinds = {facts.kind(output) for output in outputs}
    if len(kinds) != 1 or not all(has_one_form(output, facts) for output in outputs):
        return False
    texts = not kinds & {"integer", "real"}
    literals = [part for part in nodes_in(condition) if isinstance(part, exp.Literal)]
    return all(bool(literal.is_string) is texts for literal in literals)
