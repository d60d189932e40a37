"""To count distinct rows is to count distinct values.

Statement
    SELECT COUNT(*) FROM (SELECT DISTINCT x FROM t WHERE p) AS d
    ==   SELECT COUNT(DISTINCT x) FROM t WHERE p
    SELECT d.g, COUNT(*) FROM (SELECT DISTINCT g, x FROM t) AS d GROUP BY d.g
    ==   SELECT g, COUNT(DISTINCT x) FROM t GROUP BY g

Holds when
    The derived table is the only source, has DISTINCT and neither groups nor has LIMIT or
    windows; the query around it has no condition. It groups by all columns of the derived table
    but one, x, and its aggregates are COUNT(*) where x is never NULL, COUNT(x), SUM(x), AVG(x),
    MIN and MAX. x is an integer, a real, a text, a day or the like; an integer where it is added.

Why
    Of the rows of a group each value of x comes once, as DISTINCT in the aggregate takes it.

Limits
    COUNT(DISTINCT x) skips NULL, which DISTINCT keeps as a row.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import substitute
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    has_subquery,
    has_window,
    is_grouped,
    is_limited,
    items,
    joins,
    output_nodes,
)
from sqlverdict.prove.reasoning.stored import has_one_form
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT COUNT(*), SUM(v) FROM (SELECT DISTINCT v FROM t WHERE k > 1) AS d",
            "SELECT COUNT(DISTINCT v), SUM(DISTINCT v) FROM t WHERE k > 1",
            (NotNull("t", "v"),),
        ),
        Pair(
            "SELECT k, COUNT(v) FROM (SELECT DISTINCT k, v FROM t) AS d GROUP BY k",
            "SELECT k, COUNT(DISTINCT v) FROM t GROUP BY k",
        ),
    ],
    different=[
        Pair(
            "SELECT COUNT(*) FROM (SELECT DISTINCT v FROM t) AS d",
            "SELECT COUNT(DISTINCT v) FROM t",
            because="a NULL is a row, and is not counted as a value",
        ),
        Pair(
            "SELECT COUNT(v) FROM (SELECT DISTINCT k, v FROM t) AS d",
            "SELECT COUNT(DISTINCT v) FROM t",
            because="two rows may share v and differ in k",
        ),
    ],
)
def count_of_distinct_rows(node: exp.Select, facts: Facts) -> Expr | None:
    """Count values."""
    sources, group = items(node), node.args.get("group")
    if len(sources) != 1 or joins(node) or node.args.get("where") is not None:
        return None
    query = sources[0].this if isinstance(sources[0], exp.Subquery) else None
    if not isinstance(query, exp.Select) or not _is_clear(query) or has_window(node):
        return None
    nodes = output_nodes(node)
    calls = list(aggregates_in(nodes))
    if not calls or any(map(has_subquery, nodes)) or next(bare_columns(node), None) is not None:
        return None
    terms = list(group.expressions) if group is not None else []
    if not all(isinstance(term, exp.Column) for term in terms):
        return None
    rest = {f"c{n}" for n in range(len(query.expressions))} - {term.name for term in terms}
    if len(rest) != 1:
        return None
    column = resolved(sources[0].alias, rest.pop())
    value = query.expressions[int(column.name[1:])]
    if not all(_sees(call, column.name, value, facts) for call in calls):
        facts.cited.clear()
        return None
    for call in calls:
        if not isinstance(call, exp.Max | exp.Min) and not isinstance(call.this, exp.Distinct):
            call.set("this", exp.Distinct(expressions=[column.copy()]))
    columns = {(sources[0].alias, f"c{n}"): item for n, item in enumerate(query.expressions)}
    for part in ("from_", "joins", "where"):
        node.set(part, query.args.get(part))
    substitute(node, columns)
    return node


def _is_clear(query: exp.Select) -> bool:
    if not query.args.get("distinct") or query.args.get("order") is not None:
        return False
    if is_limited(query) or is_grouped(query) or has_window(query):
        return False
    return bool(items(query)) and not any(map(has_subquery, query.expressions))


def _sees(call: Expr, name: str, value: Expr, facts: Facts) -> bool:
    """Whether an aggregate over distinct rows is one over distinct values."""
    inner = call.this
    if isinstance(call.parent, exp.Filter) or not has_one_form(value, facts):
        return False
    if isinstance(inner, exp.Star):
        return isinstance(call, exp.Count) and facts.never_null(value)
    if isinstance(inner, exp.Distinct):
        inner = inner.expressions[0] if len(inner.expressions) == 1 else inner
    if not isinstance(inner, exp.Column):
        return False
    if isinstance(call, exp.Max | exp.Min):
        return True
    if inner.name != name:
        return False
    if isinstance(call, exp.Sum | exp.Avg):
        return facts.kind(value) == "integer"
    return isinstance(call, exp.Count)
