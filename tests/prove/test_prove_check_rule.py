"""The conformance suite for rules can fail: each check catches the rule that breaks its promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import RULES, Pair, Rule
from sqlverdict.testing import check_rule
from sqlverdict.testing.rule_suite.pairs import witness
from sqlverdict.testing.rules import RULE_CHECKS

DOCUMENT = """A rule for a test.

Statement
    a   ==   b

Holds when
    Never.

Why
    For the test.

Limits
    None.

Source
    None.
"""
SCHEMA = "CREATE TABLE t (k INTEGER, v INTEGER)"


def make_rule(
    rewrite: Callable[[Any, Facts], Expr | None],
    *,
    matches: tuple[type, ...] = (exp.Select,),
    equal: tuple[Pair, ...] = (Pair("SELECT k FROM t", "SELECT k FROM t"),),
    different: tuple[Pair, ...] = (Pair("SELECT k FROM t", "SELECT v FROM t", because="x"),),
) -> Rule:
    return Rule("made", rewrite, matches, "tested", ("sound",), SCHEMA, equal, different, DOCUMENT)


def idle(node: Expr, facts: Facts) -> Expr | None:
    return None


def fails(rule: Rule, check: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        RULE_CHECKS[check](rule)


@pytest.mark.slow
def test_a_good_rule_passes() -> None:
    check_rule("distinct_over_key")
    check_rule(RULES.get("between_is_two_bounds"))


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (DOCUMENT.replace("A rule for a test.", "A rule for a test"), "end it with a stop"),
        (DOCUMENT.replace("Limits\n    None.\n\n", ""), "in order"),
        (DOCUMENT.replace("    For the test.\n", ""), "nothing under 'Why'"),
    ],
)
def test_an_incomplete_document(document: str, message: str) -> None:
    fails(replace(make_rule(idle), document=document), "document", message)


def test_pairs_are_wanted_with_reasons() -> None:
    fails(replace(make_rule(idle), equal=()), "document", "no pair that it joins")
    fails(replace(make_rule(idle), different=()), "document", "keep apart")
    silent = (Pair("SELECT k FROM t", "SELECT v FROM t"),)
    fails(replace(make_rule(idle), different=silent), "document", "because")
    fails(replace(make_rule(idle), trust="heuristic"), "document", "heuristic and yet")


def test_an_equal_pair_that_is_not_joined() -> None:
    pair = Pair("SELECT k FROM t", "SELECT v FROM t")
    fails(make_rule(idle, equal=(pair,)), "joins_equal", "does not join")


def test_a_rule_that_does_not_fire() -> None:
    fails(make_rule(idle), "joins_equal", "does not fire")


def test_a_different_pair_that_is_joined() -> None:
    pair = Pair("SELECT k FROM t", "SELECT k FROM t WHERE 1 = 1", because="it is said so")
    fails(make_rule(idle, different=(pair,)), "keeps_different_apart", "proved equal, though")
    fails(make_rule(idle, different=(pair,)), "search_refutes_different", "no database shows it")


def test_a_fact_without_weight() -> None:
    pair = Pair("SELECT k FROM t", "SELECT k FROM t WHERE 1", (NotNull("t", "k"),))
    fails(make_rule(idle, equal=(pair,)), "facts_carry_weight", "t.k is never NULL")


def test_an_unsound_rewriting() -> None:
    def drop_where(node: exp.Select, facts: Facts) -> Expr | None:
        if node.args.get("where") is None:
            return None
        node.set("where", None)
        return node

    pair = Pair("SELECT k FROM t WHERE v > 1", "SELECT k FROM t")
    fails(make_rule(drop_where, equal=(pair,)), "never_changes_answers", "changes an answer")


def test_a_rewriting_that_ignores_one_of_its_facts() -> None:
    def drop_distinct(node: exp.Select, facts: Facts) -> Expr | None:
        # UNIQUE alone: many rows may be NULL.
        if node.args.get("distinct") is None or not facts.uniques(node.args["from_"].this.alias):
            return None
        node.set("distinct", None)
        return node

    key = (Unique("t", ("k",)), NotNull("t", "k"))
    pair = Pair("SELECT DISTINCT k FROM t", "SELECT k FROM t", key)
    fails(make_rule(drop_distinct, equal=(pair,)), "never_changes_answers", "given .*unique")


def test_a_text_that_does_not_run() -> None:
    def break_it(node: exp.Column, facts: Facts) -> Expr | None:
        if node.name == "nowhere":
            return None
        node.set("this", exp.to_identifier("nowhere"))
        return node

    fails(make_rule(break_it, matches=(exp.Column,)), "never_changes_answers", "cannot be tried")


def test_a_corner_of_a_rule_that_is_not_heuristic() -> None:
    corner = Pair("SELECT k FROM t", "SELECT v FROM t", because="two columns")
    fails(replace(make_rule(idle), corners=(corner,)), "corners", "tested and yet has corners")


def test_a_corner_is_joined_and_refuted_with_a_reason() -> None:
    rule = RULES.get("paper_equal_to_itself_is_true")
    corner = rule.corners[0]
    for broken, message in (
        (replace(corner, because=""), "does not say why"),
        (replace(corner, right="SELECT k FROM t"), "does not join"),
        (replace(corner, left=corner.right), "does not fire"),
        (replace(corner, facts=(NotNull("t", "k"),)), "no database shows it"),
    ):
        fails(replace(rule, corners=(broken,)), "corners", message)


def test_a_rewriting_that_mistakes_the_clock() -> None:
    def year_of_now(node: exp.TimeToStr, facts: Facts) -> Expr | None:
        if node.args["format"].this != "%d":
            return None
        node.set("format", exp.Literal.string("%Y"))
        return node

    pair = Pair("SELECT k, STRFTIME('%d', 'now') FROM t", "SELECT k FROM t")
    rule = make_rule(year_of_now, matches=(exp.TimeToStr,), equal=(pair,))
    fails(rule, "never_changes_answers", "changes an answer")


@pytest.mark.parametrize(
    ("left", "right", "refuted", "message"),
    [
        ("SELECT CURRENT_DATE, k FROM t", "SELECT DATE('now'), k FROM t", False, ""),
        ("SELECT CURRENT_DATE, k FROM t", "SELECT DATE('now'), v FROM t", True, ""),
        ("SELECT CURRENT_DATE", "SELECT DATE('now') || ABS(MIN(v)) FROM t", True, ""),
        ("SELECT RANDOM() FROM t", "SELECT RANDOM() FROM t", False, "from one moment to the next"),
        ("SELECT 1 FROM t", "SELECT RANDOM() FROM t", False, "from one moment to the next"),
    ],
)
def test_the_clock_is_asked_at_one_moment(
    left: str, right: str, refuted: bool, message: str
) -> None:
    outcome = witness(make_rule(idle), left, right, (), 20)
    assert outcome.refuted is refuted
    assert message in getattr(outcome, "message", "")


def test_a_form_that_is_not_stable() -> None:
    def deeper(node: exp.Literal, facts: Facts) -> Expr | None:
        if "seen" in node.meta or len(str(node.this)) > 4:
            return None
        grown = exp.Literal.number(f"{node.this}1")
        grown.meta["seen"] = True
        return grown

    pair = Pair("SELECT k + 1 FROM t", "SELECT k + 1 FROM t")
    fails(make_rule(deeper, matches=(exp.Literal,), equal=(pair,)), "is_stable", "not stable")


def test_rules_whose_order_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    # Among so many shuffles the two rules stand in either order, whatever other rules there are.
    monkeypatch.setattr("sqlverdict.testing.rules.SHUFFLES", 30)

    def other_way(node: exp.Between, facts: Facts) -> Expr | None:
        # As between_is_two_bounds, but the bounds come out in a shape of their own.
        low, high = node.args["low"], node.args["high"]
        tested = exp.Max(this=low, expressions=[node.this])
        return exp.And(
            this=exp.EQ(this=tested, expression=node.this.copy()),
            expression=exp.LTE(this=node.this.copy(), expression=high),
        )

    pair = Pair("SELECT k FROM t WHERE k BETWEEN v AND 3", "SELECT k FROM t")
    rule = make_rule(other_way, matches=(exp.Between,), equal=(pair,))
    fails(rule, "order_does_not_matter", "the order of rules matters")


def test_a_rule_that_changes_what_it_leaves_alone() -> None:
    def meddle(node: exp.Select, facts: Facts) -> Expr | None:
        node.set("limit", exp.Limit(expression=exp.Literal.number(1)))
        return None

    fails(make_rule(meddle), "minds_its_node", "though it answers None")


def test_a_rule_that_reaches_beside_its_node() -> None:
    def reach(node: exp.Column, facts: Facts) -> Expr | None:
        select = node.parent
        if isinstance(select, exp.Select):
            select.set("distinct", exp.Distinct())
        return node

    fails(make_rule(reach, matches=(exp.Column,)), "minds_its_node", "beside its node")


@pytest.mark.slow
def test_a_rule_without_end() -> None:
    def grow(node: exp.Column, facts: Facts) -> Expr | None:
        return exp.Add(this=node.copy(), expression=exp.Literal.number(0))

    fails(make_rule(grow, matches=(exp.Column,)), "ends_on_deep_trees", "no end")
