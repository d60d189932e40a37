"""The first row of each part shows what the part is by, and its extreme value.

Statement
    SELECT d.p, d.x FROM (SELECT p, x, ROW_NUMBER() OVER (PARTITION BY p ORDER BY x DESC) AS r
    FROM t WHERE q) AS d WHERE d.r = 1
    ==   SELECT p, MAX(x) FROM t WHERE q GROUP BY p
    The same for MIN and a rising order.

Holds when
    The inner query shows columns of PARTITION BY, the first column of ORDER BY and the row number
    alone. These columns are integers, days or the like. x is never NULL, or NULLs come last. The
    row number is used in this test alone.

Why
    The first row of a part has the part's extreme; which of several such rows it is cannot be seen.
    NULLs are one part, as they are one group. Where all x are NULL, so is the extreme.

Limits
    Without PARTITION BY there is one row for none if a query aggregates: left alone. Other types
    may have equal values that differ. In SQLite an extreme has no affinity: where that counts, the
    query is left alone.

Source
    House rule; ETM (Ascoli et al.) has none like it.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.same_rows import plain_source
from sqlverdict.prove.reasoning.shape import (
    column_name,
    columns_in,
    conditions,
    is_padded,
    items,
    set_conditions,
    whole_number,
)
from sqlverdict.prove.reasoning.stored import is_exact_scalar
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import same_expression

_FIRST = "SELECT d.p, d.v FROM (SELECT p, v, ROW_NUMBER() OVER ({}) AS r FROM t) AS d WHERE d.r = 1"


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Window,),
    schema="CREATE TABLE t (p INTEGER, v INTEGER, w INTEGER)",
    equal=[
        Pair(
            _FIRST.format("PARTITION BY p ORDER BY v"),
            "SELECT p, MIN(v) FROM t GROUP BY p",
            (NotNull("t", "v"),),
        ),
        Pair(
            "SELECT v FROM (SELECT v, ROW_NUMBER() OVER (PARTITION BY p, w ORDER BY v DESC) AS r"
            " FROM t WHERE v > 1) AS d WHERE r = 1",
            "SELECT MAX(v) FROM t WHERE v > 1 GROUP BY p, w",
        ),
        Pair(
            _FIRST.format("PARTITION BY p ORDER BY v, w DESC"),
            "SELECT p, MIN(v) FROM t GROUP BY p",
            (NotNull("t", "v"),),
        ),
    ],
    different=[
        Pair(
            _FIRST.format("PARTITION BY p ORDER BY v"),
            "SELECT p, MIN(v) FROM t GROUP BY p",
            because="a NULL comes first and is not the least value",
        ),
        Pair(
            _FIRST.format("PARTITION BY p ORDER BY w DESC"),
            "SELECT p, MAX(v) FROM t GROUP BY p",
            (NotNull("t", "v"),),
            because="the row with the greatest w has any v",
        ),
    ],
)
def first_row_shows_extreme(node: exp.Select, facts: Facts) -> Expr | None:
    """Group inside."""
    for item in items(node):
        inner = item.this if isinstance(item, exp.Subquery) else None
        if not isinstance(inner, exp.Select) or plain_source(inner, facts) is None:
            continue
        windows = [part for part in inner.expressions if isinstance(part, exp.Window)]
        if len(windows) != 1 or is_padded(item) or not _numbers_groups(windows[0], inner, facts):
            facts.cited.clear()
            continue
        number = (item.alias, f"c{inner.expressions.index(windows[0])}")
        uses = [column for column in columns_in(node) if column_name(column) == number]
        rest = [test for test in conditions(node) if not _asks_for_first(test, uses)]
        if len(uses) != 1 or len(rest) + 1 != len(conditions(node)):
            facts.cited.clear()
            continue
        values = [column for column in columns_in(node) if _is_extreme(column, item, windows[0])]
        if not all(map(facts.is_unconverted, values)):
            facts.cited.clear()
            continue
        _group(inner, windows[0])
        set_conditions(node, rest)
        return node
    return None


def _is_extreme(column: exp.Column, item: Expr, window: exp.Window) -> bool:
    """Whether a column outside is one that becomes an extreme inside, which has no affinity."""
    label, name = column_name(column)
    if label != item.alias:
        return False
    output = item.this.expressions[int(name[1:])]
    parts = window.args["partition_by"]
    return output is not window and not any(same_expression(output, part) for part in parts)


def _asks_for_first(test: Expr, uses: list[exp.Column]) -> bool:
    return (
        isinstance(test, exp.EQ)
        and any(test.this is column for column in uses)
        and whole_number(test.expression) == 1
    )


def _numbers_groups(window: exp.Window, inner: exp.Select, facts: Facts) -> bool:
    """Whether a query shows the parts of its row numbers, and what orders these, alone."""
    order, parts = window.args.get("order"), window.args.get("partition_by")
    if not isinstance(window.this, exp.RowNumber) or window.args.get("spec"):
        return False
    if not parts or order is None:
        return False
    term = order.expressions[0]
    terms = [term.this, *parts]
    if not all(isinstance(each, exp.Column) and is_exact_scalar(each, facts) for each in terms):
        return False
    outputs = [each for each in inner.expressions if each is not window]
    if not all(any(same_expression(each, one) for one in terms) for each in outputs):
        return False
    first = term.args.get("nulls_first")
    if first is None:
        first = facts.nulls_first(bool(term.args.get("desc")))
    return not first or facts.never_null(term.this)


def _group(inner: exp.Select, window: exp.Window) -> None:
    term, parts = window.args["order"].expressions[0], window.args["partition_by"]
    group = exp.Group(expressions=[part.copy() for part in parts])
    kind = exp.Max if term.args.get("desc") else exp.Min
    for output in list(inner.expressions):
        if output is window:
            output.replace(exp.Literal.number(1))
        elif not any(same_expression(output, part) for part in parts):
            output.replace(kind(this=output.copy()))
    inner.set("group", group)
