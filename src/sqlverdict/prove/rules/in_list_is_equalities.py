"""IN a list is a disjunction of equalities.

Statement
    x IN (a, b, ...)   ==   x = a OR x = b OR ...

Holds when
    The members are literals, and x contains no subquery.

Why
    The SQL standard and SQLite define it so, NULL included. A literal has no affinity, so each
    member is compared as ``=`` compares it.

Limits
    Members that are columns have affinities that IN ignores; they are left alone. Lists of more
    than 40 members keep their form.

Source
    ETM (Ascoli et al.), rule 18.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.copies import counted_copy
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import any_of, has_subquery, is_constant
from sqlverdict.prove.rule import EVERYWHERE, Pair, rule

_MOST = 40


@rule(
    trust="proved",
    dialects=EVERYWHERE,
    paper=("18",),
    schema="CREATE TABLE t (k INTEGER, v INTEGER)",
    equal=[
        Pair("SELECT k FROM t WHERE v IN (3)", "SELECT k FROM t WHERE v = 3"),
        Pair("SELECT k FROM t WHERE v IN (1, 2)", "SELECT k FROM t WHERE v = 2 OR v = 1"),
    ],
    different=[
        Pair(
            "SELECT k FROM t WHERE v IN (1, 2)",
            "SELECT k FROM t WHERE v = 1",
            because="the second member counts",
        ),
    ],
)
def in_list_is_equalities(node: exp.In, facts: Facts) -> Expr | None:
    """Write the equalities."""
    del facts
    members = node.expressions
    if not members or len(members) > _MOST or has_subquery(node.this):
        return None
    if not all(map(_is_constant, members)):
        return None
    return any_of([exp.EQ(this=counted_copy(node.this), expression=member) for member in members])


def _is_constant(member: Expr) -> bool:
    """Whether a member is a literal, or a row of such."""
    if isinstance(member, exp.Tuple):
        return all(map(is_constant, member.expressions))
    return is_constant(member)
