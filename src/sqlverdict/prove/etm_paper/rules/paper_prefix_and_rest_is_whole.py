"""A comparison of a text's rest, its prefix being known, is a comparison of the text.

Statement
    SUBSTR(c, 1, a) = x AND SUBSTR(c, a + 1, n) >= y   ==   c >= xy   (also >, <, <=)

Holds when
    The second part starts where the first ends.

Why
    Texts are compared letter by letter, so that of two with the same prefix the rest decides.

Limits
    The left side bounds the prefix and the right side does not: 'c' is not below 'ab', and its
    first letter is not 'a'. What stands behind the second part counts on the right alone: with
    SUBSTR(c, 2, 1) > 'b' against c > 'ab', the text 'abc' satisfies the second only.

Source
    ETM (Ascoli et al.), table 2, rule 15.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.etm_paper.shapes import same
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import all_of, parts
from sqlverdict.prove.rule import Pair, rule

_ORDERED = (exp.GT, exp.GTE, exp.LT, exp.LTE)


@rule(
    trust="heuristic",
    profiles=("etm_paper",),
    paper=("15",),
    schema="CREATE TABLE t (k INTEGER, v TEXT)",
    equal=[
        Pair(
            "SELECT k FROM t WHERE SUBSTR(v, 1, 1) = 'a' AND SUBSTR(v, 2, 9) >= 'b' AND v < 'b'",
            "SELECT k FROM t WHERE v >= 'ab' AND v < 'b'",
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE SUBSTR(v, 1, 2) = 'ab' AND SUBSTR(v, 4, 1) >= 'c'",
            "SELECT k FROM t WHERE v >= 'abc'",
            because="the third letter is not looked at",
        ),
    ],
    corners=[
        Pair(
            "SELECT k FROM t WHERE SUBSTR(v, 1, 1) = 'a' AND SUBSTR(v, 2, 1) > 'b'",
            "SELECT k FROM t WHERE v > 'ab'",
            because="the second lets other first letters pass",
        ),
        Pair(
            "SELECT k FROM t WHERE v < 'abd' AND SUBSTR(v, 1, 1) = 'a' AND SUBSTR(v, 2, 1) > 'b'",
            "SELECT k FROM t WHERE v < 'abd' AND v > 'ab'",
            because="the second looks at what follows the second letter",
        ),
    ],
)
def paper_prefix_and_rest_is_whole(node: exp.And, facts: Facts) -> Expr | None:
    """Compare the whole text."""
    del facts
    if isinstance(node.parent, exp.And):
        return None
    conditions = parts(node)
    for equality in conditions:
        prefix = _cut(equality) if isinstance(equality, exp.EQ) else None
        if prefix is None or prefix[1] != 1 or prefix[2] is None:
            continue
        for other in conditions:
            rest = _cut(other) if isinstance(other, _ORDERED) else None
            if rest is None or rest[1] != prefix[1] + prefix[2] or not same(rest[0], prefix[0]):
                continue
            whole = exp.Literal.string(_plain(prefix[3]) + _plain(rest[3]))
            comparison = type(other)(this=rest[0].copy(), expression=whole)
            others = [part for part in conditions if part is not equality and part is not other]
            return all_of([*others, comparison])
    return None


def _cut(condition: Expr) -> tuple[Expr, float, float | None, Expr] | None:
    """For ``SUBSTR(c, start, length) <> literal``: c, start, length and the literal."""
    left, right = condition.this, condition.expression
    if isinstance(right, exp.Substring):
        left, right = right, left
    if not isinstance(left, exp.Substring) or not isinstance(right, exp.Literal):
        return None
    start, length = _number(left.args.get("start")), _number(left.args.get("length"))
    return (left.this, start, length, right) if start is not None else None


def _number(node: Expr | None) -> float | None:
    try:
        return float(node.name) if isinstance(node, exp.Literal) else None
    except ValueError:
        return None


def _plain(literal: Expr) -> str:
    return literal.name.removesuffix(".0")
