"""Operands that commute, repeat or stand in parentheses."""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull, Unique
from sqlverdict.prove.etm_paper.shapes import nodes_below, same_node, sort_key
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import Pair, rule


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P7",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE (v > 1)", "SELECT k FROM t WHERE v > 1"),
        Pair("SELECT (k) FROM t WHERE ((v + 1)) > 1", "SELECT k FROM t WHERE v + 1 > 1"),
    ],
    different=[
        Pair("SELECT (k + 1) * 2 FROM t", "SELECT k + 1 * 2 FROM t", because="the sum comes first"),
        Pair(
            "SELECT k FROM t WHERE k = 1 AND (v = 1 OR v = 2)",
            "SELECT k FROM t WHERE k = 1 AND v = 1 OR v = 2",
            because="AND binds tighter",
        ),
    ],
)
def paper_parentheses_do_not_count(node: exp.Select, facts: Facts) -> Expr | None:
    """Parentheses around an expression say nothing that the tree does not.

    Statement
        SELECT _ FROM _ WHERE (d)   ==   SELECT _ FROM _ WHERE d

    Holds when
        Always: the tree has the order of operations, and only repetitions of it go.

    Why
        Parentheses tell the parser how to build the tree; the tree is built.

    Limits
        None known. The trees of this profile are not resolved, so that the rule is no more than its
        profile.

    Source
        ETM (Ascoli et al.), table 1, P7.
    """
    del facts
    parentheses = nodes_below(node, exp.Paren)
    for part in reversed(parentheses):
        part.replace(part.this)
    return node if parentheses else None


_SYMMETRIC = (exp.EQ, exp.And, exp.Or)


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("P5",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE 1 = v", "SELECT k FROM t WHERE v = 1"),
        Pair("SELECT k FROM t WHERE k > 1 AND v = k", "SELECT k FROM t WHERE k = v AND k > 1"),
        Pair(
            "SELECT k FROM t WHERE v = 1 OR v = 2 OR k = 3",
            "SELECT k FROM t WHERE k = 3 OR v = 2 OR v = 1",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v = 1 AND k = 2",
            "SELECT k FROM t WHERE v = 1 OR k = 2",
            because="the operators differ",
        ),
        Pair(
            "SELECT k FROM t WHERE v > k", "SELECT k FROM t WHERE k > v", because="> has an order"
        ),
    ],
    corners=[
        Pair(
            "SELECT k FROM t WHERE k = v = 1",
            "SELECT k FROM t WHERE 1 = v = k",
            because="a chain of = is read from the left: 2 = 2 is 1",
        ),
    ],
)
def paper_operands_commute(node: exp.Select, facts: Facts) -> Expr | None:
    """The operands of =, AND and OR may be swapped.

    Statement
        x = y, x AND y, x OR y   ==   y = x, y AND x, y OR x

    Holds when
        Always.

    Why
        The three operators are symmetric; AND and OR are associative as well.

    Limits
        ``a = b = c`` is taken for a chain that may be ordered at will, as AND is. With a = 2, b = 2
        and c = 1 the text ``a = b = c`` is true (2 = 2 is 1, and 1 = 1) and ``c = b = a`` is not.

    Source
        ETM (Ascoli et al.), table 1, P5.
    """
    del facts
    changed = False
    operators = nodes_below(node, *_SYMMETRIC)
    for part in reversed(operators):
        if type(part.parent) is type(part):
            continue
        operands = _operands(part, type(part))
        ordered = sorted(operands, key=sort_key)
        if _is_left_deep(part, operands) and all(map(_is, operands, ordered)):
            continue
        chain = ordered[0]
        for operand in ordered[1:]:
            chain = type(part)(this=chain, expression=operand)
        part.replace(chain)
        changed = True
    return node if changed else None


def _operands(node: Expr, kind: type) -> list[Expr]:
    """The operands of a chain of one operator, left to right."""
    if type(node) is not kind:
        return [node]
    return _operands(node.this, kind) + _operands(node.expression, kind)


def _is_left_deep(node: Expr, operands: list[Expr]) -> bool:
    for operand in reversed(operands[1:]):
        if node.expression is not operand:
            return False
        node = node.this
    return True


def _is(left: Expr, right: Expr) -> bool:
    return left is right


KEY = (Unique("t", ("k",)), NotNull("t", "k"))


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("21",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t UNION SELECT k FROM t", "SELECT k FROM t", KEY),
        Pair("SELECT k, v FROM t INTERSECT SELECT k, v FROM t", "SELECT k, v FROM t", KEY),
    ],
    different=[
        Pair(
            "SELECT k FROM t UNION SELECT v FROM t",
            "SELECT k FROM t",
            KEY,
            because="v may have other values",
        ),
    ],
    corners=[
        Pair(
            "SELECT v FROM t UNION SELECT v FROM t",
            "SELECT v FROM t",
            because="UNION removes repetitions of v",
        ),
        Pair(
            "SELECT k FROM t UNION ALL SELECT k FROM t",
            "SELECT k FROM t",
            KEY,
            because="UNION ALL gives every row twice",
        ),
    ],
)
def paper_same_operands_are_one(node: exp.Union | exp.Intersect, facts: Facts) -> Expr | None:
    """A query united or intersected with itself is the query.

    Statement
        q UNION q   ==   q
        q INTERSECT q   ==   q

    Holds when
        Both sides are the same after all other rules.

    Why
        The two sides have the same rows.

    Limits
        UNION and INTERSECT remove duplicates, q does not: where q gives a value twice, the left
        side gives it once. UNION ALL is read alike, and gives every row twice.

    Source
        ETM (Ascoli et al.), table 3, rule 21.
    """
    del facts
    left: Expr = node.this
    return left if same_node(left, node.expression) else None
