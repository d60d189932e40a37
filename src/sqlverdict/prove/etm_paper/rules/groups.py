"""Aggregates, GROUP BY and DISTINCT."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.etm_paper.constraints import is_not_null, is_unique
from sqlverdict.prove.etm_paper.shapes import nodes_below
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import joins
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("6",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[Pair("SELECT COUNT(k) FROM t", "SELECT COUNT(*) FROM t", (NotNull("t", "k"),))],
    different=[
        Pair("SELECT COUNT(k) FROM t", "SELECT COUNT(*) FROM t", because="k may be NULL"),
        Pair(
            "SELECT COUNT(DISTINCT k) FROM t",
            "SELECT COUNT(*) FROM t",
            (NotNull("t", "k"),),
            because="k may repeat",
        ),
    ],
    corners=[
        Pair(
            "SELECT COUNT(u.k) FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT COUNT(*) FROM t LEFT JOIN u ON t.k = u.k",
            (NotNull("u", "k"),),
            because="the left join fills u.k with NULL",
        ),
    ],
)
def paper_count_of_not_null_is_count_star(node: exp.Count, facts: Facts) -> Expr | None:
    """Counting a column that is never NULL is counting rows.

    Statement
        SELECT COUNT(c) FROM t   ==   SELECT COUNT(*) FROM t

    Holds when
        c is NON_NULL.

    Why
        COUNT(c) leaves out the rows in which c is NULL; there are none.

    Limits
        An outer join fills c with NULLs, and is not looked at: ``SELECT COUNT(u.k) FROM t LEFT JOIN
        u ON t.k = u.k`` matches COUNT(*); with one row in t and none in u the first is 0, the
        second 1. A primary key that is not the rowid may hold NULL in SQLite.

    Source
        ETM (Ascoli et al.), table 2, rule 6.
    """
    if not isinstance(node.this, exp.Column) or not is_not_null(node.this, facts):
        return None
    return exp.Count(this=exp.Star(), big_int=True)


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("9",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair(
            "SELECT k, COUNT(CASE WHEN v > 1 THEN 1 ELSE NULL END) FROM t GROUP BY k",
            "SELECT k, SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t GROUP BY k",
        ),
    ],
    different=[
        Pair(
            "SELECT k, COUNT(CASE WHEN v > 1 THEN k END) FROM t GROUP BY k",
            "SELECT k, SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t GROUP BY k",
            because="k may be NULL",
        ),
        Pair(
            "SELECT k, COUNT(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t GROUP BY k",
            "SELECT k, SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t GROUP BY k",
            because="COUNT counts the zeros too",
        ),
    ],
    corners=[
        Pair(
            "SELECT COUNT(CASE WHEN v > 1 THEN 1 END) FROM t",
            "SELECT SUM(CASE WHEN v > 1 THEN 1 ELSE 0 END) FROM t",
            because="of no rows COUNT is 0 and SUM is NULL",
        ),
    ],
)
def paper_count_case_is_sum_case(node: exp.Count, facts: Facts) -> Expr | None:
    """Counting the rows of a case is adding up ones.

    Statement
        COUNT(CASE WHEN d THEN 1 END)   ==   SUM(CASE WHEN d THEN 1 ELSE 0 END)
        COUNT(CASE WHEN d THEN c END)   ==   the same

    Holds when
        The counted value is 1, or a column that is NON_NULL.

    Why
        COUNT leaves out NULL, which is what CASE gives where d does not hold.

    Limits
        Of no rows COUNT is 0 and SUM is NULL: on an empty table the two differ.

    Source
        ETM (Ascoli et al.), table 2, rule 9.
    """
    case = node.this
    if not isinstance(case, exp.Case) or len(case.args["ifs"]) != 1:
        return None
    default = case.args.get("default")
    if default is not None and not isinstance(default, exp.Null):
        return None
    branch = case.args["ifs"][0]
    value = branch.args["true"]
    one = isinstance(value, exp.Literal) and value.name in ("1", "1.0")
    if not one and not is_not_null(value, facts):
        return None
    new_branch = exp.If(this=branch.this, true=exp.Literal.number("1.0"))
    return exp.Sum(this=exp.Case(ifs=[new_branch], default=exp.Literal.number("0")))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("8",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT CAST(SUM(v) AS FLOAT) / COUNT(*) FROM t",
            "SELECT AVG(v) FROM t",
            (NotNull("t", "v"),),
        ),
    ],
    different=[
        Pair(
            "SELECT CAST(SUM(v) AS FLOAT) / COUNT(*) FROM t",
            "SELECT AVG(v) FROM t",
            because="rows with a NULL count in the first alone",
        ),
        Pair(
            "SELECT SUM(v) / COUNT(*) FROM t",
            "SELECT AVG(v) FROM t",
            (NotNull("t", "v"),),
            because="integers are divided without a rest",
        ),
    ],
    corners=[
        Pair(
            "SELECT CAST(SUM(u.w) AS FLOAT) / COUNT(*) FROM t LEFT JOIN u ON t.k = u.k",
            "SELECT AVG(u.w) FROM t LEFT JOIN u ON t.k = u.k",
            (NotNull("u", "w"),),
            because="the left join fills u.w with NULL, which AVG leaves out",
        ),
    ],
)
def paper_sum_by_count_is_avg(node: exp.Div, facts: Facts) -> Expr | None:
    """The sum as a float divided by the number of rows is the average.

    Statement
        CAST(SUM(c) AS FLOAT) / COUNT(*)   ==   AVG(c)

    Holds when
        c is NON_NULL.

    Why
        AVG divides the sum by the number of values; without NULLs that is the number of rows.

    Limits
        An outer join fills c with NULLs, and is not looked at. SUM of integers stops with an
        overflow where AVG adds floats: with two rows of 2^63 - 1 the first is an error.

    Source
        ETM (Ascoli et al.), table 2, rule 8.
    """
    cast, count = node.this, node.expression
    if not isinstance(cast, exp.Cast) or not cast.to.is_type("float"):
        return None
    if not isinstance(count, exp.Count) or not isinstance(count.this, exp.Star):
        return None
    total = cast.this
    if not isinstance(total, exp.Sum) or not is_not_null(total.this, facts):
        return None
    return exp.Avg(this=total.this)


KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("2",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT DISTINCT k, v FROM t", "SELECT k, v FROM t", KEY),
        Pair("SELECT COUNT(DISTINCT k) FROM t", "SELECT COUNT(k) FROM t", KEY),
    ],
    different=[
        Pair("SELECT DISTINCT v FROM t", "SELECT v FROM t", KEY, because="v may repeat"),
        Pair(
            "SELECT DISTINCT t.k FROM t JOIN u ON t.v = u.k",
            "SELECT t.k FROM t JOIN u ON t.v = u.k",
            KEY,
            because="the join repeats k",
        ),
    ],
    corners=[
        Pair(
            "SELECT DISTINCT k FROM t",
            "SELECT k FROM t",
            (Unique("t", ("k",)),),
            because="a unique k may be NULL in many rows",
        ),
    ],
)
def paper_distinct_over_unique(node: exp.Select, facts: Facts) -> Expr | None:
    """DISTINCT is idle where a selected column is unique.

    Statement
        SELECT DISTINCT c, _ FROM t   ==   SELECT c, _ FROM t
        COUNT(DISTINCT c)   ==   COUNT(c)

    Holds when
        c is UNIQUE in t, and t is joined to nothing.

    Why
        Rows that agree on every selected column agree on c, so they are one row.

    Limits
        UNIQUE admits any number of NULLs: with two rows whose c is NULL, DISTINCT gives one row and
        its absence two. A partial unique index counts as UNIQUE and says nothing of the rows that
        it leaves out.

    Source
        ETM (Ascoli et al.), table 2, rule 2.
    """
    if joins(node):
        return None
    changed = False
    if node.args.get("distinct") and any(is_unique(item, facts) for item in node.expressions):
        node.set("distinct", None)
        changed = True
    for distinct in nodes_below(node, exp.Distinct):
        items = distinct.expressions
        if distinct.parent is not node and len(items) == 1 and is_unique(items[0], facts):
            distinct.replace(items[0])
            changed = True
    return node if changed else None


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("4",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT COUNT(*) FROM t GROUP BY k, v", "SELECT COUNT(*) FROM t GROUP BY k", KEY),
        Pair("SELECT COUNT(*) FROM t GROUP BY v, k", "SELECT COUNT(*) FROM t GROUP BY k", KEY),
    ],
    different=[
        Pair(
            "SELECT COUNT(*) FROM t GROUP BY k, v",
            "SELECT COUNT(*) FROM t GROUP BY v",
            KEY,
            because="rows may share v",
        ),
    ],
    corners=[
        Pair(
            "SELECT COUNT(*) FROM t GROUP BY k, v",
            "SELECT COUNT(*) FROM t GROUP BY k",
            (Unique("t", ("k",)),),
            because="the rows whose unique k is NULL are one group",
        ),
        Pair(
            "SELECT COUNT(*) FROM t JOIN u ON t.k = u.k GROUP BY t.k, u.w",
            "SELECT COUNT(*) FROM t JOIN u ON t.k = u.k GROUP BY t.k",
            KEY,
            because="the join repeats k, with another w",
        ),
    ],
)
def paper_group_by_unique_needs_no_more(node: exp.Select, facts: Facts) -> Expr | None:
    """Grouping by a unique column makes further grouping columns idle.

    Statement
        SELECT _ FROM t GROUP BY c, c2, ...   ==   SELECT _ FROM t GROUP BY c

    Holds when
        c is UNIQUE, and the query does not order.

    Why
        Every group has one row of t, in which c2 has one value.

    Limits
        UNIQUE admits any number of NULLs, which are one group: with the rows (NULL, 1) and (NULL,
        2), GROUP BY c, c2 has two groups and GROUP BY c one. Where t is joined, c may repeat, and
        c2 may be of the other table: one order with two lines is two groups by (order, line) and
        one by order.

    Source
        ETM (Ascoli et al.), table 2, rule 4.
    """
    group = node.args.get("group")
    if group is None or node.args.get("order") or len(group.expressions) < 2:
        return None
    for item in group.expressions:
        if is_unique(item, facts):
            group.set("expressions", [item])
            return node
    return None
