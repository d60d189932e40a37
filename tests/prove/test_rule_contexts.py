"""Rules that hold with the types and queries their author had in mind, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.profile import rules_of
from sqlverdict.prove.proof import Proof
from sqlverdict.prove.prover import prove
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.open_choices import FIRST_ROW, TIED_ROWS
from sqlverdict.prove.reasoning.shape import whole_number
from sqlverdict.prove.rule import RULES, Pair, Rule
from sqlverdict.testing.rule_suite.contexts import (
    HostileQuery,
    attack_rule,
    declared_types,
    difference,
    hostile_queries,
    rewriting,
)
from sqlverdict.testing.rule_suite.rows import arranged_rows
from sqlverdict.testing.rules import RULE_CHECKS

SCHEMA = "CREATE TABLE t (k INTEGER, v INTEGER)"
DIFFERENT = (Pair("SELECT k FROM t", "SELECT v FROM t", because="they are two columns"),)


def make_rule(
    rewrite: Callable[[Any, Facts], Expr | None],
    kind: type[Expr],
    left: str,
    right: str,
    *pairs: Any,
) -> Rule:
    equal = (Pair(left, right, tuple(pairs)),)
    return Rule("made", rewrite, (kind,), "tested", ("sound",), SCHEMA, equal, DIFFERENT, "Made.")


def coalesce_of_never_null(node: exp.Coalesce, facts: Facts) -> Expr | None:
    return node.this if facts.never_null(node.this) else None


def plus_nothing_is_idle(node: exp.Add, facts: Facts) -> Expr | None:
    return node.this if whole_number(node.expression) == 0 else None


def cast_to_integer_is_idle(node: exp.Cast, facts: Facts) -> Expr | None:
    return node.this if facts.affinity(node) == "INTEGER" else None


def minus_minus_is_plus(node: exp.Neg, facts: Facts) -> Expr | None:
    return node.this.this if isinstance(node.this, exp.Neg) else None


def between_neighbours_is_in(node: exp.Between, facts: Facts) -> Expr | None:
    low, high = node.args["low"], node.args["high"]
    if whole_number(low) is None or whole_number(high) != int(low.this) + 1:
        return None
    return exp.In(this=node.this, expressions=[low, high])


def not_empty_is_not_null(node: exp.NEQ, facts: Facts) -> Expr | None:
    if not isinstance(node.expression, exp.Literal) or node.expression.this != "":
        return None
    return exp.Not(this=exp.Is(this=node.this, expression=exp.Null()))


def abs_of_zero(node: exp.EQ, facts: Facts) -> Expr | None:
    if not isinstance(node.this, exp.Abs) or whole_number(node.expression) != 0:
        return None
    return exp.EQ(this=node.this.this, expression=node.expression)


def halves_of_doubles(node: exp.Div, facts: Facts) -> Expr | None:
    if not isinstance(node.this, exp.Mul) or not isinstance(node.expression, exp.Literal):
        return None
    return node.this.this if node.expression == node.this.expression else None


def real_of_an_integer(node: exp.Cast, facts: Facts) -> Expr | None:
    inner = node.this
    if facts.affinity(node) != "INTEGER" or not isinstance(inner, exp.Cast):
        return None
    return (
        exp.Cast(this=inner.this, to=node.args["to"]) if facts.affinity(inner) == "REAL" else None
    )


def inner_order_is_idle(node: exp.Select, facts: Facts) -> Expr | None:
    if node.args.get("order") is None or not isinstance(node.parent, exp.Subquery):
        return None
    if node.args.get("limit") is not None:
        return None
    node.set("order", None)
    return node


def case_of_itself(node: exp.Case, facts: Facts) -> Expr | None:
    branch, default = node.args["ifs"][0], node.args.get("default")
    test = branch.this
    if not isinstance(test, exp.EQ) or test.expression != branch.args["true"]:
        return None
    return default if test.this == default else None


def largest_of_a_column_is_first(node: exp.Max, facts: Facts) -> Expr | None:
    """MAX(v) of one row, also where FILTER leaves none."""
    select = node.find_ancestor(exp.Select)
    if select is None or select.args.get("group") is None:
        return None
    terms = select.args["group"].expressions
    return node.this if any(term == node.this for term in terms) else None


WRONG = [
    make_rule(
        coalesce_of_never_null,
        exp.Coalesce,
        "SELECT k FROM t WHERE COALESCE(v, 0) = k",
        "SELECT k FROM t WHERE v = k",
        NotNull("t", "v"),
    ),
    make_rule(plus_nothing_is_idle, exp.Add, "SELECT v + 0 FROM t", "SELECT v FROM t"),
    make_rule(
        cast_to_integer_is_idle, exp.Cast, "SELECT CAST(v AS INTEGER) FROM t", "SELECT v FROM t"
    ),
    make_rule(minus_minus_is_plus, exp.Neg, "SELECT - (- v) FROM t", "SELECT v FROM t"),
    make_rule(
        between_neighbours_is_in,
        exp.Between,
        "SELECT k FROM t WHERE v BETWEEN 1 AND 2",
        "SELECT k FROM t WHERE v IN (1, 2)",
    ),
    make_rule(
        not_empty_is_not_null,
        exp.NEQ,
        "SELECT k FROM t WHERE v <> ''",
        "SELECT k FROM t WHERE v IS NOT NULL",
    ),
    make_rule(
        abs_of_zero, exp.EQ, "SELECT k FROM t WHERE ABS(v) = 0", "SELECT k FROM t WHERE v = 0"
    ),
    make_rule(halves_of_doubles, exp.Div, "SELECT v * 2 / 2 FROM t", "SELECT v FROM t"),
    make_rule(
        real_of_an_integer,
        exp.Cast,
        "SELECT CAST(CAST(v AS REAL) AS INTEGER) FROM t",
        "SELECT CAST(v AS INTEGER) FROM t",
    ),
    make_rule(
        inner_order_is_idle,
        exp.Select,
        "SELECT COUNT(*) FROM (SELECT v FROM t ORDER BY v DESC) AS d",
        "SELECT COUNT(*) FROM (SELECT v FROM t) AS d",
    ),
    make_rule(
        case_of_itself,
        exp.Case,
        "SELECT CASE WHEN v = 1 THEN 1 ELSE v END FROM t",
        "SELECT v FROM t",
    ),
    make_rule(
        largest_of_a_column_is_first,
        exp.Max,
        "SELECT MAX(v) FROM t GROUP BY v",
        "SELECT v FROM t GROUP BY v",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("rule", WRONG, ids=lambda rule: rule.rewrite.__name__)
def test_a_rule_that_holds_by_luck_is_rejected(rule: Rule) -> None:
    with pytest.raises(AssertionError, match="changes an answer"):
        RULE_CHECKS["hostile_contexts"](rule)


def test_the_message_holds_all_that_it_takes_to_see_the_difference() -> None:
    result = attack_rule(WRONG[0]).difference
    assert result is not None
    message = str(result)
    assert "CREATE TABLE" in message
    assert "COALESCE" in message
    assert "before" in message


def test_a_choice_that_the_query_leaves_open_is_told_from_a_wrong_rewriting() -> None:
    """SQLite takes the first row of a subquery: which one that is depends on its plan."""
    schema = read_ddl(SCHEMA, "made")
    sql = "SELECT (SELECT k FROM t) - (SELECT v FROM t) AS x"
    query = HostileQuery(sql, schema, declared_types(schema))
    form = rewriting(query, rules_of("sound"))
    assert form is not None
    assert form.open_choices == (FIRST_ROW,)
    rows = [f"INSERT INTO t VALUES ({row})" for row in ("1, 1", "1, 5", "5, 1", "1, 1")]
    data = arranged_rows([SCHEMA], rows)
    answers = {}
    for text in ("SELECT (SELECT MAX(k) FROM t) - (SELECT MIN(v) FROM t) AS x", "SELECT no_column"):
        for choices in ((FIRST_ROW,), (TIED_ROWS,)):
            other = difference(query, replace(form, text=text, open_choices=choices), data)
            assert other is not None
            answers[text, choices] = other.is_left_open
    assert list(answers.values()) == [True, False, False, False]


@pytest.mark.slow
def test_an_attack_is_repeatable() -> None:
    rule = RULES.get("between_is_two_bounds")
    first = [query.sql for query, _ in zip(hostile_queries(rule), range(50), strict=False)]
    again = [query.sql for query, _ in zip(hostile_queries(rule), range(50), strict=False)]
    assert first == again
    assert attack_rule(rule, budget=5) == attack_rule(rule, budget=5)


@pytest.mark.slow
def test_a_sound_rule_is_really_tried() -> None:
    result = attack_rule(RULES.get("in_list_is_equalities"), budget=20, databases=2)
    assert result.difference is None
    assert result.rewritten == 20
    assert result.runs == 40


@pytest.mark.parametrize("kind", ["BLOB", "NUMERIC", ""])
def test_the_letters_of_a_blob_may_have_a_nul_character_where_like_ends(kind: str) -> None:
    table = f"CREATE TABLE t (k INTEGER, b {kind})"
    pair = ("SELECT k FROM t WHERE LOWER(b) LIKE 'ab'", "SELECT k FROM t WHERE LOWER(b) = 'ab'")
    data = arranged_rows([table], ["INSERT INTO t VALUES (1, x'61620063')"])
    assert data.compare(*pair) is not None
    assert not isinstance(prove(*pair, read_ddl(table, "t")), Proof)
    assert isinstance(prove(*pair, read_ddl("CREATE TABLE t (k INTEGER, b TEXT)", "t")), Proof)
