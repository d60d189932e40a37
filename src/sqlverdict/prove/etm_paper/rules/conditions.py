"""Conditions on one row: bounds, lists, negation, and those that always hold."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.etm_paper.constraints import is_not_null
from sqlverdict.prove.etm_paper.shapes import nodes_below, same_node, true_condition
from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import OPPOSITES, all_of, any_of
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("22",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE v BETWEEN 1 AND 2", "SELECT k FROM t WHERE v >= 1 AND v <= 2"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v BETWEEN 1 AND 2",
            "SELECT k FROM t WHERE v > 1 AND v <= 2",
            because="the lower bound is included",
        ),
    ],
)
def paper_between_is_two_bounds(node: exp.Between, facts: Facts) -> Expr | None:
    """BETWEEN is a pair of inclusive bounds.

    Statement
        c BETWEEN x AND y   ==   c >= x AND c <= y

    Holds when
        Always.

    Why
        The SQL standard defines BETWEEN so, NULL included.

    Limits
        The expression stands twice on the right: ``RANDOM() BETWEEN 1 AND 2`` draws one number, the
        bounds draw two.

    Source
        ETM (Ascoli et al.), table 3, rule 22.
    """
    del facts
    low = exp.GTE(this=counted_copy(node.this), expression=node.args["low"])
    high = exp.LTE(this=node.this, expression=node.args["high"])
    return exp.And(this=low, expression=high)


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("18",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER, s TEXT)",
    equal=[
        Pair("SELECT k FROM t WHERE v IN (1, 2)", "SELECT k FROM t WHERE v = 2 OR v = 1"),
        Pair("SELECT k FROM t WHERE v NOT IN (1, 2)", "SELECT k FROM t WHERE v != 1 AND v != 2"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v IN (1, 2)",
            "SELECT k FROM t WHERE v NOT IN (1, 2)",
            because="one is the opposite of the other",
        ),
    ],
    corners=[
        Pair(
            "SELECT k FROM t WHERE s >= '1.0' AND s IN (v, 2)",
            "SELECT k FROM t WHERE s >= '1.0' AND (s = v OR s = 2)",
            because="= compares numbers, and IN text: '2.0' is not '2'",
        ),
    ],
)
def paper_in_list_is_equalities(node: exp.Not | exp.In, facts: Facts) -> Expr | None:
    """IN over a list is a chain of equalities.

    Statement
        c IN (x, y, ...)   ==   c = x OR c = y OR ...
        c NOT IN (x, y, ...)   ==   c <> x AND c <> y AND ...

    Holds when
        Always.

    Why
        This is how IN over a list is defined, NULL included.

    Limits
        SQLite gives the members of a list no affinity, whereas ``c = x`` lends a column's affinity
        to either side: with the text '1.0' in a TEXT column c and an INTEGER column x that is 1,
        ``c = x`` compares numbers and is true, ``c IN (x, 2)`` compares '1.0' with '1' and is not.

    Source
        ETM (Ascoli et al.), table 3, rule 18.
    """
    del facts
    negated = isinstance(node, exp.Not)
    inside = node.this if negated else node
    if not isinstance(inside, exp.In) or not inside.expressions:
        return None
    if not negated and isinstance(node.parent, exp.Not):
        return None
    kind = exp.NEQ if negated else exp.EQ
    comparisons = [
        kind(this=counted_copy(inside.this), expression=item) for item in inside.expressions
    ]
    return all_of(comparisons) if negated else any_of(comparisons)


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("23",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE NOT v = 1", "SELECT k FROM t WHERE v != 1"),
        Pair("SELECT k FROM t WHERE NOT v > 1", "SELECT k FROM t WHERE v <= 1"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE NOT v > 1",
            "SELECT k FROM t WHERE v < 1",
            because="1 is not greater than 1",
        ),
    ],
)
def paper_not_flips_comparison(node: exp.Not, facts: Facts) -> Expr | None:
    """NOT before a comparison is the opposite comparison.

    Statement
        NOT c = x   ==   c <> x   (<>: =, >: <=, >=: <, <: >=, <=: >)

    Holds when
        Always.

    Why
        Of two values one comparison holds exactly where the other does not; with a NULL both are
        unknown.

    Limits
        None known. The trees of this profile are not resolved, so that the rule is no more than its
        profile.

    Source
        ETM (Ascoli et al.), table 3, rule 23.
    """
    del facts
    inner = node.this
    opposite = OPPOSITES.get(type(inner))
    return opposite(this=inner.this, expression=inner.expression) if opposite is not None else None


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE 1 = 1 AND v > 1", "SELECT k FROM t WHERE v > 1"),
        Pair("SELECT k FROM t WHERE k = k", "SELECT k FROM t", (NotNull("t", "k"),)),
    ],
    different=[
        Pair("SELECT k FROM t WHERE k = v", "SELECT k FROM t", because="k need not be v"),
    ],
    corners=[
        Pair(
            "SELECT v FROM t WHERE k = k",
            "SELECT v FROM t",
            because="k = k is unknown where k is NULL",
        ),
        Pair(
            "SELECT k FROM t WHERE 1 = 1 OR v > 1",
            "SELECT k FROM t WHERE v > 1",
            because="1 = 1 makes the first true for every row",
        ),
    ],
)
def paper_equal_to_itself_is_true(node: exp.Select, facts: Facts) -> Expr | None:
    """A condition that sets an expression equal to itself is true, and goes.

    Statement
        SELECT _ FROM _ WHERE x = x AND d   ==   SELECT _ FROM _ WHERE d

    Holds when
        It is a conjunct, or the whole WHERE.

    Why
        The other rules leave ``1 = 1`` behind where they take a condition away.

    Limits
        x may be NULL, and then the condition is unknown: with k NULL, ``WHERE k = k`` drops the
        row. In OR the same is done: ``x = x OR d`` becomes d, though it is true wherever x is no
        NULL. The copies of a table that is joined to itself have one name, so that ``a.k = b.k`` is
        ``k = k``.

    Source
        The clean-up in the script of ETM (Ascoli et al.); the paper does not mention it.
    """
    del facts
    changed = False
    connectives = nodes_below(node, exp.And, exp.Or)
    for part in reversed(connectives):
        for side, other in ((part.this, part.expression), (part.expression, part.this)):
            if _is_true(side):
                part.replace(other)
                changed = True
                break
    for where in nodes_below(node, exp.Where):
        if _is_true(where.this) and where.parent is not None:
            where.parent.set("where", None)
            changed = True
    return node if changed else None


def _is_true(condition: Expr) -> bool:
    return isinstance(condition, exp.EQ) and same_node(condition.this, condition.expression)


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("7",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (k INTEGER, w INTEGER)",
    equal=[
        Pair("SELECT v FROM t WHERE k IS NOT NULL", "SELECT v FROM t", (NotNull("t", "k"),)),
        Pair(
            "SELECT v FROM t WHERE v > 1 AND k IS NOT NULL",
            "SELECT v FROM t WHERE v > 1",
            (NotNull("t", "k"),),
        ),
    ],
    different=[
        Pair("SELECT v FROM t WHERE k IS NOT NULL", "SELECT v FROM t", because="k may be NULL"),
    ],
    corners=[
        Pair(
            "SELECT t.k FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NOT NULL",
            "SELECT t.k FROM t LEFT JOIN u ON t.k = u.k",
            (NotNull("u", "k"),),
            because="the left join fills u.k with NULL",
        ),
    ],
)
def paper_not_null_test_is_idle(node: exp.Not, facts: Facts) -> Expr | None:
    """IS NOT NULL is idle for a column that is never NULL.

    Statement
        SELECT _ FROM t WHERE c IS NOT NULL   ==   SELECT _ FROM t

    Holds when
        c is NON_NULL.

    Why
        The condition is true in every row.

    Limits
        An outer join fills c with NULLs, and is not looked at: with one row in t and none in u,
        ``SELECT t.k FROM t LEFT JOIN u ON t.k = u.k WHERE u.k IS NOT NULL`` is empty, and without
        its WHERE has one row.

    Source
        ETM (Ascoli et al.), table 2, rule 7.
    """
    test = node.this
    if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null):
        return None
    where = node.find_ancestor(exp.Where, exp.Select)
    if not isinstance(where, exp.Where) or not is_not_null(test.this, facts):
        return None
    return true_condition()
