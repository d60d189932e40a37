"""NULLS FIRST and NULLS LAST say nothing where nothing is NULL.

Statement
    ORDER BY x NULLS FIRST   ==   ORDER BY x NULLS LAST

Holds when
    x is never NULL where it stands.

Why
    The words place rows whose x is NULL, and there is none.

Limits
    A term above a set operation is left alone.

Source
    House rule.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.facts import NotNull
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.rule import WITH_NULLS_PLACE, Pair, rule


@rule(
    trust="proved",
    dialects=WITH_NULLS_PLACE,
    schema="CREATE TABLE t (k INTEGER, v INTEGER NOT NULL)",
    equal=[
        Pair(
            "SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC NULLS FIRST",
            "SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC NULLS LAST",
        ),
        Pair(
            "SELECT k FROM t ORDER BY v NULLS LAST",
            "SELECT k FROM t ORDER BY v NULLS FIRST",
            facts=(NotNull("t", "v"),),
        ),
    ],
    different=[
        Pair(
            "SELECT k FROM t ORDER BY k NULLS FIRST",
            "SELECT k FROM t ORDER BY k NULLS LAST",
            because="k may be NULL",
        ),
    ],
)
def nulls_place_of_never_null(node: exp.Ordered, facts: Facts) -> Expr | None:
    """Put NULLs where they are put if nothing is said."""
    usual = facts.nulls_first(bool(node.args.get("desc")))
    if bool(node.args.get("nulls_first")) == usual or not facts.never_null(node.this):
        return None
    return exp.Ordered(this=node.this, desc=node.args.get("desc"), nulls_first=usual)
