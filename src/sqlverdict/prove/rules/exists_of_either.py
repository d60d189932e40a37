"""Whether there is a row of one kind, or one of another kind, is one question.

Statement
    EXISTS (SELECT 1 FROM b WHERE p) OR EXISTS (SELECT 1 FROM b WHERE q)
    ==   EXISTS (SELECT 1 FROM b WHERE p OR q)

Holds when
    Both queries read the same tables, each once and joined by inner joins, and have no other clause
    than FROM and WHERE. Their conditions have no query.

Why
    A row that passes one of the two conditions passes their OR, and the other way round. EXISTS is
    never NULL.

Limits
    Beside AND the two may be two rows: left alone.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.set_sides import other_conditions
from sqlverdict.prove.reasoning.shape import (
    all_of,
    any_of,
    conditions,
    has_subquery,
    parts,
    set_conditions,
    whole_number,
)
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    needs=(exp.Exists,),
    schema="CREATE TABLE t (k INTEGER, v INTEGER); CREATE TABLE u (f INTEGER, w INTEGER)",
    equal=[
        Pair(
            "SELECT v FROM t WHERE k IN (SELECT f FROM u WHERE w = 1)"
            " OR k IN (SELECT f FROM u WHERE w = 2)",
            "SELECT v FROM t WHERE k IN (SELECT f FROM u WHERE w = 1 OR w = 2)",
        ),
        Pair(
            "SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE f = k AND w = 1)"
            " OR v = 3 OR EXISTS (SELECT 1 FROM u WHERE f = v)",
            "SELECT v FROM t WHERE v = 3 OR EXISTS"
            " (SELECT 1 FROM u WHERE (f = k AND w = 1) OR f = v)",
        ),
    ],
    different=[
        Pair(
            "SELECT v FROM t WHERE k IN (SELECT f FROM u WHERE w = 1)"
            " AND k IN (SELECT f FROM u WHERE w = 2)",
            "SELECT v FROM t WHERE k IN (SELECT f FROM u WHERE w = 1 AND w = 2)",
            because="one row passes one of the conditions, another row the other one",
        ),
    ],
)
def exists_of_either(node: exp.Or, facts: Facts) -> Expr | None:
    """Ask once."""
    if isinstance(node.parent, exp.Or):
        return None
    tests = parts(node, exp.Or)
    for at, test in enumerate(tests):
        if not _is_plain(test):
            continue
        for other in tests[at + 1 :]:
            if not _is_plain(other):
                continue
            theirs = other_conditions(test.this, other.this, facts)
            own = conditions(test.this)
            if not theirs or not own:
                continue
            set_conditions(test.this, [exp.Or(this=all_of(own), expression=all_of(theirs))])
            return any_of([part for part in tests if part is not other])
    return None


def _is_plain(test: Expr) -> bool:
    inner = test.this if isinstance(test, exp.Exists) else None
    if not isinstance(inner, exp.Select) or any(map(has_subquery, conditions(inner))):
        return False
    return len(inner.expressions) == 1 and whole_number(inner.expressions[0]) == 1
