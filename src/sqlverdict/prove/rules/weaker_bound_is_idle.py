"""Of two bounds in the same direction only the tighter one counts.

Statement
    x > 5 AND x > 3   ==   x > 5
    x = 4 AND x > 3   ==   x = 4

Holds when
    Both bounds are whole literals, and x is the same expression without a subquery. Where types are
    enforced, x is an integer, or the bounds are at most 2^53 beside a double and 2^24 beside
    another number.

Why
    What passes the tighter bound passes the weaker one; NULL passes neither. Beside a float an
    engine takes a literal for the nearest float: 9007199254740993 for 9007199254740992.

Limits
    Reals and texts are left alone.

Source
    House rule; ETM (Ascoli et al.) lacks it: redundant and subsumed conditions.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import MIRRORED, all_of, has_subquery, parts, whole_number
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule
from sqlverdict.prove.tree_key import expression_key

_Bound = tuple[str, type[Expr], int]
_NUMBERS = ("integer", "real", "number")
_EXACT = {"real": 2**53, "number": 2**24}
"""Up to which whole number each one is a double, and a float of four bytes."""


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE v > 5 AND v > 3", "SELECT k FROM t WHERE v > 5"),
        Pair("SELECT k FROM t WHERE v = 4 AND v < 9", "SELECT k FROM t WHERE v = 4"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v > 5 AND v > 3",
            "SELECT k FROM t WHERE v > 3",
            because="the tighter bound counts",
        ),
    ],
)
def weaker_bound_is_idle(node: exp.And, facts: Facts) -> Expr | None:
    """Drop the weaker one."""
    if isinstance(node.parent, exp.And):
        return None
    conjuncts = parts(node)
    bounds = [_bound(part, facts) for part in conjuncts]
    if len(bounds) - bounds.count(None) < 2:
        return None
    strongest: list[int] = []
    for index, bound in enumerate(bounds):
        if bound is not None:
            if any(_implies(bounds[other], bound) for other in strongest):
                continue
            strongest = [other for other in strongest if not _implies(bound, bounds[other])]
        strongest.append(index)
    return (
        all_of([conjuncts[index] for index in strongest])
        if len(strongest) < len(conjuncts)
        else None
    )


def _bound(condition: Expr, facts: Facts) -> _Bound | None:
    """What is bounded, by which operator, and the bound."""
    if not isinstance(condition, exp.EQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        return None
    left, right = condition.this, condition.expression
    kind: type[Expr] = type(condition)
    if whole_number(left) is not None:
        left, right, kind = right, left, MIRRORED[kind]
    value = whole_number(right)
    values = facts.kind(left)
    if value is None or has_subquery(left) or values not in _NUMBERS:
        return None
    if facts.record.typed and values != "integer" and abs(value) > _EXACT[values]:
        return None
    return expression_key(left), kind, value


def _implies(strong: _Bound | None, weak: _Bound | None) -> bool:
    if strong is None or weak is None or strong[0] != weak[0]:
        return False
    (_, have, a), (_, want, b) = strong, weak
    if have is exp.EQ:
        truths: dict[type[Expr], bool] = {
            exp.EQ: a == b,
            exp.GT: a > b,
            exp.GTE: a >= b,
            exp.LT: a < b,
            exp.LTE: a <= b,
        }
        return truths[want]
    if have in (exp.GT, exp.GTE) and want in (exp.GT, exp.GTE):
        return a > b or (a == b and (have is exp.GT or want is exp.GTE))
    if have in (exp.LT, exp.LTE) and want in (exp.LT, exp.LTE):
        return a < b or (a == b and (have is exp.LT or want is exp.LTE))
    return False
