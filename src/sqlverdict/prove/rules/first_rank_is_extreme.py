"""The rows of the first rank have the extreme value.

Statement
    SELECT d.y FROM (SELECT y, RANK() OVER (PARTITION BY p ORDER BY x DESC) AS r FROM t WHERE q)
    AS d WHERE d.r = 1
    ==   SELECT y FROM t WHERE q AND x = (SELECT MAX(b.x) FROM t AS b WHERE q AND b.p = t.p)
    The same for MIN and a rising order, and for ROW_NUMBER() where no two rows tie.

Holds when
    x and p are columns that are never NULL in these rows, the rank is used in this test alone, and
    the inner query reads one table, without other windows and without a query in its conditions.

Why
    A row has the first rank where no row of its part comes before it: none has a greater x. The
    part has a row, the row itself, so there is a greatest x, and the row has it.

Limits
    Where x may be NULL, the first rank may be that of the NULLs, and nothing equals NULL. Rows
    whose p is NULL are one part to a window and no row's equal to a comparison.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.dependencies import determines_row, plain_columns
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.moves import read_again
from sqlverdict.prove.reasoning.same_rows import over_row, plain_source
from sqlverdict.prove.reasoning.shape import (
    column_name,
    columns_in,
    conditions,
    has_subquery,
    is_grouped,
    is_padded,
    items,
    nodes_in,
    set_conditions,
    source_label,
    whole_number,
)
from sqlverdict.prove.reasoning.stored import has_one_order
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

HAVE_VALUES = (NotNull("t", "v"), NotNull("t", "p"))
_RANK = "SELECT x.k FROM (SELECT k, RANK() OVER ({}) AS r FROM t) x WHERE x.r = 1"


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Window,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER, p INTEGER)",
    equal=[
        Pair(
            _RANK.format("ORDER BY v DESC"),
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
            HAVE_VALUES[:1],
        ),
        Pair(
            _RANK.format("PARTITION BY p ORDER BY v"),
            "SELECT k FROM t WHERE v = (SELECT MIN(b.v) FROM t b WHERE b.p = t.p)",
            HAVE_VALUES,
        ),
        Pair(
            "SELECT k FROM (SELECT k, RANK() OVER (ORDER BY v DESC) AS r FROM t WHERE v > 1) x"
            " WHERE r = 1",
            "SELECT k FROM t WHERE v > 1 AND v = (SELECT MAX(v) FROM t WHERE v > 1)",
        ),
    ],
    different=[
        Pair(
            _RANK.format("ORDER BY v DESC, p"),
            "SELECT k FROM t WHERE v = (SELECT MAX(v) FROM t)",
            HAVE_VALUES,
            because="the second term decides among the greatest",
        ),
        Pair(
            _RANK.format("PARTITION BY p ORDER BY v DESC"),
            "SELECT k FROM t WHERE v = (SELECT MAX(b.v) FROM t b WHERE b.p = t.p)",
            HAVE_VALUES[:1],
            because="rows without a p have a first rank",
        ),
    ],
)
def first_rank_is_extreme(node: exp.Select, facts: Facts) -> Expr | None:
    """Compare with the extreme inside."""
    for item in items(node):
        inner = item.this if isinstance(item, exp.Subquery) else None
        label = plain_source(inner, facts)
        if inner is None or label is None or is_padded(item) or not _is_plain(inner):
            continue
        windows = [part for part in inner.expressions if isinstance(part, exp.Window)]
        if len(windows) != 1:
            continue
        rank = (item.alias, f"c{inner.expressions.index(windows[0])}")
        uses = [column for column in columns_in(node) if column_name(column) == rank]
        rest = [test for test in conditions(node) if not _asks_for_first(test, uses)]
        if len(uses) != 1 or len(rest) + 1 != len(conditions(node)):
            continue
        if not _ranks_by_value(windows[0], inner, label, facts):
            facts.cited.clear()
            continue
        set_conditions(inner, [*conditions(inner), _has_extreme(windows[0], inner, facts)])
        windows[0].replace(exp.Literal.number(1))
        set_conditions(node, rest)
        return node
    return None


def _is_plain(inner: Expr) -> bool:
    """Whether conditions can be written twice, as no call can fail, and before the window."""
    if is_grouped(inner) or any(map(has_subquery, inner.expressions)):
        return False
    parts = [part for part in nodes_in(inner) if isinstance(part, exp.Window | exp.Anonymous)]
    own = [part for part in inner.expressions if isinstance(part, exp.Window)]
    return len(parts) == len(own) and not any(map(has_subquery, conditions(inner)))


def _asks_for_first(test: Expr, uses: list[exp.Column]) -> bool:
    return (
        isinstance(test, exp.EQ)
        and any(test.this is column for column in uses)
        and whole_number(test.expression) == 1
    )


def _ranks_by_value(window: exp.Window, inner: exp.Select, label: str, facts: Facts) -> bool:
    order, parts = window.args.get("order"), window.args.get("partition_by") or []
    if order is None or len(order.expressions) != 1 or window.args.get("spec"):
        return False
    terms = [order.expressions[0].this, *parts]
    if isinstance(window.this, exp.RowNumber):
        if not determines_row(inner, facts, plain_columns(terms)):
            return False
    elif not isinstance(window.this, exp.Rank) or window.this.expressions:
        return False
    return all(
        isinstance(term, exp.Column)
        and source_label(term) == label
        and facts.never_null(term)
        and has_one_order(term, facts)
        for term in terms
    )


def _has_extreme(window: exp.Window, inner: exp.Select, facts: Facts) -> exp.EQ:
    source = items(inner)[0]
    assert isinstance(source, exp.Table)
    again = read_again(source, facts)
    term = window.args["order"].expressions[0]
    value = over_row(term.this, source.alias, again.alias)
    extreme = exp.Max(this=value) if term.args.get("desc") else exp.Min(this=value)
    query = exp.Select(expressions=[extreme])
    query.set("from_", exp.From(this=again))
    same_part = [
        exp.EQ(this=over_row(part, source.alias, again.alias), expression=part.copy())
        for part in window.args.get("partition_by") or []
    ]
    own = [over_row(test, source.alias, again.alias) for test in conditions(inner)]
    set_conditions(query, [*own, *same_part])
    return exp.EQ(this=term.this.copy(), expression=exp.Subquery(this=query))
