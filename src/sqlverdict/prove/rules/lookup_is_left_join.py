"""A value that is looked up by a key is a LEFT JOIN.

Statement
    SELECT a.x, (SELECT b.y FROM b WHERE b.k = a.f) FROM a
    ==   SELECT a.x, b.y FROM a LEFT JOIN b ON b.k = a.f

Holds when
    The inner query reads one table and gives at most one row for each outer row: its conditions
    fix a UNIQUE column set of the table. Its value is NULL where all columns of the table are.
    The outer query has no RIGHT or FULL JOIN and no window; where it groups, the value stands
    inside an aggregate, in WHERE, or depends on grouping columns alone.

Why
    The LEFT JOIN keeps each row once, with the partner's columns or with NULLs.

Limits
    A constant (SELECT 1 FROM b ...) is not NULL by itself: left alone. A value in the condition
    of a join is left alone, too.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import Unique
from sqlverdict.prove.reasoning.dependencies import at_most_one_row, outer_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.same_rows import over_row, plain_source
from sqlverdict.prove.reasoning.shape import (
    aggregates_in,
    all_of,
    column_name,
    columns_in,
    conditions,
    has_subquery,
    has_window,
    is_grouped,
    items,
    joins,
    labels,
    own_nodes,
    parts,
    source_label,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.reasoning.strict import is_strict_in
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key

KEY = (Unique("u", ("k",)),)


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Subquery,),
    schema="CREATE TABLE t (f INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v, (SELECT w FROM u WHERE k = f) FROM t",
            "SELECT v, w FROM t LEFT JOIN u ON k = f",
            KEY,
        ),
        Pair(
            "SELECT v, SUM((SELECT w FROM u WHERE k = f)) FROM t GROUP BY v",
            "SELECT v, SUM(w) FROM t LEFT JOIN u ON k = f GROUP BY v",
            KEY,
        ),
    ],
    different=[
        Pair(
            "SELECT v, (SELECT w FROM u WHERE k = f) FROM t",
            "SELECT v, w FROM t JOIN u ON k = f",
            KEY,
            because="a row without a partner is dropped",
        ),
        Pair(
            "SELECT v, (SELECT 1 FROM u WHERE k = f) FROM t",
            "SELECT v, 1 FROM t LEFT JOIN u ON k = f",
            KEY,
            because="without a partner the value is NULL",
        ),
    ],
)
def lookup_is_left_join(node: exp.Select, facts: Facts) -> Expr | None:
    """Join the table."""
    if not items(node) or has_window(node):
        return None
    if any((join.side or "").upper() in ("RIGHT", "FULL") for join in joins(node)):
        return None
    for query in _values(node, facts):
        inner = query.this
        if not at_most_one_row(inner, facts):
            continue
        source = items(inner)[0]
        partner = _partner(node, source, inner, facts)
        if partner is not None:
            query.replace(over_row(inner.expressions[0], source.alias, partner))
            return node
        if source.alias in labels(node):
            continue
        query.replace(inner.expressions[0])
        node.append("joins", exp.Join(this=source, side="LEFT", on=all_of(conditions(inner))))
        return node
    facts.cited.clear()
    return None


def _partner(node: exp.Select, source: Expr, inner: exp.Select, facts: Facts) -> str | None:
    """The label of the same table where it is joined under the same condition."""
    for join in joins(node):
        label = join.this.alias
        if (join.side or "").upper() != "LEFT" or facts.bases.get(label) is None:
            continue
        if facts.bases[label] != facts.bases[source.alias]:
            continue
        partner_tests = {expression_key(part) for part in parts(join.args.get("on"))}
        tests = (over_row(part, source.alias, label) for part in conditions(inner))
        if {expression_key(part) for part in tests} == partner_tests:
            return str(label)
    return None


def _values(node: exp.Select, facts: Facts) -> Iterator[exp.Subquery]:
    """The queries for one value that may become columns of a joined table."""
    group = node.args.get("group")
    terms = list(group.expressions) if group is not None else []
    order = node.args.get("order")
    outputs = [*node.expressions, *conditions(node, "having")]
    outputs += [term.this for term in order.expressions] if order is not None else []
    within = {id(part) for call in aggregates_in(outputs) for part in own_nodes(call)}
    fixed = {
        column_name(term)
        for term in terms
        if isinstance(term, exp.Column) and has_one_order(term, facts)
    }
    for part in (*outputs, *conditions(node), *terms):
        for query in own_nodes(part):
            if not isinstance(query, exp.Subquery) or not _is_lookup(query, facts):
                continue
            free = not is_grouped(node) or any(part is p for p in (*conditions(node), *terms))
            if free or id(query) in within or (terms and outer_columns(query.this) <= fixed):
                yield query


def _is_lookup(query: exp.Subquery, facts: Facts) -> bool:
    inner = query.this
    label = plain_source(inner, facts)
    if query.alias or label is None or len(inner.expressions) != 1 or is_grouped(inner):
        return False
    if isinstance(query.parent, exp.In | exp.Exists | exp.SetOperation) or not conditions(inner):
        return False
    value = inner.expressions[0]
    own = [column for column in columns_in(value) if source_label(column) == label]
    return not has_subquery(value) and any(is_strict_in(value, column) for column in own)
