"""Aggregates that are aggregated again, group by group, are aggregates over the rows.

Statement
    SELECT MAX(d.m) FROM (SELECT g, MAX(x) AS m FROM t GROUP BY g) AS d   ==   SELECT MAX(x) FROM t
    SELECT d.g, SUM(d.n) FROM (SELECT g, h, COUNT(*) AS n FROM t GROUP BY g, h) AS d GROUP BY d.g
    ==   SELECT g, COUNT(*) FROM t GROUP BY g
    SELECT COALESCE(SUM(d.n), 0) FROM (SELECT COUNT(*) AS n FROM t GROUP BY g) AS d
    ==   SELECT COUNT(*) FROM t
    SELECT SUM(d.n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY g) AS d HAVING COUNT(*) > 0
    ==   SELECT COUNT(*) FROM t HAVING COUNT(*) > 0

Holds when
    The derived table is the only source and aggregates, without HAVING, DISTINCT, LIMIT or windows;
    the query around it has no WHERE. It groups by columns that the derived table groups by, and
    shows these and aggregates: MAX of MAX, MIN of MIN, SUM of SUM over integers, SUM of a count
    under GROUP BY, under HAVING COUNT(*) > 0 or inside COALESCE with 0, MIN, MAX and
    COUNT(DISTINCT) of a grouping column. On SQLite the columns of the outer GROUP BY, and those
    that MIN and MAX are taken of, are integers, reals, texts or NUMERIC.

Why
    Every row is in one inner group, and every inner group in one outer group. The greatest of the
    greatest values is the greatest of all; integers may be added in any order; a count is a sum of
    ones; there is a group where there is a row. A group whose x are all NULL gives NULL, which the
    outer aggregate skips.

Limits
    Without an outer GROUP BY the sum of counts over no groups is NULL, and the count 0. Sums of
    reals depend on their order: left alone. A column without a type may hold 1 and 1.0 in one
    group, and shows one of them: which, depends on how often it is grouped.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.bare import bare_columns
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.counting import asks_for_rows
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import substitute
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    conditions,
    has_subquery,
    has_window,
    is_grouped,
    is_limited,
    items,
    joins,
    output_nodes,
    whole_number,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT MAX(m) FROM (SELECT k, MAX(v) AS m FROM t GROUP BY k) AS d",
            "SELECT MAX(v) FROM t",
        ),
        Pair(
            "SELECT COALESCE(SUM(n), 0), SUM(s)"
            " FROM (SELECT COUNT(v) AS n, SUM(v) AS s FROM t GROUP BY k) AS d",
            "SELECT COUNT(v), SUM(v) FROM t",
        ),
        Pair(
            "SELECT v, SUM(n) FROM (SELECT v, k, COUNT(*) AS n FROM t GROUP BY v, k) AS d"
            " GROUP BY v",
            "SELECT v, COUNT(*) FROM t GROUP BY v",
        ),
        Pair("SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM t) AS d", "SELECT COUNT(*) FROM t"),
        Pair(
            "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY k) AS d HAVING COUNT(*) > 0",
            "SELECT COUNT(*) FROM t HAVING COUNT(*) > 0",
        ),
    ],
    different=[
        Pair(
            "SELECT SUM(n) FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS d",
            "SELECT COUNT(*) FROM t",
            because="of an empty table the one is NULL and the other 0",
        ),
        Pair(
            "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM t GROUP BY k) AS d HAVING COUNT(*) > 1",
            "SELECT COUNT(*) FROM t HAVING COUNT(*) > 1",
            because="a group may have several rows",
        ),
        Pair(
            "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM t) AS d HAVING COUNT(*) > 0",
            "SELECT COUNT(*) FROM t HAVING COUNT(*) > 0",
            because="without GROUP BY there is one group of no rows",
        ),
        Pair(
            "SELECT AVG(m) FROM (SELECT k, AVG(v) AS m FROM t GROUP BY k) AS d",
            "SELECT AVG(v) FROM t",
            because="groups have different sizes",
        ),
    ],
)
def aggregate_of_groups_is_over_rows(node: exp.Select, facts: Facts) -> Expr | None:
    """Aggregate once."""
    sources, outer = items(node), node.args.get("group")
    if len(sources) != 1 or joins(node) or node.args.get("where") is not None:
        return None
    query = sources[0].this if isinstance(sources[0], exp.Subquery) else None
    if not isinstance(query, exp.Select) or not _is_clear(query) or has_window(node):
        return None
    nodes = output_nodes(node)
    calls = list(aggregates_in(nodes))
    if not calls or any(map(has_subquery, nodes)) or next(bare_columns(node), None) is not None:
        return None
    group = query.args.get("group")
    grouped = {expression_key(term) for term in group.expressions} if group is not None else set()
    terms = list(outer.expressions) if outer is not None else []
    if not all(_is_grouped_by(term, query, grouped) for term in terms):
        return None
    if not all(_has_one_form(_output(term, query), facts) for term in terms):
        facts.cited.clear()
        return None
    tests = [part.this for part in conditions(node, "having") if asks_for_rows(part)]
    rows = {id(call) for call in tests} if group is not None else set()
    filled = bool(terms) or group is None or bool(rows)
    changes = [
        (call, call.copy()) if id(call) in rows else _once(call, query, grouped, filled, facts)
        for call in calls
    ]
    if any(change is None for change in changes):
        facts.cited.clear()
        return None
    for change in changes:
        assert change is not None
        change[0].replace(change[1])
    columns = {(sources[0].alias, f"c{n}"): item for n, item in enumerate(query.expressions)}
    for part in ("from_", "joins", "where"):
        node.set(part, query.args.get(part))
    substitute(node, columns)
    return node


def _is_clear(query: exp.Select) -> bool:
    if not is_grouped(query) or query.args.get("having") is not None:
        return False
    if query.args.get("distinct") or query.args.get("order") is not None or is_limited(query):
        return False
    if has_window(query) or any(map(has_subquery, query.expressions)):
        return False
    return next(bare_columns(query), None) is None


def _output(column: Expr, query: exp.Select) -> Expr | None:
    """What a column of the derived table stands for."""
    if not isinstance(column, exp.Column):
        return None
    output: Expr = query.expressions[int(column.name[1:])]
    return output


def _is_grouped_by(term: Expr, query: exp.Select, grouped: set[str]) -> bool:
    output = _output(term, query)
    return output is not None and expression_key(output) in grouped


def _has_one_form(output: Expr | None, facts: Facts) -> bool:
    """Whether two equal values are the same: of several, a group shows any."""
    return output is not None and (facts.record.typed or has_one_order(output, facts))


def _once(
    call: Expr, query: exp.Select, grouped: set[str], filled: bool, facts: Facts
) -> tuple[Expr, Expr] | None:
    """A place and the aggregate over rows that stands there for one over groups.

    ``filled``: there is a group to add, so that a sum of counts is not NULL.
    """
    inner = call.this
    folded = isinstance(inner, exp.Distinct) and len(inner.expressions) == 1
    output = _output(inner.expressions[0] if folded else inner, query)
    if output is None or isinstance(call.parent, exp.Filter):
        return None
    if expression_key(output) in grouped:
        plain = isinstance(call, exp.Max | exp.Min) and _has_one_form(output, facts)
        return (call, call.copy()) if plain or (isinstance(call, exp.Count) and folded) else None
    if folded or isinstance(output.this, exp.Distinct):
        return None
    if isinstance(call, exp.Max | exp.Min) and type(output) is type(call):
        return (call, counted_copy(output)) if _has_one_form(output.this, facts) else None
    if not isinstance(call, exp.Sum):
        return None
    if isinstance(output, exp.Sum) and facts.kind(output.this) == "integer":
        return call, counted_copy(output)
    if not isinstance(output, exp.Count):
        return None
    if filled:
        return call, counted_copy(output)
    holder = call.parent
    if not isinstance(holder, exp.Coalesce) or holder.this is not call:
        return None
    if len(holder.expressions) != 1 or whole_number(holder.expressions[0]) != 0:
        return None
    return holder, counted_copy(output)
