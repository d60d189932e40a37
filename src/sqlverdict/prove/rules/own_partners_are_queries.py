"""Aggregates over the rows that agree with a row are queries for that row.

Statement
    SELECT a.k, MAX(b.x) FROM t AS a, t AS b WHERE b.y = a.y GROUP BY a.k
    ==   SELECT a.k, (SELECT MAX(b.x) FROM t AS b WHERE b.y = a.y) FROM t AS a WHERE a.y IS NOT NULL

Holds when
    a and b are one table, the only sources; every condition on b compares one column of both for
    equality, or is one that a must meet, too. The grouping columns determine a row of a by keys. b
    is used in aggregates alone. There is no HAVING.

Why
    Each group is one row of a with its partners, and it has one: itself. Where y is NULL there is
    none, and no group.

Limits
    Where a row need not be its own partner a group may be missing: left alone.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.bare import EXTREMES
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.dependencies import closure, item_keys, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import drop_item, is_flat, uses
from sqlverdict.prove.reasoning.same_rows import sees_row
from sqlverdict.prove.reasoning.shape import (
    BAG_AGGREGATES,
    aggregates_in,
    all_inner,
    columns_in,
    conditions,
    has_subquery,
    has_window,
    items,
    labels_in,
    output_nodes,
    set_conditions,
    source_label,
)
from sqlverdict.prove.resolve.scope import resolved
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Join,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT a.k, MAX(b.w), COUNT(*) FROM t a JOIN t b ON b.v = a.v GROUP BY a.k",
            "SELECT a.k, (SELECT MAX(b.w) FROM t b WHERE b.v = a.v),"
            " (SELECT COUNT(*) FROM t b WHERE b.v = a.v) FROM t a WHERE a.v IS NOT NULL",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT a.k, MAX(b.w) FROM t a JOIN t b ON b.v = a.v AND b.w < 3 GROUP BY a.k",
            "SELECT a.k, (SELECT MAX(b.w) FROM t b WHERE b.v = a.v AND b.w < 3)"
            " FROM t a WHERE a.v IS NOT NULL",
            KEY,
            because="a row need not be its own partner",
        ),
        Pair(
            "SELECT a.w, COUNT(*) FROM t a JOIN t b ON b.v = a.v GROUP BY a.w",
            "SELECT a.w, (SELECT COUNT(*) FROM t b WHERE b.v = a.v) FROM t a WHERE a.v IS NOT NULL",
            KEY,
            because="several rows may share w",
        ),
    ],
)
def own_partners_are_queries(node: exp.Select, facts: Facts) -> Expr | None:
    """Ask for each row."""
    group, sources = node.args.get("group"), items(node)
    if group is None or node.args.get("having") is not None or len(sources) != 2:
        return None
    if has_window(node) or not all_inner(node) or not is_flat(node):
        return None
    bases = [facts.bases.get(source.alias) for source in sources]
    nodes = output_nodes(node)
    if bases[0] is None or bases[0] != bases[1] or any(map(has_subquery, nodes)):
        return None
    calls = list(aggregates_in(nodes))
    if not calls or not all(map(_is_plain, calls)):
        return None
    if not all(isinstance(term, exp.Column) for term in group.expressions):
        return None
    for outer, inner in (sources, sources[::-1]):
        own, label = outer.alias, inner.alias
        tests = [part for part in conditions(node) if label in labels_in(part)]
        rest = [part for part in conditions(node) if label not in labels_in(part)]
        if not tests or any(map(has_subquery, tests)) or uses(node, label, [*tests, *calls]):
            continue
        labels = {source_label(column) for call in calls for column in columns_in(call)}
        needed = sees_row(tests, label, own, node)
        if needed is None or not labels <= {label} or not _is_row(node, outer, facts):
            facts.cited.clear()
            continue
        for call in calls:
            query = exp.Select(from_=exp.From(this=counted_copy(inner)))
            set_conditions(query, [counted_copy(test) for test in tests])
            call.replace(exp.Subquery(this=query))
            query.set("expressions", [call])
        drop_item(node, label)
        for part in ("group", EXTREMES):
            node.set(part, None)
        has_values = [
            exp.Not(this=exp.Is(this=resolved(*name), expression=exp.Null()))
            for name in sorted(needed)
        ]
        set_conditions(node, [*rest, *has_values])
        return node
    return None


def _is_plain(call: Expr) -> bool:
    return (
        isinstance(call, BAG_AGGREGATES)
        and not call.expressions
        and not isinstance(call.parent, exp.Filter)
    )


def _is_row(node: exp.Select, source: Expr, facts: Facts) -> bool:
    """Whether the grouping columns determine a row of a source."""
    determined = closure(node, facts, plain_columns(node.args["group"].expressions))
    for names, reasons in item_keys(source, facts, conditions(node)):
        if all((source.alias, name) in determined for name in names):
            facts.cite(*reasons)
            return True
    return False
