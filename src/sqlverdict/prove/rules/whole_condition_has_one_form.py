"""A condition is what its truth table says.

Statement
    x > 1 OR x <= 1 OR x IS NULL     ==   TRUE
    x > 1 AND (x > 1 OR y > 2)       ==   x > 1
    (x > 1 AND y > 1) OR x > 2       ==   x > 1 AND (y > 1 OR x > 2)
    NOT x IN (1, NULL)               ==   FALSE, in a filter
    (x > 1) IS NULL                  ==   x IS NULL

Holds when
    Both conditions have the same truth in every case of what they are about: for each expression
    that is compared with constants the ranges between them, NULL among the cases; for two
    expressions that are compared with each other less, equal, greater and NULL; anything else
    (LIKE, EXISTS, a comparison with a query) is true, false or NULL as a whole. In a filter, false
    and NULL are one; elsewhere the three truth values count. Constants have an order where they
    are numbers beside numbers, or texts beside texts that are compared by their bytes. An integer
    has no value between two neighbours, and a count none below zero.

Why
    The cases cover all that a row can be, so two conditions that agree in each agree in every row.
    A comparison is NULL where a side of it is NULL, and only there; the values of one type have a
    total order, NaN included, which all engines place above the other numbers.

Limits
    At most 512 combinations of cases and 24 constants an expression, and conditions of 10,000 nodes
    all together. Order among texts counts in
    SQLite alone: other engines order them by language. What may fail (a function that is not known,
    a CAST where types are enforced) is left alone, and no query is written twice. An aggregate that
    alone makes the query one row stays.

Source
    House rule. The forms are those of Quine's prime implicants, for variables of several values.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.conditions.one_form import one_form
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.filters import in_filter, is_truth_value
from sqlverdict.prove.reasoning.shape import aggregates_in, groups_without, joins
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER, r REAL, s TEXT)",
    equal=[
        Pair("SELECT k FROM t WHERE v > 1 OR v <= 1 OR v IS NULL", "SELECT k FROM t"),
        Pair(
            "SELECT k FROM t WHERE v > 1 AND (v > 1 OR r > 2)",
            "SELECT k FROM t WHERE v > 1",
        ),
        Pair(
            "SELECT k FROM t WHERE (v > 1 AND r > 1) OR v > 2",
            "SELECT k FROM t WHERE v > 1 AND (r > 1 OR v > 2)",
        ),
        Pair(
            "SELECT k FROM t WHERE (k = 1 AND v = 2) OR (k = 1 AND s = 'a')",
            "SELECT k FROM t WHERE k = 1 AND (v = 2 OR s = 'a')",
        ),
        Pair("SELECT k FROM t WHERE r >= 0.5 AND r <= 0.5", "SELECT k FROM t WHERE r = 0.5"),
        Pair(
            "SELECT k FROM t WHERE v BETWEEN 2 AND 1", "SELECT k FROM t WHERE k IS NULL AND k = 1"
        ),
        Pair("SELECT k FROM t WHERE v < 1 OR v > 1", "SELECT k FROM t WHERE NOT v = 1"),
        Pair("SELECT v > 1 OR r > 2 OR v > 3 FROM t", "SELECT r > 2 OR v > 1 FROM t"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v > 1 OR v <= 1",
            "SELECT k FROM t",
            because="a NULL is on neither side",
        ),
        Pair(
            "SELECT k FROM t WHERE r > 1 AND r < 2",
            "SELECT k FROM t WHERE r > 1 AND r < 2 AND r IS NULL",
            because="there are reals between two integers",
        ),
        Pair(
            "SELECT NOT NOT v FROM t",
            "SELECT v FROM t",
            because="outside of a filter, a number is not 1 or 0",
        ),
        Pair(
            "SELECT v > 1 AND v IS NOT NULL FROM t",
            "SELECT v > 1 FROM t",
            because="outside of a filter, NULL is not false",
        ),
        Pair(
            "SELECT k FROM t WHERE (v > 1 AND r > 1) OR v > 2",
            "SELECT k FROM t WHERE v > 2 AND (r > 1 OR v > 1)",
            because="2 and a large r pass the first one",
        ),
    ],
)
def whole_condition_has_one_form(
    node: exp.Select | exp.And | exp.Or | exp.Not | exp.Predicate, facts: Facts
) -> Expr | None:
    """Write the condition that its table stands for."""
    if isinstance(node, exp.Select):
        for holder, name in _holders(node):
            form = _form(holder.args[name], facts)
            if form is not None:
                holder.set(name, form)
                return node
        return None
    around = node.parent
    if isinstance(around, exp.Connector | exp.Not) or not is_truth_value(node):
        return None
    if isinstance(around, exp.Is) and node.arg_key == "this":
        return None
    if isinstance(around, exp.Where | exp.Having | exp.Join) and around.arg_key != "expression":
        # The whole query is looked at, when other rules have done what they can.
        return None
    return _form(node, facts)


def _holders(select: exp.Select) -> Iterator[tuple[Expr, str]]:
    """Where the filters of a query stand."""
    for clause in ("where", "having"):
        if select.args.get(clause) is not None:
            yield select.args[clause], "this"
    for join in joins(select):
        if join.args.get("on") is not None:
            yield join, "on"


def _form(condition: Expr, facts: Facts) -> Expr | None:
    filters = in_filter(condition)
    form = one_form(condition, facts, only_truth=filters)
    if form is None or not (filters or is_truth_value(form)):
        # NOT NOT x is 1 or 0, which x itself need not be.
        return None
    if next(aggregates_in([condition]), None) is not None and not groups_without(condition):
        return None
    return form
