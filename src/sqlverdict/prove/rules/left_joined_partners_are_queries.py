"""Aggregates over the partners of rows, by LEFT JOIN and GROUP BY, are queries for each row.

Statement
    SELECT a.k, SUM(b.x), COUNT(b.y) FROM a LEFT JOIN b ON p GROUP BY a.k
    ==   SELECT a.k, (SELECT SUM(b.x) FROM b WHERE p), (SELECT COUNT(b.y) FROM b WHERE p) FROM a

Holds when
    The grouping columns are of the other sources, and determine a row of each of them by keys.
    Every aggregate is COUNT, SUM, AVG, MIN or MAX of something that is NULL where all columns of
    b are; b is used nowhere else, but in HAVING and ORDER BY within such aggregates.

Why
    Each group is one row of the other sources with its partners, or with one row of NULLs. The
    aggregates skip that row of NULLs, as they have nothing to see in a query without rows.

Limits
    COUNT(*) counts the row of NULLs, too: left alone. With two LEFT JOINs partners are multiplied:
    left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.bare import EXTREMES
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.dependencies import closure, item_keys, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import is_flat, split_items, uses
from sqlverdict.prove.reasoning.shape import (
    BAG_AGGREGATES,
    aggregates_in,
    columns_in,
    conditions,
    has_subquery,
    has_window,
    joins,
    output_nodes,
    set_conditions,
    source_label,
)
from sqlverdict.prove.reasoning.strict import is_strict_in
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Join,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT k, SUM(w), COUNT(f) FROM t LEFT JOIN u ON f = k GROUP BY k",
            "SELECT k, (SELECT SUM(w) FROM u WHERE f = k), (SELECT COUNT(f) FROM u WHERE f = k)"
            " FROM t",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT k, COUNT(*) FROM t LEFT JOIN u ON f = k GROUP BY k",
            "SELECT k, (SELECT COUNT(*) FROM u WHERE f = k) FROM t",
            KEY,
            because="a row without partners is counted",
        ),
        Pair(
            "SELECT v, SUM(w) FROM t LEFT JOIN u ON f = k GROUP BY v",
            "SELECT v, (SELECT SUM(w) FROM u WHERE f = k) FROM t",
            KEY,
            because="several rows may share v",
        ),
    ],
)
def left_joined_partners_are_queries(node: exp.Select, facts: Facts) -> Expr | None:
    """Ask for each row."""
    group, own_joins = node.args.get("group"), joins(node)
    if group is None or has_window(node) or not is_flat(node):
        return None
    inner, outer = split_items(node)
    if len(outer) != 1 or own_joins[-1] is not outer[0] or outer[0].args.get("on") is None:
        return None
    join = outer[0]
    label = join.this.alias
    nodes = output_nodes(node)
    calls = list(aggregates_in(nodes))
    if not calls or any(map(has_subquery, nodes)) or label not in facts.bases:
        return None
    if not all(_sees_partners(call, label) for call in calls) or uses(node, label, [join, *calls]):
        return None
    if not _is_row(node, inner, facts):
        facts.cited.clear()
        return None
    for call in calls:
        query = exp.Select(
            from_=exp.From(this=counted_copy(join.this)),
            where=exp.Where(this=counted_copy(join.args["on"])),
        )
        holder = exp.Subquery(this=query)
        call.replace(holder)
        query.set("expressions", [call])
    having = conditions(node, "having")
    node.set("joins", own_joins[:-1] or None)
    for part in ("group", "having", EXTREMES):
        node.set(part, None)
    set_conditions(node, [*conditions(node), *having])
    return node


def _sees_partners(call: Expr, label: str) -> bool:
    """Whether an aggregate skips a row in which a source is all NULL."""
    if not isinstance(call, BAG_AGGREGATES) or isinstance(call.parent, exp.Filter):
        return False
    inner = call.this
    if isinstance(inner, exp.Distinct):
        inner = inner.expressions[0] if len(inner.expressions) == 1 else inner
    own = [column for column in columns_in(inner) if source_label(column) == label]
    return any(is_strict_in(inner, column) for column in own)


def _is_row(node: exp.Select, sources: list[Expr], facts: Facts) -> bool:
    """Whether the grouping columns determine a row of each source."""
    terms = node.args["group"].expressions
    if not all(isinstance(term, exp.Column) for term in terms):
        return False
    determined = closure(node, facts, plain_columns(terms))
    for source in sources:
        reasons = next(
            (
                reasons
                for names, reasons in item_keys(source, facts, conditions(node))
                if all((source.alias, name) in determined for name in names)
            ),
            None,
        )
        if reasons is None:
            return False
        facts.cite(*reasons)
    return True
